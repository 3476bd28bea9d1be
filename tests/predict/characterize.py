#!/usr/bin/env python3
"""hdpredict characterize against declared truth.

characterize.py HDPREDICT DIRECTORY CASE [RUNS]

Projects are written here, byte by byte, by a law of power that is integrated
exactly: what kernels need is declared, and the model must say it again. No code
of HDTrace's has a part in that.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import bisect
import json
import math
import os
import random
import struct
import subprocess
import sys
import xml.etree.ElementTree

BASE = 1_700_000_000
HDPREDICT, DIRECTORY, CASE = sys.argv[1:4]
RUNS = int(sys.argv[4]) if len(sys.argv) > 4 else 1
PAUSE = 2.4


def fail(text):
    print(text)
    sys.exit(1)


def near(what, found, expected, part):
    """Within a part of the expected."""
    if found is None or not abs(found - expected) <= part * abs(expected):
        fail(f"{what}: {found}, expected {expected} within {100 * part} %")


class Host:
    """Power by steps, states of PEs, and a meter."""

    def __init__(self, label, pes=1, idle=60.0, scale=1.0, offset=0.0):
        self.label, self.idle = label, idle
        self.scale, self.offset = scale, offset
        self.states = [[] for _ in range(pes)]
        self.first = 0  # Its first rank.
        self.changes = []  # (time, change of power)

    def state(self, pe, start, end, name, power=0.0, **attributes):
        """A state that draws so much above idle."""
        self.states[pe].append((start, end, name, attributes))
        if power:
            self.changes += [(start, power), (end, -power)]

    def integral(self):
        """Energy above idle from the beginning, as a function of time."""
        times, sums, heights, height = [0.0], [0.0], [0.0], 0.0
        for time, change in sorted(self.changes):
            sums.append(sums[-1] + height * (time - times[-1]))
            times.append(time)
            height += change
            heights.append(height)

        def until(time):
            i = max(bisect.bisect_right(times, time) - 1, 0)
            return sums[i] + heights[i] * (time - times[i])
        return until


class Meter:
    """How power is recorded."""

    def __init__(self, cycle=0.05, delay=0.0, noise=0.0, drift=0.0, skew=0.0,
                 lose=(), gap=(), attributes=""):
        self.cycle, self.delay, self.noise = cycle, delay, noise
        self.drift, self.skew = drift, skew
        self.lose, self.gap, self.attributes = lose, gap, attributes


def stamp(time):
    ns = BASE * 10**9 + round(time * 1e9)
    return struct.pack(">II", ns // 10**9, ns % 10**9)


def write_meter(path, host, meter, length, rng):
    header = (
        '<Statistics>\n<TopologyNode>\n'
        f'  <Label value="{host.label}" />\n</TopologyNode>\n'
        f'<Group name="Energy" timestampDatatype="EPOCH"{meter.attributes}>\n'
        '  <Value name="P" type="DOUBLE" unit="W" grouping="Power" />\n'
        '</Group>\n</Statistics>\n').encode()
    until = host.integral()

    def late(time):
        """The stamp of what was drawn at a time: later, by another clock."""
        return time + meter.delay + meter.skew * (time - length / 2)

    with open(path, "wb") as out:
        out.write(b"%05d\n" % len(header) + header + stamp(late(0.0071)))
        gap = False
        for i in range(int((length - 0.1) / meter.cycle)):
            a, b = 0.0071 + i * meter.cycle, 0.0071 + (i + 1) * meter.cycle
            drift = meter.drift * (b / length) ** 1.5
            power = host.idle + drift + (until(b) - until(a)) / (b - a)
            power = host.scale * power + host.offset
            power += rng.gauss(0, meter.noise)
            if any(x <= b < y for x, y in meter.gap):
                gap = True
                continue
            if gap:
                out.write(b"\xff" * 8 + stamp(late(a)))
                gap = False
            if any(x <= b < y for x, y in meter.lose):
                power = math.nan
            out.write(stamp(late(b)) + struct.pack(">d", power))


def write_trace(path, states):
    with open(path, "w", encoding="ascii") as out:
        out.write(f"<Program timeAdjustment='{BASE}' "
                  "levels='Host Rank Thread'>\n")
        for start, end, name, attributes in states:
            text = "".join(f"{key}='{value}' "
                           for key, value in attributes.items())
            out.write(f"<{name} {text} time='{start:.9f}' end='{end:.9f}'/>\n")
        out.write("</Program>\n")


def write_project(name, hosts, meter, length, seed=1):
    """A project in the directory; a meter of None: no power."""
    rng, rank = random.Random(seed), 0
    path = os.path.join(DIRECTORY, name)
    nodes = ""
    for host in hosts:
        nodes += f'<Node name="{host.label}">'
        for states in host.states:
            write_trace(f"{path}_{host.label}_{rank}_0.trc", states)
            nodes += f'<Node name="{rank}"><Node name="0"/></Node>'
            rank += 1
        nodes += "</Node>"
        if meter:
            write_meter(f"{path}_{host.label}_Energy.stat", host, meter,
                        length, rng)
    with open(f"{path}.proj", "w", encoding="ascii") as out:
        out.write(f'<Application name="{name}"><Topology><Level type="Host">'
                  '<Level type="Rank"><Level type="Thread"/></Level></Level>'
                  f"{nodes}</Topology><ExternalStatistics>"
                  f"{'<Energy/>' if meter else ''}</ExternalStatistics>"
                  "</Application>\n")
    return path + ".proj"


def attributes_of(kernel, size, times):
    return {"kernel": kernel, "architecture": "A", "repetitions": times,
            "var.size": size}


# ---- What is declared -------------------------------------------------------

# Kernel, size: seconds, joules of one run.
TRUTH = {("gemm", 128): (0.011, 0.33), ("gemm", 256): (0.087, 3.1),
         ("trsm", 128): (0.0031, 0.05), ("load", 1): (4.0, 120.0)}
BATCH = 6.0


def measured_host(label, rng, rounds=3, **options):
    """A host on which each kernel is measured, with marks between; and the
    length of that."""
    host, time = Host(label, pes=2, **options), 1.0
    for _ in range(rounds):
        for (kernel, size), (seconds, joules) in TRUTH.items():
            host.state(0, time, time + PAUSE, "Pause")
            time += PAUSE + rng.random() * 0.7
            host.state(0, time, time + 0.5, "Mark", 35.0)
            time += 0.5
            host.state(0, time, time + PAUSE, "Pause")
            time += PAUSE
            times = max(round(BATCH / seconds), 1)
            one = seconds * rng.gauss(1, 0.003)
            host.state(0, time, time + times * one, "Batch", joules / one,
                       **attributes_of(kernel, size, times))
            time += times * one
    host.state(0, time, time + PAUSE, "Pause")
    return host, time + PAUSE + 1


# ---- Models -----------------------------------------------------------------

def characterize(projects, *options, status=0):
    """Run the command: what it says as JSON, resources, platform."""
    folder = os.path.join(DIRECTORY, "model")
    command = [HDPREDICT, "characterize", "--format=json", "-f", "-o", folder,
               *options, *projects]
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != status:
        fail(f"{command}: status {done.returncode}\n{done.stderr}")
    print(done.stderr)
    read = xml.etree.ElementTree.parse
    return (json.loads(done.stdout),
            read(os.path.join(folder, "resources.xml")).getroot(),
            read(os.path.join(folder, "platform.xml")).getroot())


def entries_of(resources):
    entries = {}
    for entry in resources.findall("entry"):
        size = entry.find("assign")
        key = (entry.get("kernel"), size is not None and
               int(size.get("val")))
        entries[key] = (float(entry.get("time")), float(entry.get("energy")))
    return entries


def expect(resources, truth, part_time=0.01, part_energy=0.01):
    entries = entries_of(resources)
    if sorted(entries) != sorted(truth):
        fail(f"entries {sorted(entries)}, expected {sorted(truth)}")
    for key, (seconds, joules) in truth.items():
        near(f"time of {key}", entries[key][0], seconds, part_time)
        near(f"energy of {key}", entries[key][1], joules, part_energy)


def expect_delay(found, cycle, delay):
    for meter in found["meters"]:
        if meter["delay"] != "estimated":
            fail(f"the delay is {meter['delay']}: {meter['reason']}")
        if abs(meter["delay_s"] - delay) > cycle / 10:
            fail(f"delay {meter['delay_s']} +/- {meter['delay_error_s']}, "
                 f"expected {delay} within {cycle / 10}")


def expect_exact(found, cycle):
    """What is said of how exact a delay is helps nobody if it is too much."""
    for meter in found["meters"]:
        if not 0 < meter["delay_error_s"] < cycle / 2:
            fail(f"error of a delay: {meter['delay_error_s']}")


def simulate(joules, seconds):
    """What is written is what simulate takes: a chain of two tasks."""
    graph = os.path.join(DIRECTORY, "graph.xml")
    with open(graph, "w", encoding="ascii") as out:
        out.write('<application><kernel id="gemm"><variable id="size"/>'
                  '<input id="i" size="8"/><output id="o" size="8"/></kernel>'
                  '<kernel id="trsm"><variable id="size"/>'
                  '<output id="o" size="8"/></kernel>'
                  '<task id="a" kernel="trsm"><assign var="size" val="128"/>'
                  '</task><task id="b" kernel="gemm">'
                  '<assign var="size" val="256"/></task>'
                  '<dependency predecessor="a" successor="b" src="o" '
                  'dest="i"/></application>')
    model = os.path.join(DIRECTORY, "model")
    done = subprocess.run(
        [HDPREDICT, "simulate", "--map=eft", "--format=json",
         f"--platform={model}/platform.xml",
         f"--resources={model}/resources.xml", graph],
        stdout=subprocess.PIPE, check=True)
    found = json.loads(done.stdout)
    near("makespan", found["makespan_s"], seconds, 0.01)
    near("computation", found["energy_computation_j"], joules, 0.01)
    subprocess.run([HDPREDICT, "validate", f"{model}/kernels.xml"], check=True)


# ---- Cases ------------------------------------------------------------------

def case_truth(seed, cycle, delay, noise, drift, skew):
    """Kernels in batches, on two hosts whose meters disagree by 10 %."""
    rng = random.Random(seed)
    one, length = measured_host("node01", rng)
    two, other = measured_host("node02", rng, scale=1.1, offset=1.5)
    meter = Meter(cycle, delay, noise, drift, skew)
    project = write_project("truth", [one, two], meter, max(length, other),
                            seed)
    found, resources, platform = characterize([project])
    expect(resources, TRUTH)
    expect_delay(found, cycle, delay)
    expect_exact(found, cycle)
    hosts = {host["host"]: host for host in found["hosts"]}
    near("scale", hosts["node02"]["scale"], 1 / 1.1, 0.01)
    idle = float(platform.find("node-architecture").get("idle-power"))
    near("idle power", idle, 60 + drift * 0.4, 0.03)
    if found["refused"]:
        fail(f"{found['refused']} are refused")
    seconds, joules = TRUTH["gemm", 256]
    simulate(joules + TRUTH["trsm", 128][1], seconds + TRUTH["trsm", 128][0])


def truth():
    if RUNS == 1:
        case_truth(1, 0.1, 0.13, 0.5, 5.0, 20e-6)
        return
    for run in range(RUNS):
        for cycle in (0.05, 0.1):
            for delay in (0, 0.05, 0.1, 0.15, 0.2):
                for drift in (0, 6.0):
                    case_truth(100 + run, cycle, delay, 0.5, drift,
                               20e-6 if drift else 0)


def applied():
    """The file says by how much it is late, and how much of that is gone."""
    host, length = measured_host("node01", random.Random(3))
    meter = Meter(0.1, 0.12, 0.2, attributes=' delay="0.300000000" '
                  'delayApplied="0.180000000"')
    project = write_project("applied", [host], meter, length)
    found, resources, _ = characterize([project])
    expect(resources, TRUTH)
    if found["meters"][0]["delay"] != "recorded":
        fail(f"{found['meters']}")
    near("delay", found["meters"][0]["delay_s"], 0.12, 1e-6)
    found, _, _ = characterize([project], "--no-delay")
    if found["meters"][0]["delay"] != "ignored":
        fail(f"{found['meters']}")


def slowdown():
    """A batch beside loads takes longer; its energy is not taken."""
    host, time = Host("node01", pes=3), 1.0
    for factor, loads in ((1, 0), (1.25, 1), (1.6, 2)) * 3:
        host.state(0, time, time + PAUSE, "Pause")
        time += PAUSE
        for pe in range(1, loads + 1):
            host.state(pe, time - 0.2, time + 8.2 * factor, "Load", 30.0,
                       **attributes_of("trsm", 128, 7))
        host.state(0, time, time + 8 * factor, "Batch", 40.0 / factor,
                   **attributes_of("gemm", 128, 100))
        time += 8.4 * factor
    host.state(0, time, time + PAUSE, "Pause")
    project = write_project("slow", [host], Meter(0.05, 0.05, 0.2), time + 4)
    found, resources, _ = characterize([project])
    expect(resources, {("gemm", 128): (0.08, 3.2)})
    factors = {(s.get("load"), int(s.get("count"))): float(s.get("factor"))
               for s in resources.findall("slowdown")}
    if sorted(factors) != [("trsm", 1), ("trsm", 2)]:
        fail(f"slowdowns {factors}")
    near("slowdown", factors["trsm", 1], 1.25, 1e-6)
    near("slowdown", factors["trsm", 2], 1.6, 1e-6)
    if found["refused"]:
        fail("a load counts as refused")


def links():
    """Exchanges between two hosts: some are disturbed."""
    hosts, time = [Host("node01"), Host("node02")], 1.0
    rng = random.Random(5)
    init, packet, joules = 0.0012, 60e-6, 8e-6
    for i, size in enumerate([1_000, 100_000, 1_000_000, 10_000_000] * 4):
        packets = math.ceil(size / 1492)
        one = 2 * init + packets * packet
        if i % 5 == 4:
            one *= 1 + 2 * rng.random()
        times = max(round(4 / one), 2)
        time += PAUSE
        # Each end sends and receives that often.
        power = 2 * times * packets * joules / (2 * times * one)
        for host in hosts:
            host.state(0, time, time + 2 * times * one, "Exchange", power,
                       **{"from": "node01", "to": "node02", "size": size,
                          "repetitions": times})
        time += 2 * times * one
    kernel = attributes_of("gemm", 128, 100)
    for host in hosts:
        host.state(0, time + PAUSE, time + PAUSE + 5, "Batch", 30.0, **kernel)
    time += 2 * PAUSE + 5
    meter = Meter(0.05, 0, 0, attributes=' delay="0" delayApplied="0"')
    project = write_project("links", hosts, meter, time + 1)
    found, _, platform = characterize([project])
    for bridge in platform.findall("bridge-architecture"):
        near("init", float(bridge.get("init-latency")) / 1e9, init, 0.05)
        near("packet", float(bridge.get("packet-latency")) / 1e9, packet, 0.01)
    near("energy of packets", found["bridges"][0]["packet_j"], joules, 0.02)


def exchanges():
    """Hosts that exchange messages and do nothing else: one has no power."""
    hosts, time = [Host("node01"), Host("node02"), Host("node03")], 1.0
    pairs = [(0, 1, 2e-6), (0, 2, 5e-6)]
    for size in (100_000, 1_000_000):
        packets = math.ceil(size / 1492)
        for a, b, joules in pairs:
            one = 0.001 + packets * 20e-6
            times = round(2 / one)
            length = 2 * times * one
            time += PAUSE
            for host in (a, b):
                hosts[host].state(
                    0, time, time + length, "Exchange",
                    2 * times * packets * joules / length,
                    **{"from": hosts[a].label, "to": hosts[b].label, "size": size,
                       "repetitions": times, "architecture": "AAB"[host]})
            time += length + PAUSE
            # What was given up tells nothing.
            hosts[a].state(0, time, time + 0.1, "Exchange",
                           **{"from": hosts[a].label, "to": hosts[b].label, "size": size,
                              "repetitions": 1, "architecture": "A", "interrupted": 1})
            time += 0.1
    meter = Meter(0.05, 0, 0, attributes=' delay="0" delayApplied="0"')
    project = write_project("exchanges", hosts, meter, time + PAUSE + 1)
    os.remove(os.path.join(DIRECTORY, "exchanges_node03_Energy.stat"))
    found, _, platform = characterize([project])
    known = {(bridge["architecture"], bridge["direction"]): bridge for bridge in found["bridges"]}
    if sorted(known) != [("A", "in"), ("A", "out"), ("B", "in")]:
        fail(f"bridges {sorted(known)}")
    # All of A: 2 uJ to and from A, and 5 uJ to B.
    near("energy of packets between A", known["A", "in"]["packet_j"], 2e-6, 0.02)
    near("energy of packets from A", known["A", "out"]["packet_j"], 3.5e-6, 0.02)
    if known["B", "in"]["packet_j"] is not None:
        fail(f"energy of a host without power: {known['B', 'in']}")
    for bridge in known.values():
        near("packet", bridge["packet_s"], 20e-6, 0.01)
    # They are PEs of a platform with links.
    pes = {node.get("id"): node.find("pe").get("architecture") for node in platform.findall("node")}
    if pes != {"node01": "A", "node02": "A", "node03": "B"}:
        fail(f"PEs {pes}")
    subprocess.run([HDPREDICT, "validate", "--platform",
                    os.path.join(DIRECTORY, "model", "platform.xml")], check=True)


def accesses():
    """Accesses to files, of classes; power is known of all but the last ones."""
    host, time = Host("node01"), 1.0
    truth = {("sequential", "read"): (1 << 20, 0.0011, 0.004),
             ("random", "sync"): (4096, 0.007, 0.02), ("random", "write"): (4096, 2e-6, 3e-6)}
    for _ in range(3):
        for (order, access), (size, one, joules) in truth.items():
            host.state(0, time, time + PAUSE, "Pause")
            time += PAUSE
            times = round(3 / one)
            host.state(0, time, time + times * one, "Io", joules / one, order=order,
                       access=access, size=size, repetitions=times)
            time += times * one
    # A kernel, which says what the PE is.
    host.state(0, time + PAUSE, time + PAUSE + 5, "Batch", 20, **attributes_of("gemm", 128, 100))
    time += PAUSE + 5
    # What was given up tells nothing.
    host.state(0, time + PAUSE, time + PAUSE + 1, "Io", 5, order="random", access="write",
               size=4096, repetitions=1, interrupted=1)
    time += PAUSE + 1
    host.state(0, time + PAUSE, time + PAUSE + 3, "Io", 5, order="random", access="read",
               size=4096, repetitions=300)
    lost = (time + PAUSE, time + PAUSE + 3)
    meter = Meter(0.05, 0, 0, attributes=' delay="0" delayApplied="0"', lose=[lost])
    project = write_project("accesses", [host], meter, time + 2 * PAUSE + 4)
    found, resources, _ = characterize([project])
    classes = {(row["order"], row["access"]): row for row in found["accesses"]}
    # What is known of all is in the model.
    written = {(io.get("order"), io.get("access")): io for io in resources.iter("io")}
    if sorted(written) != sorted(truth):
        fail(f"written {sorted(written)}")
    for key, (size, one, joules) in truth.items():
        io = written[key].get
        near(f"size of {key}", float(io("size")), size, 0)
        near(f"time of {key}, written", float(io("time")), one, 1e-6)
        near(f"energy of {key}, written", float(io("energy")), joules, 0.01)
        if io("architecture") != "A":
            fail(f"architecture {io('architecture')}")
    if sorted(classes) != sorted([*truth, ("random", "read")]):
        fail(f"classes {sorted(classes)}")
    for key, (size, one, joules) in truth.items():
        if (classes[key]["size_bytes"], classes[key]["n"], classes[key]["energy_n"]) != (size, 3, 3):
            fail(f"{key}: {classes[key]}")
        near(f"time of {key}", classes[key]["time_s"], one, 1e-6)
        near(f"energy of {key}", classes[key]["energy_j"], joules, 0.01)
    near("time without energy", classes["random", "read"]["time_s"], 0.01, 1e-6)
    if classes["random", "read"]["energy_j"] is not None:
        fail("energy of an access whose power is not known")


def beside():
    """Accesses to files beside tasks that run back to back: each has its own energy, and
    the other's is none of it."""
    rng, host, ends = random.Random(11), Host("node01", pes=2), []
    kinds = [("gemm", 128, 0.31, 12.0), ("trsm", 128, 0.17, 3.4)]
    files = {("sequential", "read"): (1 << 20, 0.002, 0.03), ("random", "sync"): (4096, 0.007, 0.04)}
    time = 3.0
    while time < 150:
        kernel, size, seconds, joules = rng.choice(kinds)
        host.state(0, time, time + seconds, kernel, joules / seconds, kernel=kernel,
                   architecture="A", **{"var.size": size})
        time += seconds + (rng.random() < 0.1) * 0.3 * rng.random()
    ends.append(time)
    time = 4.0
    while time < 150:
        order, access = rng.choice(list(files))
        size, one, joules = files[order, access]
        times = rng.randint(20, 90)
        host.state(1, time, time + times * one, "Io", joules / one, order=order, access=access,
                   size=size, repetitions=times)
        time += times * one + (rng.random() < 0.3) * 0.3 * rng.random()
    ends.append(time)
    # A batch with pauses around it has accesses beside a part of it.
    batch = max(ends) + PAUSE
    host.state(0, batch, batch + 5, "Batch", 20, **attributes_of("lone", 1, 100))
    host.state(1, batch + 1, batch + 2, "Io", 0.04 / 0.007, order="random", access="sync",
               size=4096, repetitions=143)
    # Accesses with pauses around them have a task beside them for their middle third.
    alone = batch + 5 + PAUSE
    host.state(1, alone, alone + 6, "Io", 10, order="random", access="write", size=4096,
               repetitions=600)
    host.state(0, alone + 2, alone + 4, "gemm", 12 / 0.31, kernel="gemm", architecture="A",
               repetitions=2 / 0.31, **{"var.size": 128})
    project = write_project("beside", [host], Meter(0.05, 0, 0.2, attributes=' delay="0"'),
                            alone + 6 + PAUSE + 1)
    found, resources, _ = characterize([project], status=1)
    classes = {(row["order"], row["access"]): row for row in found["accesses"]}
    for key, (size, one, joules) in files.items():
        near(f"time of {key}", classes[key]["time_s"], one, 0.01)
        near(f"energy of {key}", classes[key]["energy_j"], joules, 0.03)
        if not classes[key]["is_fitted"]:
            fail(f"{key} is not fitted")
    # 60 J in 6 s, and nothing of the task.
    near("energy of accesses beside a task", classes["random", "write"]["energy_j"], 0.1, 0.05)
    for kernel, size, _, joules in kinds:
        near(f"energy of {kernel}", entries_of(resources)[kernel, size][1], joules, 0.03)
    # The batch was not alone, so that there is no energy of it, which is said.
    if ("lone", 1) in entries_of(resources):
        fail("the energy of a batch beside accesses")


