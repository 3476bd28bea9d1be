# SPDX-License-Identifier: LGPL-2.1-or-later
"""duckdb.py LIBDUCKDB PROJECT...: DuckDB's C library reads the streams of Arrow of all
tables, and finds their values. It keeps microseconds of times."""
import ctypes
import math
import sys

import hdtrace
from hdtrace import _tables


class Result(ctypes.Structure):
    """duckdb_result"""

    _fields_ = [("columns", ctypes.c_uint64), ("rows", ctypes.c_uint64),
                ("changed", ctypes.c_uint64), ("list", ctypes.c_void_p),
                ("error", ctypes.c_char_p), ("data", ctypes.c_void_p)]


class Database:
    """A database in memory."""

    def __init__(self, library):
        self.library = lib = ctypes.CDLL(library)
        lib.duckdb_value_varchar.restype = ctypes.c_void_p
        lib.duckdb_result_error.restype = ctypes.c_char_p
        lib.duckdb_row_count.restype = ctypes.c_uint64
        lib.duckdb_value_is_null.restype = ctypes.c_bool
        for function in (lib.duckdb_value_varchar, lib.duckdb_value_is_null):
            function.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]
        self.database, self.connection = ctypes.c_void_p(), ctypes.c_void_p()
        assert lib.duckdb_open(None, ctypes.byref(self.database)) == 0
        assert lib.duckdb_connect(self.database, ctypes.byref(self.connection)) == 0
        self.count = 0

    def scan(self, capsule):
        """Make a view of a stream; returns its name."""
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype = ctypes.c_void_p
        get.argtypes = [ctypes.py_object, ctypes.c_char_p]
        self.count += 1
        name = f"t{self.count}"
        stream = ctypes.c_void_p(get(capsule, b"arrow_array_stream"))
        assert self.library.duckdb_arrow_scan(self.connection, name.encode(), stream) == 0
        return name

    def query(self, text, columns):
        """The rows of a query, as texts."""
        lib, result = self.library, Result()
        state = lib.duckdb_query(self.connection, text.encode(), ctypes.byref(result))
        assert state == 0, lib.duckdb_result_error(ctypes.byref(result))
        rows = []
        for i in range(lib.duckdb_row_count(ctypes.byref(result))):
            row = []
            for j in range(columns):
                if lib.duckdb_value_is_null(ctypes.byref(result), j, i):
                    row.append(None)
                    continue
                value = lib.duckdb_value_varchar(ctypes.byref(result), j, i)
                row.append(ctypes.string_at(value).decode())
                lib.duckdb_free(ctypes.c_void_p(value))
            rows.append(row)
        lib.duckdb_destroy_result(ctypes.byref(result))
        return rows


def is_same(kind, text, value):
    """Whether the text of DuckDB is a value."""
    if kind in "fg":
        number = float(text)
        return number == value or (math.isnan(number) and math.isnan(value))
    if kind == "u":
        # Its texts end at a zero byte.
        return text == value or "\0" in value
    if kind[0] == "t":
        return int(text) // 1000 == value // 1000
    return int(text) == value


def compare(database, table):
    """Compare a table; returns the number of its cells."""
    capsule = table.__arrow_c_stream__()
    name = database.scan(capsule)
    raw = table._read()
    names = [f"c{i}" for i in range(len(raw.columns))]
    terms = [f"epoch_ns({name})" if column.format[0] == "t"
             else f"{name}::DOUBLE" if column.format in "fg" else name
             for name, column in zip(names, raw.columns)]
    rows = database.query(f"select {','.join(terms)} from {name} as t({','.join(names)})",
                          len(names))
    assert len(rows) == raw.rows, (table, len(rows), raw.rows)
    for j, column in enumerate(raw.columns):
        nulls = _tables.nulls_of(column)
        for i, value in enumerate(_tables.values_of(column)):
            if nulls is not None and nulls[i]:
                assert rows[i][j] is None, (table, column.name, i)
            else:
                assert rows[i][j] is not None and \
                    is_same(column.format, rows[i][j], value), (table, column.name, i)
    return raw.rows * len(names)


def main():
    """Compare all tables of projects."""
    database = Database(sys.argv[1])
    for path in sys.argv[2:]:
        project = hdtrace.open(path)
        tables = [*project.groups, *project.traces, *project.relations,
                  *(trace.events for trace in project.traces),
                  *(relations.list for relations in project.relations)]
        cells = sum(compare(database, table) for table in tables)
        print(f"{path}: {len(tables)} tables, {cells} cells")


main()
