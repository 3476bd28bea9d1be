#!/bin/sh
# Processes that a program starts by MPI_Comm_spawn have a project of their own, with
# the settings of the program; its hints and arguments stay.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"
hdmpirun=${abs_top_builddir:?}/hdmpirun
unset HDTRACE_MPI_VERBOSITY

# Run the program ARGUMENT... with hdmpirun; it says what those that were started
# say, and nothing else, so many times: COUNT TEXT ARGUMENT...
run() {
	count=$1
	text=$2
	shift 2
	rm -rf p.* p_* p-*
	launch "$library" 2 "$hdmpirun" -p p --classes=all,-type ./spawn "$@" \
		>out 2>&1
	status=$?
	cat out
	[ "$status" -eq 0 ] && [ "$(wc -l <out)" -eq "$count" ] &&
		[ "$(grep -cx "$text" out)" -eq "$count" ]
}

# A project has two ranks, of which each met processes of another one so often:
# PROJECT COUNT
has_ranks() {
	[ -f "$1.proj" ] && "$hdtrace" check "$1" || return 1
	[ "$("$hdtrace" dump "$1" | grep -c ' Finalize$')" -eq 2 ] &&
		[ "$("$hdtrace" dump "$1" | grep -c ' Barrier ')" -eq \
			$((2 * $2)) ]
}

one() {
	run 2 "started 3 one 0 -" one && has_ranks p 1 && has_ranks p-2 1
}

several() {
	run 2 "started 3 several 0 -" several && has_ranks p 1 &&
		has_ranks p-2 1
}

# The program's own hints for them hold, too.
hints() {
	run 2 "started 3 hints 0 given" hints && has_ranks p 1 && has_ranks p-2 1
}

generations() {
	run 4 "started 3 one [01] -" one 2 && has_ranks p 1 &&
		has_ranks p-2 2 && has_ranks p-3 1
}

# Their variables may not fit into what the MPI library has room for.
no_room() {
	rm -rf p.* p_* p-*
	LD_PRELOAD=$(printf '%0300d' 0 | sed 's/0/\//g')libc.so.6 \
		launch "$library" 2 "$hdmpirun" -p p ./spawn one >out 2>&1
	cat out
	has_ranks p 1 && [ ! -e p-2.proj ] &&
		[ "$(grep -c '^libhdMPI: processes of MPI_Comm_spawn are not recorded: ' out)" -eq 1 ]
}

for library in $(built_libraries); do
	can_launch "$library" || {
		skip "$library" "mpiexec does not work here"
		continue
	}
	case $library in
	openmpi) compiler=$MPICC_OPENMPI ;;
	mpich) compiler=$MPICC_MPICH ;;
	esac
	if [ -z "$compiler" ]; then
		skip "$library" "there is no mpicc"
		continue
	elif ! can_be_dynamic "$library" spawn; then
		skip "$library" "it starts no processes here: $(cat "$scratch/cannot")"
		continue
	fi
	mkdir "$scratch/$library" && cd "$scratch/$library" || exit 99
	ok "$library: the program compiles" "$compiler" -o spawn \
		"$abs_top_srcdir/tests/mpi/spawn.c"
	ok "$library: spawned processes have their own project" one
	ok "$library: processes of several commands are recorded" several
	ok "$library: hints of spawned processes are kept" hints
	ok "$library: spawned processes can spawn processes" generations
	ok "$library: missing room for variables is reported" no_room
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
