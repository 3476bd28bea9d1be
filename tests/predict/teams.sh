#!/bin/sh
# hdexecute: tasks on several PEs of a node: they have these PEs for themselves, run on
# their CPUs, are recorded and predicted, and may wait for memory or fail.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: optional
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
hdpredict=${abs_top_builddir:?}/hdpredict
hdexecute=$abs_top_builddir/hdexecute
unset HDTRACE_KERNELS HDTRACE_PT_CFG
cd "$scratch" || exit 99

# ---- Models -------------------------------------------------------------------

# A node with two PEs, another one with a PE of another architecture: MEMORY
platform() {
	cat <<END
<platform><node id="n0"><main-memory id="n0.m" size="$1"><out peer="n0.o"/><in peer="n0.i"/></main-memory>
<pe id="n0.0" architecture="cpu"/><pe id="n0.1" architecture="cpu"/><bridge id="n0.o"/><bridge id="n0.i"/></node>
<node id="n1"><main-memory id="n1.m" size="1e9"><out peer="n1.o"/><in peer="n1.i"/></main-memory>
<pe id="n1.0" architecture="gpu"/><bridge id="n1.o"/><bridge id="n1.i"/></node>
<channel id="s"><in peer="n0.o"/><out peer="n0.i"/><in peer="n1.o"/><out peer="n1.i"/></channel></platform>
END
}
platform 1e9 >p.xml
{
	echo '<resource-model>'
	for kernel in MATSRC MATSINK POTRF; do
		echo "<entry kernel=\"$kernel\" architecture=\"cpu\" time=\"1\" energy=\"1\"/>"
	done
	for kernel in TRSM SYRK GEMM; do
		echo "<entry kernel=\"$kernel\" architecture=\"cpu\" pes=\"1,2\" time=\"2,1\" energy=\"1,2\"/>"
	done
	for kernel in MAKE EAT KEEP BREAK; do
		echo "<entry kernel=\"$kernel\" architecture=\"cpu\" pes=\"1,2\" time=\"1,1\" energy=\"1,1\"/>"
		echo "<entry kernel=\"$kernel\" architecture=\"gpu\" time=\"1\" energy=\"1\"/>"
	done
	echo '</resource-model>'
} >r.xml
graph() {
	echo '<application><kernel id="MAKE"><output id="o" size="1000"/></kernel>
<kernel id="KEEP"><output id="o" size="1000"/></kernel>
<kernel id="EAT"><input id="i" size="1000"/></kernel>
<kernel id="BREAK"><input id="i" size="1000"/></kernel>'
	cat
	echo '</application>'
}
task() {
	echo "<task id=\"$1\" kernel=\"$2\"><map pe=\"$3\" priority=\"$4\"/></task>"
}
dep() {
	echo "<dependency predecessor=\"$1\" successor=\"$2\" src=\"o\" dest=\"i\"/>"
}
# Say what the task has, and where its thread may run; another thread, too.
cat >any.c <<'EOF2'
#define _GNU_SOURCE
#include <hdKernel.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static void *count(void *result)
{
	cpu_set_t all;

	*(int *)result = sched_getaffinity(0, sizeof(all), &all) ? -1 : CPU_COUNT(&all);
	return NULL;
}
static int say(const hdKernelCall *call, const char *kind)
{
	FILE *file = fopen("calls", "a");
	int own, other = -1, different = 0;
	pthread_t thread;

	count(&own);
	if (pthread_create(&thread, NULL, count, &other) == 0)
		pthread_join(thread, NULL);
	for (uint32_t i = 0; i < call->cpuCount; i++) {
		uint32_t k = 0;

		while (call->cpus[k] != call->cpus[i])
			k++;
		different += k == i;
	}
	fprintf(file, "%s %s %s %s %u %s %s\n", kind, call->task, call->pe, call->architecture,
		call->peCount, call->cpuCount == call->peCount ? "cpus" : "none",
		own == different && other == own ? "placed" : "elsewhere");
	fclose(file);
	usleep(20000);
	if (strcmp(call->task, "killer") == 0) {
		usleep(300000);
		raise(SIGKILL);
	}
	return strcmp(call->kernel, "BREAK") ? 0 : -33;
}
static int any(const hdKernelCall *call) { return say(call, "any"); }
static int gpu(const hdKernelCall *call) { return say(call, "special"); }
HDKERNELS({ "*", any, 0 }, { "MAKE@g?u", gpu, 0 })
EOF2
# Unquoted: lists of options.
# shellcheck disable=SC2086
${CC:-cc} ${HD_SANITIZE-} -shared -fPIC -pthread \
	-I"$abs_top_srcdir/PredictionLibrary/include" -o fallback.so any.c || exit 99

