#!/bin/sh
# What libhdMPI records of the calls that a program makes, of every class of
# functions.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# calls.sh many: only very many requests, communicators and datatypes, a million
# and 100,000 unless HDTRACE_TEST_REQUESTS says how many; make verify-mpi-many.
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

# Processes that a program starts are worlds of their own, with projects of their
# own. Where one ends before the next one begins names tell their order.
spawn() {
	mkdir "$scratch/$1-spawn" && mkdir "$scratch/$1-spawn/one" \
		"$scratch/$1-spawn/two" || return 1
	(cd "$scratch/$1-spawn" &&
		HDTRACE_MPI_PROJECT=calls launch "$1" 2 \
			"${abs_top_builddir:?}/tests/mpi/calls-$1" spawn .)
	# 77: the library starts no processes (Debian's MPICH); but as_expected
	# then holds, too.
	spawned=$?
	[ "$spawned" -eq 0 ] || [ "$spawned" -eq 77 ] || return 1
	as_expected "$scratch/$1-spawn" calls || return 1
	[ "$spawned" -eq 0 ] || return 0
	for world in one:calls-2 two:calls-3; do
		directory=$scratch/$1-spawn/${world%:*}
		mv "$scratch/$1-spawn/${world#*:}"* "$directory" &&
			as_expected "$directory" "${world#*:}" || return 1
	done
	[ -f "$directory/expected_1_0" ]
}

# LIBRARY REQUESTS. Memory is checked by the program. The same communicators again and again have
# few lines in the file. Messages are tracked, but not recorded.
many() {
	mkdir "$scratch/$1-many" || return 1
	(cd "$scratch/$1-many" &&
		HDTRACE_MPI_PROJECT=calls HDTRACE_MPI_FUNCTIONS=-p2p \
			HDTRACE_TEST_REQUESTS="${HDTRACE_TEST_REQUESTS:-$2}" \
			launch "$1" 1 \
			"${abs_top_builddir:?}/tests/mpi/calls-$1" many .) &&
		"$hdtrace" check "$scratch/$1-many/calls" || return 1
	lines=$(cat "$scratch/$1-many"/*.info | wc -l)
	echo "$lines lines of information"
	[ "$lines" -lt 20 ]
}

if [ "${1-}" = many ]; then
	for library in $(built_libraries); do
		ok "$library: many" many "$library" 1000000
		cat "$details"
	done
	done_testing
fi
for library in $(built_libraries); do
	can_launch "$library" || {
		skip "$library" "mpiexec does not work here"
		continue
	}
	for part in point-to-point requests persistent modes collective \
		nonblocking neighbors one-sided windows files file-access \
		comms more-comms types packing regions; do
		ok "$library: $part" calls "$library" 3 $part
	done
	ok "$library: spawn" spawn "$library"
	[ "$spawned" -ne 77 ] ||
		skip "$library: spawned" "the library starts no processes"
	ok "$library: many" many "$library" 100000
done
[ -z "${HD_SANITIZE-}" ] || ok "no memory is lost" none_leaked
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
