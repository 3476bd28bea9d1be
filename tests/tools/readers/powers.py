#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""powers.py HDTRACE [PT MACHINES] | --make: the power of a node whose meters are in several files, made
here byte by byte; all commands have to add up the same values.

The expected joules are those of the law by which the files are made: watts times
seconds of the channels that count, which each scene names.

With PT and the list of machines (tests/fixtures/machines), each machine is a scene:
its inputs are those that pt lists, and the ones that count are the answer in the
list, which pt has to give, too. --make only writes the files of the first scene."""
import json
import os
import shutil
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
    ("a counter that is implausibly fast, and contains nothing", [
        Group("Cpu", "powercap", 250, {"P_package-0": 25000}),
        Group("Gpu", "nvml", 300, {"P_gpu-0": 60})],
     60, ["P_gpu-0"]),
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


def channels_of(groups):
    """All names."""
    return [name for group in groups for name in group.channels]


def check(hdtrace, groups, watts, counted):
    """Whether all readers have the watts of a scene; prints what differs."""
    left_out = sorted(channels_of(groups))
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


# ---- Machines ----------------------------------------------------------------

def put(path, text):
    """A file of a tree."""
    path = "tree/sys/class/" + path
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text + "\n")


def machines_of(path):
    """The machines of a list: name, lines, answer."""
    machines = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            word, _, rest = line.strip().partition(" ")
            if word == "machine":
                machines.append((rest, []))
            elif word in ("zone", "chip", "supply", "file", "power"):
                machines[-1][1].append((word, rest))
    return machines


def make_tree(lines):
    """The tree of a machine; returns the answer."""
    shutil.rmtree("tree", ignore_errors=True)
    os.mkdir("tree")
    where = answer = ""
    for word, rest in lines:
        first, _, text = rest.partition(" ")
        if word == "zone":
            put(f"powercap/{first}/name", text)
            put(f"powercap/{first}/energy_uj", "1000000")
            put(f"powercap/{first}/max_energy_range_uj", "262143328850")
        elif word == "chip":
            where = f"hwmon/{first}"
            put(f"{where}/name", text)
        elif word == "supply":
            where = f"power_supply/{first}"
        elif word == "file":
            put(f"{where}/{first}", text)
        else:
            answer = rest
    return answer


def groups_of(said):
    """A group for each driver of what pt list --explain says, with the inputs
    that can be used. A platform has more than all that it contains."""
    groups = []
    for line in said.splitlines():
        if not line.startswith(" "):
            groups.append((line, {}))
        elif "not usable: " not in line and not line.startswith("  none: "):
            name, number = line.split()[0], len(groups[-1][1])
            groups[-1][1][f"P_{name}"] = number + (
                1000 if name.startswith("psys") else 10)
    return [Group("G" + device.replace("_", ""), device, 250, inputs)
            for device, inputs in groups if inputs]


def check_machine(hdtrace, pt, lines):
    """Whether pt and all readers of its inputs in files have the answer."""
    answer = make_tree(lines)
    said = run(pt, "list", "--explain", f"--root={os.getcwd()}/tree").decode()
    if not said.endswith(f"Power of the node: {answer}\n"):
        print(f"# {said}# expected {answer}")
        return False
    groups = groups_of(said)
    counted = [] if answer == "not measured" else \
        ["P_" + part.split()[1] for part in answer.split(" + ")]
    watts = sum(group.channels[name] for group in groups
                for name in group.channels if name in counted)
    if not counted:
        return not channels_of(groups)
    make(groups)
    return check(hdtrace, groups, watts, counted)


def clear():
    """Remove the project."""
    for old in os.listdir("."):
        if old.startswith("p"):
            os.remove(old)


def main():
    """Check all scenes, or machines; TAP."""
    hdtrace = sys.argv[1]
    failed = 0
    if hdtrace == "--make":
        make(SCENES[0][1])
        return
    for scene in machines_of(sys.argv[3]) if len(sys.argv) > 3 else SCENES:
        clear()
        if len(sys.argv) > 3:
            good = check_machine(hdtrace, sys.argv[2], scene[1])
        else:
            make(scene[1])
            good = check(hdtrace, *scene[1:])
        print(f"{'ok' if good else 'not ok'} - {scene[0]}")
        failed += not good
    sys.exit(failed > 0)


main()
