#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Graphs from WfFormat and DOT, and for METIS, against readers of our own.

    imports.py wfformat FILE.json GRAPH.xml COSTS.xml
    imports.py dot FILE.dot GRAPH.xml COSTS.xml SPEED
    imports.py random HDPREDICT DIRECTORY SEED COUNT
    imports.py metis FILE.metis GRAPH.xml [RESOURCES.xml]
    imports.py cut FILE.metis PARTITION EDGECUT
    imports.py placed GRAPH.xml PARTITION nodes|pes
"""
import json
import math
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter


# ---- What hdpredict wrote ----------------------------------------------------

class Graph:
    """Tasks with their variables, and dependencies with their bytes."""

    def __init__(self, path):
        root = ElementTree.parse(path).getroot()
        self.ports = {}
        for kernel in root.iter("kernel"):
            self.ports[kernel.get("id")] = {
                port.get("id"): port.get("size")
                for kind in ("input", "output") for port in kernel.iter(kind)
            }
        self.kernel = {}
        self.values = {}
        self.place = {}
        self.times = {}
        for task in root.iter("task"):
            name = task.get("id")
            assert name not in self.kernel, name
            self.kernel[name] = task.get("kernel")
            self.values[name] = {
                a.get("var"): float(a.get("val")) for a in task.iter("assign")
            }
            for place in task.iter("map"):
                self.place[name] = place.get("pe")
            for time in task.iter("measured"):
                self.times[name] = float(time.get("end")) - float(time.get("start"))
        self.tasks = list(self.kernel)
        self.edges = []
        self.datasets = []
        for d in root.iter("dependency"):
            before, after = d.get("predecessor"), d.get("successor")
            size = self.size(before, d.get("src"))
            assert size == self.size(after, d.get("dest")), (before, after)
            self.edges.append((before, after, size))
            self.datasets.append((before, d.get("src")))

    def size(self, task, port):
        """Bytes of a port of a task."""
        text = self.ports[self.kernel[task]][port]
        assert re.fullmatch(r"[\w+*/(). -]+", text), text
        return float(eval(text, {"__builtins__": {}}, self.values[task]))


def costs(path, graph):
    """Time and energy of each task by a resource model; most conditions win."""
    entries = {}
    for entry in ElementTree.parse(path).getroot().iter("entry"):
        conditions = {a.get("var"): float(a.get("val")) for a in entry.iter("assign")}
        entries.setdefault(entry.get("kernel"), []).append(
            (conditions, float(entry.get("time")), float(entry.get("energy"))))
    result = {}
    for task in graph.tasks:
        fits = [e for e in entries[graph.kernel[task]]
                if all(graph.values[task].get(v) == x for v, x in e[0].items())]
        assert fits, task
        most = max(len(e[0]) for e in fits)
        fits = [e for e in fits if len(e[0]) == most]
        assert len(fits) == 1, task
        result[task] = fits[0][1:]
    return result


def check(what, found, wanted):
    """Say how two multisets differ."""
    found, wanted = Counter(found), Counter(wanted)
    if found != wanted:
        print(f"{what}: too many {list((found - wanted).items())[:5]}, "
              f"missing {list((wanted - found).items())[:5]}")
        sys.exit(1)


def near(a, b):
    """Equal but for rounding."""
    return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-300)


# ---- WfFormat ----------------------------------------------------------------

def closure(orders):
    """Pairs of tasks of which one comes before the other, directly or not."""
    after = {}
    for a, b in orders:
        after.setdefault(a, set()).add(b)
    result = set()
    for start in after:
        rest = list(after[start])
        while rest:
            task = rest.pop()
            if (start, task) not in result:
                result.add((start, task))
                rest += after.get(task, ())
    return result


def wfformat(document):
    """Names, runs and edges of a workflow."""
    workflow = document["workflow"]
    if document["schemaVersion"] == "1.4":
        tasks = workflow["tasks"]
        names = [t.get("name") for t in tasks]
        key = "name" if None not in names and len(set(names)) == len(names) else "id"
        other = "id" if key == "name" else "name"
        alias = {}
        for t in tasks:
            if other in t:
                alias.setdefault(t[other], t[key])
        runs = {t[key]: (t.get("runtimeInSeconds"), t.get("energy"), t.get("avgPower"))
                for t in tasks}
        sizes, writers = {}, {}
        for kind in ("input", "output"):
            for t in tasks:
                for f in t.get("files") or []:
                    if f["link"] == kind:
                        name = f.get("path", "") + f.get("name", f.get("id"))
                        if kind == "output" and name not in writers:
                            sizes[name] = f["sizeInBytes"]
                        if kind == "output":
                            writers.setdefault(name, [])
                            if t[key] not in writers[name]:
                                writers[name].append(t[key])
                        sizes.setdefault(name, f["sizeInBytes"])
        reads = [(t[key], f.get("path", "") + f.get("name", f.get("id")))
                 for t in tasks for f in t.get("files") or [] if f["link"] == "input"]
    else:
        tasks = workflow["specification"]["tasks"]
        key = "id"
        alias = {}
        runs = {t["id"]: (t["runtimeInSeconds"], t.get("energyInKWh"), t.get("avgPowerInW"))
                for t in workflow.get("execution", {}).get("tasks", [])}
        sizes = {f["id"]: f["sizeInBytes"] for f in workflow["specification"].get("files", [])}
        writers = {}
        for t in tasks:
            for f in t.get("outputFiles") or []:
                writers.setdefault(f, [])
                if t["id"] not in writers[f]:
                    writers[f].append(t["id"])
        reads = [(t["id"], f) for t in tasks for f in t.get("inputFiles") or []]
    own = {t[key] for t in tasks}
    orders = set()
    for t in tasks:
        for p in t.get("parents") or []:
            orders.add((p if p in own else alias[p], t[key]))
        for c in t.get("children") or []:
            orders.add((t[key], c if c in own else alias[c]))
    comes = closure(orders)
    edges, linked = [], set()
    for reader, name in dict.fromkeys(reads):
        wrote = [w for w in writers.get(name, []) if w != reader]
        before = [w for w in wrote if (w, reader) in comes]
        others = [w for w in before if not any((w, x) in comes for x in before)]
        others = others or [w for w in wrote if (reader, w) not in comes]
        for w in others:
            edges.append((w, reader, float(sizes[name])))
            linked.add((w, reader))
    edges += [(a, b, 0.0) for a, b in orders - linked]
    return [t[key] for t in tasks], runs, edges


def compare_wfformat(path, xml, resources):
    """Whether the graph and the costs are those of the file."""
    with open(path, encoding="utf-8") as file:
        tasks, runs, edges = wfformat(json.load(file))
    graph = Graph(xml)
    assert graph.tasks == tasks, (graph.tasks[:9], tasks[:9])
    check("dependencies", graph.edges, edges)
    if not resources:
        return
    found = costs(resources, graph)
    for task in tasks:
        time, kwh, power = runs[task]
        energy = kwh * 3.6e6 if kwh is not None else power * time if power is not None else 0
        assert near(found[task][0], time) and near(found[task][1], energy), (task, found[task])


# ---- DOT ---------------------------------------------------------------------

TOKEN = re.compile(r"""\s+|//[^\n]*|/\*.*?\*/|^\#[^\n]*|
    (?P<id>[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*|-?(?:\.\d+|\d+(?:\.\d*)?)|"(?:\\.|[^"\\])*"|<(?:[^<>]|<[^<>]*>)*>)|
    (?P<mark>->|[{}\[\];,=:])""", re.VERBOSE | re.DOTALL | re.MULTILINE)


class Dot:
    """A small reader of DOT: nodes, edges, defaults, subgraphs, ports."""

    def __init__(self, text):
        self.tokens = []
        at = 0
        while at < len(text):
            match = TOKEN.match(text, at)
            assert match, text[at:at + 20]
            at = match.end()
            if match.group("id"):
                word = match.group("id")
                if word[0] == '"':
                    word = re.sub(r'\\"', '"', word[1:-1]).replace("\\\n", "")
                elif word[0] == "<":
                    word = word[1:-1]
                self.tokens.append(("id", word, match.group("id")[0] in '"<'))
            elif match.group("mark"):
                self.tokens.append((match.group("mark"), None, False))
        self.at = 0
        self.nodes = {}
        self.edges = []
        self.strict = self.word("strict")
        assert self.word("digraph")
        if self.peek() == "id":
            self.take()
        self.body({}, {})
        assert self.at == len(self.tokens)

    def peek(self):
        return self.tokens[self.at][0] if self.at < len(self.tokens) else None

    def take(self, kind=None):
        token = self.tokens[self.at]
        assert kind in (None, token[0]), (kind, token)
        self.at += 1
        return token[1]

    def word(self, word):
        if self.peek() != "id":
            return False
        kind, text, quoted = self.tokens[self.at]
        if quoted or text.lower() != word:
            return False
        self.at += 1
        return True

    def attributes(self):
        result = {}
        while self.peek() == "[":
            self.take()
            while self.peek() != "]":
                key = self.take("id")
                if self.peek() == "=":
                    self.take()
                    result[key] = self.take("id")
                else:
                    result[key] = "true"
                if self.peek() in (";", ","):
                    self.take()
            self.take()
        return result

    def body(self, node, edge):
        """Statements in braces; returns their nodes."""
        node, edge, seen = dict(node), dict(edge), []
        self.take("{")
        while self.peek() != "}":
            if self.peek() == ";":
                self.take()
            elif self.word("node"):
                node.update(self.attributes())
            elif self.word("edge"):
                edge.update(self.attributes())
            elif self.word("graph"):
                self.attributes()
            elif (self.peek() == "id" and self.at + 1 < len(self.tokens)
                  and self.tokens[self.at + 1][0] == "="):
                self.at += 2
                self.take("id")
            else:
                seen += self.chain(node, edge)
        self.take("}")
        return list(dict.fromkeys(seen))

    def end(self, node, edge):
        """A node or a subgraph: its nodes, and the name of a single node."""
        if self.word("subgraph"):
            if self.peek() == "id":
                self.take()
            return self.body(node, edge), None
        if self.peek() == "{":
            return self.body(node, edge), None
        name = self.take("id")
        while self.peek() == ":":
            self.take()
            self.take("id")
        self.nodes.setdefault(name, dict(node))
        return [name], name

    def chain(self, node, edge):
        first, name = self.end(node, edge)
        ends = [first]
        while self.peek() == "->":
            self.take()
            ends.append(self.end(node, edge)[0])
        own = self.attributes()
        if len(ends) == 1 and name is not None:
            self.nodes[name].update(own)
        for tails, heads in zip(ends, ends[1:]):
            for tail in tails:
                for head in heads:
                    same = [e for e in self.edges if e[:2] == (tail, head)]
                    if self.strict and same:
                        same[0][2].update(own)
                    else:
                        self.edges.append((tail, head, {**edge, **own}))
        return [n for end in ends for n in end]


def compare_dot(path, xml, resources, speed):
    """Whether the graph and the costs are those of the file."""
    with open(path, encoding="utf-8") as file:
        dot = Dot(file.read())
    graph = Graph(xml)
    check("tasks", graph.tasks, list(dot.nodes))
    check("dependencies", graph.edges,
          [(a, b, float(math.ceil(float(e.get("size", 0))))) for a, b, e in dot.edges])
    if not resources:
        return
    found = costs(resources, graph)
    for name, node in dot.nodes.items():
        assert near(found[name][0], float(node.get("size", 0)) / float(speed)), (name, found[name])


# ---- Random files ------------------------------------------------------------

def random_wfformat(chance, version):
    """A workflow; tasks in any order, files of several readers, and none."""
    count = chance.randint(1, 12)
    names = [f"t{i}" for i in range(count)]
    parents = {n: set() for n in names}
    files, outputs, inputs = {}, {n: [] for n in names}, {n: [] for n in names}
    for i, name in enumerate(names):
        for k in range(chance.randint(0, 3)):
            file = f"f{i}_{k}"
            files[file] = chance.choice([0, 1, chance.randrange(10**9), chance.randrange(10**14)])
            outputs[name].append(file)
        for p in chance.sample(names[:i], min(i, chance.randint(0, 3))):
            if chance.random() < 0.6:
                parents[name].add(p)
            for file in chance.sample(outputs[p], chance.randint(0, len(outputs[p]))):
                inputs[name].append(file)
        if chance.random() < 0.3:
            files[f"in{i}"] = chance.randrange(1000)
            inputs[name].append(f"in{i}")
    orders = [(p, n) for n in names for p in sorted(parents[n])]
    said = {n: ([], []) for n in names}
    for p, n in orders:
        way = chance.randrange(3)
        if way != 1:
            said[n][0].append(p)
        if way != 0:
            said[p][1].append(n)
    shuffled = chance.sample(names, count)
    times = {n: chance.choice([0, 1, 2.5, round(chance.random() * 1e4, 3)]) for n in names}
    power = {n: round(chance.random() * 100, 2) for n in names if chance.random() < 0.4}
    kwh = {n: round(chance.random(), 4) for n in names if chance.random() < 0.2}
    kernels = {n: chance.choice(["a b", "a_b", "bin/sort", "x"]) for n in names}
    if version == "1.4":
        tasks = []
        for n in shuffled:
            task = {"name": n, "runtimeInSeconds": times[n], "category": kernels[n],
                    "parents": said[n][0], "children": said[n][1], "cores": 1,
                    "files": [{"link": "input", "name": f, "sizeInBytes": files[f]}
                              for f in inputs[n]] +
                             [{"link": "output", "name": f, "sizeInBytes": files[f]}
                              for f in outputs[n]]}
            if n in power:
                task["avgPower"] = power[n]
            if n in kwh:
                task["energy"] = kwh[n]
            if chance.random() < 0.2:
                del task[chance.choice(["parents", "children"])]
            tasks.append(task)
        return {"name": "w", "schemaVersion": version, "workflow": {"tasks": tasks}}
    specification, execution = [], []
    for n in shuffled:
        specification.append({"name": n, "id": n, "parents": said[n][0], "children": said[n][1],
                              "inputFiles": inputs[n], "outputFiles": outputs[n]})
        run = {"id": n, "runtimeInSeconds": times[n], "command": {"program": kernels[n]}}
        if n in power:
            run["avgPowerInW"] = power[n]
        if n in kwh:
            run["energyInKWh"] = kwh[n]
        execution.append(run)
    chance.shuffle(execution)
    return {"name": "w", "schemaVersion": version, "workflow": {
        "specification": {"tasks": specification,
                          "files": [{"id": f, "sizeInBytes": s} for f, s in files.items()]},
        "execution": {"makespanInSeconds": 1, "executedAt": "now", "tasks": execution}}}


def random_dot(chance):
    """A graph without cycles, with all that statements may be."""
    names = [f"n{i}" for i in range(chance.randint(2, 12))]
    lines = [("strict " if chance.random() < 0.3 else "") + "digraph g {"]

    def quoted(name):
        return chance.choice([name, f'"{name}"', f"<{name}>"])

    def size():
        return f"size={chance.choice([0, 1, 7, 1000, 123456789])}"

    def group(some):
        if len(some) == 1 and chance.random() < 0.7:
            return quoted(some[0]) + chance.choice(["", ":p", ":p:n"])
        inside = "; ".join(quoted(n) for n in some)
        if chance.random() < 0.3:
            inside = f"edge [{size()}]; " + inside
        if len(some) > 1 and chance.random() < 0.3:
            inside += f"; {some[0]} -> {some[1]}"
        return chance.choice(["", "subgraph ", f"subgraph s{chance.randrange(3)} "]) + \
            "{" + inside + "}"

    for _ in range(chance.randint(1, 8)):
        way = chance.randrange(6)
        if way == 0:
            lines.append(f"node [{size()}]")
        elif way == 1:
            lines.append(f"edge [{size()}] // a comment")
        elif way == 2:
            lines.append(f"{quoted(chance.choice(names))} [{size()}, color=red];")
        elif way == 3:
            lines.append(f"/* {chance.random()} */ rankdir=LR;")
        else:
            cuts = sorted(chance.sample(range(1, len(names)),
                                        min(len(names) - 1, chance.randint(1, 3))))
            parts = [names[a:b] for a, b in zip([0] + cuts, cuts + [len(names)])]
            chain = " -> ".join(group(chance.sample(p, chance.randint(1, min(3, len(p)))))
                                for p in (sorted(part) for part in parts))
            lines.append(chain + chance.choice(["", f" [{size()}]"]) + ";")
    return "\n".join(lines + ["}"]) + "\n"


def sorted_subgraphs(text):
    """Whether named subgraphs are said once: what else they mean is another matter."""
    return all(text.count(f"subgraph s{i} ") < 2 for i in range(3))


def random_files(hdpredict, directory, seed, count):
    """Convert random files, and compare what came of them."""
    for number in range(seed, seed + count):
        chance = random.Random(number)
        way = number % 3
        if way < 2:
            path = f"{directory}/random.json"
            text = json.dumps(random_wfformat(chance, ("1.4", "1.5")[way]))
        else:
            path = f"{directory}/random.dot"
            text = random_dot(chance)
            while not sorted_subgraphs(text):
                text = random_dot(chance)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        xml, resources = f"{directory}/random.xml", f"{directory}/costs.xml"
        run = subprocess.run(
            [hdpredict, "convert", "--to=xml", path, "-o", xml, "--costs", resources] +
            (["--speed=1e8"] if way == 2 else []), capture_output=True, text=True, check=False)
        try:
            if run.returncode == 1 and "form a cycle" in run.stderr:
                edges = [e[:2] for e in
                         (Dot(text).edges if way == 2 else wfformat(json.loads(text))[2])]
                assert has_cycle(edges), "no cycle"
                continue
            assert run.returncode == 0, run.stderr
            if way < 2:
                compare_wfformat(path, xml, resources)
            else:
                compare_dot(path, xml, resources, 1e8)
        except (AssertionError, SystemExit):
            print(f"seed {number}:\n{text}\n{run.stderr}")
            raise


def has_cycle(edges):
    """Whether there is a cycle, by taking away what nothing leads to."""
    edges = set(edges)
    while True:
        heads = {b for _, b in edges}
        rest = {e for e in edges if e[0] in heads}
        if rest == edges:
            return bool(edges)
        edges = rest


# ---- METIS -------------------------------------------------------------------

def read_metis(path):
    """Weights of vertices, edges with weights, and the factors in comments."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    factors = {w: float(x) for line in lines if line.startswith("%")
               for w, x in re.findall(r"weights of (\w+): .*multiplied by (\S+)", line)}
    lines = [line for line in lines[:-1] if not line.startswith("%")]
    count, edge_count, form = lines[0].split()
    assert form == "011" and len(lines) == int(count) + 1
    weights, edges = [], {}
    for i, line in enumerate(lines[1:]):
        numbers = [int(x) for x in line.split()]
        weights.append(numbers[0])
        for j, weight in zip(numbers[1::2], numbers[2::2]):
            assert 1 <= j <= int(count) and j != i + 1 and weight >= 1
            assert (i, j - 1) not in edges, "parallel edges"
            edges[i, j - 1] = weight
    assert all(edges[j, i] == w for (i, j), w in edges.items()), "not symmetrical"
    assert len(edges) == 2 * int(edge_count)
    assert sum(weights) < 2**31 and sum(edges.values()) < 2**31
    return weights, edges, factors


