# SPDX-License-Identifier: LGPL-2.1-or-later
"""pop.py HDTRACE: efficiencies of published examples.

The examples of POP's metrics that have complete numbers, made into traces:

1. The programs by which OTF-CPT of RWTH Aachen University is tested, with the
   metrics that its authors expect: ranks and threads that work for 1, 3, 5, ...
   units, and ranks that work one after the other
   (https://github.com/RWTH-HPC/OTF-CPT, tests/).
2. Metrics of a hybrid program on 64 to 1024 processes of 12 threads, in the
   repository of OTF-CPT (script/data/data-64x12.txt and others); see J. Protze,
   F. Orland, K. Haldar, T. Koritzius, C. Terboven: On-the-Fly Calculation of
   Model Factors for Multi-paradigm Applications, Euro-Par 2022.
3. Metrics of EPOCH on 1 to 16 processes by BasicAnalysis of the Barcelona
   Supercomputing Center, an example of PyPOP of the Numerical Algorithms Group
   (https://github.com/numericalalgorithmsgroup/pypop,
   pypop/examples/mpi/epoch_example_traces/modelfactors.csv)."""
import glob
import json
import os
import subprocess
import sys

NS = 10**9


def state(name, start, end, attributes="", inner=""):
    times = " ".join(f"{key}='{t // NS}.{t % NS:09d}'"
                     for key, t in (("time", start), ("end", end)))
    return (f"<Nested>{inner}</Nested>" if inner else "") + \
        f"<{name} {attributes} {times}/>"


def write(project, ranks):
    """ranks: of each the states of its threads."""
    for old in glob.glob(f"{project}_*.trc"):
        os.unlink(old)
    nodes = "".join(f'<Node name="{i}">' + "".join(
        f'<Node name="{k}"/>' for k in range(len(threads))) + "</Node>"
        for i, threads in enumerate(ranks))
    world = "".join(f'<Rank global="{i}" local="{i}" cid="0"/>'
                    for i in range(len(ranks)))
    with open(f"{project}.proj", "w") as out:
        out.write(f'''<?xml version="1.0" encoding="UTF-8"?>
<Application name="{project}"><Description/><Topology><Level type="Host">
<Level type="Rank"><Level type="Thread"/></Level></Level>
<Node name="h">{nodes}</Node></Topology><CommunicatorList>
<Communicator name="WORLD">{world}</Communicator></CommunicatorList>
<Datatypes/><ExternalStatistics/></Application>
''')
    for i, threads in enumerate(ranks):
        for k, states in enumerate(threads):
            with open(f"{project}_h_{i}_{k}.trc", "w") as out:
                out.write("<Program timeAdjustment='0' levels='Host Rank "
                          "Thread'>\n" + "\n".join(states) + "\n</Program>\n")


def report(*projects):
    text = subprocess.run([sys.argv[1], "report", "-q", "--format=json",
                           *projects], check=True, stdout=subprocess.PIPE)
    return json.loads(text.stdout)


def check(what, found, tolerance=2e-6, **expected):
    for key, value in expected.items():
        print(what, key, found[key], value)
        assert abs(found[key] - value) < tolerance, (what, key)


# ---- 1. Programs of known work ----------------------------------------------

UNIT = NS // 10
START = NS


def mpi(states, end):
    """A rank from Init to Finalize: NAME, FROM, TO and attributes, in units."""
    return [[state("Init", START - UNIT, START)] + [
        state(name, START + int(a * UNIT), START + int(b * UNIT), "cid='0' "
              "size='4' " + (more[0] if more else ""))
        for name, a, b, *more in states] + [
            state("Finalize", START + end * UNIT, START + (end + 1) * UNIT)]]


