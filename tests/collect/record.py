#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""hdnode collect --project: what is in the files is what the JSON has said, at
times of our clock, with gaps where there must be some: HDNODE real PORT, or
HDNODE soft; or HDNODE serve, a node of software only. Files are read by the
description of their format."""
import asyncio
import html
import json
import math
import re
import struct
import subprocess
import sys
import threading
import time

from node import Node, serve


def read_stat(name):
    """Attributes of the group, columns, and entries: (begin, end, is behind a
    gap, {column: number})."""
    data = open(name, "rb").read()
    length = int(data[:5])
    header, at = data[6:6 + length].decode(), 6 + length

    def attributes(text):
        return {k: html.unescape(v) for k, v in
                re.findall(r' ([A-Za-z]+)="([^"]*)"', text)}
    group = attributes(re.search("<Group.*", header)[0])
    columns = [attributes(v) for v in re.findall("<Value.*", header)]
    assert all(c["type"] == "DOUBLE" for c in columns)

    def stamp():
        nonlocal at
        s, ns = struct.unpack(">II", data[at:at + 8])
        at += 8
        return s + ns / 1e9
    before, entries, is_gap = stamp(), [], False
    while at < len(data):
        if data[at:at + 8] == b"\xff" * 8:
            at += 8
            before, is_gap = stamp(), True
            continue
        end = stamp()
        numbers = struct.unpack(">%dd" % len(columns),
                                data[at:at + 8 * len(columns)])
        at += 8 * len(columns)
        entries.append((before, end, is_gap, dict(zip(
            (c["name"] for c in columns), numbers))))
        before, is_gap = end, False
    return group, columns, entries


def numbers_of(status):
    """What must be in an entry, from the JSON."""
    cpu, length = status["cpu"], status["interval_s"]
    found = {"CPU_TOTAL": cpu["user_percent"] + cpu["nice_percent"] +
             cpu["system_percent"], "LOAD_1": status["load"][0],
             "LOAD_15": status["load"][2],
             "CPU_STATE_USER": cpu["user_percent"],
             "CPU_STATE_IDLE": cpu["idle_percent"],
             "MEM_USED": status["memory"]["used_bytes"],
             "MEM_AVAILABLE": status["memory"]["available_bytes"]}
    for c in status["cpus"]:
        found["CPU_STATE_STEAL_%d" % c["cpu"]] = c["steal_percent"]
    for n in status["nics"]:
        found["NET_IN_" + n["name"]] = round(n["in_bytes_per_s"] * length)
        found["NET_ERRORS_OUT_" + n["name"]] = \
            round(n["out_errors_per_s"] * length)
    for disk in status["disks"]:
        found["HDD_WRITE_" + disk["name"]] = \
            round(disk["written_bytes_per_s"] * length)
        found["HDD_WRITE_OPS_" + disk["name"]] = \
            round(disk["writes_per_s"] * length)
        found["HDD_BUSY_" + disk["name"]] = disk["busy_percent"]
    for s in status["storage"]:
        found["STORAGE_FREE_" + s["path"]] = s["free_bytes"]
    return found


def samples_of(lines, address):
    """Each sample that was said, once, with what was said of the node. One whose
    time is not known, after a boot, is recorded when it is said again."""
    seen = {}
    for line in lines:
        for n in line["nodes"]:
            if n["address"] != address or n["state"] != "ok" or \
                    n["offset_s"] is None:
                continue
            stamp = n["status"]["stamp_s"]
            if stamp is not None and stamp not in seen:
                seen[stamp] = n
    return list(seen.values())


def compare(entries, samples):
    """Entries are these samples."""
    assert len(entries) == len(samples), (len(entries), len(samples))
    for (begin, end, is_gap, numbers), n in zip(entries, samples):
        expected = n["status"]["stamp_s"] - n["offset_s"]
        # What Python's reals have of seconds since 1970.
        assert abs(end - expected) < 2e-6, (end, expected)
        wanted = numbers_of(n["status"])
        assert set(wanted) <= set(numbers), set(wanted) - set(numbers)
        for name, number in wanted.items():
            assert numbers[name] == number or abs(
                numbers[name] - number) < 1e-9 * abs(number), (
                    name, numbers[name], number)
        length = n["status"]["interval_s"]
        assert abs(end - begin - length) <= \
            0.1 * length + 2 * n["offset_error_s"] + 2e-6, (end - begin, length)


class Recorded(Node):
    """A node that takes a sample each second pull."""
    length = 0.01

    def __init__(self, name, offset=0.0, meter=False):
        super().__init__("good", name, offset)
        self.meter, self.sample, self.last = meter, 0, time.monotonic_ns()
        self.asked, self.joules, self.was_silent = 0, 0.0, True

    def say(self, sections):
        if self.mode == "silent":
            self.was_silent = True
        elif self.asked % 2 == 0:
            self.take()
        self.asked += 1
        return super().say(sections)

    def take(self):
        wall, now = self.clocks()
        self.sample += 1
        length = self.length if self.was_silent else (now - self.last) / 1e9
        self.last, self.was_silent = now, False
        i = self.sample
        self.joules += i
        percent = {"user_percent": i / 8, "nice_percent": 1.0,
                   "system_percent": 2.0, "idle_percent": 97 - i / 8,
                   "iowait_percent": 0.0, "steal_percent": i / 1000}
        self.status = {
            "stamp_s": wall / 1e9, "interval_s": length, "cpu": percent,
            "cpus": [dict(percent, cpu=k) for k in range(3)],
            "load": [i / 4, 0.5, i / 2],
            "memory": {"used_bytes": i << 40, "available_bytes": 2 * i},
            "nics": [{"name": "eth0", "in_bytes_per_s": 1000 * i / length,
                      "in_bytes": 1, "out_errors_per_s": i / length,
                      "out_errors": 1}],
            "disks": [{"name": "sda", "written_bytes_per_s": 4096 * i / length,
                       "written_bytes": 1, "writes_per_s": i / length,
                       "writes": 1, "busy_percent": 50.0}],
            "storage": [{"path": "/a&b", "free_bytes": 1000000 * i}],
            "power": {"watts": 100.0, "joules": self.joules, "source": "soft",
                      "age_s": 0.0} if self.meter else None}


class Watcher:
    """hdnode collect, and what it has printed."""

    def __init__(self, hdnode, *options):
        self.lines = []
        self.process = subprocess.Popen(
            [hdnode, "collect", "--format=json", *options],
            stdout=subprocess.PIPE)
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append(json.loads(line))

    def wait(self, count):
        """So many lines more."""
        until = len(self.lines) + count
        for _ in range(6000):
            if len(self.lines) >= until:
                return
            time.sleep(0.01)
        raise TimeoutError

    def end(self, status):
        self.process.terminate()
        assert self.process.wait() == status, self.process.returncode
        self.thread.join()


def soft(hdnode):
    """Nodes of software, of which one each does what a node may do."""
    nodes = [Recorded("rack_1", 5.0, True), Recorded("silent"),
             Recorded("booted"), Recorded("stepped"), Recorded("back"),
             Recorded("late"), Recorded("rack_1")]
    loop = asyncio.new_event_loop()
    _, ports = loop.run_until_complete(serve(nodes))
    threading.Thread(target=loop.run_forever, daemon=True).start()
    addresses = ["127.0.0.1:%d" % p for p in ports]
    steady, silent, booted, stepped, back, late, twin = nodes

    def write_nodes(which):
        with open("nodes.new", "w") as file:
            file.writelines(a + "\n" for a in which)
        subprocess.check_call(["mv", "nodes.new", "nodes"])
    first = addresses[:5] + addresses[6:]
    write_nodes(first)
    began = time.time()
    w = Watcher(hdnode, "--project=soft", "--interval=0.02", "--timeout=2",
                "--nodes=nodes")
    w.wait(11)
    booted.boot, booted.started, booted.was_silent = "boot-2", 2000.0, True
    stepped.offset += 3600 * 10**9
    back.offset -= 7200 * 10**9
    write_nodes(addresses)
    w.wait(10)
    silent.mode = "silent"
    w.wait(2)
    silent.mode = "good"
    write_nodes(first)
    w.wait(12)
    w.end(0)
    ended = time.time()
    # A second one has its address for a name.
    labels = ["rack-1", "silent", "booted", "stepped", "back", "late",
              addresses[6].replace(":", "-")]
    found = {}
    for label, address in zip(labels, addresses):
        group, columns, entries = read_stat("soft_%s_Utilization.stat" % label)
        samples = samples_of(w.lines, address)
        assert group["server"] == address and len(samples) > 4
        found[label] = group, columns, entries, samples
        assert all(began - 1 < b < e < ended + 1 for b, e, _, _ in entries)
        assert all(a[1] <= b[0] + 1e-9 for a, b in zip(entries, entries[1:]))
    by = {n["address"]: n for n in w.lines[-1]["nodes"]}

    # All is there, without a gap, whatever the clock says.
    group, columns, entries, samples = found["rack-1"]
    assert abs(float(group["serverOffset"]) + 5) <= \
        float(group["serverOffsetError"]) and "clockNode" in group
    compare(entries, samples)
    gaps = [e[2] for e in entries]
    late_pull = any(n["state"] != "ok" for line in w.lines
                    for n in line["nodes"] if n["address"] == addresses[0])
    assert late_pull or not any(gaps), gaps
    assert {c["name"]: (c["unit"], c["kind"]) for c in columns}.items() >= {
        "CPU_TOTAL": ("%", "gauge"), "NET_IN_eth0": ("B", "delta"),
        "STORAGE_FREE_/a&b": ("B", "gauge")}.items()
    compare(*found[labels[6]][2:])

    # One was silent, and one was booted: a gap before what came then.
    for label in "silent", "booted":
        compare(*found[label][2:])
        assert sum(e[2] for e in found[label][2]) >= 1, label
    assert sum(n["state"] == "late" for line in w.lines for n in line["nodes"]
               if n["address"] == addresses[1]) >= 1
    assert by[addresses[2]]["boots"] == 1
    assert by[addresses[2]]["boot_id"] == "boot-2"

    # A clock that was set: nothing of the sample that it was set in, and all
    # else at our times.
    for label, at, offset in ("stepped", 3, 3600), ("back", 4, -7200):
        entries, samples = found[label][2:]
        assert abs(by[addresses[at]]["offset_s"] - offset) <= \
            by[addresses[at]]["offset_error_s"]
        i = next(i for i, n in enumerate(samples)
                 if abs(n["offset_s"] - offset) < 1)
        # That one is left out.
        assert entries[i][2], "no gap"
        compare(entries[:i], samples[:i])
        compare(entries[i:], samples[i + 1:])

    # Joules: as much as was counted from the first to the last answer.
    group, columns, entries = read_stat("soft_rack-1_Energy.stat")
    assert columns[0]["unit"] == "J" and columns[0]["kind"] == "delta"
    said = [n["status"]["power"]["joules"]
            for n in samples_of(w.lines, addresses[0])]
    total = sum(e[3]["ENERGY"] for e in entries)
    assert total == said[-1] - said[0] or late_pull, (total, said)


def real(hdnode, port):
    """A daemon of this host."""
    w = Watcher(hdnode, "--project=real", "--interval=0.1",
                "127.0.0.1:" + port)
    for _ in range(600):
        w.wait(1)
        samples = samples_of(w.lines, "127.0.0.1:" + port)
        if len(samples) >= 6:
            break
    w.end(0)
    _, _, entries = read_stat("real_real_Utilization.stat")
    compare(entries, samples_of(w.lines, "127.0.0.1:" + port))
    assert all(math.isfinite(e[3]["CPU_TOTAL"]) for e in entries)


def setback(watched):
    """A project and what was printed beside, while our clock was set back twice."""
    pulls = [json.loads(line) for line in open(watched)]
    assert pulls[-1]["time_s"] < pulls[0]["time_s"] - 10000
    stamps = {p["nodes"][0]["status"]["stamp_s"] for p in pulls} - {None}
    _, _, entries = read_stat("setback_real_Utilization.stat")
    print(len(stamps), len(entries))
    # Of a sample in which it was set nobody knows when it was.
    assert len(stamps) - 3 <= len(entries) <= len(stamps)
    assert all(a[1] <= b[0] + 1e-9 for a, b in zip(entries, entries[1:]))
    assert entries[-1][1] - entries[0][0] < 600


async def serve_one():
    """A node of software, until it is killed."""
    _, ports = await serve([Recorded("soft")])
    print("serving at 127.0.0.1:%d" % ports[0], flush=True)
    await asyncio.Event().wait()


if sys.argv[2] == "serve":
    asyncio.run(serve_one())
elif sys.argv[2] == "setback":
    setback(sys.argv[1])
elif sys.argv[2] == "soft":
    soft(sys.argv[1])
else:
    real(sys.argv[1], sys.argv[3])
