#!/bin/sh
# Waits of MPI programs that sleep, as their own clocks know them, with each MPI
# library.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
python=$(command -v python3) || skip_all "no python3"

cat >"$scratch/judge.py" <<'END'
import json
import sys

enters = {}
for line in open(sys.argv[1]):
    section, rank, time = line.split()
    enters.setdefault(int(section), {}).setdefault(int(rank),
                                                   []).append(float(time))
findings = {f["kind"]: f for f in json.load(open(sys.argv[2]))["findings"]}


def pair(section, rank, cause):
    """A rank that entered waits until another one does."""
    return enters[section][cause][0] - enters[section][rank][0]


def last(section):
    times = [t[0] for t in enters[section].values()]
    return sum(max(times) - t for t in times)


# Kind: seconds, ranks that wait, ranks that they wait for. Other programs may keep
# ranks from running, so that a rank of a call waits a little for others, too.
known = {
    "late-sender": (pair(1, 0, 1) + pair(3, 0, 1) + pair(4, 0, 1), {0}, {1}),
    "late-receiver": (pair(2, 0, 1), {0}, {1}),
    "late-sender-wrong-order": (pair(3, 0, 1), {0}, {1}),
    "wait-at-barrier": (last(5) + last(18), {0, 1}, {2}),
    "wait-at-nxn": (last(6), {0, 2}, {1}),
    "late-broadcast": (pair(7, 0, 1) + pair(7, 2, 1) + max(0, pair(0, 1, 0)) +
                       max(0, pair(0, 2, 0)), {0, 2}, {1}),
    "early-reduce": (pair(8, 0, 2), {0}, {2}),
    "wait-at-fence": (last(10) + last(11), {0, 1}, {2}),
    "late-post": (pair(12, 0, 1), {0}, {1}),
    "early-wait": (enters[12][0][1] - enters[12][1][1], {1}, {0}),
    "late-complete": (enters[12][0][1] - enters[12][1][1], {1}, {0}),
    "rma-lock": (pair(13, 1, 0) + pair(14, 2, 0), {1, 2}, {0}),
    # Opening and closing a file may wait, too.
    "io-wait": ((last(16), last(15) + last(16) + last(17)), {0, 2}, {1}),
    "early-scan": (pair(9, 1, 0) + pair(9, 2, 0), {1, 2}, {0}),
}
for kind, (time, waiting, causing) in known.items():
    found = findings[kind]
    print(kind, found["time_s"], time, found["waiting"], found["causing"])
    low, high = time if isinstance(time, tuple) else (time, time)
    tolerance = max(0.005, 0.02 * high)
    assert low - tolerance <= found["time_s"] <= high + tolerance, kind
    assert waiting <= set(found["waiting"]), kind
    assert found["causing"][0] in causing, kind
END

# Once more if other programs kept a rank from running between its clock and its
# call: LIBRARY
waits_are_known() {
	for try in 1 2 3; do
		rm -rf "$scratch/run" && mkdir "$scratch/run" || return 1
		(cd "$scratch/run" && HDTRACE_MPI_PROJECT=run launch "$1" 3 \
			"$abs_top_builddir/tests/mpi/waits-$1") >"$scratch/clocks" ||
			return 1
		"$hdtrace" report -q --format=json "$scratch/run/run" \
			>"$scratch/report" || return 1
		echo "run $try"
		"$python" "$scratch/judge.py" "$scratch/clocks" "$scratch/report" &&
			return 0
	done
	return 1
}

for library in $(built_libraries); do
	can_launch "$library" || {
		skip "waits with $library" "its programs do not run here"
		continue
	}
	ok "$library: kinds, times and ranks of waits are as the ranks know them" \
		waits_are_known "$library"
done
done_testing
