# SPDX-License-Identifier: LGPL-2.1-or-later
"""against.py HDTRACE PROJECT [OPTION...]: every value that the package hdtrace reads is
the one that hdtrace dump prints, with the same --from, --to and --node."""
import csv
import math
import subprocess
import sys

import hdtrace

BYTES = -1 if sys.byteorder == "little" else 1


def dump(command, project, options):
    """The rows of hdtrace dump, as dictionaries."""
    with subprocess.Popen([command, "dump", "--format=csv", *options, "--", project],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          encoding="utf-8", errors="surrogateescape") as run:
        # A value may have ends of lines of any kind.
        run.stdout.reconfigure(newline="")
        yield from csv.DictReader(run.stdout)
    assert run.returncode in (0, 1), run.returncode


def nanoseconds(text):
    """Of a time in seconds with nine decimals."""
    return int(text.replace(".", ""))


def same_number(text, value):
    """Whether a number is that of a text."""
    if isinstance(value, int):
        return str(value) == text
    number = float(text)
    return number == value or (math.isnan(number) and math.isnan(value))


class Groups:
    """Compares entries of groups."""

    def __init__(self, project):
        self.groups = {(group.node, group.name): group for group in project.groups}
        self.seen = {key: 0 for key in self.groups}
        self.columns = {}
        self.values = 0

    def column(self, key, name):
        """The columns of one name in turn: their times, starts, values and nulls."""
        if (key, name) not in self.columns:
            group = self.groups[key]
            self.columns[key, name] = [
                (group.times, group.starts, group._read().columns[i + 2], value)
                for i, value in enumerate(group.value_list) if value.name == name]
        return self.columns[key, name]

    def compare(self, row, is_hex, position, occurrence):
        """Compare a value."""
        key = row["node"], row["group"]
        times, starts, raw, value = self.column(key, row["name"])[occurrence]
        assert nanoseconds(row["start"]) == starts[position], row
        assert nanoseconds(row["end"]) == times[position], row
        assert row["type"] == value.type and row["unit"] == value.unit, row
        if position and row["gap"] == "0":
            assert starts[position] == times[position - 1], row
        values = hdtrace._tables.values_of(raw)
        nulls = hdtrace._tables.nulls_of(raw)
        text = row["value"]
        if value.type == "STRING":
            found = values.bytes(position)
            wanted = bytes.fromhex(text) if is_hex \
                else text.encode("utf-8", "surrogateescape")
            assert found == wanted, (row, found)
        elif is_hex:
            # A float that becomes one of Python loses bits of NaN.
            width = values.itemsize
            data = values.cast("B")[width * position:width * (position + 1)]
            assert data.tobytes()[::BYTES].hex() == text, (row, data.tobytes())
        elif nulls is not None and nulls[position]:
            assert text == "NaN", row
        else:
            assert same_number(text, values[position]), (row, values[position])
        self.values += 1


class Records:
    """Compares the states and events of traces."""

    def __init__(self, project):
        self.traces = {trace.node: trace for trace in project.traces}
        self.places = {node: {"state": 0, "event": 0} for node in self.traces}
        self.tables = {}
        self.record = None
        self.attributes = {}
        self.path = []
        self.counts = []
        self.count = 0

    def table(self, node, kind):
        """A table with its columns as lists."""
        if (node, kind) not in self.tables:
            trace = self.traces[node]
            raw = (trace if kind == "state" else trace.events)._read()
            columns = {}
            for column in raw.columns:
                values = list(hdtrace._tables.values_of(column))
                nulls = hdtrace._tables.nulls_of(column)
                columns[column.name] = [
                    None if nulls is not None and nulls[i] else value
                    for i, value in enumerate(values)]
            self.tables[node, kind] = columns
        return self.tables[node, kind]

    def end(self):
        """Compare a record with all that was said of it."""
        if self.record is None:
            return
        row, self.record = self.record, None
        place = self.places[row["node"]]
        position = place[row["record"]]
        place[row["record"]] += 1
        table = self.table(row["node"], row["record"])
        assert table["name"][position] == row["name"], row
        assert table["depth"][position] == int(row["nesting"]), row
        begin, end = ("start", "end") if row["record"] == "state" else ("time", "time")
        assert table[begin][position] == nanoseconds(row["start"]), row
        assert table[end][position] == nanoseconds(row["end"]), row
        if row["value"]:
            self.attributes["#text"] = row["value"]
        names = {name[1:] for name in table if name[0] == "@"}
        assert set(self.attributes) <= names, (row, self.attributes, names)
        for name in names:
            value = table["@" + name][position]
            text = self.attributes.get(name)
            if text is None:
                assert value is None or value != value, (row, name, value)
            elif isinstance(value, str):
                assert value == text, (row, name, value)
            else:
                assert value is not None and same_number(text, value), (row, name, value)
        self.count += 1

    def take(self, row):
        """Take a row of a trace; returns whether it is one."""
        kind = row["record"]
        if kind in ("state", "event"):
            self.end()
            self.record, self.attributes = row, {}
            self.path, self.counts = [], [{}]
            return True
        if self.record is None:
            return False
        if kind == "attribute":
            self.attributes[row["name"]] = row["value"]
        elif kind == "element":
            depth = int(row["nesting"]) - int(self.record["nesting"]) - 1
            del self.path[depth:]
            del self.counts[depth + 1:]
            number = self.counts[depth].get(row["name"], 0) + 1
            self.counts[depth][row["name"]] = number
            self.counts.append({})
            self.path.append(row["name"] + (f"[{number}]" if number > 1 else ""))
            if row["value"]:
                self.attributes[".".join([*self.path, "#text"])] = row["value"]
        elif kind == "element-attribute":
            self.attributes[".".join([*self.path, row["name"]])] = row["value"]
        else:
            return False
        return True


