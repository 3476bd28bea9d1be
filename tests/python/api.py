# SPDX-License-Identifier: LGPL-2.1-or-later
"""api.py: what the package hdtrace promises, on the projects mini and bits in this
directory. It prints TAP."""
import datetime
import gc
import os
import struct
import sys
import threading
import traceback

import arrowread

import hdtrace

STAT = b"""<Statistics>
<TopologyNode>
  <Label value="node" />
</TopologyNode>
<Group name="G" timestampDatatype="EPOCH" timeAdjustment="">
  <Value name="P" type="FLOAT" unit="W" kind="gauge" role="package" />
  <Value name="N" type="INT32" missing="-1" />
  <Value name="T" type="STRING" />
</Group>
</Statistics>
"""


def write_group(path, rows, header=STAT, tail=b""):
    """Write a group; a row is the second of its end, and its values."""
    with open(path, "wb") as file:
        file.write(b"%05d\n" % len(header) + header + struct.pack(">II", 100, 0))
        for end, power, number, text in rows:
            file.write(struct.pack(">IIfih", end, 0, power, number, len(text)) + text)
        file.write(tail)


def resident():
    """Bytes of memory that this process has."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def raises(kind, call):
    """The exception that a call raises."""
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def test_columns():
    """columns have times, starts, values and nulls"""
    write_group("g_node_G.stat", [(101, 1.5, 7, b"a"), (103, float("nan"), -1, b""),
                                  (104, 2.5, 9, b"\xff")])
    project = hdtrace.open("g_node_G.stat")
    group = project.groups[0]
    assert group.name == "G" and group.node == "node" and group.node.path == "node"
    power = group.column("P")
    assert list(power.times) == [101 * 10**9, 103 * 10**9, 104 * 10**9]
    assert power.times.itemsize == 8 and power.times.readonly
    assert list(power.starts) == [100 * 10**9, 101 * 10**9, 103 * 10**9]
    assert power.values[0] == 1.5 and power.values[1] != power.values[1]
    assert power.nulls is None and power.unit == "W" and power.kind == "gauge"
    assert power.value.role == "package" and len(power) == len(group) == 3
    number = group.column("N")
    assert list(number.values) == [7, -1, 9] and list(number.nulls) == [0, 1, 0]
    text = group["T"].values
    assert list(text) == ["a", "", "\ufffd"] == text[:] and text.bytes(2) == b"\xff"
    assert text[-1] == "\ufffd" and raises(IndexError, lambda: text[3])
    assert "no value 'X'" in str(raises(KeyError, lambda: group.column("X")))
    assert raises(TypeError, lambda: power.values.__setitem__(0, 1.0))


def test_empty():
    """groups without entries are empty columns"""
    write_group("e_node_G.stat", [])
    group = hdtrace.open("e_node_G.stat").groups[0]
    assert len(group.column("P")) == 0 and list(group.column("T").values) == []
    fields, columns, _ = arrowread.read(group)
    assert len(fields) == 5 and columns == [[]] * 5


def test_arrow():
    """streams have the schema, metadata and values"""
    project = hdtrace.open("g_node_G.stat")
    fields, columns, metadata = arrowread.read(project.groups[0])
    assert [field[:2] for field in fields] == [
        ("start", "tsn:UTC"), ("end", "tsn:UTC"), ("P", "f"), ("N", "i"), ("T", "u")]
    assert fields[2][2] == {"role": "package", "kind": "gauge", "type": "FLOAT",
                            "unit": "W"}, fields
    assert metadata["group"] == "G" and metadata["node"] == "node"
    assert columns[0] == [100 * 10**9, 101 * 10**9, 103 * 10**9]
    assert columns[3] == [7, None, 9] and columns[4] == ["a", "", "\ufffd"]
    for steal in range(5):
        again = arrowread.read(project.groups[0], steal)
        # NaN is not equal to itself.
        assert repr(again[1]) == repr(columns)


def test_names():
    """columns of a table have different names"""
    names = ["start", "P", "end", "P", "P[2]", "start", "P"]
    header = STAT[:STAT.index(b"  <Value")] + b"".join(
        b"<Value name='%s' type='INT32'/>" % name.encode() for name in names) + \
        STAT[STAT.index(b"</Group>"):]
    with open("n_node_G.stat", "wb") as file:
        file.write(b"%05d\n" % len(header) + header + struct.pack(">II", 100, 0))
        file.write(struct.pack(">II7i", 101, 0, *range(7)))
    wanted = ["start", "end", "start[2]", "P", "end[2]", "P[3]", "P[2]", "start[3]", "P[4]"]
    group = hdtrace.open("n_node_G.stat").groups[0]
    fields, columns, _ = arrowread.read(group)
    assert [field[0] for field in fields] == wanted == group.column_names
    assert [column[0] for column in columns[2:]] == list(range(7))
    assert group["start"].values[0] == 0 and group.values("start")[0] == 100 * 10**9
    assert group.values("P[4]")[0] == 6 and group.value_list[3].column == "P[3]"
    assert [value.name for value in group.value_list] == names


def test_traces():
    """traces are tables with typed attributes; events are apart"""
    project = hdtrace.open("mini")
    fields, columns, _ = arrowread.read(project.traces[0])
    names = [name for name, _, _ in fields]
    assert names == ["name", "start", "end", "depth", "@size", "@Data.offset",
                     "@Data.size", "@what"], names
    table = dict(zip(names, columns))
    assert table["name"] == ["Read", "Read", "Work", "Wait", "Work"]
    assert table["depth"] == [2, 1, 0, 0, 0], table
    assert table["@size"] == [4, 8, None, None, None]
    assert table["@what"] == [None, None, "it's", None, "more"]
    assert table["start"][0] == 1000000001250000000
    fields, columns, _ = arrowread.read(project.traces[0].events)
    assert [field[:2] for field in fields] == [("name", "u"), ("time", "tsn:UTC"),
                                               ("depth", "I")]
    assert columns == [['a < "b"'], [1000000002500000000], [1]]
    assert project.traces[0].node.parent.type == "Host"
    assert project.nodes[0].children[0].children[0].trace is project.traces[0]


def types_of(*texts):
    """What values of an attribute become: the format, and values."""
    with open("t.trc", "w", encoding="utf-8") as file:
        file.write("<Program>\n")
        for i, text in enumerate(texts):
            value = "" if text is None else f"a='{text}'"
            file.write(f"<S {value} time='{i}' end='{i + 1}'/>\n")
        file.write("</Program>\n")
    fields, columns, _ = arrowread.read(hdtrace.open("t.trc").traces[0])
    return fields[4][1], columns[4]


def test_types():
    """attributes get the narrowest type that keeps their text"""
    assert types_of("1", None, "-5") == ("l", [1, None, -5])
    assert types_of("9223372036854775807", "-9223372036854775808") == \
        ("l", [2**63 - 1, -2**63])
    assert types_of("9223372036854775808")[0] == "u"
    assert types_of("007", "8") == ("g", [7.0, 8.0])
    assert types_of("1", "1.5", "-INF") == ("g", [1.0, 1.5, float("-inf")])
    assert types_of("9007199254740993", "1.5") == ("u", ["9007199254740993", "1.5"])
    assert types_of("1", None, "1x") == ("u", ["1", None, "1x"])
    assert types_of("0x10") == ("u", ["0x10"]) and types_of("") == ("u", [""])
    assert types_of("-0") == ("g", [0.0]) and types_of("1e") == ("u", ["1e"])


def test_many_attributes():
    """attributes have a limit, which is a diagnostic"""
    with open("m.trc", "w", encoding="utf-8") as file:
        file.write("<Program>\n")
        for i in range(300):
            file.write(f"<S a{i}='1' time='{i}' end='{i + 1}'/>\n")
        file.write("</Program>\n")
    project = hdtrace.open("m.trc")
    assert len(project.traces[0].column_names) == 4 + 256
    assert [d.rule for d in project.diagnostics] == ["table.attributes"]
    assert "44 values" in project.diagnostics[0].text, project.diagnostics


def test_selection():
    """from_, to and nodes select as the commands do"""
    rows = [(100 + i, float(i), i, b"x") for i in range(1, 11)]
    write_group("s_node_G.stat", rows)

    def numbers(**options):
        return list(hdtrace.open("s_node_G.stat", **options).groups[0]["N"].values)

    when = datetime.datetime.fromtimestamp(104, datetime.timezone.utc)
    assert numbers(from_=4) == numbers(from_="4") == numbers(from_="@104") == \
        numbers(from_="4000ms") == numbers(from_=when) == [5, 6, 7, 8, 9, 10]
    assert numbers(to=2.5) == [1, 2, 3] and numbers(from_=1.5, to=2) == [2]
    assert numbers(from_=0.1) == [1, *range(2, 11)]
    assert numbers(nodes="no*") == numbers(nodes=["node"]) == list(range(1, 11))
    assert "no node matches 'x'" in str(raises(ValueError, lambda: numbers(nodes="x")))
    assert "invalid time" in str(raises(ValueError, lambda: numbers(from_="soon")))
    assert "before to" in str(raises(ValueError, lambda: numbers(from_=2, to=1)))
    project = hdtrace.open("mini", nodes="alpha")
    assert [trace.node for trace in project.traces] == ["alpha_0"]
    assert len(hdtrace.open("mini", nodes=["alpha", "beta"]).traces) == 2
    assert hdtrace.open("s_node_G.stat").start == 100 * 10**9


def test_errors():
    """unreadable projects raise, with the place"""
    error = raises(hdtrace.Error, lambda: hdtrace.open("nothing"))
    assert "No such file" in error.text and error.line == 0, error
    with open("bad.proj", "w", encoding="utf-8") as file:
        file.write("<Application>\n\n<Topology></Application>\n")
    error = raises(hdtrace.Error, lambda: hdtrace.open("bad.proj"))
    assert error.path == "bad.proj" and error.line == 3, error
    assert str(error).startswith("bad.proj: line 3: "), str(error)
    assert hdtrace.Error("f", 7, 0, "x").offset == 7
    assert raises(TypeError, lambda: hdtrace.open(3))
    assert raises(ValueError, lambda: hdtrace.open("a\0b"))


def test_damage():
    """damaged files are read as far as possible, with diagnostics"""
    write_group("d_node_G.stat", [(101, 1.0, 1, b"a"), (102, 2.0, 2, b"b")],
                tail=b"\0\0\0")
    project = hdtrace.open("d_node_G.stat")
    before = len(project.diagnostics)
    group = project.groups[0]
    assert list(group["N"].values) == [1, 2]
    assert len(project.diagnostics) == before + 1
    path, offset, line, text = project.diagnostics[-1]
    assert path == "d_node_G.stat" and offset > 0 and line == 0 and text
    assert project.diagnostics[-1].severity == "warning"
    group.release()
    assert len(group["N"]) == 2 and len(project.diagnostics) == before + 1
    with open("h_node_G.stat", "wb") as file:
        file.write(b"00020\n<Statistics")
    project = hdtrace.open("h_node_G.stat")
    assert not project.groups[0].is_readable and len(project.groups[0]) == 0
    assert project.diagnostics


def test_closing():
    """columns outlive their project, which refuses to read when it is closed"""
    with hdtrace.open("g_node_G.stat") as project:
        group = project.groups[0]
        values = group.column("N").values
        times = group.times
    del project
    gc.collect()
    assert list(values) == [7, -1, 9] and len(times) == 3
    assert "closed" in str(raises(ValueError, lambda: group.column("P")))
    group._project.close()


def test_threads():
    """threads read one project at once, also while it is closed"""
    wanted = list(hdtrace.open("bits").groups[0].times)
    for is_closed in (False, True):
        project = hdtrace.open("bits")
        found, failed = [], []

        def read(project=project, found=found, failed=failed, is_closed=is_closed):
            for _ in range(20):
                try:
                    raw = project._read_group(0, (0, 1, 5))
                    found.append(list(memoryview(raw.columns[1].values)) == wanted)
                except ValueError as error:
                    failed.append("closed" in str(error) and is_closed)

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        if is_closed:
            project.close()
        for thread in threads:
            thread.join()
        assert all(found) and all(failed) and len(found) + len(failed) == 80


def use():
    """Open, read and close."""
    project = hdtrace.open("mini")
    for table in (*project.groups, *project.traces, project.traces[0].events):
        arrowread.read(table)
    raises(hdtrace.Error, lambda: hdtrace.open("bad.proj"))
    raises(KeyError, lambda: project.groups[0].column("none"))
    capsule = project.groups[0].__arrow_c_stream__()
    project.close()
    return capsule


def test_growth():
    """neither memory nor references grow with opens and closes"""
    shared = [None, True, False, hdtrace._native.Buffer if
              hasattr(hdtrace._native, "Buffer") else "", ""]
    for _ in range(100):
        use()
    gc.collect()
    memory, objects = resident(), len(gc.get_objects())
    counts = [sys.getrefcount(item) for item in shared]
    for _ in range(300):
        use()
    for _ in range(10000):
        hdtrace.open("mini").close()
    gc.collect()
    assert len(gc.get_objects()) <= objects + 10, len(gc.get_objects()) - objects
    assert all(abs(sys.getrefcount(item) - count) < 100
               for item, count in zip(shared, counts))
    assert resident() < memory + 4 * 2**20, resident() - memory


def test_native():
    """the part in C refuses what would harm"""
    native = hdtrace._native
    raw = hdtrace.open("g_node_G.stat").groups[0]._read()
    text = raw.columns[4]
    table = ("", "+s", None, None, None, None)
    for rows, field in ((9, ("a", "l", None, raw.columns[0].values, None, None)),
                        (3, ("a", "u", None, text.values, None, None)),
                        (3, ("a", "u", None, text.values, raw.columns[3].values, None)),
                        (3, ("a", "l", None, text.values, text.offsets, None)),
                        (3, ("a", "l", None, None, None, None)),
                        (3, ("a", "u", None, None, text.offsets, None)),
                        # So many rows of 8 bytes are 0 bytes in 64 bits.
                        (2**61, ("a", "l", None, raw.columns[0].values, None, None))):
        raises(ValueError, lambda r=rows, f=field: native.arrow_stream(r, (table, f)))
    raises(TypeError, lambda: native.arrow_stream(1, (table, ("a", "l", None, b"12345678",
                                                              None, None))))
    raises(ValueError, lambda: native.arrow_stream(0, ()))
    raises(ValueError, lambda: native.arrow_stream(-1, (table, table)))
    raises(TypeError, lambda: type(raw.columns[0].values)())
    project = native.open("mini")[0]
    for number in (-1, 99):
        raises(IndexError, lambda n=number: project.read_group(n, 0, 1, ()))
    raises(IndexError, lambda: project.read_group(0, 0, 1, (99,)))
    raises(OverflowError, lambda: project.read_group(0, 0, 1, (-1,)))


def main():
    """Run the tests."""
    tests = [value for name, value in globals().items() if name.startswith("test_")]
    for number, test in enumerate(tests, 1):
        try:
            test()
            print(f"ok {number} - {test.__doc__}")
        except Exception:  # The next test runs, too.
            print(f"not ok {number} - {test.__doc__}")
            print("# " + traceback.format_exc().replace("\n", "\n# "))
    print(f"1..{len(tests)}")


main()
