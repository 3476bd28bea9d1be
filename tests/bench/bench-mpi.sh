#!/bin/sh
# What tracing adds to a call of an MPI function; make bench-mpi calls it.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The same program runs without any wrapper, with one that only forwards
# (forward-mpi.c), and with libhdMPI; in turns, so that all meet the same
# machine. Two ranks, which need a processor each: on a machine that is busy the
# figures of pingpong and allreduce say little, those of isend more.
#
#     bench-mpi.sh [quick]
#
# Environment: BENCH_ROUNDS (5), BENCH_CALLS (20000 a batch), BENCH_MEMORY
# (calls in each of ten steps, 100000), MPIEXEC_OPENMPI, MPIEXEC_MPICH.
# Files go to memory, so that no disk is measured.
[ ! -w /dev/shm ] || TMPDIR=${TMPDIR:-/dev/shm}
export TMPDIR
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
build=${abs_top_builddir:?}
rounds=${BENCH_ROUNDS:-5}
calls=${BENCH_CALLS:-20000}
memory=${BENCH_MEMORY:-100000}
if [ "${1-}" = quick ]; then
	rounds=1
	calls=2000
	memory=10000
fi
unset OMPI_MCA_mpi_yield_when_idle

# Run the program: LIBRARY VARIANT RANKS ARGUMENT... Its output goes to stdout.
run() {
	library=$1
	case $2 in
	plain) preload= ;;
	forward) preload=$build/tests/bench/forward-$1.so ;;
	traced) preload=$build/libhdMPI-$1.so ;;
	esac
	launched=$3
	shift 3
	rm -rf "$scratch/run" && mkdir "$scratch/run" || return 1
	(cd "$scratch/run" && HDTRACE_MPI_PROJ=0 HDTRACE_MPI_PROJECT=run \
		launch "$library" "$launched" env LD_PRELOAD="$preload" \
		"$build/tests/bench/bench-mpi-$library" "$@")
}

# Print the median of a column of a file: COLUMN FILE
median() {
	sort -n -k "$1,$1" "$2" | awk -v column="$1" '
		{ value[NR] = $column }
		END { print value[int((NR + 1) / 2)] }'
}

# A line of the table: LIBRARY OPERATION
compare() {
	for _ in $(seq "$rounds"); do
		for variant in plain forward traced; do
			run "$1" $variant 2 "$2" 20 "$calls" \
				>>"$scratch/$1-$2-$variant" || return 1
		done
	done
	line="| $1 | $2 |"
	for column in 1 2 3; do
		for variant in plain forward traced; do
			median $column "$scratch/$1-$2-$variant"
		done >"$scratch/medians"
		line="$line $(awk '{ value[NR] = $1 } END {
			printf "%.0f | %.0f | %.0f | **%.0f** |", value[1],
				value[2], value[3], value[3] - value[2] }' \
			"$scratch/medians")"
	done
	echo "$line"
}

# How memory grows with calls: LIBRARY
grows() {
	run "$1" traced 1 memory 10 "$memory" >"$scratch/memory" || return 1
	# The slope of the line through the points after the first few.
	awk -v library="$1" '
		NR > 3 { n++; x += $1; y += $2; xx += $1 * $1; xy += $1 * $2 }
		{ calls = $1; size = $2 }
		END {
			slope = (n * xy - x * y) / (n * xx - x * x)
			printf "| %s | %d | %d | %.4f |\n", library, calls,
				size, slope * 1024
		}' "$scratch/memory"
}

list=$(built_libraries)
[ -n "$list" ] || { echo "no MPI library was built"; exit 0; }
echo "Time of a call in ns, median over $rounds runs of 20 batches of $calls" \
	"calls: elapsed, CPU time"
echo "of the calling thread, and of all threads. Added is what libhdMPI adds to"
echo "a wrapper that only forwards."
echo
echo "| Library | Call | plain | forwarded | traced | added |" \
	"thread: plain | forwarded | traced | added |" \
	"process: plain | forwarded | traced | added |"
echo "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
for library in $list; do
	for operation in pingpong allreduce isend; do
		compare "$library" $operation || exit 1
	done
done
echo
echo "Memory of one rank:"
echo
echo "| Library | Calls | KiB at the end | Bytes a call |"
echo "|---|--:|--:|--:|"
for library in $list; do
	grows "$library" || exit 1
done
