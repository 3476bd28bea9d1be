# SPDX-License-Identifier: LGPL-2.1-or-later
"""compare.py HDTRACE WHAT [SEED]: what hdtrace compare says of runs that are made
here, whose numbers follow from arithmetic, and of which a second, naive
implementation finds the same p by going through all ways to deal them out.

    numbers   counts, seconds and joules of each run, medians, p, order
    equal     20 pairs of 5 runs of the same program: at least 19 without a difference
    slower    one function 10 % slower in 5 runs each is named first
    rules     energy divided equally and by CPU time is told where it differs by more
              than 5 %, by hdtrace report and compare; all of it by hand"""
import itertools
import json
import random
import statistics
import struct
import subprocess
import sys

RANKS = 2
MEASURES = {
    "count": ("count", ""), "time": ("time_s", "_s"),
    "energy": ("energy_j", "_j"), "power": ("power_w", "_w"),
    "path": ("path_s", "_s"),
}
NS = 10**9


# ---- Runs ---------------------------------------------------------------------

class Run:
    """Two ranks of a host whose power is the same all the time, so that each state
    costs half of it times its length."""

    def __init__(self, name, watts, states, host="alpha", ranks=range(RANKS),
                 known=1.0,
                 groups="<Energy/>"):
        self.name, self.watts, self.host, self.known = name, watts, host, known
        self.ranks, self.groups = list(ranks), groups
        self.length = 0
        self.time, self.count, self.lives = {}, {}, {}
        self.files = {rank: [] for rank in self.ranks}
        self.start = 1000 * NS
        for rank in self.ranks:
            self.add_rank(rank, states(rank))
        self.barrier()

    def put(self, rank, state, start, end, attributes=""):
        self.files[rank].append(
            f"<{state}{attributes} time='{start // NS}.{start % NS:09d}' "
            f"end='{end // NS}.{end % NS:09d}'/>\n")
        self.time[state] = self.time.get(state, 0) + end - start
        self.count[state] = self.count.get(state, 0) + 1

    def add_rank(self, rank, states):
        now = self.start
        for state, length in states:
            self.put(rank, state, now, now + length)
            now += length
        self.lives[rank] = now

    def barrier(self):
        """The last one is waited for by all."""
        end = max(self.lives.values()) + 1000
        for rank, now in self.lives.items():
            self.put(rank, "Barrier", now, end, " cid='0'")
        self.length = end - self.start

    def write(self):
        for rank, lines in self.files.items():
            with open(f"{self.name}_{self.host}_{rank}.trc", "w") as file:
                file.write("<Program timeAdjustment='0' levels='Host Rank'>\n")
                file.writelines(lines)
                file.write("</Program>\n")
        with open(f"{self.name}.proj", "w") as file:
            nodes = "".join(f"<Node name='{rank}'/>" for rank in self.ranks)
            world = "".join(f"<Rank global='{rank}' local='{rank}' cid='0'/>"
                            for rank in self.ranks)
            file.write(
                "<?xml version='1.0' encoding='UTF-8'?>\n"
                f"<Application name='{self.name}'><Description/><Topology>"
                "<Level type='Host'><Level type='Rank'/></Level>"
                f"<Node name='{self.host}'>{nodes}</Node></Topology>"
                "<CommunicatorList><Communicator name='WORLD'>"
                f"{world}</Communicator></CommunicatorList><Datatypes/>"
                f"<ExternalStatistics>{self.groups}</ExternalStatistics>"
                "</Application>\n")
        if self.watts is not None:
            self.write_power()
        return self.name

    def write_power(self):
        header = (
            "<Statistics>\n<TopologyNode>\n"
            f'  <Label value="{self.host}" />\n</TopologyNode>\n'
            '<Group name="Energy" timestampDatatype="EPOCH" '
            'timeAdjustment="0">\n'
            '  <Value name="P" type="DOUBLE" unit="W" />\n'
            "</Group>\n</Statistics>\n").encode()
        end = self.start + int(self.length * self.known)
        with open(f"{self.name}_{self.host}_Energy.stat", "wb") as file:
            file.write(b"%05d\n" % len(header) + header)
            file.write(struct.pack(">II", *divmod(self.start, NS)))
            file.write(struct.pack(">IId", *divmod(end, NS), self.watts))

    def joules(self, time):
        return self.watts / len(self.ranks) * time / NS


def noisy(rng, length, deviation):
    return max(1, round(length * rng.gauss(1, deviation)))


