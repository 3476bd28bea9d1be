"""Projects that are written here, by hand-made durations and power, and what
hdpredict compare has to say of them: against.py HDPREDICT."""
# SPDX-License-Identifier: LGPL-2.1-or-later
import json
import math
import random
import statistics
import struct
import subprocess
import sys

hdpredict = sys.argv[1]
CYCLE = 0.1


def write_stat(name, host, power, first, attributes):
    """Power in W of each cycle, from a time on."""
    extra = "".join(f' {k}="{v!r}"' for k, v in attributes.items())
    header = (f'<Statistics>\n<TopologyNode>\n  <Label value="{host}" />\n</TopologyNode>\n'
              '<Group name="Energy" timestampDatatype="EPOCH" timeAdjustment="-0000000000.000000000">\n'
              f'  <Value name="P" type="DOUBLE" unit="W" grouping="Power" kind="gauge"{extra} />\n'
              '</Group>\n</Statistics>\n').encode()

    def stamp(seconds):
        ns = round(seconds * 1e9)
        return struct.pack(">II", ns // 10**9, ns % 10**9)

    with open(f"{name}_{host}_Energy.stat", "wb") as file:
        file.write(b"%05d\n" % len(header) + header + stamp(first))
        for i, watts in enumerate(power):
            file.write(stamp(first + (i + 1) * CYCLE) + struct.pack(">d", watts))


def write_trace(name, path, states, start):
    with open(f"{name}_{'_'.join(path)}.trc", "w", encoding="ascii") as file:
        file.write("<Program timeAdjustment='0' levels='Host Rank Thread'>\n")
        for state, attributes, begin, end in states:
            text = "".join(f" {k}='{v}'" for k, v in attributes.items())
            file.write(f"<{state}{text} time='{start + begin:.9f}' end='{start + end:.9f}'/>\n")
        file.write("</Program>\n")


class Run:
    """A run on two nodes with a PE and a link each: a chain of tasks on either PE,
    with waiting between them, one message for each of the first PE's tasks."""

    def __init__(self, name, rng, scale, idle, tail, attributes, power=True, lack=0):
        self.name, self.tasks, self.pes, self.links = name, {}, {}, {}
        start = 1000.03
        hosts = ["n0", "n1"]
        end = 0
        for rank, host in enumerate(hosts):
            now, busy, waiting, received, states, sent = 0.0, 0.0, 0.0, 0.0, [], []
            for i in range(6):
                kernel = ["A", "B", "C"][i % 3]
                wait = round(rng.uniform(0, 0.3), 3)
                kind = "Waitall" if rank and i % 2 else "Blocked"
                states.append((kind, {}, now, now + wait))
                now, waiting = now + wait, waiting + wait
                received += wait if kind == "Waitall" else 0
                long = round(rng.uniform(0.2, 0.8) * scale, 3)
                states.append((kernel, {"task": f"{kernel}-{rank}-{i}"}, now, now + long))
                self.tasks[f"{kernel}-{rank}-{i}"] = (kernel, long)
                now, busy = now + long, busy + long
                sent.append(("Bsend", {"size": 1000 * (i + 1), "cid": 0, "toRank": 1 - rank, "toTag": i},
                             now - 0.01 * (i + 1), now))
            self.pes[f"{host}/{rank}"] = (6, busy, waiting, received)
            self.links[f"{host}/{rank + 2}"] = (6, 0.21, 21000)
            write_trace(name, [host, str(rank), "0"], states, start)
            write_trace(name, [host, str(rank + 2), "0"], sent, start)
            end = max(end, now)
        self.time, self.idle, self.energy = end, 0.0, {}
        for host in hosts if power else []:
            own = idle * rng.uniform(0.9, 1.1) if not attributes else idle
            begin = start - 0.5 + lack
            count = math.ceil((end + 0.5 - lack + tail) / CYCLE)
            watts = []
            for i in range(count):
                at = begin + i * CYCLE
                isBusy = at + CYCLE > start and at < start + end
                watts.append(own + rng.uniform(1, 9) if isBusy else own)
            write_stat(name, host, watts, begin, {"idle": own, **attributes} if attributes else {})
            parts = [(max(0, min(start + end, begin + (i + 1) * CYCLE) - max(start, begin + i * CYCLE)), w)
                     for i, w in enumerate(watts)]
            known = sum(p for p, _ in parts)
            self.energy[host] = sum(p * w for p, w in parts) / known * end
            self.idle += own
        self.total = sum(self.energy.values()) if power else None
        self.dynamic = self.total - self.idle * end if power else None
        with open(f"{name}.proj", "w", encoding="ascii") as file:
            file.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<Application name="{name}">\n <Description/>\n'
                       '<Topology><Level type="Host"><Level type="Rank"><Level type="Thread"/></Level></Level>\n')
            for rank, host in enumerate(hosts):
                file.write(f'<Node name="{host}">' + "".join(
                    f'<Node name="{r}"><Node name="0"/></Node>' for r in (rank, rank + 2)) + "</Node>\n")
            file.write('</Topology><CommunicatorList><Communicator name="WORLD">' + "".join(
                f'<Rank global="{r}" local="{r}" cid="0"/>' for r in range(4)) +
                "</Communicator></CommunicatorList>\n<ExternalStatistics>" + "<Energy/>" * power +
                "</ExternalStatistics></Application>\n")


