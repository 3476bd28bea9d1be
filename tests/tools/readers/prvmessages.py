# SPDX-License-Identifier: LGPL-2.1-or-later
"""prvmessages.py PREFIX: prints the messages of PREFIX.prv with the names that
PREFIX.row gives to threads, a line each, sorted: sender, receiver, tag, bytes,
start and end in ns since the start of the trace.

By the description of Paraver's format alone: the header is
"#Paraver (date):length_ns:nodes(cpus,..):applications:app:app.." where an
application is "tasks(threads:node,..)"; a message is "3:" and twice "cpu:
application:task:thread:logical:physical" (of the sender, and of the receiver),
then size and tag. Threads are named in .row in the order of the header."""
import re
import sys


def threads(header):
    """(application, task, thread) in the order of the header."""
    rest = re.fullmatch(r"#Paraver \([^)]*\):\d+(?:_\w+)?:\d+\([\d,]+\):"
                        r"\d+:(.*)", header)[1]
    for appl, match in enumerate(
            re.finditer(r"(\d+)\(([\d:,]+)\)(?:,\d+)?", rest), 1):
        tasks = match[2].split(",")
        if len(tasks) != int(match[1]):
            sys.exit("not as many tasks as announced")
        for task, text in enumerate(tasks, 1):
            for thread in range(1, int(text.split(":")[0]) + 1):
                yield appl, task, thread


def names(path):
    """The names of threads."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    at = next(i for i, line in enumerate(lines)
              if line.startswith("LEVEL THREAD SIZE"))
    return lines[at + 1:at + 1 + int(lines[at].split()[3])]


def main():
    """Print."""
    with open(sys.argv[1] + ".prv", encoding="utf-8") as file:
        lines = file.read().splitlines()
    name = dict(zip(threads(lines[0]), names(sys.argv[1] + ".row"),
                    strict=True))
    found = []
    for line in lines[1:]:
        if not line.startswith("3:"):
            continue
        _, _, *fields = [int(field) for field in line.split(":")]
        sender, (sent, _) = tuple(fields[:3]), fields[3:5]
        receiver, (_, received) = tuple(fields[6:9]), fields[9:11]
        size, tag = fields[11:]
        found.append((name[sender], name[receiver], tag, size, sent, received))
    for message in sorted(found):
        print(*message)


main()
