#!/usr/bin/env python3
# A second reader of .rel files, written from doc/format/format.md alone, and what
# hdtrace relations should say of them.
#
#     relations.py chance HDTRACE SEED RUNS   projects by chance, in this directory
#     relations.py compare HDTRACE PROJECT    a project that is there
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import glob
import json
import os
import random
import re
import struct
import subprocess
import sys
import xml.parsers.expat
from decimal import Decimal
from fractions import Fraction
from xml.sax.saxutils import quoteattr

SECOND = 10**9


# ---- Reading ----------------------------------------------------------------

def nanoseconds(text):
    seconds, _, rest = text.partition(".")
    return int(seconds) * SECOND + int((rest + "0" * 9)[:9])


class Relation:
    def __init__(self, file, id, time, attributes):
        self.file, self.id, self.start, self.end = file, id, time, None
        self.token = f"{file.host}:{file.process}:{file.number}:{id}"
        self.parent = self.span = None
        if "i" in attributes:
            self.parent = ":".join(
                (file.host, file.process, file.number, attributes["i"]))
        elif "p" in attributes:
            self.parent = f"{file.host}:{file.process}:{attributes['p']}"
        elif "l" in attributes:
            self.parent = f"{file.host}:{attributes['l']}"
        elif "r" in attributes:
            self.parent = attributes["r"]
        elif "ws" in attributes:
            self.span = attributes["ws"]
        self.trace = attributes.get("w")
        self.cause, self.found, self.children = None, False, []
        self.links, self.states, self.stack = [], [], []
        self.joules, self.known = Fraction(0), 0

    def lasted(self):
        return self.file.last if self.end is None else self.end


class File:
    """A .rel file: its relations, by what its elements say."""

    def __init__(self, path, node):
        self.node, self.relations, self.last = node, [], None
        self.open = {}
        parser = xml.parsers.expat.ParserCreate()
        parser.StartElementHandler = self.element
        with open(path, "rb") as file:
            try:
                parser.ParseFile(file)
            except xml.parsers.expat.ExpatError:
                pass  # It is cut; what came before holds.

    def element(self, name, attributes):
        if name == "relation":
            self.host = attributes["hostID"]
            self.process = attributes["localToken"]
            self.number = attributes["topologyNumber"]
            self.adjustment = nanoseconds(attributes["timeAdjustment"])
            return
        if name not in ("rel", "s", "e", "un", "link"):
            return
        id = int(attributes.pop("t"))
        time = nanoseconds(attributes.pop("time")) + self.adjustment
        relation = self.open.get(id)
        if name == "rel":
            if relation:
                return
            relation = self.open[id] = Relation(self, id, time, attributes)
            self.relations.append(relation)
        elif not relation:
            return
        if self.last is None or time > self.last:
            self.last = time
        if name == "s":
            state = {"name": attributes.pop("name"), "start": time,
                     "end": None, "attributes": attributes,
                     "depth": len(relation.stack)}
            relation.states.append(state)
            relation.stack.append(state)
        elif name == "e" and relation.stack:
            state = relation.stack.pop()
            state["end"] = time
            state["attributes"].update(attributes)
        elif name == "link":
            relation.links.append(attributes["r"])
        elif name == "un":
            relation.end = time
            del self.open[id]


def span_id(token):
    hash = 0xcbf29ce484222325
    for byte in token.encode():
        hash = (hash ^ byte) * 0x100000001b3 % 2**64
    return f"{hash or 1:016x}"


def read_power(path):
    """The power of a file with one value, DOUBLE, in W: (start, end, W)."""
    with open(path, "rb") as file:
        data = file.read()
    data = data[6 + int(data[:5]):]
    stamps = lambda at: SECOND * struct.unpack(">I", data[at:at + 4])[0] + \
        struct.unpack(">I", data[at + 4:at + 8])[0]
    before, entries = stamps(0), []
    for at in range(8, len(data) - 15, 16):
        now = stamps(at)
        watts = struct.unpack(">d", data[at + 8:at + 16])[0]
        if watts == watts:
            entries.append((before, now, Fraction(watts)))
        before = now
    return entries


