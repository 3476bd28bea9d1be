# SPDX-License-Identifier: LGPL-2.1-or-later
"""Kinds of values: write a project with chance counters, deltas and gauges, and
compare what hdtrace stat says of random intervals with exact sums:
kinds.py HDTRACE SEED"""
import json
import random
import struct
import subprocess
import sys
from fractions import Fraction

from project import fail

NS = 10**9
START = 1000000000 * NS
VALUES = [("c", "INT64", "B", "counter"), ("u", "DOUBLE", "J", "counter"),
          ("d", "INT64", "B", "delta"), ("g", "DOUBLE", "W", "gauge")]


def stamp(time):
    """A time stamp of a .stat file."""
    return struct.pack(">II", time // NS, time % NS)


def header():
    """The header of the file, with its length."""
    lines = ["<Statistics>", "<TopologyNode>", '  <Label value="n" />',
             "</TopologyNode>", '<Group name="K" timestampDatatype="EPOCH" '
             'timeAdjustment="-0000000000.000000000">']
    lines += [f'  <Value name="{name}" type="{kind_of}" unit="{unit}" '
              f'kind="{kind}" />' for name, kind_of, unit, kind in VALUES]
    text = "\n".join(lines + ["</Group>", "</Statistics>", ""]).encode()
    return b"%05d\n" % len(text) + text


class Project:
    """Entries: start, end, whether behind a gap, numbers (None is NaN)."""

    def __init__(self, chance, count):
        self.entries = []
        time, counted, joules = START, 1000, Fraction(500)
        data = header() + stamp(time)
        for _ in range(count):
            gap = self.entries and chance.random() < 0.05
            if gap:
                time += chance.randrange(1, 3 * NS)
                data += b"\xff" * 8 + stamp(time)
            end = time if chance.random() < 0.05 else \
                time + chance.randrange(NS)
            counted = chance.randrange(50) if chance.random() < 0.05 else \
                counted + chance.randrange(2**50)
            joules += Fraction(chance.randrange(4000), 4)
            # Floats have a NaN, integers do not.
            numbers = [counted,
                       None if chance.random() < 0.1 else joules,
                       chance.randrange(10**12),
                       None if chance.random() < 0.1
                       else Fraction(chance.randrange(800), 4)]
            data += stamp(end) + b"".join(
                struct.pack(">q", number) if kind == "INT64" else
                struct.pack(">d", float("nan") if number is None else number)
                for number, (_, kind, _, _) in zip(numbers, VALUES))
            self.entries.append((time, end, gap, numbers))
            time = end
        self.end = time
        with open("kinds.stat", "wb") as file:
            file.write(data)

    def growth(self, value):
        """What a counter grew by in each entry, and whether it went back."""
        before = None
        for _, _, gap, numbers in self.entries:
            number = numbers[value]
            if gap or before is None or number is None:
                yield None, False
            else:
                yield (number if number < before else number - before,
                       number < before)
            before = number

    def expected(self, value, start, end):
        """Total (or integral), known time in ns, and resets of ]start, end]."""
        kind = VALUES[value][3]
        amounts = list(self.growth(value)) if kind == "counter" else \
            [(entry[3][value], False) for entry in self.entries]
        total, known, resets = Fraction(0), 0, 0
        for (first, last, _, _), (amount, back) in zip(self.entries, amounts):
            part = min(last, end) - max(first, start)
            if last == first:
                if not start < last <= end or amount is None:
                    continue
                share = Fraction(1)
            elif part <= 0 or amount is None:
                continue
            else:
                share = Fraction(part, last - first)
            if kind == "gauge":
                total += amount * Fraction(part if last > first else 0, NS)
            else:
                total += amount * share
            known += part if last > first else 0
            resets += back and last <= end
        return total, known, resets


def rows_of(hdtrace, *options):
    """What hdtrace stat says, by value."""
    done = subprocess.run([hdtrace, "stat", "-q", "--format=json", *options,
                           "kinds.stat"], stdout=subprocess.PIPE, check=True)
    return {row["value"]: row for row in json.loads(done.stdout)["rows"]}


def near(found, exact):
    """Equal but for the last digits of a double."""
    return abs(Fraction(found or 0) - exact) <= abs(exact) / 10**12 + \
        Fraction(1, 10**9)


def check(project, rows, start, end):
    """Compare all values."""
    for value, (name, _, unit, kind) in enumerate(VALUES):
        row = rows[name]
        total, known, resets = project.expected(value, start, end)
        where = f"{name} of ]{start}, {end}]: {row}; expected {total} in {known}"
        if row["kind"] != kind or row["kind_guessed"]:
            fail(where)
        if round(Fraction(str(row["known_s"])) * NS) != known:
            fail("known_s: " + where)
        if kind == "gauge":
            if not near(row["integral"], total) or row["total"] is not None \
                    or row["sum"] is not None or row["rate"] is not None:
                fail("gauge: " + where)
            continue
        if not near(row["total"], total):
            fail("total: " + where)
        if any(row[key] is not None
               for key in ("mean", "stddev", "integral", "integral_unit")):
            fail("no mean: " + where)
        duration = round(Fraction(str(row["duration_s"])) * NS)
        if 2 * known < duration or not known:
            if row["rate"] is not None:
                fail("no rate: " + where)
        elif not near(row["rate"] * known / NS, total):
            fail("rate: " + where)
        if row["rate_unit"] != ("W" if unit == "J" else "B/s"):
            fail("unit: " + where)
        if kind == "counter" and row["resets"] != resets:
            fail(f"{resets} resets: " + where)


def main(hdtrace, seed):
    """Look at the whole, and at some intervals."""
    chance = random.Random(seed)
    project = Project(chance, 300)
    rows = rows_of(hdtrace)
    check(project, rows, 0, project.end)
    total = project.expected(0, 0, project.end)[0]
    if str(rows["c"]["total"]) != str(total):
        fail(f"{rows['c']['total']}, and exactly {total}")
    for _ in range(20):
        start, end = sorted(chance.randrange(START, project.end)
                            for _ in range(2))
        rows = rows_of(hdtrace, f"--from=@{start // NS}.{start % NS:09d}",
                       f"--to=@{end // NS}.{end % NS:09d}")
        check(project, rows, start, end)
    print("20 intervals are equal")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
