#!/bin/bash
# What the translator costs: the same load on the same volume with and without it,
# and with what GlusterFS has itself, again and again in turns.
#
#     overhead.sh [ROUNDS]      prints a table, and exits 1 if a target is missed
#
# Of each run it takes the CPU time of all processes of the volume, and the time that
# the load took. Absent: no translator at all. Off: it is there and records nothing.
# The other variants are in variants.sh.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/gluster/variants.sh"
rounds=${1:-5}
variants=${HDTRACE_VARIANTS:-absent off empty gauges all io-stats trace}
operations=${HDTRACE_OPERATIONS:-4000}

# CPU time of the volume's processes so far, in seconds.
cpu_time() {
	local pid

	for pid in "${volume_pids[@]}"; do
		cat "/proc/$pid/stat"
	done | awk -v hz="$(getconf CLK_TCK)" \
		'{ sub(/.*\) /, ""); sum += $12 + $13 } END { print sum / hz }'
}

run() {
	local before

	start_variant
	before=$(cpu_time)
	load_variant --number_ios="$operations" || exit 99
	python3 - "$scratch/fio.json" "$variant" "$before" "$(cpu_time)" <<-'END'
		import json, sys
		job = json.load(open(sys.argv[1]))["jobs"][0]
		total = job["read"]["io_bytes"] + job["write"]["io_bytes"]
		wall = job["job_runtime"] / 1000
		print(sys.argv[2], float(sys.argv[4]) - float(sys.argv[3]), wall,
		      total / 4096, total / wall / 1e6)
	END
	stop_volume
}

for ((round = 0; round < rounds; round++)); do
	for variant in $variants; do
		run
	done
done >"$scratch/runs"
[ -z "${HDTRACE_RUNS-}" ] || cp "$scratch/runs" "$HDTRACE_RUNS"

python3 - "$scratch/runs" <<'END'
import collections, statistics, sys
runs = collections.defaultdict(list)
for line in open(sys.argv[1]):
    name, *numbers = line.split()
    runs[name].append([float(i) for i in numbers])
# Each round against what was absent in the same round: the machine changes.
base = runs["absent"]


def middle(name, column):
    return statistics.median(i[column] for i in runs[name])


def more(name, column):
    return [(a[column] / a[2]) / (b[column] / b[2]) - 1
            for a, b in zip(runs[name], base)]


print("| variant | CPU per operation | CPU | wall, median | least, most |"
      " MB/s |\n|---|---|---|---|---|---|")
for name in runs:
    cpu, wall = more(name, 0), more(name, 1)
    print(f"| {name} "
          f"| {statistics.median(i[0] / i[2] for i in runs[name]) * 1e6:.1f} us "
          f"| {statistics.median(cpu):+.1%} | {statistics.median(wall):+.1%} "
          f"| {min(wall):+.1%}, {max(wall):+.1%} | {middle(name, 3):.1f} |")
missed = []
# What absent differs from itself: neighbours in time.
noise = [abs(a[0] / a[2] / (b[0] / b[2]) - 1) for a, b in zip(base, base[1:])]
noise = max(noise) if noise else 0
if "all" in runs and statistics.median(more("all", 1)) > 0.05:
    missed.append("all: more than 5 % of wall time")
if "off" in runs and abs(statistics.median(more("off", 0))) > max(noise, .02):
    missed.append("off: can be told from absent")
if "all" in runs and "trace" in runs:
    ours = statistics.median(more("all", 0))
    theirs = statistics.median(more("trace", 0))
    print(f"\nCPU time that is added: trace {theirs / max(ours, 1e-9):.1f} times"
          " that of all")
    if theirs < 5 * ours:
        missed.append("all: not 5 times below debug/trace")
for i in missed:
    print("missed:", i)
sys.exit(1 if missed else 0)
END
