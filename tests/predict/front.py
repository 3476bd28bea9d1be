#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Least energy within a time: annealed mappings beside an integer program.

usage: front.py HDPREDICT DIRECTORY GLPSOL FIRST COUNT

Graphs of five to seven tasks run on two or three PEs of one node, so that no data is
moved. For limits from the least time to three times of it, GLPK finds the least energy of
all mappings and all orders. Annealing is never below that, and keeps the limit.
The last line has how many points of the fronts are equal.
"""
import json
import random
import subprocess
import sys

LIMITS = (1, 1.1, 1.3, 1.7, 3)


def make(rng):
    count, pes = rng.randint(5, 7), rng.randint(2, 3)
    # A fast PE takes more energy, as a rule.
    speed = [1 + p + rng.random() for p in range(pes)]
    time = [[round(base * s, 3) for s in speed] for base in (rng.uniform(0.5, 3) for _ in range(count))]
    energy = [[round(rng.uniform(10, 60) * row[0] / t * rng.uniform(0.7, 1.3), 3) for t in row]
              for row in time]
    edges = [(a, b) for b in range(count) for a in range(b) if rng.random() < 0.3]
    return time, energy, edges, rng.randint(0, 12)


def write(directory, model):
    time, energy, edges, idle = model
    pes = range(len(time[0]))
    names = [f"{directory}/{n}.xml" for n in ("graph", "platform", "resources")]
    graph = ["<application>"]
    for t in range(len(time)):
        inputs = "".join(f'<input id="i{a}" size="0"/>' for a, b in edges if b == t)
        graph.append(f'<kernel id="k{t}">{inputs}<output id="o" size="0"/></kernel>')
    graph += [f'<task id="t{t}" kernel="k{t}"></task>' for t in range(len(time))]
    graph += [f'<dependency predecessor="t{a}" successor="t{b}" src="o" dest="i{a}"/>' for a, b in edges]
    platform = ['<platform>', f'<node-architecture id="n" idle-power="{idle}"/>',
                '<node id="s" architecture="n">',
                '<main-memory id="m" size="1e12"><inout peer="l"/></main-memory>',
                '<bridge id="l" architecture="unknown"/>',
                *(f'<pe id="p{p}" architecture="a{p}"/>' for p in pes), '</node>',
                '<channel id="c"><inout peer="l"/></channel>', '</platform>']
    resources = ["<resource-model>",
                 *(f'<entry kernel="k{t}" architecture="a{p}" time="{time[t][p]!r}" '
                   f'energy="{energy[t][p]!r}"/>' for t in range(len(time)) for p in pes),
                 "</resource-model>"]
    graph.append("</application>")
    for name, lines in zip(names, (graph, platform, resources)):
        with open(name, "w", encoding="ascii") as file:
            file.write("\n".join(lines))
    return names


def program(model, limit):
    """The integer program in CPLEX's format; limit None: least time, else least energy."""
    time, energy, edges, idle = model
    tasks, pes = range(len(time)), range(len(time[0]))
    most = sum(max(row) for row in time)
    lines = ["Minimize", " cost: " + ("M" if limit is None else " + ".join(
        f"{energy[t][p]!r} x{t}_{p}" for t in tasks for p in pes) + f" + {idle} M"), "Subject To"]
    takes = [[f"{time[t][p]!r} x{t}_{p}" for p in pes] for t in tasks]
    for t in tasks:
        lines.append(" " + " + ".join(f"x{t}_{p}" for p in pes) + " = 1")
        lines.append(f" M - s{t} - " + " - ".join(takes[t]) + " >= 0")
    for a, b in edges:
        lines.append(f" s{b} - s{a} - " + " - ".join(takes[a]) + " >= 0")
    binaries = [f"x{t}_{p}" for t in tasks for p in pes]
    for a in tasks:
        for b in range(a):
            binaries.append(f"y{a}_{b}")
            for p in pes:
                lines.append(f" s{b} - s{a} - {most + time[a][p]!r} x{a}_{p} - {most!r} x{b}_{p}"
                             f" - {most!r} y{a}_{b} >= {-3 * most!r}")
                lines.append(f" s{a} - s{b} - {most!r} x{a}_{p} - {most + time[b][p]!r} x{b}_{p}"
                             f" + {most!r} y{a}_{b} >= {-2 * most!r}")
    if limit is not None:
        lines.append(f" M <= {limit!r}")
    return "\n".join(lines + ["Binary"] + [f" {b}" for b in binaries] + ["End", ""])


def solve(glpsol, directory, model, limit):
    with open(f"{directory}/p.lp", "w", encoding="ascii") as file:
        file.write(program(model, limit))
    done = subprocess.run([glpsol, "--lp", f"{directory}/p.lp", "--cuts", "--mipgap", "1e-9",
                           "-w", f"{directory}/p.sol"], capture_output=True, text=True, check=True)
    with open(f"{directory}/p.sol", encoding="ascii") as file:
        words = next(line for line in file if line.startswith("s mip")).split()
    assert words[4] == "o", done.stdout
    return float(words[5])


def main():
    hdpredict, directory, glpsol, first, count = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5])
    equal = points = 0
    failed = False
    for seed in range(first, first + count):
        model = make(random.Random(seed))
        names = write(directory, model)
        fastest = solve(glpsol, directory, model, None)
        for part in LIMITS:
            limit = round(fastest * part + 1e-6, 9)
            best = solve(glpsol, directory, model, limit)
            done = subprocess.run(
                [hdpredict, "simulate", names[0], "--platform", names[1], "--resources", names[2],
                 "--map", "anneal", "--cost", f"energy at time<={limit}", "--steps", "20000",
                 "--seed", "1", "--format=json"], capture_output=True, text=True, check=False)
            found = json.loads(done.stdout) if done.stdout else None
            points += 1
            if not found or found["makespan_s"] > limit * (1 + 1e-9):
                print(f"seed {seed}, {limit} s: the limit is not kept: {found and found['makespan_s']}"
                      f" {done.stderr}")
                continue
            energy = found["energy_total_j"]
            if energy < best * (1 - 1e-6):
                print(f"seed {seed}, {limit} s: {energy} J, less than the least {best} J")
                failed = True
            elif energy <= best * (1 + 1e-6):
                equal += 1
            else:
                print(f"seed {seed}, {limit} s: {energy} J, the least is {best} J")
    print(f"{equal} of {points} points are equal")
    sys.exit(failed or equal < 0.9 * points)


if __name__ == "__main__":
    main()
