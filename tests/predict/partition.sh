#!/bin/sh
# Graphs for METIS, and mappings by its partitions; see imports.py.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
hdpredict=${abs_top_builddir:?}/hdpredict
here=$abs_top_srcdir/tests/predict
unset HDTRACE_KERNELS HDTRACE_PT_CFG
export PYTHONDONTWRITEBYTECODE=1
cd "$scratch" || exit 99
command -v python3 >/dev/null || skip_all "python3 is missing"

# ---- Graphs for METIS --------------------------------------------------------

"$hdpredict" generate cholesky --tiles 6 --tile-size 128 -o ch.xml
tasks=$(grep -c '<task ' ch.xml)
i=0
for kernel in MATSRC MATSINK POTRF TRSM SYRK GEMM; do
	i=$((i + 1))
	echo "<entry kernel='$kernel' architecture='core' time='0.00$i' energy='1'/>"
done | sed '1s/^/<resource-model>/; $s,$,</resource-model>,' >times.xml
metis() {
	"$hdpredict" convert --to=metis ch.xml -o ch.metis && python3 "$here/imports.py" metis ch.metis ch.xml
}
ok "each task has the weight 1, and edges have bytes" metis
weighted() {
	"$hdpredict" convert --to=metis ch.xml -o times.metis --resources times.xml && python3 "$here/imports.py" metis times.metis ch.xml times.xml &&
		"$hdpredict" convert --to=metis ch.xml --resources times.xml | cmp - times.metis
}
ok "weights from a resource model" weighted
measured() {
	"$hdpredict" platform --nodes 2 --pes 2 -o p.xml &&
		"$hdpredict" simulate ch.xml --platform p.xml --resources times.xml --map eft -o ran >/dev/null &&
		"$hdpredict" graph ran -o ran.xml && "$hdpredict" graph --format=metis ran -o ran.metis &&
		python3 "$here/imports.py" metis ran.metis ran.xml && "$hdpredict" graph --to=metis ran | cmp - ran.metis
}
ok "weights from a run" measured
huge() {
	cat >huge.xml <<'END'
<application><kernel id="a"><output id="o" size="9e15"/></kernel>
<kernel id="b"><input id="i" size="9e15"/><input id="j" size="9e15"/></kernel>
<task id="x" kernel="a"/><task id="y" kernel="a"/><task id="z" kernel="b"/>
<dependency predecessor="x" successor="z" src="o" dest="i"/>
<dependency predecessor="y" successor="z" src="o" dest="j"/></application>
END
	"$hdpredict" convert --to=metis huge.xml -o huge.metis 2>said && grep -q 'weights of edges are bytes multiplied by 1e-08' said &&
		python3 "$here/imports.py" metis huge.metis huge.xml
}
ok "large weights are scaled, and this is said" huge
parallel_edges() {
	cat >twice.xml <<'END'
<application><kernel id="a"><output id="o" size="10"/><output id="z" size="0"/></kernel>
<kernel id="b"><input id="i" size="10"/><input id="j" size="10"/></kernel><kernel id="c"><input id="k" size="0"/></kernel>
<task id="x" kernel="a"/><task id="y" kernel="b"/><task id="w" kernel="c"/>
<dependency predecessor="x" successor="y" src="o" dest="i"/>
<dependency predecessor="x" successor="y" src="o" dest="j"/>
<dependency predecessor="x" successor="w" src="z" dest="k"/></application>
END
	"$hdpredict" convert --to=metis twice.xml -o twice.metis && grep -v '^%' twice.metis >found &&
		printf '%s\n' '3 2 011' '1 2 20 3 1' '1 1 20' '1 1 1' | diff - found
}
ok "parallel edges are merged, and the least weight is 1" parallel_edges
no_tasks() {
	echo '<application/>' | "$hdpredict" convert --to=metis - | grep -qx '0 0 011'
}
ok "a graph without tasks" no_tasks
no_time() {
	sed "s/time='[^']*'/time='0'/" times.xml >none.xml && "$hdpredict" convert --to=metis ch.xml --resources none.xml | grep -v '^%' | sed 1d |
		cut -d ' ' -f 1 | sort | uniq -c | tr -s ' ' | grep -qx " $tasks 1"
}
ok "tasks without times have the weight 1" no_time
# No file is written: STATUS MESSAGE RESOURCES
fails() {
	exits "$1" "$hdpredict" convert --to=metis ch.xml -o none.metis --resources "$3" && grep -q "$2" err && [ ! -e none.metis ]
}
sed '/POTRF/d' times.xml >some.xml
ok "a kernel without an entry is reported" fails 1 'no resource entry for kernel POTRF' some.xml
echo '<resource-model/>' >empty.xml
ok "a resource model without entries is reported" fails 1 'the resource model has no architectures' empty.xml

