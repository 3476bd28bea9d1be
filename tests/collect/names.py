#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A name server that knows NAME=ADDRESS..., and is silent for names that begin with
"silent"; writes the names that it is asked for (IPv4) to stdout."""
import socket
import struct
import sys

known = dict(pair.split("=") for pair in sys.argv[1:])
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 53))
print("serving at 127.0.0.1:53", flush=True)
while True:
    query, who = server.recvfrom(4096)
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1:at + 1 + query[at]].decode())
        at += 1 + query[at]
    kind, = struct.unpack(">H", query[at + 1:at + 3])
    name = ".".join(labels)
    if kind == 1:
        print("asked", name, flush=True)
    if name.startswith("silent"):
        continue
    found = known.get(name) if kind == 1 else None
    # An answer, or that there is none of this kind, or no such name.
    flags = 0x8180 if name in known else 0x8183
    answer = query[:2] + struct.pack(">HHHHH", flags, 1, 1 if found else 0, 0, 0)
    answer += query[12:at + 5]
    if found:
        answer += struct.pack(">HHHIH", 0xc00c, 1, 1, 0, 4) + \
            socket.inet_aton(found)
    server.sendto(answer, who)
