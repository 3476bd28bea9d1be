#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Samples of hdpredict simulate --mc, by a second implementation.

usage: samples.py HDPREDICT DIRECTORY

Draws what doc/prediction.md says (Philox of Salmon et al., SC 2011; FNV-1a; Box
and Muller), simulates each sample with oracle.py, and compares all that
hdpredict says of them. Then chains of normal times, whose makespan is known.
"""
import json
import math
import random
import statistics
import subprocess
import sys

import oracle

WORD = 0xFFFFFFFF


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & WORD, (a >> 32) ^ c[3] ^ k[1], a & WORD]
        k = [(k[0] + 0x9E3779B9) & WORD, (k[1] + 0xBB67AE85) & WORD]
    return c


def normal(seed, sample, name):
    h = 0xCBF29CE484222325
    for byte in name.encode():
        h = (h ^ byte) * 0x100000001B3 & (1 << 64) - 1
    w = philox((h & WORD, h >> 32, sample & WORD, sample >> 32), (seed & WORD, seed >> 32))
    u = (((w[0] << 32 | w[1]) >> 11) + 0.5) / 2**53
    v = ((w[2] << 32 | w[3]) >> 11) / 2**53
    r = math.sqrt(-2 * math.log(u))
    return r * math.cos(2 * math.pi * v), r * math.sin(2 * math.pi * v)


def quantile(values, part):
    values = sorted(values)
    place = part * (len(values) - 1)
    low = math.floor(place)
    return values[low] + (place - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def same(got, want, what):
    assert math.isclose(got, want, rel_tol=1e-9, abs_tol=1e-9), f"{what}: {got!r}, not {want!r}"


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    return path


PLATFORM = """<platform><node-architecture id="n" idle-power="3"/>
<bridge-architecture id="b" init-latency="1e7" packet-size="1000" packet-latency="1e6" packet-energy="1e7"/>
""" + "".join(f"""<node id="s{s}" architecture="n"><main-memory id="m{s}" size="1e9"><inout peer="l{s}"/></main-memory>
<bridge id="l{s}" architecture="b"/><pe id="s{s}.0" architecture="a"/><pe id="s{s}.1" architecture="a"/></node>
""" for s in range(2)) + '<channel id="x"><inout peer="l0"/><inout peer="l1"/></channel></platform>'


def resources(time, energy, energy_sd=0.5, time_sd=0.3):
    return ["<resource-model>", *(
        f'<entry kernel="{k}" architecture="a" time="{time}" energy="{energy}" '
        f'time-sd="{time_sd}" energy-sd="{energy_sd}"/>' for k in ("S", "T")),
        '<slowdown architecture="a" kernel="T" load="T" count="1" factor="1.5"/>', "</resource-model>"]


def graph(count, pes, prefix="t"):
    """Each task needs the one before; those at the start of a branch the first."""
    out = ['<application><kernel id="S"><output id="o" size="5000"/></kernel>'
           '<kernel id="T"><input id="i" size="5000"/><output id="o" size="5000"/></kernel>']
    for t in range(count):
        pe = pes[t % len(pes)]
        out.append(f'<task id="{prefix}{t}" kernel="{"T" if t else "S"}"><map pe="{pe}" priority="{t}"/></task>')
        if t:
            before = max(0, t - len(pes))
            out.append(f'<dependency predecessor="{prefix}{before}" successor="{prefix}{t}" src="o" dest="i"/>')
    return out + ["</application>"]


def run(program, *arguments):
    text = subprocess.run([program, "simulate", *arguments, "--format=json"],
                          capture_output=True, text=True, check=True).stdout
    return json.loads(text)


def spread(got, values):
    same(got["mean"], statistics.fmean(values), "mean")
    same(got["deviation"], statistics.stdev(values), "deviation")
    same(got["mean_error"], 1.959963984540054 * statistics.stdev(values) / math.sqrt(len(values)), "error")
    same(got["minimum"], min(values), "minimum")
    same(got["maximum"], max(values), "maximum")
    for part in (5, 25, 50, 75, 95):
        same(got[f"q{part:02}"], quantile(values, part / 100), f"quantile {part}")


def wilson(wins, n):
    z = statistics.NormalDist().inv_cdf(0.975)
    p = wins / n
    middle = (p + z * z / 2 / n) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
    return middle - half, middle + half


def against_oracle(program, folder):
    platform = write(folder + "/p.xml", [PLATFORM])
    costs = write(folder + "/r.xml", resources(1, 2))
    graphs = [write(f"{folder}/{n}.xml", graph(24, pes)) for n, pes in (
        ("wide", ["s0.0", "s0.1", "s1.0", "s1.1"]), ("narrow", ["s0.0", "s0.1", "s1.0"]))]
    n, seed = 60, random.Random(4).getrandbits(62)
    values = []
    for g in graphs:
        results = [oracle.simulate(g, platform, costs, draw=lambda t, s=s: normal(seed, s, t))
                   for s in range(1, n + 1)]
        values.append({k: [r[k] for r in results]
                       for k in ("makespan_s", "energy_dynamic_j", "energy_total_j")})
    got = run(program, graphs[0], "--platform", platform, "--resources", costs, "--mc", str(n),
              "--seed", str(seed), "--against", graphs[1])
    assert got["samples"]["count"] == n and got["samples"]["seed"] == seed
    for key in values[0]:
        spread(got["samples"][key], values[0][key])
        spread(got["against"][key], values[1][key])
    for chance, key in (("p_faster", "makespan_s"), ("p_less_energy", "energy_total_j")):
        wins = sum(a < b for a, b in zip(values[0][key], values[1][key]))
        low, high = wilson(wins, n)
        same(got["against"][chance]["probability"], wins / n, chance)
        same(got["against"][chance]["low"], max(0, low), "low")
        same(got["against"][chance]["high"], min(1, high), "high")


def closed_form(program, folder):
    """Of 10 tasks one after the other: 20 s, and 0.1 s x sqrt(10)."""
    platform = write(folder + "/p.xml", [PLATFORM])
    fast = write(folder + "/fast.xml", resources(2, 2, 0.5, 0.1))
    slow = write(folder + "/slow.xml", resources(2.02, 2, 0.5, 0.1))
    one = write(folder + "/one.xml", graph(10, ["s0.0"]))
    other = write(folder + "/other.xml", graph(10, ["s0.0"], "u"))
    n, sd = 4000, 0.1 * math.sqrt(10)
    got = run(program, one, "--platform", platform, "--resources", fast, "--mc", str(n),
              "--against", other, "--against-resources", slow)
    time, normal_ = got["samples"]["makespan_s"], statistics.NormalDist(20, sd)
    assert abs(time["mean"] - 20) < 5 * sd / math.sqrt(n), time
    assert abs(time["deviation"] - sd) < 5 * sd / math.sqrt(2 * n), time
    for part in (5, 25, 50, 75, 95):
        p = part / 100
        x = normal_.inv_cdf(p)
        assert abs(time[f"q{part:02}"] - x) < 5 * math.sqrt(p * (1 - p) / n) / normal_.pdf(x), (part, time)
    # 20 s against 20.2 s, each with that deviation, of tasks with other names.
    want = statistics.NormalDist(0, sd * math.sqrt(2)).cdf(0.2)
    assert abs(got["against"]["p_faster"]["probability"] - want) < 5 * math.sqrt(want * (1 - want) / n), got["against"]
    # The same tasks draw the same: always 0.2 s longer; against itself, never.
    got = run(program, one, "--platform", platform, "--resources", fast, "--mc", "500",
              "--against", one, "--against-resources", slow)["against"]
    assert got["p_faster"]["probability"] == 1 and got["p_faster"]["low"] > 0.99, got
    got = run(program, one, "--platform", platform, "--resources", fast, "--mc", "50",
              "--against", one)["against"]
    assert got["p_faster"]["probability"] == 0 and got["p_faster"]["equal"] == 1, got


def main():
    {"oracle": against_oracle, "closed": closed_form}[sys.argv[3]](sys.argv[1], sys.argv[2])


main()
