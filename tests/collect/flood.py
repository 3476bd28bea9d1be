#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Nodes that say as much as they may: COUNT HDNODE. Their answers are as long as
they can be, of short numbers that take much memory once they are parsed; each
has a listener of its own. hdnode collect must take them all, in its time and in
64 MB, and a node that drips must not keep others from a long answer."""
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time

from node import MAGIC, NAMES, PING, PONG, STATE, frame

count, hdnode = int(sys.argv[1]), sys.argv[2]
STATE_MAX, ANSWER_MAX = 256 << 10, 4 << 20
STATE_VALUES, ANSWER_VALUES = 16384, 65536


def clocks():
    return struct.pack("<qq", time.time_ns(), time.monotonic_ns())


def text(sections):
    """As many values as may be, and a text up to the longest answer."""
    most = ANSWER_MAX if sections & 4 else STATE_MAX
    said = {name: [] if name == "alarms" else {}
            for bit, name in enumerate(NAMES) if sections & 1 << bit}
    long = "probes" if sections & 4 else "status"
    values = (ANSWER_VALUES if sections & 4 else STATE_VALUES) - 64
    said[long] = {"numbers": [1e99] * values, "text": ""}
    data = json.dumps(said, separators=(",", ":")).encode()
    said[long]["text"] = "x" * (most - len(data))
    return json.dumps(said, separators=(",", ":")).encode()


texts = {}


def serve(listener, drips):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=answer, args=(connection, drips),
                         daemon=True).start()


def answer(connection, drips):
    stream = connection.makefile("rb")
    try:
        assert stream.read(16)[:4] == MAGIC
        connection.sendall(MAGIC + struct.pack("<HHII", 1, 0, 0, 65552) +
                           clocks() + bytes(32))
        while True:
            head = stream.read(8)
            if len(head) < 8:
                return
            length, kind, tag = struct.unpack("<IHH", head)
            asked = stream.read(length)
            if kind == PING:
                connection.sendall(frame(PONG, tag, asked + clocks()))
                continue
            sections, = struct.unpack("<I", asked[:4])
            if sections not in texts:
                texts[sections] = text(sections)
            data = frame(STATE, tag, struct.pack("<I", sections) + clocks() +
                         texts[sections])
            if drips:
                for i in range(0, len(data), 1000):
                    connection.sendall(data[i:i + 1000])
                    time.sleep(0.1)
            connection.sendall(data)
    except OSError:
        pass


def nodes(number, drips=0):
    where = []
    for i in range(number):
        listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=serve, args=(listener, i < drips),
                         daemon=True).start()
        where.append("127.0.0.1:%d" % listener.getsockname()[1])
    return where


def high_water(pid):
    """The most memory that a process has had, since it was executed: what wait4()
    says has our memory in it, from before."""
    with open("/proc/%d/status" % pid) as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0


def collect(where, *options):
    """What it says, and the most memory it had."""
    began = time.monotonic()
    child = subprocess.Popen([hdnode, "collect", "--format=json", *options,
                              *where], stdout=subprocess.PIPE, bufsize=0)
    pieces, memory = [], 0
    # It writes more than a pipe holds, and so lives until the last of it is read.
    while True:
        piece = child.stdout.read(1 << 16)
        if not piece:
            break
        pieces.append(piece)
        memory = max(memory, high_water(child.pid))
    child.wait()
    said = json.loads(b"".join(pieces))
    answered = sum(n["state"] == "ok" for n in said["nodes"])
    print("%d of %d answered; %.2f s in all, %.2f s to ask; %.1f MB" %
          (answered, len(where), time.monotonic() - began, said["took_s"],
           memory))
    return said, answered, memory


# All answer, whatever that takes.
said, answered, memory = collect(nodes(count), "--timeout=60")
assert answered == count
assert all(len(n["status"]["numbers"]) > 10000 for n in said["nodes"])
assert memory <= 64, memory

few = count // 10
said, answered, memory = collect(nodes(few), "--timeout=60", "--probes")
assert answered == few
assert all(len(n["probes"]["numbers"]) > 60000 for n in said["nodes"])
assert memory <= 64, memory

# Two that drip have their share of the time, and no more.
where = nodes(6, 2)
said, answered, memory = collect(where, "--timeout=6", "--probes")
states = [n["state"] for n in said["nodes"]]
assert states == ["late"] * 2 + ["ok"] * 4, states
assert said["took_s"] < 7