def program(rng, deviation, slower=1.0):
    """The states of a rank: two functions of the program, many calls that take
    next to nothing, and what there is between them."""
    def states(_rank):
        result = [("load", noisy(rng, 50_000_000, deviation))]
        for _ in range(5):
            result += [
                ("solve", noisy(rng, round(60_000_000 * slower), deviation)),
                ("pack", noisy(rng, 20_000_000, deviation)),
                ("check", noisy(rng, 10_000_000, deviation)),
                ("tick", noisy(rng, 1_000, deviation)),
                ("Allgather", noisy(rng, 5_000_000, 0.2)),
            ]
        return result
    return states


# ---- hdtrace, and what it should say ------------------------------------------

def hdtrace(*arguments, status=0):
    done = subprocess.run([HDTRACE, "compare", *arguments], text=True,
                          capture_output=True, check=False)
    assert done.returncode == status, (done.returncode, done.stderr)
    return done.stdout


def compare(a, b, status=0):
    return json.loads(hdtrace("--format=json", *a, "--", *b, status=status))


def ranks_of(values):
    """Twice the mean ranks."""
    return [2 * sum(other < value for other in values) +
            sum(other == value for other in values) + 1 for value in values]


def extreme(values, ranks, chosen):
    """How far apart the two sets are."""
    others = [i for i in range(len(values)) if i not in chosen]
    off = abs(sum(ranks[i] for i in chosen) - len(chosen) * (len(values) + 1))
    first = [values[i] for i in chosen]
    second = [values[i] for i in others]
    for low, high in ((first, second), (second, first)):
        if max(low) < min(high):
            return off + (min(high) - max(low)) / (
                (max(low) - min(low)) + (max(high) - min(high))
            ) if max(low) > min(low) or max(high) > min(high) else float("inf")
    return float(off)


def naive(tested, a):
    """p of each by itself, and with all: every way, every row."""
    count = len(next(iter(tested.values())))
    ways = list(itertools.combinations(range(count), a))
    table = {}
    for key, values in tested.items():
        ranks = ranks_of(values)
        table[key] = [extreme(values, ranks, way) for way in ways]
    order = sorted(table, key=lambda key: -table[key][0])
    alone, family = {}, {}
    last = 0.0
    for place, key in enumerate(order):
        mine = table[key][0]
        alone[key] = sum(x >= mine for x in table[key]) / len(ways)
        rest = [table[other] for other in order[place:]]
        last = max(last, sum(
            max(row[way] for row in rest) >= mine
            for way in range(len(ways))) / len(ways))
        family[key] = last
    return alone, family


def share(rows, key):
    """Of each function and region, that of all runs' time or energy."""
    states = [row for row in rows if row["kind"] in ("function", "region")]
    of = {row["name"]: sum(run[key] or 0 for side in "ab"
                           for run in row["runs"][side]) for row in states}
    if key == "time_s":
        total = sum(of.values())
    else:
        total = sum(run[key] or 0 for side in "ab"
                    for run in rows[0]["runs"][side])
    return {name: value / total if total else 0 for name, value in of.items()}


def values_of(row, measure):
    key = MEASURES[measure][0]
    runs = row["runs"]["a"] + row["runs"]["b"]
    if measure == "energy" and any(
            run["known_s"] < 0.995 * run["duration_s"] for run in runs
            if run[key] is not None):
        return None
    values = [run[key] for run in runs]
    return None if None in values else values


def judge(said, a):
    """All that follows from the numbers of the runs."""
    rows = said["rows"]
    time, energy = share(rows, "time_s"), share(rows, "energy_j")
    tested = {}
    for place, row in enumerate(rows):
        small = (row["kind"] in ("function", "region") and
                 time[row["name"]] < 0.01 and energy[row["name"]] < 0.01)
        for measure, (key, unit) in MEASURES.items():
            values = values_of(row, measure)
            for side, runs in row["runs"].items():
                known = [run[key] for run in runs if run[key] is not None]
                median = statistics.median(known) if known else None
                assert row[f"{measure}_{side}{unit}"] == median, (row, measure)
            if values is not None and not small:
                tested[place, measure] = values
            else:
                assert row[f"{measure}_p"] is None, (row, measure)
    alone, family = naive(tested, a)
    for (place, measure), p in alone.items():
        row = rows[place]
        assert abs(row[f"{measure}_p"] - p) < 1e-12, (row, measure, p)
        assert abs(row[f"{measure}_p_of_all"] - family[place, measure]) < 1e-12
        assert row[f"{measure}_differs"] == (
            family[place, measure] <= said["test"]["level"])
    with_scipy(tested, alone, a)
    named = [(row["kind"], row["name"]) for row in rows if row["kind"] != "run"
             and any(row[f"{measure}_differs"] for measure in MEASURES)]
    assert named == [(row["kind"], row["name"]) for row in said["differences"]]


