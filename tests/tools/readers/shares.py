# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shares of states and C-states, computed a second time, with fractions, from what
is written here: shares.py HDTRACE paper | SEED
paper is what figure 6 of the paper on pmlib shows, with its own sums."""
import csv
import io
import math
import os
import random
import struct
import subprocess
import sys
from fractions import Fraction

from project import fail, ns

NS = 10**9
START = 1000000000 * NS
FIGURES = ("total", "average", "maximum", "minimum", "stddev",
           "average_by_maximum")


# ---- Projects -----------------------------------------------------------

class Trace:
    """States of a thread, nested: (name, start, end, [states in it])."""

    def __init__(self, host, rank, thread, states):
        self.node = f"{host}_{rank}_{thread}"
        self.host, self.rank, self.states = host, f"{host}_{rank}", states
        self.start, self.end = states[0][1], states[-1][2]

    def lines(self, states, depth=0):
        """As a file has them: what lies in a state comes before it."""
        for name, start, end, inner in states:
            if inner:
                yield "<Nested>"
                yield from self.lines(inner, depth + 1)
                yield "</Nested>"
            times = " ".join(
                f"{key}='{time // NS}.{time % NS:09}'"
                for key, time in (("time", start), ("end", end)))
            yield f"<{name}  {times}/>"

    def write(self, name):
        """Write the file."""
        with open(f"{name}_{self.node}.trc", "w", encoding="ascii") as file:
            print(f"<Program timeAdjustment='{START // NS}' "
                  "levels='Host Rank Thread'>", file=file)
            for line in self.lines(self.states):
                print(line, file=file)
            print("</Program>", file=file)


class Group:
    """Entries of a host: (start, end, values); None is NaN. What lies between
    entries was not recorded."""

    def __init__(self, host, name, values, entries):
        self.host, self.name = host, name
        self.values = values  # (name, unit, grouping)
        self.entries = entries
        self.start, self.end = entries[0][0], entries[-1][1]

    def write(self, project):
        """Write the file."""
        lines = ["<Statistics>", "<TopologyNode>",
                 f'  <Label value="{self.host}" />', "</TopologyNode>",
                 f'<Group name="{self.name}" timestampDatatype="EPOCH" '
                 'timeAdjustment="-0000000000.000000000">']
        lines += [f'  <Value name="{name}" type="FLOAT" unit="{unit}" '
                  f'grouping="{grouping}" kind="gauge" />'
                  for name, unit, grouping in self.values]
        text = "\n".join(lines + ["</Group>", "</Statistics>", ""]).encode()
        data, last = b"%05d\n" % len(text) + text, None
        for start, end, values in self.entries:
            if last is None:
                data += stamp(start)
            elif last != start:
                data += b"\xff" * 8 + stamp(start)
            data += stamp(end) + b"".join(
                struct.pack(">f", math.nan if value is None else value)
                for value in values)
            last = end
        with open(f"{project}_{self.host}_{self.name}.stat", "wb") as file:
            file.write(data)


def stamp(time):
    """A time stamp of a .stat file."""
    return struct.pack(">II", (START + time) // NS, time % NS)


def as_float(value):
    """A number as the file has it."""
    return struct.unpack(">f", struct.pack(">f", value))[0]


# ---- The second implementation ------------------------------------------

def length(start, end, window):
    """The part of a time in another one."""
    return max(0, min(end, window[1]) - max(start, window[0]))


class Expected:
    """What is to be printed: cells by table, node, CPU and state."""

    def __init__(self, traces, groups, window):
        files = traces + groups
        run = (min(file.start for file in files),
               max(file.end for file in files))
        self.window = (max(run[0], window[0]), min(run[1], window[1]))
        self.run = self.window[1] - self.window[0]
        self.traces, self.groups = traces, groups
        # By table and state the cells, in any order: amount, seconds, known,
        # duration.
        self.cells = {}
        names = {state[0] for trace in traces
                 for state in self.all(trace.states)}
        for trace in traces:
            self.add_trace(trace, names)
        for host in sorted({group.host for group in groups}):
            self.add_cstates(host)

    def all(self, states):
        """States and those in them, that lie in the window at least partly."""
        for state in states:
            if length(state[1], state[2], self.window) > 0:
                yield state
            yield from self.all(state[3])

    def add(self, table, node, cpu, state, *cell):
        """Add a cell."""
        self.cells[table, node, cpu, state] = cell

    def power(self, trace, start, end):
        """Energy that a trace is charged with in a time, and how long power
        was known then."""
        start, end = max(start, self.window[0]), min(end, self.window[1])
        own = [other for other in self.traces if other.host == trace.host]
        borders = {start, end}
        for other in own:
            borders |= {other.start, other.end}
        entries = [entry for group in self.groups
                   if (group.host, group.name) == (trace.host, "Energy")
                   for entry in group.entries]
        for entry in entries:
            borders |= set(entry[:2])
        borders = sorted(at for at in borders if start <= at <= end)
        energy, known = Fraction(0), 0
        for low, high in zip(borders, borders[1:]):
            watts = [entry[2][0] for entry in entries
                     if entry[0] <= low and high <= entry[1]]
            active = [other for other in own
                      if other.start <= low and high <= other.end]
            if not watts or watts[0] is None or trace not in active:
                continue
            ranks = len({other.rank for other in active})
            threads = sum(other.rank == trace.rank for other in active)
            known += high - low
            energy += (Fraction(as_float(watts[0])) * (high - low) / NS /
                       ranks / threads)
        return energy, known

    def add_trace(self, trace, names):
        """Add the row of a trace to the tables of time and energy."""
        names = names | {""}
        times = dict.fromkeys(names, 0)
        costs = {name: (Fraction(0), 0) for name in names}

        def add(name, sign, start, end):
            times[name] += sign * length(start, end, self.window)
            energy, known = self.power(trace, start, end)
            costs[name] = (costs[name][0] + sign * energy,
                           costs[name][1] + sign * known)

        for name, start, end, inner in self.all(trace.states):
            add(name, 1, start, end)
            for state in inner:
                add(name, -1, state[1], state[2])
        for name, start, end, _ in trace.states:
            add("", -1, start, end)
        energy, known = self.power(trace, trace.start, trace.end)
        costs[""] = (costs[""][0] + energy, costs[""][1] + known)
        idle = times[""] + length(trace.start, trace.end, self.window)
        times[""] += self.run
        for name in names:
            time = times[name]
            self.add("time", trace.node, "", name,
                     Fraction(100 * time, self.run), time, self.run, self.run)
            time = idle if name == "" else time
            amount = costs[name][0] if costs[name][1] else None
            if time == 0 and known:
                amount = Fraction(0)
            self.add("energy", trace.node, "", name, amount, time,
                     costs[name][1], time)

    def mean(self, group, column):
        """The mean of a value, if half of it is known, and the known time."""
        total, known = Fraction(0), 0
        for start, end, values in group.entries:
            if values[column] is not None:
                part = length(start, end, self.window)
                known += part
                total += Fraction(as_float(values[column])) * part
        return (total / known if known and 2 * known >= self.run else None,
                known)

    def add_cstates(self, host):
        """Add the CPUs of a host; libPT's if there are both."""
        of = {group.name: group for group in self.groups
              if group.host == host}
        if "States" in of:
            for i, (name, _, _) in enumerate(of["States"].values):
                cpu, state = name[len("Share_"):].split("-")
                if cpu != "all":
                    mean, known = self.mean(of["States"], i)
                    self.add("cstates", host, cpu[3:], state, mean, None,
                             known, self.run)
        elif "Utilization" in of:
            rest = {}
            for i, (name, _, _) in enumerate(of["Utilization"].values):
                cpu, state = name[len("CPU_IDLE_"):].split("_", 1)
                mean, known = self.mean(of["Utilization"], i)
                self.add("cstates", host, cpu, state, mean, None, known,
                         self.run)
                rest.setdefault(cpu, []).append((mean, known))
            for cpu, cells in rest.items():
                means = [mean for mean, _ in cells]
                self.add("cstates", host, cpu, "C0",
                         None if None in means else max(0, 100 - sum(means)),
                         None, min(known for _, known in cells), self.run)


