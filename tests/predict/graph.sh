#!/bin/sh
# hdpredict graph: the graph that ran, out of its project.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
hdpredict=${abs_top_builddir:?}/hdpredict
unset HDTRACE_KERNELS HDTRACE_PT_CFG
export PYTHONDONTWRITEBYTECODE=1
cd "$scratch" || exit 99
command -v python3 >/dev/null || skip_all "python3 is missing"

same() {
	"$hdpredict" graph "$2" -o back.xml && python3 "$abs_top_srcdir/tests/predict/graph.py" "$1" back.xml "$2"
}
# Of a graph and its project, the other model and what is simulated of it: NAME
# KERNELS OPTION... of generate.
simulated() {
	name=$1 kernels=$2
	shift 2
	"$hdpredict" generate "$@" -o "$name.xml" &&
		"$hdpredict" platform --nodes 3 --pes 2 -o p.xml || return 1
	{
		echo '<resource-model>'
		for kernel in $kernels; do
			echo "<entry kernel='$kernel' architecture='core' time='0.$((${#kernel} % 7 + 1))' energy='1'/>"
		done
		echo '</resource-model>'
	} >r.xml
	"$hdpredict" simulate "$name.xml" --platform p.xml --resources r.xml --map eft -o "$name" --format=json >one &&
		same "$name.xml" "$name" &&
		"$hdpredict" simulate back.xml --platform p.xml --resources r.xml --format=json >two && cmp one two
}
ok "the graph of a simulated Cholesky decomposition is restored" simulated ch 'MATSRC MATSINK POTRF TRSM SYRK GEMM' cholesky --tiles 6
ok "the graph of a stencil is restored" simulated st "$("$hdpredict" generate stencil --width 2 --steps 1 |
	sed -n 's/.*<kernel id="\([^"]*\)".*/\1/p' | tr '\n' ' ')" stencil --width 5 --steps 3
ok "a random graph is restored" simulated ra "$("$hdpredict" generate random |
	sed -n 's/.*<kernel id="\([^"]*\)".*/\1/p' | tr '\n' ' ')" random --width 9 --steps 7 --seed 5

