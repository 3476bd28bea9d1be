#!/usr/bin/env python3
# Checks of the keys of JSON:
#     json-keys.py rules SCHEMA              every key obeys the rules of doc/json.md
#     json-keys.py table TABLE SCHEMA        the table fits the schema
#     json-keys.py same FOLDER FOLDER        documents have equal keys and numbers
# SPDX-License-Identifier: LGPL-2.1-or-later
import json
import os
import re
import sys

UNIT = re.compile(r"(?:^|_)(?:s|s2|j|w|v|a|hz|ns|bytes|percent|pt|bytes_per_j)$")

# Numbers without a suffix, and why they have none.
UNITLESS = {
    "efficiency":
        r"global|((mpi|openmp)_)?(parallel|load_balance|communication)|serialisation|"
        r"transfer|(computation|instruction|ipc|frequency)_scaling",
    "ratio": r"(.*_)?(ratio|share|p|per_cycle|p_of_all|correlation|spread)|"
             r"(idle_)?share(_then)?|level|probability|equal|least_p|factor|"
             r"factor_error|scale|residual|correlation_without_delay|"
             r"(time|energy_dynamic|energy_total)_error|"
             r"cv|dynamic_range|idle_to_peak|energy_proportionality",
    "number of operations or events":
        r"cycles|instructions|cache_misses|cache_references|branches|"
        r"branch_misses|page_faults|held|others|deviation|operations|little|"
        r"pending_(at_end|max|mean)|count(_a|_b|_difference)?",
}
# Their unit is named by another key of the object.
OF_ROW = re.compile(r"(mean|min|max|stddev|sum|integral|total|rate|amount|energy|"
                    r"reading)(_error|_min|_max)?$")
# Their unit is that of the key of the object, if the object is one of these.
OF_PARENT = ("spread", "measure", "run_measure")
# What rules on names do not see: PLACE.KEY, and why.
EXCEPTIONS = {
    "hdprobe.counters.sum": "only the program knows the unit",
    "layer.mean": "number of operations", "layer.max": "number of operations",
    "chance.low": "ratio", "chance.high": "ratio",
    "efficiencies.energy": "ratio",
    "hdtrace-power-model.model.clock_exponent": "exponent",
    "load_level.error_points": "points of a percentage",
    "hdtrace-compare.a": "not amperes: the runs of A",
    "hdtrace-compare.rows.runs.a": "not amperes: the runs of A",
    "hdtrace-compare.rows.count_a": "not amperes: the count of A",
    "hdtrace-dump.project.communicators.size": "number of ranks",
    "hdtrace-dump.project.communicators.remote_size": "number of ranks",
    "hdtrace-dump.groups.entries.start": "records keep the names of the format",
    "hdtrace-dump.groups.entries.end": "records keep the names of the format",
    "hdtrace-dump.traces.records.start": "records keep the names of the format",
    "hdtrace-dump.traces.records.end": "records keep the names of the format",
    "hdtrace-dump.relations.elements.time": "records keep the names of the format",
}
HIDDEN = re.compile(r"(?:^|_)(size|length|seconds|joules|watts|time|offset|duration|"
                    r"interval|delay|voltage|width|height)$")


def types_of(schema):
    kind = schema.get("type", [])
    return {kind} if isinstance(kind, str) else set(kind)


def referred(schema):
    for one in [schema, *schema.get("anyOf", ())]:
        if "$ref" in one:
            return one["$ref"].rsplit("/", 1)[1]
    return None


