#!/bin/sh
# hdmpirun --counters: what the processor, or the kernel, has counted in each call
# and between them. Here it is CPU time, which every kernel counts that has
# perf_event_open and allows it; else it is said why there is none.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
hdmpirun=${abs_top_builddir:?}/hdmpirun
command -v python3 >/dev/null || skip_all "there is no python3"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"

cat >"$scratch/counted.c" <<'END'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static double cpu(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
static void compute(double seconds)
{
	double begin = cpu();
	while (cpu() - begin < seconds) {
	}
}
static void poll(void)
{
	int in = 1, out, flag = 0;
	MPI_Request requests[2];
	compute(0.1);
	MPI_Irecv(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[0]);
	MPI_Isend(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[1]);
	MPI_Barrier(MPI_COMM_SELF);
	compute(0.1);
	while (!flag)
		MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
	flag = 0;
	while (!flag)
		MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_SELF);
}
/* What a child does is its own; that it can do it is what is tried. */
static int hasChild(void)
{
	int size, status = -1;
	pid_t pid = fork();
	if (pid == 0) {
		MPI_Comm_size(MPI_COMM_SELF, &size);
		MPI_Barrier(MPI_COMM_SELF);
		_exit(5);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid &&
	       WIFEXITED(status) && WEXITSTATUS(status) == 5;
}
int main(int argc, char **argv)
{
	int isGood = 1;
	MPI_Init(&argc, &argv);
	for (int i = 0; argc == 1 && i < 5; i++) {
		compute(0.01);
		MPI_Barrier(MPI_COMM_SELF);
	}
	if (argc > 1 && strcmp(argv[1], "poll") == 0)
		poll();
	if (argc > 1 && strcmp(argv[1], "fork") == 0) {
		MPI_Barrier(MPI_COMM_SELF);
		isGood = hasChild();
		MPI_Barrier(MPI_COMM_SELF);
	}
	MPI_Finalize();
	if (!isGood)
		return 3;
	return 0;
}
END

# Compile it: LIBRARY.
compile() {
	# CC, and what pkg-config says, may hold several words.
	# shellcheck disable=SC2046,SC2086
	${CC:-cc} -O1 ${HD_SANITIZE-} -o "$scratch/counted-$1" "$scratch/counted.c" \
		$("${PKG_CONFIG:-pkg-config}" --cflags --libs "$(package "$1")")
}

# Run it in a new directory, in the way that $way says: LIBRARY OPTION...
way=
run() {
	library=$1
	shift
	rm -rf "$scratch/run" && mkdir "$scratch/run" && cd "$scratch/run" || return 1
	# One word, or none.
	# shellcheck disable=SC2086
	launch "$library" 1 "$hdmpirun" -p p "$@" -- "$scratch/counted-$library" $way >out 2>&1
	status=$?
	cat out
	cd "$scratch/run" && [ "$status" -eq 0 ]
}

# 10 ms before each barrier, and little in it; from the first that has a call
# before it on.
counted() {
	run "$1" --counters=task-clock,page-faults || return 1
	if grep -q 'MPI calls have no' out; then
		echo "no counters here: only that this is said was tried"
		! grep -q 'askClock' p_*.trc && [ "$(grep -c 'MPI calls have no' out)" -eq 1 ]
		return
	fi
	python3 - p_*.trc <<'END'
import re, sys
text = open(sys.argv[1]).read()
calls = re.findall(r"<Barrier [^>]*>", text)
assert len(calls) == 5, calls
print(calls)
inside, between = [], []
for call in calls:
    a = dict(re.findall(r"(\w+)=['\"]([^'\"]*)", call))
    inside.append(int(a["taskClock"]))
    assert int(a["pageFaults"]) >= 0
    if "outsideTaskClock" in a:
        between.append(int(a["outsideTaskClock"]))
assert len(between) >= 4, between
# The clocks of the two are not the same.
assert all(9.5e6 < i < 30e6 for i in between), between
assert all(0 <= i < 5e6 for i in inside), inside
END
}

# What is done before polls that succeed is outside of the next other call.
polled() {
	way=poll
	run "$1" --counters=task-clock
	failed=$?
	way=
	[ "$failed" -eq 0 ] || return 1
	grep -q 'MPI calls have no' out && return
	python3 - p_*.trc <<'END'
import re, sys
calls = re.findall(r"<Barrier [^>]*>", open(sys.argv[1]).read())
print(calls)
assert len(calls) == 2, calls
between = int(re.search(r"outsideTaskClock=['\"](\d+)", calls[1])[1])
assert 95e6 < between < 300e6, between
END
}

# A child that calls MPI lives, and disturbs nobody.
with_child() {
	way=fork
	run "$1" --counters
	failed=$?
	if [ "$failed" -eq 0 ]; then
		run "$1" --counters=task-clock,page-faults
		failed=$?
	fi
	way=
	[ "$failed" -eq 0 ]
}

without() {
	run "$1" && ! grep -q 'ycles\|askClock' p_*.trc && [ ! -s out ]
}

# Of a processor, or why not; and tools read it.
usual() {
	run "$1" --counters && "$hdtrace" check p_*.trc &&
		if grep -q ' instructions=' p_*.trc; then
			echo "this processor counts"
		else
			grep -q 'MPI calls have no cycles, instructions, cache-misses: ' out
		fi
}

wrong() {
	exits 125 "$hdmpirun" --counters=joules true && grep -q joules err &&
		exits 125 "$hdmpirun" --counters=-cycles true
}

any=
for library in $(built_libraries); do
	can_launch "$library" || {
		skip "$library" "no program of it can be run"
		continue
	}
	ok "$library: the program compiles" compile "$library"
	ok "$library: CPU time is counted in calls and between them" counted "$library"
	ok "$library: CPU time is counted before polls that succeed" polled "$library"
	ok "$library: a child of fork() runs with counters" with_child "$library"
	ok "$library: counters are omitted without --counters" without "$library"
	ok "$library: --counters selects the usual counters" usual "$library"
	any=yes
done
[ -z "$any" ] || ok "an invalid event is refused" wrong
done_testing
