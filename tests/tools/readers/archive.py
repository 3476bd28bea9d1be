#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Archives of projects, with Python's zipfile.

    archive.py FILE                  check that an archive follows doc/format
    archive.py --extract DIR FILE    write its entries
    archive.py --make NAME           write a hostile archive to stdout
    archive.py --many N FILE         write an archive with N empty entries
"""
import io
import struct
import sys
import warnings
import zipfile

warnings.simplefilter("ignore")

PROJ = b"<?xml version='1.0'?>\n<Application name='p'></Application>\n"
DATE = (1980, 1, 1, 0, 0, 0)


def check(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None, "checksum"
        names = archive.namelist()
        assert names[0].endswith(".proj"), "the first entry"
        assert names[1:] == sorted(names[1:]), "order"
        for entry in archive.infolist():
            assert entry.compress_type == zipfile.ZIP_STORED, "method"
            assert entry.date_time == DATE and not entry.extra, "date"
            plain = entry.filename.endswith((".proj", ".info", ".notes"))
            assert plain or entry.filename.endswith(
                (".trc.zst", ".stat.zst", ".rel.zst")
            ), entry.filename


def make(files, change=None):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files:
            entry = zipfile.ZipInfo("?" * len(name), DATE)
            archive.writestr(entry, text)
    data = out.getvalue()
    for name, _ in files:
        # The name in the local header, and the one in the directory.
        data = data.replace(b"?" * len(name), name, 1)
    at = data.index(b"PK\x01\x02")
    for name, _ in files:
        size = struct.unpack_from("<HHH", data, at + 28)
        data = data[: at + 46] + name + data[at + 46 + len(name) :]
        at += 46 + sum(size)
    data = bytearray(data)
    if change:
        change(data)
    return bytes(data)


def patch(offset_of, value, form="<I", entry=0):
    """Change a number of an entry in the directory, or of the end."""

    def change(data):
        if offset_of < 0:
            at = len(data) + offset_of
        else:
            at = -1
            for _ in range(entry + 1):
                at = data.index(b"PK\x01\x02", at + 1)
            at += offset_of
        struct.pack_into(form, data, at, value)

    return change


def many(count, path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo("p.proj", DATE), PROJ)
        for number in range(count):
            archive.writestr(zipfile.ZipInfo(f"p_n_{number:07}.info", DATE), b"")


P = (b"p.proj", PROJ)
HOSTILE = {
    "parent directory": lambda: make([P, (b"../evil.proj", b"x")]),
    "absolute name": lambda: make([P, (b"/tmp/p.info", b"x")]),
    "directory in a name": lambda: make([P, (b"a/p.info", b"x")]),
    "backslash in a name": lambda: make([P, (b"a\\p.info", b"x")]),
    "hidden name": lambda: make([P, (b".p.info", b"x")]),
    "control character in a name": lambda: make([P, (b"p\x01.info", b"x")]),
    "empty name": lambda: make([P, (b"q", b"x")], patch(28, 0, "<H", 1)),
    "compressed by zip": lambda: make([P], patch(10, 8, "<H")),
    "encrypted": lambda: make([P], patch(8, 1, "<H")),
    "same name twice": lambda: make([P, P]),
    "entries in each other": lambda: make([P, (b"p.info", b"x")], patch(42, 0, "<I", 1)),
    "entry behind the end": lambda: make([P], patch(42, 1 << 20)),
    "more entries than the directory has": lambda: make([P], patch(-12, 99, "<H")),
    "directory behind the end": lambda: make([P], patch(-6, 1 << 20)),
    "no project": lambda: make([(b"p.info", b"x")]),
    "two projects": lambda: make([P, (b"q.proj", PROJ)]),
    "empty file": lambda: b"",
    "comment at the end": lambda: make([P]) + b"x",
    "wrong checksum": lambda: make([P], patch(16, 1)),
    "zip64 without its end": lambda: make([P], patch(-6, 0xFFFFFFFF)),
}


def main():
    if sys.argv[1] == "--make":
        sys.stdout.buffer.write(HOSTILE[sys.argv[2]]())
    elif sys.argv[1] == "--extract":
        with zipfile.ZipFile(sys.argv[3]) as archive:
            archive.extractall(sys.argv[2])
    elif sys.argv[1] == "--many":
        many(int(sys.argv[2]), sys.argv[3])
    else:
        check(sys.argv[1])


main()
