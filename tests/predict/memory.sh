#!/bin/sh
# Memory: what a run takes is what was predicted, by a counter of allocations and by the
# peak of the process; a deadlock by memory ends a run over several nodes, and is named.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
#
# HDTRACE_TEST_GRAPHS says how many random graphs (6), HDTRACE_TEST_SEED which is first.
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
command -v python3 >/dev/null || skip_all "python3 is missing"
export PYTHONDONTWRITEBYTECODE=1
hdpredict=${abs_top_builddir:?}/hdpredict
hdexecute=$abs_top_builddir/hdexecute
unset HDTRACE_KERNELS HDTRACE_PT_CFG
cd "$scratch" || exit 99
for library in $(built_libraries); do
	can_launch "$library" >why && break
	library=
done
[ "${library-}" ] || skip_all "no program can be started by mpiexec here"
start() {
	launch "$library" "$@" >out 2>err
}

# ---- Random graphs ------------------------------------------------------------

# X1I2O1T replaces its first input in place: its name says it.
cat >fallback.c <<'END'
#include <hdKernel.h>
static int touch(const hdKernelCall *call)
{
	for (uint32_t i = 0; i < call->outCount; i++)
		memset(call->out[i].data, (int)i, call->out[i].size);
	return 0;
}
HDKERNELS({ "X0*", touch, 0 }, { "X1*", touch, 1 }, { "X2*", touch, 2 }, { "X3*", touch, 3 })
END
${CC:-cc} -shared -fPIC -O2 -I"$abs_top_srcdir/PredictionLibrary/include" -o fallback.so fallback.c &&
	${CC:-cc} -shared -fPIC -O2 -o memcount.so "$abs_top_srcdir/tests/predict/memcount.c" || exit 99
random_graphs() {
	case $library in
	openmpi) launcher=$MPIEXEC_OPENMPI ;;
	mpich) launcher=$MPIEXEC_MPICH ;;
	esac
	python3 "$abs_top_srcdir/tests/predict/memory.py" "$abs_top_builddir" "$PWD/memcount.so" \
		"$PWD" "$PWD" "${HDTRACE_TEST_SEED:-0}" "$graphs" "$launcher" -n 1
}
graphs=${HDTRACE_TEST_GRAPHS:-6}
ok "the memory of $graphs random graphs is predicted and sufficient" random_graphs

# ---- Cholesky -----------------------------------------------------------------

# Peaks of the process in kB and of the prediction in bytes: TILES
resident() {
	"$hdpredict" generate cholesky --tiles "$1" --tile-size 200 --on n0.0 -o "ch$1.xml" &&
		for _ in 1 2 3 4 5; do
			start 1 python3 -c '
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], check=False).returncode
print("kB", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)' "$hdexecute" -q --pes 1 "ch$1.xml" || return 1
			sed -n 's/^kB //p' out
		done | sort -n >sizes &&
		"$hdpredict" simulate "ch$1.xml" --platform one.xml --resources r.xml --format=json >out.json || return 1
	sed -n 3p sizes
	# That of the whole, before those of the nodes.
	sed -n 's/.*"memory_peak_bytes": \([0-9]*\).*/\1/p' out.json | head -n 1
}
# The same kernels on fewer tiles need the same besides. Pages of libraries that are touched
# differ from run to run: the median of five.
cholesky() {
	{
		echo '<resource-model>'
		for k in MATSRC MATSINK POTRF TRSM SYRK GEMM; do
			echo "<entry kernel='$k' architecture='cpu' time='1' energy='0'/>"
		done
		echo '</resource-model>'
	} >r.xml
	"$hdpredict" platform --nodes 1 --pes 1 --architecture cpu -o one.xml &&
		resident 3 >few && resident 10 >many || return 1
	cat few many
	cat few many | tr '\n' ' ' | awk '{
		found = ($3 - $1) * 1024 / ($4 - $2)
		print "measured / predicted:", found
		exit !(found > 0.98 && found < 1.02) }'
}
ok "the resident memory of Cholesky 10 x 10 is predicted within 2 %" cholesky

# ---- Two nodes ----------------------------------------------------------------

