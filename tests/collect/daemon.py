#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""F12: the daemon of a node, byte by byte: PORT PID."""
import os
import random
import resource
import struct
import sys
import time

from node import (CONFIGURE, CONFIGURED, ERROR, GET, NAMES, PING, PONG, Client,
                  frame, get, hello)

port, pid = int(sys.argv[1]), int(sys.argv[2])
seed = int(os.environ.get("HDTRACE_TEST_SEED") or time.time_ns() % 2**32)
print("HDTRACE_TEST_SEED=%d" % seed)
chance = random.Random(seed)


def error(answer, code):
    kind, tag, payload = answer
    found, length = struct.unpack("<HH", payload[:4])
    assert kind == ERROR and found == code, answer
    assert len(payload) == 4 + length
    return payload[4:].decode()


# A greeting, to the byte.
c = Client(port)
magic, version, must, flags, most, wall, mono = struct.unpack(
    "<4sHHIIqq", c.greeting[:32])
assert magic == b"\x89HDN" and (version, must, flags) == (1, 0, 0)
assert most >= 4096 and abs(wall - time.time_ns()) < 60e9
assert abs(mono - time.monotonic_ns()) < 60e9
assert Client(port).greeting[32:] != c.greeting[32:]

# Nothing comes unasked.
assert c.silent(1.5)

# A ping, whose answer lies between our clocks.
before = time.time_ns()
kind, tag, payload = c.ask(frame(PING, 77, struct.pack("<Q", 2**64 - 2)))
content, wall, mono = struct.unpack("<Qqq", payload)
assert (kind, tag, content) == (PONG, 77, 2**64 - 2)
assert before <= wall <= time.time_ns()

# Each section by itself, all, and none.
for bit, name in enumerate(NAMES):
    wall, mono, said = c.state(1 << bit)
    assert set(said) == {"node", "host", "boot", "started", "version", name}
    assert said["node"] == "bytes"
    assert said["boot"] == \
        open("/proc/sys/kernel/random/boot_id").read().strip()
assert set(NAMES) < set(c.state(63)[2])
assert not set(NAMES) & set(c.state(0)[2])

# Requests one behind the other are answered in their order.
c.send(b"".join(get(2, tag=i) for i in range(1, 51)))
assert [c.answer()[1] for i in range(50)] == list(range(1, 51))

# What is not known is refused, and the connection goes on.
error(c.ask(frame(200, 5)), 2)
assert c.state(2)
# A configuration that is wrong is refused, with the reason.
if c.state(32)[2].get("config") and os.environ.get("HDNODE_RULES", "1") == "1":
    kind, tag, payload = c.ask(frame(CONFIGURE, 9, bytes(4) + b"[Nonsense\n"))
    if kind != CONFIGURED:
        error((kind, tag, payload), 5)
assert c.state(2)

# What is wrong ends it, after an error.
for data in (
        frame(GET, 1, b""), frame(GET, 1, bytes(7)), frame(GET, 1, bytes(9)),
        frame(GET, 0, bytes(8)), get(64), get(1, 2), get(2**32 - 1),
        frame(PING, 1, bytes(7)), frame(PING, 1, bytes(9)),
        frame(CONFIGURE, 1, bytes(3)), struct.pack("<IHH", 1 << 31, GET, 1),
        struct.pack("<IHH", 65536 + 17, CONFIGURE, 1)):
    c = Client(port)
    error(c.ask(data), 1)
    assert c.over() == b"", data

# Another version, another protocol: as pt's.
c = Client(port, False)
c.send(hello(2, 9))
assert struct.unpack("<H", c.receive(64)[4:6]) == (0,)
assert c.over() == b""
c = Client(port, False)
c.send(b"\x89HDP" + hello()[4:])
assert c.over() == b""

# Byte by byte is fine, too.
c = Client(port, False)
for byte in hello() + get(8, tag=3):
    c.send(bytes([byte]))
c.receive(64)
assert c.answer()[1] == 3

# Whatever comes, it lives: noise, and requests with wrong bits.
good = hello() + get(63) + frame(PING, 2, bytes(8)) + \
    frame(CONFIGURE, 3, bytes(4) + b"# nothing\n")
for i in range(300):
    data = bytearray(good if i % 4 else chance.randbytes(200))
    for _ in range(chance.randrange(1, 9)):
        data[chance.randrange(4 if i % 8 else 0, len(data))] = \
            chance.randrange(256)
    c = Client(port, False)
    c.send(bytes(data[:chance.randrange(1, len(data) + 1)]))
    c.socket.close()
os.kill(pid, 0)

# Connections that say nothing, in masses, keep nobody out.
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
many = 2000 if most == resource.RLIM_INFINITY else min(2000, most - 100)
idle = []
for i in range(many):
    idle.append(Client(port, False))
    if i % 400 == 399:
        assert Client(port).state(2)[2]["status"] is not None
# And half of a hello.
for c in idle[-100:]:
    try:
        c.send(hello()[:7])
    except OSError:
        pass
# Nor do those that say one byte, of our protocol or of TLS.
for first in b"\x89", b"\x16":
    for c in idle:
        c.socket.close()
    idle = []
    for i in range(many):
        idle.append(Client(port, False))
        idle[-1].send(first)
        if i % 400 == 399:
            assert Client(port).state(2)[2]["status"] is not None
    files = len(os.listdir("/proc/%d/fd" % pid))
    assert files < 700, files
c = Client(port)
assert c.state(2)
with open("/proc/%d/statm" % pid) as f:
    pages = int(f.read().split()[1])
assert pages * os.sysconf("SC_PAGESIZE") < 200 << 20, pages
print("good")
