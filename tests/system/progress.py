#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Run a command with stderr on a terminal or in a pipe, and look at the bar.

usage: progress.py shown|hidden|pipe|dumb STATUS COMMAND...
stdout of the command goes where ours goes."""
import os
import re
import subprocess
import sys

HIDE = b"\r\x1b[K"
BAR = re.compile(rb"\r\x1b\[K\[(#*) *\] +(\d+) %")


def run(command, is_pipe):
    """What stands on stderr in the end, and the status."""
    ours, theirs = os.pipe() if is_pipe else os.openpty()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=theirs) as child:
        os.close(theirs)
        said = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # The terminal's other end is closed.
                break
            if not piece:
                break
            said += piece
    os.close(ours)
    return said, child.returncode


def main():
    how, status, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    os.environ["TERM"] = "dumb" if how == "dumb" else "xterm"
    said, found = run(command, how == "pipe")
    bars = list(BAR.finditer(said))
    print(f"status {found}, {len(bars)} bars; {said[-300:]!r}", file=sys.stderr)
    if found != status:
        return 1
    if how != "shown":
        return 1 if b"\x1b" in said or b" %" in said else 0
    # It says what its length says, and does not stay.
    for bar in bars:
        if len(bar[1]) != int(bar[2]) * 40 // 100 and abs(
            len(bar[1]) - int(bar[2]) * 0.4
        ) > 1:
            return 1
    left = said[bars[-1].end() :] if bars else b""
    return 0 if bars and left.startswith(HIDE) else 1


sys.exit(main())
