#!/bin/sh
# The critical path of MPI programs that sleep for known times, as each MPI library
# runs them.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
python=$(command -v python3) || skip_all "no python3"

# Whether the path is right: PROGRAM. Other programs may keep ranks from running,
# so that times are longer; but ranks that sleep are on the path for as long.
cat >"$scratch/judge.py" <<'END'
import json
import sys

least = {
    # Seconds that each of the four ranks is on it at least.
    "ring": [0.1, 0.1, 0.1, 0.1],
    "pipeline": [0, 0.4, 0, 0],
    "imbalance": [0, 0, 0, 0.45],
    "master": [0, 0, 0, 0],
}[sys.argv[1]]
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
# Nobody on the path waits for what has not begun: all sleep but in calls.
slept = {"ring": 0.4, "pipeline": 0.4, "imbalance": 0.45, "master": 0.42}
assert path["computation_s"] >= slept[sys.argv[1]], path
# The others wait beside it.
waited = {"ring": 0.6, "pipeline": 0.4, "imbalance": 1.2, "master": 0.4}
assert path["beside_s"] >= waited[sys.argv[1]], path
END

# LIBRARY PROGRAM
path_is_right() {
	rm -rf "$scratch/run" && mkdir "$scratch/run" || return 1
	(cd "$scratch/run" && HDTRACE_MPI_PROJECT=run launch "$1" 4 \
		"$abs_top_builddir/tests/mpi/causes-$1" "$2") || return 1
	"$hdtrace" report -q --format=json "$scratch/run/run" \
		>"$scratch/report" || return 1
	"$python" "$scratch/judge.py" "$2" "$scratch/report"
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