def compare_metis(path, xml, resources):
    """Whether it is the graph, with weights that are scaled and rounded."""
    weights, edges, factors = read_metis(path)
    graph = Graph(xml)
    number = {name: i for i, name in enumerate(graph.tasks)}
    if resources:
        times = {t: c[0] for t, c in costs(resources, graph).items()}
    else:
        times = graph.times or {t: 1 for t in graph.tasks}
    factor = factors.get("vertices", 1)
    assert len(weights) == len(number)
    for name, i in number.items():
        assert abs(weights[i] - times[name] * factor) <= 0.5 + 1e-6 * weights[i], name
    wanted = Counter()
    for a, b, size in graph.edges:
        wanted[number[a], number[b]] += size
        wanted[number[b], number[a]] += size
    assert set(wanted) == set(edges)
    for pair, weight in wanted.items():
        assert edges[pair] == max(1, math.floor(weight * factors["edges"] + 0.5)), pair


def compare_cut(path, partition, cut):
    """Whether the cut that was said is that of the partition."""
    _, edges, _ = read_metis(path)
    with open(partition, encoding="utf-8") as file:
        parts = [int(line) for line in file]
    found = sum(w for (i, j), w in edges.items() if i < j and parts[i] != parts[j])
    assert found == int(cut), (found, cut)


def compare_placed(xml, partition, what):
    """Whether each task is on the node, or PE, of its part."""
    graph = Graph(xml)
    with open(partition, encoding="utf-8") as file:
        parts = [int(line) for line in file]
    pes = 2
    for task, part in zip(graph.tasks, parts):
        node, pe = graph.place[task][1:].split(".")
        found = int(node) if what == "nodes" else int(node) * pes + int(pe)
        assert found == part, (task, graph.place[task], part)


if __name__ == "__main__":
    what, rest = sys.argv[1], sys.argv[2:]
    if what == "wfformat":
        compare_wfformat(*rest)
    elif what == "dot":
        compare_dot(*rest)
    elif what == "random":
        random_files(rest[0], rest[1], int(rest[2]), int(rest[3]))
    elif what == "metis":
        compare_metis(rest[0], rest[1], rest[2] if len(rest) > 2 else None)
    elif what == "cut":
        compare_cut(*rest)
    elif what == "placed":
        compare_placed(*rest)
    else:
        sys.exit(__doc__)
