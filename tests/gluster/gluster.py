#!/usr/bin/env python3
# What a volume of GlusterFS with our translators must have written, by the reader
# of tests/relay, which is made from doc/format/format.md alone.
#
#     gluster.py CHECK PREFIX [ARGUMENT...]     says what is wrong, and exits 1
#     gluster.py points PREFIX                  checks of the input (relay.points)
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import glob
import os
import statistics
import sys
import xml.etree.ElementTree
from collections import Counter, defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "relay"))
sys.dont_write_bytecode = True
from relay import Gauge, Run, at, need, points  # noqa: E402,F401

SECOND = 10**9
# Who may cause what; of one operation.
ABOVE = {"FLOW": {"CLIENT"}, "BMI": {"FLOW", "CLIENT"}, "REQ": {"BMI"},
         "BREQ": {"REQ"}, "TROVE": {"BREQ", "REQ"}}


def gauges(prefix):
    """The gauges of each node, by layer. The utilization of hosts is none."""
    found = defaultdict(dict)
    for path in glob.glob(prefix + "_*_*_*.stat"):
        gauge = Gauge(path)
        found[path.rsplit("_", 1)[0]][gauge.layer] = gauge
    need(found, "no gauges")
    return found


def nodes(run, layer):
    """The gauges of a layer, by node."""
    found = {place[len(run.prefix) + 1:].split("_")[1]: layers[layer]
             for place, layers in gauges(run.prefix).items() if layer in layers}
    need(found, "no gauge of", layer)
    return found


def name(relation):
    return relation.states[0].name if relation.states else ""


def attribute(relation, key):
    return relation.states[0].attributes.get(key) if relation.states else None


def calls(run, fop, layer="CLIENT"):
    found = [i for i in run.of(layer) if name(i) == fop]
    need(found, "no", fop, "in", layer)
    return found


# ---- Causes ------------------------------------------------------------------

def orphans(run, *fops):
    """Each relation has a cause, but for the application's, and for those that
    translators of GlusterFS have made by themselves, which say so."""
    need(not run.orphans, len(run.orphans), "orphans, as",
         [(i.layer, name(i)) for i in run.orphans[:3]])
    made, inferred = Counter(), Counter()
    for i in run.all:
        if i.parent:
            above = run.tokens[i.parent]
            need(above.layer in ABOVE[i.layer], i.layer, "below", above.layer)
            if attribute(i, "origin"):
                inferred[i.layer, name(i), attribute(i, "origin")] += 1
        elif i.layer != "CLIENT":
            need(attribute(i, "origin"), i.layer, name(i), "of nobody")
            made[i.layer, name(i), attribute(i, "origin")] += 1
    print(len(run.all), "relations; by themselves:", dict(made),
          "with a cause that is inferred:", dict(inferred))
    for fop in fops:
        calls(run, fop)
    return sum(inferred.values())


def inferred_are(run, count):
    """So many have a cause that is inferred, which are told from the others."""
    found = orphans(run)
    need(found == int(count), found, "are inferred")


def by_itself(run, layer, fop):
    """Operations that distribution makes; nothing lacks its cause."""
    orphans(run)
    calls(run, fop, layer)


def closed(run):
    """When a connection ends the server closes what is open."""
    orphans(run, "writev")
    found = [i for i in run.of("REQ") if name(i) == "flush" and not i.parent]
    need(found and all(attribute(i, "origin") == "server" for i in found),
         len(found), "flush of the server's")


def chain(relation, fop):
    """Of a part its way down: one relation in each layer."""
    for layer in ("BMI", "REQ", "TROVE"):
        below = [i for i in relation.under(layer) if name(i) == fop]
        need(len(below) == 1, relation.token, "has", len(below), layer)
        need(attribute(below[0], "size") == attribute(relation, "size") and
             attribute(below[0], "offset") == attribute(relation, "offset"),
             below[0].token, "is of something else")


def c1(run, fop="writev"):
    """Each call of the application has its parts, each part its request and its
    operation of the storage, and nothing lacks its cause."""
    orphans(run, fop)
    parts = 0
    for call in calls(run, fop):
        flows = [i for i in call.children
                 if i.layer == "FLOW" and name(i) == fop]
        need(sum(i.states[0].number("size") for i in flows) ==
             call.states[0].number("size"), call.token, "has other parts")
        for i in flows:
            chain(i, fop)
        parts += len(flows)
    for layer in ("FLOW", "BMI", "REQ", "TROVE"):
        need(len(calls(run, fop, layer)) == parts, layer, "of nobody")
    print(parts, "parts of", len(calls(run, fop)), "calls")


def tiles(relations):
    """The ranges of each file lie one behind the other: bytes in all."""
    places = defaultdict(list)
    for i in relations:
        places[attribute(i, "gfid")].append((i.states[0].number("offset"),
                                             i.states[0].number("size")))
    for gfid, ranges in places.items():
        end = 0
        for offset, size in sorted(ranges):
            need(offset == end, gfid, "gap or overlap at", offset)
            end += size
    return sum(size for ranges in places.values() for _, size in ranges)


def c2(run, total):
    """Sizes add up, and ranges tile: of files, and of their blocks."""
    for layer in ("CLIENT", "TROVE"):
        found = tiles(calls(run, "writev", layer))
        need(found == int(total), layer, found, "bytes")


