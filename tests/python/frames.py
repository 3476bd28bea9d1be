# SPDX-License-Identifier: LGPL-2.1-or-later
"""frames.py: NumPy and pandas show what was read, on the projects mini and bits in this
directory. It prints TAP."""
import traceback

import numpy
import pandas

import hdtrace


def test_numpy():
    """arrays share the memory of columns"""
    group = hdtrace.open("bits").groups[0]
    for name, kind in (("I32", "int32"), ("I64", "int64"), ("U64", "uint64"),
                       ("F32", "float32"), ("F64", "float64")):
        column = group[name]
        array = column.to_numpy()
        assert array.dtype == kind and len(array) == 3000, array.dtype
        assert array.__array_interface__["data"][1], "it can be written to"
        again = numpy.asarray(column.values)
        assert numpy.shares_memory(array, again)
        assert again.tobytes() == array.tobytes()
    arrays = group.to_numpy()
    assert arrays["end"].dtype == "datetime64[ns]"
    assert (arrays["end"].view("int64") == numpy.asarray(group.times)).all()
    assert arrays["TEXT"].tolist() == list(group["TEXT"].values)


def test_nulls():
    """integers without a value are masked"""
    group = hdtrace.open("g_node_G.stat").groups[0]
    array = group["N"].to_numpy()
    assert array.tolist() == [7, None, 9] and array.dtype == "int32"
    frame = group.to_pandas()
    assert list(frame.columns) == ["start", "P", "N", "T"]
    assert frame.index.name == "end" and str(frame.index.tz) == "UTC"
    assert frame["N"].dtype == "Int32" and frame["N"].isna().tolist() == [0, 1, 0]
    assert frame["P"].isna().tolist() == [False, True, False]
    assert frame.index[0].value == 101 * 10**9
    series = group["P"].to_pandas()
    assert series.index.equals(frame.index) and series.name == "P"


def test_frames():
    """frames of traces have all attributes"""
    trace = hdtrace.open("mini").traces[0]
    frame = trace.to_pandas()
    assert list(frame.columns) == trace.column_names and len(frame) == 5
    assert frame["@size"].dtype == "Int64" and frame["@size"].sum() == 12
    assert frame["@what"].tolist() == [None, None, "it's", None, "more"]
    assert frame["end"][0].value == 1000000001500000000
    assert (frame["end"] - frame["start"]).sum() == pandas.Timedelta("5.75s")
    assert trace.events.to_pandas()["name"].tolist() == ['a < "b"']
    assert len(hdtrace.open("e_node_G.stat").groups[0].to_pandas()) == 0
    frame = hdtrace.open("n_node_G.stat").groups[0].to_pandas()
    assert frame.index.name == "end" and frame["end[2]"].tolist() == [2]


def test_times():
    """numpy.datetime64 selects, and NumPy's numbers as others do"""
    def entries(**options):
        return len(hdtrace.open("g_node_G.stat", **options).groups[0])

    assert entries(from_=numpy.datetime64(101 * 10**9, "ns")) == 2
    for kind in (numpy.float64, numpy.float32, numpy.int64):
        assert entries(from_=kind(2)) == entries(from_=2) == 2
        assert entries(to=kind(2)) == entries(to=2) > 0


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
