#!/bin/sh
# hdexecute: what it runs is right, in the order and with the messages of the
# simulation, recorded as that is; and every way in which a run can fail is said
# with the task, and leaves a project that can be read.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: optional
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
. "$abs_top_srcdir/tests/lib/sim.sh"
hdpredict=${abs_top_builddir:?}/hdpredict
hdexecute=$abs_top_builddir/hdexecute
unset HDTRACE_KERNELS HDTRACE_PT_CFG
cd "$scratch" || exit 99

# ---- Models -------------------------------------------------------------------

# Two nodes of one PE: BYTES of memory each.
platform() {
	echo '<platform>'
	for n in 0 1; do
		echo "<node id=\"n$n\"><main-memory id=\"n$n.m\" size=\"$1\">"
		echo "<out peer=\"n$n.o\"/><in peer=\"n$n.i\"/></main-memory>"
		echo "<pe id=\"n$n.0\" architecture=\"cpu\"/>"
		echo "<bridge id=\"n$n.o\"/><bridge id=\"n$n.i\"/></node>"
	done
	echo '<channel id="s"><in peer="n0.o"/><out peer="n0.i"/>'
	echo '<in peer="n1.o"/><out peer="n1.i"/></channel></platform>'
}
platform 1e9 >p.xml
{
	echo '<resource-model>'
	for kernel in MATSRC MATSINK POTRF TRSM SYRK GEMM; do
		echo "<entry kernel=\"$kernel\" architecture=\"cpu\" time=\"1\" energy=\"1\"/>"
	done
	echo '</resource-model>'
} >r.xml
"$hdpredict" generate cholesky --tiles 5 --tile-size 33 -o c0.xml &&
	"$hdpredict" map c0.xml --platform p.xml --resources r.xml -o c.xml &&
	"$hdpredict" generate stencil --width 3 --steps 4 --tile-size 17 \
		-o s.xml || exit 99

# Two tasks that wait for each other: each is first on its PE, but not on the
# other's.
kernels='<kernel id="RING"><variable id="n"/><output id="o" size="n"/></kernel>
<kernel id="FAIL"><variable id="how"/><variable id="n"/><input id="i" size="n"/><output id="o" size="n"/></kernel>'
task() {
	echo "<task id=\"$1\" kernel=\"$2\"><assign var=\"n\" val=\"1000\"/>"
	[ "$2" = RING ] || echo "<assign var=\"how\" val=\"$5\"/>"
	echo "<map pe=\"$3\" priority=\"$4\"/></task>"
}
dep() {
	echo "<dependency predecessor=\"$1\" successor=\"$2\" src=\"o\" dest=\"i\"/>"
}
# A chain from node to node, whose third link fails: HOW
chain() {
	echo "<application>$kernels"
	task t0 RING n0.0 0
	task t1 FAIL n1.0 1 0
	task t2 FAIL n0.0 2 "$1"
	task t3 FAIL n1.0 3 0
	dep t0 t1
	dep t1 t2
	dep t2 t3
	echo '</application>'
}
{
	echo "<application>$kernels"
	task a RING n0.0 1
	task b FAIL n1.0 0 0
	task c FAIL n0.0 0 0
	dep a b
	dep b c
	echo '</application>'
} >stuck.xml
# Behind tasks whose times add up to more than a number holds.
{
	sed '/<task id="b"/,/<\/task>/s/priority="0"/priority="3"/; /<\/application>/d' stuck.xml
	task x RING n1.0 0
	task y RING n1.0 1
	echo '</application>'
} >late.xml
{
	echo '<resource-model>'
	for kernel in RING FAIL; do
		echo "<entry kernel=\"$kernel\" architecture=\"cpu\" time=\"1e308\" energy=\"0\"/>"
	done
	echo '</resource-model>'
} >huge.xml
{
	echo '<application><kernel id="RING"><output id="o" size="1000"/></kernel>'
	echo '<kernel id="TWO"><input id="i" size="1000"/><output id="o" size="1000" inout="i"/><output id="p" size="1000"/></kernel>'
	echo '<task id="r" kernel="RING"><map pe="n0.0" priority="0"/></task>'
	echo '<task id="t" kernel="TWO"><map pe="n0.0" priority="1"/></task>'
	dep r t
	echo '</application>'
} >two.xml
cat >fail.c <<'EOF2'
#include <hdKernel.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
static int fail(const hdKernelCall *call)
{
	switch ((int)hdKernelGet(call, "how", 0)) {
	case 1: return -33;
	case 2: return 7;
	case 3: raise(SIGKILL); break;
	case 4: {
		struct rlimit none = { 0, 0 };

		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &none);
		break;
	}
	case 5: /* Nobody may write there. */
		*(volatile char *)mmap(NULL, 1, PROT_NONE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1;
	}
	memcpy(call->out[0].data, call->in[0].data, call->in[0].size);
	return 0;
}
HDKERNELS({ "FAIL", fail, 0 })
EOF2
cat >spend.c <<'EOF2'
#include <hdKernel.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static double taken(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
/* CPU time, or time asleep, in s; a line says what the process has taken. */
static int spend(const hdKernelCall *call)
{
	double until = taken(CLOCK_THREAD_CPUTIME_ID) + hdKernelGet(call, "cpu", 0);
	FILE *file = fopen("spent", "a");

	fprintf(file, "%.9f\n", taken(CLOCK_PROCESS_CPUTIME_ID));
	fclose(file);
	while (taken(CLOCK_THREAD_CPUTIME_ID) < until)
		;
	usleep((useconds_t)(hdKernelGet(call, "asleep", 0) * 1e6));
	return 0;
}
HDKERNELS({ "SPEND", spend, 0 })
EOF2
# Its first output may take the place of its input.
cat >two.c <<'EOF2'
#include <hdKernel.h>
static int two(const hdKernelCall *call)
{
	return (int)call->outCount - 2;
}
HDKERNELS({ "TWO", two, 1 })
EOF2
# Unquoted: lists of options.
# shellcheck disable=SC2086
object() {
	${CC:-cc} ${HD_SANITIZE-} -shared -fPIC \
		-I"$abs_top_srcdir/PredictionLibrary/include" -o "$1" "$2"
}
object FAIL.so fail.c && object SPEND.so spend.c && object TWO.so two.c || exit 99
# Three nodes send to a fourth one, where nobody waits but for that; and a task of the
# third one may fail first: HOW
gather() {
	echo "<application>$kernels"
	for n in 1 2 3; do
		task s$n RING n$n.0 0
		task g$n FAIL n0.0 $n 0
		dep s$n g$n
	done
	task f FAIL n3.0 1 "$1"
	dep s3 f
	echo '</application>'
}
gather 0 >gather.xml
gather 1 >gather1.xml
for how in 0 1 2 3 4 5; do
	chain $how >chain$how.xml
