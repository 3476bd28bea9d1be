#!/usr/bin/env python3
"""Write a project of one node whose power follows its load late, by a declared law.

No code of ours: entries are packed here. What is declared is what a test
compares with. Load switches between 0 and 1 by a pseudo-random sequence.
"""
# SPDX-License-Identifier: LGPL-2.1-or-later
import argparse
import bisect
import random
import struct

parser = argparse.ArgumentParser()
parser.add_argument("name")
parser.add_argument("--delay", type=float, default=0.0)
parser.add_argument("--cycle", type=float, default=0.05)
parser.add_argument("--step", type=float, default=0.02, help="of utilization")
parser.add_argument("--noise", type=float, default=0.5, help="W")
parser.add_argument("--drift", type=float, default=5.0, help="W over the run")
parser.add_argument("--scale", type=float, default=1.0)
parser.add_argument("--length", type=float, default=60.0)
parser.add_argument("--least", type=float, default=0.2, help="of on or off, s")
parser.add_argument("--period", type=float, default=0, help="regular, s")
parser.add_argument("--flat", action="store_true", help="no load at all")
parser.add_argument("--unrelated", action="store_true")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--trace", action="store_true", help="load as states, too")
parser.add_argument("--over", type=float, default=0,
                    help="utilization is the mean of so long, s")
parser.add_argument("--lose", type=float, default=0, help="share of cycles")
args = parser.parse_args()
rng = random.Random(args.seed)

BASE = 1_700_000_000


def switching():
    """Times at which load begins and ends, one after the other."""
    edges, t = [], -5.0
    while t < args.length + 5:
        if args.period:
            t += args.period / 2
        else:
            t += args.least * (1 + 3 * rng.random())
        edges.append(t)
    return [] if args.flat else edges


def integrals(edges):
    """The integral of load until each edge."""
    sums, total, on = [], 0.0, False
    for i, edge in enumerate(edges):
        if i and on:
            total += edge - edges[i - 1]
        on = not on
        sums.append(total)
    return sums


def integral(edges, sums, t):
    i = bisect.bisect_right(edges, t) - 1
    if i < 0:
        return 0.0
    return sums[i] + (t - edges[i] if i % 2 == 0 else 0)


def stamp(t):
    ns = BASE * 10**9 + round(t * 1e9)
    return struct.pack(">II", ns // 10**9, ns % 10**9)


def header(group, value):
    text = (
        '<Statistics>\n<TopologyNode>\n  <Label value="node01" />\n'
        f'</TopologyNode>\n<Group name="{group}" timestampDatatype="EPOCH">\n'
        f"  <Value {value} />\n</Group>\n</Statistics>\n"
    ).encode()
    return b"%05d\n" % len(text) + text


load = switching()
if args.trace:
    with open(f"{args.name}_node01.trc", "w", encoding="ascii") as out:
        out.write(f"<Program timeAdjustment='{BASE}' levels='Host'>\n")
        for begin, end in zip(load[::2], load[1::2]):
            if begin >= 0:
                out.write(f"<load time='{begin:.9f}' end='{end:.9f}'/>\n")
        out.write("</Program>\n")
sums = integrals(load)
power = switching() if args.unrelated else load
power_sums = integrals(power)

with open(f"{args.name}_node01_Utilization.stat", "wb") as out:
    over = f' resolution="10 ms over {round(args.over * 1000)} ms"'
    out.write(header("Utilization", 'name="CPU_TOTAL" type="FLOAT" unit="%" '
                     'grouping="CPU"' + (over if args.over else "")))
    out.write(stamp(0))
    count = int(args.length / args.step)
    for i in range(count):
        b = (i + 1) * args.step
        a = b - max(args.step, args.over)
        mean = (integral(load, sums, b) - integral(load, sums, a)) / (b - a)
        out.write(stamp(b) + struct.pack(">f", 100 * mean))

with open(f"{args.name}_node01_Energy.stat", "wb") as out:
    out.write(header("Energy", 'name="P" type="DOUBLE" unit="W" grouping="P"'))
    out.write(stamp(0.0071 + args.delay))
    count = int((args.length - args.delay - 0.1) / args.cycle)
    for i in range(count):
        a, b = 0.0071 + i * args.cycle, 0.0071 + (i + 1) * args.cycle
        mean = (integral(power, power_sums, b) -
                integral(power, power_sums, a)) / (b - a)
        drift = args.drift * (b / args.length) ** 1.5
        value = args.scale * (60 + 45 * mean + drift + rng.gauss(0, args.noise))
        if rng.random() < args.lose:
            value = float("nan")
        out.write(stamp(b + args.delay) + struct.pack(">d", value))

with open(f"{args.name}.proj", "w", encoding="ascii") as out:
    out.write(f'<Application name="{args.name}"><Topology><Level type="Host"/>'
              '<Node name="node01"/></Topology><ExternalStatistics>'
              '<Energy/><Utilization/></ExternalStatistics></Application>\n')