def figures(amounts):
    """What is told of a column, in the order of FIGURES."""
    amounts = [amount for amount in amounts if amount is not None]
    if not amounts:
        return [None] * len(FIGURES)
    total, most = sum(amounts), max(amounts)
    average = total / len(amounts)
    spread = sum((amount - average)**2 for amount in amounts) / len(amounts)
    return [total, average, most, min(amounts), math.sqrt(spread),
            average / most if most > 0 else None]


# ---- What is printed ----------------------------------------------------

def run_hdtrace(*arguments):
    """Run hdtrace; what it prints."""
    done = subprocess.run([sys.argv[1], *arguments], stdout=subprocess.PIPE,
                          check=False, encoding="utf-8")
    if done.returncode:
        fail(f"{arguments}: exit status {done.returncode}")
    return done.stdout


def near(what, found, expected, margin=1e-6):
    """Compare a number; None is nothing."""
    if expected is None or found == "":
        if expected is None and found == "":
            return
    elif abs(float(found) - expected) <= margin * max(1, abs(expected)):
        return
    fail(f"{what}: {found!r}, not "
         f"{expected if expected is None else float(expected)!r}")


def compare(expected, *options):
    """Compare all cells and figures of the project with what is expected."""
    rows = list(csv.DictReader(io.StringIO(run_hdtrace(
        "stat", "--shares", "--format=csv", *options, "run"))))
    missing, columns = dict(expected.cells), {}
    for row in rows:
        if row["statistic"]:
            continue
        key = row["table"], row["node"], row["cpu"], row["state"]
        # What a CPU has not got is an empty cell.
        cell = missing.pop(key, None)
        if cell is None:
            if row["table"] != "cstates" or row["amount"]:
                fail(f"{key}: not expected")
            cell = (None, None, 0, 0)
        amount, seconds, known, duration = cell
        near(key, row["amount"], amount)
        if (ns(row["known_s"]), ns(row["duration_s"])) != (known, duration):
            fail(f"{key}: {known} of {duration} are known, not {row}")
        if row["seconds"] != "" and ns(row["seconds"]) != seconds:
            fail(f"{key}: {row['seconds']}")
        columns.setdefault((row["table"], row["state"]), []).append(amount)
    if missing:
        fail(f"not printed: {missing}")
    told = 0
    for row in rows:
        if not row["statistic"]:
            continue
        amounts = columns[row["table"], row["state"]]
        near(("figure", row), row["amount"],
             figures(amounts)[FIGURES.index(row["statistic"])])
        if int(row["rows"]) != sum(amount is not None for amount in amounts):
            fail(f"rows: {row}")
        told += 1
    if told != len(FIGURES) * len(columns):
        fail(f"{told} figures of {len(columns)} columns")
    print(f"{len(expected.cells)} cells, {told} figures")
    return columns