done

# ---- Runs ---------------------------------------------------------------------

# NODES ARGUMENT...
start() {
	nodes=$1
	shift
	launch "$library" "$nodes" "$hdexecute" --kernels . "$@" >out 2>err
	status=$?
	cat out err
	return "$status"
}

# Tasks of a PE in their order, messages that it waits for, and what goes out.
story() {
	for node in n0_0_0 n1_1_0; do
		records "$1" "$node" | grep -o ' task=[^ ]*'
		echo
	done
	for node in n0_0_0 n1_1_0; do
		records "$1" "$node" | grep -o 'fromRank=[0-9]* fromTag=[0-9]*' | sort
	done
	for node in n0_2_0 n1_4_0; do
		records "$1" "$node" |
			grep -o 'toRank=[0-9]* toTag=[0-9]* size=[0-9]* activity=[0-9]*' |
			sort
	done
}

# The same graph on the same platform, predicted and run, but for the numbers of
# messages, which the prediction has in the order of time.
as_predicted() {
	start 2 c.xml --platform p.xml --check -f -p run || return 1
	grep -q ': right$' out && "$hdtrace" check run >said &&
		grep -q ' 0 errors, 0 warnings' said || return 1
	"$hdpredict" simulate c.xml --platform p.xml --resources r.xml -f \
		-o predicted >/dev/null || return 1
	story predicted | sed 's/ activity=.*//' >wanted
	story run | sed 's/ activity=.*//' >found
	[ "$(grep -c ' task=' found)" -eq 65 ] && diff wanted found
}

alone() {
	start 1 c0.xml --pes 2 --check && grep -q ': right$' out
}

relaxed() {
	start 2 s.xml --pes 1 --check -q && grep -q 'plain C = .*: right$' out
}

factored() {
	"$hdpredict" generate lu --tiles 4 --tile-size 21 -o lu.xml &&
		start 2 lu.xml --pes 1 --check -q && grep -q 'L U.*: right$' out
}

