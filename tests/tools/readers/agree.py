# SPDX-License-Identifier: LGPL-2.1-or-later
"""hdtrace stat, report (text and JSON) and plot say the same of a project and
of its phases: agree.py HDTRACE PROJECT BORDERS"""
import json
import re
import subprocess
import sys

from project import fail

SAME = ("count", "nan", "mean", "min", "max")


def run(hdtrace, *arguments):
    """What a command prints; it may find problems in the data."""
    done = subprocess.run([hdtrace, *arguments], stdout=subprocess.PIPE,
                          check=False)
    if done.returncode > 1:
        fail(f"{arguments}: exit status {done.returncode}")
    return done.stdout.decode("utf-8", "replace")


def near(a, b):
    """Equal but for the order in which numbers were added."""
    if a is None or b is None:
        return a is b
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def rounded(text, number):
    """A number is printed with six digits and at most six decimals, or, beside an
    error, with four digits at least and right to its last one."""
    difference = abs(float(text) - number)
    if difference <= max(6e-6 * abs(number), 6e-7):
        return True
    digits = re.sub(r"e.*|[^0-9]", "", text).lstrip("0")
    decimals = len(text.partition(".")[2])
    return len(digits) >= 4 and difference <= 0.500001 * 10 ** -decimals


PREFIXES = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}


def scale_of(shown, unit):
    """What a number was divided by to be shown with another unit, or None."""
    if shown == unit:
        return 1
    for own in ("", "k", "M", "G", "T", "P", "E"):
        if own and not unit.startswith(own):
            continue
        base = unit[len(own):]
        if base and shown[1:] == base and shown[0] in PREFIXES:
            return PREFIXES[shown[0]] / PREFIXES.get(own, 1)
    return None


def shows(cells, unit, row):
    """Whether cells are a row's unit, mean, minimum and maximum, where these
    mean something."""
    names = {"counter": (), "delta": ("min", "max")}.get(
        row["kind"], ("mean", "min", "max"))
    words = unit.split()
    scale = scale_of(cells[0], unit) if len(words) == 1 and cells else 1
    numbers = cells[len(words):len(words) + len(names)]
    if scale is None or (scale == 1 and cells[:len(words)] != words):
        return False
    if row["type"] == "STRING":
        return True
    return all(text == "-" if row[name] is None else
               text != "-" and rounded(text, row[name] / scale)
               for text, name in zip(numbers, names))


class Number(float):
    """A number, and how it was written: times have more digits."""

    def __new__(cls, text):
        self = super().__new__(cls, text)
        self.text = text
        return self


def parse(text):
    """JSON that a command prints."""
    return json.loads(text, parse_float=Number)


class Project:
    """What the commands say."""

    def __init__(self, hdtrace, name, borders):
        self.hdtrace, self.name, self.borders = hdtrace, name, borders
        self.report = parse(run(hdtrace, "report", "-q", "--format=json",
                                     f"--phases={borders}", name))
        self.text = run(hdtrace, "report", "-q", "--all", "--precision=6",
                             f"--phases={borders}", name)

    def stat(self, *options):
        """Rows of hdtrace stat."""
        return parse(run(self.hdtrace, "stat", "-q", "--format=json",
                              *options, self.name))["rows"]

    def plot(self, *options):
        """Curves of hdtrace plot, by node, group and value."""
        shown = parse(run(self.hdtrace, "plot", "-q", "--format=json",
                               "--force", "--output=agree.svg", *options,
                               self.name))
        return {(curve["node"], curve["group"], curve["value"]): curve
                for panel in shown["panels"] for curve in panel["curves"]}


def key_of(row):
    """Which value a row is about."""
    return row["node"], row["group"], row["value"]


def check_curves(rows, curves, what):
    """Curves have the numbers of hdtrace stat."""
    rows = [row for row in rows if row["type"] != "STRING"]
    if len(rows) != len(curves):
        fail(f"{what}: {len(curves)} curves, {len(rows)} rows")
    for row in rows:
        curve = curves[key_of(row)]
        for name in SAME + ("integral", "unit", "integral_unit",
                            "simulated", "kind", "kind_guessed", "total",
                            "total_unit", "rate", "rate_unit", "duration_s",
                            "known_s"):
            if row[name] != curve[name]:
                fail(f"{what}, {key_of(row)}: {name} is {row[name]}, "
                     f"{curve[name]} in the plot")
    print(f"{what}: {len(rows)} curves are equal")


def check_values(project, rows):
    """The report's values are those of hdtrace stat."""
    found = {(group["node"], group["group"], value["name"]): value
             for group in project.report["groups"]
             for value in group["values"]}
    if len(found) != len(rows):
        fail(f"{len(found)} values in the report, {len(rows)} rows")
    for row in rows:
        value = found[key_of(row)]
        for name in SAME + ("kind", "kind_guessed", "rate", "rate_unit",
                            "resets"):
            if row[name] != value[name]:
                fail(f"{key_of(row)}: {name} is {row[name]}, {value[name]} in "
                     "the report")
        for name in ("known_s", "duration_s"):
            if row["type"] != "STRING" and row[name] != value[name]:
                fail(f"{key_of(row)}: {name} is {row[name]}, {value[name]} in "
                     "the report")
        total = row["integral"] if row["total"] is None else row["total"]
        if value["total"] is not None and not near(value["total"], total):
            fail(f"{key_of(row)}: {total}, in the report {value['total']}")
    print(f"{len(rows)} values are equal")


