#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Levels of hdload, as a reader of the kernel's counters sees them.

    verify-levels.py HDLOAD [--level-time=S] [--alone] [PART...]

A part is a staircase of eleven levels: one (one CPU), all (all CPUs), beside (all CPUs,
beside stress-ng --cpu-load=20), memory, network (over a pair of interfaces), write,
sync. Each prints a table: target, reached as hdload recorded it, counted by this
program from 2 s after the step on, and the difference of counted and target, in points.
CPU levels may differ by 1 point and others by 3, or the exit status is 1. Beside stress-ng,
which the scheduler moves between CPUs, this is the mean of the CPUs (--together).

Other programs make low CPU levels impossible. With --alone (as root, cgroups of version
1), hdload runs in a control group of its own and at the nice value -20, and sees a
/proc/stat and a /sys/fs/cgroup that count this group only. Counted is then the CPU time of the group.

Network traffic is that of the interface in /proc/net/dev, disk traffic is that of
/proc/PID/io. For memory, which /proc does not count, the CPU time of the process in
/proc/PID/stat is compared with the CPU time at 100 %."""
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

hdload = os.path.abspath(sys.argv[1])
options = dict(o[2:].partition("=")[::2] for o in sys.argv[2:] if o.startswith("--"))
parts = [o for o in sys.argv[2:] if not o.startswith("--")] or [
    "one", "all", "beside", "memory", "network", "write", "sync"]
level_time = float(options.get("level-time", 8))
ALONE = "alone" in options
GROUP = f"/sys/fs/cgroup/cpuacct/hdload-{os.getpid()}"
CPUS = sorted(os.sched_getaffinity(0))
TICK = os.sysconf("SC_CLK_TCK")
SETTLE = 2.0


class Counters(threading.Thread):
    """Samples of counters: (time, {name: value})."""

    def __init__(self, read):
        super().__init__(daemon=True)
        self.read, self.samples, self.isOver = read, [], False

    def run(self):
        while not self.isOver:
            try:
                values = self.read()
            except (OSError, IndexError):
                values = None
            if values is not None:
                self.samples.append((time.time(), values))
            time.sleep(0.02)

    def at(self, moment):
        before = after = self.samples[0]
        for sample in self.samples:
            if sample[0] >= moment:
                after = sample
                break
            before = after = sample
        span = after[0] - before[0]
        part = (moment - before[0]) / span if span > 0 else 0
        return {k: v + part * (after[1][k] - v) for k, v in before[1].items()}

    def rate(self, start, end):
        a, b = self.at(start), self.at(end)
        return {k: (b[k] - a[k]) / (end - start) for k in a}


def group_usage():
    """CPU time of the group, of each CPU, in s."""
    with open(f"{GROUP}/cpuacct.usage_percpu") as file:
        return {cpu: int(v) / 1e9 for cpu, v in enumerate(file.read().split())}


def stat_usage():
    """Busy time of each CPU without steal, in s."""
    found = {}
    with open("/proc/stat") as file:
        for line in file:
            word = line.split()
            if re.fullmatch(r"cpu\d+", word[0]):
                t = [int(i) for i in word[1:9]]
                found[int(word[0][3:])] = (sum(t[:3]) + t[5] + t[6]) / TICK
    return found


class Shown(threading.Thread):
    """A /proc/stat that counts the group."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.file = open(path, "w+b", buffering=0)
        self.start_s, self.first, self.isOver = time.monotonic(), group_usage(), False
        self.write()

    def write(self):
        usage, passed = group_usage(), time.monotonic() - self.start_s
        rows, sums = [], [0, 0]
        for cpu in CPUS:
            busy = min(usage[cpu] - self.first[cpu], passed)
            row = [round(busy * TICK), round((passed - busy) * TICK)]
            rows.append((f"cpu{cpu}", *row))
            sums = [a + b for a, b in zip(sums, row)]
        text = "".join(f"{name} {busy:10d} 0 0 {idle:10d} 0 0 0 0 0 0\n"
                       for name, busy, idle in [("cpu", *sums)] + rows)
        os.pwrite(self.file.fileno(), text.encode(), 0)

    def run(self):
        while not self.isOver:
            self.write()
            time.sleep(0.005)


def into_group():
    with open(f"{GROUP}/cgroup.procs", "w") as file:
        file.write(str(os.getpid()))
    os.nice(-20)


def levels(project):
    """Of the project: (start, end, target, reached), in s and percent."""
    host = re.sub(r"[^A-Za-z0-9.]", "-", os.uname().nodename)
    text = open(f"{project}_{host}.trc").read().replace("\n", "")
    base = float(re.search(r"timeAdjustment='([\d.]+)'", text).group(1))
    found = []
    for item in re.findall(r"<Level [^>]*>", text):
        value = dict(re.findall(r"(\w+)='([^']*)'", item))
        if "calibration" not in value:
            found.append((base + float(value["time"]), base + float(value["end"]),
                          float(value["target"]), float(value.get("reached", "nan"))))
    return found


