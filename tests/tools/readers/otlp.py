#!/usr/bin/env python3
# Whether what hdtrace export --to otlp writes is OpenTelemetry's, and says what
# the files say: protobuf's own reader of JSON checks names and types against the
# published schema (tests/lib/otlp.proto), and the second reader of .rel files
# (relations.py) says which spans there have to be.
#
#     otlp.py chance HDTRACE SEED RUNS   projects by chance, in this directory
#     otlp.py compare HDTRACE PROJECT    a project that is there
#     otlp.py spans FILE                 print the spans: NAME START END PARENT,
#                                        times in ns, parents by name
#
# otlp_pb2, which protoc made of the schema, is in the current directory.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import base64
import json
import os
import random
import re
import subprocess
import sys

sys.path[:0] = [os.getcwd(), os.path.dirname(os.path.abspath(__file__))]
from google.protobuf import json_format  # noqa: E402

import otlp_pb2  # noqa: E402
import relations  # noqa: E402

SIZES = {"traceId": 32, "spanId": 16, "parentSpanId": 16}


def trace_id(text):
    hash = 0x6c62272e07bb014262b821756295c58d
    for byte in text.encode():
        hash = (hash ^ byte) * 0x1000000000000000000013b % 2**128
    return f"{hash or 1:032x}"


def to_base64(value):
    """OTLP has ids in hex, where protobuf has base64; and enums as numbers."""
    if isinstance(value, list):
        return [to_base64(item) for item in value]
    if not isinstance(value, dict):
        return value
    for key, item in value.items():
        if key in SIZES:
            if not re.fullmatch(f"[0-9a-f]{{{SIZES[key]}}}", item) or \
                    not int(item, 16):
                raise ValueError(f"{key} is {item}")
        if key in ("kind", "code") and not isinstance(item, int):
            raise ValueError(f"{key} is {item}")
    return {key: base64.b64encode(bytes.fromhex(item)).decode()
            if key in SIZES else to_base64(item)
            for key, item in value.items()}


def once(pairs):
    """An object in which no key stands twice."""
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def read(path):
    """The TracesData of a file; fails where it is none."""
    with open(path) as file:
        document = json.load(file, object_pairs_hook=once)
    return json_format.ParseDict(to_base64(document), otlp_pb2.TracesData())


def attributes(of):
    found = {}
    for pair in of.attributes:
        if pair.key in found:
            raise ValueError(f"attribute {pair.key} stands twice")
        kind = pair.value.WhichOneof("value")
        found[pair.key] = getattr(pair.value, kind)
    return found


def typed(value):
    """Integers as we write them are integers."""
    return int(value) if re.fullmatch("0|-?[1-9][0-9]{0,17}", value) else value


def spans_of(data):
    for resource in data.resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield resource.resource, span


# ---- Comparing --------------------------------------------------------------

def trace_of(relation):
    while relation.trace is None and relation.cause:
        relation = relation.cause
    if relation.trace:
        return relation.trace[:32], int(relation.trace[33:], 16)
    return trace_id(relation.token), 1


