#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parts of random projects, by a reader written from doc/format alone.

    cut.py HDTRACE SEED COUNT    make projects in this directory, cut them, and
                                 compare the parts with what they should have
"""
import json
import math
import random
import struct
import subprocess
import sys
import xml.etree.ElementTree as xml
from fractions import Fraction

HDTRACE = sys.argv[1]
SECOND = 10**9
BASE = 1000
LETTERS = {"INT32": "i", "INT64": "q", "FLOAT": "f", "DOUBLE": "d"}
VALUES = [
    ("GAUGE", "DOUBLE", "W", "gauge", ""),
    ("LEVEL", "INT32", "%", "gauge", ""),
    ("BYTES", "INT64", "B", "delta", ""),
    ("JOULE", "DOUBLE", "J", "delta", ""),
    ("METER", "INT64", "Wh", "counter", ' missing="-9"'),
    ("READING", "DOUBLE", "Wh", "counter", ""),
    ("TEXT", "STRING", "", None, ""),
]


def run(*arguments, expected=(0,)):
    done = subprocess.run([HDTRACE, *arguments], capture_output=True,
                          stdin=subprocess.DEVNULL, check=False)
    assert done.returncode in expected, (arguments, done.returncode, done.stderr)
    return done.stdout


def text_of(time):
    return f"{time // SECOND}.{time % SECOND:09d}"


def ns(text):
    seconds, _, rest = text.partition(".")
    return int(seconds) * SECOND + int((rest + "0" * 9)[:9])


# ---- Making ------------------------------------------------------------------

def moment(low, high):
    """A time; many are multiples of a tenth, so that they meet borders."""
    if high - low >= SECOND // 10 and random.random() < 0.7:
        return -(-random.randint(low, high - SECOND // 10) // 10**8) * 10**8
    return random.randint(low, high)


def make_states(low, high, nesting):
    states, time = [], low
    while time < high and random.random() < 0.85:
        start = moment(time, high)
        end = moment(start, high) if random.random() < 0.9 else start
        if random.random() < 0.15:
            states.append(("Event", start, start, [], ""))
            time = start
            continue
        more = ""
        name = random.choice("ABC")
        if random.random() < 0.2:
            name = "Polls"
            more = (f" IprobeCalls='{random.randint(1, 9)}'"
                    f" IprobeInsideNs='{random.randint(0, max(end - start, 1))}'")
        inner = make_states(start, end, nesting + 1) if nesting < 3 else []
        states.append((name, start, end, inner, more))
        time = end
    return states


def lines(states):
    for name, start, end, inner, more in states:
        if name == "Event":
            yield f"<Event name='e'  time='{text_of(start)}'/>"
            continue
        if inner:
            yield "<Nested>"
            yield from lines(inner)
            yield "</Nested>"
        yield f"<{name}{more}  time='{text_of(start)}' end='{text_of(end)}'/>"


def make_group(path):
    header = ('<Statistics>\n<TopologyNode>\n  <Label value="h" />\n'
              '</TopologyNode>\n<Group name="G" timestampDatatype="EPOCH" '
              'timeAdjustment="-0000000000.000000000">\n')
    for name, kind, unit, of, more in VALUES:
        header += f'  <Value name="{name}" type="{kind}" unit="{unit}"'
        header += f' kind="{of}"{more} />\n' if of else " />\n"
    header += "</Group>\n</Statistics>\n"
    out = bytearray(f"{len(header):05d}\n{header}".encode())

    def stamp(time):
        out.extend(struct.pack(">II", BASE + time // SECOND, time % SECOND))

    time = moment(0, 2 * SECOND)
    stamp(time)
    meter, reading = random.randint(0, 99), random.random()
    for _ in range(random.randint(0, 30)):
        if random.random() < 0.15:
            out.extend(b"\xff" * 8)
            time = moment(time, time + SECOND)
            stamp(time)
        if random.random() < 0.9:
            time = moment(time, time + SECOND)
        stamp(time)
        meter += random.randint(0, 1000)
        reading += random.random()
        if random.random() < 0.05:
            meter, reading = random.randint(0, 5), 0.0
        strange = random.random() < 0.1
        out.extend(struct.pack(">diqdqd", random.uniform(0, 300),
                               random.randint(-5, 100),
                               random.randint(-10**6, 10**12),
                               math.nan if strange else random.uniform(0, 9),
                               -9 if random.random() < 0.1 else meter,
                               math.nan if strange else reading))
        out.extend(struct.pack(">H", 2) + b"ab")
    with open(path, "wb") as file:
        file.write(out)


def make_relations(path):
    elements = []
    for number in range(random.randint(0, 12)):
        time = moment(0, 8 * SECOND)
        at = [(time, f'<rel t="{number}" time="{text_of(time)}"/>')]
        opened = 0
        for _ in range(random.randint(0, 8)):
            time = moment(time, 9 * SECOND)
            kind = "se"[random.random() < 0.5 and opened > 0]
            opened += 1 if kind == "s" else -1
            name = f' name="{random.choice("xy")}"' if kind == "s" else ""
            at.append((time, f'<{kind}{name} t="{number}" time="{text_of(time)}"/>'))
        if random.random() < 0.8:
            for _ in range(opened):
                at.append((time, f'<e t="{number}" time="{text_of(time)}"/>'))
            at.append((time, f'<un t="{number}" time="{text_of(time)}"/>'))
        elements += [(time, number, i, text) for i, (time, text) in enumerate(at)]
    with open(path, "w") as out:
        out.write('<relation version="1" hostID="h" localToken="1.5" topologyNumber="0" '
                  f'timeAdjustment="{BASE}" levels="Host Rank">\n')
        out.write("".join(element[3] for element in sorted(elements)) + "</relation>")


def make(name):
    with open(f"{name}.proj", "w") as out:
        out.write(f'<Application name="{name}"><Topology><Level type="Host">'
                  '<Level type="Rank"/></Level><Node name="h"><Node name="0"/>'
                  '<Node name="1"/></Node></Topology><ExternalStatistics><G/>'
                  "</ExternalStatistics></Application>\n")
    for rank in range(2):
        with open(f"{name}_h_{rank}.trc", "w") as out:
            out.write(f"<Program timeAdjustment='{BASE}' levels='Host Rank'>\n")
            out.write("\n".join(lines(make_states(0, 9 * SECOND, 0))))
            out.write("\n</Program>\n")
    make_group(f"{name}_h_G.stat")
    make_relations(f"{name}_h.rel")


# ---- Reading -----------------------------------------------------------------

class State:
    def __init__(self, element, inner):
        self.name = element.tag
        self.start = ns(element.get("time"))
        self.end = ns(element.get("end", element.get("time")))
        self.mark = element.get("cut")
        self.inside = int(element.get("IprobeInsideNs", 0))
        self.inner = inner

    def key(self):
        return (self.name, self.start, self.end, self.mark,
                tuple(state.key() for state in self.inner))


def read_states(element):
    states, inner = [], []
    for child in element:
        if child.tag == "Nested":
            inner = read_states(child)
        elif child.tag == "Event":
            states.append(State(child, []))
        else:
            states.append(State(child, inner))
            inner = []
    return states


def read_trace(path):
    return read_states(xml.parse(path).getroot())


class Entry:
    def __init__(self, start, end, gap, values):
        self.start, self.end, self.gap, self.values = start, end, gap, values


def read_group(path):
    with open(path, "rb") as file:
        data = file.read()
    at = int(data[:5]) + 6

    def stamp():
        nonlocal at
        seconds, rest = struct.unpack_from(">II", data, at)
        at += 8
        return (seconds - BASE) * SECOND + rest

    entries, gap, start = [], False, stamp()
    while at < len(data):
        if data[at:at + 8] == b"\xff" * 8:
            at += 8
            gap, start = True, stamp()
            continue
        end, values = stamp(), []
        for _, kind, *_ in VALUES:
            if kind == "STRING":
                size = struct.unpack_from(">H", data, at)[0]
                values.append(data[at + 2:at + 2 + size])
                at += 2 + size
            else:
                values.append(struct.unpack_from(">" + LETTERS[kind], data, at)[0])
                at += struct.calcsize(LETTERS[kind])
        entries.append(Entry(start, end, gap, values))
        gap, start = False, end
    return entries


def read_relations(path):
    """Relations: (id, start, end), and states: (id, name, start, end)."""
    relations, states, opened = {}, [], {}
    for element in xml.parse(path).getroot():
        number, time = element.get("t"), ns(element.get("time"))
        if element.tag == "rel":
            relations[number] = [time, None]
            opened[number] = []
        elif element.tag == "un":
            relations[number][1] = time
        elif element.tag == "s":
            opened[number].append([number, element.get("name"), time, None])
        elif element.tag == "e":
            state = opened[number].pop()
            states.append(tuple(state[:3]) + (time,))
    for number in opened:
        states += [tuple(state) for state in opened[number]]
    return relations, states


# ---- What parts have -----------------------------------------------------------

def has(start, end, low, high):
    return end > low and (start < high or start == end == high)


def clipped(states, low, high):
    """What the part of a trace has, by the rules of the man page."""
    result = []
    for state in states:
        inner = clipped(state.inner, low, high)
        if not has(state.start, state.end, low, high) and not inner:
            continue
        start, end = max(state.start, low), min(state.end, high)
        marks = [word for word, is_cut in (("start", start > state.start),
                                           ("end", end < state.end)) if is_cut]
        mark = None if not marks else marks[0] if len(marks) == 1 else "both"
        result.append((state.name, start, end, mark, tuple(inner)))
    return result


def sums(states, into):
    for state in states:
        key = state.name
        into[key] = into.get(key, 0) + state.end - state.start
        into[key, "inside"] = into.get((key, "inside"), 0) + state.inside
        sums(state.inner, into)
    return into


def totals(entries):
    """Of each value: the integral of a gauge, the sum of a delta, the growth of
    a counter."""
    result = [Fraction(0)] * len(VALUES)
    last = [None] * len(VALUES)
    for entry in entries:
        for i, (name, kind, _, of, _) in enumerate(VALUES):
            value = entry.values[i]
            if of is None:
                continue
            known = not (isinstance(value, float) and math.isnan(value)) and not (
                name == "METER" and value == -9)
            value = Fraction(value) if known else None
            if of == "gauge":
                result[i] += value * (entry.end - entry.start) / SECOND
            elif of == "delta" and known:
                result[i] += value
            elif of == "counter":
                before = None if entry.gap else last[i]
                if known and before is not None:
                    result[i] += value if value < before else value - before
                last[i] = value
    return result


def covered(entries):
    return sum(entry.end - entry.start for entry in entries)


def relation_times(read):
    """The time of relations and states that end, by id and name."""
    result = {}
    relations, states = read
    for number, (start, end) in relations.items():
        if end is not None:
            result[number] = result.get(number, 0) + end - start
    for number, name, start, end in states:
        if end is not None:
            result[number, name] = result.get((number, name), 0) + end - start
    return result


def check(name):
    report = json.loads(run("check", "--format=json", name, expected=(0, 1)))
    bad = [d for d in report["messages"]
           if d["severity"] == "error" or
           d["severity"] == "warning" and not d["rule"].startswith("rel.")]
    assert not bad, (name, bad)


def compare(name, borders):
    parts = []
    for i in range(len(borders) + 1):
        low = borders[i - 1] if i > 0 else -1
        high = borders[i] if i < len(borders) else 10**12
        options = []
        if i > 0:
            options.append("--from=@" + text_of(BASE * SECOND + low))
        if i < len(borders):
            options.append("--to=@" + text_of(BASE * SECOND + high))
        part = f"{name}part{i}"
        run("cut", "-f", "-o", part, *options, f"{name}.proj")
        check(part)
        parts.append((part, low, high))
    for rank in range(2):
        whole = read_trace(f"{name}_h_{rank}.trc")
        added = {}
        for part, low, high in parts:
            states = read_trace(f"{part}_h_{rank}.trc")
            assert [s.key() for s in states] == clipped(whole, low, high), (
                part, [s.key() for s in states], clipped(whole, low, high))
            sums(states, added)
        expected = sums(whole, {})
        added = {key: added[key] for key in added if added[key] or key in expected}
        assert added == expected, (added, expected)
    whole = read_group(f"{name}_h_G.stat")
    added, length = [Fraction(0)] * len(VALUES), 0
    for part, low, high in parts:
        entries = read_group(f"{part}_h_G.stat")
        assert all(low <= e.start <= e.end <= high for e in entries)
        added = [a + b for a, b in zip(added, totals(entries))]
        length += covered(entries)
    assert length == covered(whole), (length, covered(whole))
    for value, a, b in zip(VALUES, added, totals(whole)):
        exact = value[1] == "INT64"
        assert a == b if exact else abs(a - b) < Fraction(1, 10**6), (value, a, b)
    whole = read_relations(f"{name}_h.rel")
    added = {}
    for part, low, high in parts:
        read = read_relations(f"{part}_h.rel")
        for start, end in read[0].values():
            assert low <= start and (end is None or end <= high)
        for key, time in relation_times(read).items():
            added[key] = added.get(key, 0) + time
    for key, time in relation_times(whole).items():
        assert added.get(key, 0) == time or has_open(whole, key), (
            key, added.get(key), time)


def has_open(whole, key):
    """Whether a relation, or a state of the name in it, never ends: of these,
    parts before the last one have the time."""
    number = key[0] if isinstance(key, tuple) else key
    return whole[0][number][1] is None


def main():
    random.seed(int(sys.argv[2]))
    for i in range(int(sys.argv[3])):
        name = f"p{i}"
        make(name)
        count = random.randint(1, 4)
        borders = sorted({moment(SECOND // 10, 9 * SECOND) for _ in range(count)})
        compare(name, borders)


main()