# What gpmetis says of the cut is what Python finds: FILE PARTS
cut_edges() {
	gpmetis "$1" "$2" >said || {
		cat said
		return 1
	}
	python3 "$here/imports.py" cut "$1" "$1.part.$2" "$(sed -n 's/.*Edgecut: \([0-9]*\).*/\1/p' said)"
}
big() {
	"$hdpredict" generate cholesky --tiles 20 --tile-size 1024 --to=metis -o big.metis 2>said && cut_edges big.metis 8
}
if command -v gpmetis >/dev/null; then
	ok "gpmetis divides a graph into two parts" cut_edges times.metis 2
	ok "gpmetis divides the graph of a run into three parts" cut_edges ran.metis 3
	ok "gpmetis reads large weights" cut_edges huge.metis 2
	ok "gpmetis divides 1960 tasks into eight parts" big
else
	skip "gpmetis reads these graphs" "gpmetis is missing: metis"
fi

# ---- Mappings by partitions --------------------------------------------------

"$hdpredict" platform --nodes 4 --pes 2 -o four.xml
awk -v n="$tasks" 'BEGIN { for (i = 0; i < n; i++) print i * 7 % 4 }' >parts
awk -v n="$tasks" 'BEGIN { for (i = 0; i < n; i++) print i * 5 % 8 }' >eight
sed 's/.*/0/' parts >zeros
# Map by a partition: GRAPH FILE [OPTION...]
map_by() {
	graph=$1 file=$2
	shift 2
	"$hdpredict" map "$graph" --platform four.xml --resources times.xml --map "$file" -o placed.xml "$@"
}
on_nodes() {
	map_by ch.xml parts && python3 "$here/imports.py" placed placed.xml parts nodes &&
		"$hdpredict" simulate placed.xml --platform four.xml --resources times.xml --format=json >one &&
		"$hdpredict" simulate ch.xml --platform four.xml --resources times.xml --map parts --parts nodes --format=json >two && cmp one two
}
ok "parts are nodes, in map and simulate" on_nodes
on_pes() {
	map_by ch.xml ./eight --parts pes && python3 "$here/imports.py" placed placed.xml eight pes
}
ok "parts are PEs" on_pes
some_pes() {
	map_by ch.xml zeros --parts pes --use 'n2.1' && [ "$(grep -c 'pe="n2.1"' placed.xml)" -eq "$tasks" ] &&
		map_by ch.xml zeros --nodes n3 && [ "$(grep -c 'pe="n3\.[01]"' placed.xml)" -eq "$tasks" ]
}
ok "parts are among the PEs of --use and the nodes of --nodes" some_pes
pinned() {
	sed 's/<task id="POTRF-0" /&pin="n3.1" /; s/<kernel id="SYRK"/& pin="n0.0"/' ch.xml >pinned.xml &&
		map_by pinned.xml zeros 2>said && grep -q 'zeros: warning: pinned or mapped tasks stay outside of their parts: 1; --ignore-map moves mapped tasks' said &&
		grep -q '<task id="POTRF-0".*<map pe="n3.1"' placed.xml && [ "$(grep -c 'pe="n0\.[01]"' placed.xml)" -eq $((tasks - 1)) ]
}
ok "pinned tasks stay, and this is said" pinned
blanks() {
	map_by ch.xml parts && mv placed.xml plain.xml && sed 's/$/\r/; s/^/ /' parts >blanks && map_by ch.xml blanks && cmp placed.xml plain.xml &&
		printf %s "$(cat parts)" >blanks && map_by ch.xml blanks && cmp placed.xml plain.xml
}
ok "blanks around numbers, and no end of the last line" blanks

