#!/bin/sh
# MPI calls that the program leaves by longjmp() in a handler of errors end there: later
# calls, regions and computation are not inside them.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"
hdmpirun=${abs_top_builddir:?}/hdmpirun
cd "$scratch" || exit 99

runs() {
	rm -rf p.proj p_*
	launch "$1" 1 env HDTRACE_MPI_NESTED=9 "$hdmpirun" -p p "./left-$1" &&
		"$hdtrace" check p
}

# Each call in its place, with the depth, and whether it was left.
as_called() {
	"$hdtrace" dump p >dumped
	sed -n 's/^  [0-9.]* [0-9.]* \( *[A-Z]\)/\1/p' dumped |
		grep -E '^ *(Send|Sendrecv|Barrier|Work)( |$)' |
		sed 's/^\( *[A-Za-z]*\) .*left="1".*/\1 left/; s/ cid=.*//' >found
	for round in 1 2 3 4 5; do
		case $round in
		[135]) first=Send second=Sendrecv ;;
		*) first=Sendrecv second=Send ;;
		esac
		printf '%s left\n  Barrier\n  %s left\nWork\nBarrier\n' "$first" "$second"
	done >expected
	diff -u expected found
}

for library in $(built_libraries); do
	case $library in
	openmpi) compiler=$MPICC_OPENMPI ;;
	mpich) compiler=$MPICC_MPICH ;;
	esac
	if ! can_launch "$library" || [ -z "$compiler" ]; then
		skip "$library" "mpiexec or mpicc does not work here"
		continue
	fi
	ok "$library: the program compiles" "$compiler" -O1 -o "left-$library" \
		"$abs_top_srcdir/tests/mpi/left.c"
	ok "$library: calls that the program leaves are recorded" runs "$library"
	ok "$library: nothing is inside a call that was left" as_called
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
