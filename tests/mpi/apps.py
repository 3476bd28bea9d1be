# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compare what a tool counted of what a program called (count.awk, of=MPI_), on
standard input, with a project: apps.py HDTRACE PROJECT.

The calls of each function that was recorded are equal, and so are the bytes of sends;
the time of all functions but MPI_Init and MPI_Finalize agrees within 5 % and 20 ms of
each rank. What was counted and not recorded is listed."""
import csv
import io
import json
import subprocess
import sys

# What only asks, and is not recorded; and what is not a function of communication.
SENDS = {"Send", "Ssend", "Rsend", "Isend", "Issend", "Irsend"}
# The tracer works in these, so that the time around them is another one.
ENDS = {"Init", "Init_thread", "Finalize"}


def run(*command):
    """What a command prints."""
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout


def read_counted():
    """Calls, seconds and bytes of each function; number of ranks."""
    counted, ranks = {}, set()
    for line in sys.stdin:
        rank, name, *numbers = line.split()
        ranks.add(rank)
        before = counted.get(name, (0, 0.0, 0))
        counted[name] = (before[0] + int(numbers[0]), before[1] + float(numbers[1]),
                         before[2] + int(numbers[2]))
    return counted, len(ranks)


def main():
    """Compare, and print what differs."""
    counted, ranks = read_counted()
    report = json.loads(run(sys.argv[1], "report", "--all", "--format=json",
                            sys.argv[2]))
    states = {s["name"]: s for s in report["states"] if s["name"] in counted}
    volume = csv.DictReader(io.StringIO(run(
        sys.argv[1], "stat", "--volume", "--format=csv", sys.argv[2]).decode()))
    sent = {row["region"]: int(row["sum_bytes"]) for row in volume
            if row["by"] == "function" and row["direction"] == "sent"}
    bad = calls = 0
    mine = theirs = 0.0
    for name, state in sorted(states.items()):
        number, seconds, size = counted[name]
        calls += number
        wrong = [] if state["count"] == number else [f"{state['count']} calls of {number}"]
        if name in SENDS and sent.get(name, 0) != size:
            wrong.append(f"{sent.get(name)} bytes of {size}")
        if wrong:
            print(f"{name}: {', '.join(wrong)}")
        bad += len(wrong)
        if name not in ENDS:
            mine += state["own_s"]
            theirs += seconds
    print("not recorded:", *sorted(set(counted) - set(states)))
    print(f"{ranks} ranks, {len(states)} functions, {calls} calls, "
          f"{mine:.3f} s of {theirs:.3f} s")
    if not states or abs(mine - theirs) > 0.05 * theirs + 0.02 * ranks:
        print("the times differ")
        bad += 1
    sys.exit(bad != 0)


main()
