#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes a project of relations by chance, and finds its critical path.

    relationpath.py make SEED       writes p.proj, p_*.rel, and path.json
    relationpath.py compare REPORT  whether hdtrace report says the same

No time occurs twice, so that nothing depends on an order. The path is found by the
words of doc/critical-path.md, from what was made; nothing of HDTrace is read.
"""
import json
import random
import sys

NODES = ["A_c_X", "A_c_Y", "B_s_X", "B_s_Y", "C_s_X"]


def make(seed):
    chance = random.Random(seed)
    used = set()

    def between(low, high):
        while True:
            time = chance.randint(low, high)
            if time not in used:
                used.add(time)
                return time

    relations = []

    def add(node, start, end, parent):
        number = len(relations)
        states, at = [], start
        for k in range(chance.randint(0, 3)):
            if end - at < 100:
                break
            first = between(at, end - 50)
            last = between(first, end)
            states.append(("s%d" % chance.randint(0, 3), first, last))
            at = last
        relations.append(dict(node=node, start=start, end=end, parent=parent,
                              states=states))
        return number

    now = 0
    for _ in range(chance.randint(1, 4)):
        start = between(now, now + 10 ** 6)
        end = between(start + 10 ** 6, start + 10 ** 8)
        todo = [add(NODES[0], start, end, None)]
        for _ in range(chance.randint(0, 40)):
            parent = chance.choice(todo)
            of = relations[parent]
            if of["end"] - of["start"] < 1000:
                continue
            first = between(of["start"], of["end"])
            # Some go on after who caused them.
            last = between(first, of["end"] + (
                10 ** 6 if chance.random() < 0.1 else 0))
            todo.append(add(chance.choice(NODES[1:]), first, last, parent))
        now = end
    write(relations)
    with open("path.json", "w") as file:
        json.dump(find(relations), file)


def text(time):
    return "%d.%06d000" % (time // 10 ** 6, time % 10 ** 6)


def write(relations):
    tree = {}
    for node in NODES:
        host, process, part = node.split("_")
        tree.setdefault(host, {}).setdefault(process, []).append(part)
    with open("p.proj", "w") as file:
        file.write('<Application name="p"><Topology><Level type="Host"/>'
                   '<Level type="Process"/><Level type="Part"/>')
        for host, processes in tree.items():
            file.write('<Node name="%s">' % host)
            for process, parts in processes.items():
                file.write('<Node name="%s">' % process)
                file.write("".join('<Node name="%s"/>' % part
                                   for part in parts))
                file.write("</Node>")
            file.write("</Node>")
        file.write("</Topology></Application>\n")
    for index, node in enumerate(NODES):
        elements = []
        for number, one in enumerate(relations):
            if one["node"] != node:
                continue
            parent = ""
            if one["parent"] is not None:
                of = NODES.index(relations[one["parent"]]["node"])
                parent = ' r="%s:1:%d:%d"' % (NODES[of].split("_")[0], of,
                                              one["parent"])
            elements.append((one["start"], 0, '<rel t="%d" time="%s"%s/>' % (
                number, text(one["start"]), parent)))
            for name, first, last in one["states"]:
                elements.append((first, 1, '<s name="%s" t="%d" time="%s"/>' % (
                    name, number, text(first))))
                elements.append((last, 2, '<e t="%d" time="%s"/>' % (
                    number, text(last))))
            elements.append((one["end"], 3, '<un t="%d" time="%s"/>' % (
                number, text(one["end"]))))
        if not elements:
            continue
        with open("p_%s.rel" % node, "w") as file:
            file.write('<relation version="1" hostID="%s" localToken="1" '
                       'topologyNumber="%d" timeAdjustment="1000000000">\n'
                       % (node.split("_")[0], index))
            file.write("".join(e[2] for e in sorted(elements)))
            file.write("</relation>")


def find(relations):
    """Seconds by node and by state, from the end backwards."""
    children = {}
    for number, one in enumerate(relations):
        children.setdefault(one["parent"], []).append(number)
    roots = sorted(children[None], key=lambda r: relations[r]["start"])
    nodes, states = {}, {}

    def spend(number, start, end):
        one = relations[number]
        nodes[one["node"]] = nodes.get(one["node"], 0) + end - start
        left = end - start
        for name, first, last in one["states"]:
            inside = max(0, min(last, end) - max(first, start))
            states[name] = states.get(name, 0) + inside
            left -= inside
        states["(no state)"] = states.get("(no state)", 0) + left

    at = max(range(len(relations)), key=lambda r: relations[r]["end"])
    time = relations[at]["end"]
    last = time
    while True:
        one = relations[at]
        ended = [c for c in children.get(at, [])
                 if relations[c]["end"] <= min(time, one["end"])]
        if ended:
            child = max(ended, key=lambda c: relations[c]["end"])
            spend(at, relations[child]["end"], time)
            at, time = child, relations[child]["end"]
            continue
        before = one["parent"]
        if before is None:
            index = roots.index(at)
            before = roots[index - 1] if index else None
        if before is None:
            spend(at, one["start"], time)
            return dict(length=last - one["start"], nodes=nodes, states=states)
        cause = min(one["start"], relations[before]["end"])
        spend(at, cause, time)
        at, time = before, cause


def compare(report):
    with open(report) as file:
        path = json.load(file)["critical_path"]
    with open("path.json") as file:
        wanted = json.load(file)
    found = dict(
        length=path["length_s"],
        nodes={n["node"]: n["time_s"] for n in path["by_node"]},
        states={s["name"]: s["time_s"] for s in path["by_state"]})
    for key in "nodes", "states":
        for name in set(found[key]) | {n for n, t in wanted[key].items() if t}:
            mine = wanted[key].get(name, 0) / 1e6
            theirs = found[key].get(name, 0)
            if abs(mine - theirs) > 2e-6:
                sys.exit("%s %s: %s, not %s" % (key, name, theirs, mine))
    if abs(found["length"] - wanted["length"] / 1e6) > 2e-6:
        sys.exit("length: %s, not %s" % (found["length"], wanted["length"]))


if sys.argv[1] == "make":
    make(int(sys.argv[2]))
else:
    compare(sys.argv[2])
