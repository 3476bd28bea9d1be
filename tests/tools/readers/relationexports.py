#!/usr/bin/env python3
# Whether exports have the relations of projects: what Perfetto's, CTF's and OTF2's
# own readers print is compared with what a second reader finds in the .rel files
# (relations.py).
#
#     relationexports.py FORMAT HDTRACE SEED RUNS   projects by chance, here
#
# FORMAT is perfetto (protoc is in the PATH, PERFETTO_PROTO the folder of
# perfetto.proto), ctf (babeltrace2), or otf2 (otf2-print).
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import glob
import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import relations  # noqa: E402


def run(*arguments, **more):
    return subprocess.run(arguments, stdout=subprocess.PIPE, check=True,
                          **more).stdout


def unescape(text):
    """A text of protoc or babeltrace2, which is in quotes."""
    codes = {"n": "\n", "t": "\t", "r": "\r"}
    return re.sub(
        rb'\\([0-7]{3}|.)',
        lambda m: bytes([int(m[1], 8)]) if len(m[1]) == 3
        else codes.get(m[1].decode(), m[1].decode()).encode(),
        text.encode()).decode()


def name_of(relation):
    return relation.states[0]["name"] if relation.states else \
        relation.file.node.split("_")[-1]


def slices_of(relation):
    """A relation as what is open at a time: (depth, name, start, end)."""
    yield 0, name_of(relation), relation.start, relation.lasted()
    for state in relation.states:
        yield (1 + state["depth"], state["name"], state["start"],
               relation.lasted() if state["end"] is None else state["end"])


def arrows_of(project):
    return {(r.cause.token, r.token) for r in project.all
            if r.cause and r.cause.start <= r.start}


# ---- What is in an export: slices by token, and who caused whom ---------------

def nested(events):
    """Slices of (time, is begin, name, key): key to its slices, times checked."""
    found, open, last, key = {}, [], 0, None
    for time, begins, name, own in events:
        assert time >= last, "time steps back"
        last = time
        if begins:
            key = own if own is not None else key
            open.append([len(open), name, time, None, key])
            assert own is None or len(open) == 1, "relations overlap"
            found.setdefault(key, []).append(open[-1])
        else:
            open.pop()[3] = time
    assert not open, "something does not end"
    return {k: [tuple(s[:4]) for s in v] for k, v in found.items()}


def perfetto():
    text = run("protoc", "-I", os.environ["PERFETTO_PROTO"],
               "--decode=perfetto.protos.Trace", "perfetto.proto",
               stdin=open("out")).decode()
    tracks, starts, ends = {}, {}, {}
    for packet in text.split("\npacket {"):
        if "TYPE_SLICE" not in packet:
            continue
        values = {}
        for note in re.findall(r"debug_annotations \{(.*?)\n    \}", packet,
                               re.S):
            key = unescape(re.search(r'\n      name: "(.*)"', note)[1])
            value = re.search(r'\n      string_value: "(.*)"', note)
            values[key] = unescape(value[1]) if value else None
        name = re.search(r'\n    name: "(.*)"', packet)
        token = values.get("token")
        tracks.setdefault(re.search(r"track_uuid: (\d+)", packet)[1],
                          []).append(
            (int(re.search(r"\n  timestamp: (\d+)", packet)[1]),
             "SLICE_BEGIN" in packet, name and unescape(name[1]), token))
        for flow in re.findall(r"\n    flow_ids: (\d+)", packet):
            assert flow not in starts
            starts[flow] = token
        for flow in re.findall(r"\n    terminating_flow_ids: (\d+)", packet):
            assert flow not in ends
            ends[flow] = token
    slices = {}
    for events in tracks.values():
        slices.update(nested(events))
    assert starts.keys() == ends.keys(), "an arrow has one end"
    return slices, {(starts[f], ends[f]) for f in starts}


