#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""powers.py HDTRACE: the power of a node whose meters are in several files, made
here byte by byte; all commands have to add up the same values.

The expected joules are those of the law by which the files are made: watts times
seconds of the channels that count, which each scene names."""
import json
import os
import struct
import subprocess
import sys

NS = 10**9
START = 1000
SECONDS = 4
COUNTER = 'source="powercap x/energy_uj" resolution="61 uJ, every 1 ms"'
GAUGE = 'source="meter"'


def stamp(ns):
    """A time stamp."""
    return struct.pack(">II", ns // NS, ns % NS)


class Group:
    """A file: name, device, length of its intervals in ms, and watts of its
    channels by name; a function of the second for those that change."""

    def __init__(self, name, device, step, channels, unit="W"):
        self.name, self.device, self.step = name, device, step
        self.channels, self.unit = channels, unit

    def header(self):
        """The header."""
        kind = "gauge" if self.unit == "W" else "delta"
        counted = self.device in ("powercap", "perf")
        lines = ["<Statistics>", "<TopologyNode>",
                 '  <Label value="alpha" />', "</TopologyNode>",
                 f'<Group name="{self.name}" timestampDatatype="EPOCH" '
                 f'device="{self.device}" '
                 'timeAdjustment="-0000000000.000000000">']
        for name, channel in self.channels.items():
            more = channel[1] if isinstance(channel, tuple) else ""
            lines.append(f'  <Value name="{name}" type="DOUBLE" '
                         f'unit="{self.unit}" kind="{kind}" '
                         f'{COUNTER if counted else GAUGE} {more} />')
        text = "\n".join(lines + ["</Group>", "</Statistics>", ""]).encode()
        return b"%05d\n" % len(text) + text

    def write(self):
        """Write the file."""
        time, data = 0, self.header() + stamp(START * NS)
        while time < SECONDS * 1000:
            length = min(self.step, SECONDS * 1000 - time)
            time += length
            data += stamp(START * NS + time * 1000000)
            for channel in self.channels.values():
                watts = channel[0] if isinstance(channel, tuple) else channel
                data += struct.pack(">d", watts if self.unit == "W"
                                    else watts * length / 1000)
        with open(f"p_alpha_{self.name}.stat", "wb") as file:
            file.write(data)


def make(groups):
    """Write the project: a node with a rank that works all the time."""
    for group in groups:
        group.write()
    with open("p_alpha_0.trc", "w", encoding="ascii") as file:
        file.write(f"<Program timeAdjustment='{START}' levels='Host Rank'>\n"
                   "<Work  time='0.000000000' end='1.000000000'/>\n"
                   "<Rest  time='1.000000000' end='4.000000000'/>\n"
                   "</Program>\n")
    with open("p.proj", "w", encoding="ascii") as file:
        names = "".join(f"<{group.name} />" for group in groups)
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n'
                   '<Application name="p"><Description/><FileList/><Topology>'
                   '<Level type="Host"><Level type="Rank" /></Level>'
                   '<Node name="alpha"><Node name="0" /></Node></Topology>'
                   '<CommunicatorList/><Datatypes/>'
                   f"<ExternalStatistics>{names}</ExternalStatistics>"
                   "</Application>\n")


def run(*command):
    """What a command prints."""
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if done.returncode > 1:
        sys.exit(f"{command}: exit status {done.returncode}")
    return done.stdout


def choice(nodes):
    """The values that count, and those that do not."""
    if not nodes:
        return [], []
    return ([value["name"] for value in nodes[0]["energy_from"]],
            [value["name"] for value in nodes[0]["energy_left_out"]])


def report_says(hdtrace):
    """Joules in all, of the node's phases and states, and the choice."""
    report = json.loads(run(hdtrace, "report", "-q", "--format=json", "p"))
    groups = report["groups"]
    states = {state["name"]: state["energy_j"] for state in report["states"]}
    return (report["energy"]["energy_j"], states,
            [name for group in groups for name in group.get("energy_from", [])],
            [value["name"] for group in groups
             for value in group.get("energy_left_out", [])])


