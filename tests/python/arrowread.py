# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads streams of Arrow by ctypes, made from the specification of the C data and C
stream interfaces; no code of HDTrace."""
import ctypes
import struct


class Schema(ctypes.Structure):
    """struct ArrowSchema"""


class Array(ctypes.Structure):
    """struct ArrowArray"""


class Stream(ctypes.Structure):
    """struct ArrowArrayStream"""


Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))),
    ("private_data", ctypes.c_void_p)]
Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))),
    ("private_data", ctypes.c_void_p)]
Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream),
                                    ctypes.POINTER(Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream),
                                  ctypes.POINTER(Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))),
    ("private_data", ctypes.c_void_p)]

NUMBERS = {"i": "i", "l": "q", "L": "Q", "I": "I", "f": "f", "g": "d", "tsn:UTC": "q"}


def metadata_of(schema):
    """The key-value metadata of a schema."""
    at = schema.metadata
    if not at:
        return {}

    def number():
        nonlocal at
        at += 4
        return struct.unpack("=i", ctypes.string_at(at - 4, 4))[0]

    def text():
        nonlocal at
        length = number()
        at += length
        return ctypes.string_at(at - length, length).decode()

    count = number()
    return {text(): text() for _ in range(count)}


def values_of(kind, array):
    """The values of an array, None for null."""
    assert array.offset == 0 and array.n_children == 0 and not array.dictionary
    bits = array.buffers[0]
    rows = array.length
    if kind == "u":
        assert array.n_buffers == 3
        offsets = struct.unpack(f"={rows + 1}i",
                                ctypes.string_at(array.buffers[1], 4 * (rows + 1)))
        data = ctypes.string_at(array.buffers[2], offsets[-1]) if offsets[-1] else b""
        values = [data[a:b].decode() for a, b in zip(offsets, offsets[1:])]
    else:
        assert array.n_buffers == 2
        code = NUMBERS[kind]
        size = rows * struct.calcsize("=" + code)
        values = struct.unpack(f"={rows}{code}",
                               ctypes.string_at(array.buffers[1], size))
    if not bits:
        assert array.null_count == 0
        return list(values)
    data = ctypes.string_at(bits, (rows + 7) // 8)
    values = [value if data[i // 8] >> i % 8 & 1 else None
              for i, value in enumerate(values)]
    assert array.null_count in (-1, values.count(None))
    return values


def read(table, steal=None):
    """Read a stream: fields as (name, format, metadata), rows of columns, and metadata
    of the table. A child whose number is stolen is moved, and released last."""
    capsule = table.__arrow_c_stream__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    stream = Stream.from_address(get(capsule, b"arrow_array_stream"))
    schema, array, end = Schema(), Array(), Array()
    assert stream.get_schema(stream, schema) == 0
    assert stream.get_next(stream, array) == 0
    assert stream.get_next(stream, end) == 0 and not end.release
    # Arrays outlive the stream.
    stream.release(stream)
    assert not stream.release
    del capsule
    assert schema.format == b"+s" and schema.n_children == array.n_children
    assert array.n_buffers == 1 and array.null_count == 0
    fields, columns = [], []
    moved = Array()
    for i in range(schema.n_children):
        child, values = schema.children[i].contents, array.children[i].contents
        assert values.length == array.length
        fields.append((child.name.decode(), child.format.decode(), metadata_of(child)))
        if i == steal:
            ctypes.memmove(ctypes.byref(moved), ctypes.byref(values),
                           ctypes.sizeof(Array))
            values.release = type(values.release)()
            continue
        columns.append(values_of(fields[-1][1], values))
    metadata = metadata_of(schema)
    schema.release(schema)
    array.release(array)
    if steal is not None:
        columns.insert(steal, values_of(fields[steal][1], moved))
        moved.release(moved)
        assert not moved.release
    assert not schema.release and not array.release
    return fields, columns, metadata