def fit():
    """Tasks back to back on two PEs, with idle time at the ends only."""
    rng, host, ends = random.Random(7), Host("node01", pes=2), []
    kinds = [("gemm", 128, 0.31, 12.0), ("trsm", 128, 0.17, 3.4),
             ("potrf", 64, 0.23, 8.1)]
    for pe in range(2):
        time = 3.0
        while time < 150:
            kernel, size, seconds, joules = rng.choice(kinds)
            # Beside others it may take longer; that needs no more energy.
            took = seconds * (1 + 0.2 * rng.random())
            host.state(pe, time, time + took, kernel, joules / took,
                       kernel=kernel, architecture="A", **{"var.size": size})
            time += took + (rng.random() < 0.1) * 0.3 * rng.random()
        ends.append(time)
    project = write_project("fit", [host], Meter(0.05, 0.08, 0.3, 2.0),
                            max(ends) + 3)
    found, resources, _ = characterize([project])
    expect(resources, {(kernel, size): (seconds * 1.1, joules)
                       for kernel, size, seconds, joules in kinds}, 0.1, 0.02)
    expect_delay(found, 0.05, 0.08)
    if not all(entry["is_fitted"] for entry in found["entries"]):
        fail("not fitted")


def profile():
    """Power over a run: a quarter of it at half the power."""
    host, time = Host("node01"), 1.0
    for _ in range(3):
        time += PAUSE
        host.state(0, time, time + 20, "Batch",
                   **attributes_of("gemm", 128, 1))
        host.changes += [(time, 20), (time + 10, 20), (time + 20, -40)]
        time += 20
    meter = Meter(0.05, 0, 0, attributes=' delay="0"')
    project = write_project("profile", [host], meter, time + PAUSE + 1)
    characterize([project])
    kernels = xml.etree.ElementTree.parse(
        os.path.join(DIRECTORY, "model", "kernels.xml")).getroot()
    weights = [float(phase.get("weight"))
               for phase in kernels.find("kernel").findall("phase")]
    if len(weights) != 10:
        fail(f"phases {weights}")
    for i, weight in enumerate(weights):
        near(f"phase {i}", weight, 20 if i < 5 else 40, 0.03)


