#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a good client of a daemon sees while others attack it: PORT PID PAGES.

Pings are answered, samples keep their period of 0.1 s, the configuration can be
changed, memory stays small, and of pages that cannot be read nothing is known."""
import os
import signal
import struct
import sys
import time

from node import CONFIGURE, CONFIGURED, PING, PONG, Client, frame

port, pid, pages = (int(x) for x in sys.argv[1:])
STATUS, PROBES, ALARMS = 2, 4, 16
# Its name, as the kernel has it: 15 characters.
ATTACKER = "hostile-page"
INTERVAL = 0.1
# A rule that holds at once, and how long it must hold.
HOLD = 0.5
RULES = b"""[Node]
interval = 0.1
[Alarm]
name = always
metric = memory_available_percent
comparator = below
threshold = 1000
hold = 0.5
"""


def ask_probes():
    """An attacker: a process of its own, so that it does not delay this one."""
    child = os.fork()
    if child:
        return child
    try:
        client = Client(port)
        while True:
            client.state(PROBES)
    finally:
        os._exit(1)


def queued(task):
    """For how long a thread could run, but had no CPU: seconds."""
    try:
        with open("/proc/%s/schedstat" % task) as file:
            return int(file.read().split()[1]) / 1e9
    except OSError:
        return 0.0


def threads():
    return [t for t in os.listdir("/proc/%d/task" % pid) if int(t) != pid]


def used(thread):
    with open("/proc/%d/task/%s/schedstat" % (pid, thread)) as file:
        return int(file.read().split()[0])


def memory():
    for line in open("/proc/%d/status" % pid):
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise EOFError


def timed(do):
    """How long it takes, without the time that the daemon's loop and this program
    have waited for a CPU: others may use them."""
    queues = queued("self"), queued("%d/task/%d" % (pid, pid))
    before = time.monotonic()
    do()
    took = time.monotonic() - before
    return took - (queued("self") - queues[0]) - \
        (queued("%d/task/%d" % (pid, pid)) - queues[1])


def pages_of_attacker():
    """Programs of other tests may have pages, too."""
    found = []
    for process in good.state(PROBES)[2]["probes"]["processes"]:
        try:
            with open("/proc/%d/comm" % process["pid"]) as file:
                if file.read().strip() == ATTACKER:
                    found.append(process)
        except OSError:
            pass
    return found


good = Client(port)


def ping():
    assert good.ask(frame(PING, 1, struct.pack("<Q", 7)))[0] == PONG


def configure():
    assert good.ask(frame(CONFIGURE, 1, bytes(4) + RULES))[0] == CONFIGURED


def samples():
    return good.state(STATUS)[2]["status"]["sampler"]["samples"]


def raised():
    return any(a["name"] == "always" and a["state"] == "raised"
               for a in good.state(ALARMS)[2]["alarms"])


# The pages are known once the daemon has looked at processes.
deadline = time.monotonic() + 60
while len(pages_of_attacker()) < pages:
    assert time.monotonic() < deadline
    time.sleep(0.05)
probes = pages_of_attacker()
assert len(probes) == pages
for process in probes:
    # Unknown is not zero.
    assert process["error"] or process["skipped"] != 0 or \
        all(p["count"] == 0 for p in process["probes"])
    if process["skipped"] != 0:
        assert all(p["count"] is None for p in process["probes"])

attackers = [ask_probes() for _ in range(4)]
try:
    # The thread that reads probes works most; the sampler is one of the others.
    time.sleep(0.5)
    others = sorted(threads(), key=used)[:-1]

    def unscheduled():
        return sum(queued("%d/task/%s" % (pid, t)) for t in others)

    changed = timed(configure)
    began = last = time.monotonic()
    first = count = samples()
    queue = lastQueue = unscheduled()
    waits, gaps, alarmed = [], [], None
    while time.monotonic() - began < 4:
        waits.append(timed(ping))
        now, taken, is_raised = time.monotonic(), samples(), raised()
        if taken > count:
            gaps += [(now - last - (unscheduled() - lastQueue)) /
                     (taken - count)] * (taken - count)
            last, count, lastQueue = now, taken, unscheduled()
        if is_raised and alarmed is None:
            alarmed = now - began - (unscheduled() - queue)
        time.sleep(0.02)
    lasted = time.monotonic() - began - (unscheduled() - queue)
    taken = count - first
finally:
    for attacker in attackers:
        os.kill(attacker, signal.SIGKILL)
        os.waitpid(attacker, 0)
waits.sort()
gaps.sort()
print("pings: median %.1f ms, 99 %% %.1f ms, longest %.1f ms" % tuple(
    1e3 * waits[i] for i in (len(waits) // 2, len(waits) * 99 // 100, -1)))
print("samples: %d in %.2f s, 99 %% within %.3f s; alarm after %.2f s; "
      "configured in %.3f s; RSS %.1f MB" %
      (taken, lasted, gaps[len(gaps) * 99 // 100], alarmed or -1, changed,
       memory() / 1e6))
assert waits[-1] <= 0.1, waits[-5:]
assert gaps[len(gaps) * 99 // 100] <= 2 * INTERVAL, gaps[-5:]
assert taken >= 0.9 * lasted / INTERVAL - 2
# The sample after that, and the look here.
assert alarmed is not None and alarmed <= HOLD + 3 * INTERVAL
assert changed <= 0.1
assert memory() <= 20e6