class Node:
    """Whom the energy of a host went to."""

    def __init__(self):
        self.joules = self.ranks = self.states = self.unattributed = \
            Fraction(0)


class Project:
    def __init__(self, path):
        self.nodes = {}
        prefix = path.removesuffix(".proj")
        self.files = []
        for rel in sorted(glob.glob(glob.escape(prefix) + "_*.rel")):
            node = os.path.basename(rel)[len(os.path.basename(prefix)) + 1:-4]
            self.files.append(File(rel, node))
        self.all = [r for f in self.files for r in f.relations]
        self.find_causes()
        for stat in glob.glob(glob.escape(prefix) + "_*_Energy.stat"):
            host = os.path.basename(stat)[
                len(os.path.basename(prefix)) + 1:-len("_Energy.stat")]
            self.divide(host, read_power(stat), self.ranks(prefix, host))

    def find_causes(self):
        tokens, spans = {}, {}
        for relation in self.all:
            tokens.setdefault(relation.token, relation)
            spans.setdefault(span_id(relation.token), relation)
        for relation in self.all:
            cause = tokens.get(relation.parent) or spans.get(relation.span)
            if not cause:
                continue
            relation.cause, relation.found = cause, True
            relation.parent = cause.token
            cause.children.append(relation)

    @staticmethod
    def ranks(prefix, host):
        """Traces at a host: when they are active, from first to last time, and
        when in a state."""
        spans = []
        for trace in glob.glob(glob.escape(f"{prefix}_{host}_") + "*.trc"):
            with open(trace) as file:
                text = file.read()
            begin = nanoseconds(
                re.search("timeAdjustment=.([0-9]+)", text)[1])
            states = [[begin + nanoseconds(t) for t in pair] for pair in
                      re.findall(" time='([0-9.]+)' end='([0-9.]+)'", text)]
            times = [t for pair in states for t in pair]
            spans.append((min(times), max(times), states))
        return spans

    def divide(self, host, entries, ranks):
        """Divide power equally among relations in a state and ranks."""
        active = []
        for relation in self.all:
            if relation.file.node.split("_")[0] != host:
                continue
            for state in relation.states:
                if state["depth"] == 0:
                    end = state["end"]
                    active.append((relation, state["start"],
                                   relation.lasted() if end is None else end))
        node = self.nodes[host] = Node()
        active += [(None, start, end) for start, end, _ in ranks]
        states = [pair for *_, pairs in ranks for pair in pairs]
        borders = sorted({t for _, a, b in active for t in (a, b)} |
                         {t for pair in states for t in pair} |
                         {t for a, b, _ in entries for t in (a, b)})
        for start, end in zip(borders, borders[1:]):
            watts = [w for a, b, w in entries if a <= start and end <= b]
            those = [r for r, a, b in active if a <= start and end <= b]
            if not watts:
                continue
            joules = watts[0] * (end - start) / SECOND
            node.joules += joules
            if not those:
                node.unattributed += joules
            for relation in those:
                if relation:
                    relation.known += end - start
                    relation.joules += joules / len(those)
                else:
                    node.ranks += joules / len(those)
                    node.states += joules / len(those) * sum(
                        a <= start and end <= b for a, b in states)

    @staticmethod
    def united(relation, spans):
        total, until = 0, relation.start
        for start, end in sorted(spans):
            start, end = max(start, until), min(end, relation.lasted())
            if end > start:
                total, until = total + end - start, end
        return total


# ---- Comparing --------------------------------------------------------------

