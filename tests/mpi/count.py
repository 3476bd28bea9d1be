# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compare what a tool counted (count.awk), on standard input, with a report in JSON:
count.py REPORT. Calls are equal, and times within 2 ms and 5 %."""
import json
import sys

# Functions that libhdMPI does not call itself.
COMPARED = {"Init", "Send", "Recv", "Ssend", "Sendrecv", "Irecv", "Test", "Iprobe",
            "Testall", "Wait", "Alltoall", "Finalize"}

counted = {}
for line in sys.stdin:
    _, name, calls, seconds, _ = line.split()
    before = counted.get(name, (0, 0.0))
    counted[name] = (before[0] + int(calls), before[1] + float(seconds))
with open(sys.argv[1], encoding="utf-8") as file:
    states = {s["name"]: s for s in json.load(file)["states"]}
bad = 0
for name in sorted(COMPARED):
    calls, seconds = counted[name]
    found = states[name]
    off = abs(found["own_s"] - seconds)
    good = found["count"] == calls and off <= 0.002 + 0.05 * seconds
    print(f"{name}: {found['count']} of {calls} calls, "
          f"{found['own_s']:.6f} of {seconds:.6f} s{'' if good else ' !'}")
    bad += not good
sys.exit(bad != 0)