def c3(run):
    """A client that does not trace: requests are nobody's."""
    need(not run.orphans and not run.of("CLIENT"), "orphans, or a client")
    need(all(i.layer == "REQ" for i in run.all if not i.parent),
         "not only requests")
    need(all(len(i.under("TROVE")) == 1 for i in calls(run, "writev", "REQ")),
         "nothing was stored")


def skewed(run, seconds):
    """Requests begin before what caused them, by so much; links hold."""
    found = [i for i in run.of("REQ") if i.parent]
    need(found and not run.orphans, "no links")
    for i in found:
        early = run.tokens[i.parent].start - i.start
        need(0 < early <= int(seconds) * SECOND, i.token, early)


def c6(run, size):
    """Small calls: one of each."""
    c1(run)
    for i in calls(run, "writev"):
        need(attribute(i, "size") == size, attribute(i, "size"))
    need(len(calls(run, "writev")) == len(calls(run, "writev", "FLOW")), "parts")


def failed(run, fop, error):
    """An operation that fails says why, from the storage up to the client."""
    for layer in ("CLIENT", "FLOW", "BMI", "REQ"):
        need(any(attribute(i, "error") == error or
                 attribute(i, "errno") == error for i in calls(run, fop, layer)),
             layer, [i.states[0].attributes for i in calls(run, fop, layer)][:2])


# ---- Gauges ------------------------------------------------------------------

def g1(run):
    """Each begins and ends at 0, and is never below."""
    for place, layers in gauges(run.prefix).items():
        for layer, gauge in layers.items():
            numbers = gauge.numbers()
            need(numbers[0] == 0 and numbers[-1] == 0 and min(numbers) >= 0,
                 place, layer, numbers[0], numbers[-1], min(numbers))


def g2(run, clients, blocks, threads):
    """While the storage is shut: so many calls of so many blocks, of which so
    many are at work. io-threads begins a thread when more requests wait than it
    has threads, so there are all of them."""
    clients, blocks, threads = map(int, (clients, blocks, threads))
    total = clients * blocks
    trove = next(iter(nodes(run, "TROVE").values()))
    # It holds for longest: from the last request until it is opened.
    begin, shut, number = max(trove.parts, key=lambda i: (i[2] == threads) *
                              (i[1] - i[0]))
    found = [sum(at(i, shut) for i in nodes(run, layer).values())
             for layer in ("CLIENT", "FLOW", "BMI", "REQ", "BREQ", "TROVE")]
    print("CLIENT, FLOW, BMI, REQ, BREQ, TROVE:", *found)
    need(found == [clients, total, total, total, total - threads, threads],
         found)


def g3(run):
    """What waits for a thread and what is stored is what is asked for."""
    for layers in gauges(run.prefix).values():
        if "REQ" not in layers:
            continue
        changes = sorted({part[1] for i in ("REQ", "BREQ", "TROVE")
                          for part in layers[i].parts})
        place = dict.fromkeys(("REQ", "BREQ", "TROVE"), 0)
        for end in changes:
            now = {}
            for i in place:
                parts = layers[i].parts
                while place[i] + 1 < len(parts) and parts[place[i]][1] < end:
                    place[i] += 1
                begin, until, number = parts[place[i]]
                now[i] = number if begin < end <= until else 0
            need(now["BREQ"] + now["TROVE"] <= now["REQ"], end, now)


def g5(run, layer):
    """The integral of a gauge is the sum of what its relations lasted."""
    wanted = sum(i.end - i.start for i in run.of(layer))
    found = sum(i.integral() for i in nodes(run, layer).values())
    print(layer, found / SECOND, "s by the gauge,", wanted / SECOND,
          "s by relations")
    need(wanted > 0 and abs(found - wanted) <= wanted / 100, found / wanted)


def span(run, layer, fop):
    """From when to when a layer had an operation, a second more at both ends."""
    found = calls(run, fop, layer)
    print(min(i.start for i in found) // SECOND - 1,
          max(i.end for i in found) // SECOND + 2)


def locks(run, number):
    """All that asked for a lock but the one that has it wait."""
    found = max(max(i.numbers()) for i in nodes(run, "LOCK").values())
    need(found == int(number), found)


# ---- Projects ----------------------------------------------------------------

def k4(run):
    """The project names the files that are there, and no others."""
    directory = os.path.dirname(run.prefix)
    tree = xml.etree.ElementTree.parse(run.prefix + ".proj")
    there = {i for i in os.listdir(directory) if i.endswith((".rel", ".stat"))}
    texts = {node.attrib.get("name") for node in tree.iter()}
    for i in there:
        labels = set(i.rsplit(".", 1)[0].split("_")[1:-1])
        need(labels <= texts, i, "is not in the project")
    print(len(there), "files")


def means(prefix, layer):
    """Of each node with this layer the mean of its pending operations, over the
    time of all."""
    found = {place[len(prefix) + 1:].split("_")[1]: layers[layer]
             for place, layers in gauges(prefix).items() if layer in layers}
    begin = min(i.parts[0][0] for i in found.values())
    end = max(i.parts[-1][1] for i in found.values())
    return {node: i.integral() / (end - begin) for node, i in found.items()}


def slowest(run, layer, node, factor):
    """A node has so many times as many operations pending as the median of the
    others."""
    found = means(run.prefix, layer)
    print(found)
    others = statistics.median(mean for i, mean in found.items() if i != node)
    need(found[node] > float(factor) * others, found[node], "and", others)


if __name__ == "__main__":
    if sys.argv[1] == "points":
        points(globals(), Run(sys.argv[2]))
    else:
        globals()[sys.argv[1]](Run(sys.argv[2]), *sys.argv[3:])
