#!/bin/sh
# A prediction and the run that it is of, one above the other, in Chromium.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
need_viewer
need_browser
need_view
skip_sanitized
hdpredict=${abs_top_builddir:?}/hdpredict
cd "$scratch" || exit 99
for library in $(built_libraries) none; do
	[ "$library" = none ] || ! can_launch "$library" >why || break
done
[ "$library" != none ] || skip_all "no MPI programs can be run here"

# Two chains of three tasks: of one PE each, and of one kernel that takes 0.2 s and 4 J.
cat >WAIT.c <<'END'
#include <hdKernel.h>
#include <unistd.h>
static int wait(const hdKernelCall *call)
{
	(void)call;
	usleep(200000);
	return 0;
}
HDKERNELS({ "WAIT", wait, 0 })
END
${CC:-cc} -shared -fPIC -I"$abs_top_srcdir/PredictionLibrary/include" -o WAIT.so WAIT.c || exit 99
{
	echo '<application><kernel id="WAIT"/>'
	for task in 0 1 2; do
		for pe in 0 1; do
			echo "<task id='t$pe.$task' kernel='WAIT'><map pe='n0.$pe' priority='$task'/></task>"
		done
	done
	echo '</application>'
} >graph.xml
echo '<resource-model><entry kernel="WAIT" architecture="cpu" time="0.2" energy="4"/></resource-model>' >resources.xml
"$hdpredict" platform --nodes 1 --pes 2 --architecture cpu --idle-power 60 -o platform.xml &&
	"$hdpredict" simulate graph.xml --platform platform.xml --resources resources.xml -o predicted >said || exit 99
printf '[General]\ndevice=sim\nlaw=idle:60,busy:160\ncycle=20\n[Trace]\ntype=HDSTATS\nnode=n0\nchannel=host\nvalues=P\n' >pt.cfg
HDTRACE_PT_CFG=$PWD/pt.cfg launch "$library" 1 "$abs_top_builddir/hdexecute" graph.xml \
	--platform platform.xml --kernels . -p measured >said 2>&1 || { cat said; exit 99; }
in_browser predicted.mjs predicted measured