class Rules:
    def __init__(self, schema):
        self.wrong, self.used = [], set()
        for name, definition in schema["$defs"].items():
            self.walk(name, definition, name in OF_PARENT)

    def say(self, place, text):
        if place in EXCEPTIONS:
            self.used.add(place)
        else:
            self.wrong.append(f"{place}: {text}")

    def walk(self, place, schema, is_of_parent):
        keys = schema.get("properties", {})
        for key, member in keys.items():
            if key != "version":
                self.key(f"{place}.{key}", key, member, keys, is_of_parent)
            self.walk(f"{place}.{key}", member, False)
        if "items" in schema:
            self.walk(place, schema["items"], False)

    def key(self, place, key, member, keys, is_of_parent):
        kinds, part = types_of(member), referred(member)
        has_unit = bool(UNIT.search(key))
        if not re.fullmatch("[a-z][a-z0-9_]*", key):
            self.say(place, "not in lower case with underscores")
        if part in OF_PARENT:
            if not has_unit and key not in ("count", "pending_max", "pending_mean"):
                self.say(place, f"a {part} without a unit")
        elif has_unit and not kinds & {"number", "integer"}:
            self.say(place, "ends in a unit, but is not a number")
        elif has_unit and key.startswith("count_"):
            self.say(place, "ends in a unit, but is a count")
        if has_unit or is_of_parent:
            return
        if "integer" in kinds and HIDDEN.search(key):
            self.say(place, "has no unit")
        elif "number" in kinds:
            if OF_ROW.fullmatch(key) and "unit" in " ".join(keys):
                return
            if not any(re.fullmatch(names, key) for names in UNITLESS.values()):
                self.say(place, "has no unit")


def rules(path):
    with open(path, encoding="utf-8") as file:
        found = Rules(json.load(file))
    wrong = found.wrong + [f"exception that nothing needs: {place}"
                           for place in EXCEPTIONS if place not in found.used]
    print("\n".join(wrong))
    return not wrong


def paths_of(schema, of, path=""):
    """All paths of a definition, as in the table."""
    part = referred(of)
    if part:
        of = schema["$defs"][part]
    for key, member in of.get("properties", {}).items():
        yield f"{path}.{key}"
        yield from paths_of(schema, member, f"{path}.{key}")
    if "items" in of:
        yield from paths_of(schema, of["items"], path + "[]")


def table(path, schema_path):
    """Each new path is in the schema, and no old one; each row once."""
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    with open(path, encoding="utf-8") as file:
        rows = [tuple(line.rstrip("\n").split("\t")) for line in file
                if not line.startswith("#")]
    known = {name: set(paths_of(schema, schema["$defs"][name]))
             for name in schema["properties"]["schema"]["enum"]}
    wrong = [f"twice: {row}" for row in set(rows) if rows.count(row) > 1]
    for name, old, new in rows:
        if old.rsplit(".", 1)[0] != new.rsplit(".", 1)[0]:
            wrong.append(f"{name} {old}: moved to another object")
        if new not in known[name]:
            wrong.append(f"{name} {new}: not in the schema")
        if old in known[name]:
            wrong.append(f"{name} {old}: still in the schema")
    print("\n".join(wrong))
    return not wrong


# Keys of documents of version 2 that say what those of version 1 did not.
ADDED = {".ranks", ".over_ranks", ".findings", ".account",
         ".efficiencies", ".what_if", ".power_choice", ".powers",
         ".regions", ".iterations", ".iteration_summary", ".scaling",
         ".phases[].efficiencies", ".a[].power_choice", ".b[].power_choice",
         ".peak_power_w", ".memory_peak_bytes", ".pending_max", ".energy_assumed",
         ".rows[].peak_power_w", ".rows[].memory_peak_bytes", ".rows[].pending_max",
         ".rows[].energy_assumed"}


def compare(a, b, where=""):
    """Differences of keys, numbers and null; texts may be written anew."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) ^ set(b)):
            if f"{where}.{key}" not in ADDED:
                yield f"{where}.{key}: only in one"
        for key in a:
            if key in b:
                yield from compare(a[key], b[key], f"{where}.{key}")
    elif isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            yield f"{where}: {len(a)} and {len(b)} items"
        for one, other in zip(a, b):
            yield from compare(one, other, where + "[]")
    elif type(a) is not type(b) or (a != b and not isinstance(a, str)):
        yield f"{where}: {a!r} and {b!r}"


def same(first, second):
    """Compare the documents of two folders, those of the second one."""
    wrong = []
    for name in sorted(os.listdir(second)):
        documents = []
        for folder in first, second:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
            try:
                documents.append(json.loads(text))
            except ValueError as error:
                wrong.append(f"{name}: {folder}: {error}")
        if len(documents) == 2:
            wrong += [f"{name}: {line}" for line in compare(*documents)]
    print("\n".join(wrong))
    return not wrong


sys.exit(not {"rules": rules, "table": table, "same": same}[sys.argv[1]](
    *sys.argv[2:]))
