# SPDX-License-Identifier: LGPL-2.1-or-later
"""Projects, for tests of exports: read by hdtrace dump, and statistics from
their files by doc/format/format.md, with no code of HDTrace's."""
import csv
import io
import math
import os
import struct
import subprocess
import sys
import xml.etree.ElementTree

SIZES = {"INT32": 4, "INT64": 8, "UINT64": 8, "FLOAT": 4, "DOUBLE": 8}
LETTERS = {"INT32": "i", "INT64": "q", "UINT64": "Q", "FLOAT": "f",
           "DOUBLE": "d"}


def fail(text):
    """End the test: what was read is not what was written."""
    print(text)
    sys.exit(1)


def ns(text):
    """Seconds with nine decimals, as nanoseconds."""
    seconds, decimals = text.split(".")
    if len(decimals) != 9:
        fail(f"not nine decimals: {text}")
    sign = -1 if seconds.startswith("-") else 1
    return int(seconds) * 10**9 + sign * int(decimals)


def number(kind, text):
    """A number as the type has it; an OverflowError if it does not fit."""
    if kind in ("FLOAT", "DOUBLE"):
        return float(text)
    return int(text)


def bits(kind, value):
    """The bytes of a value; there is one NaN."""
    if kind == "STRING":
        return value
    if kind in ("FLOAT", "DOUBLE") and math.isnan(value):
        return b"NaN"
    return struct.pack(">" + LETTERS[kind], value)


class Entry:
    """An entry of a group: start, end, after a gap, and values by name."""

    def __init__(self, start, end, gap, values):
        self.start, self.end, self.gap = start, end, gap
        self.values = values

    def key(self, kinds):
        """What two equal entries have in common."""
        return (self.start, self.end, self.gap,
                tuple((name, bits(kinds[name], value))
                      for name, value in self.values.items()))


def read_stat(path):
    """Read a .stat file: types by name, and entries."""
    with open(path, "rb") as file:
        length = int(file.read(5))
        file.read(1)
        header = xml.etree.ElementTree.fromstring(file.read(length))
        data = file.read()
    group = header.find("Group")
    kinds = {value.get("name"): value.get("type") for value in group}
    at = 0

    def stamp():
        nonlocal at
        seconds, rest = struct.unpack_from(">II", data, at)
        at += 8
        return seconds * 10**9 + rest

    last = stamp()
    entries, gap = [], 0
    while at < len(data):
        if data[at:at + 8] == b"\xff" * 8:
            at += 8
            last, gap = stamp(), 1
            continue
        end, values = stamp(), {}
        for name, kind in kinds.items():
            if kind == "STRING":
                size, = struct.unpack_from(">h", data, at)
                values[name] = data[at + 2:at + 2 + size]
                at += 2 + size
            else:
                values[name], = struct.unpack_from(">" + LETTERS[kind], data,
                                                   at)
                at += SIZES[kind]
        entries.append(Entry(last, end, gap, values))
        last, gap = end, 0
    return kinds, entries


def groups_of(directory, name):
    """The .stat files of a project: (node, group) to types and entries."""
    groups = {}
    for file in sorted(os.listdir(directory)):
        if not (file.startswith(name + "_") and file.endswith(".stat")):
            continue
        labels = file[len(name) + 1:-5].split("_")
        groups["_".join(labels[:-1]), labels[-1]] = read_stat(
            os.path.join(directory, file))
    return groups


class Dump:
    """What hdtrace dump --format=csv prints of a project."""

    def __init__(self, hdtrace, project, *options):
        text = subprocess.run([hdtrace, "dump", "-q", "--format=csv", *options,
                               project], stdout=subprocess.PIPE,
                              check=False).stdout
        self.values = []  # node, group, name, type, start, end, gap, value
        self.states = []  # node, name, start, end
        self.events = []  # node, name, time
        self.units = {}  # by node, group, name
        stream = io.StringIO(text.decode("latin-1"), newline="")
        for row in csv.DictReader(stream):
            kind = row["record"]
            if kind == "value":
                value = row["value"]
                self.units[row["node"], row["group"], row["name"]] = \
                    row["unit"]
                if row["type"] != "STRING":
                    value = number(row["type"], value)
                self.values.append(
                    (row["node"], row["group"], row["name"], row["type"],
                     ns(row["start"]), ns(row["end"]), int(row["gap"]), value))
            elif kind == "state":
                self.states.append((row["node"], row["name"],
                                    ns(row["start"]), ns(row["end"])))
            elif kind == "event":
                self.events.append((row["node"], row["name"],
                                    ns(row["start"])))


def same(what, found, expected):
    """Compare two lists without regard to their order."""
    found, expected = sorted(found), sorted(expected)
    if found == expected:
        print(f"{what}: {len(found)} are equal")
        return
    missing = [item for item in expected if item not in set(found)][:3]
    wrong = [item for item in found if item not in set(expected)][:3]
    fail(f"{what}: {len(found)}, expected {len(expected)}; missing {missing}, "
         f"wrong {wrong}")
