#!/bin/sh
# Programs that use sessions of MPI 4.0, with MPI_Init or without.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"
hdmpirun=${abs_top_builddir:?}/hdmpirun
unset HDTRACE_MPI_VERBOSITY

compiles() {
	"$compiler" -o sessions "$abs_top_srcdir/tests/mpi/sessions.c"
}

# Run it with three ranks: HOW [between]. What is said is in the file out.
runs() {
	rm -rf p.proj p_*
	launch "$library" 3 "$hdmpirun" -p p ./sessions "$@" >out 2>&1
	status=$?
	cat out
	return "$status"
}

# Calls of the second rank, each with how often.
calls() {
	"$hdtrace" dump p | awk '
		/^trace / { isRank = $3 == "\"" label "_1_0\"" }
		isRank && /^  [0-9]/ { n[$3]++ }
		END { for (i in n) print i, n[i] }' label="$(host_label)" - |
		LC_ALL=C sort >calls
	cat calls
}

recorded() {
	runs "$@" && [ ! -s out ] && "$hdtrace" check p && calls
}

alone() {
	recorded alone between && diff - calls <<'END' || return 1
Allreduce 2
Bcast 1
Comm_create_from_group 1
Comm_free 2
Group_excl 1
Group_free 4
Group_from_session_pset 1
Group_incl 1
Intercomm_create_from_groups 1
Sendrecv 2
Session_finalize 1
Tracer 2
END
	"$hdtrace" stat --volume --format=csv p | grep '^function,.*Sendrecv,.*sent,6,24,'
}

# What was done before is recorded, too.
around() {
	recorded around && diff - calls <<'END'
Allreduce 3
Comm_create_from_group 2
Comm_free 2
Finalize 1
Group_free 2
Group_from_session_pset 2
Init 1
Sendrecv 3
Session_finalize 1
Session_init 1
Tracer 2
END
}

# Recording begins and ends with the session.
inside() {
	recorded inside && diff - calls <<'END'
Allreduce 3
Comm_create_from_group 1
Comm_free 1
Finalize 1
Group_free 1
Init 1
Sendrecv 3
Session_finalize 1
Tracer 2
END
}

# Recording ends with the session, which is said.
first() {
	runs first && [ "$(wc -l <out)" -eq 1 ] &&
		grep 'p: recording ends with the session .* until MPI_Finalize are not recorded' out &&
		"$hdtrace" check p && calls && ! grep Finalize calls && grep -qx 'Allreduce 3' calls
}

twice() {
	recorded twice && grep -qx 'Session_finalize 1' calls && grep -qx 'Allreduce 2' calls
}

nothing() {
	runs self && [ "$(wc -l <out)" -eq 1 ] && [ ! -f p.proj ] &&
		grep 'sessions uses sessions of MPI without a communicator of all processes' out
}

off() {
	HDTRACE_MPI=0 runs alone && [ ! -f p.proj ]
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
	mkdir "$scratch/$library" && cd "$scratch/$library" || exit 99
	if ! echo '#include <mpi.h>
MPI_Session session;' | "$compiler" -x c -c -o none.o - 2>/dev/null; then
		skip "$library" "it has no sessions"
		continue
	fi
	ok "$library: the program compiles" compiles
	ok "$library: a session without MPI_Init is recorded" alone
	ok "$library: a session inside of MPI_Init is recorded" around
	ok "$library: MPI_Init inside of a session is recorded" inside
	ok "$library: calls after the session of the recording are reported" first
	ok "$library: one of two sessions is recorded" twice
	ok "$library: a session without a communicator of all is reported" nothing
	ok "$library: recording a session can be switched off" off
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
