# SPDX-License-Identifier: LGPL-2.1-or-later
"""states.py [NAME]: makes a project of hand-made traces.

Python on stdin fills ranks: a list of states for each, or several lists for threads.
A state is in tenths of seconds: (NAME, FROM, TO, ATTRIBUTES or a list of the states in
it). Attributes may be followed by > and elements. hosts names the host of each."""
import sys


def seconds(tenths):
    return f"{tenths / 10:.3f}"


def lines(states):
    for name, start, end, of in states:
        attributes = of if isinstance(of, str) else ""
        if isinstance(of, list):
            yield "<Nested>"
            yield from lines(of)
            yield "</Nested>"
        text, _, rest = attributes.partition(">")
        yield (f"<{name} time='{seconds(start)}' end='{seconds(end)}' "
               f"cid='0' size='8' {text}" +
               (f">{rest}</{name}>" if rest else "/>"))


def write(path, levels, states):
    with open(path, "w") as out:
        out.write(f"<Program timeAdjustment='0' levels='{levels}'>\n")
        out.write("\n".join(lines(states)) + "\n</Program>\n")


ranks, hosts = [], []
project = sys.argv[1] if len(sys.argv) > 1 else "run"
exec(sys.stdin.read())
hosts = hosts or ["h"] * len(ranks)
nodes = {host: "" for host in hosts}
for i, (rank, host) in enumerate(zip(ranks, hosts)):
    threads = ""
    if rank and isinstance(rank[0], list):
        for k, states in enumerate(rank):
            threads += f'<Node name="{k}"/>'
            write(f"{project}_{host}_{i}_{k}.trc", "Host Rank Thread", states)
    else:
        write(f"{project}_{host}_{i}.trc", "Host Rank", rank)
    nodes[host] += f'<Node name="{i}">{threads}</Node>'
topology = "".join(f'<Node name="{host}">{text}</Node>'
                   for host, text in nodes.items())
world = "".join(f'<Rank global="{i}" local="{i}" cid="0"/>'
                for i in range(len(ranks)))
with open(f"{project}.proj", "w") as out:
    out.write(f'''<?xml version="1.0" encoding="UTF-8"?>
<Application name="{project}"><Description/><Topology>
<Level type="Host"><Level type="Rank"><Level type="Thread"/></Level></Level>
{topology}
</Topology><CommunicatorList><Communicator name="WORLD">{world}</Communicator>
</CommunicatorList><Datatypes/><ExternalStatistics/></Application>
''')