def compare(hdtrace, path):
    """What hdtrace relations says that is not so: texts."""
    project = Project(path)
    done = subprocess.run([hdtrace, "relations", "--format=json", path],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 1):
        return [done.stderr.decode()]
    said = json.loads(done.stdout, parse_float=Decimal)
    wrong = []

    def expect(what, is_so, should):
        if is_so != should:
            wrong.append(f"{what}: {is_so}, should be {should}")

    def near(what, is_so, should):
        if is_so is None or abs(Fraction(is_so) - should) > \
                abs(should) / 10**9 + Fraction(1, 10**8):
            wrong.append(f"{what}: {is_so}, should be {float(should)}")

    seconds = lambda ns: None if ns is None else Decimal(ns).scaleb(-9)
    by_start = {}
    for entry in said["relations"]:
        by_start[entry["token"], entry["start_s"]] = entry
    expect("relations", len(said["relations"]), len(project.all))
    expect("count", said["count"], len(project.all))
    expect("unended", said["unended"],
           sum(r.end is None for r in project.all))
    expect("unknown_parents", said["unknown_parents"],
           sum(bool(r.parent or r.span) and not r.found
               for r in project.all))
    totals = [entry["total_s"] for entry in said["relations"]]
    expect("order", totals, sorted(totals, reverse=True))
    for relation in project.all:
        entry = by_start.get((relation.token, seconds(relation.start)))
        name = relation.token
        if not entry:
            wrong.append(f"{name}: is not there")
            continue
        expect(f"{name} parent", entry["parent"], relation.parent)
        expect(f"{name} parent_found", entry["parent_found"], relation.found)
        expect(f"{name} links", entry["links"], relation.links)
        expect(f"{name} node", entry["node"], relation.file.node)
        expect(f"{name} layer", entry["layer"],
               relation.file.node.split("_")[-1])
        expect(f"{name} name", entry["name"],
               relation.states[0]["name"] if relation.states else None)
        expect(f"{name} end", entry["end_s"], seconds(relation.end))
        total = relation.lasted() - relation.start
        children = [(c.start, c.lasted()) for c in relation.children]
        states = [(s["start"], relation.lasted() if s["end"] is None
                   else s["end"]) for s in relation.states if s["depth"] == 0]
        expect(f"{name} self", entry["self_s"],
               seconds(total - project.united(relation, children)))
        expect(f"{name} waited", entry["wait_s"],
               seconds(total - project.united(relation, children + states)))
        expect(f"{name} known", entry["known_s"], seconds(relation.known))
        if relation.known:
            near(f"{name} energy", entry["energy_j"], relation.joules)
        else:
            expect(f"{name} energy", entry["energy_j"], None)
        expect(f"{name} states", [(s["name"], s["start_s"], s["end_s"],
                                   s["attributes"]) for s in entry["states"]],
               [(s["name"], seconds(s["start"]), seconds(s["end"]),
                 s["attributes"]) for s in relation.states])
    for node in said["energy"]:
        if node["energy_j"] is not None:
            near(f"{node['node']}: sum of parts",
                 node["relations_j"] + node["ranks_j"] +
                 node["unattributed_j"], Fraction(node["energy_j"]))
            near(f"{node['node']}: relations", node["relations_j"],
                 sum(r.joules for r in project.all
                     if r.file.node.split("_")[0] == node["node"]))
            node_is = project.nodes[node["node"]]
            near(f"{node['node']}: ranks", node["ranks_j"], node_is.ranks)
            near(f"{node['node']}: unattributed", node["unattributed_j"],
                 node_is.unattributed)
    compare_report(hdtrace, path, project, said, expect, near)
    compare_stat(hdtrace, path, project, near)
    return wrong


