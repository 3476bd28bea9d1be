#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The memory that a run takes is the memory that was predicted.

usage: memory.py BUILD MEMCOUNT.so KERNELS DIRECTORY FIRST COUNT LAUNCHER...

Random graphs on two PEs of a node, whose tasks run one after the other since
each gives a token to the next: so the times of a run do not matter. The peak
is that of the simulator in Python (oracle.py), of hdpredict, and of a counter
of allocations that is preloaded into hdexecute; a node with just this memory
is enough, and one with 1 % less is not.
"""
import json
import os
import random
import subprocess
import sys

import compare
import oracle

SIZES = (200003, 300007, 400009)
TOKEN = 8


def make(rng, memory):
    """A graph and a platform; kernel ids begin with the input in place."""
    kernels, tasks, edges, made = {}, [], [], {s: [] for s in SIZES}
    for t in range(rng.randint(3, 25)):
        size = rng.choice([s for s in SIZES if made[s]] or SIZES)
        if rng.random() < 0.3:
            size = rng.choice(SIZES)
        inputs = rng.randint(0, 3) if made[size] else 0
        outputs = rng.randint(0, 2) if t else 1
        inout = rng.randint(0, inputs) if outputs and rng.random() < 0.8 else 0
        kernel = f"X{inout}I{inputs}O{outputs}{'T' if t else 'F'}"
        ports = [f'<input id="i{x}" size="n"/>' for x in range(inputs)]
        ports += [f'<input id="t" size="{TOKEN}"/>'] * (t > 0)
        place = f' inout="i{inout - 1}"' if inout else ""
        ports += [f'<output id="o{x}" size="n"{"" if x else place}/>' for x in range(outputs)]
        ports.append(f'<output id="u" size="{TOKEN}"/>')
        kernels[kernel] = (f'<kernel id="{kernel}"><variable id="n"/>' + "".join(ports)
                           + "</kernel>")
        for x in range(inputs):
            recent = made[size][-4:] if rng.random() < 0.7 else made[size]
            p, o = rng.choice(recent)
            edges.append(f'<dependency predecessor="t{p}" src="o{o}" successor="t{t}" dest="i{x}"/>')
        if t:
            edges.append(f'<dependency predecessor="t{t - 1}" src="u" successor="t{t}" dest="t"/>')
        made[size] += [(t, o) for o in range(outputs)]
        tasks.append(f'<task id="t{t}" kernel="{kernel}"><assign var="n" val="{size}"/>'
                     f'<map pe="n0.{rng.randint(0, 1)}" priority="{t}"/></task>')
    graph = ["<application>"] + list(kernels.values()) + tasks + edges + ["</application>"]
    resources = (["<resource-model>"]
                 + [f'<entry kernel="{k}" architecture="cpu" time="1" energy="0"/>' for k in kernels]
                 + ["</resource-model>"])
    return graph, make_platform(memory, "fail"), resources


def make_platform(memory, full):
    return ["<platform>", f'<node id="n0"><main-memory id="n0.m" size="{memory}" full="{full}"/>',
            '<pe id="n0.0" architecture="cpu"/><pe id="n0.1" architecture="cpu"/></node>',
            "</platform>"]


def write(name, lines):
    with open(name, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def execute(args, names, memory, full):
    """Run a graph on a node with so much memory: status, lines of errors, and peak."""
    build, counter, kernels, directory = args[:4]
    write(names[1], make_platform(memory, full))
    peak = f"{directory}/peak"
    if os.path.exists(peak):
        os.remove(peak)
    command = args[6:] + ["env", f"LD_PRELOAD={counter}", f"MEMCOUNT={peak}",
                          "MEMCOUNT_SIZES=" + " ".join(map(str, SIZES)),
                          f"{build}/hdexecute", "--kernels", kernels, "-q", names[0],
                          "--platform", names[1]]
    run = subprocess.run(command, capture_output=True, text=True, check=False,
                         stdin=subprocess.DEVNULL)
    said = [e for e in run.stderr.splitlines() if e.startswith("hdexecute: task")]
    found = None
    if os.path.exists(peak):
        with open(peak, encoding="utf-8") as file:
            found = int(file.read())
    return run.returncode, said, found, run.stderr


def one(args, seed, problems):
    rng = random.Random(seed)
    names = [f"{args[3]}/{n}.xml" for n in ("graph", "platform", "resources")]
    for name, lines in zip(names, make(rng, 10**12)):
        write(name, lines)
    want = oracle.simulate(*names)["per_memory"]["n0"]
    run = subprocess.run([f"{args[0]}/hdpredict", "simulate", names[0], "--platform", names[1],
                          "--resources", names[2], "--format=json"],
                         capture_output=True, text=True, check=False)
    if run.returncode:
        problems.append(f"exit {run.returncode}: {run.stderr}")
        return "failed"
    predicted = json.loads(run.stdout)["servers"][0]["memory_peak_bytes"]
    if predicted != want:
        problems.append(f"{predicted} bytes predicted, not {want}")
    full = rng.choice(("fail", "delay"))
    status, said, found, errors = execute(args, names, want, full)
    # Tokens are not counted; a page for each data set is allowed.
    if status or said or abs(want - found) > 4096:
        problems.append(f"with {want} bytes: exit {status}, {found} bytes, {errors}")
    less = int(want * 0.99) - TOKEN
    status, said, _, errors = execute(args, names, less, full)
    if status != 1 or len(said) != 1:
        problems.append(f"with {less} bytes, full={full}: exit {status}, {errors}")
    word = "deadlock: it waits for memory" if full == "delay" else "not enough memory for"
    if said and word not in said[0]:
        problems.append(said[0])
    return full


def main():
    args = sys.argv[1:]
    compare.run_all(lambda seed, problems: one(args, seed, problems),
                    int(args[4]), int(args[5]))


if __name__ == "__main__":
    main()
