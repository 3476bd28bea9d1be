"""Whether two task graphs are the same but for mapping and times, by a parser of
Python's own, and whether times are what traces say: graph.py GRAPH BACK PROJECT.
Tasks have ids, so that an isomorphism is that of equal ids; the structure is
compared, too, without them."""
# SPDX-License-Identifier: LGPL-2.1-or-later
import collections
import glob
import hashlib
import sys
import xml.etree.ElementTree as ET

graph, back, project = sys.argv[1:]


def load(path):
    root = ET.parse(path).getroot()
    kernels = {k.get("id"): (k.get("class"), [(e.tag, sorted(e.attrib.items())) for e in k])
               for k in root.iter("kernel")}
    tasks = {t.get("id"): (t.get("kernel"), t.get("tile"),
                           sorted((a.get("var"), float(a.get("val"))) for a in t.iter("assign")))
             for t in root.iter("task")}
    edges = [(d.get("predecessor"), d.get("src"), d.get("successor"), d.get("dest"))
             for d in root.iter("dependency")]
    return root, kernels, tasks, edges


def colours(tasks, edges):
    """Weisfeiler and Lehman: colours that do not know of ids."""
    colour = {t: repr(about) for t, about in tasks.items()}
    for _ in range(6):
        near = collections.defaultdict(list)
        for p, src, s, dest in edges:
            near[s].append(("in", src, dest, colour[p]))
            near[p].append(("out", src, dest, colour[s]))
        colour = {t: hashlib.sha256(repr((c, sorted(near[t]))).encode()).hexdigest() for t, c in colour.items()}
    return sorted(colour.values())


_, kernels, tasks, edges = load(graph)
root, kernels_back, tasks_back, edges_back = load(back)
assert kernels == kernels_back, (kernels, kernels_back)
assert tasks == tasks_back and list(tasks) == list(tasks_back)
assert edges == edges_back and edges, "dependencies, and their order"
assert colours(tasks, edges) == colours(tasks_back, edges_back)
# Times, from the first state on.
states = {}
for path in glob.glob(f"{project}_*_*_*.trc"):
    for state in ET.parse(path).getroot().iter():
        if state.get("task") and state.get("pe"):
            states[state.get("task")] = (state.get("pe"), float(state.get("time")), float(state.get("end")))
first = min(start for _, start, _ in states.values())
order = collections.defaultdict(list)
for task in root.iter("task"):
    pe, start, end = states[task.get("id")]
    measured, mapped = task.find("measured"), task.find("map")
    assert mapped.get("pe") == pe
    assert abs(float(measured.get("start")) - (start - first)) < 1e-7, task.get("id")
    assert abs(float(measured.get("end")) - (end - first)) < 1e-7
    order[pe].append((int(mapped.get("priority")), start))
for places in order.values():
    places.sort()
    assert [p for p, _ in places] == list(range(len(places))) and places == sorted(places, key=lambda x: x[1])
assert len(states) == len(tasks)
