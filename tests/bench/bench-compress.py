#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compressed projects beside plain ones.

Usage: bench-compress.py BUILD [--runs N] [--small]

Programs run in turns on compressed and on plain files. Ratios are medians of the ratios of
these pairs. "cold" means that the files were dropped from the page cache before. NetPIPE
(Debian: netpipe-openmpi) sends messages between two ranks; without it, this part is left
out. The machine should have nothing else to do. Exit status 0: everything was measured.
"""
import argparse
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

LEVELS = ("-7", "-5", "-3", "-1", "1", "3")


def run(command, environment=None, directory=None, out=subprocess.DEVNULL):
    """Wall and CPU time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=out, stderr=subprocess.DEVNULL,
                   env=dict(os.environ, **(environment or {})), cwd=directory)
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def size(directory):
    return sum(entry.stat().st_size for entry in os.scandir(directory))


def drop(directory):
    """Drop files from the page cache."""
    for entry in os.scandir(directory):
        file = os.open(entry.path, os.O_RDONLY)
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)


def ratios(pairs):
    """Median ratios of wall and CPU time of pairs (compressed, plain)."""
    return [statistics.median(a[i] / b[i] for a, b in pairs) for i in (0, 1)]


def reading(build, runs, records):
    make = os.path.join(build, "tests/bench/make-project")
    command = [make, "--nodes=8", "--ranks=4", f"--records={records}",
               f"--values={records * 2 // 3}", "run"]
    for name in ("plain", "packed"):
        os.mkdir(name)
        run(command, {"HDTRACE_COMPRESS": "none" if name == "plain" else "zstd"}, name)
    print(f"A project of {size('plain') / 1e6:.0f} MB, {size('packed') / 1e6:.0f} MB compressed")
    print("| Command | Files | Wall time, plain, s | Wall time, ratio | CPU time, ratio |")
    print("|---|---|--:|--:|--:|")
    for command in ("report", "dump", "stat"):
        for state in ("warm", "cold"):
            pairs = []
            for _ in range(runs):
                pair = []
                for name in ("packed", "plain"):
                    if state == "cold":
                        drop(name)
                    pair.append(run([os.path.join(build, "hdtrace"), command, "-q",
                                     f"{name}/run"]))
                pairs.append(pair)
            wall, cpu = ratios(pairs)
            plain = statistics.median(pair[1][0] for pair in pairs)
            print(f"| {command} | {state} | {plain:.2f} | {wall:.2f} | {cpu:.2f} |", flush=True)
    shutil.rmtree("plain")
    shutil.rmtree("packed")


def middle(build, runs, records):
    hdtrace = os.path.join(build, "hdtrace")
    os.mkdir("large")
    run([os.path.join(build, "tests/bench/make-project"), "--nodes=1", "--ranks=1",
         f"--records={records}", "--values=0", "run"], {"HDTRACE_COMPRESS": "zstd"}, "large")
    info = subprocess.run([hdtrace, "info", "large/run"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    length = float(re.search(r"^Duration +([\d.]+) s", info, re.M).group(1))
    data = re.search(r"^Data +(.*?) in", info, re.M).group(1)
    command = [hdtrace, "dump", "-q", f"--from={length / 2:.6f}",
               f"--to={length / 2 * (1 + 1e-7):.6f}", "large/run"]
    for state in ("warm", "cold"):
        times = []
        for _ in range(runs):
            if state == "cold":
                drop("large")
            times.append(run(command))
        print(f"The middle of {data}, {state}: {statistics.median(t[0] for t in times):.3f} s, "
              f"{statistics.median(t[1] for t in times):.3f} s of CPU time")
    shutil.rmtree("large")


def calls(build, runs, repeats):
    program = shutil.which("NPopenmpi")
    if not program or not shutil.which("mpirun.openmpi"):
        print("NetPIPE is missing")
        return
    environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    times = {level: [] for level in ("none",) + LEVELS}
    sizes = {}
    count = None
    for _ in range(runs):
        for level, list_ in times.items():
            os.mkdir("calls")
            option = [] if level == "none" else [f"--compress={level}"]
            list_.append(run(["mpirun.openmpi", "--bind-to", "none", "-n", "2",
                              os.path.join(build, "hdmpirun"), *option, "-p", "np", program,
                              "-n", str(repeats), "-u", "128"], environment, "calls"))
            sizes[level] = sum(entry.stat().st_size for entry in os.scandir("calls")
                               if ".trc" in entry.name)
            if count is None:
                info = subprocess.run([os.path.join(build, "hdtrace"), "info", "--ranks",
                                       "calls/np"], check=True, text=True,
                                      stdout=subprocess.PIPE).stdout
                count = sum(map(int, re.findall(r"trace: (\d+) states", info)))
            shutil.rmtree("calls")
    print(f"NetPIPE, {count} calls in 2 ranks")
    print("| Setting | Bytes per call | CPU time, ratio |")
    print("|---|--:|--:|")
    for level, list_ in times.items():
        ratio = ratios(list(zip(list_, times["none"])))[1]
        print(f"| {level} | {sizes[level] / count:.1f} | {ratio:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", nargs="?", default=".")
    parser.add_argument("--runs", type=int, default=7, help="pairs (default: 7)")
    parser.add_argument("--small", action="store_true", help="a hundredth, to try it")
    arguments = parser.parse_args()
    build = os.path.abspath(arguments.build)
    part = 100 if arguments.small else 1
    with tempfile.TemporaryDirectory(prefix="hdtrace-compress.") as directory:
        os.chdir(directory)
        calls(build, arguments.runs, 20000 // part)
        reading(build, arguments.runs, 2700000 // part)
        middle(build, arguments.runs, 45000000 // part)
        os.chdir(build)


if __name__ == "__main__":
    sys.exit(main())
