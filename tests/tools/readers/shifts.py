# SPDX-License-Identifier: LGPL-2.1-or-later
"""shifts.py HDTRACE: clocks of three hosts that are wrong by up to 5 ms each, as their
project says, change no kind of waits of 20 ms or longer."""
import itertools
import json
import subprocess
import sys

ERROR = 0.005
LONG = 0.02
ranks = [[], [], []]
time = 10.0


def at(rank, name, start, end, attributes=""):
    """A state in the section, in seconds since its start."""
    ranks[rank].append((name, time + start, time + end, attributes))


def section():
    global time
    time += 2


def all_ranks(name, attributes="", enters=(0, 0.1, 0.3)):
    for rank, enter in enumerate(enters):
        at(rank, name, enter, 0.301, attributes)
    section()


for rank in range(3):
    at(rank, "Init", -0.2, -0.1)
    at(rank, "Win_create", -0.09, -0.08, "wid='0'")
    at(rank, "File_open", -0.05, -0.04, "fid='0' name='data'")
at(0, "Recv", 0, 0.201, "fromRank='1' fromTag='1'")
at(1, "Send", 0.2, 0.201, "toRank='0' toTag='1'")
section()
# The first one leaves 1 ms after the receive is posted: clocks may tell that it left before.
for tag, name in ((2, "Ssend"), (3, "Send")):
    at(0, name, 0, 0.201, f"toRank='1' toTag='{tag}'")
    at(1, "Recv", 0.2, 0.202, f"fromRank='0' fromTag='{tag}'")
    section()
at(0, "Recv", 0, 0.201, "fromRank='1' fromTag='4'")
at(0, "Recv", 0.21, 0.22, "fromRank='2' fromTag='5'")
at(1, "Send", 0.2, 0.201, "toRank='0' toTag='4'")
at(2, "Send", 0.1, 0.101, "toRank='0' toTag='5'")
section()
all_ranks("Barrier")
all_ranks("Allreduce")
all_ranks("Bcast", "rootRank='2'")
all_ranks("Reduce", "rootRank='0'")
all_ranks("Scan", enters=(0.3, 0.1, 0))
at(1, "Put", -0.1, 0.05, "wid='0' toRank='0'")
all_ranks("Win_fence", "wid='0'")
at(0, "Win_start", 0, 0.101, "wid='0' ranks='1'")
at(0, "Put", 0.11, 0.12, "wid='0' toRank='1'")
at(0, "Win_complete", 0.3, 0.301, "wid='0'")
at(1, "Win_post", 0.1, 0.101, "wid='0' ranks='0'")
at(1, "Win_wait", 0.15, 0.302, "wid='0'")
section()
at(0, "Win_lock", 0, 0.001, "wid='0' toRank='2' exclusive='1'")
at(0, "Win_unlock", 0.2, 0.201, "wid='0' toRank='2'")
at(1, "Win_lock", 0.1, 0.202, "wid='0' toRank='2' exclusive='1'")
at(1, "Win_unlock", 0.3, 0.301, "wid='0' toRank='2'")
section()
all_ranks("File_write_all", "fid='0'")
all_ranks("Finalize")


def found(shifts):
    """Kinds with their findings, if hosts' clocks are so much ahead."""
    for rank, (states, shift) in enumerate(zip(ranks, shifts)):
        with open(f"run_h{rank}_{rank}.trc", "w") as out:
            out.write("<Program timeAdjustment='0' levels='Host Rank'>\n")
            for name, start, end, attributes in states:
                out.write(f"<{name} time='{start + shift:.9f}' "
                          f"end='{end + shift:.9f}' cid='0' size='8' "
                          f"{attributes}/>\n")
            out.write("</Program>\n")
    report = subprocess.run([sys.argv[1], "report", "--format=json", "run"],
                            stdout=subprocess.PIPE, check=True).stdout
    return {f["kind"]: f for f in json.loads(report)["findings"]
            if f["kind"] != "imbalance" and f["time_s"] / f["count"] >= LONG}


nodes = "".join(f'<Node name="h{i}"><Node name="{i}"/></Node>' for i in range(3))
world = "".join(f'<Rank global="{i}" local="{i}" cid="0"/>' for i in range(3))
clocks = "".join(f'<Clock node="h{i}" method="m" error="{ERROR}"/>' for i in range(3))
with open("run.proj", "w") as out:
    out.write(f'''<?xml version="1.0" encoding="UTF-8"?>
<Application name="run"><Description/><Topology>
<Level type="Host"><Level type="Rank"/></Level>{nodes}</Topology>
<CommunicatorList><Communicator name="WORLD">{world}</Communicator></CommunicatorList>
<Datatypes/><ClockList>{clocks}</ClockList><ExternalStatistics/></Application>
''')
known = found((0, 0, 0))
print(sorted(known))
assert set(known) >= {
    "late-sender", "late-sender-wrong-order", "late-receiver", "wait-at-barrier",
    "wait-at-nxn", "late-broadcast", "early-reduce", "early-scan", "wait-at-fence",
    "early-fence", "late-post", "early-wait", "late-complete", "rma-lock", "io-wait"}
for shifts in itertools.product((-ERROR, ERROR), repeat=3):
    now = found(shifts)
    assert set(now) == set(known), (shifts, set(now) ^ set(known))
    for kind, finding in now.items():
        count = max(finding["count"], known[kind]["count"])
        assert abs(finding["time_s"] - known[kind]["time_s"]) <= \
            count * 2 * ERROR + 1e-9, (shifts, kind)
