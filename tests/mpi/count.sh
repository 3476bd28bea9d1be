#!/bin/sh
# Calls and their time are those that a tool counts that wraps MPI's names for
# profiling, in the same run; and tools behind libhdMPI get all calls, too.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"
command -v python3 >/dev/null || skip_all "there is no python3"
hdmpirun=${abs_top_builddir:?}/hdmpirun
here=$abs_top_srcdir/tests/mpi

compiles() {
	# What pkg-config says may be several words.
	# shellcheck disable=SC2046,SC2086
	set -- $("${PKG_CONFIG:-pkg-config}" --cflags "$(package "$library")")
	"$compiler" -O1 -o counted "$here/counted.c" &&
		"$compiler" -O1 -o onesided "$here/onesided.c" || return 1
	echo '#include <mpi.h>' | ${CC:-cc} "$@" -E -P - |
		awk -f "$here/count.awk" >count.c &&
		"$compiler" -w -O1 -shared -fPIC -o count.so count.c -ldl &&
		[ "$(grep -c '^int PMPI_' count.c)" -gt 300 ]
}

# A tool as others are: it wraps MPI_Send in C, and counts.
compiles_tool() {
	cat >tool.c <<'END'
#include <mpi.h>
#include <stdio.h>

static int calls;

int MPI_Send(const void *buffer, int count, MPI_Datatype datatype, int to,
	     int tag, MPI_Comm comm)
{
	calls++;
	return PMPI_Send(buffer, count, datatype, to, tag, comm);
}

int MPI_Finalize(void)
{
	if (calls)
		printf("%d sends\n", calls);
	return PMPI_Finalize();
}
END
	"$compiler" -shared -fPIC -o tool.so tool.c
}

# With the counter behind libhdMPI: OPTION...
counts() {
	rm -rf p.* p_* counted.[0-9]
	launch "$library" 2 env COUNT_FILE="$PWD/counted" \
		LD_PRELOAD="$PWD/count.so" "$hdmpirun" -p p "$@" ./counted \
		2>said || return 1
	cat said
	"$hdtrace" check p &&
		"$hdtrace" report --all --format=json p >json || return 1
	cat counted.[01] | python3 "$here/count.py" json good
}

# A busy machine may stop a rank between the readings of both: then once more, for the
# functions whose times differed.
counts_soon() {
	rm -f good
	for try in 1 2 3 4; do
		echo "try $try"
		! counts "$@" || return 0
	done
	return 1
}

# One-sided calls of three ranks.
counts_onesided() {
	rm -f good
	for try in 1 2 3 4; do
		echo "try $try"
		rm -rf p.* p_* counted.[0-9]
		launch "$library" 3 env COUNT_FILE="$PWD/counted" \
			LD_PRELOAD="$PWD/count.so" "$hdmpirun" -p p ./onesided &&
			"$hdtrace" check p &&
			"$hdtrace" report --all --format=json p >json || return 1
		! cat counted.[012] | python3 "$here/count.py" json good Win_allocate Win_fence \
			Put Win_post Win_start Get Win_complete Win_wait Win_lock Accumulate \
			Win_flush Win_unlock Win_lock_all Fetch_and_op Win_flush_local Rget \
			Win_flush_all Win_unlock_all Win_free || return 0
	done
	return 1
}

# So do those of a profile, which begins when a trace is large enough.
limited() {
	counts_soon --limit=32k || return 1
	for file in p_*.trc; do
		[ "$(wc -c <"$file")" -lt 40000 ] || return 1
	done
	[ "$(wc -l <said)" -eq 1 ] &&
		grep 'reached its limit of 32768 bytes; from then on, calls are added up' said
}

# A tool before or behind libhdMPI: COMMAND...
tool_gets_all() {
	rm -rf p.* p_*
	launch "$library" 2 "$@" ./counted >out || return 1
	cat out
	[ "$(cat out)" = "2000 sends" ] && "$hdtrace" check p &&
		[ "$("$hdtrace" dump p | grep -c ' Send ')" -eq 2000 ]
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
	ok "$library: the programs compile" compiles
	ok "$library: calls and times agree with a counting tool" counts_soon
	ok "$library: a profile beyond --limit agrees with the tool, too" limited
	ok "$library: one-sided calls of three ranks agree with the tool" counts_onesided
	ok "$library: the tool compiles" compiles_tool
	ok "$library: a tool that is also preloaded gets all calls" tool_gets_all \
		env LD_PRELOAD="$PWD/tool.so" "$hdmpirun" -p p
	ok "$library: a tool that is preloaded first gets all calls" tool_gets_all \
		"$hdmpirun" -p p env LD_PRELOAD="$PWD/tool.so:$abs_top_builddir/libhdMPI-$library.so"
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
