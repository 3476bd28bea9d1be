#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Power services that say what none may: hostile.py DIRECTORY

Each case has a socket of its name there. It speaks
doc/format/power-service.md, from that page and not from our code, with one
thing that is not as it should be; "good" has none.
"""
import contextlib
import os
import socket
import struct
import sys
import threading
import time

LEAST, MOST = -2**63, 2**63 - 1
WALL_MOST = 4294967295999999999
INF, NAN = float("inf"), float("nan")

# What each case says otherwise, by the name of a field.
CASES = {
    "good": {},
    "node-empty": {"column.node": ""},
    "node-c1": {"column.node": "n\u0085"},
    "node-turned": {"column.node": "n\u202e1"},
    "value-empty": {"column.value": ""},
    "wall-min": {"pong.wall": LEAST},
    "wall-max": {"pong.wall": MOST},
    "mono-min": {"pong.mono": LEAST},
    "mono-max": {"pong.mono": MOST},
    "interval-max": {"group.interval": MOST},
    "interval-zero": {"group.interval": 0},
    "columns-many": {"group.columns": 65535},
    "columns-more": {"opened.columns": 1, "group.columns": 2},
    "kind-none": {"column.kind": 200},
    "list-node-empty": {"line.node": ""},
    "list-wall-min": {"device.last": LEAST},
    "list-interval-min": {"device.interval": LEAST},
    # What comes while it records: the client goes on when it is back.
    "data-length-min": {"data.length": LEAST},
    "data-length-max": {"data.length": MOST},
    "data-wall-max": {"data.wall": MOST},
    "data-mono-min": {"data.mono": LEAST},
    "data-infinite": {"data.value": INF},
    "end-none": {"end.why": 7},
    # At the ends of what is allowed: nothing is wrong with it.
    "clock-early": {"pong.wall": 0, "pong.mono": 2**62},
    "clock-late": {"pong.wall": WALL_MOST, "pong.mono": -2**62},
    "interval-long": {"group.interval": 3653 * 86400 * 10**9},
    "value-large": {"data.value": 1e36},
    "data-long": {"data.length": 3653 * 86400 * 10**9},
    # It never stops to talk.
    "flood": {"flood": True},
}


class Gone(Exception):
    """The client has closed."""


def text(string):
    encoded = string.encode()
    return struct.pack("<H", len(encoded)) + encoded


class Client:
    def __init__(self, peer, case):
        self.peer, self.case, self.isOver = peer, case, False

    def field(self, name, usual):
        return self.case.get(name, usual)

    def receive(self, size):
        got = b""
        while len(got) < size:
            some = self.peer.recv(size - len(got))
            if not some:
                raise Gone
            got += some
        return got

    def send(self, kind, tag, payload):
        self.peer.sendall(struct.pack("<IHH", len(payload), kind, tag) +
                          payload)

    def clocks(self, name):
        return struct.pack(
            "<qq", self.field(name + ".wall", time.time_ns()),
            self.field(name + ".mono", time.monotonic_ns()))

    def greet(self):
        self.receive(16)
        self.peer.sendall(
            b"\x89HDP" + struct.pack("<HHII", 1, 0, 0, 65536) +
            self.clocks("greeting") + os.urandom(32))

    def list(self, tag):
        self.send(259, tag, struct.pack("<H", 0) + text("d1") + text("sim") +
                  text("") + struct.pack(
                      "<qBBQQQQQq", self.field("device.interval", 10**7), 1, 1,
                      1, 0, 0, 0, 0, self.field("device.last", 0)))
        self.send(260, tag, struct.pack("<HH", 0, 0) + text("1") +
                  text(self.field("line.node", "n1")) + text("1") + text("") +
                  struct.pack("<dB", NAN, 1))
        self.send(261, tag, struct.pack("<HH", 0, 0) + text("P") + text("W") +
                  text("Power") + b"\0\0" + text("") + text(""))
        self.send(262, tag, struct.pack("<HH", 1, 0))

    def open(self, tag):
        columns = self.field("group.columns", 1)
        self.send(263, tag, struct.pack(
            "<IHH", 1, 1, self.field("opened.columns", columns)))
        self.send(264, tag, struct.pack("<IHH", 1, 0, columns) + text("d1") +
                  struct.pack("<Iq", 1, self.field("group.interval", 10**7)))
        for i in range(columns):
            self.send(265, tag, struct.pack("<IHH", 1, 0, i) +
                      text(self.field("column.node", "n1")) + text("1") +
                      struct.pack("<H", 1) +
                      text(self.field("column.value", "P")) + text("W") +
                      text("Power") +
                      struct.pack("<BB", self.field("column.kind", 0), 0) +
                      text("") + text(""))

    def data(self):
        payload = struct.pack(
            "<IHHIIqqqIId", 1, 0, 1, 1, 0,
            self.field("data.wall", time.time_ns()),
            self.field("data.mono", time.monotonic_ns()),
            self.field("data.length", 10**7), 0, 0,
            self.field("data.value", 100.0))
        return struct.pack("<IHH", len(payload), 272, 0) + payload

    # Readings until somebody stops it; or for ever, faster than anybody reads.
    def talk(self):
        try:
            while not self.isOver:
                if "flood" in self.case:
                    self.peer.sendall(self.data() * 20000)
                    continue
                self.peer.sendall(self.data())
                time.sleep(0.01)
        except OSError:
            pass

    def end(self, tag):
        if "flood" in self.case:
            raise Gone
        self.isOver = True
        self.talker.join()
        self.send(267, tag, struct.pack("<I", 1) + self.clocks("stopped"))
        self.send(275, 0, struct.pack("<IHHQQQqqddd", 1, 0, 1, 1, 0, 0, 10**7,
                                      10**7, 1.0, 100.0, 100.0))
        self.send(276, 0, struct.pack("<IH", 1, self.field("end.why", 1)) +
                  self.clocks("end"))

    def answer(self):
        length, kind, tag = struct.unpack("<IHH", self.receive(8))
        payload = self.receive(length)
        if kind == 2:
            self.send(258, tag, payload[:8] + self.clocks("pong"))
        elif kind == 3:
            self.list(tag)
        elif kind == 4:
            self.open(tag)
        elif kind == 5:
            self.send(266, tag, struct.pack("<I", 1) + self.clocks("started"))
            self.talker = threading.Thread(target=self.talk, daemon=True)
            self.talker.start()
        elif kind == 6:
            self.end(tag)

    def serve(self):
        try:
            self.greet()
            while True:
                self.answer()
        except (Gone, OSError):
            pass
        self.isOver = True
        with contextlib.suppress(OSError):
            self.peer.shutdown(socket.SHUT_RDWR)
        self.peer.close()


def serve(listener, case):
    while True:
        peer, _ = listener.accept()
        client = Client(peer, case)
        threading.Thread(target=client.serve, daemon=True).start()


def main():
    os.chdir(sys.argv[1])
    for name, case in CASES.items():
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(name)
        listener.listen(16)
        threading.Thread(target=serve, args=(listener, case),
                         daemon=True).start()
    print("serving", flush=True)
    threading.Event().wait()


main()
