#!/usr/bin/env python3
# A reader of what files of relations were in 2009: nothing between elements, no text
# outside of them, parents by i, p, l or r, ids split at their colons.
#
#     original.py FILE...     a line for each relation, when it ends
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import re
import sys

ATTRIBUTE = r"""\s+([A-Za-z_][\w.-]*)=(?:"([^"<]*)"|'([^'<]*)')"""
HEAD = re.compile(r"<relation((?:" + ATTRIBUTE + r")*)\s*>\n?")
ELEMENT = re.compile(r"<(rel|s|e|un)((?:" + ATTRIBUTE + r")*)\s*(/>|>)")


def attributes(text):
    return {name: one or other
            for name, one, other in re.findall(ATTRIBUTE, text)}


def read(path):
    text = open(path).read()
    head = HEAD.match(text)
    assert head, (path, text[:200])
    own = attributes(head.group(1))
    assert own["version"] == "1" and int(own["timeAdjustment"]) > 0
    mine = [own[i] for i in ("hostID", "localToken", "topologyNumber")]
    assert not any(":" in i for i in mine), mine
    at, live = head.end(), {}
    while not text.startswith("</relation>", at):
        element = ELEMENT.match(text, at)
        assert element, (path, text[at:at + 80])
        name, at = element.group(1), element.end()
        if element.group(element.lastindex) == ">":
            end = text.index(f"</{name}>", at)
            at = end + len(name) + 3
        its = attributes(element.group(2))
        assert re.fullmatch(r"\d+\.\d{1,9}", its["time"]), its
        if name == "rel":
            live[its["t"]] = ([], its)
            for key, parts in ("i", 1), ("p", 2), ("l", 3), ("r", 4):
                assert key not in its or its[key].count(":") == parts - 1, its
        elif name == "s":
            live[its["t"]][0].append(its["name"])
        elif name == "e":
            live[its["t"]][0].append("/")
        else:
            states, begin = live.pop(its["t"])
            parent = next((f"{i}={begin[i]}" for i in "iplr" if i in begin),
                          "-")
            print(":".join(mine), its["t"], parent, " ".join(states))
    assert text[at:].strip() == "</relation>", path


for path in sys.argv[1:]:
    read(path)
