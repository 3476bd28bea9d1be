# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compare what a tool counted (count.awk), on standard input, with a report in JSON:
count.py REPORT GOOD [FUNCTION...]. Calls are equal, and times within 2 ms and 5 %. A busy machine may
stop a rank between the readings of both; so the file GOOD has the functions whose times
were equal in an earlier run, and gets those of this one."""
import os
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
good_before = set()
if os.path.exists(sys.argv[2]):
    with open(sys.argv[2], encoding="utf-8") as file:
        good_before = set(file.read().split())
bad = 0
for name in sorted(sys.argv[3:] or COMPARED):
    calls, seconds = counted[name]
    found = states[name]
    off = abs(found["own_s"] - seconds)
    good = found["count"] == calls and off <= 0.002 + 0.05 * seconds
    if good:
        good_before.add(name)
    print(f"{name}: {found['count']} of {calls} calls, "
          f"{found['own_s']:.6f} of {seconds:.6f} s{'' if good else ' !'}")
    bad += found["count"] != calls or name not in good_before
with open(sys.argv[2], "w", encoding="utf-8") as file:
    file.write("\n".join(sorted(good_before)))
sys.exit(bad != 0)