# ---- Runs ---------------------------------------------------------------------

# NODES ARGUMENT...
start() {
	nodes=$1
	shift
	rm -f calls
	launch "$library" "$nodes" "$hdexecute" --kernels . --platform p.xml "$@" >out 2>err
	status=$?
	cat out err
	return "$status"
}
# PEs, start and end of each task that was recorded: PROJECT
spans() {
	"$hdpredict" graph "$1" |
		sed -n 's/.*<map pe="\([^"]*\)".*<measured start="\([^"]*\)" end="\([^"]*\)".*/\1 \2 \3/p'
}
# No two tasks have a PE at the same time, and some have two.
apart() {
	spans "$1" >spans.txt && awk '
		{ pes[NR] = $1; from[NR] = $2; to[NR] = $3; several += $1 ~ /,/ }
		END {
			for (i = 1; i <= NR; i++) for (k = 1; k < i; k++)
				if (from[i] < to[k] && from[k] < to[i] &&
				    (index(pes[i], pes[k]) || index(pes[k], pes[i]))) exit 1
			exit several < 2 || NR < 4
		}' spans.txt
}
graph <<END >g.xml
$(task x MAKE n0.0 0)
$(task y MAKE n0.1,n0.0 1)
$(task z EAT n0.1 2)
$(task w EAT n0.0,n0.1 3)
$(task g MAKE n1.0 0)
$(dep x z)
$(dep y w)
END
placed() {
	start 2 g.xml -f -p run || return 1
	sort calls >found
	diff found - <<-END
		any w n0.0 cpu 2 cpus placed
		any x n0.0 cpu 1 cpus placed
		any y n0.0 cpu 2 cpus placed
		any z n0.1 cpu 1 cpus placed
		special g n1.0 gpu 1 cpus placed
	END
}
recorded() {
	"$hdtrace" check run >said && grep -q ' 0 errors, 0 warnings' said && apart run
}
# Both PEs have the task in their traces, and only one has it as an activity.
both() {
	for trace in run_n0_0_0.trc run_n0_1_0.trc; do
		"$hdtrace" dump "$trace" || return 1
	done >states
	[ "$(grep -c 'partOf' states)" -eq 2 ] && [ "$(grep -c 'pe="*n0.0,n0.1' states)" -eq 2 ]
}
compared() {
	"$hdpredict" simulate g.xml --platform p.xml --resources r.xml -f -o predicted >out &&
		"$hdpredict" compare --format=json predicted run >compared.json &&
		"$hdpredict" graph predicted | grep -o 'id="[a-z]*" .*map pe="[^"]*"' >one &&
		"$hdpredict" graph run | grep -o 'id="[a-z]*" .*map pe="[^"]*"' >other && diff one other
}
"$hdpredict" generate cholesky --tiles 5 --tile-size 33 -o c0.xml
cholesky() {
	"$hdpredict" map c0.xml --platform p.xml --resources r.xml --use 'n0.*' -o c.xml &&
		[ "$(grep -c 'pe="n0.0,n0.1"' c.xml)" -gt 20 ] &&
		launch "$library" 2 "$hdexecute" --platform p.xml --check -f -p chol c.xml >out &&
		grep '^check: .*: right' out && apart chol
}
plain() {
	HDTRACE_BLAS=none launch "$library" 2 "$hdexecute" --platform p.xml --check c.xml >out &&
		grep '^linear algebra: plain C' out && grep '^check: .*: right' out
}

# ---- Memory and failures ------------------------------------------------------

# y needs memory that x has until z ends, which is before y on n0.1.
graph <<END >waits.xml
$(task x MAKE n0.0 0)
$(task z EAT n0.1 0)
$(task y KEEP n0.0,n0.1 1)
$(dep x z)
END
delayed() {
	platform '1500" full="delay' >p.xml
	start 2 waits.xml
	status=$?
	platform 1e9 >p.xml
	[ "$status" -eq 0 ] && [ "$(wc -l <calls)" -eq 3 ]
}
# z is behind y.
graph <<END >never.xml
$(task x MAKE n0.0 0)
$(task y KEEP n0.0,n0.1 1)
$(task z EAT n0.1 2)
$(dep x z)
END
starved() {
	platform '1500" full="delay' >p.xml
	start 2 never.xml
	status=$?
	"$hdpredict" simulate never.xml --platform p.xml --resources r.xml 2>said
	platform 1e9 >p.xml
	[ "$status" -eq 1 ] && grep -q 'task y .*: deadlock: it waits for memory' err &&
		grep -q 'y: deadlock at 1 s: the task or its input data waits for memory' said
}
full() {
	platform 1500 >p.xml
	start 2 never.xml
	status=$?
	platform 1e9 >p.xml
	[ "$status" -eq 1 ] && grep -q 'task y .*: not enough memory' err
}
graph <<END >breaks.xml
$(task x MAKE n0.0 0)
$(task y BREAK n0.0,n0.1 1)
$(task z KEEP n0.1 2)
$(dep x y)
END
broken() {
	start 2 breaks.xml -f -p broken
	[ $? -eq 1 ] && grep -q 'task y (kernel BREAK, node n0): it failed' err &&
		"$hdtrace" check broken >said && grep -q ' 0 errors' said
}
# y waits at n0.0 when the process dies.
graph <<END >dies.xml
$(task killer MAKE n0.1 0)
$(task y KEEP n0.0,n0.1 1)
END
died() {
	! start 2 dies.xml && grep -q 'task killer .*: the process died while it ran$' err &&
		[ "$(grep -c 'task y .*: the process died while it waited for its PEs$' err)" -eq 1 ]
}
# t is before y on n0.1, but needs y.
graph <<END >stuck.xml
$(task y KEEP n0.0,n0.1 1)
$(task t EAT n0.1 0)
$(dep y t)
END
stuck() {
	start 2 stuck.xml
	[ $? -eq 1 ] && grep -q 'y: deadlock at 0 s: y on n0.0 waits for t on n0.1' err
}

for library in $(built_libraries); do
	if ! can_launch "$library" >"$scratch/why"; then
		skip "$library" "programs of it cannot be started here"
		continue
	fi
	ok "$library: a task has its PEs and runs on their CPUs" placed
	ok "$library: tasks on two PEs have them for themselves" recorded
	ok "$library: the traces of both PEs have the task" both
	ok "$library: tasks have the predicted PEs" compared
	ok "$library: Cholesky on several PEs is right" cholesky
	ok "$library: a task on two PEs waits for memory" delayed
	ok "$library: a deadlock by memory names the task" starved
	# The rest is no matter of the MPI library.
	[ -z "${others_done-}" ] || continue
	others_done=1
	ok "Cholesky on several PEs in plain C is right" plain
	ok "full memory is reported" full
	ok "a failing task on two PEs is reported" broken
	ok "a task that waits for its PEs when the process dies is reported" died
	ok "a deadlock over the PEs of a task is reported" stuck
done
done_testing