# Two nodes of one PE: MEMORY of the first one.
two_nodes() {
	echo '<platform>'
	for n in 0 1; do
		size=$1
		[ "$n" -eq 0 ] || size=1000000
		echo "<node id=\"n$n\"><main-memory id=\"n$n.m\" size=\"$size\" full=\"delay\">"
		echo "<out peer=\"n$n.o\"/><in peer=\"n$n.i\"/></main-memory>"
		echo "<pe id=\"n$n.0\" architecture=\"cpu\"/>"
		echo "<bridge id=\"n$n.o\"/><bridge id=\"n$n.i\"/></node>"
	done
	echo '<channel id="s"><in peer="n0.o"/><out peer="n0.i"/>'
	echo '<in peer="n1.o"/><out peer="n1.i"/></channel></platform>'
}
task() {
	echo "<task id=\"$1\" kernel=\"$2\"><map pe=\"$3\" priority=\"$4\"/></task>"
}
dep() {
	echo "<dependency predecessor=\"$1\" successor=\"$2\" src=\"o0\" dest=\"i$3\"/>"
}
# Four tasks of n1 send to n0, where tasks use them one after the other.
{
	echo '<application><kernel id="X0I0O1"><output id="o0" size="1000"/></kernel>'
	echo '<kernel id="X0I1O0"><input id="i0" size="1000"/></kernel>'
	for i in 1 2 3 4; do
		task s$i X0I0O1 n1.0 $i
		task u$i X0I1O0 n0.0 $i
	done
	for i in 1 2 3 4; do
		dep s$i u$i 0
	done
	echo '</application>'
} >queue.xml
# The first task that has an input needs memory for an output as well.
{
	echo '<application><kernel id="X0I0O1"><output id="o0" size="1000"/></kernel>'
	echo '<kernel id="X0I1O1"><input id="i0" size="1000"/><output id="o0" size="1000"/></kernel>'
	echo '<kernel id="X0I2O0"><input id="i0" size="1000"/><input id="i1" size="1000"/></kernel>'
	for i in 1 2 3 4; do
		task s$i X0I0O1 n1.0 $i
	done
	task u1 X0I1O1 n0.0 1
	task u2 X0I1O1 n0.0 2
	task v X0I2O0 n0.0 3
	task w X0I2O0 n0.0 4
	dep s1 u1 0
	dep s2 u2 0
	dep u1 v 0
	dep u2 v 1
	dep s3 w 0
	dep s4 w 1
	echo '</application>'
} >late.xml
# There is memory for one message at a time, and they come in their order.
fits_late() {
	two_nodes 1000 >p.xml
	start 2 "$hdexecute" -q --kernels . queue.xml --platform p.xml -f -p late || { cat err; return 1; }
	"$hdtrace" check late >said
	cat said
	grep -q ' 0 errors, 0 warnings' said || return 1
	"$hdtrace" dump --group Memory --node n0 late | awk '/^  1/ { if ($NF > most) most = $NF; last = $NF }
		END { print most, last; exit !(most == 1000 && last == 0) }' &&
		"$hdtrace" dump --group Transfers --node n1 late | awk '/^  1/ { sum += $NF; last = $(NF - 1) }
		END { print sum, last; exit !(sum == 4000 && last == 0) }'
}
hdtrace=$abs_top_builddir/hdtrace
ok "messages wait until data sets were released" fits_late
# Its own output and both inputs never fit.
stuck_late() {
	two_nodes 1500 >p.xml
	start 2 "$hdexecute" -q --kernels . late.xml --platform p.xml
	status=$?
	cat err
	[ "$status" -eq 1 ] && [ "$(grep -c '^hdexecute: task' err)" -eq 1 ] &&
		grep -q '^hdexecute: task .* (kernel .*, node n0): deadlock: it waits for memory, 1000 of 1500 bytes are in use' err
}
ok "a deadlock by memory of two nodes is named" stuck_late
# A kernel that would find its own results among its inputs.
unlike() {
	sed 's/<output id="o0" size="1000"\/><\/kernel>/<output id="o0" size="1000" inout="i0"\/><\/kernel>/; s/<kernel id="X0I0O1"><output id="o0" size="1000" inout="i0"/<kernel id="X0I0O1"><output id="o0" size="1000"/' late.xml >unlike.xml
	two_nodes 9000 >p.xml
	start 2 "$hdexecute" -q --kernels . unlike.xml --platform p.xml
	[ $? -eq 1 ] && cat err && grep -q '^hdexecute: kernel X0I1O1: the graph lets it replace i0 in place, but its code does not; remove inout of o0' err
}
ok "a kernel that cannot work in place is rejected" unlike
done_testing
