#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables of section 5.2 of the thesis from runs in turns, with intervals of ratios.

    paired.py BASE FILE     print the table of a file with lines "TURN VARIANT SECONDS"
    paired.py --test        20 series of runs with a slowdown of 1.0 %, and 20 without

In each turn, every variant runs once, and its time is divided by that of BASE. So what
all runs of a turn have in common (other programs, heat) does not count. The interval is
that of the mean logarithm of these ratios, with a confidence of 95 % (Student's t)."""
import math
import random
import statistics
import sys

# 97.5 % quantiles of Student's t for 1, 2, ... degrees of freedom.
QUANTILES = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201,
             2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074,
             2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042]


def interval(pairs):
    """The ratio of pairs (base, other): mean, low, high; low and high are None for a
    single pair."""
    logs = [math.log(other / base) for base, other in pairs]
    mean = statistics.fmean(logs)
    if len(logs) < 2:
        return math.exp(mean), None, None
    quantile = QUANTILES[len(logs) - 2] if len(logs) - 2 < len(QUANTILES) else 1.96
    half = quantile * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


def read(path):
    """{variant: {turn: seconds}}, in the order of the file."""
    times = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            words = line.split()
            try:
                turn, variant, seconds = words
                times.setdefault(variant, {})[int(turn)] = float(seconds)
                if not float(seconds) > 0:
                    raise ValueError
            except ValueError:
                raise SystemExit(f"paired.py: {path}:{number}: not a turn, a variant and "
                                 "seconds") from None
    return times


def row(name, values):
    print(f"| {name} | " + " | ".join(values) + " |")


def table(base, times):
    if base not in times:
        raise SystemExit(f"paired.py: no runs of {base}")
    variants = list(times)
    row("", variants)
    print("|---|" + "--:|" * len(variants))
    for turn in sorted({t for v in times.values() for t in v}):
        row(f"Run {turn}, s", [f"{times[v][turn]:.2f}" if turn in times[v] else ""
                               for v in variants])
    lists = [list(times[v].values()) for v in variants]
    deviations = [statistics.stdev(x) if len(x) > 1 else 0 for x in lists]
    row("Mean, s", [f"{statistics.fmean(x):.2f}" for x in lists])
    row("Standard deviation, s", [f"{d:.2f}" for d in deviations])
    row("c_v, %", [f"{100 * d / statistics.fmean(x):.2f}" for d, x in zip(deviations, lists)])
    impacts, bounds = [], []
    for variant in variants:
        pairs = [(times[base][t], s) for t, s in times[variant].items() if t in times[base]]
        ratio, low, high = interval(pairs) if pairs and variant != base else (1, None, None)
        impacts.append("–" if variant == base else f"{100 * (ratio - 1):.2f}")
        bounds.append("–" if low is None
                      else f"{100 * (low - 1):.2f} to {100 * (high - 1):.2f}")
    row("**Impact, %**", impacts)
    row("95 % interval, %", bounds)


def series(seed, slowdown, turns=20):
    """Times of pairs on a machine whose speed drifts by 1 % a turn, and whose runs
    differ by 0.5 %."""
    chance, speed, pairs = random.Random(seed), 1.0, []
    for _ in range(turns):
        speed *= math.exp(chance.gauss(0, 0.01))
        pairs.append(tuple(600 * f * speed * math.exp(chance.gauss(0, 0.005))
                           for f in (1, 1 + slowdown)))
    return pairs


def test():
    found = told = 0
    for seed in range(20):
        ratio, low, high = interval(series(seed, 0.01))
        isFound = 1 < low <= 1.01 <= high
        found += isFound
        told += not interval(series(1000 + seed, 0))[1] <= 1 <= interval(
            series(1000 + seed, 0))[2]
        print(f"# seed {seed}: {100 * (ratio - 1):.2f} % ({100 * (low - 1):.2f} to "
              f"{100 * (high - 1):.2f}){'' if isFound else ': missed'}")
    print(f"# found {found} of 20; false alarms without a slowdown {told} of 20")
    # Without pairs, the drift hides the slowdown: the method matters.
    hidden = 0
    for seed in range(20):
        pairs = series(seed, 0.01)
        half = 2.024 * math.sqrt(sum(statistics.variance(p[i] for p in pairs) / len(pairs)
                                     for i in (0, 1)))
        hidden += statistics.fmean(b - a for a, b in pairs) < half
    print(f"# hidden without pairs {hidden} of 20")
    assert found >= 17 and told <= 3 and hidden > 20 - found
    # By hand: logs 0.01, 0.03: mean 0.02, deviation 0.014142, half 12.706 x 0.01.
    ratio, low, high = interval([(1, math.exp(0.01)), (2, 2 * math.exp(0.03))])
    assert abs(math.log(ratio) - 0.02) < 1e-12
    assert abs(math.log(low) + 0.10706) < 1e-9 and abs(math.log(high) - 0.14706) < 1e-9
    assert interval([(2, 3)]) == (1.5, None, None)


if sys.argv[1:] == ["--test"]:
    test()
elif len(sys.argv) == 3:
    table(sys.argv[1], read(sys.argv[2]))
else:
    raise SystemExit(__doc__)
