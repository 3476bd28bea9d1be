#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compare tables that hdtrace view makes with those of hdtrace report and stat:

    profile.py URL HDTRACE PROJECT COUNT SEED

for the whole run and COUNT random intervals: states, and messages of pairs of ranks."""
import json
import random
import subprocess
import sys
import time
import urllib.request

url, hdtrace, project, count, seed = sys.argv[1:6]
chance = random.Random(int(seed))


def ask(path):
    with urllib.request.urlopen(url + path, timeout=60) as answer:
        return json.load(answer)


def table(kind, arguments):
    done = -1
    while True:
        found = ask(kind + arguments)
        assert 0 <= found["done"] <= found["total"], found
        assert found["done"] >= done, "progress goes back"
        done = found["done"]
        assert not found["hasFailed"], found
        if found["isComplete"]:
            assert found["done"] == found["total"]
            return found[kind]
        time.sleep(0.02)


def pairs_of(*options):
    rows = document("stat", "--volume", *options)["rows"]
    keys = ("rank", "peer", "direction", "count", "unknown", "sum_bytes")
    return [{key: row[key] for key in keys} for row in rows if row["by"] == "peer"]


def document(*command):
    done = subprocess.run([hdtrace, *command, "--format=json", project],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return json.loads(done.stdout)


def ns_of(text):
    whole, _, rest = text.partition(".")
    return int(whole) * 10**9 + int(rest.ljust(9, "0"))


def seconds(ns):
    return f"@{ns // 10**9}.{ns % 10**9:09}"


def compare(what, found, expected):
    found = sorted(found, key=json.dumps)
    expected = sorted(expected, key=json.dumps)
    if found != expected:
        for pair in zip(found, expected):
            if pair[0] != pair[1]:
                print(what, *pair, sep="\n")
        sys.exit(f"{what}: {len(found)} rows, not {len(expected)}")


raw = subprocess.run([hdtrace, "dump", "--only=traces", "--format=csv", project],
                     stdout=subprocess.PIPE, check=True, text=True).stdout
times = [ns_of(row[at]) for row in (line.split(",") for line in raw.splitlines()[1:])
         if row[0] == "state" for at in (5, 6)]
first, last = min(times), max(times)
compare("whole run", table("states", ""), document("report")["states"])
compare("pairs of the whole run", table("pairs", ""), pairs_of())
total = 0
for _ in range(int(count)):
    start, end = sorted(chance.randrange(first, last) for _ in range(2))
    end += start == end
    what = f"?from={start}&to={end}"
    part = (f"--from={seconds(start)}", f"--to={seconds(end)}")
    states = table("states", what)
    compare(what, states, document("report", *part)["states"])
    pairs = table("pairs", what)
    compare("pairs" + what, pairs, pairs_of(*part))
    total += len(states) * len(pairs)
assert total, "no state or no message was in any interval"
# What was made once is there at once.
begun = time.monotonic()
assert ask("states" + what)["isComplete"]
assert ask("pairs" + what)["isComplete"]
print(f"again after {time.monotonic() - begun:.3f} s")