def compare(*arguments, status=0):
    done = subprocess.run([hdpredict, "compare", "--format=json", *arguments], capture_output=True, text=True)
    assert done.returncode == status, (done.returncode, done.stderr)
    return json.loads(done.stdout) if done.stdout else done.stderr


def near(got, expected, what=""):
    if expected is None or got is None:
        assert got is expected, (what, got, expected)
    else:
        assert math.isclose(got, expected, rel_tol=1e-6, abs_tol=1e-6), (what, got, expected)


def error(predicted, measured):
    return (predicted - measured) / measured if predicted is not None and measured is not None else None


def check(got, predicted, runs, interval):
    for measure, key, unit in (
            ("time", "time", "_s"), ("energy_dynamic", "dynamic", "_j"), ("energy_total", "total", "_j")):
        own, values = getattr(predicted, key), [getattr(run, key) for run in runs]
        median = statistics.median(values) if None not in values else None
        near(got[f"{measure}_error"], error(own, median), measure)
        near(got[measure + unit]["predicted"], own, measure)
        near(got[measure + unit]["measured"], median, measure)
        spread = statistics.stdev(values) / statistics.mean(values) if median is not None and len(runs) > 1 else None
        near(got[measure + unit]["spread"], spread, measure)
        near(got[measure + unit]["least"], min(values) if median is not None else None)
        if measure == "time":
            near(got["measured_spread"], spread)
            inside = None if interval is None else interval[0] <= median <= interval[1]
            assert got["inside_interval"] is inside, (got["inside_interval"], inside)
            assert got["time_s"]["runs_inside"] == (None if interval is None else sum(
                interval[0] <= value <= interval[1] for value in values))
    causes(got, predicted, runs)
    rows(got, predicted, runs)


def causes(got, predicted, runs):
    def parts(run):
        tasks = sum(pe[1] for pe in run.pes.values()) / 2
        transfers = sum(pe[3] for pe in run.pes.values()) / 2
        return {"tasks": tasks, "transfers": transfers, "waiting": run.time - tasks - transfers}
    own = parts(predicted)
    differences = {k: own[k] - statistics.median(parts(run)[k] for run in runs) for k in own}
    for key, difference in differences.items():
        near(got["time_causes"][key + "_s"], difference, key)
    assert got["time_causes"]["largest"] == max(differences, key=lambda k: abs(differences[k]))
    if len(runs) == 1:
        near(sum(differences.values()), predicted.time - runs[0].time)
        if runs[0].total is not None and predicted.total is not None:
            energies = got["energy_causes"]
            near(energies["idle_power_j"] + energies["time_j"] + energies["dynamic_j"], predicted.total - runs[0].total)
            near(energies["idle_power_j"], (predicted.idle - runs[0].idle) * runs[0].time)