# Kernels with all that they may have, and names that are no names of states.
odd() {
	cat >odd.xml <<'END'
<application>
<kernel id="a;b\c &lt;1&gt;" class="x;y"><variable id="v w"/><variable id="u"/>
<output id="o;1" size="u * 8"/><output id="o2" size="16"/><phase until="0.25" weight="2"/><phase until="1" weight="1"/>
<io order="random" access="sync" size="u * 4"/><io order="sequential" access="read" size="(u)"/></kernel>
<kernel id="k2"><input id="i1" size="16"/><input id="i2" size="24"/></kernel>
<task id="t &amp; 1" kernel="a;b\c &lt;1&gt;"><assign var="v w" val="0.1"/><assign var="u" val="3"/><map pe="n0.0" priority="0"/></task>
<task id="t2" kernel="k2"><map pe="n1.0" priority="0"/></task>
<dependency predecessor="t &amp; 1" successor="t2" src="o;1" dest="i2"/>
<dependency predecessor="t &amp; 1" successor="t2" src="o2" dest="i1"/>
</application>
END
	printf '%s\n' '<resource-model>' '<entry kernel="a;b\c &lt;1&gt;" architecture="core" time="1" energy="1"/>' \
		'<entry kernel="k2" architecture="core" time="2" energy="1"/>' \
		'<io architecture="core" order="random" access="sync" size="4096" time="1" energy="1"/>' \
		'<io architecture="core" order="sequential" access="read" size="4096" time="1" energy="1"/>' \
		'</resource-model>' >r.xml
	"$hdpredict" simulate odd.xml --platform p.xml --resources r.xml -o odd >/dev/null && same odd.xml odd
}
ok "names with special characters are restored" odd
# What is wrong: STATUS MESSAGE ARGUMENT...
fails() {
	status=$1 message=$2
	shift 2
	exits "$status" "$hdpredict" graph "$@" && grep -q -- "$message" err && [ ! -s out ]
}
# A kernel whose name is longer than a state's, and a task's that is, too.
long() {
	kernel=$(printf '%0250d' 0 | tr 0 k) task=$(printf '%03000d' 0 | tr 0 t)
	cat >long.xml <<-END
		<application><kernel id="$kernel"><output id="o" size="8"/></kernel>
		<kernel id="k2"><input id="i" size="8"/></kernel>
		<task id="$task" kernel="$kernel"><map pe="n0.0" priority="0"/></task>
		<task id="${task}2" kernel="k2"><map pe="n1.0" priority="0"/></task>
		<dependency predecessor="$task" successor="${task}2" src="o" dest="i"/></application>
	END
	for name in "$kernel" k2; do
		echo "<entry kernel='$name' architecture='core' time='1' energy='1'/>"
	done | sed '1s/^/<resource-model>/;$s,$,</resource-model>,' >r.xml
	"$hdpredict" simulate long.xml --platform p.xml --resources r.xml -o long >/dev/null && same long.xml long
}
ok "long names are restored" long
# Tasks of one of the two would become those of the other.
alike() {
	echo "<application><kernel id='a b'/><kernel id='a_b'/><task id='t' kernel='a b'><map pe='n0.0' priority='0'/></task></application>" >alike.xml
	echo "<resource-model><entry kernel='a b' architecture='core' time='1' energy='1'/></resource-model>" >r.xml
	"$hdpredict" simulate alike.xml --platform p.xml --resources r.xml -o alike >/dev/null &&
		fails 1 'two kernels share the states a_b' alike
}
ok "kernels with equal state names are refused" alike
# A graph that really ran, on two nodes: LIBRARY
executed() {
	"$hdpredict" platform --nodes 2 --pes 1 -o two.xml && "$hdpredict" generate cholesky --tiles 4 \
		--tile-size 16 -o small.xml && rm -f ran* || return 1
	launch "$1" 2 "$hdexecute" small.xml --platform two.xml -p ran >out 2>&1 || {
		cat out
		return 1
	}
	same small.xml ran
}
hdexecute=$abs_top_builddir/hdexecute
ran=no
for library in $(built_libraries); do
	ran=yes
	can_launch "$library" >"$scratch/why" || {
		skip "$library" "programs of it cannot be started here"
		continue
	}
	ok "an executed graph is restored, with $library" executed "$library"
done
[ $ran = yes ] || skip "an executed graph is restored" "no MPI library"

make_mini
ok "a missing project is reported" fails 2 none none
ok "a missing argument is reported" fails 2 'missing argument: PROJECT'
ok "a project without tasks is refused" fails 2 'contains no description of the graph' mini
# What is changed in the trace of the first task: MESSAGE EXPRESSION
torn() {
	for file in st*; do cp "$file" "torn${file#st}"; done
	for file in torn_*.trc; do sed -i "$2" "$file"; done
	fails 1 "$1" torn
}
ok "a missing task is reported" torn 'contains only a part' "/activity='3'/d"
ok "a missing input is reported" torn 'error: ' "s/inputs='[^ ']* /inputs='/"
ok "an invalid input is reported" torn 'contains only a part' "s/inputs='[^ ']* /inputs='x /"
ok "a missing kernel is reported" torn 'contains only a part' "s/kernels='K[^;]*;/kernels='Kother;/"
ok "an invalid list of kernels is reported" torn 'contains only a part' "s/kernels='/&junk;/"
# Of accesses to files: EXPRESSION
torn_io() {
	for file in odd*; do cp "$file" "torn${file#odd}"; done
	for file in torn_*.trc; do sed -i "$1" "$file"; done
	grep -q 'Su \* 4' odd_*.trc && fails 1 'contains only a part' torn
}
ok "invalid file accesses are reported" torn_io 's/;Arandom sync;/;Arandom erase;/'
ok "file accesses without a size are reported" torn_io 's/;Su \* 4;S(/;S(/; s/;Su \* 4;A/;A/'
ok "missing values are reported" torn 'contains only a part' "s/ values='[^']*'//"
done_testing
