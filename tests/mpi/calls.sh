#!/bin/sh
# What libhdMPI records of the calls that a program makes, of every class of
# functions.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"

# Run a part of the program and compare: LIBRARY RANKS PART
calls() {
	mkdir "$scratch/$1-$3" || return 1
	(cd "$scratch/$1-$3" &&
		HDTRACE_MPI_PROJECT=calls launch "$1" "$2" \
			"${abs_top_builddir:?}/tests/mpi/calls-$1" "$3" .) &&
		as_expected "$scratch/$1-$3" calls
}

# The first threads follow each other in one trace. Of the two that run at the
# same time each goes on in a trace, and does not mix with the other one.
threads() {
	directory=$scratch/$1-threads
	mkdir "$directory" || return 1
	(cd "$directory" && HDTRACE_MPI_PROJECT=calls launch "$1" 2 \
		"${abs_top_builddir:?}/tests/mpi/calls-$1" threads .) || return 1
	"$hdtrace" check "$directory/calls" || return 1
	for rank in 0 1; do
		node=$(host_label)_${rank}
		[ ! -e "$directory/calls_${node}_3.trc" ] || return 1
		sed 's/"//g' "$directory/expected_${rank}_0" >"$scratch/expected"
		records "$directory/calls" "${node}_0" >"$scratch/found"
		diff -u "$scratch/expected" "$scratch/found" || return 1
		records "$directory/calls" "${node}_1" >"$scratch/first"
		records "$directory/calls" "${node}_2" >"$scratch/second"
		# 400 calls each: one after the other, then at the same time.
		sed 's/"//g' "$directory/expected_${rank}_1" >"$scratch/expected"
		head -n 800 "$scratch/first" | diff -u "$scratch/expected" - ||
			return 1
		sed 1,800d "$scratch/first" >"$scratch/later"
		cat "$scratch/later" "$scratch/second" | sort >"$scratch/both"
		sort "$scratch/expected" | diff -u - "$scratch/both" || return 1
		# What follows each other in a trace has one tag.
		for trace in later second; do
			[ "$(grep -o 'Tag=[0-9]*' "$scratch/$trace" | uniq |
				wc -l)" -le 2 ] || return 1
		done
	done
}

# Memory is checked by the program. The same communicators again and again have
# few lines in the file.
many() {
	mkdir "$scratch/$1-many" || return 1
	(cd "$scratch/$1-many" &&
		HDTRACE_MPI_PROJECT=calls launch "$1" 1 \
			"${abs_top_builddir:?}/tests/mpi/calls-$1" many .) &&
		"$hdtrace" check "$scratch/$1-many/calls" || return 1
	lines=$(cat "$scratch/$1-many"/*.info | wc -l)
	echo "$lines lines of information"
	[ "$lines" -lt 20 ]
}

for library in $(built_libraries); do
	can_launch "$library" || {
		skip "$library" "mpiexec does not work here"
		continue
	}
	for part in point-to-point requests persistent collective nonblocking \
		neighbors one-sided files comms types regions; do
		ok "$library: $part" calls "$library" 3 $part
	done
	ok "$library: threads" threads "$library"
	ok "$library: many" many "$library"
done
[ -z "${HD_SANITIZE-}" ] || ok "no memory is lost" none_leaked
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
