#!/bin/sh
# Making a datatype like one that was made before costs little when it is recorded:
# beside making a group, whose calls are recorded, too, but not looked into.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"

# Three calls may cost as much as five of the two calls of a group; it was ten times.
cheap() {
	for try in 1 2 3 4; do
		rm -rf p.* p_*
		launch "$library" 1 "${abs_top_builddir:?}/hdmpirun" -p p \
			./typecost >out || return 1
		echo "try $try: $(cat out)"
		awk '{ exit !($1 < 5 * $2) }' out && return
	done
	return 1
}

# There are as many as were different, and the named one.
told_apart() {
	"$hdtrace" check p &&
		[ "$(grep -c '^Type ' p_*_0_0.info)" -eq 51 ]
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
	fi
	mkdir "$scratch/$library" && cd "$scratch/$library" || exit 99
	ok "$library: the program compiles" "$compiler" -O1 -o typecost \
		"$abs_top_srcdir/tests/mpi/typecost.c"
	ok "$library: equal datatypes take little time" cheap
	ok "$library: different datatypes are distinguished" told_apart
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
