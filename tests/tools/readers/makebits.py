# SPDX-License-Identifier: LGPL-2.1-or-later
"""makebits.py DIRECTORY NAME SEED: writes a project of one statistics group
with every kind of number there is: any bits, the least and largest ones,
infinities and NaN; and strings of any bytes."""
import os
import random
import struct
import sys

HEADER = """<Statistics>
<TopologyNode>
  <Label value="node" />
</TopologyNode>
<Group name="Bits" timestampDatatype="EPOCH" timeAdjustment="">
  <Value name="I32" type="INT32" />
  <Value name="I64" type="INT64" />
  <Value name="U64" type="UINT64" />
  <Value name="F32" type="FLOAT" />
  <Value name="F64" type="DOUBLE" />
  <Value name="TEXT" type="STRING" />
</Group>
</Statistics>
"""
PROJECT = """<Application name="{}"><Topology><Level type="Host" />
<Node name="node" /></Topology></Application>
"""
# As bits: those that are special in one type or the other.
ODD = [0, 1, 2**63, 2**63 - 1, 2**64 - 1, 0x7ff0000000000000,
       0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000001,
       0x8000000000000000, 0x0000000000000001, 0x000fffffffffffff,
       0x7fefffffffffffff, 0x3ff0000000000000, 0x4340000000000001,
       0x7f80000000000000, 0xff80000000000000, 0x7fc0000000000000,
       0x8000000080000000, 0x0000000100000001, 0x007fffff007fffff,
       0x7f7fffff7f7fffff]


def main():
    """Write it."""
    directory, name, seed = sys.argv[1:]
    chance = random.Random(int(seed))
    data = bytearray(struct.pack(">II", 1000000000, 0))
    time = 1000000000 * 10**9
    for i in range(3000):
        time += chance.randrange(0, 10**9)
        data += struct.pack(">II", time // 10**9, time % 10**9)
        kinds = [ODD[i] if i < len(ODD) else chance.getrandbits(64)
                 for _ in range(5)]
        data += struct.pack(">IQQIQ", kinds[0] >> 32, kinds[1], kinds[2],
                            kinds[3] >> 32, kinds[4])
        text = bytes(chance.choices(b'a,"\n\r\0;\xff \xc3\xa9',
                                    k=chance.randrange(8)))
        data += struct.pack(">h", len(text)) + text
    path = os.path.join(directory, f"{name}_node_Bits.stat")
    with open(path, "wb") as file:
        file.write(b"%05d\n" % len(HEADER) + HEADER.encode() + data)
    with open(os.path.join(directory, name + ".proj"), "w",
              encoding="utf-8") as file:
        file.write(PROJECT.format(name))


main()
