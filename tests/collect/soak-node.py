#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Daemons of nodes for a long time, with faults: BUILD SECONDS DAEMONS. Of sixteen,
one is killed and begun again, one is stopped for some seconds, one is restarted, one
has its clock set, and one is a node of software that is wrong in some way; a power
service simulates 100 W for each. hdnode collect records them all. It must never wait
longer than its timeout, nothing may grow, and joules must be those of the law.

Runs in the current directory, in a network namespace of its own."""
import json
import os
import signal
import subprocess
import sys
import threading
import time

build, seconds, count = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
here = os.path.dirname(os.path.abspath(__file__))
hdnode, pt, hdtrace = (os.path.join(build, n) for n in ("hdnode", "pt", "hdtrace"))
setclock = os.path.join(build, "tests/collect/setclock.so")
WATTS, CYCLE, TIMEOUT, INTERVAL = 100, 0.01, 2, 0.5
KILLED, STOPPED, RESTARTED, STEPPED, HOSTILE = range(5)
MODES = "magic version pong deep json list huge tag type short half close silent mute"
environment = {k: v for k, v in os.environ.items() if not k.startswith("HDNODE")}
children = []
assert os.path.exists(setclock)


def begin(command, log, env=environment):
    with open(log, "a") as file:
        child = subprocess.Popen(command, stdout=file, stderr=file, env=env)
    children.append(child)
    return child


def until(what, log):
    deadline = time.monotonic() + 120
    while what not in open(log).read():
        assert time.monotonic() < deadline, (what, open(log).read())
        time.sleep(0.02)
    return open(log).read()


def memory(pid):
    """kB; None: it is gone."""
    try:
        with open("/proc/%d/status" % pid) as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1])
    except OSError:
        pass
    return None


class Daemon:
    def __init__(self, number):
        self.number, self.port = number, 0
        self.role = number % 16
        self.name = "node%02d" % number
        self.breaks = 0  # Of its record.
        self.begin()

    def begin(self):
        log = self.name + ".log"
        self.breaks += 1
        open(log, "w").close()
        env = dict(environment)
        if self.role == STEPPED:
            env.update(LD_PRELOAD=setclock, HD_SET_CLOCK=self.name + ".clock")
        self.child = begin([hdnode, "--listen=127.0.0.1:%d" % self.port,
                            "--name=" + self.name, "--smartctl=", "--interval=0.2",
                            "--power=unix:" + os.path.abspath("power")], log, env)

    def serve(self):
        said = until("serving at", self.name + ".log")
        self.port = int(said.split("serving at ")[1].split()[0].rpartition(":")[2])

    def fault(self, round_):
        if self.role == STEPPED:
            self.breaks += 1
        if self.role == KILLED:
            self.child.kill()
            self.child.wait()
            self.begin()
        elif self.role == RESTARTED:
            self.child.terminate()
            assert self.child.wait(30) == 0
            self.begin()
        elif self.role == STOPPED:
            self.child.send_signal(signal.SIGCONT if round_ % 2 else
                                   signal.SIGSTOP)
        elif self.role == STEPPED:
            with open(self.name + ".new", "w") as file:
                file.write("%d" % (0, 7200, -3600, 86400)[round_ % 4])
            os.rename(self.name + ".new", self.name + ".clock")


def site():
    lines = "".join("[Line]\ndevice=d\nnode=node%02d\nchannel=1\nname=l%d\nvalues=P,E\n" %
                    (i, i) for i in range(count))
    with open("site.cfg", "w") as file:
        file.write("[Server]\nlisten=unix:%s\n[Device]\nname=d\ndriver=sim\ncycle=10\n"
                   "law=idle:%d,busy:%d\n%s" %
                   (os.path.abspath("power"), WATTS, WATTS, lines))


class Watcher(threading.Thread):
    """Looks at what the collector says, as it says it."""

    def __init__(self, stream):
        super().__init__(daemon=True)
        self.stream, self.pulls, self.longest = stream, 0, 0
        self.answered = {}

    def run(self):
        for line in self.stream:
            said = json.loads(line)
            self.pulls += 1
            self.longest = max(self.longest, said["took_s"])
            for node in said["nodes"]:
                if node["state"] == "ok":
                    name = node["name"]
                    self.answered[name] = self.answered.get(name, 0) + 1


def slope(samples):
    """By what part of the mean it grows from begin to end, of a straight line."""
    n = len(samples)
    mean = sum(samples) / n
    middle = (n - 1) / 2
    rise = sum((i - middle) * (s - mean) for i, s in enumerate(samples)) / \
        sum((i - middle) ** 2 for i in range(n))
    return rise * (n - 1) / mean


def energies(project):
    """Energy and known time of each node."""
    said = subprocess.run([hdtrace, "report", "--format=json", project],
                          stdout=subprocess.PIPE, check=True)
    document = json.loads(said.stdout)
    found = {}
    for group in document["groups"]:
        for value in group["values"]:
            if value.get("unit") == "J" and value.get("known_s"):
                found[group.get("node", group.get("path"))] = \
                    (value["total"], value["known_s"])
    return found


def run():
    site()
    service = begin([pt, "--quiet", "--config=site.cfg"], "pt.log")
    deadline = time.monotonic() + 60
    while not os.path.exists("power"):
        assert time.monotonic() < deadline and service.poll() is None
        time.sleep(0.02)
    daemons = [Daemon(i) for i in range(count) if i % 16 != HOSTILE]
    for daemon in daemons:
        daemon.serve()
    open("soft.log", "w").close()
    modes = MODES.split()
    modes = [modes[i % len(modes)] for i in range(max(1, count // 16))]
    begin([sys.executable, os.path.join(here, "node.py"), *modes], "soft.log")
    soft = [line.split()[-1] for line in until("serving at", "soft.log").splitlines()
            if not line.startswith("serving")]
    # A short run ends before buffers of the usual size are full once.
    small = {} if seconds >= 1800 else {"HDTRACE_BUFFER_SIZE_KB": "4"}
    collector = subprocess.Popen(
        [hdnode, "collect", "--project=soak", "--format=json",
         "--interval=%g" % INTERVAL, "--timeout=%g" % TIMEOUT,
         *("127.0.0.1:%d" % d.port for d in daemons),
         *("127.0.0.1:" + p for p in soft)], stdout=subprocess.PIPE)
    children.append(collector)
    watcher = Watcher(collector.stdout)
    watcher.start()
    steady = [d.child.pid for d in daemons if d.role > HOSTILE]
    steady += [service.pid, collector.pid]
    sizes = {pid: [] for pid in steady}
    began, round_ = time.monotonic(), 0
    while time.monotonic() - began < seconds:
        time.sleep(1)
        for pid in steady:
            sizes[pid].append(memory(pid))
        # A daemon that has begun again has power after a second or two.
        if time.monotonic() - began > (round_ + 1) * max(5, min(30, seconds / 60)):
            round_ += 1
            for daemon in daemons:
                daemon.fault(round_)
    for daemon in daemons:
        if daemon.role == STOPPED:
            daemon.child.send_signal(signal.SIGCONT)
    assert collector.poll() is None
    collector.send_signal(signal.SIGTERM)
    collector.wait(60)
    watcher.join(60)
    judge(daemons, watcher, sizes)


def judge(daemons, watcher, sizes):
    print("%d pulls of %d nodes in %g s; the longest took %.3f s" %
          (watcher.pulls, count, seconds, watcher.longest))
    # Its own work is not in the timeout.
    assert watcher.longest <= TIMEOUT + 0.5, watcher.longest
    # All are there whenever they can be.
    for daemon in daemons:
        assert watcher.answered.get(daemon.name, 0) > 0, daemon.name
        if daemon.role > HOSTILE:
            assert watcher.answered[daemon.name] >= 0.9 * watcher.pulls, \
                (daemon.name, watcher.answered[daemon.name])
    grown = []
    for pid, samples in sizes.items():
        assert None not in samples, pid
        # Buffers are used from their beginning: pages of them are touched once.
        # The collector adds 40 bytes per second to a file of energies, whose
        # buffer of 16 KiB takes seven minutes.
        grown.append(slope(samples[len(samples) // 2:]))
    print("memory in the second half grows by: daemons %.2f %% at most, power "
          "service %.2f %%, collector %.2f %%" %
          (100 * max(grown[:-2]), 100 * grown[-2], 100 * grown[-1]))
    assert max(grown) <= (0.01 if seconds >= 300 else 0.3), grown
    found = energies("soak")
    print("energies of %d nodes" % len(found))
    worst, most = [0] * 16, 0
    for daemon in daemons:
        energy = [e for n, e in found.items() if daemon.name in str(n)]
        assert energy, (daemon.name, list(found)[:5])
        for joules, known in energy:
            off = abs(joules / known / WATTS - 1)
            worst[daemon.role] = max(worst[daemon.role], off)
            # When a reading has ended is known to a cycle, at both ends of what
            # is recorded without a break.
            most = max(most, off - 2 * daemon.breaks * CYCLE / known)
    print("joules are off by: killed %.4f %%, stopped %.4f %%, restarted %.4f %%, "
          "clock set %.4f %%, others %.4f %%" %
          (*(100 * w for w in worst[:4]), 100 * max(worst[5:])))
    assert most <= 1e-3, (worst, most)
    said = subprocess.run([hdtrace, "check", "soak"], stdout=subprocess.PIPE,
                          check=False)
    print(said.stdout.decode()[-2000:])
    assert b" 0 errors" in said.stdout


try:
    run()
finally:
    for child in children:
        if child.poll() is None:
            child.kill()
