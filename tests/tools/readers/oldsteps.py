# SPDX-License-Identifier: LGPL-2.1-or-later
"""oldsteps.py NAME STEP [LATE]: writes a project of an earlier version, of two groups
of a host with ten entries a second for six seconds. After three seconds the clock of the
first one is set by STEP seconds; LATE is by how much longer it is recorded."""
import struct
import sys

HEADER = """<Statistics>
<TopologyNode>
  <Label value="node" />
</TopologyNode>
<Group name="{}" timestampDatatype="EPOCH" timeAdjustment="">
  <Value name="V" type="FLOAT" unit="W" />
</Group>
</Statistics>
"""
PROJECT = """<Application name="{0}"><Topology><Level type="Host" />
<Node name="node" /></Topology></Application>
"""


def stamp(time):
    return struct.pack(">II", time // 10**9, time % 10**9)


def write(name, group, count, step):
    """As earlier versions did: no time before the last one."""
    begin = 1000000000 * 10**9
    data, last = bytearray(stamp(begin)), begin
    for i in range(1, count + 1):
        time = begin + i * 10**8 + (step * 10**9 if i > 30 else 0)
        last = max(last, time)
        data += stamp(last) + struct.pack(">f", 100)
    header = HEADER.format(group)
    with open(f"{name}_node_{group}.stat", "wb") as file:
        file.write(b"%05d\n" % len(header) + header.encode() + data)


def main():
    """Write it."""
    name, step = sys.argv[1], int(sys.argv[2])
    late = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    write(name, "First", 60 + 10 * late, step)
    write(name, "Second", 60, 0)
    with open(name + ".proj", "w", encoding="utf-8") as file:
        file.write(PROJECT.format(name))


main()
