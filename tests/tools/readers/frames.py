#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Walk the frames of a compressed file, by doc/format alone.

    frames.py FILE             print "STORED PLAIN KIND" for each frame
    frames.py --records FILE   also check that frames of a .trc or .rel end with
                               a line; needs zstd
    frames.py --index FILE     check the index by the text; print "FIRST LAST RECORDS FLAGS"
                               for each frame; needs zstd
    frames.py --swap FILE OTHER
                               write FILE to stdout with the index of OTHER
    frames.py --hide FILE      write FILE to stdout with an index that hides records;
                               needs zstd
    frames.py --make SIZE FILE write FILE to stdout, as stored frames of SIZE bytes
                               with a seek table

Fails if a frame breaks a rule of the format, or the seek table another one.
"""
import re
import struct
import subprocess
import sys
import tempfile


def walk(data):
    """Yield (start, end, plain, kind) of each frame."""
    at = 0
    while at < len(data):
        start = at
        (magic,) = struct.unpack_from("<I", data, at)
        if magic & ~0xF == 0x184D2A50:
            (size,) = struct.unpack_from("<I", data, at + 4)
            at += 8 + size
            kinds = {0x184D2A5E: "table", 0x184D2A5D: "index"}
            kind = kinds.get(magic, "skippable")
            assert at <= len(data), "a skippable frame is cut"
            yield start, at, 0, kind
            continue
        assert magic == 0xFD2FB528, f"no frame at {at}"
        flags = data[at + 4]
        single = flags >> 5 & 1
        assert flags & 0x0B == 0, "reserved bit or dictionary"
        at += 5
        if not single:
            window = data[at]
            base = 1 << (10 + (window >> 3))
            assert base + base // 8 * (window & 7) <= 8 << 20, "window"
            at += 1
        size_bytes = (single, 2, 4, 8)[flags >> 6]
        assert size_bytes, "the frame does not state its size"
        plain = int.from_bytes(data[at : at + size_bytes], "little")
        plain += 256 if size_bytes == 2 else 0
        at += size_bytes
        kind, last = "stored", 0
        while not last:
            head = int.from_bytes(data[at : at + 3], "little")
            last, block, size = head & 1, head >> 1 & 3, head >> 3
            assert block != 3 and size <= 128 << 10, "block"
            at += 3 + (1 if block == 1 else size)
            kind = kind if block == 0 else "compressed"
        at += 4 if flags & 4 else 0
        assert at <= len(data), "a frame is cut"
        assert plain <= 64 << 20 and plain <= 2000 * (at - start), "limits"
        yield start, at, plain, kind


def check_table(table, frames):
    count, flags, magic = struct.unpack("<IBI", table[-9:])
    assert magic == 0x8F92EAB1 and flags & 0x7C == 0, "end of the table"
    step = 12 if flags & 0x80 else 8
    assert len(table) == 8 + count * step + 9, "size of the table"
    entries = [
        struct.unpack_from("<II", table, 8 + i * step) for i in range(count)
    ]
    found = [(end - start, plain) for start, end, plain, _ in frames]
    assert entries == found, "the table differs from the frames"


def make(plain, size):
    entries = b""
    for at in range(0, len(plain), size):
        part = plain[at : at + size]
        frame = struct.pack("<IBQ", 0xFD2FB528, 0xE0, len(part))
        for i in range(0, len(part), 128 << 10):
            block = part[i : i + (128 << 10)]
            last = i + len(block) == len(part)
            frame += (len(block) << 3 | last).to_bytes(3, "little") + block
        sys.stdout.buffer.write(frame)
        entries += struct.pack("<II", len(frame), len(part))
    table = entries + struct.pack("<IBI", len(entries) // 8, 0, 0x8F92EAB1)
    sys.stdout.buffer.write(struct.pack("<II", 0x184D2A5E, len(table)) + table)


def plain_of(frame):
    return subprocess.run(["zstd", "-dc"], input=frame, capture_output=True, check=True).stdout


def check_index(data):
    """Compare the index with what the lines of a trace say."""
    frames = list(walk(data))
    (index,) = [data[a + 8 : b] for a, b, _, kind in frames if kind == "index"]
    content = plain_of(index)
    texts = [plain_of(data[a:b]).decode() for a, b, plain, _ in frames if plain]
    assert struct.unpack_from("<II", content) == (1, len(texts)), "head"
    assert len(content) == 8 + 32 * len(texts), "size"
    depth = 0
    for number, text in enumerate(texts):
        part = struct.unpack_from("<qqIIIHH", content, 8 + 32 * number)
        times, records, start = [], 0, depth
        for line in text.splitlines():
            depth += (line.strip() == "<Nested>") - (line.strip() == "</Nested>")
            found = dict(re.findall(r" (time|end)='([0-9.]*)'", line))
            if found:
                records += 1
                begin = found["time"]
                times.append((begin, found.get("end", begin)))
        ns = [[round(float(t) * 1e9) for t in pair] for pair in times]
        first = min((a for a, _ in ns), default=2**63 - 1)
        last = max((b for _, b in ns), default=-(2**63))
        assert abs(part[0] - first) <= 1000 and abs(part[1] - last) <= 1000, (number, part)
        assert part[2] == len(text.encode()), (number, part)
        assert part[3:6] == (text.count("\n"), records, start), (number, part)
        assert part[6] & 1 == (number > 0), (number, part)
        print(part[0], part[1], part[4], part[6])
    assert depth == 0


def hide(data):
    """Let the index say that frames have no records, but for the first and last."""
    (index,) = [data[a + 8 : b] for a, b, _, kind in walk(data) if kind == "index"]
    content = bytearray(plain_of(index))
    for at in range(40, len(content) - 32, 32):
        part = list(struct.unpack_from("<qqIIIHH", content, at))
        part[0], part[1], part[4], part[6] = 2**63 - 1, -(2**63), 0, part[6] & 1
        struct.pack_into("<qqIIIHH", content, at, *part)
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        made = subprocess.run(["zstd", "-c", file.name], capture_output=True, check=True).stdout
    return struct.pack("<II", 0x184D2A5D, len(made)) + made


def swap(data, theirs):
    entries = b""
    for start, end, plain, kind in walk(data):
        frame = theirs if kind == "index" else data[start:end]
        if kind != "table":
            sys.stdout.buffer.write(frame)
            entries += struct.pack("<II", len(frame), plain)
    table = entries + struct.pack("<IBI", len(entries) // 8, 0, 0x8F92EAB1)
    sys.stdout.buffer.write(struct.pack("<II", 0x184D2A5E, len(table)) + table)


def main():
    path = sys.argv[-1]
    if sys.argv[1] == "--index":
        with open(path, "rb") as file:
            check_index(file.read())
        return
    if sys.argv[1] == "--swap":
        with open(sys.argv[2], "rb") as file, open(path, "rb") as other:
            data, other = file.read(), other.read()
        (theirs,) = [other[a:b] for a, b, _, kind in walk(other) if kind == "index"]
        swap(data, theirs)
        return
    if sys.argv[1] == "--hide":
        with open(path, "rb") as file:
            data = file.read()
        swap(data, hide(data))
        return
    if sys.argv[1] == "--make":
        with open(path, "rb") as file:
            make(file.read(), int(sys.argv[2]))
        return
    with open(path, "rb") as file:
        data = file.read()
    frames = []
    for frame in walk(data):
        start, end, plain, kind = frame
        print(end - start, plain, kind)
        if kind == "table":
            check_table(data[start:end], frames)
            assert end == len(data), "bytes behind the table"
        else:
            frames.append(frame)
    if sys.argv[1] == "--records":
        for start, end, _, _ in frames:
            text = subprocess.run(
                ["zstd", "-dc"], input=data[start:end], capture_output=True, check=True
            ).stdout
            assert text.endswith(b"\n") or end == frames[-1][1], "not whole"


main()