def programs():
    for size in (2, 4):
        # mpi-imbalance.c: what comes last is the end of the measurement.
        longest = 2 * size - 1
        write("p", [mpi([("Barrier", 1 + 2 * r, longest)], longest)
                    for r in range(size)])
        check("imbalance", report("p")["efficiencies"],
              load_balance=size / longest, communication=1, serialisation=1,
              transfer=1)
        # mpi-serialization.c: each receives, works for 2 units, and sends.
        ranks = []
        for r in range(size):
            calls = [("Recv", 0, 2 * r, f"fromRank='{r - 1}' fromTag='42'")]
            calls += [("Send", 2 * r + 2, 2 * r + 2,
                       f"toRank='{r + 1}' toTag='42'"),
                      ("Barrier", 2 * r + 2, 2 * size)]
            if r == size - 1:
                del calls[1]
            ranks.append(mpi(calls[r == 0:], 2 * size))
        write("p", ranks)
        check("serialization", report("p")["efficiencies"], load_balance=1,
              communication=1 / size, serialisation=1 / size, transfer=1,
              parallel=1 / size)
        # mpi-bcast-serialization.c: the root works before, all others after.
        write("p", [mpi([("Bcast", int(r == 0), 1, "rootRank='0'"),
                         ("Barrier", 1 + (r > 0), 2)], 2)
                    for r in range(size)])
        check("bcast", report("p")["efficiencies"], load_balance=1,
              serialisation=0.5, transfer=1, parallel=0.5)
        # mpi-bcast-balanced.c: the other way round. OTF-CPT accepts a transfer
        # of 1, or of 0.5 if the root is kept waiting, as it is here.
        write("p", [mpi([("Bcast", int(r > 0), 1, "rootRank='0'"),
                         ("Barrier", 1 + (r == 0), 2)], 2)
                    for r in range(size)])
        check("bcast balanced", report("p")["efficiencies"], load_balance=1,
              serialisation=1, transfer=0.5, parallel=0.5)
        # omp-imbalance.c; omp-serialization.c: threads work one after another.
        write("p", [[teamed([(0, longest, longest - 1 - 2 * t)], size, t)
                     for t in range(size)]])
        check("threads", report("p")["efficiencies"],
              openmp_load_balance=size / longest, openmp_communication=1,
              openmp_parallel=size / longest)
        write("p", [[ordered(t, size) for t in range(size)]])
        check("threads in order", report("p")["efficiencies"],
              openmp_load_balance=1, openmp_communication=1 / size,
              openmp_parallel=1 / size)


def region(number, start, end, inner, threads, thread):
    return state("omp.parallel", start, end, f"team='{number}' "
                 f"thread='{thread}' threads='{threads}'", inner)


def teamed(regions, threads, thread):
    """Regions (FROM, TO, WAIT) in units: a wait at the end of each."""
    return [region(i + 1, START + a * UNIT, START + b * UNIT,
                   state("omp.barrier", START + (b - wait) * UNIT,
                         START + b * UNIT, f"team='{i + 1}' barrier='0'"),
                   threads, thread)
            for i, (a, b, wait) in enumerate(regions)]


def ordered(thread, threads):
    begin, end = 4 * thread, 4 * (thread + 1)
    inner = state("omp.ordered", START, START + begin * UNIT) + state(
        "omp.barrier", START + end * UNIT, START + 4 * threads * UNIT,
        "team='1' barrier='0'")
    return [region(1, START, START + 4 * threads * UNIT, inner, threads,
                   thread)]


# ---- 2. and 3. Runs of which times are published -----------------------------

def chain(run, useful, ideal, counters=""):
    """Ranks of a run of that time (in ns, from Init to Finalize) that are
    outside of MPI for times, of which the first one is the longest, and on
    which the others depend one after the other, so that without transfer the
    run takes the ideal time. Returns the states of each, and what comes after
    the message of all but the first one."""
    late = (ideal - useful[0]) // max(len(useful) - 1, 1)
    ranks, at = [], useful[0]
    for r, time in enumerate(useful):
        after = late if r else 0
        states = [("Init", -UNIT, 0)]
        if r:
            if r == 1:
                at += run - ideal
            states.append(("Recv", time - after, at,
                           f"fromRank='{r - 1}' fromTag='1'"))
            at += after
        if r + 1 < len(useful):
            states.append(("Send", at, at, f"toRank='{r + 1}' toTag='1'"))
        states += [("Barrier", at, max(at, run), counters),
                   ("Finalize", max(at, run), run + UNIT)]
        ranks.append([state(name, START + a, START + b, "cid='0' size='8' " +
                            (more[0] if more else ""))
                      for name, a, b, *more in states])
    return ranks, late


