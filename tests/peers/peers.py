#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The same mapped graphs in hdpredict and in programs of others.

usage: peers.py HDPREDICT DIRECTORY PEERS chains|random FIRST COUNT
       peers.py HDPREDICT DIRECTORY PEERS cholesky TILES...

PEERS is where peer-simgrid and peer-systemc are, or one of them. All is without
slowdown, which they have not. Of `cholesky`, a table is printed: makespan, time
of the simulation (of hdpredict, of the whole command, which reads XML), memory.
"""
import json
import math
import os
import random
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "predict"))
import compare  # noqa: E402

# All that SimGrid's models have of TCP is switched off.
SIMGRID = ["--cfg=network/model:CM02", "--cfg=network/TCP-gamma:0", "--cfg=network/crosstraffic:0",
           "--cfg=network/bandwidth-factor:1", "--cfg=network/latency-factor:1",
           "--cfg=network/weight-S:0", "--log=root.thres:critical"]
# Its default, Lazy, is faster and misses some of what it shares anew.
EXACT = ["--cfg=network/optim:Full", "--cfg=maxmin/precision:1e-9"]
RESOURCES = """<resource-model>
<entry kernel="MATSRC" architecture="core" time="0" energy="0"/>
<entry kernel="MATSINK" architecture="core" time="0" energy="0"/>
<entry kernel="POTRF" architecture="core" time="0.024" energy="0"/>
<entry kernel="TRSM" architecture="core" time="0.325" energy="0"/>
<entry kernel="SYRK" architecture="core" time="0.424" energy="0"/>
<entry kernel="GEMM" architecture="core" time="1.157" energy="0"/>
</resource-model>
"""


class Run:
    def __init__(self, hdpredict, directory, peers):
        self.hdpredict, self.directory, self.peers = hdpredict, directory, peers
        self.names = [f"{directory}/{n}.xml" for n in ("graph", "platform", "resources")]

    def write(self, models):
        for name, lines in zip(self.names, models):
            with open(name, "w", encoding="utf-8") as file:
                file.write("\n".join(lines))

    def call(self, command, text=None):
        """Output, s and kB; SystemExit if it fails."""
        begin = time.monotonic()
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as run:
            out, err = run.communicate(text)
            if run.returncode:
                sys.exit(f"# {' '.join(command)}: exit {run.returncode}: {err}{out}")
        return out, time.monotonic() - begin

    def ours(self, comm):
        """Makespan, s, kB; None: a deadlock."""
        command = [self.hdpredict, "simulate", self.names[0], "--platform", self.names[1],
                   "--resources", self.names[2], "--slowdown", "off", "--comm", comm,
                   "--format=json"]
        if os.access("/usr/bin/time", os.X_OK):
            command = ["/usr/bin/time", "-f", "%M", *command]
        begin = time.monotonic()
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        spent = time.monotonic() - begin
        if run.returncode == 1 and "deadlock" in run.stderr:
            return None
        if run.returncode:
            sys.exit(f"# exit {run.returncode}: {run.stderr}")
        memory = int(run.stderr.split()[-1]) if command[0] == "/usr/bin/time" else math.nan
        return json.loads(run.stdout)["makespan_s"], spent, memory

    def flat(self):
        with open(f"{self.directory}/flat", "w", encoding="utf-8") as file:
            subprocess.run([sys.executable, f"{HERE}/flat.py", *self.names], stdout=file, check=True)

    def theirs(self, name, options=()):
        """Makespan, s, kB."""
        path = f"{self.peers}/peer-{name.split()[0]}"
        if name == "systemc":
            command = [path, f"{self.directory}/flat"]
        else:
            command = [path, name.split()[1], f"{self.directory}/flat", *SIMGRID, *options]
        makespan, spent, memory = self.call(command)[0].splitlines()[-1].split()
        return float(makespan), float(spent), int(memory)

    def has(self, name):
        return os.access(f"{self.peers}/peer-{name.split()[0]}", os.X_OK)


PAIRS = (("simgrid naive", "share"), ("simgrid fair", "exclusive"), ("systemc", "exclusive"))


def make_platform(rng, are_alike):
    """All packets are of one size: bytes, which SimGrid knows, are packets then.

    Bridges that are alike have one latency each: SimGrid gives those messages
    more of a link whose path has less latency, as TCP does; hdpredict does not.
    """
    platform, pes = compare.make_platform(rng, False)
    platform = [e.replace('packet-size="65536"', 'packet-size="1492"') for e in platform]
    if are_alike:
        platform = [re.sub('init-latency="[0-9]*"', 'init-latency="1000000"', e)
                    .replace('architecture="unknown"', 'architecture="b0out"') for e in platform]
    return platform, pes


def chain(rng):
    """One message at a time: each task needs what the one before made."""
    platform, pes = make_platform(rng, False)
    count = rng.randint(2, 40)
    graph = ['<application><kernel id="k"><variable id="n"/><variable id="m"/><input id="i" size="n"/>'
             '<output id="o" size="m"/></kernel><kernel id="s"><variable id="m"/>'
             '<output id="o" size="m"/></kernel>']
    # What takes no bytes takes no time in SimGrid, but for us the latencies.
    sizes = [rng.choice((1, 1000, 1492, 1493, 100000, 1 << 20)) for _ in range(count)]
    for t in range(count):
        kernel = "k" if t else "s"
        graph.append(f'<task id="t{t}" kernel="{kernel}"><assign var="m" val="{sizes[t]}"/>'
                     + (f'<assign var="n" val="{sizes[t - 1]}"/>' if t else "")
                     + f'<map pe="{rng.choice(pes)[0]}" priority="{t}"/></task>')
        if t:
            graph.append(f'<dependency predecessor="t{t - 1}" successor="t{t}" src="o" dest="i"/>')
    resources = ["<resource-model>"] + [
        f'<entry kernel="{k}" architecture="{a}" time="{rng.uniform(0, 3)!r}" energy="0"/>'
        for k in "ks" for a in ("a0", "a1")] + ["</resource-model>"]
    return graph + ["</application>"], platform, resources


def random_model(rng):
    """Each task has a kernel, and so a time, of its own: nothing ends at the same
    time as something else, of which SimGrid tells one after the other, and a
    message with a higher number could begin first."""
    platform, pes = make_platform(rng, True)
    costs = {}
    # Whole packets, or bytes of which messages get the same were not the same.
    compare.SIZES = (1492, 2984, 14920, 149200, 1492000)
    # Of files, and of tasks on several PEs, peers know nothing.
    graph = [re.sub('<map pe="([^",]*),[^"]*"', r'<map pe="\1"', re.sub("<io [^>]*>", "", e))
             for e in compare.make_graph(rng, pes, costs, rng.choice((10, 30, 100)))]
    kernels = {e.split('"')[1]: e for e in graph if e.startswith("<kernel")}
    places = dict(pes)
    out, entries = [], ["<resource-model>"]
    for e in graph:
        if e.startswith("<kernel"):
            continue
        if e.startswith("<task"):
            task, kernel, pe = (e.split(f'{w}="')[1].split('"')[0] for w in ("id", "kernel", "pe"))
            e = e.replace(f'kernel="{kernel}"', f'kernel="{kernel}.{task}"')
            out.append(kernels[kernel].replace(f'id="{kernel}"', f'id="{kernel}.{task}"', 1))
            entries.append(f'<entry kernel="{kernel}.{task}" architecture="{places[pe]}" '
                           f'time="{rng.uniform(0, 3)!r}" energy="0"/>')
        out.append(e)
    return out, platform, entries + ["</resource-model>"]


def agree(run, kind, first, count):
    equal, apart = {p: 0 for p, _ in PAIRS}, {p: [] for p, _ in PAIRS}
    deadlocks = 0
    for seed in range(first, first + count):
        rng = random.Random(seed)
        run.write(chain(rng) if kind == "chains" else random_model(rng))
        if run.ours("exclusive") is None:
            deadlocks += 1
            continue
        run.flat()
        for peer, comm in PAIRS:
            if not run.has(peer):
                continue
            mine, other = run.ours(comm)[0], run.theirs(peer, EXACT)[0]
            if math.isclose(mine, other, rel_tol=1e-8, abs_tol=1e-8):
                equal[peer] += 1
            else:
                apart[peer].append((seed, mine, other))
    for peer, comm in PAIRS:
        if run.has(peer):
            print(f"# {peer} = {comm}: {equal[peer]} equal, {len(apart[peer])} not; "
                  f"{deadlocks} deadlocks", *apart[peer][:4])
    return equal, apart


def cholesky(run, tiles):
    hd = run.hdpredict
    run.write(["", "", RESOURCES])
    platform = run.call([hd, "platform", "--topology", "star", "--nodes", "10", "--pes", "5",
                         "--init-latency", "500000", "--packet-latency", "100000",
                         "--packet-size", "1492"])[0]
    print("# tiles | who | makespan s | simulation s | memory MB")
    worst = 0
    for n in tiles:
        graph = run.call([hd, "generate", "cholesky", "--tiles", str(n), "--tile-size", "256"])[0]
        run.write([graph.splitlines(), platform.splitlines(), [RESOURCES]])
        graph = run.call([hd, "map", run.names[0], "--platform", run.names[1],
                          "--resources", run.names[2]])[0]
        run.write([graph.splitlines(), platform.splitlines(), [RESOURCES]])
        run.flat()
        found = {c: run.ours(c) for c in ("exclusive", "share")}
        for comm in found:
            print(f"# {n} | hdpredict {comm} | %.3f | %.3f | %.1f"
                  % (*found[comm][:2], found[comm][2] / 1024))
        for peer, comm in PAIRS:
            if not run.has(peer) or ("simgrid" in peer and n > 40):
                continue
            got = run.theirs(peer)
            print(f"# {n} | {peer} | %.3f | %.3f | %.1f" % (*got[:2], got[2] / 1024),
                  f"| {100 * (got[0] / found[comm][0] - 1):+.3f} % of {comm}", flush=True)
            worst = max(worst, abs(got[0] / found[comm][0] - 1))
    return worst


def main():
    run = Run(*sys.argv[1:4])
    if sys.argv[4] == "cholesky":
        sys.exit(cholesky(run, [int(n) for n in sys.argv[5:]]) > 0.05)
    equal, apart = agree(run, sys.argv[4], int(sys.argv[5]), int(sys.argv[6]))
    # SystemC's model overlaps messages to one receiver: only chains are equal.
    wanted = [p for p, _ in PAIRS if run.has(p) and (sys.argv[4] == "chains" or p != "systemc")]
    sys.exit(not wanted or any(apart[p] or not equal[p] for p in wanted))


main()