# Twice round two nodes, by the platform that is made.
around() {
	"$hdpredict" generate ring --width 2 --steps 2 --tile-size 77 \
		--on n0.0,n1.0 -o ring.xml &&
		start 2 ring.xml --pes 1 && grep -q '^messages: 3, 231 B$' out
}

no_algebra() {
	HDTRACE_BLAS=/nonexistent.so launch "$library" 1 "$hdexecute" -q --pes 1 c0.xml --map eft 2>err &&
		grep '^hdexecute: HDTRACE_BLAS: .*/nonexistent.so.*; using plain C$' err
}

# All tasks but one are mapped to the first node.
partly() {
	sed '0,/<map pe="[^"]*" priority="[0-9]*"\/>/s///; s/pe="n1.0"/pe="n0.0"/' c.xml >partly.xml &&
		start 2 partly.xml --platform p.xml --resources r.xml --map eft -f -p partly &&
		"$hdpredict" graph partly | sed -n 's/.*<map pe="\([^"]*\)".*/\1/p' | sort | uniq -c >on &&
		[ "$(awk '$2 == "n0.0" { print $1 }' on)" -ge 64 ] && ! grep -q ignored err &&
		start 2 partly.xml --platform p.xml --resources r.xml --map eft --ignore-map -f -p partly &&
		grep -qx 'hdexecute: the mapping of 64 tasks in the graph is ignored' err &&
		"$hdpredict" graph partly | grep -c '<map pe="n1.0"' | grep -qv '^[01]$'
}

# Tasks run on the nodes of their parts, or on PEs; each task is on the other node than the
# one before.
parted() {
	"$hdpredict" generate ring --width 3 --steps 3 --tile-size 64 -o loop.xml && printf '%s\n' 0 1 0 1 0 1 0 1 0 >parts &&
		start 2 loop.xml --pes 2 --map parts -f -p parted && "$hdpredict" graph parted |
		sed -n 's/.*<map pe="n\([01]\).*/\1/p' | cmp - parts &&
		start 2 loop.xml --pes 2 --map parts --parts pes -f -p parted && "$hdpredict" graph parted |
		sed -n 's/.*<map pe="n0.\([01]\)".*/\1/p' | cmp - parts
}

# A graph of another program, with kernels that are built in.
imported() {
	echo 'digraph { node [size=1000] a [kernel=K0]; node [kernel=K1] b c; d [kernel=K2]; a -> b [size=500] a -> c [size=300] b -> d [size=70] c -> d }' >imported.dot &&
		"$hdpredict" convert imported.dot -o imported.bin --costs imported.xml --architecture cpu 2>err && printf '%s\n' 0 1 0 1 >parts &&
		start 2 imported.bin --resources imported.xml --pes 1 --map parts -f -p imported || return
	grep -q '^messages: 2, 500 B$' out && "$hdpredict" graph imported | grep -c '<measured' | grep -qx 4
}

# A GEMM takes its inputs the wrong way round, and that is found.
wrong_result() {
	sed '/successor="GEMM-0-1-2"/{s/"GEMM.A"/"GEMM.X"/;s/"GEMM.B"/"GEMM.A"/;s/"GEMM.X"/"GEMM.B"/;}' \
		c0.xml >wrong.xml
	! cmp -s c0.xml wrong.xml || return 1
	start 1 wrong.xml --pes 1 --check
	[ $? -eq 1 ] && grep -q ': wrong$' out
}

# 1,000 bytes at 50 kB/s and 5 ms take 25 ms: each message, and so the chain.
paced() {
	start 2 chain0.xml --platform p.xml --pace 50e3,0.005 -f -p pace ||
		return 1
	sed -n 's/^time: //p' out | awk '{ print; exit !($1 >= 0.075) }' ||
		return 1
	"$hdtrace" dump pace | awk '/ Bsend / {
			n++
			print $2 - $1
			if ($2 - $1 < 0.0249 || $2 - $1 > 60)
				bad = 1
		} END { exit bad || n != 3 }'
}

# Which activity ended when what came after it could begin: 4 tasks, 3 messages.
caused() {
	"$hdtrace" dump pace | sed -n 's/.* \(awaits\|follows\)="\([0-9]\)" for="\(t[0-9]\)".*/\1 \2 \3/p' |
		sort -u >found
	cat found
	# The first one may have come before its PE began to wait.
	grep -v '^awaits 4 t0$' found >rest
	diff - rest <<-END
		awaits 5 t1
		awaits 6 t2
		follows 0 t0
		follows 1 t1
		follows 2 t2
	END
}
# Both bridges are on it, and tasks.
on_path() {
	"$hdtrace" report --all pace | sed -n '/^Critical/,/^Cost/p' | tee path
	grep -q '^ *FAIL ' path && grep -q '^  4  ' path && grep -q '^  2  ' path
}