def times_of(mean, longest, count):
    """Times with that mean, of which the first one is the longest."""
    other = (count * mean - longest) / max(count - 1, 1)
    return [round(longest)] + [round(other)] * (count - 1)


# Processes: mean and longest computation, run time in s, and the metrics.
HYBRID = {
    64: (32.554688, 33.338641, 40.009749, {
        "parallel": 0.813669, "load_balance": 0.976485,
        "communication": 0.833263, "mpi_parallel": 0.834923,
        "mpi_load_balance": 0.987314, "mpi_communication": 0.845651,
        "serialisation": 0.858794, "transfer": 0.984697,
        "openmp_parallel": 0.974543, "openmp_load_balance": 0.989032,
        "openmp_communication": 0.985351}),
    128: (13.426047, 14.003071, 19.656685, {
        "parallel": 0.683027, "load_balance": 0.958793,
        "communication": 0.712382, "mpi_parallel": 0.697350,
        "mpi_load_balance": 0.969109, "mpi_communication": 0.719579,
        "serialisation": 0.766952, "transfer": 0.938232,
        "openmp_parallel": 0.979461, "openmp_load_balance": 0.989355,
        "openmp_communication": 0.989999}),
    256: (7.402236, 7.826016, 14.083169, {
        "parallel": 0.525609, "load_balance": 0.945850,
        "communication": 0.555700, "mpi_parallel": 0.534270,
        "mpi_load_balance": 0.952777, "mpi_communication": 0.560751,
        "serialisation": 0.660740, "transfer": 0.848671,
        "openmp_parallel": 0.983788, "openmp_load_balance": 0.992729,
        "openmp_communication": 0.990993}),
    512: (4.234199, 4.605570, 13.792879, {
        "parallel": 0.306984, "load_balance": 0.919365,
        "communication": 0.333909, "mpi_parallel": 0.324236,
        "mpi_load_balance": 0.929690, "mpi_communication": 0.348758,
        "serialisation": 0.564661, "transfer": 0.617641,
        "openmp_parallel": 0.946792, "openmp_load_balance": 0.988894,
        "openmp_communication": 0.957425}),
    1024: (2.769027, 3.137317, 17.400619, {
        "parallel": 0.159134, "load_balance": 0.882610,
        "communication": 0.180299, "mpi_parallel": 0.172767,
        "mpi_load_balance": 0.903340, "mpi_communication": 0.191254,
        "serialisation": 0.464011, "transfer": 0.412175,
        "openmp_parallel": 0.921087, "openmp_load_balance": 0.977051,
        "openmp_communication": 0.942721}),
}


def hybrid():
    """4 ranks of 2 threads stand for all: only means and maxima count. Time
    outside of MPI has the published balance; what is found is how computation
    is divided between MPI and OpenMP. So what belongs to MPI alone is checked
    to come back, and what is computed is "parallel", "load_balance",
    "communication" and those of OpenMP.

    "serialisation" and "transfer" are those of MPI, as in doc/findings.md: the
    rows "MPI Serialisation Efficiency" and "MPI Transfer Efficiency". The rows
    "Serialisation Efficiency" and "Transfer Efficiency" of OTF-CPT, of which
    "communication" is the product, are others: there is no such number here."""
    for processes, (mean, longest, run, metrics) in HYBRID.items():
        run = round(run * NS)
        most = metrics["mpi_communication"] * run
        outside = times_of(metrics["mpi_load_balance"] * most, most, 4)
        useful = times_of(mean * NS, longest * NS, 8)
        ranks, late = chain(run, outside,
                            round(most / metrics["serialisation"]))
        for r, states in enumerate(ranks):
            threads = [[], []]
            # Before the message, and after it.
            borders = [0, outside[r] - (late if r else 0)]
            if r:
                after = outside[0] + late * (r - 1) + run - round(
                    most / metrics["serialisation"])
                borders += [after, after + late]
            for k in range(2):
                wait = outside[r] - useful[2 * r + k]
                assert 0 <= wait <= borders[1]
                for i in range(0, len(borders), 2):
                    a, b = START + borders[i], START + borders[i + 1]
                    barrier = state("omp.barrier", b - (0 if i else wait), b,
                                    f"team='{i + 1}' barrier='0'")
                    threads[k].append(region(i + 1, a, b, barrier, 2, k))
            ranks[r] = [states[:1] + threads[0][:1] + states[1:2] +
                        threads[0][1:] + states[2:] if r else
                        states[:1] + threads[0] + states[1:], threads[1]]
        write("p", ranks)
        check(f"{processes} processes", report("p")["efficiencies"],
              **metrics)


