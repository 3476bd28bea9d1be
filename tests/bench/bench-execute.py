#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What hdexecute takes beside StarPU, and what recording a run takes.

Usage: bench-execute.py SOURCE BUILD MPIEXEC [--runs N] [--size N]

Both run the same tiled Cholesky decomposition with the same kernels on two workers of
one node, in turns. Times are medians, with the least and the most. A decomposition of
tiny tiles has nothing but what a task takes besides its kernel; a chain of tasks that add
one to a byte, on one PE, has not even waiting: the whole time by their number. Without StarPU (Debian:
libstarpu-dev) there is only what hdexecute takes. The machine should have nothing else
to do. Exit status 0: both have run, and what StarPU made is right.
"""
import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

WORKERS = 2
TINY = (40, 4)  # Tiles, and their size: 13,120 tasks
EMPTY = 100000  # Tasks of a chain
COSTS = {"MATSRC": 0.1, "MATSINK": 0.01, "POTRF": 0.4, "TRSM": 1, "SYRK": 1, "GEMM": 2}


def run(*command):
    """What a command prints, and the CPU time of its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return out, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


class Ours:
    def __init__(self, arguments):
        self.build = os.path.abspath(arguments.build)
        bind = ["--bind-to", "none"] if "openmpi" in arguments.mpiexec else []
        self.command = [arguments.mpiexec, *bind, "-n", "1",
                        os.path.join(self.build, "hdexecute"), "--map", "eft",
                        "--pes", str(WORKERS)]

    def prepare(self, tiles, size):
        entries = "".join(f'<entry kernel="{kernel}" architecture="cpu" time="{cost}" '
                          'energy="0"/>' for kernel, cost in COSTS.items())
        with open("resources.xml", "w", encoding="ascii") as file:
            file.write(f"<resource-model>{entries}</resource-model>")
        run(os.path.join(self.build, "hdpredict"), "generate", "cholesky", "--tiles",
            str(tiles), "--tile-size", str(size), "-o", "graph.xml")

    def execute(self, *options, nodes=1):
        """Seconds, tasks, linear algebra; CPU time, and that of moving data sets."""
        command = [*self.command[:-1], str(WORKERS // nodes)]
        command[command.index("-n") + 1] = str(nodes)
        out, cpu = run(*command, "--resources", "resources.xml", *options, "graph.xml")
        return (float(re.search(r"^time: (\S+)", out, re.M).group(1)),
                int(re.search(r"^tasks: (\d+)", out, re.M).group(1)),
                re.search(r"^linear algebra: (.*)", out, re.M).group(1), cpu,
                float(re.search(r"^data transfers: (\S+)", out, re.M).group(1)))


class StarPU:
    def __init__(self, arguments):
        self.command = None
        package = os.environ.get("PKG_CONFIG", "pkg-config")
        found = subprocess.run([package, "--cflags", "--libs", "starpu-1.3"], check=False,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if found.returncode:
            return
        source = os.path.abspath(arguments.source)
        libraries = os.path.join(os.path.abspath(arguments.build), ".libs")
        run(*os.environ.get("CC", "cc").split(), "-O2", "-std=gnu11", f"-I{source}",
            f"-I{source}/PredictionLibrary/include", "-o", "peer-starpu",
            f"{source}/tests/peers/peer-starpu.c", f"{libraries}/libhdkernels.a",
            f"{libraries}/libhdcommon.a", *found.stdout.split(), "-ldl", "-lm")
        os.environ.update(STARPU_NCPU=str(WORKERS), STARPU_NCUDA="0", STARPU_NOPENCL="0",
                          STARPU_SILENT="1", STARPU_HOME=os.getcwd())
        self.command = ["./peer-starpu"]

    def execute(self, tiles, size):
        """Seconds, tasks, linear algebra."""
        seconds, tasks, algebra = run(*self.command, str(tiles), str(size))[0].split(maxsplit=2)
        return float(seconds), int(tasks), algebra.strip()


def say(what, values, unit=1e3, name="ms"):
    print(f"{what:34} {statistics.median(values) * unit:10.2f} {name}"
          f"  ({min(values) * unit:.2f} to {max(values) * unit:.2f})")


def beside(ours, starpu, tiles, size, runs):
    """Times of both."""
    ours.prepare(tiles, size)
    found = {"hdexecute": [], "StarPU": []}
    for _ in range(runs):
        seconds, tasks, algebra, _, _ = ours.execute()
        found["hdexecute"].append(seconds)
        if starpu.command:
            seconds, others, with_ = starpu.execute(tiles, size)
            if (others, with_) != (tasks, algebra):
                sys.exit(f"StarPU has {others} tasks with {with_}, "
                         f"hdexecute {tasks} with {algebra}")
            found["StarPU"].append(seconds)
    print(f"\n{tiles} x {tiles} tiles of {size} x {size}, {tasks} tasks, {WORKERS} workers, "
          f"{algebra}, {runs} runs each")
    return found, tasks


def empty(ours, runs):
    """Wall time of tasks that do nothing, one after the other on one PE."""
    run(os.path.join(ours.build, "hdpredict"), "generate", "ring", "--width", "1", "--steps",
        str(EMPTY), "--tile-size", "1", "-o", "empty.xml")
    print(f"\n{EMPTY} tasks of one byte in a chain, one worker, {runs} runs each")
    for name, options in (("not recorded", ()), ("recorded", ("-f", "-p", "project"))):
        taken = []
        for _ in range(runs):
            out, _ = run(*ours.command[:-1], "1", *options, "empty.xml")
            taken.append(float(re.search(r"^time: (\S+)", out, re.M).group(1)))
        say(f"a task, {name}", [seconds / EMPTY for seconds in taken], 1e6, "us")


def recorded(ours, runs):
    """CPU time with and without a project, in turns, and which of them is first changes;
    of the processes, start and end included. Of neighbours in time the machine was most
    alike: so it is their ratio."""
    found = {True: [], False: []}
    for i in range(runs):
        for is_recorded in (True, False) if i % 2 else (False, True):
            options = ("-f", "-p", "project") if is_recorded else ()
            found[is_recorded].append(ours.execute(*options)[3])
    say("CPU time, not recorded", found[False])
    say("CPU time, recorded", found[True])
    ratios = [a / b for a, b in zip(found[True], found[False])]
    print(f"{'recorded by not recorded':34} {statistics.median(ratios):10.3f}"
          f"  ({min(ratios):.3f} to {max(ratios):.3f})")


def moved(ours, runs):
    """The part of CPU time that the threads have that move data sets: without them there
    would be so much less."""
    for nodes in (1, 2):
        shares = []
        for _ in range(runs):
            *_, cpu, moving = ours.execute(nodes=nodes)
            shares.append(moving / cpu)
        say(f"moving data sets, {nodes} process{'es' * (nodes > 1)}", shares, 100,
            "% of CPU time")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("build")
    parser.add_argument("mpiexec")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--tiles", type=int, default=16)
    arguments = parser.parse_args()
    ours = Ours(arguments)
    with tempfile.TemporaryDirectory() as directory:
        arguments.source, arguments.build = map(os.path.abspath,
                                                (arguments.source, arguments.build))
        os.chdir(directory)
        starpu = StarPU(arguments)
        if not starpu.command:
            print("StarPU is missing (Debian: libstarpu-dev): hdexecute alone")
        found, tasks = beside(ours, starpu, *TINY, arguments.runs)
        for name, values in found.items():
            if values:
                say(f"{name}, a task on its worker", [v * WORKERS / tasks for v in values],
                    1e6, "us")
        empty(ours, arguments.runs)
        found, tasks = beside(ours, starpu, arguments.tiles, arguments.size, arguments.runs)
        for name, values in found.items():
            if values:
                say(name, values)
        if starpu.command:
            ratio = statistics.median(found["hdexecute"]) / statistics.median(found["StarPU"])
            print(f"{'hdexecute by StarPU':34} {ratio:10.3f}")
        recorded(ours, 3 * arguments.runs)
        moved(ours, arguments.runs)


if __name__ == "__main__":
    main()