# One link takes them one after the other: 25 ms each.
exclusive() {
	start 4 gather.xml --pes 1 --pace 50e3,0.005 -f -p gathered || return 1
	sed -n 's/^time: //p' out | awk '{ print; exit !($1 >= 0.075) }' || return 1
	"$hdtrace" dump gathered | awk '/ Transfer / { print $1, $2 }' | sort -n |
		awk '{ print; if ($2 - $1 < 0.0249 || $1 < end) bad = 1; end = $2 }
			END { exit bad || NR != 3 }'
}

# Half a second of CPU time on each of two PEs, between times asleep.
spend() {
	echo '<application><kernel id="SPEND"><variable id="cpu"/><variable id="asleep"/></kernel>'
	while read -r pe priority cpu asleep; do
		echo "<task id=\"t$pe$priority\" kernel=\"SPEND\">"
		echo "<assign var=\"cpu\" val=\"$cpu\"/><assign var=\"asleep\" val=\"$asleep\"/>"
		echo "<map pe=\"n0.$pe\" priority=\"$priority\"/></task>"
	done
	echo '</application>'
}
powered() {
	spend >spend.xml <<-END
		0 0 0 0.2
		0 1 0.5 0
		0 2 0 0.2
		1 0 0 0.2
		1 1 0.5 0
		1 2 0 0.2
	END
	sim_start --law="1:process:$scratch/pid,low=60,high=110" || return 1
	printf '[General]\ndevice=LMG450\nport=%s\ncycle=50\n' "$PWD/meter" >pt.cfg
	printf '[Trace]\ntype=HDSTATS\nnode=n0\nchannel=1\nvalues=P\n' >>pt.cfg
	# shellcheck disable=SC2016 # for the other shell
	HDTRACE_PT_CFG=$PWD/pt.cfg launch "$library" 1 sh -c 'echo $$ >pid && exec "$@"' - \
		"$hdexecute" --kernels . --pes 2 -p power spend.xml
	status=$?
	sim_stop && [ "$status" -eq 0 ] && "$hdtrace" check power | grep ' 0 errors, 0 warnings'
}
# By the law: 60 W, and 50 J for each second of CPU time, as the tasks saw it.
lawful() {
	"$hdtrace" stat --format=csv power | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$1 == "n0" && $2 == "Energy" && $3 == "P" {
			print $at["integral"], $at["known_s"] }' >energy
	sort -n spent | sed -n '1p;$p' | xargs >took
	paste -d ' ' energy took | awk '{
		law = 60 * $2 + 50 * ($4 - $3)
		print $1 " J, law: " law " J of which " 50 * ($4 - $3) " J above idle"
		exit !(NF == 4 && $4 - $3 >= 1 && $1 - law < 5 && law - $1 < 5) }'
}

# A run that fails: STATUS MESSAGE NODES ARGUMENT...; STATUS "any" is what the
# launcher makes of it.
fails() {
	wanted=$1 message=$2
	shift 2
	start "$@" -f -p failed
	found=$?
	[ "$wanted" = "$found" ] || { [ "$wanted" = any ] && [ "$found" -ne 0 ]; } ||
		{ echo "exit status $found"; return 1; }
	grep -q -e "$message" err && ! grep 'Unknown error' err
}

# And its project can be read, with the tasks before.
fails_readably() {
	rm -f failed.* failed_*
	fails "$@" && "$hdtrace" check failed >said
	cat said
	grep -q ' 0 errors' said
}

