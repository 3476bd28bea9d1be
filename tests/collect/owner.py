#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Another user of this host may not configure a daemon, whatever becomes of the
socket: PORT. Run as root, as who the daemon is."""
import os
import socket
import sys

from node import CONFIGURE, CONFIGURED, ERROR, Client, frame, get

port = int(sys.argv[1])
NOBODY = 65534


def configure(name):
    text = "[Alarm]\nname = %s\nmetric = load_1\ncomparator = above\n" \
        "threshold = 1e9\n" % name
    return frame(CONFIGURE, 1, bytes(4) + text.encode())


def as_nobody(do):
    """Let a child do it that is another user; it has to succeed."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            do()
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


def asks():
    kind, _, payload = Client(port).ask(configure("stranger"))
    assert kind == ERROR and b"root" in payload, payload


def closes():
    """What was asked comes with the end, while the daemon has other things to do:
    the socket is nobody's when it looks."""
    client, other = Client(port), Client(port)
    other.send(get(63) * 20)
    client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
    client.send(configure("intruder"))
    client.socket.close()


assert Client(port).ask(configure("mine"))[0] == CONFIGURED
as_nobody(asks)
for _ in range(20):
    as_nobody(closes)
said = str(Client(port).state(32))
assert "mine" in said and "stranger" not in said and "intruder" not in said, said
print("good")