def with_scipy(tested, alone, a):
    """What others have written, where it is there."""
    try:
        from scipy.stats import mannwhitneyu
    except ImportError:
        return
    for key, values in tested.items():
        if len(set(values)) == len(values):
            p = mannwhitneyu(values[:a], values[a:], method="exact").pvalue
            assert abs(p - alone[key]) < 1e-12, (key, p, alone[key])


# ---- What is tested -----------------------------------------------------------

def close(x, y):
    return abs(x - y) <= 1e-9 * max(1, abs(y))


def numbers(rng):
    """Every number of every run."""
    runs = [Run(f"run{i}", rng.uniform(90, 110),
                program(rng, 0.03, 1.1 if i >= 5 else 1)) for i in range(10)]
    names = [run.write() for run in runs]
    said = compare(names[:5], names[5:])
    rows = {(row["kind"], row["name"]): row for row in said["rows"]}
    states = {name for kind, name in rows if kind in ("function", "region")}
    assert states == set(runs[0].time), states
    assert rows["function", "Allgather"] and rows["region", "solve"]
    for i, run in enumerate(runs):
        def of(kind, name):
            runs = rows[kind, name]["runs"]
            return (runs["a"] + runs["b"])[i]
        for name, time in run.time.items():
            kind = "function" if name[0].isupper() else "region"
            row = of(kind, name)
            assert row["count"] == run.count[name]
            assert close(row["time_s"], time / NS), (row, time)
            assert close(row["energy_j"], run.joules(time)), (row, name)
            # A pJ is the least there is of each call.
            assert abs(row["power_w"] - run.watts / RANKS) < 1e-4, (row, name)
        for rank in range(RANKS):
            row = of("rank", str(rank))
            assert close(row["time_s"], run.length / NS)
            assert close(row["energy_j"], run.joules(run.length))
        row = of("node", "alpha")
        assert close(row["energy_j"], RANKS * run.joules(run.length))
        assert row["count"] == sum(run.count.values())
        assert close(of("run", "run")["time_s"], run.length / NS)
        # The path is the rank that comes last, and all of its barrier.
        path = of("run", "critical path")
        assert close(path["time_s"], run.length / NS)
        waited = run.time["Barrier"] / NS - RANKS * 1e-6
        assert close(of("run", "waiting beside it")["time_s"], waited)
    assert said["by"] == "energy" and said["cannot"] == []
    assert said["test"]["exact"] and said["test"]["ways"] == 252
    judge(said, 5)
    # What costs most comes first.
    for kinds in (("function", "region"), ("rank",)):
        costs = [abs(row["energy_difference_j"]) for row in said["rows"]
                 if row["kind"] in kinds]
        assert costs == sorted(costs, reverse=True), costs
    # Equal values, ranks and states that one set has only, and partial power.
    for i in range(10):
        Run(f"odd{i}", None if i == 7 else 100 + i % 3,
            program(rng, 0.03) if i < 5 else
            lambda rank: [("solve", 300_000_000), ("extra", 40_000_000)],
            host="alpha" if i < 5 else "beta",
            ranks=range(2 if i < 5 else 3),
            known=0.9 if i == 2 else 1).write()
    odd = [f"odd{i}" for i in range(10)]
    # A group that is declared is missing: that is a problem of the data.
    said = compare(odd[:5], odd[5:], 1)
    assert [run["message_count"] for run in said["b"]] == [0, 0, 1, 0, 0]
    judge(said, 5)
    cannot = "\n".join(said["cannot"])
    for text in ("energy: known in 5 of 5 runs of A and 4 of 5 of B",
                 "energy: 1 of 10 runs have power for a part of the time only, "
                 "odd2 for ",
                 "ranks in B only: 2", "nodes (by their names) in A only: alpha",
                 "nodes (by their names) in B only: beta"):
        assert text in cannot, (text, cannot)
    # Of two and three ranks: one a rank.
    extra = [row for row in said["rows"] if row["name"] == "extra"][0]
    assert said["per_rank"] and extra["count_a"] == 0 and extra["count_b"] == 1
    assert extra["count_differs"], extra


def equal(rng, pairs=20):
    """How many of the pairs of the same program are told apart."""
    wrong = 0
    for pair in range(pairs):
        names = []
        for i in range(10):
            weather = rng.gauss(1, 0.01)
            names.append(Run(f"e{pair}-{i}", 100 * weather,
                             program(rng, 0.03, weather)).write())
        wrong += bool(compare(names[:5], names[5:])["differences"])
    print(f"{wrong} of {pairs} pairs of equal programs are told apart")
    assert wrong <= pairs // 20


