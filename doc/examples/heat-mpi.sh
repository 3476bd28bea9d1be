#!/bin/sh
# hdmpirun records the MPI example as ./quickstart shows it.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
[ -n "$(built_libraries)" ] || skip_all "built without MPI"
cd "$scratch" || exit 99

# Compile the example: LIBRARY.
compiles() {
	case $1 in
	openmpi) compiler=$MPICC_OPENMPI ;;
	mpich) compiler=$MPICC_MPICH ;;
	esac
	"$compiler" -O2 -o heat-mpi "$abs_top_srcdir/doc/examples/heat-mpi.c" -lm
}

# Record it with a number of ranks: LIBRARY RANKS.
records_run() {
	launch "$1" "$2" "${abs_top_builddir:?}/hdmpirun" -p "$1-$2" \
		./heat-mpi 50 >out 2>&1 || { cat out; return 1; }
	cat out
	grep -q "^$2 ranks, 50 steps, last change " out &&
		"$hdtrace" check "$1-$2"
}

# The report has the MPI functions of the example: LIBRARY RANKS.
reports() {
	"$hdtrace" report --all "$1-$2" >report.text || return 1
	cat report.text
	grep -q Sendrecv report.text && grep -q Allreduce report.text
}

for library in $(built_libraries); do
	can_launch "$library" || {
		skip "$library" "mpiexec does not work here"
		continue
	}
	ok "$library: compilation" compiles "$library"
	for ranks in 1 2 5; do
		ok "$library: recording of $ranks ranks" records_run "$library" $ranks
	done
	ok "$library: MPI functions in the report" reports "$library" 5
done
done_testing
