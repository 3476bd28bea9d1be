#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Another user of this host fills a power service with clients that record, and
with requests without end; root is served all the same: PORT PID. Run as root."""
import encodings.idna  # noqa: F401; another user may not find it
import os
import resource
import socket
import struct
import sys
import threading
import time
import traceback

port, pid = int(sys.argv[1]), int(sys.argv[2])
NOBODY, CLIENTS = 65534, 64
MAGIC = b"\x89HDP"
PING, OPEN, START, PONG, OPENED, ERROR = 2, 4, 5, 258, 263, 271
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))


def frame(kind, tag, payload=b""):
    return struct.pack("<IHH", len(payload), kind, tag) + payload


def hello():
    return MAGIC + struct.pack("<HHII", 1, 1, 0, 65536)


def connect():
    return socket.create_connection(("127.0.0.1", port), 60)


def receive(connection, size):
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def answer(connection):
    length, kind, tag = struct.unpack("<IHH", receive(connection, 8))
    return kind, tag, receive(connection, length)


def greeted():
    connection = connect()
    connection.sendall(hello())
    assert receive(connection, 64)[:4] == MAGIC
    return connection


def selection():
    return b"".join(struct.pack("<H", len(t)) + t
                    for t in (b"", b"n1", b"", b"P"))


def records(connection):
    """Open a stream and start it: such a client is never idle."""
    connection.sendall(frame(OPEN, 1, struct.pack("<IdIH", 0, 0, 0, 1) +
                             selection()))
    kind, _, payload = answer(connection)
    if kind != OPENED:
        return False
    stream = payload[:4]
    connection.sendall(frame(START, 2, stream))
    return True


def drain(connection):
    try:
        while connection.recv(1 << 16):
            pass
    except OSError:
        pass


def floods(connection):
    threading.Thread(target=drain, args=(connection,), daemon=True).start()
    try:
        while True:
            connection.sendall(frame(PING, 1, bytes(8)) * 100)
    except OSError:
        pass


def crowd(ready):
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    served, kept = 0, []
    for _ in range(2 * CLIENTS):
        try:
            connection = greeted()
            kept.append(connection)
            if records(connection):
                served += 1
                threading.Thread(target=drain, args=(connection,),
                                 daemon=True).start()
        except (EOFError, OSError):
            pass
    # Some that ask without end, and many that say nothing.
    for connection in kept[:2]:
        threading.Thread(target=floods, args=(connection,),
                         daemon=True).start()
    silent = [connect() for _ in range(300)]
    os.write(ready, struct.pack("<I", served))
    time.sleep(600)
    return silent


def ping():
    before = time.monotonic()
    connection = greeted()
    connection.sendall(frame(PING, 1, struct.pack("<Q", 7)))
    assert answer(connection)[0] == PONG
    return time.monotonic() - before, connection


readable, writable = os.pipe()
child = os.fork()
if child == 0:
    try:
        crowd(writable)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)
os.close(writable)
try:
    served, = struct.unpack("<I", os.read(readable, 4))
    print("the other user records with %d clients" % served)
    # Its half, and no more.
    assert served == CLIENTS // 2, served
    waits, held = [], []
    for _ in range(60):
        wait, connection = ping()
        waits.append(wait)
        # Half of them stay: there are places for root.
        if len(waits) % 2 and len(held) < CLIENTS // 4:
            held.append(connection)
        time.sleep(0.02)
    waits.sort()
    print("root: median %.1f ms, 95 %% %.1f ms, longest %.1f ms" % tuple(
        1e3 * waits[i] for i in (len(waits) // 2, len(waits) * 95 // 100, -1)))
    with open("/proc/%d/status" % pid) as status:
        memory = [int(line.split()[1]) / 1024 for line in status
                  if line.startswith("VmRSS:")][0]
    print("the service has %.1f MB" % memory)
    assert memory <= 40
    assert held[0].sendall(frame(PING, 9, bytes(8))) is None
    assert answer(held[0])[:2] == (PONG, 9)
finally:
    os.kill(child, 9)
    os.waitpid(child, 0)
