#!/bin/sh
# What libhdMPI records of programs in Fortran: mpif.h, "use mpi" and mpi_f08;
# preloaded, and linked.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi slow
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
. "$abs_top_srcdir/tests/mpi/fortran-compiler.sh"

# MPICH 4.0's mpi_f08 counts from 0 as C does; then the program does, too.
first_index() {
	case $(mpichversion 2>/dev/null | sed -n 's/^MPICH Version:[ 	]*//p') in
	4.0*) echo -DFIRST=0 ;;
	esac
}

# Compile the program: LIBRARY WAY
compiles() {
	case $2 in
	# mpif.h declares no procedures, so that buffers may be of any type.
	mpif.h) define='-DMPIF -fallow-argument-mismatch' ;;
	use-mpi) define=-DUSE ;;
	mpi_f08) define=-DF08 ;;
	esac
	[ "$1-$2" != mpich-mpi_f08 ] || define="$define $(first_index)"
	# Unquoted: more than one option.
	# shellcheck disable=SC2086
	HDMPI_F90=$(compiler_of "$1") "$abs_top_builddir/hdmpif90" -cpp $define \
		-o "$scratch/heat-$1-$2" "$abs_top_srcdir/tests/mpi/heat.f90"
}

# Run it and compare: LIBRARY WAY COMMAND...
says() {
	name=$1-$2-$#
	mkdir "$scratch/$name" || return 1
	heat=$scratch/heat-$1-$2
	library=$1
	shift 2
	(cd "$scratch/$name" && HDTRACE_MPI_PROJECT=heat \
		launch "$library" 3 "$@" "$heat" .) &&
		as_expected "$scratch/$name" heat
}

[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers are no matter of Fortran"
for library in $(built_libraries); do
	can_launch "$library" || {
		skip "$library" "mpiexec does not work here"
		continue
	}
	for way in mpif.h use-mpi mpi_f08; do
		if [ -z "$(compiler_of "$library")" ]; then
			skip "$library: $way" "there is no Fortran compiler"
			continue
		fi
		ok "$library: $way compiles" compiles "$library" $way
		[ ! -f "$scratch/heat-$library-$way" ] || {
			ok "$library: $way, linked" says "$library" $way
		}
	done
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
