#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A project of the runs in a table of section 5.2, for hdtrace plot.

    runs.py TABLE PROJECT

Each column is a value, each run an entry of one second: so the axis of time counts the
runs. It is written without HDTrace."""
import re
import struct
import sys

rows = [[cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in open(sys.argv[1]) if line.startswith("|")]
titles = rows[0][1:]
runs = [[float(cell) for cell in row[1:]] for row in rows if row[0].startswith("Run ")]
name = sys.argv[2]
if not runs:
    sys.exit(f"runs.py: {sys.argv[1]}: no runs")
values = "".join(
    f'  <Value name="{re.sub("[^A-Za-z0-9]+", "_", title)}" type="DOUBLE" unit="s" '
    'grouping="Time of a run" kind="gauge" />\n' for title in titles)
header = ('<Statistics>\n<TopologyNode>\n  <Label value="CPUstress" />\n</TopologyNode>\n'
          '<Group name="Runs" timestampDatatype="EPOCH"'
          f' timeAdjustment="-0000000000.000000000">\n{values}</Group>\n</Statistics>\n')
with open(f"{name}_CPUstress_Runs.stat", "wb") as file:
    file.write(b"%05d\n" % len(header) + header.encode() + struct.pack(">II", 10 ** 9, 0))
    for number, run in enumerate(runs, 1):
        file.write(struct.pack(f">II{len(run)}d", 10 ** 9 + number, 0, *run))
with open(f"{name}.proj", "w") as file:
    file.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<Application name="{name}">\n'
               ' <Topology>\n  <Level type="Program" />\n  <Node name="CPUstress" />\n'
               ' </Topology>\n <ExternalStatistics>\n  <Runs />\n </ExternalStatistics>\n'
               '</Application>\n')
