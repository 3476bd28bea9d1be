#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Keep the user of hdtrace view out, as others on the same host may try:

    crowd.py URL [briefly]

Hundreds of connections say nothing, half of something, or come again and
again; none has the token. Meanwhile a client that has it must be served.
"""
import re
import socket
import sys
import threading
import time

URL = sys.argv[1]
HOST, PORT, TOKEN = re.fullmatch(r"http://([^:/]+):(\d+)/(\w+)/", URL).groups()
WRONG = ("0" if TOKEN[0] != "0" else "1") + TOKEN[1:]
failures = 0


def connect():
    return socket.create_connection((HOST, int(PORT)), timeout=30)


def fail(text):
    global failures
    failures += 1
    print(text)


def request(path, keep=False):
    end = "keep-alive" if keep else "close"
    return (f"GET {path} HTTP/1.1\r\nHost: {HOST}:{PORT}\r\n"
            f"Connection: {end}\r\n\r\n").encode()


def read_answer(peer):
    """An answer with a Content-Length; returns its head."""
    answer = b""
    while b"\r\n\r\n" not in answer:
        some = peer.recv(1 << 16)
        if not some:
            return answer
        answer += some
    head, body = answer.split(b"\r\n\r\n", 1)
    length = int(re.search(rb"(?i)content-length: *(\d+)", head)[1])
    while len(body) < length:
        some = peer.recv(1 << 16)
        if not some:
            return b""
        body += some
    return head


def serves(name, path):
    """Whether the user gets something. Who is slow to ask where all are in a hurry
    may be sent away; browsers ask again."""
    for _ in range(5):
        try:
            with connect() as peer:
                peer.sendall(request(f"/{TOKEN}/{path}"))
                head = read_answer(peer)
        except OSError as error:
            head = str(error).encode()
        if head.startswith(b"HTTP/1.1 200 "):
            return
    fail(f"{name}: {path or 'page'}: {head[:60]}")


def serves_all(name, times=3):
    for _ in range(times):
        for path in ["", "progress", "track?id=s0"]:
            serves(name, path)


# Who has the token may be slow.
with connect() as peer:
    for piece in [b"GE", b"T ", b"/" + TOKEN[:20].encode(), TOKEN[20:].encode(),
                  b"/progress HTTP/1.1\r\nHost: ", f"{HOST}:{PORT}".encode(),
                  b"\r\nConnection: close\r\n", b"\r\n"]:
        peer.sendall(piece)
        time.sleep(0.05)
    if not read_answer(peer).startswith(b"HTTP/1.1 200 "):
        fail("a slow client gets nothing")
serves_all("nobody else")

# Connections that were let in stay, whoever else comes.
mine = connect()
mine.sendall(request(f"/{TOKEN}/progress", True))
read_answer(mine)

# Many that say nothing, or not enough.
crowd = []
for i in range(400):
    peer = connect()
    try:
        peer.sendall([b"", b"GET ", f"GET /{WRONG[:30]}".encode(), b"\0",
                      b"x" * 30][i % 5])
    except OSError:
        pass
    crowd.append(peer)
serves_all("many that wait")

# The same, which come again as soon as they are sent away.
isOver = threading.Event()


def come_again(data):
    peers = []
    while not isOver.is_set():
        try:
            peer = connect()
            peer.sendall(data)
            peers.append(peer)
        except OSError:
            pass
        if len(peers) > 60:
            peers.pop(0).close()


threads = [threading.Thread(target=come_again, args=(data,)) for data in [
    b"", b"GET /", f"GET /{WRONG}/ HTTP/1.1\r\nX: ".encode(),
    request(f"/{WRONG}/"), request("/")]]
for thread in threads:
    thread.start()
serves_all("many that come again", 5)
mine.sendall(request(f"/{TOKEN}/progress", True))
if not read_answer(mine).startswith(b"HTTP/1.1 200 "):
    fail("a connection that was let in is lost")
isOver.set()
for thread in threads:
    thread.join()
serves_all("many that have come", 1)

# Nobody waits for ever, and nobody gets more than a no.
for peer in crowd if len(sys.argv) < 3 else []:
    peer.settimeout(60)
    try:
        if b" 200 " in peer.recv(1 << 16):
            fail("served without the token")
    except ConnectionError:
        pass
    except OSError:
        fail("one waits for ever")
        break
    peer.close()
with connect() as peer:
    peer.sendall(request(f"/{WRONG}/"))
    if not read_answer(peer).startswith(b"HTTP/1.1 404 "):
        fail("a wrong token gets no 404")
print(f"{failures} failures")
sys.exit(failures > 0)