# What is refused before anything runs: FILE with rows of STATUS | MESSAGE |
# NODES ARGUMENT...
refused() {
	while IFS='|' read -r number text arguments; do
		# shellcheck disable=SC2086
		fails $number "$text" $arguments || return 1
	done
}
rows() {
	refused <<'END'
1|c: deadlock at 0 s: c on n0.0 waits for b on n1.0|2 stuck.xml --platform p.xml
1|c: deadlock at .*: c on n0.0 waits for b on n1.0|2 late.xml --platform p.xml --resources huge.xml
1|FAIL: not built in, and no FAIL.so in "/nonexistent"|1 chain0.xml --pes 1 --map eft --ignore-map --kernels /nonexistent
2|the platform has 2 nodes, but there is 1 process; use mpiexec -n 2|1 c.xml --platform p.xml
2|nothing.xml: cannot open: No such file|1 nothing.xml
1|no PE n1.0|1 chain0.xml --pes 1
2|--pace: invalid value "5,x"; expected bytes|1 c.xml --pace 5,x
2|--pace: invalid value "1e-300"; expected bytes|1 c.xml --pace 1e-300
2|--ignore-map: requires --map eft|1 c.xml --pes 1 --ignore-map
2|--map: invalid value "x"; expected given, eft or a file with the part of each task|1 c.xml --pes 1 --map x
2|--parts: requires --map FILE|1 c.xml --pes 1 --parts pes
2|--parts: invalid value "x"; expected nodes or pes|1 c.xml --pes 1 --map c.xml --parts x
2|./x: cannot open: No such file|1 c.xml --pes 1 --map ./x --ignore-map
1|c.xml:1: not a part number|1 c.xml --pes 1 --map c.xml --ignore-map
2|not supported for this graph|2 chain0.xml --platform p.xml --check
END
}

# From a task on no file may grow: as on a disk that is full.
full_disk() {
	fails_readably 2 'failed: cannot write all files\|cannot record it' \
		2 chain4.xml --platform p.xml
}

for library in $(built_libraries); do
	if ! can_launch "$library" >"$scratch/why"; then
		skip "$library" "programs of it cannot be started here"
		continue
	fi
	ok "$library: Cholesky runs as predicted" as_predicted
	ok "$library: a stencil is executed" relaxed
	ok "$library: LU is executed" factored
	ok "$library: links keep the emulated pace" paced
	ok "causes of waits are recorded" caused
	ok "the critical path crosses nodes" on_path
	ok "$library: a failing kernel is reported" fails_readably 1 \
		'^hdexecute: task t2 (kernel FAIL, node n0): it failed: Numerical' \
		2 chain1.xml --platform p.xml
	ok "$library: a dying process is reported" fails_readably any \
		'^hdexecute: task t2 (kernel FAIL, node n0): the process died while it ran' \
		2 chain3.xml --platform p.xml
	ok "$library: an invalid write of a kernel is reported" fails_readably any \
		'^hdexecute: task t2 (kernel FAIL, node n0): the process died while it ran' \
		2 chain5.xml --platform p.xml
	platform 1500 >small.xml
	ok "$library: full memory is reported" fails_readably 1 \
		'^hdexecute: task t1 (kernel FAIL, node n1): not enough memory for an output of 1000 bytes: 1000 of 1500' \
		2 chain0.xml --platform small.xml
	platform 999 >small.xml
	# The rest is no matter of the MPI library.
	[ -z "${others_done-}" ] || continue
	others_done=1
	ok "one node executes a graph alone" alone
	ok "a ring sends three messages between two nodes" around
	ok "a link into a node takes one message at a time" exclusive
	ok "a failure ends the run while messages wait for a paced link" fails_readably 1 \
		'^hdexecute: task f (kernel FAIL, node n3): it failed: Numerical' \
		4 gather1.xml --pes 1 --pace 5e3
	ok "the project of a run has the power of its host" powered
	ok "power follows the law of the meter" lawful
	ok "a wrong result is reported" wrong_result
	ok "EFT keeps given tasks, unless --ignore-map replaces them" partly
	ok "tasks run on the nodes and PEs of their parts" parted
	if echo 'digraph {}' | "$hdpredict" convert --from dot - >/dev/null 2>&1; then
		ok "a graph that was converted from DOT is executed" imported
	else
		skip "a graph that was converted from DOT is executed" "hdpredict cannot read DOT"
	fi
	ok "plain C replaces a missing library of linear algebra" no_algebra
	ok "memory that is too small for any output is reported" fails_readably 1 \
		'task t0 .*not enough memory for an output of 1000 bytes' \
		2 chain0.xml --platform small.xml
	platform 1500 >small.xml
	ok "missing memory for an output is reported after an input was reused" fails_readably 1 \
		'task t .*not enough memory for outputs of 1000 bytes: 1000 of 1500' \
		2 two.xml --platform small.xml
	ok "the number that a failing kernel returns is reported" fails_readably 1 \
		'task t2 .*: failed with 7' 2 chain2.xml --platform p.xml
	ok "invalid runs are refused at the start" rows
	ok "a full disk is reported" full_disk
done
[ "$tap_count" -gt 0 ] || skip_all "HDTrace was built without MPI"
done_testing
