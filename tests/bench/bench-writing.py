#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What writing costs, beside others that do the same, and why machines differ in that.

Usage: bench-writing.py [--quick] [--base=DIRECTORY] [--csv=FILE] [--why] SOURCE BUILD

Each run is a process of its own (bench-one), so that memory is as fresh as a program
finds it. All sides of a work take turns, and what is compared are runs of one turn:
what else the machine does meets both. Of each figure the median counts; of ratios it is
that of all turns, and the interval that has the true one in it with 95 %.

Sides: HDTrace as shipped; what stands in --base (as base.sh has built it); the floor
(bench-one.c says what that is); OTF2 as shipped, which takes 128 MiB before it writes;
OTF2 with 16 MiB from outside that are used again and again, as measurement systems
give it; LTTng-UST as shipped, but that it waits where it would throw away. CPU time of
LTTng's process is that of its daemon that writes the files, too. What is not here is
left out, and said. Instructions are those of the whole process, by callgrind, between
20,000 and 120,000 operations.

With --why: the same works with memory, threads and file systems changed.

The tables are those of doc/measurements/performance.md. Exit status 0: all has been measured.
"""
import argparse
import csv
import math
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

COUNT = 1000000
ROUNDS = 9
FIGURES = ("thread", "process", "wall")
WORKS = {
    "values": "hdS entry of 15 doubles, value by value",
    "entry": "the same, hdS_writeEntry()",
    "bare": "hdT bare state",
    "integers": "hdT state, 6 integers of an MPI Send",
    "mixture": "hdT state, 4 integers, double, string",
}
POOL = "--pool=16"
# Work, figure, beside whom, at most so many times that.
TARGETS = (
    ("values", "thread", "OTF2", 0.30),
    ("entry", "thread", "OTF2", 0.22),
    ("bare", "thread", "OTF2", 0.85),
    ("bare", "process", "OTF2", 1.0),
    ("integers", "process", "OTF2", 1.0),
    ("bare", "process", "OTF2, pool", 1.15),
    ("integers", "process", "OTF2, pool", 1.15),
)


class Missing(Exception):
    """A side is not here; says why."""


def output(*command, **options):
    """What a command prints; its last words if it fails."""
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, **options)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise Missing(f"{os.path.basename(command[0])}: {said[-1] if said else 'failed'}")
    return done.stdout


def compile_program(name, sources, flags):
    """Build a program in the current directory."""
    output(*os.environ.get("CC", "cc").split(), *os.environ.get("CFLAGS", "-g -O2").split(),
           "-o", name, *sources, *flags)
    return [os.path.abspath(name)]


class Side:
    """A program that does the works."""

    def __init__(self, name, command, files, environment=None):
        self.name = name
        self.command = command
        self.files = files  # Where they go.
        self.environment = {**os.environ, **(environment or {})}
        self.bytes = {}

    def arguments(self, work):
        return []

    def run(self, work, count):
        """CPU time of thread and process, and time passed: ns an operation."""
        with tempfile.TemporaryDirectory(dir=self.files) as directory:
            said = output(self.command[0], f"--directory={directory}", *self.arguments(work),
                          *self.command[1:], work, str(count), env=self.environment)
        *times, self.bytes[work] = map(float, said.split())
        return dict(zip(FIGURES, times))

    def count_instructions(self, work, count):
        # Buffers hold all, so that it does not depend on when they are written.
        environment = {**self.environment, "HDTRACE_BUFFER_SIZE_KB": "262144",
                       "HDTRACE_FLUSH_MS": "600000"}
        with tempfile.TemporaryDirectory(dir=self.files) as directory:
            done = subprocess.run(
                ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                 self.command[0], f"--directory={directory}", *self.arguments(work),
                 *self.command[1:], work, str(count)],
                check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                env=environment)
        found = re.search(r"^==\d+== Collected : (\d+)$", done.stderr, re.M)
        if done.returncode or not found:
            raise Missing(f"valgrind: {done.stderr.strip().splitlines()[-1]}")
        return int(found.group(1))

    def instructions(self, work):
        return (self.count_instructions(work, 120000) -
                self.count_instructions(work, 20000)) / 100000

    def close(self):
        """Nothing is left."""


class Floor(Side):
    """What there is at least, of files as large as those of another side."""

    def __init__(self, name, command, files, other):
        super().__init__(name, command, files)
        self.other = other

    def arguments(self, work):
        return [f"--bytes={round(self.other.bytes[work])}"]


class Lttng(Side):
    """A session for each run; a daemon of our own."""

    def __init__(self, source, config, files):
        package = os.environ.get("PKG_CONFIG", "pkg-config")
        flags = output(package, "--cflags", "--libs", "lttng-ust").split()
        if not shutil.which("lttng-sessiond"):
            raise Missing("Debian: lttng-tools")
        here = os.path.join(source, "tests/bench")
        command = compile_program(
            "bench-lttng", [f"{here}/bench-lttng.c", f"{here}/bench-base.c"],
            [f"-I{source}", f"-I{config}", *flags])
        self.home = tempfile.mkdtemp()
        super().__init__("LTTng-UST", command, files, {
            "HOME": self.home, "LTTNG_HOME": self.home, "LTTNG_UST_ALLOW_BLOCKING": "1"})
        self.daemon = None
        pid = os.path.join(self.home, "pid")
        try:
            output("lttng-sessiond", "--daemonize", "--no-kernel", f"--pidfile={pid}",
                   env=self.environment)
            with open(pid, encoding="ascii") as file:
                self.daemon = int(file.read())
        except (Missing, OSError, ValueError):
            shutil.rmtree(self.home)
            raise

    def lttng(self, *arguments):
        return output("lttng", "--no-sessiond", *arguments, env=self.environment)

    def consumers(self):
        """CPU time of the daemons that write, in ns."""
        total = found = 0
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                with open(f"/proc/{entry}/stat", encoding="ascii", errors="replace") as file:
                    fields = file.read().rpartition(")")[2].split()
                if int(fields[1]) != self.daemon:
                    continue
                for task in os.listdir(f"/proc/{entry}/task"):
                    with open(f"/proc/{entry}/task/{task}/schedstat",
                              encoding="ascii") as file:
                        total += int(file.read().split()[0])
                        found += 1
            except OSError:
                continue
        if not found:
            raise Missing("no daemon of LTTng writes")
        return total

    def run(self, work, count):
        with tempfile.TemporaryDirectory(dir=self.files) as directory:
            self.lttng("create", "bench", f"--output={directory}/trace")
            try:
                self.lttng("enable-channel", "--userspace", "--blocking-timeout=inf", "all")
                self.lttng("enable-event", "--userspace", "--channel=all", "hdbench:*")
                self.lttng("start")
                before = self.consumers()
                said = output(*self.command, work, str(count), env=self.environment)
                self.lttng("stop")
                used = self.consumers() - before
                lost = re.search(r"Discarded events: (\d+)", self.lttng("list", "bench"))
            finally:
                self.lttng("destroy", "bench")
            size = sum(os.path.getsize(os.path.join(path, name))
                       for path, _, names in os.walk(directory) for name in names)
        if lost and int(lost.group(1)) or size < 8 * count:
            raise Missing("LTTng has not recorded all")
        self.bytes[work] = size / count
        times = dict(zip(FIGURES, map(float, said.split())))
        times["process"] += used / count
        return times

    def instructions(self, work):
        raise Missing("a daemon writes")

    def close(self):
        if self.daemon:
            os.kill(self.daemon, 15)
            while os.path.exists(f"/proc/{self.daemon}"):
                time.sleep(0.05)
        shutil.rmtree(self.home, ignore_errors=True)


# ---- Figures -----------------------------------------------------------------

def spread(values):
    """Median, and the median distance from it as a part of it."""
    median = statistics.median(values)
    return median, statistics.median(abs(v - median) for v in values) / median


def interval(values):
    """Where the true median is with 95 %, by the binomial distribution, or None."""
    n, rank, total = len(values), 0, 0
    while 2 * (total + math.comb(n, rank) * 0.5 ** n) <= 0.05:
        total += math.comb(n, rank) * 0.5 ** n
        rank += 1
    values = sorted(values)
    return (values[rank - 1], values[n - rank]) if rank else None


def judge(ratios, limit):
    """The median, its interval, and whether a limit is kept."""
    median = statistics.median(ratios)
    verdict = "reached" if median <= limit else "missed"
    ends = interval(ratios)
    if ends is None:
        return f"{median:.2f}", f"{verdict}, but few turns"
    if ends[0] <= limit < ends[1]:
        verdict += ", but not surely"
    return f"{median:.2f} ({ends[0]:.2f} - {ends[1]:.2f})", verdict


def in_turns(sides, works, count, rounds):
    """samples[work, side][figure]: a list; the first round only warms up. Who cannot do
    it is dropped from the sides."""
    samples = {}
    for turn in range(-1, rounds):
        print(f"writing: turn {turn + 1} of {rounds}", file=sys.stderr)
        for work in works:
            # Whoever is first is not so in the next turn; the floor needs our bytes.
            order = sides if turn % 2 else [sides[0], *sides[:0:-1]]
            for side in list(order):
                try:
                    times = side.run(work, count)
                except Missing as why:
                    print(f"writing: {side.name}: left out: {why}", file=sys.stderr)
                    if side is sides[0]:
                        raise
                    side.close()
                    sides.remove(side)
                    continue
                if turn < 0:
                    continue
                for figure, value in times.items():
                    samples.setdefault((work, side.name), {}).setdefault(
                        figure, []).append(value)
    return samples


def file_system(path):
    return output("df", "--output=fstype", path).split()[-1]


def machine(files):
    """What figures depend on."""
    model = "unknown"
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        found = re.search(r"^model name\s*: (.*)", file.read(), re.M)
        if found:
            model = found.group(1)
    return (f"{model}, {os.cpu_count()} processors, Linux {platform.release()}, "
            f"{time.strftime('%B %Y')}; files go to {files} ({file_system(files)}).")


def load():
    return os.getloadavg()[0]


# ---- The tables --------------------------------------------------------------

class Bench:
    def __init__(self, arguments, directory):
        self.arguments = arguments
        self.source = os.path.abspath(arguments.source)
        self.build = os.path.abspath(arguments.build)
        self.files = "/dev/shm" if os.access("/dev/shm", os.W_OK) else directory
        self.disk = directory
        self.count = COUNT // 10 if arguments.quick else COUNT
        self.rounds = 3 if arguments.quick else ROUNDS
        self.program = os.path.join(self.build, "tests/bench/bench-one")

    def base_program(self):
        """The same works with another library."""
        base = os.path.abspath(self.arguments.base)
        here = os.path.join(self.source, "tests/bench")
        return compile_program(
            "bench-base",
            [f"{here}/{name}.c" for name in ("bench-one", "bench-base", "bench-write",
                                             "bench-project", "bench-no-otf2")],
            [f"-I{self.source}", f"-I{base}/source/HDTraceWritingCLibrary/include",
             f"-I{self.build}", f"{base}/build/.libs/libhdTracing.a",
             "-lpthread", "-ldl", "-lm"])

    def sides(self):
        ours = Side("HDTrace", [self.program, "hdtrace"], self.files)
        yield ours
        yield Floor("floor", [self.program, "floor"], self.files, ours)
        if self.arguments.base:
            yield Side("before", [*self.base_program(), "hdtrace"], self.files)
        yield Side("OTF2", [self.program, "otf2"], self.files)
        yield Side("OTF2, pool", [self.program, POOL, "otf2"], self.files)
        try:
            yield Lttng(self.source, self.build, self.files)
        except (Missing, OSError, ValueError) as why:
            print(f"writing: LTTng-UST: left out: {why}", file=sys.stderr)

    def instructions(self, side, work):
        # Quickly: one work, to see that it can be done.
        if not shutil.which("valgrind") or self.arguments.quick and work != "bare":
            return None
        try:
            return side.instructions(work)
        except Missing:
            return None

    def print_writing(self):
        began = load()
        sides = list(self.sides())
        try:
            samples = in_turns(sides, WORKS, self.count, self.rounds)
            counted = {(work, side.name): self.instructions(side, work)
                       for work in WORKS for side in sides}
            sizes = {(work, side.name): side.bytes.get(work)
                     for work in WORKS for side in sides}
        finally:
            for side in sides:
                side.close()
        names = [side.name for side in sides]
        print("\nWriting: ns an operation, until everything is with the system; medians of "
              f"{self.rounds} turns of {self.count:,} operations.\n")
        print(f"{machine(self.files)} Load {began:.1f} when it began, {load():.1f} when it "
              "ended.\n")
        print(f"| Work | | {' | '.join(names)} |\n|---|---|{'--:|' * len(names)}")
        worst = {}
        for work, title in WORKS.items():
            for figure, what in (("thread", "calling thread"), ("process", "process"),
                                 ("wall", "time passed")):
                cells = []
                for name in names:
                    median, mad = spread(samples[work, name][figure])
                    cells.append(f"{median:.1f}")
                    worst[figure] = max(worst.get(figure, 0), mad)
                print(f"| {title if figure == 'thread' else ''} | {what} | "
                      f"{' | '.join(cells)} |")
            for what, values in (("instructions", counted), ("bytes", sizes)):
                cells = (values[work, name] for name in names)
                print(f"| | {what} | "
                      f"{' | '.join('' if v is None else f'{v:.0f}' for v in cells)} |")
        print("\nMAD is at most {thread:.0%} of the calling thread's, {process:.0%} of the "
              "process's, {wall:.0%} of the time passed.".format(**worst))
        if max(worst["thread"], worst["process"]) > 0.05:
            print("The machine was not calm: differences of less than that are none.")
        self.print_targets(samples, names)
        self.print_above_floor(samples, names)
        if self.arguments.csv:
            self.save(samples, counted, sizes)

    def print_targets(self, samples, names):
        print("\n| Target | | At most | Measured | |\n|---|---|--:|--:|---|")
        for work, figure, other, limit in TARGETS:
            if other not in names:
                continue
            ratios = [a / b for a, b in zip(samples[work, "HDTrace"][figure],
                                            samples[work, other][figure])]
            measured, verdict = judge(ratios, limit)
            what = "calling thread" if figure == "thread" else figure
            print(f"| {WORKS[work]} | {what} : {other} | {limit:.2f} | {measured} | "
                  f"{verdict} |")

    def print_above_floor(self, samples, names):
        """What is left, and what a target would leave: below the floor nobody comes."""
        print("\n| Process, ns | Floor | HDTrace | Above it "
              + "".join(f"| Floor : {n} " for n in names if n.startswith("OTF2"))
              + "|\n|---|--:|--:|--:" + "|--:" * sum(n.startswith("OTF2") for n in names)
              + "|")
        for work, title in WORKS.items():
            ours = statistics.median(samples[work, "HDTrace"]["process"])
            floor = statistics.median(samples[work, "floor"]["process"])
            cells = "".join(
                f"| {floor / statistics.median(samples[work, n]['process']):.2f} "
                for n in names if n.startswith("OTF2"))
            print(f"| {title} | {floor:.1f} | {ours:.1f} | {ours - floor:.1f} {cells}|")

    def save(self, samples, counted, sizes):
        with open(self.arguments.csv, "w", encoding="ascii", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["work", "side", "figure", "median", "mad", "least", "most"])
            for (work, side), figures in samples.items():
                for figure, values in figures.items():
                    median, mad = spread(values)
                    rows.writerow([work, side, f"{figure}_ns", f"{median:.2f}", f"{mad:.4f}",
                                   f"{min(values):.2f}", f"{max(values):.2f}"])
                for name, values in (("instructions", counted), ("bytes", sizes)):
                    if values[work, side] is not None:
                        rows.writerow([work, side, name, f"{values[work, side]:.2f}", "", "",
                                       ""])

    # ---- Why machines differ -------------------------------------------------

    def variants(self):
        """Titles and sides; the first of each table is as shipped."""
        def ours(title, *options, files=None, **environment):
            return Side(title, [self.program, *options, "hdtrace"], files or self.files,
                        environment)

        def otf2(title, *options, files=None, **environment):
            return Side(title, [self.program, *options, "otf2"], files or self.files,
                        environment)

        huge = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
        kind, memory = file_system(self.disk), file_system(self.files)
        yield "HDTrace", [
            ours(f"as shipped: 256 KiB, 1 MiB once that was full, {memory}"),
            *(ours(f"buffer of {kib} KiB", HDTRACE_BUFFER_SIZE_KB=str(kib))
              for kib in (64, 256, 1024, 4096)),
            ours("256 KiB, and the thread writes memory that nobody touches", "--own-memory",
                 HDTRACE_BUFFER_SIZE_KB="256"),
            ours("buffer that holds all: fresh memory", HDTRACE_BUFFER_SIZE_KB="262144",
                 HDTRACE_FLUSH_MS="600000"),
            *([ours("background thread on another processor", "--cores=0,1")]
              if os.cpu_count() > 1 else []),
            ours("background thread on the same one", "--cores=0,0"),
            ours("no background thread", "--no-thread"),
            *([ours(f"files in {kind}", files=self.disk)] if kind != memory else []),
        ]
        yield "OTF2", [
            otf2(f"as shipped: 128 MiB, fresh, chunks of 1 MiB, {memory}"),
            otf2("fresh, chunks of 256 KiB", "--chunk=256"),
            otf2("fresh, chunks of 16 MiB", "--chunk=16384"),
            otf2("the same in huge pages", "--chunk=16384", **huge),
            otf2("128 MiB, touched before", "--pool=128"),
            otf2("16 MiB, used again", "--pool=16"),
            otf2("2 MiB, used again", "--pool=2"),
            otf2("512 KiB, used again, chunks of 256 KiB", "--chunk=256", "--pool=2"),
            *([otf2(f"as shipped, files in {kind}", files=self.disk)]
              if kind != memory else []),
        ]

    def print_why(self):
        began = load()
        tables = list(self.variants())
        sides = [side for _, list_ in tables for side in list_]
        works = ("bare", "entry")
        samples = in_turns(sides, works, self.count, self.rounds)
        print(f"\nWhy machines differ: ns an operation, medians of {self.rounds} turns of "
              f"{self.count:,} operations.\n")
        print(f"{machine(self.files)} Load {began:.1f} when it began, {load():.1f} when it "
              "ended.")
        for title, list_ in tables:
            print(f"\n| {title} | Bare state: thread | process | time passed | "
                  "hdS_writeEntry(), metric: thread | process | time passed |\n"
                  "|---|--:|--:|--:|--:|--:|--:|")
            for side in list_:
                if side not in sides:
                    continue
                cells = (f"{statistics.median(samples[work, side.name][figure]):.1f}"
                         for work in works for figure in FIGURES)
                print(f"| {side.name} | {' | '.join(cells)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("build")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--base")
    parser.add_argument("--csv", type=os.path.abspath)
    parser.add_argument("--why", action="store_true")
    arguments = parser.parse_args()
    for name in list(os.environ):
        if name.startswith("HDTRACE_"):
            del os.environ[name]
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(arguments, directory)
        if arguments.base:
            arguments.base = os.path.abspath(arguments.base)
        os.chdir(directory)
        try:
            if arguments.why:
                bench.print_why()
            else:
                bench.print_writing()
        except Missing as why:
            sys.exit(f"writing: {why}")


if __name__ == "__main__":
    main()
