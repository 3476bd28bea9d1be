#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The energy of phases, from what a simulated LMG450 says that it measured.

    truth.py TRUTH STAT JSON [POWER]

TRUTH is the file of lmg450-sim --truth, STAT the statistics group that pt wrote, with
the values of TRUTH, JSON the levels of hdtrace loads --format=json. Value number POWER (1: after the
counter) is the power.
It shares no code with HDTrace. Energies may differ by one millionth.

Entries have the times of pt, which cannot know when a cycle ended on the wire; so the
energy over the true cycles is printed, too."""
import decimal
import json
import re
import struct
import sys

SIZES = {"INT32": "i", "INT64": "q", "FLOAT": "f", "DOUBLE": "d"}


def read_truth(path, power):
    """Sent messages: (start, end in ns, watts)."""
    found = []
    for line in open(path):
        word = line.split()
        if not line.startswith("#") and word[4] == "sent":
            found.append((int(word[2]), int(word[3]), float(word[5 + power])))
    return found


def read_stat(path):
    """Entries: (start, end in ns, values)."""
    data = open(path, "rb").read()
    length = int(data[:5])
    header = data[6:6 + length].decode()
    adjustment = re.search(r'timeAdjustment="(-?)(\d+)\.(\d+)"', header)
    shift = (int(adjustment[2]) * 10 ** 9 + int(adjustment[3])) * (
        -1 if adjustment[1] else 1) if adjustment else 0
    names = re.findall(r'<Value[^>]*name="([^"]*)"[^>]*type="([^"]*)"', header)
    form = struct.Struct(">II" + "".join(SIZES[t] for _, t in names))
    at = 6 + length
    seconds, ns = struct.unpack_from(">II", data, at)
    before, entries = seconds * 10 ** 9 + ns + shift, []
    for at in range(at + 8, len(data) - form.size + 1, form.size):
        seconds, ns, *values = form.unpack_from(data, at)
        end = seconds * 10 ** 9 + ns + shift
        entries.append((before, end, values))
        before = end
    return [n for n, _ in names], entries


def overlap(a, b, c, d):
    return max(0, min(b, d) - max(a, c))


def energy(intervals, start, end):
    return sum(watts * overlap(a, b, start, end) for a, b, watts in intervals) / 1e9


def main():
    power = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    truth = read_truth(sys.argv[1], power)
    names, entries = read_stat(sys.argv[2])
    document = json.load(open(sys.argv[3]), parse_float=decimal.Decimal)
    single = [struct.unpack("f", struct.pack("f", w))[0] for _, _, w in truth]
    # Where the first entry is in the truth: all that follow have the same values.
    column = names.index("P")
    read = [values[column] for _, _, values in entries]
    begin = next((i for i in range(len(single) - len(read) + 1)
                  if single[i:i + len(read)] == read), None)
    assert begin is not None, "the entries are not in the truth, in this order"
    recorded = [(a, b, single[begin + i]) for i, (a, b, _) in enumerate(entries)]
    worst = 0
    for level in document["levels"]:
        start = round(level["start_s"] * 10 ** 9)
        end = start + round(level["duration_s"] * 10 ** 9)
        expected = energy(recorded, start, end)
        true = energy(truth, start, end)
        error = abs(float(level["energy_j"]) / expected - 1)
        worst = max(worst, error)
        print(f"target {level['target_percent']}: {level['energy_j']:.9g} J, truth "
              f"{expected:.9g} J, difference {error:.1e}; over true cycles {true:.6g} J")
    print(f"{len(recorded)} messages; largest difference {worst:.1e}")
    sys.exit(worst > 1e-6 or not document["levels"])


main()