def run(name, arguments, read, counted, tolerance, prefix=(), least=0):
    """Run a staircase; counted(rates, all of them) gives the load in percent. Levels below
    the least one cannot be reached, because others use as much."""
    command = [*prefix, hdload, "-q", "--levels=10", f"--level-time={level_time}s",
               "--pause=0", "-f", "-p", "levels", *arguments]
    shown = None
    if ALONE:
        shown = Shown("stat")
        shown.start()
        usage_file = "/cpuacct.usage_percpu"
        command = ["unshare", "-m", "sh", "-c", "mount --bind stat /proc/stat && mount --bind "
                   f"{GROUP}{usage_file} {os.path.dirname(GROUP)}{usage_file} && "
                   'exec "$@"', "x", *command]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True,
                             preexec_fn=into_group if ALONE else None)
    counters = Counters(lambda: read(child.pid))
    counters.start()
    said = child.communicate()[1]
    counters.isOver = True
    counters.join()
    if shown:
        shown.isOver = True
        shown.join()
    rows = levels("levels")
    rates = [counters.rate(start + SETTLE, end - 0.05) for start, end, _, _ in rows]
    load = open("/proc/loadavg").read().split()[0]
    print(f"\n{name}: levels of {level_time:g} s, load average {load}"
          f"{', alone in its group' if ALONE else ''}, exit status {child.returncode}\n")
    print("| Target, % | Reached, % | Counted, % | Difference, points |\n|--:|--:|--:|--:|")
    worst = 0
    for (_, _, target, reached), rate in zip(rows, rates):
        load = counted(rate, rates)
        if target >= least:
            worst = max(worst, abs(load - target))
        print(f"| {target:.0f} | {reached:.2f} | {load:.2f} | {load - target:+.2f} |")
    isGood = len(rows) == 11 and worst <= tolerance
    print(f"\nLargest difference: {worst:.2f} points, at most {tolerance}: "
          f"{'reached' if isGood else 'missed'}")
    sys.stdout.write(said)
    sys.stdout.flush()
    return isGood


def of_cpus(cpus):
    def counted(rate, _):
        return 100 * sum(rate[cpu] for cpu in cpus) / len(cpus)

    return counted


def usage(_):
    return group_usage() if ALONE else stat_usage()


def process_time(pid):
    words = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return {"cpu": (int(words[11]) + int(words[12])) / TICK}


def process_io(pid):
    return {k: int(v) for k, v in (line.split(": ") for line in open(f"/proc/{pid}/io"))}


def interface(pid):
    for line in open(f"/proc/{pid}/net/dev"):
        if "v0:" in line:
            return {"out": int(line.split(":")[1].split()[8])}
    return None


def of_full(key):
    return lambda rate, rates: 100 * rate[key] / max(r[key] for r in rates)


def network():
    a, b = f"hdl{os.getpid()}a", f"hdl{os.getpid()}b"
    commands = [f"ip netns add {a}", f"ip netns add {b}",
                f"ip link add v0 netns {a} type veth peer name v1 netns {b}",
                f"ip -n {a} addr add 10.9.9.1/24 dev v0",
                f"ip -n {b} addr add 10.9.9.2/24 dev v1",
                f"ip -n {a} link set v0 up", f"ip -n {b} link set v1 up"]
    try:
        for command in commands:
            subprocess.run(command.split(), check=True)
        return run("network", ["--staircase=network", "--peer=10.9.9.2", "--rate=20e6"],
                   interface, lambda rate, _: 100 * rate["out"] / 20e6, 3,
                   ("ip", "netns", "exec", a))
    finally:
        subprocess.run(["ip", "netns", "del", a], check=False)
        subprocess.run(["ip", "netns", "del", b], check=False)


def beside():
    other = subprocess.Popen(["stress-ng", "--cpu", str(len(CPUS)), "--cpu-load", "20",
                              "--quiet"], preexec_fn=into_group if ALONE else None)
    try:
        time.sleep(1)
        return run("all CPUs, beside stress-ng --cpu-load 20",
                   ["--staircase=cpu-int", "--calibrate=0", "--together"], usage,
                   of_cpus(CPUS), 1, least=30)
    finally:
        other.terminate()
        other.wait()


def part(name):
    if name == "one":
        return run("one CPU", [f"--cpus={CPUS[0]}", "--staircase=cpu-int", "--calibrate=0"],
                   usage, of_cpus(CPUS[:1]), 1)
    if name == "all":
        return run("all CPUs", ["--staircase=cpu-int", "--calibrate=0"], usage,
                   of_cpus(CPUS), 1)
    if name == "beside":
        return beside()
    if name == "memory":
        return run("memory bandwidth", ["--staircase=memory-bandwidth", "--calibrate=2"],
                   process_time, of_full("cpu"), 3)
    if name == "network":
        return network()
    if name == "write":
        return run("disk-write", ["--staircase=disk-write", "--rate=20e6", "--file-size=64"],
                   process_io, lambda rate, _: 100 * rate["write_bytes"] / 20e6, 3)
    if name == "sync":
        return run("disk-sync", ["--staircase=disk-sync", "--rate=200e3", "--file-size=4"],
                   process_io, lambda rate, _: 100 * rate["wchar"] / 200e3, 3)
    raise SystemExit(f"{name}: no such part")


def main():
    status = 0
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        if ALONE:
            os.mkdir(GROUP)
        try:
            for name in parts:
                if not part(name):
                    status = 1
        finally:
            os.chdir("/")
            for _ in range(50):
                try:
                    if ALONE:
                        os.rmdir(GROUP)
                    break
                except OSError:
                    time.sleep(0.1)
    sys.exit(status)


main()