def compare(hdtrace, path):
    """What is not as it should be: texts."""
    project = relations.Project(path)
    done = subprocess.run(
        [hdtrace, "export", "-q", "--to", "otlp", "--only", "relations",
         "-f", "-o", "otlp.json", path],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 1):
        return [done.stderr.decode()]
    wrong, there = [], {}
    for resource, span in spans_of(read("otlp.json")):
        if span.span_id in there:
            wrong.append(f"two spans {span.span_id.hex()}")
        there[span.span_id] = resource, span

    def expect(what, is_so, should):
        if is_so != should:
            wrong.append(f"{what}: {is_so}, should be {should}")

    tokens = {r.token: r for r in project.all}
    expect("spans", len(there),
           sum(1 + len(r.states) for r in project.all))
    for relation in project.all:
        token = relation.token
        id = relations.span_id(token)
        if bytes.fromhex(id) not in there:
            wrong.append(f"{token}: is not there")
            continue
        resource, span = there[bytes.fromhex(id)]
        trace, flags = trace_of(relation)
        own = relation.file
        known = attributes(resource)
        expect(f"{token} host", known["host.name"], own.host)
        expect(f"{token} pid", known["process.pid"],
               int(own.process.split(".")[0]))
        expect(f"{token} process", known["hdtrace.process"], own.process)
        expect(f"{token} node", known["service.instance.id"], own.node)
        expect(f"{token} layer", known["service.name"],
               own.node.split("_")[-1])
        expect(f"{token} trace", span.trace_id.hex(), trace)
        parent = relations.span_id(relation.parent) if relation.parent \
            else relation.span or ""
        expect(f"{token} parent", span.parent_span_id.hex(), parent)
        is_remote = bool(relation.span) or bool(
            relation.parent and not relation.parent.startswith(
                f"{own.host}:{own.process}:"))
        expect(f"{token} flags", span.flags,
               flags | 0x100 | (0x200 if is_remote else 0))
        expect(f"{token} kind", span.kind, 2 if is_remote else 1)
        expect(f"{token} name", span.name, relation.states[0]["name"]
               if relation.states else own.node.split("_")[-1])
        expect(f"{token} start", span.start_time_unix_nano, relation.start)
        expect(f"{token} end", span.end_time_unix_nano, relation.lasted())
        said = {"hdtrace.token": token}
        if relation.end is None:
            said["hdtrace.unended"] = True
        expect(f"{token} attributes", attributes(span), said)
        expect(f"{token} links",
               sorted((x.trace_id.hex(), x.span_id.hex())
                      for x in span.links),
               sorted((trace_of(tokens[x])[0], relations.span_id(x))
                      for x in relation.links if x in tokens))
        errors = [s["attributes"]["error"] for s in relation.states
                  if "error" in s["attributes"]]
        expect(f"{token} status", (span.status.code, span.status.message),
               (2, errors[0]) if errors else (0, ""))
        around = []
        for n, state in enumerate(relation.states):
            what = f"{token}/{n}"
            _, inner = there.get(
                bytes.fromhex(relations.span_id(what)), (None, None))
            if not inner:
                wrong.append(f"{what}: is not there")
                continue
            around[state["depth"]:] = [relations.span_id(what)]
            expect(f"{what} trace", inner.trace_id, span.trace_id)
            expect(f"{what} parent", inner.parent_span_id.hex(),
                   around[-2] if state["depth"] else id)
            expect(f"{what} name", inner.name, state["name"])
            expect(f"{what} start", inner.start_time_unix_nano,
                   state["start"])
            expect(f"{what} end", inner.end_time_unix_nano,
                   relation.lasted() if state["end"] is None
                   else state["end"])
            said = {k: typed(v) for k, v in state["attributes"].items()}
            if state["end"] is None:
                said["hdtrace.unended"] = True
            expect(f"{what} attributes", attributes(inner), said)
            expect(f"{what} failed", inner.status.code,
                   2 if "error" in state["attributes"] else 0)
    return wrong


def print_spans(path):
    data = read(path)
    names = {span.span_id: span.name for _, span in spans_of(data)}
    for _, span in spans_of(data):
        print(span.name, span.start_time_unix_nano, span.end_time_unix_nano,
              names.get(span.parent_span_id, "?")
              if span.parent_span_id else "-")


def main():
    if sys.argv[1] == "spans":
        print_spans(sys.argv[2])
        return 0
    if sys.argv[1] == "compare":
        wrong = compare(sys.argv[2], sys.argv[3])
        print("\n".join(wrong[:20]))
        return bool(wrong)
    hdtrace, seed, runs = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    print(f"seed {seed}")
    made = bad = 0
    for run in range(runs):
        maker = relations.Maker(random.Random(seed * 1000003 + run))
        maker.run(f"run{run}")
        wrong = compare(hdtrace, f"run{run}.proj")
        made += len(maker.made)
        if wrong:
            print(f"run {run}:", *wrong[:10], sep="\n  ")
            bad += 1
    print(f"{runs} runs, {made} relations, {bad} of them wrong")
    return bad > 0 or not made


sys.exit(main())
