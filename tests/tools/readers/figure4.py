# SPDX-License-Identifier: LGPL-2.1-or-later
"""figure4.py DIRECTORY SETS: compares out.prv and cstates.prv, which the example
figure4 has written, with the law of tests/pm/figure4-sim.c. SETS is that of
PM_SETS: with 1 there are those of both kernels, else of the first."""
import sys

LINES, CPUS = 12, 8
AMPERES, VOLTS = 3.051804e-4, 12
LABELS = ["C0", "C1", "C3", "C6"]


def records(path):
    """Time, thread, and types with values, of each event."""
    with open(path, encoding="utf-8") as file:
        next(file)
        for line in file:
            parts = [int(part) for part in line.split(":")]
            assert parts[:4] == [2, 0, 1, 1], line
            yield parts[5], parts[4], dict(zip(parts[6::2], parts[7::2]))


def text(path):
    """All of a file."""
    with open(path, encoding="utf-8") as file:
        return file.read()


def milliwatts(line, number):
    """What the meter measures: the driver has it as a 32 bit number."""
    return (2000 + 100 * line + number) * AMPERES * VOLTS * 1000


def power_set(samples, end):
    """Each sample is one of the meter's, and none is missing between; the number
    of the last."""
    # Two seconds of 28 a second, less what is on its way.
    assert len(samples) > 28, f"{len(samples)} samples"
    first = round(samples[0][2][500000010] / (AMPERES * VOLTS * 1000)) - 2000
    for index, (_, thread, values) in enumerate(samples):
        assert thread == 1 and len(values) == LINES + 1
        for line in range(LINES):
            wanted = milliwatts(line, first + index)
            found = values[500000010 + line]
            assert abs(found - wanted) <= 0.51, (index, line, found, wanted)
        wanted = sum(milliwatts(line, first + index) for line in range(LINES))
        assert abs(values[500000009] - wanted) <= 0.51 * LINES
    times = [sample[0] for sample in samples]
    assert times == sorted(times)
    length = (end - times[0]) / 1e6
    assert length >= 2, f"{length} s"
    print(f"{len(samples)} samples from number {first} in {length} s")
    return first, first + len(samples) - 1


def power(directory, count):
    """Where a set ends all is 0; the next one comes later."""
    sets, samples, start, last = 0, [], 0, -1
    for record in records(directory + "/out.prv"):
        if set(record[2].values()) != {0}:
            samples.append(record)
            continue
        assert samples[0][0] == 0 if sets == 0 else samples[0][0] >= start
        first, end = power_set(samples, record[0])
        assert first > last, "samples are in two sets"
        sets, samples, start, last = sets + 1, [], record[0], end
    assert sets == count and not samples, f"{sets} sets"
    configuration = text(directory + "/out.pcf")
    for line in range(LINES):
        assert f"{500000010 + line}    Power of line {line} in mW" in \
            configuration
    assert "MICROSEC" in configuration
    assert "DCMeter1" in text(directory + "/out.row")


def cstates(directory):
    """The time of each CPU in each state is in proportion to the law."""
    path = directory + "/cstates.prv"
    events = list(records(path))
    with open(path, encoding="utf-8") as file:
        end = int(file.readline().split("):")[1].split("_us")[0])
    for cpu in range(CPUS):
        own = [(time, values[90000000]) for time, thread, values in events
               if thread == cpu + 1]
        assert len(own) > 20, f"CPU {cpu}: {len(own)} changes"
        spent = [0] * (len(LABELS) + 1)
        for (time, state), following in zip(own, own[1:] + [(end, 0)]):
            spent[state] += following[0] - time
        total = sum(spent)
        law = [40 - cpu, 10 + cpu, 20, 30]
        shares = [100 * part / total for part in spent]
        print(f"CPU {cpu}: " + " ".join(f"{share:.2f}" for share in shares))
        assert spent[-1] == 0, "a state of no name"
        # The tree stands still between its writes: sleep is told late, and
        # never early. Between themselves the states are exact.
        slept = sum(spent[1:4])
        for state in 1, 2, 3:
            wanted = 100 * law[state] / sum(law[1:])
            found = 100 * spent[state] / slept
            assert abs(found - wanted) < 2, (cpu, state, found, wanted)
        assert abs(shares[0] - law[0]) < 15, (cpu, shares)
    configuration = text(directory + "/cstates.pcf")
    for number, label in enumerate(LABELS):
        assert f"\n{number}    {label}\n" in configuration, label
    rows = text(directory + "/cstates.row")
    assert "LEVEL THREAD SIZE 8\nCPU 0\n" in rows and "CPU 7" in rows


power(sys.argv[1], 2 if sys.argv[2] == "1" else 1)
cstates(sys.argv[1])
