#!/usr/bin/env python3
# Type lines into a shell on a terminal, the Tab key behind each, and print what
# the commands get: complete.py bash|zsh COMPLETIONS COMMAND... <LINES
# SPDX-License-Identifier: LGPL-2.1-or-later
import os
import pty
import select
import sys
import tempfile
import time

shell, directory, commands = sys.argv[1], sys.argv[2], sys.argv[3:]
lines = sys.stdin.read().splitlines()
results = tempfile.NamedTemporaryFile("r", prefix="hdtrace-complete.")

# A command is a function of its name, that notes its arguments.
setup = ["PS1=; PS2=", "ls() { :; }"]
if shell == "bash":
    setup += ["bind 'set bell-style none'", "bind 'set completion-query-items 0'",
              "bind 'set page-completions off'",
              "bind 'set enable-bracketed-paste off'"]
    setup += [f". '{directory}/{c}'" for c in commands]
    arguments = ["bash", "--norc", "--noprofile", "-i"]
else:
    setup += [f"fpath=('{directory}' $fpath)", "setopt no_list_beep",
              "unsetopt zle_bracketed_paste 2>/dev/null", "LISTMAX=10000",
              "autoload -Uz compinit && compinit -u -D"]
    arguments = ["zsh", "-f", "-i"]
for command in commands:
    setup.append(f"{command}() {{ printf '%s|' \"$@\" >>'{results.name}'; "
                 f"echo >>'{results.name}'; }}")
setup.append(f"echo ready >>'{results.name}'")

process, terminal = pty.fork()
if process == 0:
    os.environ.update(TERM="dumb", HISTFILE="/dev/null", COLUMNS="1000")
    os.execvp(arguments[0], arguments)
screen = b""


def await_lines(count):
    """Wait until that many results are there; what is shown is read."""
    global screen
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with open(results.name) as file:
            if file.read().count("\n") >= count:
                return
        if select.select([terminal], [], [], 0.01)[0]:
            try:
                screen += os.read(terminal, 65536)
            except OSError:
                break
    sys.exit(f"{shell} does not answer: {screen[-2000:]!r}")


os.write(terminal, ("\n".join(setup) + "\n").encode())
await_lines(1)
for number, line in enumerate(lines):
    # Ctrl-U: whatever is left of the line before goes.
    os.write(terminal, b"\x15" + line.encode() + b"\t\n")
    await_lines(number + 2)
os.write(terminal, b"\x15exit\n")
with open(results.name) as file:
    for result in file.read().splitlines()[1:]:
        print(result)
os.close(terminal)
os.waitpid(process, 0)
