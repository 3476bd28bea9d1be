#!/usr/bin/env python3
# What a run of the relay must have written, by a reader of .rel and .stat files
# that is made from doc/format/format.md alone.
#
#     relay.py CHECK PREFIX [ARGUMENT...]     says what is wrong, and exits 1
#
# The checks stand at the end; relay.sh says which test is which.
# SPDX-License-Identifier: LGPL-2.1-or-later
import contextlib
import glob
import os
import re
import socket
import struct
import sys
import traceback
import xml.parsers.expat
from collections import Counter, defaultdict

SECOND = 10**9
MIB = 1 << 20
STRIPE = 64 * 1024
BUFFER = 256 * 1024
SMALL = 16 * 1024


def need(condition, *what):
    if not condition:
        sys.exit(" ".join(str(i) for i in what) or "wrong")


def points(checks, run):
    """Make checks of lines from the input, NAME | CHECK [ARGUMENT...]. What each has
    said goes to the file point.N; if it passed there is point.N.kept."""
    for number, line in enumerate(sys.stdin, 1):
        check, *arguments = line.split("|")[1].split()
        with open(f"point.{number}", "w") as said, \
                contextlib.redirect_stdout(said):
            try:
                checks[check](run, *arguments)
                open(said.name + ".kept", "w").close()
            except SystemExit as fault:
                print(fault)
            except Exception:
                print(traceback.format_exc())


# ---- Relations ---------------------------------------------------------------

def nanoseconds(text):
    seconds, _, rest = text.partition(".")
    return int(seconds) * SECOND + int((rest + "0" * 9)[:9])


class State:
    def __init__(self, name, start, depth, attributes):
        self.name, self.start, self.depth = name, start, depth
        self.end, self.attributes = None, attributes

    def number(self, key):
        return int(self.attributes[key])


class Relation:
    def __init__(self, file, token, parent, start):
        self.file, self.token, self.parent = file, token, parent
        self.start, self.end, self.states, self.open = start, None, [], []
        self.children, self.elements = [], 1

    @property
    def layer(self):
        return self.file.layer

    def under(self, layer):
        """The relations of a layer below this one, however deep."""
        found = []
        for child in self.children:
            if child.layer == layer:
                found.append(child)
            found += child.under(layer)
        return found


class File:
    def __init__(self, path, prefix):
        name = path[len(prefix) + 1:-len(".rel")]
        self.host, self.process, self.layer = name.split("_")
        self.relations, self.isComplete = [], True
        self.running = {}
        parser = xml.parsers.expat.ParserCreate()
        parser.StartElementHandler = self.element
        with open(path, "rb") as data:
            try:
                parser.ParseFile(data)
            except xml.parsers.expat.ExpatError:
                self.isComplete = False

    def element(self, name, attributes):
        if name == "relation":
            self.owner = ":".join(attributes[i] for i in
                                  ("hostID", "localToken", "topologyNumber"))
            self.begin = nanoseconds(attributes["timeAdjustment"])
            return
        id = attributes.pop("t")
        time = self.begin + nanoseconds(attributes.pop("time"))
        if name == "rel":
            need(id not in self.running, id, "begins twice")
            host, process, number = self.owner.split(":")
            parent = attributes.get("r")
            if "l" in attributes:
                parent = f"{host}:{attributes['l']}"
            if "p" in attributes:
                parent = f"{host}:{process}:{attributes['p']}"
            if "i" in attributes:
                parent = f"{self.owner}:{attributes['i']}"
            self.running[id] = Relation(self, f"{self.owner}:{id}", parent,
                                        time)
            self.relations.append(self.running[id])
            return
        relation = self.running[id]
        relation.elements += 1
        if name == "s":
            state = State(attributes.pop("name"), time, len(relation.open),
                          attributes)
            relation.states.append(state)
            relation.open.append(state)
        elif name == "e":
            state = relation.open.pop()
            state.end = time
            state.attributes.update(attributes)
        else:
            need(name == "un", "element", name)
            relation.end = time
            del self.running[id]


