#!/bin/sh
# The critical path of MPI programs that sleep for known times, as each MPI library
# runs them.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
python=$(command -v python3) || skip_all "no python3"

# Whether the path is right: PROGRAM REPORT DUMP. Other programs may keep ranks from
# running, so that times are longer; but ranks that sleep are on the path for as long.
# Of barriers it is the rank that came last, which the trace knows.
cat >"$scratch/judge.py" <<'END'
import json
import sys



def barriers():
    """What each rank computes before each barrier that it enters last, added up,
    and how long the others wait for it."""
    ranks = {}
    for trace in json.load(open(sys.argv[3]))["traces"]:
        end = None
        ranks[int(trace["node"].split("_")[-2])] = rounds = []
        for state in trace["records"]:
            if state["kind"] != "state" or state["depth"] > 0:
                continue
            if state["name"] == "Barrier":
                rounds.append((state["start"], state["start"] - end))
            end = state["end"]
    computed, waited = [0.0] * 4, 0.0
    for number in range(3):
        entered = sorted((ranks[rank][number], rank) for rank in ranks)
        (last, before), rank = entered[-1]
        # Of two at the same time either may be it.
        if last - entered[-2][0][0] > 0.001:
            computed[rank] += before - 0.001
        waited += sum(last - start for (start, _), _ in entered)
    return computed, waited


least = {
    # Seconds that each of the four ranks is on it at least.
    "ring": [0.1, 0.1, 0.1, 0.1],
    "pipeline": [0, 0.8, 0, 0],
    "imbalance": None,
    "master": [0, 0, 0, 0],
}[sys.argv[1]]
# Nobody on the path waits for what has not begun: all sleep but in calls.
slept = {"ring": 0.4, "pipeline": 0.8, "imbalance": 0.45, "master": 0.42}[sys.argv[1]]
# The others wait beside it.
waited = {"ring": 0.6, "pipeline": 0.8, "imbalance": 1.2, "master": 0.4}[sys.argv[1]]
if least is None:
    least, waited = barriers()
    # Each of three times the last rank sleeps, or another one takes longer.
    slept = sum(least)
    waited -= 0.001
path = json.load(open(sys.argv[2]))["critical_path"]
ranks = {r["rank"]: r for r in path["by_rank"]}
for rank, time in enumerate(least):
    found = ranks.get(rank, {"time_s": 0, "mpi_s": 0})
    worked = found["time_s"] - found["mpi_s"]
    assert worked >= time - 1e-6, (rank, worked, ranks)
if sys.argv[1] == "master":
    # It is the worker that has the long one; the master may be kept from running.
    longest = max((r for r in ranks.values() if r["rank"] > 0),
                  key=lambda r: r["time_s"] - r["mpi_s"])
    assert longest["time_s"] - longest["mpi_s"] >= 0.4, ranks
assert abs(sum(r["time_s"] for r in ranks.values()) - path["length_s"]) < 1e-6
assert abs(sum(s["time_s"] for s in path["by_state"]) - path["length_s"]) < 1e-6
assert path["dependencies"]["unpaired"] == 0, path["dependencies"]
assert path["dependencies"]["unpaired_collectives"] == 0, path["dependencies"]
assert path["dependencies"]["backwards"] == 0, path["dependencies"]
assert path["computation_s"] >= slept, (slept, path)
assert path["beside_s"] >= waited, (waited, path)
END

# LIBRARY PROGRAM
path_is_right() {
	rm -rf "$scratch/run" && mkdir "$scratch/run" || return 1
	(cd "$scratch/run" && HDTRACE_MPI_PROJECT=run launch "$1" 4 \
		"$abs_top_builddir/tests/mpi/causes-$1" "$2") || return 1
	"$hdtrace" report -q --format=json "$scratch/run/run" \
		>"$scratch/report" || return 1
	"$hdtrace" dump -q --only=traces --format=json "$scratch/run/run" \
		>"$scratch/dump" || return 1
	"$python" "$scratch/judge.py" "$2" "$scratch/report" "$scratch/dump"
}

for library in $(built_libraries); do
	can_launch "$library" || {
		skip "programs of $library" "its programs do not run here"
		continue
	}
	for program in ring pipeline master imbalance; do
		ok "$library: dependencies of $program are as expected" path_is_right "$library" "$program"
	done
done
done_testing
