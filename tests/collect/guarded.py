#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a good client of a daemon sees while others attack it: PORT PID PAGES.

Pings are answered, samples keep their period of 0.1 s, the configuration can be
changed, memory stays small, and of pages that cannot be read nothing is known."""
import struct
import sys
import threading
import time

from node import CONFIGURE, CONFIGURED, PING, PONG, Client, frame

port, pid, pages = (int(x) for x in sys.argv[1:])
STATUS, PROBES = 2, 4
is_over = False


def ask_probes():
    client = Client(port)
    while not is_over:
        client.state(PROBES)


def memory():
    for line in open("/proc/%d/status" % pid):
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise EOFError


def timed(do):
    before = time.monotonic()
    do()
    return time.monotonic() - before


good = Client(port)


def ping():
    assert good.ask(frame(PING, 1, struct.pack("<Q", 7)))[0] == PONG


def configure():
    assert good.ask(frame(CONFIGURE, 1, bytes(4)))[0] == CONFIGURED


def samples():
    return good.state(STATUS)[2]["status"]["sampler"]["samples"]


# The pages are known once the daemon has looked at processes.
deadline = time.monotonic() + 60
while len(good.state(PROBES)[2]["probes"]["processes"]) < pages:
    assert time.monotonic() < deadline
    time.sleep(0.05)
probes = good.state(PROBES)[2]["probes"]["processes"]
assert len(probes) == pages
for process in probes:
    # Unknown is not zero.
    assert process["error"] or process["skipped"] != 0 or \
        all(p["count"] == 0 for p in process["probes"])
    if process["skipped"] != 0:
        assert all(p["count"] is None for p in process["probes"])

attackers = [threading.Thread(target=ask_probes, daemon=True)
             for _ in range(4)]
for attacker in attackers:
    attacker.start()
began, first = time.monotonic(), samples()
waits = []
while time.monotonic() - began < 4:
    waits.append(timed(ping))
    time.sleep(0.02)
lasted, taken = time.monotonic() - began, samples() - first
changed = timed(configure)
is_over = True
waits.sort()
print("pings: median %.1f ms, 99 %% %.1f ms, longest %.1f ms" % tuple(
    1e3 * waits[i] for i in (len(waits) // 2, len(waits) * 99 // 100, -1)))
print("samples: %d in %.2f s; configured in %.3f s; RSS %.1f MB" %
      (taken, lasted, changed, memory() / 1e6))
# Other programs may keep both of us from running now and then.
assert waits[len(waits) * 95 // 100] <= 0.1 and waits[-1] <= 2
assert taken >= 0.5 * lasted / 0.1
assert changed <= 1
assert memory() <= 20e6
for attacker in attackers:
    attacker.join(10)