# Of each run: processes; run time, mean and longest computation in us;
# instructions and cycles; percent.
EPOCH = [
    (1, 21898659.14, 21882362.82, 21882362.82, 84790848422, 45294421893,
     {"parallel": 99.925583, "load_balance": 100, "communication": 99.925583,
      "serialisation": 100, "transfer": 99.925583,
      "computation_scaling": 100, "global": 99.925583, "ipc_scaling": 100,
      "instruction_scaling": 100, "frequency_scaling": 100}, 1),
    (2, 11528373.56, 11456696.18, 11484151.34, 87640358419, 46855679955,
     {"parallel": 99.378252, "load_balance": 99.760930,
      "communication": 99.616405, "serialisation": 99.842359,
      "transfer": 99.773690, "computation_scaling": 95.500319,
      "global": 94.906548, "ipc_scaling": 99.916598,
      "instruction_scaling": 96.748633, "frequency_scaling": 98.792129},
     1.899545),
    (4, 6082352.21, 5921167.02, 5999910.80, 88518412143, 47406198069,
     {"parallel": 97.349953, "load_balance": 98.687584,
      "communication": 98.644580, "serialisation": 99.203493,
      "transfer": 99.436599, "computation_scaling": 92.390414,
      "global": 89.942024, "ipc_scaling": 99.745711,
      "instruction_scaling": 95.788940, "frequency_scaling": 96.697961},
     3.600360),
    (8, 3513565.33, 3362753.84, 3421581.67, 90063308642, 51191361663,
     {"parallel": 95.707736, "load_balance": 98.280683,
      "communication": 97.382042, "serialisation": 98.282015,
      "transfer": 99.084296, "computation_scaling": 81.340933,
      "global": 77.849566, "ipc_scaling": 93.982492,
      "instruction_scaling": 94.145829, "frequency_scaling": 91.930815},
     6.232603),
    (16, 2339560.72, 2226119.73, 2242981.13, 93158874793, 60494538119,
     {"parallel": 95.151184, "load_balance": 99.248259,
      "communication": 95.871892, "serialisation": 97.952863,
      "transfer": 97.875538, "computation_scaling": 61.436394,
      "global": 58.457456, "ipc_scaling": 82.262861,
      "instruction_scaling": 91.017467, "frequency_scaling": 82.053509},
     9.360158),
]


def scaling():
    """The published serialisation makes the ideal run time: what is found is
    how the replay takes the ranks apart again, the product, and the scaling.
    The published "Runtime (ideal)" is not used. BasicAnalysis divides the
    longest computation of its simulated run by it, which differs a little from
    that of the run: 11484151.34 / 11504370.09 is 0.998243, not 0.998424."""
    for size, run, mean, longest, instructions, cycles, metrics, _ in EPOCH:
        useful = times_of(mean * 1000, longest * 1000, size)
        ranks, _ = chain(
            round(run * 1000), useful,
            round(useful[0] / metrics["serialisation"] * 100),
            f"outsideInstructions='{instructions // size}' "
            f"outsideCycles='{cycles // size}'")
        write(f"epoch{size}", [[states] for states in ranks])
    told = report(*(f"epoch{size}" for size, *_ in EPOCH))["scaling"]
    for found, (size, *_, metrics, speedup) in zip(told, EPOCH):
        assert found["ranks"] == size and found["mode"] == "strong"
        check(f"EPOCH {size}", found, speedup_ratio=speedup)
        check(f"EPOCH {size}", found["efficiencies"],
              **{key: value / 100 for key, value in metrics.items()})


programs()
hybrid()
scaling()
