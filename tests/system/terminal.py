#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Run a command on a terminal, and print the lines that are too wide for it.

usage: terminal.py COLUMNS COMMAND...

The exit status is 1 if there is such a line, or no line at all.
"""
import fcntl
import os
import struct
import subprocess
import sys
import termios


def main():
    columns, command = int(sys.argv[1]), sys.argv[2:]
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs):
        os.close(theirs)
        text = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # The terminal's other end is closed.
                break
            if not piece:
                break
            text += piece
    lines = text.decode().replace("\r", "").split("\n")
    wide = [line for line in lines if len(line) > columns]
    print("\n".join(wide))
    return bool(wide) or len(lines) < 10


sys.exit(main())