def regions():
    """An MPI program with named regions: kernels by pattern, and by default."""
    host, time = Host("node01"), 3.0
    for _ in range(5):
        host.state(0, time, time + 4, "solve", 25.0)
        host.state(0, time + 4, time + 4.2, "Barrier", 10.0)
        time += 4.2 + PAUSE
    meter = Meter(0.05, 0, 0.1, attributes=' delay="0"')
    project = write_project("regions", [host], meter, time + 1)
    for options in ((), ("--kernel=sol*",)):
        _, resources, platform = characterize(
            [project], "--architecture=mine", *options)
        near("time", entries_of(resources)["solve", False][0], 4, 1e-6)
        near("energy", entries_of(resources)["solve", False][1], 100, 0.02)
        if platform.find("node/pe").get("architecture") != "mine":
            fail("architecture")


# Name, status, what is said, and what is wrong with batches.
HOSTILE = {
    "no-power": (1, "no host has power"),
    "no-states": (1, "no state is a kernel"),
    "unknown": (1, "the power of its host is unknown"),
    "overlap": (1, "other runs overlapped a part"),
    "no-pause": (1, "the pause before or after it is too short"),
    "gap": (0, "power is unknown for a part"),
    "drift": (1, "idle power changed too much"),
    "negative": (1, "no more power than the pause"),
    "repetitions": (1, "no duration or no number of repetitions"),
    "empty": (1, "no duration or no number of repetitions"),
    "interrupted": (1, "no state is a kernel"),
    "one-size": (0, ""),
}


