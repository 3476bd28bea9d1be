#!/bin/sh
# Programs that call MPI from several threads at a time.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain threads mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
case ${HD_SANITIZE-} in
*thread*)
	# What the MPI libraries do inside is their matter. UCX intercepts calls
	# where a thread is not known to ThreadSanitizer any more.
	TSAN_OPTIONS="suppressions=$abs_top_srcdir/tests/mpi/tsan.supp ${TSAN_OPTIONS-}"
	UCX_MEM_EVENTS=n
	export TSAN_OPTIONS UCX_MEM_EVENTS
	;;
esac

# Run a part of the program with two ranks: LIBRARY PART
run() {
	directory=$scratch/$1-$2
	mkdir "$directory" || return 1
	(cd "$directory" && HDTRACE_MPI_PROJECT=calls launch "$1" 2 \
		"${abs_top_builddir:?}/tests/mpi/calls-$1" "$2" .) || return 1
	"$hdtrace" check "$directory/calls"
}

# The first threads follow each other in one trace. Of the two that run at the
# same time each goes on in a trace, and does not mix with the other one.
threads() {
	run "$1" threads || return 1
	for rank in 0 1; do
		node=$(host_label)_${rank}
		[ ! -e "$directory/calls_${node}_3.trc" ] || return 1
		sed 's/"//g' "$directory/expected_${rank}_0" >"$scratch/expected"
		records "$directory/calls" "${node}_0" >"$scratch/found"
		diff -u "$scratch/expected" "$scratch/found" || return 1
		records "$directory/calls" "${node}_1" >"$scratch/first"
		records "$directory/calls" "${node}_2" >"$scratch/second"
		# 100 calls each: one after the other, then at the same time.
		sed 's/"//g' "$directory/expected_${rank}_1" >"$scratch/expected"
		head -n 200 "$scratch/first" | diff -u "$scratch/expected" - ||
			return 1
		sed 1,200d "$scratch/first" >"$scratch/later"
		cat "$scratch/later" "$scratch/second" | sort >"$scratch/both"
		sort "$scratch/expected" | diff -u - "$scratch/both" || return 1
		# What follows each other in a trace has one tag.
		for trace in later second; do
			[ "$(grep -o 'Tag=[0-9]*' "$scratch/$trace" | uniq |
				wc -l)" -le 2 ] || return 1
		done
	done
}

# What all threads of a rank have recorded goes to a file: RANK
dump_rank() {
	for file in "$directory/calls_$(host_label)_$1"_*.trc; do
		number=${file##*_}
		records "$directory/calls" "$(host_label)_$1_${number%.trc}"
	done >"$scratch/rank"
}

# How many states of a name that has: NAME
count() {
	grep -cE "^ *$1( |\$)" "$scratch/rank"
}

# Four threads and 50 rounds; nothing is lost or twice.
race() {
	run "$1" race || return 1
	for rank in 0 1; do
		dump_rank "$rank"
		for name in Work Type_contiguous Irecv Isend Waitall Barrier \
			Type_free; do
			found=$(count "$name")
			echo "rank $rank: $found $name"
			[ "$found" -eq 200 ] || return 1
		done
		for name in Comm_dup Comm_free; do
			[ "$(count "$name")" -eq 204 ] || return 1
		done
		[ "$(count 'event late')" -ge 1 ] || return 1
	done
}

for library in $(built_libraries); do
	can_launch "$library" || {
		skip "$library" "mpiexec does not work here"
		continue
	}
	ok "$library: concurrent calls of threads are recorded" threads "$library"
	ok "$library: racing threads lose no record" race "$library"
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
