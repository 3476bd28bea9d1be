# SPDX-License-Identifier: LGPL-2.1-or-later
"""Projects: their topology, groups, traces and relations."""
from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from decimal import Decimal
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

from . import _commands, _native
from ._error import Error
from ._tables import (RawColumn, RawTable, Table, Texts, Value, nulls_of, to_numpy,
                      values_of)

if TYPE_CHECKING:
    import numpy
    import pandas

Time = Union[int, float, Decimal, str, datetime.datetime, None]

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_FIRST = -2**63
_LAST = 2**63 - 1


class _Place(NamedTuple):
    path: str
    offset: int
    line: int
    text: str


class Diagnostic(_Place):
    """A problem in a file: path, offset, line and text.

    The attributes severity (note, warning or error) and rule (of doc/format) are no
    items of the tuple.
    """

    severity: str
    rule: str

    @classmethod
    def _of(cls, message: "_native.Message") -> "Diagnostic":
        severity, path, offset, line, text, rule = message
        self = cls(path, offset, line, text)
        self.severity = severity
        self.rule = rule
        return self


class Node(str):
    """A node of the topology. It is its path: labels joined by "_", empty for the
    project itself."""

    label: str
    level: int
    """Depth in the tree; 0 is the project."""
    type: str
    """Type of its level, such as Host."""
    parent: "Optional[Node]"
    children: "list[Node]"
    groups: "list[Group]"
    trace: "Optional[Trace]"
    relations: "Optional[Relations]"
    is_declared: bool

    @property
    def path(self) -> str:
        """Labels joined by "_"."""
        return str(self)


class Column:
    """A value of a group over time."""

    def __init__(self, value: Value, start: RawColumn, end: RawColumn,
                 raw: RawColumn) -> None:
        self.value = value
        """Its description: unit, kind, role."""
        self.name = value.name
        self.unit = value.unit
        self.kind = value.kind
        self._start = start
        self._end = end
        self._raw = raw

    @property
    def times(self) -> memoryview:
        """Ends of the entries, in ns since 1970."""
        return memoryview(self._end.values)

    @property
    def starts(self) -> memoryview:
        """Starts of the entries, in ns since 1970."""
        return memoryview(self._start.values)

    @property
    def values(self) -> Union[memoryview, Texts]:
        """The values. Floating-point numbers are NaN where there is no value."""
        return values_of(self._raw)

    @property
    def nulls(self) -> Optional[memoryview]:
        """A byte for each entry, 1 if it has no value; None if all have one."""
        return nulls_of(self._raw)

    def __len__(self) -> int:
        return len(self._end.values)

    def to_numpy(self) -> "numpy.ndarray[Any, Any]":
        """Return the values as an array, without a copy if they are numbers."""
        return to_numpy(self._raw)

    def to_pandas(self) -> "pandas.Series[Any]":
        """Return the values as a series over the ends of the entries."""
        import pandas

        from ._tables import to_series

        return pandas.Series(to_series(self._raw), index=to_series(self._end),
                             name=self.name)

    def __repr__(self) -> str:
        unit = f" in {self.unit}" if self.unit else ""
        return f"<Column {self.name}{unit}: {len(self)} entries>"


class _File(Table):
    """A file of a project as a table."""

    def __init__(self, project: "Project", number: int, described: dict[str, Any],
                 node: Node) -> None:
        self._project = project
        self._number = number
        self.node = node
        """The node that it belongs to."""
        self.file: str = described["file"]
        """Path of the file."""
        self.file_bytes: int = described["file_bytes"]
        self._metadata: dict[str, str] = described["metadata"]

    def _table_metadata(self) -> dict[str, str]:
        return self._metadata

    def release(self) -> None:
        """Forget what was read; columns that are in use stay."""
        raise NotImplementedError


