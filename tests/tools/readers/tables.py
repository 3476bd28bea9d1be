# SPDX-License-Identifier: LGPL-2.1-or-later
"""tables.py csv|csv-wide|json EXPORT DIRECTORY NAME: exports as tables, read by
Python's csv and json, have every bit of the project's statistics.

There is one NaN; which one it was no text says. JSON has no NaN (null), and
only strings that are UTF-8."""
import csv
import json
import os
import sys

from project import Entry, fail, groups_of, ns, number


def read_long(path):
    """csv: a line for each value."""
    groups = {}
    with open(path, encoding="latin-1", newline="") as file:
        for row in csv.DictReader(file):
            if row["record"] != "value":
                continue
            entries = groups.setdefault((row["node"], row["group"]), {})
            entry = entries.setdefault(
                int(row["number"]),
                Entry(ns(row["start"]), ns(row["end"]), int(row["gap"]), {}))
            value = row["value"].encode("latin-1")
            if row["type"] != "STRING":
                value = number(row["type"], row["value"])
            entry.values[row["name"]] = value
    return {key: [entries[i] for i in sorted(entries)]
            for key, entries in groups.items()}


def read_wide(path, name, kinds):
    """csv-wide: a file for each group, a line for each entry."""
    groups = {}
    for file in sorted(os.listdir(path)):
        if not file.endswith(".stat.csv"):
            continue
        labels = file[len(name) + 1:-9].split("_")
        key = "_".join(labels[:-1]), labels[-1]
        with open(os.path.join(path, file), encoding="latin-1",
                  newline="") as stream:
            rows = csv.reader(stream)
            titles = next(rows)
            if titles[:3] != ["start", "end", "gap"]:
                fail(f"{file}: titles {titles}")
            groups[key] = [
                Entry(ns(row[0]), ns(row[1]), int(row[2]), {
                    value: text.encode("latin-1") if kind == "STRING"
                    else number(kind, text or "nan")
                    for (value, kind), text in zip(kinds[key].items(), row[3:])
                }) for row in rows]
    return groups


def read_json(path, kinds):
    """json: an object with everything."""
    with open(path, encoding="utf-8") as file:
        # Times have more digits than a double.
        project = json.load(file, parse_float=str)
    groups = {}
    for group in project["groups"]:
        key = group["node"], group["group"]
        groups[key] = []
        for entry in group["entries"]:
            values = {}
            for (name, kind), value in zip(kinds[key].items(),
                                           entry["values"]):
                if kind == "STRING":
                    values[name] = value.encode("utf-8")
                else:
                    values[name] = number(kind, value if value is not None
                                          else "nan")
            groups[key].append(Entry(ns(entry["start"]), ns(entry["end"]),
                                     int(entry.get("gap", False)), values))
    return groups


def drop_bytes(entry):
    """Forget strings that JSON cannot have, or has otherwise."""
    for name, value in entry.values.items():
        if isinstance(value, bytes) and (
                b"\0" in value or
                not value.decode("utf-8", "replace").isascii()):
            entry.values[name] = b""


def main():
    """Compare."""
    form, path, directory, name = sys.argv[1:]
    expected = groups_of(directory, name)
    kinds = {key: kind for key, (kind, _) in expected.items()}
    if form == "csv":
        groups = read_long(path)
    elif form == "csv-wide":
        groups = read_wide(path, name, kinds)
    else:
        groups = read_json(path, kinds)
    for key, (kind, entries) in expected.items():
        for entry in entries if form == "json" else []:
            drop_bytes(entry)
        for entry in groups.get(key, []) if form == "json" else []:
            drop_bytes(entry)
        found = [entry.key(kind) for entry in groups.get(key, [])]
        wanted = [entry.key(kind) for entry in entries]
        if found != wanted:
            at = next((i for i, pair in enumerate(zip(found, wanted))
                       if pair[0] != pair[1]), min(len(found), len(wanted)))
            fail(f"{key}: {len(found)} entries of {len(wanted)}; entry {at} is "
                 f"{found[at:at + 1]}, expected {wanted[at:at + 1]}")
        print(f"{key}: {len(found)} entries are equal")


main()
