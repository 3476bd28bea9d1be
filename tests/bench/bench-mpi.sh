#!/bin/sh
# What tracing adds to a call of an MPI function; make bench-mpi calls it.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The same program runs without any wrapper, with one that only forwards
# (forward-mpi.c), and with libhdMPI; in turns, so that all meet the same
# machine. pingpong and allreduce have two ranks, which need a processor each: on
# a machine that is busy they say little. isend and poll have one.
#
#     bench-mpi.sh [quick]
#     bench-mpi.sh memory     only how memory grows, with 10^8 calls; minutes
#     bench-mpi.sh instructions   only instructions a call, of one rank, which no
#                             other program changes; a minute, needs valgrind
#                             (not of polls: time passes under it, and what is
#                             slow is another case there)
#
# Environment: BENCH_OPERATIONS ("pingpong allreduce isend poll"), BENCH_ROUNDS (5),
# BENCH_RANKS (as above), BENCH_CALLS (20000 a batch; with 2000, and nine rounds, runs
# are so short and so many that a busy machine does little harm to times of the
# calling thread), BENCH_MEMORY (calls in each of ten steps, 100000;
# with "memory" 10000000), MPIEXEC_OPENMPI, MPIEXEC_MPICH. Files go to memory, so
# that no disk is measured; that of what is written is given back at once.
[ ! -w /dev/shm ] || TMPDIR=${TMPDIR:-/dev/shm}
export TMPDIR
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
build=${abs_top_builddir:?}
rounds=${BENCH_ROUNDS:-5}
calls=${BENCH_CALLS:-20000}
memory=${BENCH_MEMORY:-100000}
case ${1-} in
quick)
	rounds=1
	calls=2000
	memory=10000
	;;
memory) memory=${BENCH_MEMORY:-10000000} ;;
esac
unset OMPI_MCA_mpi_yield_when_idle

# Run the program; its instructions are counted if $counts is set: LIBRARY VARIANT
# RANKS ARGUMENT...
# Its output goes to stdout.
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
		${counts:+valgrind --tool=callgrind --callgrind-out-file=/dev/null} \
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
	ranks=2
	case $2 in isend | poll) ranks=1 ;; esac
	ranks=${BENCH_RANKS:-$ranks}
	for _ in $(seq "$rounds"); do
		for variant in plain forward traced; do
			run "$1" $variant "$ranks" "$2" 20 "$calls" \
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

# Instructions of the process in so many calls: LIBRARY VARIANT OPERATION CALLS
instructions() {
	counts=yes
	run "$1" "$2" 1 "$3" 1 "$4" 2>&1 | awk '/refs:/ {
		gsub(",", ""); print $NF; found = 1 } END { exit !found }'
}

# Those of a call, by what more calls take: LIBRARY VARIANT OPERATION. The program
# makes as many before it measures.
instructions_each() {
	few=$(instructions "$@" 2000) && many=$(instructions "$@" 12000) &&
		echo $(((many - few) / 20000))
}

# A table of instructions.
counted() {
	echo "Instructions of a call, all threads, of one rank:"
	echo
	echo "| Library | Call | forwarded | traced | added |"
	echo "|---|---|--:|--:|--:|"
	for library in $list; do
		for operation in ${BENCH_OPERATIONS:-isend allreduce}; do
			forward=$(instructions_each "$library" forward \
				"$operation") &&
				traced=$(instructions_each "$library" traced \
					"$operation") || return 1
			echo "| $library | $operation | $forward | $traced |" \
				"**$((traced - forward))** |"
		done
	done
}

# Give back what files of the project take, while a process runs: PID
give_back() {
	while kill -0 "$1" 2>/dev/null; do
		for file in "$scratch"/run/*.trc; do
			size=$(stat -c %s "$file" 2>/dev/null) &&
				[ "$size" -gt 4096 ] && fallocate --punch-hole \
				--offset 0 --length "$size" "$file" 2>/dev/null
		done
		sleep 0.2
	done
}

# How memory grows with calls: LIBRARY
grows() {
	run "$1" traced 1 memory 10 "$memory" >"$scratch/memory" &
	running=$!
	give_back "$running"
	wait "$running" || return 1
	# The slope of the line through the points after the first few.
	awk -v library="$1" '
		NR > 3 { n++; x += $1; y += $2; xx += $1 * $1; xy += $1 * $2 }
		{ calls = $1; sizes = sizes " " $2 }
		END {
			slope = (n * xy - x * y) / (n * xx - x * x)
			printf "| %s | %d |%s | %.6f |\n", library, calls,
				sizes, slope * 1024
		}' "$scratch/memory"
}

# A table of calls.
costs() {
	echo "Time of a call in ns, median over $rounds runs of 20 batches of" \
		"$calls calls: elapsed,"
	echo "CPU time of the calling thread, and of all threads. Added is" \
		"what libhdMPI adds to"
	echo "a wrapper that only forwards."
	echo
	echo "| Library | Call | plain | forwarded | traced | added |" \
		"thread: plain | forwarded | traced | added |" \
		"process: plain | forwarded | traced | added |"
	echo "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
	for library in $list; do
		for operation in ${BENCH_OPERATIONS:-pingpong allreduce isend poll}; do
			compare "$library" "$operation" || return 1
		done
	done
	echo
}

# What is added to Isend, Irecv and Wait, in CPU time of the calling thread, as a ratio
# to its aim: two clock readings and 80 ns. LIBRARY
ratio() {
	[ -s "$scratch/$1-isend-traced" ] || return 0
	for _ in $(seq "$rounds"); do
		run "$1" plain 1 clock 20 "$calls" >>"$scratch/$1-clock" || return 1
	done
	for variant in forward traced; do
		median 2 "$scratch/$1-isend-$variant"
	done >"$scratch/medians"
	median 2 "$scratch/$1-clock" >>"$scratch/medians"
	awk -v library="$1" '{ value[NR] = $1 } END {
		added = value[2] - value[1]
		printf "| %s | %.0f | %.0f | **%.2f** |\n", library, added,
			value[3], added / (value[3] + 80) }' "$scratch/medians"
}

ratios() {
	echo "Added to Isend, Irecv and Wait in ns of the calling thread, two clock readings," \
		"and the ratio"
	echo "of what is added to these readings and 80 ns:"
	echo
	echo "| Library | Added | Two clock readings | Ratio |"
	echo "|---|--:|--:|--:|"
	for library in $list; do
		ratio "$library" || return 1
	done
	echo
}

list=$(built_libraries)
[ -n "$list" ] || { echo "no MPI library was built"; exit 0; }
if [ "${1-}" = instructions ]; then
	command -v valgrind >/dev/null || { echo "there is no valgrind"; exit 0; }
	counted
	exit
fi
[ "${1-}" = memory ] || { costs && ratios; } || exit 1
echo "Resident memory of a rank, and how it grows after the third of ten steps:"
echo
echo "| Library | Calls | KiB after each step | Bytes a call |"
echo "|---|--:|---|--:|"
for library in $list; do
	grows "$library" || exit 1
done