class RelationFiles:
    """Compares relations that have no damages."""

    def __init__(self, project):
        self.files = {file.node: file for file in project.relations}
        self.prefixes = {}
        self.states = {node: [] for node in self.files}
        self.relations = {node: {} for node in self.files}
        self.open = {}
        self.last = None

    def take(self, row):
        """Take a row of relations; returns whether it is one."""
        kind, node = row["record"], row["node"]
        if kind == "relations":
            self.prefixes[node] = self.prefixes.get(node, "") + row["value"] + ":"
            return True
        if not kind.startswith("relation-"):
            return False
        number = row["number"]
        token = self.prefixes[node] + number
        stack = self.open.setdefault((node, number), [])
        if kind == "relation-begin":
            self.relations[node][number] = [token, nanoseconds(row["start"]), None,
                                            row["value"] or None, None, []]
        elif kind == "relation-end":
            self.relations[node][number][2] = nanoseconds(row["start"])
        elif kind == "relation-trace":
            self.relations[node][number][4] = row["value"]
        elif kind == "relation-link":
            self.relations[node][number][5].append(row["value"])
        elif kind == "relation-state":
            self.last = [token, row["name"], nanoseconds(row["start"]), None,
                         len(stack), {}]
            stack.append(self.last)
            self.states[node].append(self.last)
        elif kind == "relation-state-end":
            self.last = stack.pop()
            self.last[3] = nanoseconds(row["start"])
        elif kind == "relation-attribute":
            self.last[5][row["name"]] = row["value"]
        return True

    @staticmethod
    def rows(table):
        """The rows of a table, in an order of their own."""
        columns = []
        names = table.column_names
        for raw in table._read().columns:
            nulls = hdtrace._tables.nulls_of(raw)
            columns.append([None if nulls is not None and nulls[i] else value
                            for i, value in enumerate(hdtrace._tables.values_of(raw))])
        fixed = sum(name[0] != "@" for name in names)
        for row in zip(*columns):
            yield [*row[:fixed], {name[1:]: str(value) for name, value
                                  in zip(names[fixed:], row[fixed:]) if value is not None}]

    def end(self):
        """Compare all; returns how many there are."""
        count = 0
        for node, file in self.files.items():
            found = list(self.rows(file))
            key = repr
            assert sorted(found, key=key) == sorted(self.states[node], key=key), \
                (node, sorted(found, key=key)[:3], sorted(self.states[node], key=key)[:3])
            wanted = [[*row[:5], " ".join(row[5]) or None, {}]
                      for row in self.relations[node].values()]
            found = list(self.rows(file.list))
            assert sorted(found, key=key) == sorted(wanted, key=key), \
                (node, found[:3], wanted[:3])
            count += len(found)
        return count


def compare_groups(command, path, project, options, is_hex):
    """Compare all entries of groups; returns the number of values."""
    groups = Groups(project)
    entry, position, names = None, -1, {}
    positions = {}
    options = ["--only=stats", *options, *(["--hex"] if is_hex else [])]
    for row in dump(command, path, options):
        if row["record"] != "value":
            continue
        key = row["node"], row["group"]
        if (key, row["number"]) != entry:
            entry, names = (key, row["number"]), {}
            position = positions.get(key, -1) + 1
            positions[key] = position
        occurrence = names.get(row["name"], 0)
        names[row["name"]] = occurrence + 1
        groups.compare(row, is_hex, position, occurrence)
    for key, group in groups.groups.items():
        if group.value_list:
            assert len(group) == positions.get(key, -1) + 1, (key, len(group))
    return groups.values


def main():
    """Compare a project."""
    command, path, *options = sys.argv[1:]
    given = dict(option[2:].split("=", 1) for option in options)
    project = hdtrace.open(path, from_=given.get("from"), to=given.get("to"),
                           nodes=given.get("node"))
    values = compare_groups(command, path, project, options, False)
    compare_groups(command, path, project, options, True)
    records = Records(project)
    relations = RelationFiles(project)
    for row in [] if given.get("node") == "" else \
            dump(command, path, ["--only=traces", *options]):
        records.take(row)
    records.end()
    for node, trace in records.traces.items():
        assert len(trace) == records.places[node]["state"], node
        assert len(trace.events) == records.places[node]["event"], node
    found = 0
    if project.relations and not given:
        for row in dump(command, path, ["--only=relations"]):
            relations.take(row)
        found = relations.end()
    print(f"{path}: {values} values, {records.count} records, {found} relations")
    assert values + records.count + found > 0 or "random" in path


if __name__ == "__main__":
    main()
