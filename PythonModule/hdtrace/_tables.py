# SPDX-License-Identifier: LGPL-2.1-or-later
"""Columns and tables: what is read, for NumPy, pandas and Arrow."""
from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Union, overload

from . import _native

if TYPE_CHECKING:
    import numpy
    import pandas

TIME = "tsn:UTC"
TEXT = "u"


class RawColumn(NamedTuple):
    """A column as it was read: buffers, and Arrow's name of their type."""

    name: str
    format: str
    values: "_native.Buffer"
    offsets: "_native.Buffer | None"
    nulls: "_native.Buffer | None"


class RawTable(NamedTuple):
    """Columns with the same number of rows."""

    rows: int
    columns: list[RawColumn]


_ESCAPED = re.compile("[\udc80-\udcff]")


def decode(data: Union[bytes, memoryview]) -> str:
    """Return a text; each byte that is not UTF-8 becomes U+FFFD.

    >>> decode(b"a\\xe2\\x82z")
    'a\ufffd\ufffdz'
    """
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError:
        return _ESCAPED.sub("\ufffd", str(data, "utf-8", "surrogateescape"))


class Texts(Sequence[str]):
    """The texts of a column. Each byte that is not UTF-8 reads as U+FFFD; bytes() returns
    all bytes as they are."""

    def __init__(self, values: "_native.Buffer", offsets: "_native.Buffer") -> None:
        self._values = memoryview(values)
        self._offsets = memoryview(offsets)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def bytes(self, index: int) -> bytes:
        """Return the bytes of a text."""
        number = range(len(self))[index]
        return bytes(self._values[self._offsets[number]:self._offsets[number + 1]])

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[str, list[str]]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        return decode(self.bytes(index))

    def __iter__(self) -> Iterator[str]:
        offsets = self._offsets.tolist()
        values = self._values
        for i, start in enumerate(offsets[:-1]):
            yield decode(values[start:offsets[i + 1]])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (Texts, list, tuple)):
            return list(self) == list(other)
        return NotImplemented

    def __repr__(self) -> str:
        return f"<{len(self)} texts>"


class Value(NamedTuple):
    """Description of a value of a group."""

    name: str
    type: str
    """INT32, INT64, UINT64, FLOAT, DOUBLE or STRING."""
    unit: str
    grouping: str
    kind: str
    """gauge, counter or delta; empty for a string."""
    kind_is_guessed: bool
    attributes: dict[str, str]
    column: str
    """Name of its column in tables: its name, or "NAME[2]" if an earlier column has that
    name, as "start" and "end" are."""

    @property
    def role(self) -> str:
        """What a power channel measures, such as package; empty if unknown."""
        return self.attributes.get("role", "")


def values_of(raw: RawColumn) -> Union[memoryview, Texts]:
    """Return what a column has, without a copy."""
    if raw.offsets is not None:
        return Texts(raw.values, raw.offsets)
    return memoryview(raw.values)


def nulls_of(raw: RawColumn) -> "memoryview | None":
    """Return the mask of a column: a byte a row, 1 if it has no value."""
    return None if raw.nulls is None else memoryview(raw.nulls)


def to_numpy(raw: RawColumn) -> "numpy.ndarray[Any, Any]":
    """Return a column as an array. Times are datetime64[ns]; integers and texts with
    nulls are a masked array; times with nulls are NaT."""
    import numpy

    if raw.offsets is not None:
        texts = Texts(raw.values, raw.offsets)
        array = numpy.empty(len(texts), dtype=object)
        array[:] = list(texts)
    else:
        array = numpy.asarray(memoryview(raw.values))
    if raw.format == TIME:
        array = array.view("datetime64[ns]")
    if raw.nulls is None or array.dtype.kind == "f":
        return array
    mask = numpy.asarray(memoryview(raw.nulls)).view(bool)
    if raw.format != TIME:
        return numpy.ma.MaskedArray(array, mask=mask)
    array = array.copy()
    array[mask] = numpy.datetime64("NaT")
    return array


def to_series(raw: RawColumn) -> Any:
    """Return a column as pandas has it: integers with nulls stay integers."""
    import numpy
    import pandas

    array = to_numpy(raw)
    if raw.format == TIME:
        return pandas.DatetimeIndex(array).tz_localize("UTC")
    if not isinstance(array, numpy.ma.MaskedArray):
        return array
    if array.dtype == object:
        return numpy.where(numpy.ma.getmaskarray(array), None, array.data)
    return pandas.arrays.IntegerArray(array.data.copy(),
                                      numpy.ma.getmaskarray(array).copy())


def encode_metadata(pairs: Mapping[str, str]) -> "bytes | None":
    """Encode metadata as Arrow's C interface wants them."""
    if not pairs:
        return None
    parts = [struct.pack("=i", len(pairs))]
    for pair in pairs.items():
        for text in pair:
            data = text.encode("utf-8", "replace")
            parts += [struct.pack("=i", len(data)), data]
    return b"".join(parts)


class Table:
    """A table that is read when it is used first. Consumers of Arrow take it as it is:
    pyarrow.table(table), polars.DataFrame(table), duckdb and others."""

    def _read(self) -> RawTable:
        raise NotImplementedError

    def _table_metadata(self) -> dict[str, str]:
        return {}

    def _column_metadata(self, number: int) -> dict[str, str]:
        return {}

    def __len__(self) -> int:
        return self._read().rows

    def __bool__(self) -> bool:
        return True

    @property
    def column_names(self) -> list[str]:
        """Names of the columns, in their order."""
        return [raw.name for raw in self._read().columns]

    def _find(self, name: str) -> RawColumn:
        for raw in self._read().columns:
            if raw.name == name:
                return raw
        raise KeyError(f"no column {name!r}; there are: "
                       + ", ".join(self.column_names))

    def values(self, name: str) -> Union[memoryview, Texts]:
        """Return the values of a column, without a copy."""
        return values_of(self._find(name))

    def nulls(self, name: str) -> "memoryview | None":
        """Return the mask of a column: a byte a row, 1 if it has no value; or None."""
        return nulls_of(self._find(name))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the table as a stream of Arrow; its columns are shared, not copied."""
        table = self._read()
        fields: list[tuple[object, ...]] = [
            ("", "+s", encode_metadata(self._table_metadata()), None, None, None)]
        for i, raw in enumerate(table.columns):
            fields.append((raw.name.encode("utf-8", "replace").decode(), raw.format,
                           encode_metadata(self._column_metadata(i)), raw.values,
                           raw.offsets, raw.nulls))
        return _native.arrow_stream(table.rows, tuple(fields))

    def to_numpy(self) -> "dict[str, numpy.ndarray[Any, Any]]":
        """Return an array for each column."""
        return {raw.name: to_numpy(raw) for raw in self._read().columns}

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a data frame with all columns."""
        import pandas

        table = self._read()
        frame = pandas.DataFrame(
            {i: to_series(raw) for i, raw in enumerate(table.columns)},
            index=pandas.RangeIndex(table.rows))
        frame.columns = pandas.Index([raw.name for raw in table.columns])
        return frame

    def to_arrow(self) -> Any:
        """Return a pyarrow.Table."""
        import pyarrow

        return pyarrow.table(self)

    def to_parquet(self, path: str) -> None:
        """Write the table to a Parquet file, with pyarrow."""
        import pyarrow.parquet

        pyarrow.parquet.write_table(self.to_arrow(), path)
