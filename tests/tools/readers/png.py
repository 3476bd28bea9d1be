# SPDX-License-Identifier: LGPL-2.1-or-later
"""Read a PNG by its specification: png.py FILE WIDTH HEIGHT COLOUR...

It has that size, and at least 20 pixels of each colour ("0072b2")."""
import struct
import sys
import zlib


def chunks_of(data):
    """Types and contents; their checksums are right."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        sys.exit("no PNG")
    at = 8
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        content = data[at + 8:at + 8 + length]
        crc, = struct.unpack_from(">I", data, at + 8 + length)
        if zlib.crc32(kind + content) != crc:
            sys.exit(f"checksum of {kind}")
        yield kind, content
        at += 12 + length


def predicted(kind, left, above, corner):
    """What a byte was told from, by the filter of its line (section 9.2)."""
    if kind < 3:
        return (0, left, above)[kind]
    if kind == 3:
        return (left + above) // 2
    p = left + above - corner
    distances = abs(p - left), abs(p - above), abs(p - corner)
    return (left, above, corner)[distances.index(min(distances))]


def pixels_of(data, width, height, depth):
    """Colours, as bytes, of all pixels."""
    stride = width * depth
    above = bytearray(stride)
    for y in range(height):
        start = y * (stride + 1)
        line = bytearray(data[start + 1:start + 1 + stride])
        kind = data[start]
        for i in range(stride if kind else 0):
            left = line[i - depth] if i >= depth else 0
            corner = above[i - depth] if i >= depth else 0
            line[i] = (line[i] + predicted(kind, left, above[i],
                                           corner)) & 255
        for x in range(0, stride, depth):
            yield bytes(line[x:x + 3])
        above = line


def main(path, wanted_width, wanted_height, *colors):
    """Check a file."""
    with open(path, "rb") as file:
        chunks = list(chunks_of(file.read()))
    width, height, bits, kind, _, _, interlace = struct.unpack(
        ">IIBBBBB", chunks[0][1])
    print(f"{width} x {height}, {bits} bits, type {kind}")
    if (width, height) != (int(wanted_width), int(wanted_height)):
        sys.exit(f"should be {wanted_width} x {wanted_height}")
    if bits != 8 or kind not in (2, 6) or interlace:
        sys.exit("not what is written here")
    if chunks[-1][0] != b"IEND":
        sys.exit("no end")
    data = zlib.decompress(b"".join(content for name, content in chunks
                                    if name == b"IDAT"))
    counts = {}
    for pixel in pixels_of(data, width, height, 3 if kind == 2 else 4):
        counts[pixel] = counts.get(pixel, 0) + 1
    for color in colors:
        count = counts.get(bytes.fromhex(color), 0)
        print(f"{color}: {count}")
        if count < 20:
            sys.exit("too few")


if __name__ == "__main__":
    main(*sys.argv[1:])