def slower(rng):
    """Each time a program has one that is 10 % slower."""
    for pair in range(5):
        names = [Run(f"s{pair}-{i}", rng.gauss(100, 0.3),
                     program(rng, 0.02, 1.1 if i >= 5 else 1)).write()
                 for i in range(10)]
        said = compare(names[:5], names[5:])
        first = said["differences"][0]
        assert first["name"] == "solve", said["differences"]
        assert "time" in first["measures"], first
        text = hdtrace(*names[:5], "--", *names[5:])
        line = text.split("Differences\n")[1].split("\n")[0]
        assert line.startswith("  1. region solve: "), line
        hdtrace("--fail", *names[:5], "--", *names[5:], status=3)


def put_cpu(name, shares):
    """CPU time of both ranks in 10 s, of which each has a share."""
    for rank, share in enumerate(shares):
        header = (
            "<Statistics>\n<TopologyNode>\n"
            f'  <Label value="alpha"><Label value="{rank}" /></Label>\n'
            "</TopologyNode>\n"
            '<Group name="Cpu" timestampDatatype="EPOCH" timeAdjustment="0">\n'
            '  <Value name="CPU_TIME" type="DOUBLE" unit="s" kind="delta" />\n'
            "</Group>\n</Statistics>\n").encode()
        with open(f"{name}_alpha_{rank}_Cpu.stat", "wb") as file:
            file.write(b"%05d\n" % len(header) + header)
            file.write(struct.pack(">IIIId", 1000, 0, 1010, 0, 10 * share))


def report(*arguments):
    done = subprocess.run([HDTRACE, "report", *arguments], text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout


def rules(_rng):
    """100 W for 10 s: rank 0 works, rank 1 waits for it."""
    second = 10 * NS - 1000
    for name, shares in (("far", (0.9, 0.1)), ("near", (0.51, 0.49)),
                         ("none", None)):
        run = Run(name, 100.0,
                  lambda rank: [("work", second)] if rank == 0 else [],
                  groups="<Energy/><Cpu/>" if shares else "<Energy/>")
        assert run.length == 10 * NS
        run.write()
        if shares:
            put_cpu(name, shares)
        for rule, other in (("equal", "cpu"), ("cpu", "equal")):
            got = json.loads(report("--format=json", "--attribution=" + rule,
                                    name))
            one, two = [shares if r == "cpu" and shares else (0.5, 0.5)
                        for r in (rule, other)]
            assert got["attribution"]["rule"] == rule
            assert got["attribution"]["other_rule"] == (
                other if shares else None)
            states = {state["name"]: state for state in got["states"]}
            path = got["critical_path"]
            for key, share, joules, of in (
                    ("energy_j", one, states, 0),
                    ("other_energy_j", two, states, 0),
                    ("energy_j", one, path, 1),
                    ("other_energy_j", two, path, 1)):
                if of == 0:
                    found = [joules["work"][key], joules["Barrier"][key]]
                else:
                    found = [joules[key],
                             joules[key.replace("energy", "beside_energy")]]
                if key.startswith("other") and not shares:
                    assert found == [None, None], found
                    continue
                # Rank 0 has 1 us of the barrier.
                for rank in range(2):
                    assert abs(found[rank] - 1000 * share[rank]) < 1e-3, (
                        name, rule, key, found)
        text = report("--all", name)
        assert ("By CPU time" in text) == (name == "far"), text
        if name == "far":
            line, = [x for x in text.split("States by energy")[1]
                     .split("Critical path")[0].split("\n")
                     if x.startswith("  work ")]
            assert line.split()[-4:] == ["500", "J", "900", "J"] or (
                "500" in line and "900" in line), line
            line, = [x for x in text.split("\n")
                     if x.startswith("  Divided by CPU time: ")]
            assert ": 900 J, of waiting ranks: 100" in line, line
            assert "Equally" in report("--attribution=cpu", name)
        text = hdtrace(name, name)
        assert ("By CPU time A" in text) == (name == "far"), text
        said = compare([name], [name])
        rows = {row["name"]: row for row in said["rows"]}
        for rank in range(2):
            row = rows[str(rank)]
            assert close(row["energy_a_j"], 500), row
            if shares:
                assert close(row["other_energy_b_j"], 1000 * shares[rank])
                assert close(row["other_energy_difference_j"], 0)
            else:
                assert row["other_energy_b_j"] is None
        assert rows["alpha"]["other_energy_a_j"] is None


HDTRACE = sys.argv[1]
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
print(f"seed {SEED}")
{"numbers": numbers, "equal": equal, "slower": slower, "rules": rules}[sys.argv[2]](
    random.Random(SEED))