def readers_say(hdtrace):
    """What all others say: [(reader, joules or None, counted, left out)]."""
    compared = json.loads(run(hdtrace, "compare", "--format=json", "p", "p"))
    rows = {row["kind"]: row for row in compared["rows"]}
    yield ("compare", rows["node"]["energy_a_j"],
           *choice(compared["a"][0]["power_choice"]))
    stat = json.loads(run(hdtrace, "stat", "-q", "--format=json", "p"))
    yield ("stat", None, *choice(stat["power_choice"]))
    plot = json.loads(run(hdtrace, "plot", "--format=json", "-f", "-o",
                          "p.svg", "p", "p"))
    yield ("plot", plot["comparison"][0]["energy_j"],
           *choice(plot["powers"][0]["power_choice"]))
    out = json.loads(run(hdtrace, "export", "--to=csv", "--format=json", "-f", "-o",
                         "exported", "p"))
    yield ("export", None, *choice(out["power_choice"]))


SCENES = [
    ("packages and cards in two files", [
        Group("Cpu", "powercap", 250, {"P_package-0": 100, "P_package-0-dram": 20,
                                       "P_package-0-core": 70}),
        Group("Gpu", "nvml", 300, {"P_gpu-0": 60})],
     180, ["P_package-0", "P_package-0-dram", "P_gpu-0"]),
    ("an external meter replaces all others", [
        Group("Cpu", "powercap", 250, {"P_package-0": 100}),
        Group("Gpu", "nvml", 300, {"P_gpu-0": 60}),
        Group("Wall", "lmg450", 500, {"P_1": 220})],
     220, ["P_1"]),
    ("a package in two files counts once", [
        Group("Cpu", "powercap", 250, {"P_package-0": 100}),
        Group("Perf", "perf", 400, {"P_package-0": 101, "P_package-0-ram": 20})],
     120, ["P_package-0", "P_package-0-ram"]),
    ("joules in one file, watts in another one", [
        Group("Cpu", "powercap", 250, {"E_package-0": 100}, "J"),
        Group("Gpu", "nvml", 200, {"P_gpu-0": 50})],
     150, ["E_package-0", "P_gpu-0"]),
    ("a platform of another file that never advances", [
        Group("Cpu", "powercap", 250, {"P_package-0": 100}),
        Group("Board", "powercap", 500, {"P_psys": 0})],
     100, ["P_package-0"]),
    ("a platform of another file", [
        Group("Cpu", "powercap", 250, {"P_package-0": 100}),
        Group("Board", "powercap", 500, {"P_psys": 140})],
     140, ["P_psys"]),
    ("the same card by its hardware, under another number", [
        Group("Gpu", "nvml", 250, {"P_gpu-0": (60, 'hardware="GPU-a"'),
                                   "P_gpu-1": (70, 'hardware="GPU-b"')}),
        Group("More", "nvml", 500, {"P_gpu-0": (70, 'hardware="GPU-b"')})],
     130, ["P_gpu-0", "P_gpu-1"]),
    ("two external meters add", [
        Group("One", "wattsup", 250, {"P_1": 60}),
        Group("Two", "wattsup", 500, {"P_1": 70})],
     130, ["P_1", "P_1"]),
    ("values without a known role are those of one file", [
        Group("One", "x", 250, {"P_a": 60, "P_b": 10}),
        Group("Two", "y", 500, {"P_c": 70})],
     70, ["P_a", "P_b"]),
]


def near(found, expected):
    """Whether an energy is right, but for rounding."""
    return found is not None and abs(found - expected) <= 1e-9 * expected


def check(hdtrace, groups, watts, counted):
    """Whether all readers have the watts of a scene; prints what differs."""
    left_out = sorted(name for group in groups for name in group.channels)
    for name in counted:
        left_out.remove(name)
    joules, states, names, others = report_says(hdtrace)
    is_good = True

    def expect(what, found, expected):
        nonlocal is_good
        if found != expected:
            print(f"# {what}: {found}, expected {expected}")
            is_good = False

    expect("report", [near(joules, watts * SECONDS), sorted(names),
                      sorted(others)], [True, sorted(counted), left_out])
    expect("states", [near(states["Work"], watts), near(states["Rest"], 3 * watts)],
           [True, True])
    for reader, energy, names, others in readers_say(hdtrace):
        expect(reader, [energy is None or near(energy, watts * SECONDS),
                        sorted(names), sorted(others)],
               [True, sorted(counted), left_out])
    return is_good


def main():
    """Check all scenes; TAP."""
    hdtrace = sys.argv[1]
    failed = 0
    for name, groups, watts, counted in SCENES:
        for old in os.listdir("."):
            if old.startswith("p"):
                os.remove(old)
        make(groups)
        good = check(hdtrace, groups, watts, counted)
        print(f"{'ok' if good else 'not ok'} - {name}")
        failed += not good
    sys.exit(failed > 0)


main()
