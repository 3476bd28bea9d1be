# usage.py HDTRACE WHAT [HDPOWER]: hdtrace usage on synthetic programs, whose phases are
# declared here.
# SPDX-License-Identifier: LGPL-2.1-or-later
import configparser, json, os, random, statistics, struct, subprocess, sys

HDTRACE, WHAT = sys.argv[1:3]
BASE = 1000000000
NS = 10 ** 9
SEEDS = 20
COLUMNS = [("CPU_TOTAL", "%", "gauge"), ("NET_OUT_EXT", "B", "delta"),
           ("CPU_FREQ_0", "Hz", "gauge")]


# ---- Projects ------------------------------------------------------------------------

def stat(name, group, values, entries):
    header = '<Statistics>\n<TopologyNode>\n  <Label value="n" />\n</TopologyNode>\n'
    header += f'<Group name="{group}" timestampDatatype="EPOCH" timeAdjustment="0">\n'
    for value, unit, kind in values:
        header += f'  <Value name="{value}" type="DOUBLE" unit="{unit}" kind="{kind}" />\n'
    header += "</Group>\n</Statistics>\n"
    data = [b"%05d\n" % len(header), header.encode(), struct.pack(">II", BASE, 0)]
    pack = struct.Struct(f">II{len(values)}d").pack
    data += [pack(BASE + end // NS, end % NS, *numbers) for end, *numbers in entries]
    with open(f"{name}_n_{group}.stat", "wb") as file:
        file.write(b"".join(data))


def write(name, phases, seed, cycle=0.1, noise=2.0, mhz=2000.0, regions=False):
    """A run: phases are (name, length in s, CPU in percent, bytes per s, W)."""
    rng = random.Random(seed)
    borders, at = [], 0.0
    for _, length, *_ in phases:
        borders.append((at, at + length))
        at += length
    energy, use = [], []
    for k in range(int(at / cycle)):
        start, end = k * cycle, (k + 1) * cycle
        parts = [max(0, min(end, b) - max(start, a)) / cycle for a, b in borders]
        cpu, rate, watts = (sum(p * phase[i] for p, phase in zip(parts, phases))
                            for i in (2, 3, 4))
        stamp = round(end * NS)
        energy.append((stamp, watts + rng.gauss(0, 0.5)))
        use.append((stamp, min(100, max(0, cpu + rng.gauss(0, noise))),
                    max(0, rate * cycle * (1 + rng.gauss(0, noise / 100))), mhz * 1e6))
    stat(name, "Energy", [("P", "W", "gauge")], energy)
    stat(name, "Utilization", COLUMNS, use)
    if regions:
        with open(f"{name}_n_0.trc", "w") as file:
            file.write(f"<Program timeAdjustment='{BASE}' levels='Host Rank'>\n<Nested>\n")
            for (a, b), (phase, *_) in zip(borders, phases):
                # A region in a region is a part of it; calls of MPI are no phases.
                file.write(f"<Nested>\n<inner  time='{a:.9f}' end='{(a + b) / 2:.9f}'/>\n"
                           f"</Nested>\n<{phase}  time='{a:.9f}' end='{b:.9f}'/>\n")
            file.write(f"</Nested>\n<main  time='0.000000000' end='{at:.9f}'/>\n")
            file.write("</Program>\n")
    with open(f"{name}.proj", "w") as file:
        file.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<Application name="{name}">\n'
                   ' <Topology>\n  <Level type="Host"><Level type="Rank" /></Level>\n'
                   '  <Node name="n"><Node name="0" /></Node>\n </Topology>\n'
                   " <ExternalStatistics>\n  <Energy />\n  <Utilization />\n"
                   " </ExternalStatistics>\n</Application>\n")
    return borders


def usage(*projects, status=0, options=("-f",)):
    result = subprocess.run([HDTRACE, "usage", "-q", "-o", "u.usage", "--format=json",
                             *options, *projects], capture_output=True, text=True)
    assert result.returncode == status, (result.returncode, result.stdout, result.stderr)
    return json.loads(result.stdout) if result.stdout else result.stderr


def file():
    """The file, read by a parser that is not ours."""
    parser = configparser.ConfigParser()
    assert parser.read("u.usage") == ["u.usage"]
    return parser


def numbers(section, key):
    return [float(x) for x in file()[section][key].split()]


# ---- Tests ---------------------------------------------------------------------------

def found():
    """Borders of phases in the utilization alone."""
    worst, count = 0.0, 0
    for seed in range(SEEDS):
        rng = random.Random(seed)
        loads = rng.sample([(10, 0), (95, 0), (60, 1e6), (35, 9e6), (75, 5e6)], 4)
        kinds = [("x", 0, cpu, rate, 80 + cpu) for cpu, rate in loads]
        # The second one comes again at the end.
        phases = [(name, rng.uniform(4, 12), *more)
                  for name, _, *more in kinds + [kinds[1]]]
        borders = write("p", phases, seed)
        intervals = usage("p.proj")["intervals"]
        names = [i["phase"] for i in intervals]
        assert names == ["phase-1", "phase-2", "phase-3", "phase-4", "phase-2"], (seed, names)
        for i in range(1, len(phases)):
            error = abs(intervals[i]["start_s"] - borders[i][0])
            worst = max(worst, error / min(phases[i - 1][1], phases[i][1]))
            count += 1
    print(f"{count} borders, the worst one {100 * worst:.2f} % of a phase away")
    assert worst <= 0.02, worst
    assert file()["usage"]["phases_from"] == "utilization"


LAW = {"solve": (9000, 1.0, 90), "exchange": (2000, 6.0, 30)}


def runs(clocks, count, regions=True):
    """Runs by a law: cycles in 10^6 and time that does not depend on the clock."""
    rng, times, names = random.Random(7), {}, []
    for mhz in clocks:
        for k in range(count):
            phases = []
            for phase, (cycles, other, cpu) in LAW.items():
                length = (cycles / mhz + other) * (1 + rng.gauss(0, 0.004))
                watts = 60 + 90 * (mhz / 2000) ** 3 * cpu / 100
                phases.append((phase, length, cpu, 0, watts))
                times.setdefault((phase, mhz), []).append(length)
            names.append(f"r{mhz}-{k}")
            write(names[-1], phases, k, mhz=mhz, regions=regions)
    return times, [name + ".proj" for name in names]


def clocks():
    """Named regions at two clocks: time, power, spread and sensitivity."""
    times, projects = runs((1000, 2000), 4)
    found = usage(*projects)
    assert found["phases_from"] == "regions" and found["runs"] == 8, found
    assert [(p["phase"], p["clock_hz"]) for p in found["phases"]] == [
        ("solve", 1e9), ("solve", 2e9), ("exchange", 1e9), ("exchange", 2e9)], found
    for point in found["phases"]:
        phase, mhz = point["phase"], point["clock_hz"] / 1e6
        own = times[phase, mhz]
        cycles, other, cpu = LAW[phase]
        assert abs(point["time_s"] / statistics.mean(own) - 1) < 1e-6, point
        assert abs(point["time_spread_s"] / statistics.stdev(own) - 1) < 1e-6, point
        watts = 60 + 90 * (mhz / 2000) ** 3 * cpu / 100
        assert abs(point["power_w"] / watts - 1) < 0.005, (point, watts)
        assert abs(point["cpu_percent"] - cpu) < 1, point
        expected = cycles / 2000 / (cycles / 2000 + other)
        assert abs(point["clock_share"] - expected) < 0.02, (point, expected)
    assert numbers("phase solve", "clock_mhz") == [1000, 2000]
    assert numbers("phase solve", "runs") == [4, 4]
    # Without regions, the same phases are found although their length differs.
    _, projects = runs((1000, 2000), 1, regions=False)
    for name in projects:
        os.path.exists(name[:-5] + "_n_0.trc") and os.remove(name[:-5] + "_n_0.trc")
    found = usage(*projects)
    assert [p["phase"] for p in found["phases"]] == ["phase-1"] * 2 + ["phase-2"] * 2, found
    assert numbers("phase phase-1", "clock_mhz") == [1000, 2000]


def edited():
    """What a user changes in the file is kept."""
    _, projects = runs((1000, 2000), 1)
    usage(*projects)
    before = open("u.usage").read()
    usage(*projects)
    assert open("u.usage").read() == before
    times = numbers("phase exchange", "time_s")
    text = before.replace(" ".join(f"{x:.6g}" for x in numbers("phase solve", "power_w")),
                          "70 140")
    assert text != before
    text += "\n[phase mine]\n# By hand.\nclock_mhz = 1000 2000\ntime_s = 3 2\npower_w = 80 90\n"
    with open("u.usage", "w") as out:
        out.write(text)
    _, more = runs((1000, 2000), 3)
    found = usage(*more)
    assert numbers("phase solve", "power_w") == [70, 140]
    assert numbers("phase mine", "time_s") == [3, 2] and "# By hand." in open("u.usage").read()
    assert numbers("phase exchange", "time_s") != times
    assert [p["phase"] for p in found["phases"] if p["edited"]] == ["solve"] * 2, found
    # Once more: it is still marked. Without the file, all is learnt again.
    usage(*more)
    assert numbers("phase solve", "power_w") == [70, 140]
    os.remove("u.usage")
    usage(*more)
    assert numbers("phase solve", "power_w") != [70, 140]
    assert "phase mine" not in file()
    # hdpower decides by the file.
    result = subprocess.run([sys.argv[3], "run", "--policy=min-energy", "--slowdown=50%",
                             "--usage=u.usage", "--", "true"], capture_output=True, text=True)
    assert result.returncode in (0, 125) and "phase solve: " in result.stderr, result


def errors():
    write("p", [("x", 5, 90, 0, 100)], 1)
    _, projects = runs((1000,), 1)
    usage(*projects)
    assert "exists" in usage(*projects, status=2, options=())
    with open("u.usage", "w") as out:
        out.write("something else\n")
    said = usage(*projects, status=2)
    assert "is not a usage file" in said and open("u.usage").read() == "something else\n", said
    os.remove("u.usage")
    # A clock that changes, or is not known.
    global COLUMNS
    COLUMNS = [COLUMNS[0], COLUMNS[1], ("other", "Hz", "gauge")]
    write("p", [("x", 5, 90, 0, 100)], 1)
    said = usage("p.proj", status=2)
    assert "no phase with known power and CPU clock" in said, said
    assert not os.path.exists("u.usage")


def part():
    """Parts of a run, and phases of a file: the last one lasts to the end."""
    phases = [("a", 10, 90, 0, 100), ("b", 10, 20, 0, 50)]
    write("p", phases, 1)
    with open("borders", "w") as out:
        out.write("0 a\n10 b]\n")
    found = usage("p.proj", options=("-f", "--phases=borders"))
    assert abs(found["covered_percent"] - 100) < 1e-6, found
    assert [(p["phase"], round(p["time_s"], 6)) for p in found["phases"]] == [
        ("a", 10), ("b_", 10)], found
    assert found["intervals"][1]["end_s"] == 20 and "phase b_" in file(), found
    write("q", phases, 1, regions=True)
    found = usage("q.proj", options=("-f", "--from=0.4", "--to=12"))
    assert [round(p["time_s"], 6) for p in found["phases"]] == [9.6, 2], found
    assert abs(found["covered_percent"] - 100) < 1e-6, found
    # Measured clocks: each run belongs to one point, and none is lost.
    names = []
    for k, mhz in enumerate([1000, 1030, 1015, 1015, 1015]):
        names.append(f"c{k}.proj")
        write(f"c{k}", phases, k, mhz=mhz, regions=True)
    found = usage(*names)
    points = [(p["runs"], p["clock_hz"]) for p in found["phases"] if p["phase"] == "a"]
    assert points == [(4, 1011.25e6), (1, 1030e6)], points


globals()[WHAT]()
