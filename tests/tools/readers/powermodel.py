# powermodel.py HDTRACE WHAT [CORPUS]: hdtrace power-model on projects of simulated meters,
# whose laws are declared here, and least squares of its own as a second fit.
# SPDX-License-Identifier: LGPL-2.1-or-later
import configparser, json, math, os, random, struct, subprocess, sys

HDTRACE, WHAT = sys.argv[1:3]
BASE = 1000000000
NS = 10 ** 9
SEEDS = 100


# ---- Projects ------------------------------------------------------------------------

def stat(prefix, group, values, entries):
    """Write a group: values are (name, unit, kind), entries (end in ns, numbers...)."""
    header = '<Statistics>\n<TopologyNode>\n  <Label value="n" />\n</TopologyNode>\n'
    header += f'<Group name="{group}" timestampDatatype="EPOCH" timeAdjustment="0">\n'
    for name, unit, kind in values:
        header += f'  <Value name="{name}" type="DOUBLE" unit="{unit}" kind="{kind}" />\n'
    header += "</Group>\n</Statistics>\n"
    data = [b"%05d\n" % len(header), header.encode(), struct.pack(">II", BASE, 0)]
    pack = struct.Struct(f">II{len(values)}d").pack
    data += [pack(BASE + end // NS, end % NS, *numbers) for end, *numbers in entries]
    with open(f"{prefix}_n_{group}.stat", "wb") as file:
        file.write(b"".join(data))


def project(prefix, groups=("Energy", "Utilization")):
    with open(f"{prefix}.proj", "w") as file:
        file.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<Application name="{prefix}">\n'
                   ' <Topology>\n  <Level type="Host" />\n  <Node name="n" />\n'
                   ' </Topology>\n <ExternalStatistics>\n'
                   + "".join(f"  <{g} />\n" for g in groups)
                   + " </ExternalStatistics>\n</Application>\n")


def plan(rng, length, least=1.5, most=4):
    """Levels: (end in s, load in percent)."""
    levels, at = [], 0
    while at < length:
        at += rng.uniform(least, most)
        levels.append((at, rng.choice([0, 100, rng.uniform(0, 100), rng.uniform(0, 100)])))
    return levels


def mean(levels, start, end, law=lambda x: x):
    """Mean of a law of the load over an interval; 0 % before the start."""
    total, at = 0, start
    if at < 0:
        total += (min(end, 0) - at) * law(0)
        at = min(end, 0)
    for until, load in levels:
        if until <= at:
            continue
        if at >= end:
            break
        total += (min(until, end) - at) * law(load)
        at = min(until, end)
    return total / (end - start)


class Meter:
    """A declared law: idle power, a function of the load for each component, noise."""

    def __init__(self, idle, laws, noise=1.0, delay=0.0, drift=lambda t: 0.0, length=60.0,
                 cycle=0.1, rates=None, correlated=0.0, clocks=None):
        self.idle, self.laws, self.noise, self.delay = idle, laws, noise, delay
        self.drift, self.length, self.cycle = drift, length, cycle
        self.rates = rates or {}
        self.correlated = correlated
        self.clocks = clocks

    def write(self, prefix, seed, loads=None):
        rng = random.Random(seed)
        loads = loads or {name: plan(rng, self.length) for name in self.laws}
        columns = {"cpu": ("CPU_TOTAL", "%", "gauge"), "network": ("NET_OUT", "B", "delta"),
                   "disk-read": ("HDD_READ", "B", "delta"),
                   "disk-write": ("HDD_WRITE", "B", "delta")}
        # One pass over the levels a component, in steps of the meter.
        power, use, noise = [], [], 0.0
        count = round(self.length / self.cycle)
        for k in range(count):
            start, end = k * self.cycle, (k + 1) * self.cycle
            near = {name: [x for x in plan_ if start - 6 < x[0]][:12]
                    for name, plan_ in loads.items()}
            watts = self.idle + self.drift(end)
            numbers = []
            clock = self.clocks(end) if self.clocks else None
            for name, law in self.laws.items():
                late = start - self.delay, end - self.delay
                part = mean(near[name], *late, law)
                watts += part * self.factor(name, end - self.delay)
                load = mean(near[name], start, end)
                if name in self.rates:
                    load *= self.rates[name] / 100 * self.cycle
                numbers.append(load)
            noise = self.correlated * noise + rng.gauss(0, self.noise)
            stamp = round(end * NS)
            power.append((stamp, watts + noise))
            use.append((stamp, *numbers, *([clock * 1e6] if clock else [])))
        stat(prefix, "Energy", [("P", "W", "gauge")], power)
        stat(prefix, "Utilization", [columns[name] for name in self.laws]
             + ([("CPU_FREQ_0", "Hz", "gauge")] if self.clocks else []), use)
        project(prefix)
        return power, use

    def factor(self, name, time):
        return 1.0


def run(*arguments, status=0):
    result = subprocess.run([HDTRACE, "power-model", "-q", "-f", "-o", "m.model",
                             *arguments], capture_output=True, text=True)
    assert result.returncode == status, (result.returncode, result.stdout, result.stderr)
    return result.stdout


def fitted(*arguments, status=0):
    return json.loads(run("--format=json", *arguments, status=status))


def model():
    """The file, read by a parser that is not ours."""
    parser = configparser.ConfigParser()
    assert parser.read("m.model") == ["m.model"]
    return parser


def numbers(section, key):
    return [float(x) for x in section[key].split()]


def segments(parser, name):
    section = parser[f"component {name}"]
    return list(zip(*(numbers(section, key) for key in ("w_per_percent", "low", "high"))))


def judge(expected, idle, seeds, meter, noticed=None):
    """Count the seeds in which all coefficients lie within 2 % and in their intervals."""
    near = inside = 0
    for seed in seeds:
        meter.write("p", seed)
        found = fitted("p.proj")
        parser = model()
        head = parser["model"]
        pairs = [(float(head["idle_w"]), float(head["idle_low"]), float(head["idle_high"]),
                  idle)]
        for name, slopes in expected.items():
            rows = segments(parser, name)
            assert len(rows) == len(slopes), (seed, name, rows)
            pairs += [(*row, slope) for row, slope in zip(rows, slopes)]
        near += all(abs(value - true) <= 0.02 * abs(true) for value, _, _, true in pairs)
        inside += all(low <= true <= high for _, low, high, true in pairs)
        if noticed:
            noticed(found, parser)
    print(f"within 2 %: {near}, in the intervals: {inside} of {len(seeds)}")
    assert near >= 0.9 * len(seeds) and inside >= 0.9 * len(seeds), (near, inside)


# ---- Laws ----------------------------------------------------------------------------

def linear():
    """Two components, a late meter with noise."""
    def noticed(found, parser):
        delay = found["runs"][0]["delay_s"]
        assert abs(delay - 0.35) < 0.03, delay
        # 100 % is the largest rate of a window.
        assert abs(float(parser["component network"]["max"]) / 1e8 - 1) < 1e-3
        assert parser["model"]["unit"] == "W" and parser["model"]["version"] == "1"
        assert 0.8 < float(parser["model"]["error_w"]) < 4
    meter = Meter(90, {"cpu": lambda x: 0.8 * x, "network": lambda x: 0.2 * x},
                  delay=0.35, rates={"network": 1e8})
    judge({"cpu": [0.8], "network": [0.2]}, 90, range(SEEDS), meter, noticed)
    # The plain line over CPU use, of a law that is one.
    Meter(90, {"cpu": lambda x: 0.8 * x}, noise=0).write("p", 1)
    found = fitted("p.proj")["cross_validation"]
    assert found["linear_error_w"] < 0.01, found


def knee():
    """A slope that falls at 60 %."""
    def noticed(found, parser):
        knots = numbers(parser["component cpu"], "knots")
        assert len(knots) == 1 and abs(knots[0] - 60) < 4, knots
    meter = Meter(120, {"cpu": lambda x: 1.0 * min(x, 60) + 0.4 * max(x - 60, 0)},
                  noise=0.8, length=100)
    judge({"cpu": [1.0, 0.4]}, 120, range(SEEDS // 4), meter, noticed)


def drift():
    """A node that becomes warm, and noise whose neighbours depend on each other."""
    meter = Meter(100, {"cpu": lambda x: 0.9 * x}, noise=0.5, correlated=0.5, length=80,
                  drift=lambda t: 4 * math.sin(math.pi * (t / 80 - 0.5)))
    def noticed(found, parser):
        assert found["runs"][0]["drift"]
    judge({"cpu": [0.9]}, 100, range(SEEDS // 4), meter, noticed)


def collinear():
    """Network and CPUs rise and fall together: refused, with the command."""
    rng = random.Random(1)
    loads = plan(rng, 60)
    meter = Meter(90, {"cpu": lambda x: 0.8 * x, "network": lambda x: 0.2 * x},
                  rates={"network": 1e8})
    meter.write("p", 1, {"cpu": loads, "network": loads})
    if os.path.exists("m.model"):
        os.remove("m.model")
    found = fitted("p.proj", status=1)
    assert [r["components"] for r in found["refused"]] == [["cpu", "network"]], found
    assert found["refused"][0]["command"].startswith("hdload --staircase=cpu-int "), found
    assert not os.path.exists("m.model")
    text = run("p.proj", status=1)
    assert "cpu, network: refused" in text and "hdload --staircase=cpu-int" in text, text
    # A third component that differs is told apart, and its slope is right.
    meter = Meter(90, {"cpu": lambda x: 0.8 * x, "network": lambda x: 0.2 * x,
                       "disk-read": lambda x: 0.1 * x},
                  rates={"network": 1e8, "disk-read": 5e7})
    power, use = meter.write("p", 1, {"cpu": loads, "network": loads,
                                      "disk-read": plan(rng, 60)})
    found = fitted("p.proj", status=1)
    assert [r["components"] for r in found["refused"]] == [["cpu", "network"]], found
    (slope, low, high), = segments(model(), "disk-read")
    assert low <= 0.1 <= high and abs(slope - 0.1) < 0.01, (slope, low, high)
    assert "component cpu" not in model()
    # The error is that of the file, which does not have the power of the others.
    most = float(model()["component disk-read"]["max"]) * meter.cycle
    idle = float(model()["model"]["idle_w"])
    squares = [(watts - idle - slope * 100 * reads / most) ** 2
               for (_, watts), (*_, reads) in zip(power, use)]
    error = math.sqrt(sum(squares) / len(squares))
    assert error > 10 and abs(float(model()["model"]["error_w"]) / error - 1) < 0.05, (
        error, dict(model()["model"]))
    # A run of the command gives what was missing.
    other = Meter(90, {"cpu": lambda x: 0.8 * x, "network": lambda x: 0.2 * x},
                  rates={"network": 1e8})
    meter = other
    meter.write("p", 1, {"cpu": loads, "network": loads})
    other.write("q", 2, {"cpu": plan(rng, 60), "network": [(1e9, 0)]})
    found = fitted("p.proj", "q.proj")
    # Neither run alone tells them apart, so both are predicted in parts.
    assert found["refused"] == [] and found["cross_validation"]["by"] == "time"
    assert [c["component"] for c in found["components"]] == ["cpu", "network"]


def constant():
    """CPUs that are always busy look like idle power."""
    meter = Meter(90, {"cpu": lambda x: 0.8 * x, "network": lambda x: 0.2 * x},
                  rates={"network": 1e8})
    meter.write("p", 1, {"cpu": [(1e9, 100)], "network": plan(random.Random(1), 60)})
    found = fitted("p.proj", status=1)
    assert [(r["components"], r["constant"]) for r in found["refused"]] == [(["cpu"], True)]
    assert [c["component"] for c in found["components"]] == ["network"]


def clock():
    """The power of CPUs grows with the third power of the clock."""
    class Clocked(Meter):
        def factor(self, name, time):
            return (self.clocks(time) / 2000) ** 2.5
    meter = Clocked(90, {"cpu": lambda x: 0.8 * x}, noise=0.5, length=90,
                    clocks=lambda t: 1000 if int(t / 10) % 3 == 1 else
                    1500 if int(t / 10) % 3 == 2 else 2000)
    meter.write("p", 1)
    run("p.proj")
    section = model()["component cpu"]
    assert float(section["clock_mhz"]) == 2000, dict(section)
    assert abs(float(section["clock_exponent"]) - 2.5) < 0.1, dict(section)
    (slope, low, high), = segments(model(), "cpu")
    assert abs(slope - 0.8) < 0.016 and low <= 0.8 <= high, (slope, low, high)


def oracle():
    """The coefficients of least squares, by scipy, of the same entries."""
    import numpy
    import scipy.linalg
    meter = Meter(75, {"cpu": lambda x: 0.5 * x, "network": lambda x: 0.3 * x,
                       "disk-write": lambda x: 0.2 * x}, noise=4, length=120, cycle=0.2,
                  rates={"network": 1e8, "disk-write": 3e7})
    power, use = meter.write("p", 5)
    found = fitted("--no-delay", "p.proj")
    watts = numpy.array([row[1] for row in power])
    loads = numpy.array([row[1:] for row in use])
    loads[:, 1] *= 100 / loads[:, 1].max()
    loads[:, 2] *= 100 / loads[:, 2].max()
    # Windows in which no load changes by more than 4 points to a neighbour.
    steady = numpy.ones(len(watts), bool)
    jumps = (abs(numpy.diff(loads, axis=0)) > 4).any(axis=1)
    steady[1:] &= ~jumps
    steady[:-1] &= ~jumps
    if steady.sum() < len(watts) / 2:
        steady[:] = True
    matrix = numpy.column_stack([numpy.ones(len(watts)), loads])[steady]
    best, _, _, _ = scipy.linalg.lstsq(matrix, watts[steady])
    ours = [found["model"]["idle_w"]] + [c["w_per_percent"] for c in found["components"]]
    assert numpy.allclose(best, ours, rtol=1e-7), (best, ours)
    left = watts[steady] - matrix @ best
    errors = numpy.sqrt(numpy.diag(numpy.linalg.inv(matrix.T @ matrix))
                        * (left @ left) / (steady.sum() - 4))
    # Four intervals that hold together, at least as wide as those of white noise.
    import scipy.stats
    factor = scipy.stats.t.ppf(1 - 0.05 / 8, steady.sum() - 4)
    halves = [found["model"]["idle_high_w"] - ours[0]] + [
        c["high_w_per_percent"] - c["w_per_percent"] for c in found["components"]]
    ratio = numpy.array(halves) / (factor * errors)
    assert (ratio > 0.999).all() and (ratio < 1.3).all(), ratio


def slow_meter():
    """A meter that is slower than the load, and one that is faster."""
    for cycle in (1.0, 0.05):
        meter = Meter(90, {"cpu": lambda x: 0.8 * x}, noise=0.5, length=120, cycle=0.1)
        meter.write("p", 3)
        loads = plan(random.Random(3), 120)
        rng = random.Random(4)
        stat("p", "Energy", [("P", "W", "gauge")],
             [(round((k + 1) * cycle * NS), 90 + 0.8 * mean(loads, k * cycle, (k + 1) * cycle)
               + rng.gauss(0, 0.5)) for k in range(round(120 / cycle))])
        found = fitted("p.proj")
        (slope, low, high), = segments(model(), "cpu")
        assert abs(slope - 0.8) < 0.016 and low <= 0.8 <= high, (cycle, slope, low, high)
        assert found["runs"][0]["windows"] >= 110, found["runs"][0]


def levels_of_hdload():
    """States Level name the components, and memory bandwidth has no counter."""
    meter = Meter(90, {"cpu": lambda x: 0.8 * x}, noise=0.3, length=120)
    rng = random.Random(9)
    loads = [(20 * (k + 1), x) for k, x in enumerate([100, 50, 0, 80, 30, 0])]
    meter.write("p", 9, {"cpu": loads})
    text = f"<Program timeAdjustment='{BASE}' levels='Host'>\n"
    for k, (end, load) in enumerate(loads):
        name = "cpu-int" if k < 3 else "cpu-vector"
        text += (f"<Level component='{name}' target='{load}' reached='{load}' "
                 f"time='{end - 20}.000000000' end='{end}.000000000'/>\n")
    with open("p_n.trc", "w") as file:
        file.write(text + "</Program>\n")
    found = fitted("p.proj")
    assert [c["component"] for c in found["components"]] == ["cpu-int", "cpu-vector"], found
    for name in ("cpu-int", "cpu-vector"):
        (slope, low, high), = segments(model(), name)
        assert abs(slope - 0.8) < 0.016 and low <= 0.8 <= high, (name, slope, low, high)
    os.remove("p_n.trc")


def residuals():
    """Residuals over time as CSV, with the sum that the definition says."""
    meter = Meter(90, {"cpu": lambda x: 0.8 * x})
    meter.write("p", 1)
    run("--residuals=r.csv", "p.proj")
    with open("r.csv") as file:
        lines = file.read().splitlines()
    assert lines[0] == "project,node,start_s,end_s,power_w,model_w,residual_w"
    rows = [line.split(",") for line in lines[1:]]
    assert len(rows) == 600
    for row in rows:
        assert abs(float(row[4]) - float(row[5]) - float(row[6])) < 1e-9
    assert abs(sum(float(row[6]) for row in rows) / 600) < 0.2


def corpus():
    """Real runs of 2009: runs that were not fitted, next to a line over CPU use."""
    base = sys.argv[3]
    paths = [f"{base}/{name}" for name in ("stresstest", "partdiff-mpi")]
    found = json.loads(subprocess.run(
        [HDTRACE, "power-model", "-q", "-f", "-o", "m.model", "--format=json", *paths],
        capture_output=True, text=True).stdout)
    cross = found["cross_validation"]
    print(json.dumps(cross), json.dumps(found["components"]), json.dumps(found["model"]))
    assert cross["by"] == "project" and cross["folds"] == 2
    assert 0 < cross["error_w"] < 25 and cross["linear_error_w"] > 0
    assert 50 < found["model"]["idle_w"] < 200


globals()[WHAT]()