def run(hdtrace, *arguments):
    done = subprocess.run([hdtrace, *arguments, "-q"], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return json.loads(done.stdout, parse_float=Decimal)


def compare_report(hdtrace, path, project, said, expect, near):
    """hdtrace report divides among the same activities."""
    report = run(hdtrace, "report", "--format=json", path)
    if not project.files:
        return
    mine = report["relations"]
    expect("report: count", mine["count"], len(project.all))
    expect("report: sums", mine["sums"], said["sums"])
    expect("report: slowest", [s["token"] for s in mine["slowest"]],
           [r["token"] for r in said["relations"][:10]])
    for tree in mine["slowest"]:
        of = next(r for r in tree["relations"]
                  if r["token"] == tree["token"])
        expect("report: tree", of in said["relations"], True)
    total = lambda key: sum(getattr(n, key) for n in project.nodes.values())
    if not any(n["energy"] for n in report["groups"]):
        return
    near("report: relations", report["attribution"]["relations_j"],
         sum(r.joules for r in project.all))
    near("report: unattributed", report["attribution"]["unattributed_j"],
         total("unattributed"))
    states = sum(s["energy_j"] or 0 for s in report["states"])
    near("report: states", states, total("states"))
    near("report: all", report["energy"]["energy_j"], total("joules"))


def compare_stat(hdtrace, path, project, near):
    """So does hdtrace stat."""
    if not project.nodes or not glob.glob(
            glob.escape(path.removesuffix(".proj")) + "_*.trc"):
        return
    for trace in run(hdtrace, "stat", "--regions=Work", "--format=json",
                     path)["regions"]:
        host = (trace["node"] or "").split("_")[0]
        if host in project.nodes and trace["energy"] is not None:
            near(f"stat: {host}", trace["energy"],
                 project.nodes[host].states)


# ---- Projects by chance -----------------------------------------------------

class Maker:
    def __init__(self, chance):
        self.chance = chance
        self.made = []  # (host, pid, number, id, start)

    def time(self, low, high):
        """Few values, so that times meet; or any."""
        if self.chance.random() < .5:
            step = 10**6
            return low + (high - low) // step * step // 8 * \
                self.chance.randrange(9)
        return self.chance.randint(low, high)

    def parent(self, host, pid, number, start):
        kind = self.chance.random()
        if kind < .25 or not self.made:
            return ""
        if kind < .32:
            return self.chance.choice((
                ' i="999999"', ' p="99:0"', ' l="77:0:0"', ' r="no:1:2:3"',
                ' ws="00f067aa0ba902b7"'))
        cause = self.chance.choice(self.made)
        token = ":".join(map(str, cause[:4]))
        if self.chance.random() < .1:
            return f' ws="{span_id(token)}"'
        if cause[:3] == (host, pid, number) and self.chance.random() < .7:
            return f' i="{cause[3]}"'
        if cause[:2] == (host, pid) and self.chance.random() < .7:
            return f' p="{cause[2]}:{cause[3]}"'
        if cause[0] == host and self.chance.random() < .7:
            return f' l="{cause[1]}:{cause[2]}:{cause[3]}"'
        return f' r="{token}"'

    def relation(self, host, pid, number, id):
        start = self.time(0, 3 * SECOND)
        end = start + self.time(0, 2 * SECOND)
        is_ended = self.chance.random() < .9
        trace = "" if self.chance.random() < .8 else \
            f' w="{self.chance.getrandbits(128) | 1:032x}-' \
            f'{self.chance.randrange(2):02x}"'
        text = lambda ns: f"{ns // SECOND}.{ns % SECOND:09d}"
        elements = [(start, f'<rel t="{id}" time="{text(start)}"'
                     f'{self.parent(host, pid, number, start)}{trace}/>')]
        borders = sorted(self.time(start, end)
                         for _ in range(2 * self.chance.randrange(4)))
        depth = 0
        for left, at in enumerate(borders):
            if self.chance.random() < .1 and self.made:
                link = ":".join(map(str, self.chance.choice(self.made)[:4]))
                elements.append(
                    (at, f'<link t="{id}" time="{text(at)}" r="{link}"/>'))
            if depth == 0 or self.chance.random() < .4:
                depth += 1
                name = self.chance.choice(("read", "write", "a<b>&\"c'"))
                value = self.chance.choice(("", "1", "ü & <x>"))
                elements.append((at, f'<s name={quoteattr(name)} t="{id}" '
                                 f'time="{text(at)}" v={quoteattr(value)}/>'))
            else:
                depth -= 1
                error = self.chance.choice(("", ' error="EIO"', ' v="2"'))
                elements.append(
                    (at, f'<e t="{id}" time="{text(at)}"{error}/>'))
        if is_ended:
            elements.append((end, f'<un t="{id}" time="{text(end)}"/>'))
        self.made.append((host, pid, number, id, start))
        return elements

    def run(self, name):
        nodes = ""
        hosts = self.chance.randint(1, 3)
        begin = 1_700_000_000
        for h in range(hosts):
            host = f"h{h}"
            nodes += f'<Node name="{host}">'
            for p in range(self.chance.randint(1, 3)):
                nodes += f'<Node name="s{p}"/>'
                pid = f"{100 + p}.{begin}"
                number = self.chance.randrange(3)
                streams = [self.relation(host, pid, number, id)
                           for id in range(self.chance.randrange(12))]
                elements = sorted((time, id, k, text)
                                  for id, s in enumerate(streams)
                                  for k, (time, text) in enumerate(s))
                text = (f'<relation version="1" hostID="{host}" '
                        f'localToken="{pid}" topologyNumber="{number}" '
                        f'timeAdjustment="{begin}">\n' +
                        "".join(e[3] for e in elements))
                if self.chance.random() < .8:
                    text += "</relation>"
                with open(f"{name}_{host}_s{p}.rel", "w") as file:
                    file.write(text)
            nodes += '<Node name="r"/></Node>'
            if self.chance.random() < .7:
                self.power(f"{name}_{host}_Energy.stat", host, begin)
            if self.chance.random() < .5:
                with open(f"{name}_{host}_r.trc", "w") as file:
                    file.write(f"<Program timeAdjustment='{begin}'>\n"
                               "<Work time='0.500000000' end='1.0'/>\n"
                               "<Work time='2.000000000' end='3.25'/>\n"
                               "</Program>\n")
        with open(f"{name}.proj", "w") as file:
            file.write(f'<Application name="{name}"><Topology>'
                       '<Level type="Host"/><Level type="Process"/>'
                       f'{nodes}</Topology></Application>\n')

    def power(self, path, host, begin):
        header = ('<Statistics>\n<TopologyNode>\n'
                  f'<Label value="{host}"/>\n</TopologyNode>\n'
                  '<Group name="Energy" timestampDatatype="EPOCH">\n'
                  '<Value name="P" type="DOUBLE" unit="W"/>\n'
                  '</Group>\n</Statistics>\n').encode()
        time = begin * SECOND + self.time(0, SECOND)
        stamp = lambda t: struct.pack(">II", t // SECOND, t % SECOND)
        data = b"%05d\n" % len(header) + header + stamp(time)
        for _ in range(self.chance.randrange(1, 20)):
            time += self.chance.randint(1, SECOND)
            watts = self.chance.choice((100.0, self.chance.uniform(0, 500),
                                        float("nan")))
            data += stamp(time) + struct.pack(">d", watts)
        with open(path, "wb") as file:
            file.write(data)


def main():
    if sys.argv[1] == "compare":
        wrong = compare(sys.argv[2], sys.argv[3])
        print("\n".join(wrong[:20]))
        return bool(wrong)
    hdtrace, seed, runs = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    print(f"seed {seed}")
    relations = bad = 0
    for run in range(runs):
        maker = Maker(random.Random(seed * 1000003 + run))
        maker.run(f"run{run}")
        wrong = compare(hdtrace, f"run{run}.proj")
        relations += len(maker.made)
        if wrong:
            print(f"run {run}:", *wrong[:10], sep="\n  ")
            bad += 1
        else:
            for name in glob.glob(f"run{run}[._]*"):
                os.remove(name)
    print(f"{runs} runs, {relations} relations, {bad} of them wrong")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
