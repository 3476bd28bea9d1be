#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Write a project with long traces, in the order in which programs log.

    longtrace.py PREFIX BYTES SEED     two ranks with traces of so many bytes, and power

Some call sites, epochs and names of states occur for the first time in the middle.
"""
import os
import random
import struct
import sys

NS = 10**9
LATER = 10**7 * 5
NAMES = ["Send", "Recv", "solve", "exchange", "step", "FileWrite"]


def stamp(ns):
    return f"{ns // NS}.{ns % NS:09d}"


class Trace:
    """A trace that is logged."""

    def __init__(self, path, size, seed):
        self.file = open(path, "w", encoding="utf-8")
        self.size, self.random = size, random.Random(seed)
        # In one of two traces, a state is around all others, and begins first.
        self.around = seed % 2
        self.time, self.open, self.blocks = NS + LATER * (1 - self.around), [], 0
        self.sites, self.epoch, self.names = set(), 0, NAMES[:4]
        self.used = 0
        self.write("<Program timeAdjustment='1000' levels='Host Rank Thread'>\n")
        if self.around:
            self.open.append(self.time)

    def write(self, text):
        self.used += len(text)
        self.file.write(text)

    def put(self, text):
        depth = len(self.open)
        while self.blocks < depth:
            self.write("\t" * self.blocks + "<Nested>\n")
            self.blocks += 1
        if self.blocks > depth:
            self.blocks -= 1
            self.write("\t" * depth + "</Nested>\n")
        self.write("\t" * depth + text + "\n")

    def attributes(self):
        one = self.random.random()
        if one < 0.00005:
            self.epoch += 1
            return f" part='{self.epoch}'", ""
        if one < 0.005:
            number = self.random.randrange(4)
            inside = ""
            if number not in self.sites:
                self.sites.add(number)
                inside = (
                    "<Object id='0' buildId='5f0c' load='0x1000' path='/bin/heat'/>"
                    f"<Site id='{number}' object='0' address='0x{number + 17:x}'/>"
                )
            return f" site='{number}'", inside
        if one < 0.006:
            return " note='a &gt; b' text='/>'", "<Data offset='0' size='4'/>"
        return f" size='{self.random.randrange(9) * 8}'", ""

    def end(self):
        start = self.open.pop()
        more, inside = self.attributes()
        name = self.random.choice(self.names)
        tail = f">{inside}</{name}>" if inside else "/>"
        self.put(f"<{name}{more}  time='{stamp(start)}' end='{stamp(self.time)}'{tail}")

    def run(self):
        while self.used < self.size:
            self.names = NAMES[: 4 + 4 * self.used // self.size // 2]
            self.time += self.random.choice((0, 1, 1000, 12345, 70000))
            what = self.random.random()
            if what < 0.03:
                self.put(f"<Event name='e{self.random.randrange(3)}'  time='{stamp(self.time)}'/>")
            elif what < 0.51 and len(self.open) < 6:
                self.open.append(self.time)
            elif len(self.open) > self.around:
                self.end()
        while self.open:
            self.end()
        self.write("</Program>\n")
        self.file.close()


def power(path, end):
    header = (
        '<Statistics>\n<TopologyNode>\n  <Label value="h"/>\n</TopologyNode>\n'
        '<Group name="Energy" timestampDatatype="EPOCH" timeAdjustment="0">\n'
        '  <Value name="P" type="FLOAT" unit="W" kind="gauge" role="meter"/>\n</Group>\n'
        "</Statistics>\n"
    ).encode()
    with open(path, "wb") as file:
        file.write(b"%05d\n" % len(header) + header)
        for i in range(200):
            at = 1001 * NS + LATER + end * i // 199
            file.write(struct.pack(">II", at // NS, at % NS))
            if i:
                file.write(struct.pack(">f", 100 + i * i % 37))


def main():
    prefix, size, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    name = os.path.basename(prefix)
    end = 0
    for rank in range(2):
        trace = Trace(f"{prefix}_h_{rank}_0.trc", size, seed + rank)
        trace.run()
        end = max(end, trace.time - NS)
    power(f"{prefix}_h_Energy.stat", end)
    with open(f"{prefix}.proj", "w", encoding="utf-8") as file:
        file.write(
            f'<Application name="{name}"><Topology><Level type="Host"><Level type="Rank">'
            '<Level type="Thread"/></Level></Level><Node name="h"><Node name="0">'
            '<Node name="0"/></Node><Node name="1"><Node name="0"/></Node></Node></Topology>'
            "<ExternalStatistics><Energy/></ExternalStatistics></Application>\n"
        )
    print(end)


main()