# What is wrong with a partition: MESSAGE COMMAND...
bad() {
	message=$1
	shift
	"$@" >bad && exits 1 "$hdpredict" map ch.xml --platform four.xml --resources times.xml --map bad && grep -q "$message" err && [ ! -s out ]
}
ok "too few lines are refused" bad "bad:$((tasks - 1)): error: $((tasks - 1)) lines for $tasks tasks" sed "\$d" parts
ok "too many lines are refused" bad "bad:$((tasks + 1)): error: more lines than tasks; the graph has $tasks" sed "\$p" parts
ok "a part that is out of range is refused" bad 'bad:3: error: part 4 is out of range; the platform has 4 usable nodes' sed '3s/.*/4/' parts
ok "a part with too many digits is refused" bad 'bad:3: error: not a part number' sed '3s/.*/99999999999999999999/' parts
ok "a negative part is refused" bad 'bad:3: error: not a part number' sed '3s/.*/-1/' parts
ok "two numbers in a line are refused" bad 'bad:3: error: not a part number' sed '3s/.*/1 2/' parts
ok "an empty line is refused" bad 'bad:3: error: not a part number' sed '3s/.*//' parts
printf '%s\000\n' "$(sed '3!d' parts)" >zero
ok "a zero byte is refused" bad 'bad:3: error: not a part number' sed -e '3r zero' -e 3d parts
ok "a long line is refused" bad 'bad:3: error: the line is too long' sed "3s/.*/$(printf '%0100d' 1)/" parts
ok "an empty partition is refused" bad "error: 0 lines for $tasks tasks" true
no_kernel() {
	exits 1 "$hdpredict" map ch.xml --platform four.xml --resources some.xml --map parts && grep -q 'no resource entry for kernel POTRF' err
}
ok "a task that cannot run on its node is reported" no_kernel

# What is wrong with options: MESSAGE OPTION...
usage() {
	message=$1
	shift
	exits 2 "$hdpredict" map ch.xml --platform four.xml --resources times.xml "$@" && grep -q -- "$message" err && [ ! -s out ]
}
ok "a missing partition is reported" usage './none: cannot open: No such file' --map ./none
ok "a directory as a partition is reported" usage '.: cannot read: Is a directory' --map .
ok "an unknown method is refused" usage '--map: invalid value "hefd"; expected eft, heft, anneal or a file with the part of each task' --map hefd
ok "--parts without a partition is refused" usage '--parts: requires --map FILE' --parts pes
ok "unknown parts are refused" usage '--parts: invalid value "x"; expected nodes or pes' --map parts --parts x
both() {
	exits 2 "$hdpredict" graph --format=xml --to=metis ran && grep -q -- '--format' err && [ ! -s out ]
}
ok "--format and --to together are refused" both
# A node of two PEs: two tasks run on both.
earliest() {
	echo '<application><kernel id="a"/><task id="x" kernel="a"/><task id="y" kernel="a"/></application>' >two.xml &&
		printf '0\n0\n' >two && echo "<resource-model><entry kernel='a' architecture='core' time='1' energy='0'/></resource-model>" >a.xml &&
		"$hdpredict" map two.xml --platform four.xml --resources a.xml --map two -o placed.xml &&
		[ "$(grep -c 'pe="n0.0"' placed.xml)" -eq 1 ] && [ "$(grep -c 'pe="n0.1"' placed.xml)" -eq 1 ]
}
ok "two tasks use both PEs of their node" earliest
pipe() {
	mkfifo fifo && { cat parts >fifo & } && map_by ch.xml ./fifo && wait && python3 "$here/imports.py" placed placed.xml parts nodes
}
ok "a pipe is opened once" pipe
done_testing
