# SPDX-License-Identifier: LGPL-2.1-or-later
"""Merging over windows, done a second time, with fractions: write a project of
chance entries, read it by hdtrace dump, and compare what hdtrace stat --window
and hdtrace export --window say:
window.py stat|export|plot|whole HDTRACE SEED"""
import csv
import json
import math
import random
import struct
import subprocess
import sys
from fractions import Fraction

from plot import NEAR, Picture, check_steps, factor_of, panels_of, points_of
from project import fail, ns

NS = 10**9
START = 1000000000 * NS
TYPES = {"INT32": ">i", "INT64": ">q", "FLOAT": ">f", "DOUBLE": ">d"}
VALUES = [("c", "INT64", "B", "counter"), ("u", "DOUBLE", "J", "counter"),
          ("d", "INT32", "B", "delta"), ("e", "DOUBLE", "J", "delta"),
          ("g", "DOUBLE", "W", "gauge"), ("f", "FLOAT", "V", "gauge"),
          ("i", "INT64", "B", "gauge"), ("s", "STRING", "", "")]


# ---- A project ----------------------------------------------------------

def stamp(time):
    """A time stamp of a .stat file."""
    return struct.pack(">II", time // NS, time % NS)


def header(label, group):
    """The header of a file, with its length."""
    lines = ["<Statistics>", "<TopologyNode>", f'  <Label value="{label}" />',
             "</TopologyNode>", f'<Group name="{group}" '
             'timestampDatatype="EPOCH" '
             'timeAdjustment="-0000000000.000000000">']
    lines += [f'  <Value name="{name}" type="{kind_of}"' +
              (f' unit="{unit}"' if unit else "") +
              (f' kind="{kind}" />' if kind else " />")
              for name, kind_of, unit, kind in VALUES]
    text = "\n".join(lines + ["</Group>", "</Statistics>", ""]).encode()
    return b"%05d\n" % len(text) + text


def encode(kind, number):
    """A number as the file has it; None is NaN."""
    if kind == "STRING":
        return struct.pack(">H", len(number)) + number
    return struct.pack(TYPES[kind], float("nan") if number is None else number)


def write_group(chance, label, count, step):
    """A group of chance entries: gaps, NaN, intervals of no length, counters
    that go back, and borders on whole steps."""
    time = START + chance.randrange(3) * step
    counted, joules = 2**40, 500.0
    data = header(label, "K") + stamp(time)
    for number in range(count):
        if number and chance.random() < 0.08:
            time += chance.randrange(1, 6 * step)
            if chance.random() < 0.5:
                time += step - time % step
            data += b"\xff" * 8 + stamp(time)
        end = time
        if chance.random() < 0.2:
            end = time - time % step + chance.randrange(1, 4) * step
        elif chance.random() < 0.8:
            end = time + chance.randrange(2 * step)
        counted = chance.randrange(50) if chance.random() < 0.05 else \
            counted + chance.randrange(2**45)
        joules += chance.randrange(4000) / 4
        maybe = [None if chance.random() < 0.15 else real for real in (
            joules, chance.random() * 50, chance.uniform(-10, 400),
            chance.randrange(2000) / 8)]
        numbers = [counted, maybe[0], chance.randrange(10**9), maybe[1],
                   maybe[2], maybe[3], chance.randrange(-5, 10**12), b"text"]
        data += stamp(end) + b"".join(
            encode(value[1], number) for value, number in zip(VALUES, numbers))
        time = end
    with open(f"w_{label}_K.stat", "wb") as file:
        file.write(data)


def write_project(chance, step):
    """Two groups, and one without entries."""
    write_group(chance, "a", 80, step)
    write_group(chance, "b", 30, step)
    with open("w_b_Empty.stat", "wb") as file:
        file.write(header("b", "Empty") + stamp(START))
    with open("w.proj", "w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n'
                   '<Application name="w">\n<Description></Description>\n'
                   '<Topology><Level type="Host" /><Node name="a" />'
                   '<Node name="b" /></Topology>\n'
                   "<ExternalStatistics><K /><Empty /></ExternalStatistics>\n"
                   "</Application>\n")


# ---- What is in it ------------------------------------------------------

def run(hdtrace, *words):
    """What hdtrace prints."""
    return subprocess.run([hdtrace, *words], stdout=subprocess.PIPE,
                          check=True).stdout.decode()


def exact(kind, text):
    """A number as it is in the file; None: no value."""
    if text is None or kind == "STRING":
        return None
    return Fraction(int(text)) if kind.startswith("INT") else \
        Fraction(float(text))


class Group:
    """The entries of a group: (start, end, is behind a gap, numbers)."""

    def __init__(self, read):
        self.key = (read["node"], read["group"])
        kinds = [value["type"] for value in read["values"]]
        self.values = [(value["name"], value["type"],
                        value["attributes"].get("kind", ""))
                       for value in read["values"]]
        self.entries = [
            (ns(entry["start"]), ns(entry["end"]), "gap" in entry,
             [exact(*both) for both in zip(kinds, entry["values"])])
            for entry in read["entries"]]
        self.amounts = [self.amounts_of(i) for i in range(len(kinds))]

    def amounts_of(self, value):
        """What each entry amounts to; of counters whether it went back."""
        before = None
        list_ = []
        for _, _, gap, numbers in self.entries:
            number = numbers[value]
            amount, back = number, False
            if self.values[value][2] == "counter":
                amount = None
                if not gap and before is not None and number is not None:
                    back = number < before
                    amount = number if back else number - before
                before = number
            list_.append((amount, back))
        return list_

    def parts(self, start, end, first):
        """Entries in a window: their numbers, lengths inside, and shares."""
        for i, (begin, stop, _, _) in enumerate(self.entries):
            part = min(stop, end) - max(begin, start)
            if begin == stop:
                if start < stop <= end or (first and stop == start):
                    yield i, 0, Fraction(1)
            elif part > 0:
                yield i, part, Fraction(part, stop - begin)


class Merged:
    """A value in a window."""

    def __init__(self, group, value, parts, length):
        kind = group.values[value][2]
        numbers = [group.entries[i][3][value] for i, _, _ in parts]
        self.count = sum(number is not None for number in numbers)
        self.nan = len(numbers) - self.count
        taken = [(group.amounts[value][i][0], part, share,
                  group.entries[i][1] - group.entries[i][0])
                 for i, part, share in parts
                 if group.amounts[value][i][0] is not None]
        self.known = sum(part for _, part, _, _ in taken)
        self.integral = sum(amount * part for amount, part, _, _ in taken) / NS
        self.total = sum(amount * share for amount, _, share, _ in taken)
        self.has_mean = self.known > 0 and 2 * self.known >= length
        self.taken = taken
        self.amounts = [amount for amount, _, _, _ in taken]
        self.is_gauge = kind == "gauge"
        self.kind = kind

    def mean(self):
        """Over the known time; None: too little is known."""
        return self.integral * NS / self.known if self.has_mean else None

    def stddev(self):
        """Over the known time."""
        if not self.has_mean:
            return None
        squares = sum(part * (amount - self.mean())**2
                      for amount, part, _, _ in self.taken)
        return math.sqrt(squares / self.known)

    def rate(self):
        """Amount by known time."""
        return self.total * NS / self.known if self.has_mean else None

    def rates(self):
        """Smallest and largest rate of an entry."""
        rates = [amount * NS / length
                 for amount, _, _, length in self.taken if length]
        return (min(rates), max(rates)) if rates and self.known else \
            (None, None)

    def size(self):
        """What rounding is measured by."""
        return sum(abs(amount) for amount in self.amounts)


class Project:
    """All groups, by hdtrace dump."""

    def __init__(self, hdtrace):
        read = json.loads(run(hdtrace, "dump", "--only=stats", "--format=json",
                              "w.proj"), parse_float=str, parse_int=str)
        self.groups = [Group(group) for group in read["groups"]]
        times = [entry for group in self.groups for entry in group.entries]
        self.start = min(entry[0] for entry in times)
        self.end = max(entry[1] for entry in times)

    def windows(self, length, since=None, until=None):
        """(number, start, end), and whether the start belongs to it."""
        origin = self.start if since is None else since
        start = max(origin, self.start)
        end = self.end if until is None else min(until, self.end)
        number = (start - origin) // length
        while origin + number * length < end:
            yield (number, max(origin + number * length, start),
                   min(origin + (number + 1) * length, end),
                   since is None and origin + number * length == self.start)
            number += 1


# ---- Comparing ----------------------------------------------------------

def near(found, expected, size=0):
    """Equal but for the last digits of a double; None is unknown."""
    if found in (None, "", "NaN", "nan") or expected is None:
        return expected is None and found in (None, "", "NaN", "nan")
    bound = Fraction(1, 10**12) * max(abs(Fraction(expected)), Fraction(size))
    return abs(Fraction(found) - Fraction(expected)) <= bound


def columns(merged, kind_of):
    """What stat says of a value: {column: (number, size)}."""
    if kind_of == "STRING":
        return {"mean": (None, 0), "total": (None, 0), "min": (None, 0)}
    size = merged.size()
    gauge = merged.is_gauge
    amounts = merged.amounts if merged.kind != "counter" else []
    total = merged.total if not gauge and merged.amounts else None
    low, high = merged.rates() if merged.kind == "counter" else (None, None)
    return {
        "count": (merged.count, 0), "nan": (merged.nan, 0),
        "mean": (merged.mean() if gauge else None, size),
        # Where all are equal nothing is left of the digits.
        "stddev": (merged.stddev() if gauge else None, 10**4 * size),
        "integral": (merged.integral if gauge and merged.known else None,
                     size * merged.known / NS),
        "min": (min(amounts, default=None), 0),
        "max": (max(amounts, default=None), 0),
        "total": (total, 0),
        "sum": (total if merged.kind == "delta" else None, 0),
        "rate": (None if gauge else merged.rate(), 0),
        "rate_min": (low, 0), "rate_max": (high, 0),
    }


def check_row(row, expected, where):
    """Compare the columns of a row."""
    for column, (number, size) in expected.items():
        if not near(row[column], number, size):
            fail(f"{where}: {column} is {row[column]}, and not "
                 f"{None if number is None else float(number)}")


def options_of(length, since, until):
    """A window, and from when to when, as options."""
    def seconds(time):
        return f"{time // NS}.{time % NS:09d}"
    return ([f"--window={seconds(length)}"] +
            ([] if since is None else [f"--from=@{seconds(since)}"]),
            [] if until is None else [f"@{seconds(until)}"])


def check_stat(project, hdtrace, length, since=None, until=None):
    """Compare hdtrace stat; the number of rows."""
    options, last = options_of(length, since, until)
    options += [f"--to={time}" for time in last]
    rows = list(csv.DictReader(run(hdtrace, "stat", "--format=csv", *options,
                                   "w.proj").splitlines()))
    read = json.loads(run(hdtrace, "stat", "--format=json", *options,
                          "w.proj"), parse_float=str, parse_int=str)
    if ns(read["window_s"]) != length or len(read["rows"]) != len(rows):
        fail(f"JSON has other windows: {options}")
    windows = list(project.windows(length, since, until))
    expected = [(group, window, value) for group in project.groups
                for window in windows for value in range(len(group.values))]
    if len(rows) != len(expected):
        fail(f"{options}: {len(rows)} rows, and not {len(expected)}")
    for row, other, (group, window, value) in zip(rows, read["rows"],
                                                  expected):
        number, start, end, first = window
        name, kind_of, _ = group.values[value]
        where = f"{options} {group.key} {name} in {window}"
        if (row["node"], row["group"]) != group.key or row["value"] != name \
                or row["phase"] != str(number) or ns(row["start"]) != start \
                or ns(row["end"]) != end or ns(row["duration_s"]) != end - start:
            fail(f"{where}: another row: {row}")
        merged = Merged(group, value, list(group.parts(start, end, first)),
                        end - start)
        if kind_of != "STRING" and ns(row["known_s"]) != merged.known:
            fail(f"{where}: known {row['known_s']}, and not {merged.known}")
        check_row(row, columns(merged, kind_of), where)
        check_row(other, columns(merged, kind_of), where + " in JSON")
    return len(rows)


def last_reading(group, value, end):
    """What a counter shows at a time; None: it is not known."""
    reading = None
    for start, stop, gap, numbers in group.entries:
        if gap and (stop <= end or start < end):
            reading = None
        if stop <= end and numbers[value] is not None:
            reading = numbers[value]
    return reading


def expected_entries(group, windows):
    """What an export has: {number: (start, end, gap, {name: number})}."""
    entries = {}
    before = None
    for window, start, end, first in windows:
        parts = list(group.parts(start, end, first))
        if not parts:
            continue
        numbers = {}
        for value, (name, kind_of, kind) in enumerate(group.values):
            if kind_of == "STRING":
                continue
            merged = Merged(group, value, parts, end - start)
            size = merged.size()
            numbers[name + "_known"] = (Fraction(merged.known, NS), 0)
            if kind == "gauge":
                numbers[name] = (merged.mean(), size)
                numbers[name + "_min"] = (min(merged.amounts, default=None), 0)
                numbers[name + "_max"] = (max(merged.amounts, default=None), 0)
            elif kind == "delta":
                numbers[name] = (merged.total if merged.amounts else None, 0)
            else:
                numbers[name] = (last_reading(group, value, end), 0)
        entries[len(entries)] = (start, end,
                                 before is not None and window != before + 1,
                                 numbers)
        before = window
    return entries


def check_export(project, hdtrace, length, since=None, until=None):
    """Compare hdtrace export --to csv and json; the number of windows."""
    options, last = options_of(length, since, until)
    options += [f"--until={time}" for time in last]
    found = {}
    for row in csv.DictReader(run(hdtrace, "export", "-q", "--to=csv", "--output=-",
                                  *options, "w.proj").splitlines()):
        if row["record"] != "value":
            continue
        key = (row["node"], row["group"], int(row["number"]))
        entry = found.setdefault(key, (ns(row["start"]), ns(row["end"]),
                                       row["gap"] == "1", {}))
        entry[3][row["name"]] = row["value"]
        if row["type"] != "DOUBLE":
            fail(f"{row} is no double")
    read = json.loads(run(hdtrace, "export", "-q", "--to=json", "--output=-",
                          *options, "w.proj"), parse_float=str, parse_int=str)
    count = 0
    for group, other in zip(project.groups, read["groups"]):
        windows = list(project.windows(length, since, until))
        names = [value["name"] for value in other["values"]]
        entries = expected_entries(group, windows)
        if len(other["entries"]) != len(entries):
            fail(f"{options}: JSON has {len(other['entries'])} entries")
        for number, (start, end, gap, numbers) in entries.items():
            where = f"{options} {group.key} ]{start}, {end}]"
            entry = found.pop((*group.key, number), None)
            if entry is None or entry[:3] != (start, end, gap) or \
                    set(entry[3]) != set(numbers):
                fail(f"{where}: {entry}")
            check_row(entry[3], numbers, where)
            entry = other["entries"][number]
            if (ns(entry["start"]), ns(entry["end"]), "gap" in entry) != \
                    (start, end, gap):
                fail(f"{where} in JSON: {entry}")
            check_row(dict(zip(names, entry["values"])), numbers,
                      where + " in JSON")
            count += 1
    if found:
        fail(f"{options}: there is no {list(found)[0]}")
    return count


def drawn_windows(group, value, windows, rate):
    """Start, end, mean, smallest and largest level of windows that have one;
    the mean is None where less than half is known."""
    for _, start, end, first in windows:
        levels = []
        merged = Merged(group, value, list(group.parts(start, end, first)),
                        end - start)
        for amount, _, _, length in merged.taken:
            if not rate:
                levels.append(amount)
            elif length:
                levels.append(amount * NS / length)
        if levels:
            yield (start, end, merged.rate() if rate else merged.mean(),
                   min(levels), max(levels))


def drawn_bins(picture, windows):
    """The same of bins, where there are more windows."""
    bins = {}
    length = picture.last - picture.first
    for start, end, mean, low, high in windows:
        at = (start - picture.first) * picture.bins // length
        while at < picture.bins and picture.border(at) < end:
            part = min(end, picture.border(at + 1)) - \
                max(start, picture.border(at))
            of = bins.setdefault(at, [0, 0, low, high])
            if mean is not None:
                of[0] += mean * part
                of[1] += part
            of[2:] = min(of[2], low), max(of[3], high)
            at += 1
    for at, (total, known, low, high) in bins.items():
        start, end = picture.border(at), picture.border(at + 1)
        middle = Fraction(start + end, 2)
        yield (middle, middle,
               total / known if known and 2 * known >= end - start else None,
               low, high)


def check_corners(picture, axis, paths, corners):
    """Paths have corners at (time, number)..."""
    found = {}
    for path in paths:
        for x, y in points_of(path):
            found.setdefault(round(10 * x), []).append(y)
    for time, number in corners:
        x, y = picture.time.place(float(time)), axis.place(float(number))
        if not any(abs(other - y) < NEAR for i in (-1, 0, 1)
                   for other in found.get(round(10 * x) + i, [])):
            fail(f"{float(number)} at {time} is not drawn")


def check_plot(project, hdtrace, length, since=None):
    """Compare the curves of hdtrace plot; the number of windows, or bins."""
    options, _ = options_of(length, since, None)
    group = project.groups[0]
    count = 0
    for value, (name, kind_of, kind) in enumerate(group.values):
        if kind_of == "STRING":
            continue
        read = json.loads(run(hdtrace, "plot", "--format=json", "--force",
                              "--output=w.svg", "--node=a", "--value=" + name,
                              *options, "w.proj"), parse_float=str)
        if ns(read["window_s"]) != length:
            fail(f"window_s is {read['window_s']}")
        curve = read["panels"][0]["curves"][0]
        picture = Picture("w.svg", START)
        picture.covers(ns(read["start_s"]), ns(read["end_s"]))
        (_, _, title, axis, curves), = panels_of(picture)
        (_, lines, bands), = curves
        factor = Fraction(factor_of(title, read["panels"][0]["unit"]))
        if curve["rate_unit"]:
            factor /= 1 if kind != "gauge" else fail(f"rate of {name}")
        windows = list(drawn_windows(group, value,
                                     project.windows(length, since),
                                     kind != "gauge"))
        shown = [(max(start, picture.first), min(end, picture.last),
                  mean if mean is None else mean / factor, low / factor,
                  high / factor) for start, end, mean, low, high in windows]
        if curve["dense"] != (len(shown) > picture.bins):
            fail(f"{name}: {len(shown)} windows, {curve['dense']}")
        if curve["dense"]:
            shown = list(drawn_bins(picture, shown))
            check_corners(picture, axis, lines,
                          [(start, mean) for start, _, mean, _, _ in shown
                           if mean is not None])
        else:
            check_steps(picture, axis, lines,
                        [(start, end, float(mean))
                         for start, end, mean, _, _ in shown
                         if mean is not None])
        check_corners(picture, axis, bands, [
            (time, number) for start, end, _, low, high in shown
            for time in (start, end) for number in (low, high)])
        count += len(shown)
    return count


def check_whole(project, hdtrace, length):
    """Windows add up to the whole; one that is longer than all is the whole."""
    def rows(*options):
        return list(csv.DictReader(run(hdtrace, "stat", "--format=csv",
                                       *options, "w.proj").splitlines()))
    whole = rows()
    of_all = rows(f"--window={length // NS}.{length % NS:09d}")
    one = rows(f"--window={(project.end - project.start) // NS + 1}")
    most = rows("--window=9223372036.854775807")
    for row in whole:
        same = [other for other in of_all if all(
            other[key] == row[key] for key in ("node", "group", "value"))]
        for key in ("integral", "total", "known_s", "duration_s", "resets"):
            numbers = [Fraction(other[key]) for other in same if other[key]]
            if (row[key] == "") != (not numbers) or not near(
                    row[key] or None, sum(numbers) if numbers else None,
                    sum(map(abs, numbers))):
                fail(f"{row['value']}: {key} of windows is "
                     f"{float(sum(numbers))}, and of all {row[key]}")
    for row, first, second in zip(whole, one, most):
        for key in row:
            if key not in ("phase", "phases", "start", "end") and not \
                    row[key] == first[key] == second[key]:
                fail(f"{row['value']}: {key} is {first[key]}, {second[key]}, "
                     f"and {row[key]}")
    if not len(whole) == len(one) == len(most):
        fail("there are other rows")
    return len(of_all)


def main(what, hdtrace, seed):
    """Look at some windows."""
    chance = random.Random(seed)
    step = 10**8
    write_project(chance, step)
    project = Project(hdtrace)
    length = project.end - project.start
    if what == "whole":
        print(check_whole(project, hdtrace, step), "rows add up")
        return
    if what == "plot":
        count = sum(check_plot(project, hdtrace, window) for window in
                    (step, 3 * step + 7, step // 10, 10 * length))
        # What ends at --from is not in it, if it has no length either.
        count += sum(check_plot(project, hdtrace, step, end)
                     for start, end, _, _ in project.groups[0].entries[1:40]
                     if start == end)
        print(count, "are drawn")
        return
    check = check_stat if what == "stat" else check_export
    count = check(project, hdtrace, step)
    count += check(project, hdtrace, chance.randrange(1, 5 * step))
    count += check(project, hdtrace, length + chance.randrange(NS))
    for _ in range(3):
        since, until = sorted(chance.randrange(project.start, project.end)
                              for _ in range(2))
        count += check(project, hdtrace, chance.randrange(step // 2, length),
                       since, until + 1)
    # Many in each entry, more than a block has.
    if what == "export":
        count += check(project, hdtrace, step // 20)
    # Before and behind the run there are no windows.
    count += check(project, hdtrace, 3 * step, project.start - 10 * step,
                   project.end + 10 * step)
    # As small as can be: at a border of entries, and at the end.
    for time in (project.groups[0].entries[3][1], project.end - 10):
        count += check(project, hdtrace, 1, time - 20, time + 20)
    print(count, "are equal")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
