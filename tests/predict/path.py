#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether the critical path of predicted projects is one.

usage: path.py HDPREDICT HDTRACE DIRECTORY FIRST COUNT

Models are those of compare.py; in a third of them tasks and messages have to
wait for memory as well. The path that hdtrace report finds must be as long as
the makespan, to 1e-9 s, and without any wait; but where memory is waited for,
each activity on it must be one that the next one could not begin before: that is
found anew here, from the models and the traces.
"""
import decimal
import glob
import json
import os
import random
import subprocess
import sys
import xml.etree.ElementTree as ET

import compare
import oracle

WAITS = ("Waitall", "Blocked", "(no state)")


def nanoseconds(text):
    return int(decimal.Decimal(text).scaleb(9))


def traces_of(project):
    """Names of the files of traces, in the order of the project."""
    root = ET.parse(project + ".proj").getroot()
    found = []

    def walk(node, labels):
        if len(labels) == 3:
            found.append("_".join([project, *labels]) + ".trc")
        for e in node.findall("Node"):
            walk(e, labels + [e.get("name")])
    walk(root.find("Topology"), [])
    return found


def read_trace(path):
    """(start, end, name, attributes) of each state, in ns."""
    root = ET.parse(path).getroot()
    base = nanoseconds(root.get("timeAdjustment"))
    return [(base + nanoseconds(e.get("time")), base + nanoseconds(e.get("end")), e.tag, e.attrib)
            for e in root if e.get("end") is not None]


class Constraints:
    """What could not begin before what."""

    def __init__(self, graph, platform, traces, exclusive):
        tasks, edges = oracle.read_graph(graph)
        pes, _, _, path_of = oracle.read_platform(platform)
        servers = {t: pes[tasks[t]["pe"].split(",")[0]][0] for t in tasks}
        sets = [(t, o) for t in tasks for o in tasks[t]["sizes"]]
        ranks = [pes[p][0] for p in pes]
        self.spans, self.where, self.before = {}, {}, {}
        for number, states in enumerate(traces):
            last = None
            for start, end, name, about in states:
                key = None
                if "task" in about:
                    key = about["task"]
                elif name == "Bsend":
                    producer, output = sets[int(about["toTag"])]
                    target = ranks[int(about["toRank"])]
                    key = (producer, output, target)
                    self.before[key] = [producer]
                if key is None:
                    continue
                self.spans[key] = (start, end)
                self.where.setdefault(number, []).append(key)
                self.before.setdefault(key, [])
                if last is not None and "task" in about:
                    self.before[key].append(last)
                last = key
        for p, o, s in edges:
            local = servers[p] == servers[s]
            self.before[s].append(p if local else (p, o, servers[s]))
        messages = [k for k in self.spans if isinstance(k, tuple)]
        paths = {}
        for k in messages:
            way = (servers[k[0]], k[2])
            paths.setdefault(way, frozenset(path_of(*way)))
        for k in messages if exclusive else ():
            mine = paths[servers[k[0]], k[2]]
            self.before[k] += [m for m in messages if m != k
                               and self.spans[m][1] == self.spans[k][0]
                               and mine & paths[servers[m[0]], m[2]]]

    def allows(self, before, after):
        """Whether one ends at the moment in which the other can begin."""
        when, todo, seen = self.spans[after][0], [after], set()
        while todo:
            for key in self.before[todo.pop()]:
                if key in seen or self.spans[key][1] != when:
                    continue
                if key == before:
                    return True
                seen.add(key)
                if self.spans[key][0] == when:
                    todo.append(key)
        return False

    def on_path(self, parts):
        """Activities on the path that take time, by time."""
        found = []
        for part in parts:
            start, end = nanoseconds(part["start_s"]), nanoseconds(part["end_s"])
            found += [k for k in self.where.get(part["trace"], ())
                      if self.spans[k][0] < self.spans[k][1]
                      and self.spans[k][0] < end and self.spans[k][1] > start]
        return found


def check(names, project, exclusive, delays, makespan, report, problems):
    path = report["critical_path"]
    if makespan == 0:
        return
    off = abs(path["length_s"] - decimal.Decimal(makespan))
    if off > decimal.Decimal("1e-9"):
        problems.append(f"path {path['length_s']}, makespan {makespan}")
    waits = [s["name"] for s in path["by_state"] if s["name"] in WAITS]
    if waits:
        problems.append(f"{waits} on the path")
    if delays or problems:
        return
    files = traces_of(project)
    if sorted(files) != sorted(glob.glob(glob.escape(project) + "_*.trc")):
        problems.append("files of traces")
        return
    known = Constraints(*names[:2], [read_trace(f) for f in files], exclusive)
    on_path = known.on_path(path["parts"])
    for a, b in zip(on_path, on_path[1:]):
        if known.spans[a][1] != known.spans[b][0] or not known.allows(a, b):
            problems.append(f"{b} need not come after {a}")
    if not on_path or known.spans[on_path[0]][0] != nanoseconds(report["start_s"]):
        problems.append("the path does not begin at 0")


def one(hdpredict, hdtrace, directory, seed, problems):
    rng = random.Random(seed)
    exact = rng.random() < 0.5
    platform, pes = compare.make_platform(rng, exact)
    costs = {}
    graph = compare.make_graph(rng, pes, costs, rng.choice((5, 30, 30, 300)))
    delays = seed % 3 == 0
    if delays:
        room = rng.choice((2000, 10000, 400000, 4000000))
        platform = [e.replace('size="1e12"', f'size="{room}" full="delay"') for e in platform]
    names = [f"{directory}/{n}.xml" for n in ("graph", "platform", "resources")]
    for name, lines in zip(names, (graph, platform, compare.make_resources(rng, costs, exact))):
        with open(name, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
    exclusive = rng.random() < 0.7
    project = f"{directory}/path"
    for old in glob.glob(glob.escape(project) + "[._]*"):
        os.remove(old)
    run = subprocess.run(
        [hdpredict, "simulate", names[0], "--platform", names[1], "--resources", names[2],
         "--comm", "exclusive" if exclusive else "share", "--format=json", "-o", project],
        capture_output=True, text=True, check=False)
    if run.returncode == 1 and "deadlock" in run.stderr:
        return "deadlock"
    if run.returncode != 0:
        problems.append(f"exit {run.returncode}: {run.stderr}")
        return "failed"
    report = subprocess.run([hdtrace, "report", "--format=json", project],
                            capture_output=True, text=True, check=False)
    if report.returncode != 0:
        problems.append(f"report: exit {report.returncode}: {report.stderr}")
        return "failed"
    check(names, project, exclusive, delays, json.loads(run.stdout)["makespan_s"],
          json.loads(report.stdout, parse_float=decimal.Decimal), problems)
    return ("share", "exclusive")[exclusive] + (" with delays" if delays else "")


def main():
    hdpredict, hdtrace, directory = sys.argv[1:4]
    first, count = int(sys.argv[4]), int(sys.argv[5])
    compare.run_all(lambda seed, problems: one(hdpredict, hdtrace, directory, seed, problems),
                    first, count)


if __name__ == "__main__":
    main()