class Group(_File):
    """A statistics group of a node: start, end and its values. Values are read when
    they are asked for, and kept until release()."""

    def __init__(self, project: "Project", number: int, described: dict[str, Any],
                 node: Node) -> None:
        super().__init__(project, number, described, node)
        self.name: str = described["name"]
        self.value_list: list[Value] = [Value(**value)
                                        for value in described["values"]]
        """Descriptions of its values."""
        self.attributes: dict[str, str] = described["attributes"]
        self.labels: tuple[str, ...] = described["labels"]
        self._value_metadata: tuple[dict[str, str], ...] = described["value_metadata"]
        self.is_readable: bool = described["is_readable"]
        self.is_declared: bool = described["is_declared"]
        self._times: Optional[tuple[RawColumn, RawColumn]] = None
        self._columns: dict[int, RawColumn] = {}

    def _load(self, numbers: Sequence[int]) -> tuple[RawColumn, RawColumn]:
        times = self._times
        missing = tuple(i for i in numbers if i not in self._columns)
        if times is None or missing:
            raw = self._project._read_group(self._number, missing).columns
            if times is None:
                times = self._times = (raw[0], raw[1])
            for number, column in zip(missing, raw[2:]):
                self._columns.setdefault(number, column)
        return times

    def column(self, name: str) -> Column:
        """Read a value: its times, starts, values and nulls."""
        for number, value in enumerate(self.value_list):
            if value.name == name:
                times = self._load([number])
                return Column(value, *times, self._columns[number])
        raise KeyError(f"no value {name!r}; there are: "
                       + ", ".join(value.name for value in self.value_list))

    __getitem__ = column

    @property
    def times(self) -> memoryview:
        """Ends of the entries, in ns since 1970."""
        return memoryview(self._load([])[1].values)

    @property
    def starts(self) -> memoryview:
        """Starts of the entries, in ns since 1970."""
        return memoryview(self._load([])[0].values)

    def _read(self) -> RawTable:
        numbers = range(len(self.value_list))
        times = self._load(numbers)
        return RawTable(len(times[0].values),
                        [*times, *(self._columns[i] for i in numbers)])

    def __len__(self) -> int:
        return len(self.times)

    @property
    def column_names(self) -> list[str]:
        return ["start", "end", *(value.column for value in self.value_list)]

    def _column_metadata(self, number: int) -> dict[str, str]:
        return {} if number < 2 else self._value_metadata[number - 2]

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a data frame whose index is the end of each entry."""
        frame = super().to_pandas()
        return frame.set_index("end")

    def release(self) -> None:
        self._times = None
        self._columns = {}

    def __repr__(self) -> str:
        names = " ".join(value.name for value in self.value_list)
        return f"<Group {self.name} of {self.node.path or 'the project'}: {names}>"


class Events(Table):
    """The events of a trace: name, time, depth and attributes."""

    def __init__(self, trace: "Trace") -> None:
        self._trace = trace

    def _read(self) -> RawTable:
        return self._trace._load()[1]

    def _table_metadata(self) -> dict[str, str]:
        return self._trace._table_metadata()

    def __repr__(self) -> str:
        return f"<Events of {self._trace.node.path or 'the project'}>"


class Trace(_File):
    """The trace of a node: its states, one a row, by their end: name, start, end, depth
    and attributes, whose columns begin with "@". Attributes of elements inside a state
    are "@ELEMENT.NAME"."""

    _tables: Optional[tuple[RawTable, RawTable]] = None

    def _load(self) -> tuple[RawTable, RawTable]:
        if self._tables is None:
            self._tables = self._project._read_trace(self._number)
        return self._tables

    def _read(self) -> RawTable:
        return self._load()[0]

    @property
    def events(self) -> Events:
        """Its events: name, time, depth and attributes."""
        return Events(self)

    def release(self) -> None:
        self._tables = None

    def __repr__(self) -> str:
        return f"<Trace of {self.node.path or 'the project'}>"


class RelationList(Table):
    """Relations without their states: token, start, end, parent, trace and links."""

    def __init__(self, relations: "Relations") -> None:
        self._relations = relations

    def _read(self) -> RawTable:
        return self._relations._load()[1]

    def _table_metadata(self) -> dict[str, str]:
        return self._relations._table_metadata()


class Relations(_File):
    """The relations of a node: their states, one a row: token, name, start, end, depth
    and attributes. The end is null if there is none."""

    _tables: Optional[tuple[RawTable, RawTable]] = None

    def _load(self) -> tuple[RawTable, RawTable]:
        if self._tables is None:
            self._tables = self._project._read_relations(self._number)
        return self._tables

    def _read(self) -> RawTable:
        return self._load()[0]

    @property
    def list(self) -> RelationList:
        """The relations, one a row: token, start, end, parent, trace and links."""
        return RelationList(self)

    def release(self) -> None:
        self._tables = None

    def __repr__(self) -> str:
        return f"<Relations of {self.node.path or 'the project'}>"


class Project:
    """An open project; see open()."""

    def __init__(self, path: Union[str, "os.PathLike[str]"], from_: Time = None,
                 to: Time = None,
                 nodes: Union[str, Sequence[str], None] = None) -> None:
        native, error, messages = _native.open(path)
        if native is None:
            raise _open_error(os.fspath(path), error, messages)
        self._native = native
        self._messages: set[Any] = set()
        self.diagnostics: list[Diagnostic] = []
        """Problems of the files that were read until now."""
        self._add_diagnostics(messages)
        described = native.describe()
        self.path: str = os.fsdecode(path)
        self.name: str = described["name"]
        self.file: str = described["file"]
        self.prefix: str = described["prefix"]
        self.description: str = described["description"]
        self.levels: tuple[str, ...] = described["levels"]
        """Types of the levels of the topology, from level 1 down."""
        self.declared_groups: tuple[str, ...] = described["declared_groups"]
        self.communicators: tuple[dict[str, Any], ...] = described["communicators"]
        """Communicators: name, uid, ranks as (global, local, cid), and others."""
        self.datatypes: tuple[dict[str, Any], ...] = described["datatypes"]
        self.used_files: tuple[dict[str, Any], ...] = described["used_files"]
        self.clocks: tuple[dict[str, Any], ...] = described["clocks"]
        self._make_nodes(described["nodes"])
        self._start: Optional[int] = None
        self._from = from_
        self._to = to
        self._patterns = [nodes] if isinstance(nodes, str) else list(nodes or [])
        self._first = _FIRST if from_ is None else self._parse(from_)
        self._last = _LAST if to is None else self._parse(to)
        if self._first >= self._last:
            raise ValueError("from_ must be before to")
        self._make_files(described, self._choose(nodes is not None))

    def _make_nodes(self, described: Sequence[dict[str, Any]]) -> None:
        self.nodes: list[Node] = []
        """All nodes of the topology, parents before children."""
        by_path: dict[str, Node] = {}
        for item in described:
            node = Node(item["path"])
            node.label = item["label"]
            node.level = item["level"]
            node.is_declared = item["is_declared"]
            node.type = self.levels[node.level - 1] \
                if 0 < node.level <= len(self.levels) else ""
            node.parent = by_path.get(item["parent"]) if node.level else None
            node.children, node.groups = [], []
            node.trace = node.relations = None
            if node.parent is not None:
                node.parent.children.append(node)
            by_path[node] = node
            self.nodes.append(node)
        self.root: Node = self.nodes[0]
        """The node of the project itself."""

    def _choose(self, is_limited: bool) -> set[str]:
        if not is_limited:
            return set(self.nodes)
        chosen: set[str] = set()
        for pattern in self._patterns:
            found = {node for node, matches
                     in zip(self.nodes, self._native.choose(pattern)) if matches}
            if not found:
                raise ValueError(f"no node matches {pattern!r}; nodes of the project: "
                                 + ", ".join(filter(None, self.nodes)))
            chosen |= found
        return chosen

    def _make_files(self, described: dict[str, Any], chosen: set[str]) -> None:
        by_path = {str(node): node for node in self.nodes}

        def make(kind: Any, key: str) -> list[Any]:
            return [kind(self, i, item, by_path[item["node"]])
                    for i, item in enumerate(described[key]) if item["node"] in chosen]

        self.groups: list[Group] = make(Group, "groups")
        """Statistics groups, in the order of nodes."""
        self.traces: list[Trace] = make(Trace, "traces")
        """Traces, in the order of nodes."""
        self.relations: list[Relations] = make(Relations, "relations")
        """Files of relations, in the order of nodes."""
        for group in self.groups:
            group.node.groups.append(group)
        for trace in self.traces:
            trace.node.trace = trace
        for relations in self.relations:
            relations.node.relations = relations

    # ---- Times -------------------------------------------------------------------

    @property
    def start(self) -> Optional[int]:
        """The earliest time of the project in ns since 1970; None if it is empty."""
        if self._start is None:
            self._start = self._native.start()
        return self._start

    def _parse(self, time: Any) -> int:
        """Return a time in ns since 1970."""
        if isinstance(time, str):
            start = 0 if time.startswith("@") else self.start or 0
            return self._native.parse_time(time, start)
        if isinstance(time, datetime.datetime):
            since = time.astimezone(datetime.timezone.utc) - _EPOCH
            return since // datetime.timedelta(microseconds=1) * 1000
        if getattr(getattr(time, "dtype", None), "kind", "") == "M":
            return int(time.astype("datetime64[ns]").astype("int64"))
        if hasattr(time, "item"):
            time = time.item()
        seconds = Decimal(repr(time)) if isinstance(time, float) else Decimal(time)
        return (self.start or 0) + int(seconds * 10**9)

    # ---- Reading -----------------------------------------------------------------

    def _add_diagnostics(self, messages: Sequence["_native.Message"]) -> None:
        for message in messages:
            if message not in self._messages:
                self._messages.add(message)
                self.diagnostics.append(Diagnostic._of(message))

    def _take(self, read: Any) -> tuple[RawTable, RawTable]:
        table, more, messages = read
        self._add_diagnostics(messages)
        return tuple(RawTable(rows, [RawColumn(*column) for column in columns])
                     for rows, columns in (table, more))  # type: ignore[return-value]

    def _read_group(self, number: int, values: tuple[int, ...]) -> RawTable:
        return self._take(self._native.read_group(number, self._first, self._last,
                                                  values))[0]

    def _read_trace(self, number: int) -> tuple[RawTable, RawTable]:
        return self._take(self._native.read_trace(number, self._first, self._last))

    def _read_relations(self, number: int) -> tuple[RawTable, RawTable]:
        return self._take(self._native.read_relations(number, self._first, self._last))

    # ---- Results of commands -----------------------------------------------------

    def _selected(self, options: dict[str, Any], has_nodes: bool) -> dict[str, Any]:
        """Options that select what this project selects, unless they are given."""
        if not has_nodes and self._patterns:
            raise ValueError("report is of all nodes: open the project without nodes")
        selected: dict[str, Any] = {}
        if self._first != _FIRST:
            selected["from_"] = _seconds(self._first)
        if self._last != _LAST:
            selected["to"] = _seconds(self._last)
        if self._patterns:
            selected["node"] = self._patterns
        return {**selected, **options}

    def report(self, **options: Any) -> "_commands.Document":
        """Return the JSON of hdtrace report. Options are those of the command:
        report(by_name=True, top=20). A project with nodes has no report."""
        return _commands.document("report", self._selected(options, False), [self.path])

    def stat(self, **options: Any) -> "_commands.Document":
        """Return the JSON of hdtrace stat: sums, means and extremes of values."""
        return _commands.document("stat", self._selected(options, True), [self.path])

    def loads(self, **options: Any) -> "_commands.Document":
        """Return the JSON of hdtrace loads: power and efficiency at load levels."""
        return _commands.document("loads", self._selected(options, True), [self.path])

    def compare(self, other: Union["Project", str, "os.PathLike[str]"],
                **options: Any) -> "_commands.Document":
        """Return the JSON of hdtrace compare: differences from this project to another
        one. Both must be whole, without from_, to and nodes."""
        for project in (self, other):
            if isinstance(project, Project) and project._selected({}, True):
                raise ValueError("compare is of whole projects: open them without "
                                 "from_, to and nodes")
        path = other.path if isinstance(other, Project) else os.fspath(other)
        return _commands.document("compare", options, [self.path, path])

    def findings(self, **options: Any) -> "_commands.Document":
        """Return the findings of hdtrace report, with the account of time and the
        efficiencies."""
        report = self.report(**options)
        return _commands.Document((key, report[key]) for key in
                                  ("schema", "version", "project", "findings", "account",
                                   "efficiencies") if key in report)

    def plot(self, values: Union[str, Sequence[str], None] = None, states: Any = None,
             **options: Any) -> "_commands.Picture":
        """Return the SVG of hdtrace plot. values is a pattern or a list of patterns;
        states is True (time lines of states below the panels), above, below or only."""
        patterns = [values] if isinstance(values, str) else values
        return _commands.picture(patterns, states, self._selected(options, True),
                                 self.path)

    def _repr_html_(self) -> str:
        parts = [_commands.properties_html([
            ("project", self.name), ("description", self.description),
            ("file", self.file), ("traces", len(self.traces)),
            ("files of relations", len(self.relations))])]
        groups = [{"node": group.node, "group": group.name,
                   "values": ", ".join(value.name for value in group.value_list),
                   "size_bytes": group.file_bytes} for group in self.groups]
        if groups:
            parts.append(_commands.table_html("groups", groups))
        if self.diagnostics:
            parts.append(_commands.table_html(
                "diagnostics", [item._asdict() for item in self.diagnostics]))
        return "".join(parts)

    def group(self, name: str, node: Optional[str] = None) -> Group:
        """Find a group by its name, and by its node if there are several."""
        found = [group for group in self.groups if group.name == name
                 and (node is None or group.node == node)]
        if len(found) == 1:
            return found[0]
        if found:
            raise KeyError(f"group {name!r} is at several nodes: "
                           + ", ".join(group.node for group in found))
        raise KeyError(f"no group {name!r}; there are: "
                       + ", ".join(sorted({group.name for group in self.groups})))

    def close(self) -> None:
        """Close the files; columns that were read stay."""
        self._native.close()

    def __enter__(self) -> "Project":
        return self

    def __exit__(self, kind: Optional[type[BaseException]],
                 error: Optional[BaseException],
                 traceback: Optional[TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        return (f"<Project {self.name}: {len(self.groups)} groups, "
                f"{len(self.traces)} traces, {len(self.relations)} files of relations>")


def _seconds(ns: int) -> str:
    """Return a time as options have it.

    >>> _seconds(1500000001)
    '@1.500000001'
    """
    return f"@{ns // 10**9}.{ns % 10**9:09d}"


def _open_error(path: str, error: int, messages: Sequence["_native.Message"]) -> Error:
    """Return the error of a project that could not be opened."""
    for severity, file, offset, line, text, _ in reversed(messages):
        if severity == "error":
            return Error(file, offset, line, text)
    return Error(path, text=os.strerror(error))
