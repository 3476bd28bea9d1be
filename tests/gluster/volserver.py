#!/usr/bin/env python3
# The part of glusterd that clients ask for their volume file, so that it can be
# changed under a client that runs (which asks again at SIGHUP):
#
#     volserver.py FILE >PORT
#
# Made of ONC RPC (RFC 5531): program 14398633 (GlusterFS handshake), version 2,
# procedure 2 (getspec); its result is op_ret, op_errno, the text, and a dictionary.
# SPDX-License-Identifier: LGPL-2.1-or-later
import socketserver
import struct
import sys

GETSPEC = (14398633, 2, 2)


def opaque(data):
    return struct.pack(">I", len(data)) + data + bytes(-len(data) % 4)


class Client(socketserver.StreamRequestHandler):
    def record(self):
        """A call, or nothing at the end."""
        data, last = b"", 0
        while not last:
            head = self.rfile.read(4)
            if len(head) < 4:
                return b""
            last = head[0] & 0x80
            data += self.rfile.read(struct.unpack(">I", head)[0] & 0x7fffffff)
        return data

    def handle(self):
        while call := self.record():
            xid, _, _, *asked = struct.unpack(">6I", call[:24])
            # Accepted, no verifier; done, or no such procedure.
            reply = struct.pack(">6I", xid, 1, 0, 0, 0,
                                0 if tuple(asked) == GETSPEC else 3)
            if tuple(asked) == GETSPEC:
                with open(sys.argv[1], "rb") as file:
                    text = file.read()
                reply += struct.pack(">ii", len(text), 0) + opaque(text) + \
                    opaque(b"")
            self.wfile.write(struct.pack(">I", 1 << 31 | len(reply)) + reply)


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True


with Server(("127.0.0.1", 0), Client) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
