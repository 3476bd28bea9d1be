#!/bin/sh
# The system clock is set, or the machine sleeps, while MPI and OpenMP programs are
# recorded: each state lies between two readings of a clock that goes on, which the
# program itself has taken.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"
command -v python3 >/dev/null || skip_all "no python3"
preload=${abs_top_builddir:?}/tests/system/stepclock.so
[ -f "$preload" ] || skip_all "stepclock.so was not built"
hdmpirun=$abs_top_builddir/hdmpirun
tool=$abs_top_builddir/libhdOmp.so
cd "$scratch" || exit 99

# What both programs begin with: a clock, and a line for each state that is known.
cat >begin.h <<'END'
#include <stdio.h>
#include <time.h>

#define CLOCK CLOCK_MONOTONIC

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void nap(void)
{
	const struct timespec time = { 0, 20000000 };

	nanosleep(&time, NULL);
}

/* The clock is set after half of the states. */
static void step(int i)
{
	FILE *file = i == 15 ? fopen("stepped", "w") : NULL;

	if (file)
		fclose(file);
}
END
cat >mpi.c <<'END'
#include <mpi.h>
#include "begin.h"

int main(int argc, char **argv)
{
	double before[30], after[30];
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 30; i++) {
		if (rank == 0)
			step(i);
		nap();
		before[i] = now();
		MPI_Barrier(MPI_COMM_WORLD);
		after[i] = now();
	}
	for (int i = 0; i < 30; i++)
		printf("%d %.9f %.9f\n", rank, before[i], after[i]);
	MPI_Finalize();
	return 0;
}
END
cat >omp.c <<'END'
#include "begin.h"

int main(void)
{
	for (int i = 0; i < 30; i++) {
		double before, after;

		step(i);
		nap();
		before = now();
#pragma omp parallel num_threads(2)
		nap();
		after = now();
		printf("0 %.9f %.9f\n", before, after);
	}
	return 0;
}
END
cat >judge.py <<'END'
"""DUMP SAID NAME SLEEP: states of each rank, in the order in which they were."""
import sys
dump, said, name, slept = sys.argv[1:5]
traces, found = [], []
for line in open(dump):
    words = line.split()
    if words[:1] == ["trace"]:
        traces.append([])
    elif len(words) > 2 and words[2] == name:
        traces[-1].append((float(words[0]), float(words[1])))
ranks = {}
for line in open(said):
    words = line.split()
    ranks.setdefault(int(words[0]), []).append((float(words[1]), float(words[2])))
traces = [t for t in traces if t][:len(ranks)]
assert len(traces) == len(ranks), (len(traces), ranks.keys())
for (rank, own), states in zip(sorted(ranks.items()), traces):
    assert len(own) == len(states) == 30, (rank, len(own), len(states))
    # The program's clock stands still while the machine sleeps: before and after.
    for part in (slice(0, 14), slice(16, 30)) if float(slept) else (slice(0, 30),):
        earliest = max(e - b for (_, e), (_, b) in zip(states[part], own[part]))
        latest = min(s - a for (s, _), (a, _) in zip(states[part], own[part]))
        print("rank %d: within %.9f s" % (rank, latest - earliest))
        assert earliest <= latest + 2e-6, (rank, earliest, latest)
    lasted = states[-1][0] - states[0][0] - (own[-1][0] - own[0][0])
    assert abs(lasted - float(slept)) < 0.2, lasted
END

# The project is sound, and says that the clock was set: PROJECT COUNT
is_sound() {
	"$hdtrace" check "$1" >checked
	cat checked
	grep -q '0 errors, 0 warnings' checked &&
		[ "$(grep -c 'clock.stepped' checked)" -ge "$2" ]
}

# Record with MPI while the clock is set by BY s, and SLEEP s pass asleep:
# LIBRARY BY SLEEP COUNT
with_mpi() {
	rm -rf p.* p_* said stepped
	# The shell that mpiexec starts expands it.
	# shellcheck disable=SC2016
	STEPPED=$preload HD_STEP_FILE=$scratch/stepped HD_STEP_BY=$2 HD_SLEEP_BY=$3 launch "$1" 2 \
		"$hdmpirun" -p p sh -c 'LD_PRELOAD=$LD_PRELOAD:$STEPPED exec ./mpi' \
		>said 2>err || { cat said err; return 1; }
	cat err
	sort -s -n -k 1,1 said >sorted
	is_sound p "$4" && "$hdtrace" dump p >dumped &&
		python3 judge.py dumped sorted Barrier "$3"
}

# The same with OpenMP: BY SLEEP COUNT
with_omp() {
	rm -rf omp.proj omp_* stepped
	LD_PRELOAD=$preload HD_STEP_FILE=$scratch/stepped HD_STEP_BY=$1 HD_SLEEP_BY=$2 \
		OMP_TOOL_LIBRARIES=$tool timeout 100 ./omp >said 2>err ||
		{ cat said err; return 1; }
	cat err
	"$hdtrace" merge --force omp >merged 2>&1 || cat merged
	is_sound omp "$3" && "$hdtrace" dump omp >dumped &&
		python3 judge.py dumped said omp.parallel "$2"
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
	if [ -z "$compiler" ] || ! "$compiler" -o mpi mpi.c; then
		skip "$library" "there is no mpicc"
		continue
	fi
	ok "$library: states are correct with the clock set by an hour" \
		with_mpi "$library" 3600 0 1
	ok "$library: states are correct with the clock set back and 500 s of sleep" \
		with_mpi "$library" -7200 500 1
done
if [ -f "$tool" ] && clang -fopenmp -o omp omp.c 2>/dev/null; then
	ok "OpenMP: states are correct with the clock set by an hour" \
		with_omp 3600 0 1
	ok "OpenMP: states are correct with the clock set back and 500 s of sleep" \
		with_omp -7200 500 1
else
	skip "OpenMP: a clock that is set" "libhdOmp or clang is missing"
fi
[ "$tap_count" -gt 0 ] || skip_all "nothing was built"
done_testing
