# Random operations on a file, each compared with what memory has: write, read,
# truncate, append, close and open again, rename.
#
#     fsx.py FILE COUNT SEED
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import os, random, sys

path, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
wanted = bytearray()
fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
MOST = 12 << 20


def read_all():
    parts, at = [], 0
    while part := os.pread(fd, 1 << 20, at):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


for number in range(count):
    what = chance.choice("wwwwrrtaorw")
    if what == "w":
        offset = chance.randrange(MOST // 2)
        data = chance.randbytes(chance.randrange(1, 300000))
        assert os.pwrite(fd, data, offset) == len(data)
        if offset > len(wanted):
            wanted.extend(bytes(offset - len(wanted)))
        wanted[offset:offset + len(data)] = data
    elif what == "a":
        data = chance.randbytes(chance.randrange(1, 5000))
        assert os.pwrite(fd, data, len(wanted)) == len(data)
        wanted += data
    elif what == "t":
        size = chance.randrange(MOST // 2)
        os.ftruncate(fd, size)
        wanted = wanted[:size].ljust(size, b"\0")
    elif what == "o":
        os.close(fd)
        os.rename(path, path + ".new")
        os.rename(path + ".new", path)
        fd = os.open(path, os.O_RDWR)
    else:
        offset = chance.randrange(len(wanted) + 1)
        size = chance.randrange(1, 500000)
        if os.pread(fd, size, offset) != wanted[offset:offset + size]:
            sys.exit(f"seed {seed}: operation {number}: wrong at {offset}")
if read_all() != wanted:
    sys.exit(f"seed {seed}: wrong at the end")
os.close(fd)
