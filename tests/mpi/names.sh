#!/bin/sh
# Functions whose names are those of MPI in Fortran belong to whose they are: to a
# library of the program, or to MPI; and what libhdMPI exports is no more than what
# it wraps.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
. "$abs_top_srcdir/tests/mpi/fortran-compiler.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"
hdmpirun=${abs_top_builddir:?}/hdmpirun
here=$abs_top_srcdir/tests/mpi

# Run a program of two ranks: each says that all is good, and COUNT barriers of
# each are recorded, or there is no project: COUNT|none COMMAND...
runs() {
	count=$1
	shift
	rm -rf p.* p_*
	HDTRACE_MPI_PROJECT=p launch "$library" 2 "$@" >out 2>&1
	status=$?
	cat out
	# Launchers may mix the lines of two ranks.
	[ "$status" -eq 0 ] && [ "$(tr -d '\n' <out)" = goodgood ] || return 1
	[ "$count" != none ] || { [ ! -e p.proj ]; return; }
	"$hdtrace" check p &&
		[ "$("$hdtrace" dump p | grep -cE ' (Barrier|Bcast)( |$)')" -eq \
			$((2 * count)) ]
}

compiles() {
	"$compiler" -shared -fPIC -o libnames.so "$here/names-lib.c" &&
		"$compiler" -o names "$here/names.c" ./libnames.so
}

# The functions and what calls them come later, together.
compiles_later() {
	"$compiler" -DLATER -o later "$here/names.c" -ldl &&
		"$compiler" -shared -fPIC -DCALLED -o called.so \
			"$here/names.c" "$here/names-lib.c"
}

# MPI's Fortran library is there as well, behind the other one.
compiles_with_fortran() {
	case $library in
	openmpi) set -- -lmpi_mpifh ;;
	mpich) set -- -lmpichfort ;;
	esac
	"$compiler" -o both "$here/names.c" ./libnames.so \
		-Wl,--no-as-needed "$@"
}

compiles_linked() {
	HDMPI_CC=$compiler "$abs_top_builddir/hdmpicc" -o linked \
		"$here/names.c" ./libnames.so
}

# What is in a library in Fortran that comes later is MPI's, and recorded.
compiles_fortran() {
	cat >later.f90 <<'END'
subroutine callAll() bind(C, name="callAll")
  use mpi
  integer :: error
  call MPI_Barrier(MPI_COMM_WORLD, error)
  if (error == MPI_SUCCESS) print '(a)', "good"
  flush(6)
end subroutine
END
	"$(compiler_of "$library")" -shared -fPIC -o fortran.so later.f90
}

# All that is exported is MPI's, in one spelling, and ours: FILE NAME PATTERN
exports() {
	${NM:-nm} -D --defined-only "$abs_top_builddir/$1" |
		awk '{ print $NF }' | sed 's/@.*//' >exported
	grep -qx "$2" exported && ! grep -vxE "$3" exported
}

# Each thread of the program has memory for the threads of a library on its own stack,
# which may have 16 kB: LIBRARY
leaves_stacks() {
	"${READELF:-readelf}" -lW "$abs_top_builddir/$1" | awk '$1 == "TLS" { print $6 }' >size
	cat size
	[ "$(wc -l <size)" -eq 1 ] && [ "$(($(cat size)))" -le 1024 ]
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
	ok "$library: only wrapped names are exported" exports "libhdMPI-$library.so" MPI_Send \
		'MPIX?_[A-Z][a-z0-9_]*|mpix?_[a-z0-9_]*[a-z0-9]_|hdMPI_[a-zA-Z]*|hdmpi_[a-z]*_|_exit'
	ok "$library: threads keep their stacks" leaves_stacks "libhdMPI-$library.so"
	ok "$library: a library with names of MPI functions compiles" compiles
	ok "$library: functions with names of MPI run alone" runs none ./names
	ok "$library: functions with names of MPI run with libhdMPI preloaded" runs 5 "$hdmpirun" ./names
	ok "$library: functions with names of MPI run with recording disabled" \
		runs none env HDTRACE_MPI=0 "$hdmpirun" ./names
	ok "$library: a program with names of MPI compiles with hdmpicc" compiles_linked
	ok "$library: functions with names of MPI run linked with libhdMPI" runs 5 ./linked
	ok "$library: a program that loads such a library compiles" compiles_later
	ok "$library: functions with names of MPI can be loaded later" \
		runs 5 "$hdmpirun" ./later ./called.so
	if [ -z "$(compiler_of "$library")" ]; then
		skip "$library: Fortran" "there is no Fortran compiler"
		continue
	fi
	ok "$library: a program with such names and Fortran compiles" compiles_with_fortran
	ok "$library: functions of the program precede Fortran functions of MPI" \
		runs 5 "$hdmpirun" ./both
	ok "$library: a library in Fortran compiles" compiles_fortran
	ok "$library: a library in Fortran can be loaded later" \
		runs 1 "$hdmpirun" ./later ./fortran.so
done
[ ! -f "$abs_top_builddir/libhdOmp.so" ] ||
	ok "OpenMP: threads keep their stacks" leaves_stacks libhdOmp.so
[ ! -f "$abs_top_builddir/libhdOmp.so" ] ||
	ok "OpenMP: only ompt_start_tool is exported" exports libhdOmp.so ompt_start_tool \
		ompt_start_tool
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
