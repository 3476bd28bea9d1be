#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mappings against all mappings of small graphs.

usage: mapping.py HDPREDICT DIRECTORY FIRST COUNT

The simulator in Python (oracle.py) tries each assignment of tasks to PEs, with
tasks in the order of the file, and finds the least cost. Graphs have up to four
tasks, every fourth has up to eight, on up to three PEs. Many tasks may run on
several PEs: then each set of PEs is tried, too. Annealing has to find
the least cost, or less by another order, in 95 % of the graphs; it is never
worse than EFT; tasks that are mapped or pinned stay; equal seeds and steps give
equal mappings.
"""
import itertools
import json
import math
import random
import re
import subprocess
import sys

import compare
import oracle

COSTS = ("time", "energy", "edp", "energy at time<=")


def cost_of(kind, limit, result):
    time, energy = result["makespan_s"], result["energy_total_j"]
    if kind == "energy at time<=":
        return energy if time <= limit else float("inf")
    return {"time": time, "energy": energy, "edp": time * energy}[kind]


def write(name, lines):
    with open(name, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def least(kind, limit, names, order, choices):
    """The least cost of all assignments."""
    models = oracle.read(*names)
    tasks = models[0][0]
    found = float("inf")
    for pes in itertools.product(*choices):
        for i, (task, pe) in enumerate(zip(order, pes)):
            tasks[task]["pe"], tasks[task]["key"] = pe, (i, i)
        found = min(found, cost_of(kind, limit, oracle.run(models)))
    return found


def number_of(task):
    return int(re.search(r'id="t(\d+)"', task).group(1))


def kernel_of(task):
    return int(re.search(r'kernel="k(\d+)"', task).group(1))


def places(kernel, pes, costs):
    """All PEs, and sets of PEs of a node and architecture, that can run a kernel."""
    found = []
    for domain in dict.fromkeys(tuple(compare.peers_of(p, pes)) for p, _ in pes):
        counts = costs.get((kernel, dict(pes)[domain[0]]), ()) or {1}
        if (kernel, dict(pes)[domain[0]]) in costs:
            for count in sorted(counts):
                found += [",".join(team) for team in itertools.combinations(domain, count)]
    return found


def make_models(rng, names, most):
    """Write small models; the graph in a topological order, its tasks, and places by task."""
    while True:
        platform, pes = compare.make_platform(rng, False)
        if len(pes) <= 3:
            break
    costs = {}
    graph = compare.make_graph(rng, pes, costs, most)
    tasks = sorted((e for e in graph if e.startswith("<task")), key=number_of)
    rest = [e for e in graph if not e.startswith("<task")]
    for k, a in itertools.product(sorted({kernel_of(e) for e in tasks}), ("a0", "a1")):
        if rng.random() < 0.8:
            costs.setdefault((k, a), {1})
        if (k, a) in costs and rng.random() < 0.5:
            costs[k, a].update(rng.choice(({2}, {3}, {2, 3})))
    choices = [places(kernel_of(task), pes, costs) for task in tasks]
    if math.prod(map(len, choices)) > 10000:
        return make_models(rng, names, min(most, 4))
    write(names[1], platform)
    write(names[2], compare.make_resources(rng, costs, False))
    return rest[:-1] + tasks + rest[-1:], tasks, choices


def fix_some(rng, graph, tasks, choices):
    """Give some tasks a mapping or a pin; the others lose theirs."""
    for i, task in enumerate(tasks):
        which, pe, at = rng.random(), rng.choice(choices[i]), graph.index(task)
        plain = re.sub(r'<map [^>]*>', '', task)
        if which < 0.1:
            graph[at] = plain.replace("</task>", f'<map pe="{pe}" priority="{i}"/></task>')
        elif which < 0.2:
            graph[at] = plain.replace(" kernel=", f' pin="{pe}" kernel=')
        else:
            graph[at] = plain
            continue
        choices[i] = [pe]
    # A kernel's pin holds for those of its tasks that have no own one.
    if rng.random() < 0.2:
        kernel = kernel_of(rng.choice(tasks))
        of_kernel = [i for i, task in enumerate(tasks) if kernel_of(task) == kernel]
        free = [i for i in of_kernel if 'pin="' not in graph[graph.index(next(
            e for e in graph if e.startswith(f'<task id="t{number_of(tasks[i])}"')))]]
        common = set.intersection(*(set(choices[i]) for i in free)) if free else ()
        if common:
            pe = rng.choice(sorted(common))
            at = next(i for i, e in enumerate(graph) if e.startswith(f'<kernel id="k{kernel}"'))
            graph[at] = graph[at].replace("<kernel ", f'<kernel pin="{pe}" ', 1)
            for i in free:
                choices[i] = [pe]


def one(program, directory, seed, problems):
    rng = random.Random(seed)
    names = [f"{directory}/{n}.xml" for n in ("graph", "platform", "resources")]
    graph, tasks, choices = make_models(rng, names, 8 if seed % 4 == 3 else 4)
    order = [f"t{number_of(e)}" for e in tasks]
    kind = COSTS[seed // 4 % len(COSTS)]
    fix_some(rng, graph, tasks, choices)
    write(names[0], graph)

    def run(*options):
        done = subprocess.run([program, "simulate", names[0], "--platform", names[1], "--resources",
                               names[2], "--format=json", "--tasks", *options],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            problems.append(f"{options}: exit {done.returncode}: {done.stderr}")
            return None
        return json.loads(done.stdout)

    eft, heft = run("--map", "eft"), run("--map", "heft")
    if not eft or not heft:
        return "failed"
    limit = eft["makespan_s"] * rng.choice((1, 1.5, 3))
    cost = kind + (f"{limit!r}" if kind.endswith("<=") else "")
    options = ("--map", "anneal", "--cost", cost, "--steps", "1500", "--seed", str(seed))
    annealed = run(*options)
    if not annealed:
        return "failed"
    if seed % 8 == 0 and annealed != run(*options):
        problems.append("not the same again")
    for result in (eft, heft, annealed):
        for task, allowed in zip(result["per_task"], choices):
            if task["pe"] not in allowed:
                problems.append(f"{task['id']} on {task['pe']}, not on {allowed}")
    found = cost_of(kind, limit, annealed)
    if found > cost_of(kind, limit, eft) * (1 + 1e-12):
        problems.append(f"{cost}: {found}, but EFT has {cost_of(kind, limit, eft)}")
    # Without a mapping in it, so that each task gets one in the order of the file.
    graph = [re.sub(r'<map [^>]*>', '', e).replace("</task>", '<map pe="" priority="0"/></task>')
             for e in graph]
    write(names[0], graph)
    best = least(kind, limit, names, order, choices)
    return "optimal" if found <= best * (1 + 1e-9) else "worse than the best"


def main():
    program, directory, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    compare.run_all(lambda seed, problems: one(program, directory, seed, problems), first, count)


if __name__ == "__main__":
    main()
