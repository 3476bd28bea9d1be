#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The protocol of hdnode once more, from its description: a client for tests of
the daemon, and nodes that lie, hang and err for tests of those who ask."""
import asyncio
import json
import socket
import struct
import sys
import time

MAGIC = b"\x89HDN"
PING, GET, CONFIGURE = 2, 3, 4
PONG, STATE, CONFIGURED, ERROR = 258, 259, 260, 271
NAMES = ["capabilities", "status", "probes", "health", "alarms", "config"]


def hello(low=1, high=1, most=65536):
    return MAGIC + struct.pack("<HHII", low, high, 0, most)


def frame(kind, tag, payload=b""):
    return struct.pack("<IHH", len(payload), kind, tag) + payload


def get(sections, flags=0, tag=1):
    return frame(GET, tag, struct.pack("<II", sections, flags))


class Client:
    """A client that reads all that comes, byte by byte where it matters."""

    def __init__(self, port, greet=True, host="127.0.0.1"):
        self.socket = socket.create_connection((host, port), 60)
        if greet:
            self.send(hello())
            self.greeting = self.receive(64)

    def send(self, data):
        self.socket.sendall(data)

    def receive(self, size):
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def answer(self):
        length, kind, tag = struct.unpack("<IHH", self.receive(8))
        return kind, tag, self.receive(length)

    def ask(self, data):
        self.send(data)
        return self.answer()

    def state(self, sections):
        kind, _, payload = self.ask(get(sections))
        assert kind == STATE, (kind, payload)
        found, wall, mono = struct.unpack("<Iqq", payload[:20])
        assert found == sections
        return wall, mono, json.loads(payload[20:])

    def over(self):
        """All that comes until the other side closes."""
        data = b""
        while True:
            try:
                more = self.socket.recv(65536)
            except ConnectionResetError:
                return data
            if not more:
                return data
            data += more

    def silent(self, seconds):
        """Whether nothing comes for so long."""
        self.socket.settimeout(seconds)
        try:
            return self.socket.recv(1) is None
        except TimeoutError:
            return True
        finally:
            self.socket.settimeout(60)


class Node:
    """A node of software: MODE says what is wrong with it."""

    def __init__(self, mode="good", name=None, offset=0.0):
        self.mode, self.name, self.offset = mode, name, int(offset * 1e9)
        self.boot, self.started, self.pulls = "boot-1", 1000.0, 0
        self.status = {"cpu": {"busy_cpus": 1.5}, "load": [0.5, 0.25, 0.125]}

    def greeting(self):
        data = MAGIC + struct.pack("<HHII", 1, 0, 0, 65552) + \
            struct.pack("<qq", *self.clocks()) + bytes(32)
        return {"magic": b"XXXX" + data[4:], "version": data[:4] + b"\x07" +
                data[5:], "http": b"HTTP/1.1 400 Bad Request\r\n\r\n" + data}\
            .get(self.mode, data)

    def clocks(self):
        return time.time_ns() + self.offset, time.monotonic_ns()

    def say(self, sections):
        all_ = {"node": self.name, "host": "soft", "boot": self.boot,
                "started": self.started, "version": "0"}
        for bit, name in enumerate(NAMES):
            if sections & 1 << bit:
                all_[name] = [] if name == "alarms" else {}
        if sections & 1:
            all_["capabilities"] = {"cpus": 4, "memory_bytes": 1 << 30}
        if sections & 2:
            all_["status"] = self.status
        return json.dumps(all_).encode()

    def answer(self, kind, tag, payload):
        """Bytes, or None for silence."""
        if kind == PING:
            content, = struct.unpack("<Q", payload)
            content += self.mode == "pong"
            return frame(PONG, tag, struct.pack("<Qqq", content,
                                                *self.clocks()))
        if kind == CONFIGURE:
            return frame(CONFIGURED, tag, bytes(4))
        self.pulls += 1
        sections, _ = struct.unpack("<II", payload)
        text = self.say(sections)
        if self.mode == "silent":
            return None
        text = {"deep": b"[" * 40000 + b"]" * 40000, "json": text[:-1],
                "list": b"[]", "twice": b'{"node":1,"node":2}',
                "name": b'{"node":"' + b"x" * 300 + b'"}',
                "kinds": b'{"status":[],"alarms":{}}',
                "bytes": b'{"node":"\xff\xfe"}',
                "tricky": json.dumps({
                    "node": "a\u202eb\x9b1m\u2066", "status": {
                        "load": [1e308], "memory": {"available_bytes": 1e308},
                        "cpu": {"busy_cpus": 1e308}, "age_s": 1e308},
                    "capabilities": {"cpus": 1e308, "name": "\u061c\xe4\u2028"}},
                    ensure_ascii=False).encode(),
                "nul": b'{"node":"\x00"}'}.get(self.mode, text)
        head = struct.pack("<Iqq", sections, *self.clocks())
        if self.mode == "time":
            head = struct.pack("<Iqq", sections, -1, 0)
        if self.mode == "bits":
            head = struct.pack("<Iqq", 1 << 20, *self.clocks())
        whole = frame(STATE, tag, head + text)
        return {"huge": struct.pack("<IHH", 1 << 30, STATE, tag),
                "tag": frame(STATE, tag + 1, head + text),
                "type": frame(1000, tag, head + text),
                "short": frame(STATE, tag, head[:7]),
                "half": whole[:len(whole) // 2],
                "error": frame(ERROR, tag, struct.pack("<HH", 10, 4) + b"full"),
                "twofold": whole + whole,
                }.get(self.mode, whole)

    async def serve(self, reader, writer):
        try:
            assert await reader.readexactly(16) == hello(most=4 << 20)
            if self.mode == "mute":
                await reader.read()
            writer.write(self.greeting())
            if self.mode == "unasked":
                writer.write(frame(STATE, 0, bytes(22)))
            while True:
                length, kind, tag = struct.unpack(
                    "<IHH", await reader.readexactly(8))
                data = self.answer(kind, tag, await reader.readexactly(length))
                if self.mode == "close" and kind == GET:
                    break
                if data is None:
                    continue
                if self.mode == "drip":
                    for i in range(len(data)):
                        writer.write(data[i:i + 1])
                        await writer.drain()
                    continue
                writer.write(data)
                await writer.drain()
                if self.mode == "half" and kind == GET:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        writer.close()


async def serve(nodes):
    servers = [await asyncio.start_server(n.serve, "127.0.0.1", 0)
               for n in nodes]
    return servers, [s.sockets[0].getsockname()[1] for s in servers]


async def main(modes):
    """Serve a node of each mode, MODE[@OFFSET], and say where."""
    nodes = []
    for mode in modes:
        mode, _, offset = mode.partition("@")
        nodes.append(Node(mode, None, float(offset or 0)))
    servers, ports = await serve(nodes)
    for mode, port in zip(modes, ports):
        print(f"{mode} {port}")
    print("serving at 127.0.0.1:%d" % ports[0], flush=True)
    await asyncio.gather(*(s.serve_forever() for s in servers))

if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