def ctf(project):
    """Events, which need not nest: compared as they are."""
    text = run("babeltrace2", "--clock-cycles", "--no-delta", "out").decode()
    found, values = Counter(), []
    for line in text.splitlines():
        head = re.match(r"\[(\d+)\] (\w+): \{ node = \"(\w+)\" \}, "
                        r"\{ relation = \"([^\"]*)\"(.*)\}$", line)
        if not head:
            continue  # Another stream.
        name = re.search(r'name = "((?:[^"\\]|\\.)*)"', head[5])
        parent = re.search(r', parent = "([^"]*)", parent_span = "([-\w]*)", '
                           r'trace = "([-\w]*)", count = (\d+)', head[5])
        value = re.findall(r'\{ key = "((?:[^"\\]|\\.)*)", '
                           r'value = "((?:[^"\\]|\\.)*)" \}', head[5])
        found[(int(head[1]), head[2], head[3], head[4],
               name and unescape(name[1]), parent and parent.groups(),
               tuple(unescape(k) for k, v in value))] += 1
        values += [(int(head[1]), head[4], unescape(k), unescape(v))
                   for k, v in value]
    wanted, values, wrong = Counter(), Counter(values), []
    for r in project.all:
        def put(time, kind, name=None, parent=None, value=()):
            wanted[(time, kind, r.file.node, r.token, name, parent,
                    value)] += 1
        put(r.start, "begin", None,
            (r.parent or "-", r.span or "-", r.trace or "-",
             str(len(r.links))))
        if r.end is not None:
            put(r.end, "end")
        for s in r.states:
            put(s["start"], "enter", s["name"], None,
                tuple(s["attributes"]))
            # babeltrace2 2.0 takes an empty text for that of an event before.
            wrong += [f"not there: {k}={v} in {r.token}"
                      for k, v in s["attributes"].items()
                      if v and not values[(s["start"], r.token, k, v)]]
            if s["end"] is not None:
                put(s["end"], "leave", s["name"])
    return wrong + [f"only {side}: {key}" for side, keys in
                    (("in the export", found - wanted),
                     ("in the files", wanted - found)) for key in keys]


def otf2(project):
    if not project.all:
        return {}, {}  # otf2-print refuses archives without locations.
    text = run("otf2-print", "out/traces.otf2").decode()
    tracks, parents, last = {}, {}, None
    for line in text.splitlines():
        event = re.match(r'(ENTER|LEAVE) +(\d+) +(\d+)  Region: "(.*)" <\d+>$',
                         line)
        if event:
            last = [int(event[3]), event[1] == "ENTER", event[4], None]
            tracks.setdefault(event[2], []).append(last)
            continue
        own = re.search(r'ATTRIBUTES:.*\("relation" <\d+>; INT64; (\d+)\)',
                        line)
        if own:
            last[3] = int(own[1])
            parent = re.search(r'\("parent" <\d+>; INT64; (\d+)\)', line)
            if parent:
                parents[last[3]] = int(parent[1])
    slices = {}
    for events in tracks.values():
        slices.update(nested(events))
    return slices, parents


# ---- Comparing ----------------------------------------------------------------

def compare(form, project):
    if form == "ctf":
        return ctf(project)
    wanted = {r.token: sorted(slices_of(r)) for r in project.all}
    if form == "otf2":
        slices, parents = otf2(project)
        # Numbers are those of hdtrace: who has one is told by what it did.
        wanted = Counter(map(str, wanted.values()))
        found = Counter(str(sorted(s)) for s in slices.values())
        wrong = [f"differs: {k}" for k in (wanted - found) + (found - wanted)]
        caused = sum(r.cause is not None for r in project.all)
        if len(parents) != caused:
            wrong.append(f"{len(parents)} parents, should be {caused}")
        for child, parent in parents.items():
            begins = min(s[2] for s in slices[child])
            if not any(r.cause and r.start == begins and
                       r.cause.start == min(s[2] for s in slices[parent])
                       for r in project.all):
                wrong.append(f"{child} was not caused by {parent}")
        return wrong
    slices, arrows = perfetto()
    wrong = [f"{token}: {sorted(slices.get(token, []))}, should be {those}"
             for token, those in wanted.items()
             if sorted(slices.get(token, [])) != those]
    if arrows != arrows_of(project):
        wrong.append(f"arrows: {arrows ^ arrows_of(project)}")
    return wrong


def main():
    form, hdtrace, seed, runs = sys.argv[1:3] + list(map(int, sys.argv[3:5]))
    print(f"seed {seed}")
    made = bad = 0
    for number in range(runs):
        maker = relations.Maker(random.Random(seed * 1000003 + number))
        maker.run("run")
        shutil.rmtree("out", ignore_errors=True)
        done = subprocess.run([hdtrace, "export", "-q", "--to", form, "--only",
                               "relations", "-f", "-o", "out", "run.proj"],
                              stdout=subprocess.DEVNULL)
        wrong = [f"exit status {done.returncode}"] \
            if done.returncode not in (0, 1) else \
            compare(form, relations.Project("run.proj"))
        made += len(maker.made)
        bad += bool(wrong)
        if wrong:
            print(f"run {number}:", *wrong[:10], sep="\n  ")
        for name in glob.glob("run[._]*"):
            os.remove(name)
        if os.path.isfile("out"):
            os.remove("out")
    print(f"{runs} runs, {made} relations, {bad} of them wrong")
    return bad > 0 or not made


sys.exit(main())