def hostile_project(name):
    hosts = [Host("node01", pes=2)]
    host, time, spans = hosts[0], 1.0, []
    options = {"attributes": ' delay="0"'}
    for i in range(3):
        time += PAUSE if name != "no-pause" else 0.1
        kernel = attributes_of("gemm", 128, 100)
        if name == "repetitions":
            kernel["repetitions"] = ["0", "x", "-3"][i]
        if name == "interrupted":
            kernel["interrupted"] = 1
        if name != "no-states":
            host.state(0, time, time + (0 if name == "empty" else 5), "Batch",
                       -20 if name == "negative" else 20, **kernel)
        if name == "overlap":
            host.state(1, time + 2, time + 3, "Batch", 20, **kernel)
        if name == "drift":
            host.changes += [(time + 2, 6)]
        spans.append((time, time + 5))
        time += 5
    if name == "unknown":
        options["lose"] = [(0, 1000)]
    if name == "gap":
        options["gap"] = [(spans[0][0] + 1, spans[0][0] + 2)]
    meter = None if name == "no-power" else Meter(0.05, 0, 0.01, **options)
    return write_project("hostile-" + name, hosts, meter, time + PAUSE + 1)


def hostile():
    for name, (status, text) in HOSTILE.items():
        project = hostile_project(name)
        folder = os.path.join(DIRECTORY, "hostile-model")
        done = subprocess.run(
            [HDPREDICT, "characterize", "-f", "-o", folder, project],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            check=False)
        if done.returncode != status or text not in done.stderr:
            fail(f"{name}: status {done.returncode}, expected {status} and "
                 f"\"{text}\":\n{done.stdout}{done.stderr}")
        print(f"{name}: {done.stderr}")


globals()[CASE]()