def rows(got, predicted, runs):
    for kernel in got["kernels"]:
        def busy(run):
            return sum(long for name, long in run.tasks.values() if name == kernel["name"])
        near(kernel["busy_s"]["predicted"], busy(predicted))
        near(kernel["busy_s"]["measured"], statistics.median(busy(run) for run in runs))
        assert kernel["count"]["predicted"] == 4
    assert {kernel["name"] for kernel in got["kernels"]} == {"A", "B", "C"}
    for pe in got["pes"]:
        near(pe["busy_s"]["predicted"], predicted.pes[pe["name"]][1])
        near(pe["waiting_s"]["measured"], statistics.median(run.pes[pe["name"]][2] for run in runs))
    for link in got["links"]:
        assert link["bytes"]["predicted"] == 21000 and link["count"]["measured"] == 6
        near(link["busy_s"]["measured"], 0.21)
    for node in got["nodes"]:
        near(node["energy_j"]["predicted"], predicted.energy.get(node["name"]))
        if all(run.total is not None for run in runs):
            near(node["energy_j"]["measured"], statistics.median(run.energy[node["name"]] for run in runs))
    assert [len(got[k]) for k in ("pes", "nodes", "links")] == [2, 2, 2]
    task = got["largest_tasks"][0]
    expected = max(predicted.tasks, key=lambda t: abs(
        predicted.tasks[t][1] - statistics.median(run.tasks[t][1] for run in runs)))
    assert task["id"] == expected, (task, expected)
    near(task["predicted_s"], predicted.tasks[expected][1])
    assert got["tasks_not_measured"] == got["tasks_not_predicted"] == 0 and got["tasks"] == 12


seed = int(sys.argv[2]) if len(sys.argv) > 2 else 7
print(f"seed {seed}")
rng = random.Random(seed)
wide = {"timeLow": 0.1, "timeHigh": 99.0, "dynamicLow": 1.0, "dynamicHigh": 2.0, "totalLow": 1.0, "totalHigh": 1e6}
narrow = {"timeLow": 0.1, "timeHigh": 0.2, "dynamicLow": 1.0, "dynamicHigh": 2.0, "totalLow": 1.0, "totalHigh": 2.0}
p_wide = Run("wide", rng, 1.0, 20, 0, wide)
p_narrow = Run("narrow", rng, 1.2, 20, 0, narrow)
p_none = Run("bare", rng, 1.2, 20, 2, {})
measured = [Run(f"m{i}", rng, 1.1, 22, 2, {}) for i in range(3)]
names = [run.name for run in measured]
check(compare("wide", *names), p_wide, measured, (0.1, 99))
check(compare("narrow", *names[:2]), p_narrow, measured[:2], (0.1, 0.2))
check(compare("wide", names[0]), p_wide, measured[:1], (0.1, 99))
check(compare("bare", names[1]), p_none, measured[1:2], None)
# Nobody knows the power, or the idle power.
dark = Run("dark", rng, 1.0, 22, 2, {}, power=False)
got = compare("wide", "dark")
check(got, p_wide, [dark], (0.1, 99))
assert got["energy_total_j"]["runs_inside"] is None and got["energy_total_j"]["inside"] is None
short = Run("short", rng, 1.0, 22, 0.1, {})
short.dynamic = None
got = compare("wide", "short")
near(got["energy_total_error"], error(p_wide.total, short.total))
assert got["energy_dynamic_error"] is None and got["energy_causes"]["largest"] is None
short.dynamic = short.total - 2 * 21.5 * short.time
near(compare("--idle=21.5", "wide", "short")["energy_dynamic_error"], error(p_wide.dynamic, short.dynamic))
# Power that begins late: of 3 % nothing is made, of 10 % all is unknown.
most = Run("most", rng, 1.0, 22, 2, {}, lack=0.6)
got = compare("wide", "most")
near(got["energy_total_error"], error(p_wide.total, most.total))
assert got["runs"][1]["known_s"] < got["runs"][1]["duration_s"] == got["time_s"]["measured"]
# And that is said.
for name, part in (("most", f"~ power of most is known for {100 * got['runs'][1]['known_s'] / most.time:.1f} %"), (names[0], None)):
    text = subprocess.run([hdpredict, "compare", "wide", name], capture_output=True, text=True).stdout
    assert (part in text and "~ " in text.split("Energy J")[1].split("\n")[0]) if part else "~" not in text, text
Run("little", rng, 1.0, 22, 2, {}, lack=1.4)
got = compare("wide", "little")
assert got["energy_total_error"] is None and got["energy_dynamic_error"] is None and got["time_error"] is not None
