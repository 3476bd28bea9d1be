#!/usr/bin/env python3
# What the translator must have written, by the reader of .rel and .stat files of
# the relay's tests.
#
#     xlator.py CHECK PREFIX [ARGUMENT...]     says what is wrong, and exits 1
#     xlator.py points PREFIX                  checks of the input (relay.points)
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import glob
import os
import sys
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "relay"))
from relay import Gauge, Run, need, points  # noqa: E402

ORDER = ["CLIENT", "FLOW", "BMI", "REQ", "BREQ", "TROVE"]
# Whoever is above, where the graph has all layers; a request's wait for a thread
# is a part of it, and no cause.
ABOVE = {"FLOW": "CLIENT", "BMI": "FLOW", "REQ": "BMI", "BREQ": "REQ",
         "TROVE": "REQ"}


def stats(prefix):
    return [i for i in glob.glob(prefix + "_*.stat")
            if not i.endswith(("_Utilization.stat", "_Energy.stat"))]


def layers_of(prefix):
    """The gauges of each node, by layer."""
    found = {}
    for path in stats(prefix):
        gauge = Gauge(path)
        found.setdefault(path.rsplit("_", 1)[0], {})[gauge.layer] = gauge
    need(found, "no gauges")
    return found


def origin(relation):
    return relation.states[0].attributes.get("origin") \
        if relation.states else None


def causes(run):
    """Each operation was caused by one of the layer above; but those that a
    translator between ours says to have made, and calls of applications."""
    need(not run.orphans, len(run.orphans), "have a cause that is nowhere")
    for relation in run.all:
        need(relation.end, relation.token, "has no end")
        need(relation.start <= relation.end, relation.token)
        if relation.layer == "CLIENT":
            need(not relation.parent, relation.token, "of CLIENT has a cause")
        elif relation.parent:
            above = run.tokens[relation.parent].layer
            need(above == ABOVE[relation.layer], relation.token, "of",
                 relation.layer, "is caused by", above)
        else:
            need(origin(relation), relation.token, "of", relation.layer,
                 "has neither cause nor origin:",
                 relation.states and relation.states[0].name)
    print(Counter(i.layer for i in run.all),
          Counter(filter(None, map(origin, run.all))))


def within(run):
    """Reads and writes are within what caused them. (Distribution does other
    things, such as to repair a directory, when it has answered.)"""
    for relation in run.all:
        if relation.parent and relation.states[0].name in ("readv", "writev"):
            parent = run.tokens[relation.parent]
            need(parent.start <= relation.start and
                 relation.end <= parent.end, relation.token, "of",
                 relation.layer, "is outside of what caused it")


def counted(run, *layers):
    """Gauges begin and end at 0, are never negative, and agree with the
    relations: as many come and go, and for as long."""
    for name, parts in layers_of(run.prefix).items():
        for layer, gauge in parts.items():
            numbers = gauge.numbers()
            need(numbers[0] == 0 == numbers[-1], name, layer, "not 0:",
                 numbers[:2], numbers[-2:])
            need(min(numbers) >= 0, name, layer, "is negative")
            if layer not in ORDER or layers and layer not in layers:
                continue
            of = [i for i in run.all if i.layer == layer and
                  i.file.path_name == os.path.basename(name)]
            rises = sum(max(0, b - a) for a, b in
                        zip(numbers, numbers[1:]))
            need(rises <= len(of), name, layer, "rises", rises, "times with",
                 len(of), "relations")
            total = sum(i.end - i.start for i in of)
            # A relation is begun before it is counted, and ended after it.
            slack = 20_000 * len(of) + total / 20
            need(abs(total - gauge.integral()) <= slack, name, layer,
                 "is", gauge.integral(), "and relations", total)


def moved(run, layer, name, size):
    """Operations NAME of LAYER have moved so many bytes in all, which the gauge
    has, too."""
    size = int(size)
    done = sum(i.states[0].number("result") for i in run.of(layer)
               if i.states[0].name == name and i.states[0].number("result") > 0)
    need(done == size, layer, name, "moved", done, "bytes, not", size)
    if name == "writev":
        other = sum(i.states[0].number("result") for i in run.of(layer)
                    if i.states[0].name in ("readv", "copy_file_range") and
                    i.states[0].number("result") > 0)
        shown = sum(parts[layer].bytes for parts in layers_of(run.prefix).values()
                    if layer in parts)
        need(shown == size + other, layer, "shows", shown, "bytes")


def has(run, layer, name, count):
    """There are so many operations NAME of LAYER."""
    found = sum(1 for i in run.of(layer) if i.states and
                i.states[0].name == name)
    need(found == int(count), found, name, "of", layer)


def names(run, layer, *keys):
    """States of a layer have all of these attributes, most of the time."""
    for key in keys:
        need(any(key in i.states[0].attributes for i in run.of(layer)),
             layer, "has no", key)


def locks(run, most):
    """The gauges of locks show that so many waited at most."""
    found = max([max(parts["LOCK"].numbers())
                 for parts in layers_of(run.prefix).values() if "LOCK" in parts],
                default=0)
    need(found == int(most), found, "waited for a lock at most")


def only_gauges(prefix, *layers):
    """There are gauges of these layers, and no relations."""
    need(not glob.glob(prefix + "_*.rel"), "there are relations")
    found = {Gauge(i).layer for i in stats(prefix)}
    need(found - {"LOCK"} == set(layers), found)


if __name__ == "__main__":
    check, prefix, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
    if check == "only_gauges":
        only_gauges(prefix, *arguments)
        sys.exit()
    run = Run(prefix)
    for file in run.files:
        file.path_name = "_".join([os.path.basename(prefix), file.host,
                                   file.process])
    if check == "points":
        points(globals(), run)
    else:
        globals()[check](run, *arguments)