def write(traces, groups):
    """Write a project."""
    for file in traces + groups:
        file.write("run")
    run_hdtrace("merge", "-q", "-f", "run")


# ---- Chance projects ----------------------------------------------------

def chance_states(chance, start, end, depth):
    """States between two times."""
    borders = sorted(chance.sample(range(start, end), 2 * chance.randrange(
        1, 5)))
    return [(chance.choice(["Send", "Recv", "step", "write"]), low, high,
             chance_states(chance, low, high, depth + 1)
             if depth < 3 and high - low > 100 and chance.random() < .6
             else [])
            for low, high in zip(borders[::2], borders[1::2])]


def chance_entries(chance, count, largest):
    """Entries of some values, with NaN and gaps."""
    at, entries = chance.randrange(NS), []
    while at < 8 * NS:
        end = at + chance.randrange(1, NS)
        entries.append((at, end, [
            None if chance.random() < .1 else chance.uniform(0, largest)
            for _ in range(count)]))
        at = end + (chance.randrange(1, NS) if chance.random() < .2 else 0)
    return entries


def chance_project(seed):
    """Threads and ranks at two hosts, power that is known in part, C-states of
    libPT and of libRUT; the second has nothing but half a second of power."""
    chance = random.Random(seed)
    traces = [Trace(host, rank, thread, chance_states(
        chance, chance.randrange(NS), 10 * NS, 0))
        for host, rank, thread in (("alpha", 0, 0), ("alpha", 0, 1),
                                   ("alpha", 1, 0), ("beta", 2, 0))]
    pt_values = [(f"Share_{cpu}-{state}", "%", "CStates")
                 for cpu in ("cpu0", "cpu1", "cpu10", "all")
                 for state in ("C0", "C1E", "C6")]
    rut_values = [(f"CPU_IDLE_{cpu}_{state}", "%", "IDLE")
                  for cpu, states in ((0, ("POLL", "C1_ACPI")), (1, ("POLL",)))
                  for state in states]
    groups = [
        Group("alpha", "Energy", [("P", "W", "Power")],
              chance_entries(chance, 1, 300)),
        Group("beta", "Energy", [("P", "W", "Power")],
              [(5 * NS, 5 * NS + NS // 2, [75.5])]),
        Group("alpha", "States", pt_values,
              chance_entries(chance, len(pt_values), 33)),
        Group("alpha", "Utilization", rut_values,
              chance_entries(chance, len(rut_values), 33)),
        Group("beta", "Utilization", rut_values,
              chance_entries(chance, len(rut_values), 66)),
    ]
    write(traces, groups)
    start = min(file.start for file in traces + groups)
    for window in ((0, 20 * NS), (2 * NS + 1, 6 * NS), (4 * NS, 5 * NS),
                   (7 * NS, 20 * NS)):
        low, high = (at + start for at in window)
        compare(Expected(traces, groups, (low, high)),
                f"--from={window[0] // NS}.{window[0] % NS:09}",
                f"--to={window[1] // NS}")


# ---- Figure 6 -----------------------------------------------------------

# Percent of the time, of 8 threads; the seventh dtrsm is what its sums say.
KERNELS = {
    "dgemm": [26.41, 28.32, 19.62, 28.02, 22.32, 19.54, 36.23, 45.19],
    "dtrsm": [37.77, 34.22, 54.56, 40.83, 38.87, 46.09, 39.00, 42.34],
    "sleep": [35.69, 35.69, 23.79, 29.74, 38.70, 32.71, 23.79, 11.89]}
CSTATES = {
    "C0": [64.28, 64.47, 76.92, 70.54, 63.19, 71.83, 75.56, 92.92],
    "C1": [0.17, 0.15, 0.16, 0.12, 0.14, 0.13, 0.21, 0.04],
    "C6": [35.55, 35.38, 22.92, 29.34, 36.67, 28.04, 24.23, 7.04]}
# As printed there below the columns: total, average, maximum, minimum, standard
# deviation, average by maximum.
PRINTED = {
    "(none)": "8.68 1.08 2.03 0.10 0.70 0.53",
    "dgemm": "225.65 28.21 45.19 19.54 8.21 0.62",
    "dtrsm": "333.68 41.71 54.56 34.22 5.84 0.76",
    "C0": "579.71 72.46 92.92 63.19 9.14 0.78",
    "C1": "1.12 0.14 0.21 0.04 0.04 0.67",
    "C6": "219.17 27.40 36.67 7.04 9.12 0.75"}


def paper():
    """The project whose shares are those of figure 6, in 100 s at 100 W."""
    # Hundredths of a second are hundredths of a percent then.
    step = NS // 100
    traces = []
    for thread in range(8):
        at, states = 0, []
        for name, shares in KERNELS.items():
            if name == "sleep":
                at = 10000 - round(100 * shares[thread])
            end = at + round(100 * shares[thread])
            states.append((name, at * step, min(end, 10000) * step, []))
            at = end
        states[1] = states[1][:2] + (min(states[1][2], states[2][1]), [])
        traces.append(Trace("node", 0, thread, states))
    values = [(f"Share_cpu{cpu}-{state}", "%", "CStates")
              for cpu in range(8) for state in CSTATES]
    means = [CSTATES[state][cpu] for cpu in range(8) for state in CSTATES]
    groups = [
        Group("node", "Energy", [("P", "W", "Power")],
              [(0, 100 * NS, [100])]),
        # Of a third of the time twice as much as of the rest.
        Group("node", "States", values,
              [(0, 40 * NS, [mean * 1.5 for mean in means]),
               (40 * NS, 100 * NS, [mean * 2 / 3 for mean in means])])]
    write(traces, groups)
    columns = compare(Expected(traces, groups, (0, 100 * NS)))
    energy = sum(sum(amounts) for (table, _), amounts in columns.items()
                 if table == "energy")
    if energy != 10000:
        fail(f"{energy} J in all, not 100 W for 100 s")
    # And as people read it.
    text, table, heads = run_hdtrace("stat", "--shares", "run"), {}, []
    for line in text.splitlines():
        words = line.split()
        if words[:1] in (["Trace"], ["CPU"]):
            heads = words[1:]
        elif words and words[0] in ("Total", "Average", "Maximum", "Minimum",
                                    "Std.dev.", "Avg/Max"):
            for head, number in zip(heads, words[1:]):
                table.setdefault(head, []).append(number)
    print(text)
    # The sums there are of shares that had more digits.
    for name, numbers in PRINTED.items():
        for mine, printed in zip(table[name][:6], numbers.split()):
            if abs(float(mine) - float(printed)) > 0.0101:
                fail(f"{name}: {table[name][:6]}, printed: {numbers}")


os.makedirs("shares-" + sys.argv[2])
os.chdir("shares-" + sys.argv[2])
if sys.argv[2] == "paper":
    paper()
else:
    chance_project(int(sys.argv[2]))