class Run:
    def __init__(self, prefix):
        self.prefix = prefix
        self.files = [File(i, prefix) for i in
                      sorted(glob.glob(prefix + "_*.rel"))]
        self.all = [i for file in self.files for i in file.relations]
        self.tokens = {i.token: i for i in self.all}
        need(len(self.tokens) == len(self.all), "tokens are not unique")
        self.orphans = []
        for i in self.all:
            if i.parent in self.tokens:
                self.tokens[i.parent].children.append(i)
            elif i.parent:
                self.orphans.append(i)

    def of(self, layer):
        return [i for i in self.all if i.layer == layer]


# ---- Gauges ------------------------------------------------------------------

class Gauge:
    """What a gauge showed: (begin, end, number), and the sum of its bytes."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        header = data[6:6 + int(data[:5])].decode()
        names = re.findall('<Value name="([^"]*)"', header)
        need(names == ["Pending", "Bytes"], path, names)
        self.layer = re.search('<Group name="([^"]*)"', header).group(1)
        at = 6 + int(data[:5])
        last, self.parts, self.bytes = None, [], 0
        while at + 8 <= len(data):
            seconds, ns = struct.unpack_from(">II", data, at)
            need((seconds, ns) != (0xffffffff,) * 2, path, "has a gap")
            stamp = seconds * SECOND + ns
            at += 8
            if last is not None:
                number, size = struct.unpack_from(">qq", data, at)
                at += 16
                self.parts.append((last, stamp, number))
                self.bytes += size
            last = stamp
        need(at == len(data), path, "is cut")

    def numbers(self):
        return [i[2] for i in self.parts]

    def integral(self):
        return sum((end - begin) * number for begin, end, number in self.parts)


def gauges(prefix):
    found = defaultdict(dict)
    for path in glob.glob(prefix + "_*.stat"):
        gauge = Gauge(path)
        found[path.rsplit("_", 1)[0]][gauge.layer] = gauge
    need(found, "no gauges")
    return found


def servers(prefix):
    return [i for i in gauges(prefix).values() if "REQ" in i]


# ---- Causes ------------------------------------------------------------------

def ranges(total, count, first, last, size):
    """Of a call that writes blocks [first, last) of a file: the range of each
    server's file."""
    found = {}
    for server in range(count):
        units = [unit for unit in range(first // STRIPE, -(-last // STRIPE))
                 if unit % count == server]
        pieces = []
        for unit in units:
            begin = max(first, unit * STRIPE)
            end = min(last, (unit + 1) * STRIPE)
            pieces.append((unit // count * STRIPE + begin % STRIPE,
                           end - begin))
        if pieces:
            found[server] = (pieces[0][0], sum(i[1] for i in pieces))
    return found


def each_request(run, size, count):
    """The requests of all writes, each with what it must be."""
    for call in run.of("CLIENT"):
        offset = call.states[0].number("offset")
        wanted = ranges(size, count, offset, offset + size, size)
        requests = [i for i in call.children if i.layer == "REQ"]
        need(len(requests) == len(wanted), call.token, "has", len(requests),
             "requests, not", len(wanted))
        need(sorted((i.states[0].number("offset"),
                     i.states[0].number("totalSize")) for i in requests) ==
             sorted(wanted.values()), call.token, "asked for something else")
        yield from requests


def c1(run, clients, steps, size, count):
    """Each write has its requests, and all below has a cause."""
    clients, steps, size, count = map(int, (clients, steps, size, count))
    need(not run.orphans, len(run.orphans), "orphans")
    calls = run.of("CLIENT")
    need(len(calls) == clients * steps, len(calls), "calls")
    need([i for i in run.all if not i.parent] == calls,
         "only calls have no cause")
    requests = list(each_request(run, size, count))
    need(len(requests) == len(run.of("REQ")), "requests of nobody")
    need(len(requests) == clients * steps * count, len(requests), "requests")
    for request in requests:
        total = request.states[0].number("totalSize")
        flows = [i for i in request.children if i.layer == "FLOW"]
        need(len(flows) == 1, request.token, "has", len(flows), "flows")
        stored = [i for i in flows[0].children if i.layer == "TROVE"]
        need(len(stored) == -(-total // BUFFER), request.token, "has",
             len(stored), "operations of TROVE")
        for i in stored:
            need([j.layer for j in i.children] == ["DISK"], i.token,
                 "was not done")
        received = [i for i in flows[0].children if i.layer == "BMI"]
        need(sum(i.states[0].number("size") for i in received) == total,
             flows[0].token, "received something else")


def c2(run, clients, steps, size, count, *directories):
    """Sizes add up, ranges tile, and contents are right."""
    clients, steps, size, count = map(int, (clients, steps, size, count))
    places = defaultdict(list)
    for request in run.of("REQ"):
        total = request.states[0].number("totalSize")
        begin = request.states[0].number("offset")
        done = sorted((i.states[0].number("offset"), i.states[0].number("size"))
                      for i in request.under("TROVE"))
        need(sum(i[1] for i in done) == total, request.token, "stored",
             sum(i[1] for i in done), "of", total)
        places[request.file.process] += done
        for offset, length in done:
            need(offset == begin, request.token, "gap or overlap at", begin)
            begin += length
    whole = 0
    for process, done in places.items():
        at = 0
        for offset, length in sorted(done):
            need(offset == at, process, "gap or overlap at", at)
            at += length
        whole += at
    need(whole == clients * steps * size, whole, "bytes in all")
    print(whole, "bytes")
    for server, directory in enumerate(directories):
        path = os.path.join(directory, "file")
        need(os.path.getsize(path) * count == whole, path, "has another size")
        with open(path, "rb") as file:
            unit = server
            while data := file.read(STRIPE):
                first = unit * STRIPE // 4096
                need(data == b"".join(struct.pack(">Q", i) * 512 for i in
                                      range(first, first + 16)),
                     path, "has something else at unit", unit)
                unit += count


def shape(relation):
    states = [(i.name, i.depth) for i in relation.states]
    size = relation.states[0].attributes.get("size") if relation.states else ""
    return (relation.layer, tuple(states), size,
            tuple(sorted(shape(i) for i in relation.children
                         if i.layer != "BMI")))


def c4(run, other):
    """Two runs have the same trees, but for messages, which may be sent in parts."""
    mine, its = (Counter(shape(i) for i in r.all if not i.parent)
                 for r in (run, Run(other)))
    need(mine == its, "trees differ")
    need(sum(mine.values()) > 0, "no trees")


def c3(run, requests):
    """Requests of a client that does not trace are nobody's."""
    top = [i for i in run.all if not i.parent]
    need(len(top) == int(requests), len(top), "top-level relations")
    need(all(i.layer == "REQ" for i in top), "not only requests")
    need(not run.orphans, "orphans")
    need(all(i.under("TROVE") for i in top), "nothing was stored")


def c5(run, seconds):
    """Requests begin before what caused them, by so much; links hold."""
    need(not run.orphans, "orphans")
    requests = run.of("REQ")
    need(requests, "no requests")
    for i in requests:
        early = run.tokens[i.parent].start - i.start
        need(0 < early <= int(seconds) * SECOND, i.token, early)


def c6(run, calls):
    """Small writes: one request, one operation, one size, no flow."""
    need(not run.orphans, "orphans")
    need(len(run.of("CLIENT")) == int(calls), len(run.of("CLIENT")), "calls")
    need(not run.of("FLOW"), "flows")
    for call in run.of("CLIENT"):
        parts = [i for i in call.children if i.layer == "REQ"]
        need(len(parts) == 1, call.token, "has", len(parts), "parts")
        need(parts[0].states[0].number("totalSize") <= SMALL, "it is not small")
        sizes = [i for i in parts[0].states if "totalSize" in i.attributes]
        need(len(sizes) == 1, "one total size")
        need(len(parts[0].under("TROVE")) == 1, "one operation")
    for i in gauges(run.prefix).values():
        need(not i["FLOW"].bytes and set(i["FLOW"].numbers()) <= {0}, "FLOW")


# ---- States ------------------------------------------------------------------

# By machine: its states, with those of nested ones behind that which has them.
TABLES = {
    "write": [("write", 0), ("schedule", 1), ("open", 1), ("ready", 1),
              ("transfer", 1), ("flow", 2), ("account", 2), ("respond", 1),
              ("release", 1)],
    "create": [("create", 0), ("schedule", 1), ("directory", 1), ("create", 1),
               ("respond", 1), ("release", 1)],
}


def machines(run, name):
    found = [i for i in run.of("REQ") if i.states[0].name == name]
    need(found, "no machine", name)
    return found


def s1(run, name):
    """A machine is traced by its name, from its begin on, around all."""
    for i in machines(run, name):
        first = i.states[0]
        need(first.depth == 0 and first.start >= i.start, i.token)
        need(all(j.depth > 0 for j in i.states[1:]), i.token)
        need(first.start <= min(j.start for j in i.states) and
             first.end >= max(j.end for j in i.states), i.token)


def s2(run, name):
    """The nested machine on the top of the stack is started in its state."""
    for i in machines(run, name):
        outer = next(j for j in i.states if j.name == "transfer")
        inner = [j for j in i.states if j.depth == 2]
        need([j.name for j in inner] == ["flow", "account"], i.token)
        need(all(outer.start <= j.start and j.end <= outer.end
                 for j in inner), i.token, "lies outside")


def s3(run, name):
    """Actions that complete, are deferred, and terminate."""
    moved = 0
    for i in machines(run, name):
        by = {j.name: j for j in i.states}
        need("deferred" not in by["open"].attributes, "open completes at once")
        need("deferred" in by["flow"].attributes, "flow is deferred")
        need(i.states[-1].name == "release" and
             "deferred" not in by["release"].attributes, "release ends it")
        moved += by["flow"].attributes["deferred"] != \
            by["flow"].attributes["worker"]
    print(moved, "of", len(machines(run, name)), "went on in another thread")


def s3_threads(run):
    """A state that is deferred begins in one thread, and ends in another."""
    need(any(j.attributes.get("deferred", j.attributes.get("worker")) !=
             j.attributes.get("worker") for i in run.of("REQ")
             for j in i.states), "all in the same thread")


def s3_failed(run, state, error):
    """An action that fails says why, and the machine goes on to respond."""
    for i in run.of("REQ"):
        names = [j.name for j in i.states]
        failed = next(j for j in i.states if j.name == state)
        need(failed.attributes.get("error") == error, failed.attributes)
        need(i.states[0].attributes.get("error") == error, "the machine")
        need(names[names.index(state) + 1:] == ["respond", "release"], names)
    need(run.of("REQ"), "no requests")


def s4(run, name):
    """After a state that completes comes the next; after the last none."""
    for i in machines(run, name):
        need([(j.name, j.depth) for j in i.states] == TABLES[name],
             i.token, [(j.name, j.depth) for j in i.states])
        for one, other in zip(i.states[1:], i.states[2:]):
            need(other.start >= one.start, i.token)
            if other.depth <= one.depth:
                need(other.start >= one.end, one.name, "goes on")


def s5(run, name):
    """When the stack of nested states is empty the outer machine goes on."""
    for i in machines(run, name):
        by = {j.name: j for j in i.states}
        need(by["account"].end <= by["transfer"].end <= by["respond"].start,
             i.token)


def s6(run):
    """What has terminated is closed: its states, its relation, its gauges."""
    for i in run.all:
        need(i.end is not None and not i.open, i.token, "does not end")
        need(all(j.end is not None for j in i.states), i.token)
        need(all(j.end <= i.end for j in i.states), i.token)
    g1(run)


# ---- Gauges ------------------------------------------------------------------

def g1(run):
    """Each begins and ends at 0, and is never below."""
    for place, layers in gauges(run.prefix).items():
        for layer, gauge in layers.items():
            numbers = gauge.numbers()
            need(numbers[0] == 0 and numbers[-1] == 0, place, layer,
                 numbers[0], numbers[-1])
            need(min(numbers) >= 0, place, layer, min(numbers))
            need(all(abs(a - b) <= 1 for a, b in zip(numbers, numbers[1:])),
                 place, layer, "leaps")


def at(gauge, time):
    """The number that held just before."""
    return next((number for begin, end, number in gauge.parts
                 if begin < time <= end), 0)


def g2(run, clients):
    """While the storage is shut all buffers fill: n flows, 8 n operations."""
    clients = int(clients)
    need(len(servers(run.prefix)) == 1, "one server")
    layers = servers(run.prefix)[0]
    need(max(layers["TROVE"].numbers()) == 8 * clients,
         max(layers["TROVE"].numbers()), "operations")
    need(max(layers["FLOW"].numbers()) == clients, "flows")
    need(max(layers["REQ"].numbers()) == clients, "requests")
    # When the first operation was under way the gate had been opened.
    opened = layers["DISK"].parts[0][1]
    found = [at(layers[i], opened) for i in ("BMI", "FLOW", "REQ", "TROVE")]
    need(found == [0, clients, clients, 8 * clients], found)
    # When the first has ended others are under way.
    ended = next(end for begin, end, number in layers["TROVE"].parts
                 if number == 8 * clients)
    need(at(layers["DISK"], ended) > 0, "one after the other")
    print("BMI, FLOW, REQ, TROVE:", *found)


def g3(run, clients):
    """TROVE <= 8 FLOW, FLOW <= REQ <= clients, at each moment."""
    for layers in servers(run.prefix):
        changes = sorted((end, name, number) for name in ("TROVE", "FLOW", "REQ")
                         for begin, end, number in layers[name].parts)
        # At each change the numbers that held before it.
        places = {name: 0 for name in ("TROVE", "FLOW", "REQ")}
        parts = {name: layers[name].parts for name in places}
        for end, _, _ in changes:
            now = {}
            for name in places:
                while places[name] + 1 < len(parts[name]) and \
                        parts[name][places[name]][1] < end:
                    places[name] += 1
                now[name] = parts[name][places[name]][2]
            need(now["TROVE"] <= 8 * now["FLOW"] and
                 now["FLOW"] <= now["REQ"] <= int(clients), now)


def g4_writes(run):
    for layers in servers(run.prefix):
        need(set(layers["BREQ"].numbers()) == {0}, "BREQ of writes")


def g4(run, creates):
    """Of creates in a directory all but one are blocked while it is held."""
    layers = servers(run.prefix)[0]
    need(max(layers["BREQ"].numbers()) == int(creates) - 1,
         max(layers["BREQ"].numbers()))
    opened = layers["DISK"].parts[0][1]
    found = [at(layers[i], opened) for i in ("BREQ", "REQ", "TROVE")]
    need(found == [int(creates) - 1, 1, 1], found)
    need(max(layers["DISK"].numbers()) == 1, "they went on together")


def g5(run, layer):
    """The integral of a gauge is the sum of what its relations lasted."""
    wanted = sum(i.end - i.start for i in run.of(layer)
                 if i.file.process != "client")
    found = sum(i[layer].integral() for i in servers(run.prefix))
    if layer == "REQ":
        found += sum(i["BREQ"].integral() for i in servers(run.prefix))
    print(layer, found / SECOND, "s by the gauge,", wanted / SECOND,
          "s by relations")
    need(wanted > 0 and abs(found - wanted) <= wanted / 100, found / wanted)


# ---- Relations of a node -----------------------------------------------------

def r2(run):
    """Each element was written once: rel, un, and a begin and end a state."""
    need(run.all, "no relations")
    for file in run.files:
        need(file.isComplete and not file.running, file.layer, "is not whole")
    need(sum(i.elements for i in run.all) ==
         sum(2 + 2 * len(i.states) for i in run.all), "elements")


def r3(run):
    """All requests overlap, and each has its own times."""
    for file in run.files:
        if file.layer != "REQ":
            continue
        need(max(i.start for i in file.relations) <
             min(i.end for i in file.relations), "they do not overlap")
    for i in run.all:
        need(all(i.start <= j.start <= j.end <= i.end for j in i.states),
             i.token)


def r5(run, requests):
    """After kill -9: what was written is there, and goes on for ever."""
    need(any(not i.isComplete for i in run.files), "nothing was cut")
    need(not run.orphans, "orphans")
    found = run.of("REQ")
    need(len(found) == int(requests), len(found), "requests")
    need(all(i.end is None and i.open for i in found), "they have not ended")
    need(all(i.parent for i in found), "they have a cause")


# ---- Hostile clients ---------------------------------------------------------

def hints(*pairs):
    text = b"HDh1" + bytes([len(pairs)])
    for key, value in pairs:
        text += struct.pack(">BH", len(key), len(value)) + key + value
    return text


def ask(port, hints, name=b"hostile", data=b"12345678"):
    """Write a little with these hints: the error of the reply."""
    with socket.create_connection(("127.0.0.1", int(port)), 60) as link:
        link.sendall(b"RLY1" + struct.pack(">IIIQQ", 2, len(name), len(hints),
                                           0, len(data)) + name + hints + data)
        reply = b""
        try:
            while len(reply) < 16 and (more := link.recv(16 - len(reply))):
                reply += more
        except ConnectionResetError:
            pass  # It does not read what it does not want.
    return struct.unpack(">I", reply[4:8])[0] if len(reply) == 16 else None


def hostile(prefix, port, count):
    """Send texts that are no tokens, and bytes that are no hints; then one token
    that is good, at the end."""
    texts = [b"", b":", b"::::", b":" * 4000, b"a:b:c", b"a:1:2:3:4:5:6",
             b"h:1:2:-3", b"h:1:2:99999999999999999999", b"h:1:x:3",
             b"\x00", b"h:1:2:3\x00", b"h\x01:1:2:3", b"\xff" * 4096,
             b"h:1:2:3:w", b"h" * 4000 + b":1:2:3", b"h:1:2:3:" + b"0" * 32]
    sent = 0
    for text in texts:
        need(ask(port, hints((b"relation", text))) == 0, text[:20])
        sent += 1
    for raw in (b"HDh1", b"HDh1\x01", b"HDh1\xff" + b"x" * 100, b"x" * 8192,
                b"\x00" * 100, hints((b"relation", b"h:1:2:3"))[:-1],
                b"HDh1\x01\x08\xff\xffrelation"):
        need(ask(port, raw) == 0, raw[:20])
        sent += 1
    # Requests that are none end the connection, and nothing else.
    need(ask(port, b"x" * 10, name=b"../outside") is None, "a way out")
    need(ask(port, b"x" * 9000) is None, "too much")
    need(ask(port, hints((b"relation", b"elsewhere:7.1:2:3"))) == 0, "good")
    need(sent == int(count), sent, "were sent")


def r1(run, count):
    """What was no token is no cause; what was one is."""
    requests = run.of("REQ")
    need(len(requests) == int(count) + 1, len(requests), "requests")
    need([i.parent for i in requests if i.parent] == ["elsewhere:7.1:2:3"],
         "causes")


# ---- Several hosts -----------------------------------------------------------

def trees(run, calls, count):
    """Each call is one tree, over all hosts, and there is nothing else."""
    need(not run.orphans, len(run.orphans), "orphans")
    top = [i for i in run.all if not i.parent]
    need(len(top) == int(calls), len(top), "trees")
    for i in top:
        hosts = {j.file.host for j in i.under("REQ")}
        need(len(hosts) == int(count), i.token, "reached", hosts)
        need(i.under("DISK"), i.token, "reached no disk")


if __name__ == "__main__":
    check, prefix, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
    if check == "hostile":
        hostile(prefix, *arguments)
    else:
        globals()[check](Run(prefix), *arguments)