def check_table(project, rows):
    """The report as text has the same ones."""
    lines = [re.sub(r" (\u00b1|\+-) *[^ ]+", "", line).split()
             for line in project.text.split("\n")]
    heads = [number for number, line in enumerate(lines)
             if line[:2] == ["Group", "Value"]]
    seen = []
    for head in heads:
        for line in lines[head + 1:]:
            if not line or line[0] == "Kinds":
                break
            seen.append(line)
    if len(seen) != len(rows):
        fail(f"{len(seen)} lines of values, {len(rows)} rows")
    for row in rows:
        names = [row["group"]] + row["value"].split()
        if row["kind"]:
            names.append(row["kind"] + ("?" if row["kind_guessed"] else ""))
        if not any(line[:len(names)] == names and
                   shows(line[len(names):], row["unit"], row)
                   for line in seen):
            fail(f"no line of {key_of(row)} with {row['mean']}")
    energy = re.search(r"^  Energy +(>= )?([^ ]+) (?:(?:\u00b1|\+-) [^ ]+ )?"
                       r"([kMGTPE]?)J", project.text, re.MULTILINE)
    said = project.report["energy"]
    if (energy is None) != (said is None):
        fail("energy is not in text and JSON alike")
    if energy:
        joules = said["energy_j"] / PREFIXES.get(energy.group(3), 1)
        if not rounded(energy.group(2), joules):
            fail(f"energy {energy.group(0)}, {said['energy_j']} J in JSON")
        if bool(energy.group(1)) != (said["known_s"] <
                                     0.995 * said["duration_s"]):
            fail(f"energy {energy.group(0)}, known for {said['known_s']} s of "
                 f"{said['duration_s']} s")
    print(f"{len(rows)} lines of text are equal")


def power_of(project):
    """The values that the energy of a node is told from."""
    return {group["node"]: (group["group"], group["energy_from"])
            for group in project.report["groups"]
            if group["energy"] and group["in_total"]}


def energy_of(rows, node, group, names):
    """Joules of a node, by hdtrace stat."""
    return sum(row["integral"] if row["kind"] == "gauge" else row["total"]
               for row in rows
               if key_of(row)[:2] == (node, group) and row["value"] in names
               and row["known_s"] > 0)


def check_phases(project, rows):
    """Energy of all nodes in each phase, and what is between its borders."""
    power = power_of(project)
    for phase in project.report["phases"]:
        own = [row for row in rows if row["phase"] == phase["name"] and
               row["start_s"] == phase["start_s"]]
        between = [f"--from=@{phase['start_s'].text}",
                   f"--to=@{phase['end_s'].text}"]
        total = 0
        for node in phase["nodes"]:
            group, names = power[node["node"]]
            wanted = energy_of(own, node["node"], group, names)
            if not near(node["energy"]["energy_j"], wanted):
                fail(f"{phase['name']}, {node['node']}: {wanted} J, in the "
                     f"report {node['energy']['energy_j']} J")
            total += wanted
        if phase["energy"] and not near(phase["energy"]["energy_j"], total):
            fail(f"{phase['name']}: {total} J in all")
        cut = project.stat(*between)
        numbers = {key_of(row): row for row in cut}
        for row in own:
            if row["count"] == 0 and key_of(row) not in numbers:
                continue
            other = numbers[key_of(row)]
            for name in SAME + ("integral", "sum", "stddev"):
                if row[name] != other[name]:
                    fail(f"{phase['name']}, {key_of(row)}: {name} is "
                         f"{row[name]}, between its borders {other[name]}")
        check_curves(cut, project.plot(*between), phase["name"])
    print(f"{len(project.report['phases'])} phases are equal")


def check_states(project):
    """Time in states, as stat --regions has it of all nodes."""
    found = {state["name"]: state["total_s"]
             for state in project.report["states"]}
    wanted = {}
    for row in parse(run(project.hdtrace, "stat", "-q", "--format=json",
                              "--regions=*", project.name))["regions"]:
        if row["node"] is None:
            wanted[row["region"]] = row["duration_s"]
    if wanted and found != wanted:
        fail(f"states {found}, by stat --regions {wanted}")
    print(f"{len(wanted)} states are equal")


def main(hdtrace, name, borders):
    """Compare all."""
    project = Project(hdtrace, name, borders)
    rows = project.stat()
    check_values(project, rows)
    check_table(project, rows)
    check_curves(rows, project.plot(), "all")
    check_phases(project, project.stat(f"--phases={borders}"))
    check_states(project)


if __name__ == "__main__":
    main(*sys.argv[1:])
