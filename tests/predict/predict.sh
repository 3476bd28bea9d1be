#!/bin/sh
# hdpredict: cases that were computed by hand (A1, A4, A5), and every rule that
# a model can break (A6).
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: smoke
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
hdpredict=${abs_top_builddir:?}/hdpredict
schema=$abs_top_srcdir/doc/format/prediction.rng
cd "$scratch" || exit 99

# ---- A1: the generator ------------------------------------------------------

# Tasks of a Cholesky decomposition: N POTRF TRSM GEMM ENDS ALL
counts() {
	"$hdpredict" generate cholesky --tiles "$1" --tile-size 8 >g || return 1
	for kernel in POTRF TRSM SYRK GEMM MATSRC MATSINK; do
		printf '%s ' "$(grep -c "<task .* kernel=\"$kernel\"" g)"
	done >found
	grep -c '<task ' g >>found
	echo "$2 $3 $3 $4 $5 $5 $6" | diff - found
}
ok "Cholesky: 10 x 10 tiles are 330 tasks" counts 10 10 45 120 55 330
ok "Cholesky: 20 x 20 tiles are 1960 tasks" counts 20 20 190 1140 210 1960
ok "Cholesky: 40 x 40 tiles are 13120 tasks" counts 40 40 780 9880 820 13120
ok "Cholesky: 80 x 80 tiles are 95040 tasks" counts 80 80 3160 82160 3240 95040
# LU of 6 x 6 tiles: 36 sources and sinks, 6 + 15 + 15 + 55 tasks on them.
lu() {
	"$hdpredict" generate lu --tiles 6 --tile-size 8 -o lu.xml &&
		for kernel in LUSRC GETRF LUROW LUCOLUMN LUGEMM LUSINK; do
			printf '%s ' "$(grep -c "<task .* kernel=\"$kernel\"" lu.xml)"
		done >found && echo >>found &&
		echo "36 6 15 15 55 36 " | diff - found
}
ok "LU: number of tasks" lu
ring() {
	"$hdpredict" generate ring --width 3 --steps 2 --tile-size 100 --on B,A \
		-o ring.xml && grep -o 'pe="[AB]"' ring.xml >found &&
		printf 'pe="%s"\n' B A B A B A | diff - found &&
		"$hdpredict" validate ring.xml | grep -q ': 6 tasks, 5 dependencies' &&
		! "$hdpredict" generate ring --on A,,B 2>err &&
		grep -q 'a PE without a name' err
}
ok "generate: a ring on two PEs" ring
stencil() {
	"$hdpredict" generate stencil --width 4 --steps 3 -o s.xml &&
		"$hdpredict" validate s.xml >found &&
		echo "s.xml: 64 tasks, 192 dependencies, 6 kernels" | diff - found
}
ok "generate: a stencil of 4 x 4 cells and 3 steps" stencil
layers() {
	"$hdpredict" generate random --steps 5 --width 7 --seed 3 -o r.xml &&
		"$hdpredict" generate random --steps 5 --width 7 --seed 3 -o r2.xml &&
		cmp r.xml r2.xml && [ "$(grep -c '<task ' r.xml)" -eq 35 ] &&
		"$hdpredict" generate random --steps 5 --width 7 --seed 4 >r3.xml &&
		! cmp -s r.xml r3.xml
}
ok "random layers depend only on the seed" layers
round_trip() {
	"$hdpredict" convert "$1" -o 1.bin && "$hdpredict" convert --to xml 1.bin \
		-o 2.xml && cmp "$1" 2.xml && "$hdpredict" convert - <1.bin >2.bin &&
		cmp 1.bin 2.bin
}
"$hdpredict" generate cholesky --tiles 5 --tile-size 8 -o c.xml
ok "conversion from XML to binary and back" round_trip c.xml
echo '<application/>' | "$hdpredict" convert --to xml - -o e.xml
ok "conversion of a graph without tasks" round_trip e.xml
mapped() {
	"$hdpredict" generate cholesky --tiles 4 --tile-size 128 |
		"$hdpredict" map - --platform thesis --resources thesis -o m.xml &&
		round_trip m.xml
}
ok "conversion of a graph with a mapping" mapped

# Platforms: TOPOLOGY NODES PES OPTION... is valid, and has as many.
platforms() {
	kind=$1 nodes=$2 pes=$3
	shift 3
	"$hdpredict" platform --topology "$kind" --nodes "$nodes" --pes "$pes" \
		"$@" -o made.xml && "$hdpredict" validate --platform made.xml >said &&
		echo "made.xml: $nodes servers, $((nodes * pes)) PEs" | diff - said
}
ok "platform: star" platforms star 7 3
ok "platform: one node" platforms star 1 1
ok "platform: fat tree" platforms fat-tree 100 2 --radix 4
ok "platform: fat tree of one switch" platforms fat-tree 4 1 --radix 4
ok "platform: fat tree of one node" platforms fat-tree 1 1
ok "platform: torus" platforms torus 12 2
ok "platform: torus, two rows" platforms torus 4 1
ok "platform: torus, one row" platforms torus 7 1
ok "platform: torus of one node" platforms torus 1 1
ok "platform: torus of 1000 x 64" platforms torus 1000 64
# Time of a message of 4500 bytes, 3 packets, from n0 to n$2, over $3 links:
# 1 s each, and 10 s a packet on the slowest.
takes() {
	"$hdpredict" platform --topology "$1" --nodes 16 --pes 1 --radix 4 \
		--init-latency 1e9 --packet-latency 10e9 -o made.xml || return 1
	cat >way.xml <<END
<application><kernel id="S"><output id="o" size="4500"/></kernel><kernel id="T"><input id="i" size="4500"/></kernel>
<task id="a" kernel="S"><map pe="n0.0" priority="0"/></task><task id="b" kernel="T"><map pe="n$2.0" priority="0"/></task>
<dependency predecessor="a" successor="b" src="o" dest="i"/></application>
END
	cat >free.xml <<END
<resource-model><entry kernel="S" architecture="core" time="0" energy="0"/>
<entry kernel="T" architecture="core" time="0" energy="0"/></resource-model>
END
	"$hdpredict" simulate way.xml --platform made.xml --resources free.xml \
		--format=json | grep -q "^  \"makespan_s\": $((30 + $3)),"
}
ok "platform: a message across a star" takes star 15 2
ok "platform: a message below one switch" takes fat-tree 3 2
ok "platform: a message across the root of a tree" takes fat-tree 15 4
ok "platform: a message to a neighbor in a torus" takes torus 1 3
ok "platform: the short way around a torus" takes torus 15 4
ok "platform: a message to the far side of a torus" takes torus 10 6
no_platform() {
	exits 2 "$hdpredict" platform "$@" && [ ! -s out ] && [ -s err ]
}
ok "platform: no nodes are rejected" no_platform --nodes 0
ok "platform: too many PEs are rejected" no_platform --nodes 100000 --pes 100000
ok "platform: too large switches are rejected" no_platform --topology fat-tree \
	--radix 2147483647
ok "platform: an unknown topology is rejected" no_platform --topology ring
ok "platform: a negative latency is rejected" no_platform --packet-latency -1
ok "platform: packets of size 0 are rejected" no_platform --packet-size 0
ok "platform: a full disk is reported" no_platform -o /dev/full
ok "platform: a missing directory is reported" no_platform -o none/p.xml

# ---- Cases by hand -----------------------------------------------------------

. "$abs_top_srcdir/tests/predict/models.sh"
simulate() {
	"$hdpredict" simulate "$@" --format=json --tasks
}
# A graph on standard input has these times: OPTIONS ID:START:END... KEY=VALUE...
gives() {
	options=$1
	shift
	cat >g.xml
	# shellcheck disable=SC2086
	simulate g.xml --platform p.xml --resources r.xml $options >out.json ||
		{ cat out.json; return 1; }
	for want; do
		case $want in
		*=*) grep -q "^  \"${want%=*}\": ${want#*=},\$" out.json ;;
		*) echo "$want" | tr : ' ' | {
			read -r id start end
			grep -q "\"id\": *\"$id\".*\"start_s\": *$start,.*\"end_s\": *$end *}" out.json
		} ;;
		esac || { echo "not so: $want"; cat out.json; return 1; }
	done
}

# 250 bytes are 3 packets: 1 + 3 x 0.5 s, and 3 x (2 + 2) J.
two() { graph <<END | gives "" x:0:2 y:4.5:8.5 makespan_s=8.5 "$@"
$(task x S 250 A.0 0)$(task y T 250 B.0 0)$(dep x y)
END
}
ok "simulation: two tasks with a transfer" two energy_computation_j=8 \
	energy_communication_j=12 energy_dynamic_j=20 energy_idle_j=170 \
	energy_total_j=190 messages=1
local_() { graph <<END | gives "" x:0:2 y:2:6 energy_communication_j=0
$(task x S 250 A.0 0)$(task y T 250 A.1 0)$(dep x y)
END
}
ok "simulation: local data cost nothing" local_
# Both T run together from 2 to 10 at half speed.
fork_() { graph <<END | gives "" x:0:2 y:2:10 z:2:10
$(task x S 250 A.0 0)$(task y T 250 A.0 1)$(task z T 250 A.1 0)$(dep x y)$(dep x z)
END
}
ok "simulation: a fork with slowdown" fork_
# w begins 2 s after y: y has done 2 s of its work, and 2 s more take 4.
change() { graph <<END | gives "" y:2:8 w:4:10
$(task x S 1 A.0 0)$(task y T 1 A.0 1)$(task v S 1 A.1 0)$(task u S 1 A.1 1)
$(task w T 1 A.1 2)$(dep x y)$(dep u w)
END
}
ok "simulation: the slowdown changes during a task" change
off() { graph <<END | gives "--slowdown off" y:2:6 w:4:8 energy_computation_j=19
$(task x S 1 A.0 0)$(task y T 1 A.0 1)$(task v S 1 A.1 0)$(task u S 1 A.1 1)
$(task w T 1 A.1 2)$(dep x y)$(dep u w)
END
}
ok "simulation: without slowdown the energy is the same" off
chain() { graph <<END | gives "" x:0:2 y:3.5:7.5 z:9:13
$(task x S 1 A.0 0)$(task y T 1 B.0 0)$(task z T 1 A.0 1)$(dep x y)$(dep y z)
END
}
ok "simulation: a chain with transfers" chain
# One data set for two tasks of B is one message.
once() { graph <<END | gives "--slowdown off" y:3.5:7.5 z:3.5:7.5 messages=1
$(task x S 1 A.0 0)$(task y T 1 B.0 0)$(task z T 1 B.1 0)$(dep x y)$(dep x z)
END
}
ok "simulation: a data set is sent once to each server" once
# Two messages that are ready at once: the lower dependency goes first.
queue() { graph <<END | gives "--slowdown off" y:5:9 z:3.5:7.5 messages=2
$(task x S 1 A.0 0)$(task w S 1 A.1 0)$(task y T 1 B.0 0)$(task z T 1 B.1 0)
$(dep w z)$(dep x y)
END
}
ok "simulation: messages are sent in the order of their numbers" queue
# Sharing: 1 s each, then 0.5 s of payload at half the rate.
shared() { graph <<END | gives "--slowdown off --comm share" y:4:8 z:4:8
$(task x S 1 A.0 0)$(task w S 1 A.1 0)$(task y T 1 B.0 0)$(task z T 1 B.1 0)
$(dep w z)$(dep x y)
END
}
ok "simulation: messages share bandwidth" shared
unused() { graph <<END | gives "--off-unused" energy_idle_j=20 energy_total_j=23
$(task x S 1 A.0 0)
END
}
ok "unused servers may be off" unused
empty() { echo '<application/>' | gives "" tasks=0 makespan_s=0 energy_total_j=0; }
ok "an empty graph takes no time" empty
standard_input() {
	graph <<END | simulate - --platform p.xml --resources r.xml |
$(task x S 1 A.0 0)
END
		grep -q '"makespan_s": 2,'
}
ok "a graph is read from standard input" standard_input
annotate() {
	graph <<END >g.xml
$(task x S 250 A.0 0)$(task y T 250 B.0 0)$(dep x y)
END
	simulate g.xml --platform p.xml --resources r.xml --annotate a.xml >one.json &&
		grep -q '"y".*<simulated pe="B.0" start="4.5" end="8.5"/></task>' a.xml &&
		simulate a.xml --platform p.xml --resources r.xml --annotate b.xml >two.json &&
		cmp a.xml b.xml && cmp one.json two.json
}
ok "times are written into the graph and ignored by readers" annotate
delay() {
	sed 's/id="A.m" size="1000"/id="A.m" size="300" full="delay"/' p.xml >d.xml
	graph <<END >g.xml
$(task x S 250 A.0 0)$(task w S 250 A.1 0)$(task y T 250 B.0 0)$(dep x y)
END
	simulate g.xml --platform d.xml --resources r.xml >out.json &&
		cat out.json && grep -q '"w".*"start_s": *4.5,' out.json
}
ok "a task waits for memory until data were sent" delay

# Each task replaces its input, so a chain needs one buffer; if another task needs it,
# too, there is a copy until the last one has ended. PEAK of node A.
chain_graph() {
	graph <<END | sed '/id="T"/s/size="n\*1"/& inout="i"/' >g.xml
$(task x S 400 A.0 0)$(task y T 400 A.0 1)$(task z T 400 A.0 2)$(dep x y)$(dep y z)
$1
END
}
peak() {
	chain_graph "$2"
	simulate g.xml --platform p.xml --resources r.xml >out.json || return 1
	tr -d '\n' <out.json | grep -o '"id": "A", *"tasks[^}]*' | tee peaks | grep -q "\"memory_peak_bytes\": $1,"
}
ok "outputs in place need no memory" peak 400 ""
ok "an input that another task needs is copied" peak 800 "$(task v T 400 A.0 3)$(dep x v)"
ok "an input that a message carries is copied" peak 800 "$(task v T 400 B.0 3)$(dep x v)"
in_place_fits() {
	for size in 400 399; do
		sed "s/id=\"A.m\" size=\"1000\"/id=\"A.m\" size=\"$size\" full=\"fail\"/" p.xml >fits.xml
		chain_graph ""
		"$hdpredict" simulate g.xml --platform fits.xml --resources r.xml >out 2>err
		echo "$size: $?"
	done >statuses
	printf '%s\n' "400: 0" "399: 1" | diff - statuses && [ "$(wc -l <err)" -eq 1 ] &&
		grep -q 'the memory of server A is full' err
}
ok "memory of the peak is enough, and a byte less is not" in_place_fits
# y has a copy from 2 to 6, then w; v is the last one at 10 and needs no memory.
last_user() {
	sed 's/id="A.m" size="1000"/id="A.m" size="800" full="delay"/' p.xml >d.xml
	graph <<END | sed '/id="T"/s/size="n\*1"/& inout="i"/' >g.xml
$(task x S 400 A.0 0)$(task y T 400 A.0 1)$(task v T 400 A.1 0)$(task w T 400 A.0 2)
$(dep x y)$(dep x v)$(dep x w)
END
	simulate g.xml --platform d.xml --resources r.xml >out.json || return 1
	cat out.json
	grep -q '"y".*"start_s": *2,' out.json && grep -q '"w".*"start_s": *6,' out.json &&
		grep -q '"v".*"start_s": *10,' out.json
}
ok "a task waits until a copy of its input fits" last_user
dead() {
	sed 's/id="A.m" size="1000"/id="A.m" size="900" full="delay"/' p.xml >d.xml
	graph <<END >g.xml
$(task x S 400 A.0 0)$(task y S 400 A.1 0)$(task v T 400 A.0 1)$(task w T 400 A.1 1)$(dep x v)$(dep y w)
END
	exits 1 "$hdpredict" simulate g.xml --platform d.xml --resources r.xml --format=json || return 1
	[ "$(wc -l <err)" -eq 1 ] &&
		grep -q 'v: deadlock at 2 s: .* waits for memory (server A, 800 of 900 bytes in use); so do w$' err &&
		tr -d ' \n' <out | grep -q '"deadlock":{"node":"A","time_s":2,"tasks":\["v","w"\]}'
}
ok "a deadlock by memory is named with its tasks" dead

# Accesses to files: 250 bytes in pieces of 100 are 3 accesses, of 0.5 s and 0.25 J; one
# is written, of 1 s and 2 J.
costs() {
	cat <<END
<entry kernel="S" architecture="core" time="2" energy="3"/>
<entry kernel="T" architecture="core" time="4" energy="5"/>
<slowdown architecture="core" kernel="T" load="T" count="1" factor="2"/>
<io architecture="core" order="sequential" access="read" size="100" time="0.5" energy="0.25"/>
<io architecture="core" order="random" access="sync" size="4096" time="1" energy="2" n="9"/>
END
}
with_files() {
	sed 's|<kernel id="S">|&<io order="sequential" access="read" size="n * 10"/><io order="random" access="sync" size="7"/>|
		s|<kernel id="T">|&<io order="sequential" access="read" size="1"/>|'
}
echo "<resource-model>$(costs)</resource-model>" >io.xml
files() {
	graph <<END | with_files | gives "--resources io.xml" x:0:4.5 y:4.5:9 makespan_s=9 energy_computation_j=11
$(task x S 25 A.0 0)$(task y T 25 A.1 0)$(dep x y)
END
}
ok "accesses to files take time and energy" files
# What they take belongs to the work of a task, which is slowed down: 2 x (4 + 0.5) s.
slow_files() {
	graph <<END | with_files | gives "--resources io.xml" v:0:4.5 w:0:4.5 x:4.5:13.5 y:4.5:13.5
$(task v S 25 A.0 0)$(task w S 25 A.1 0)$(task x T 25 A.0 1)$(task y T 25 A.1 1)$(dep v x)$(dep w y)
END
}
ok "file accesses are slowed down with their task" slow_files
# With faster files the slower PE is better: 3 + 3 x 0.1 + 0.1 s.
mapped_by_files() {
	graph <<END | with_files >f.xml
<task id="x" kernel="S"><assign var="n" val="25"/></task>
END
	sed 's/id="A.1" architecture="core"/id="A.1" architecture="disk"/' p.xml >d.xml
	{
		costs
		costs | sed -n 's/time="2"/time="3"/; s/time="0.5"/time="0.1"/; s/time="1"/time="0.1"/
			/="S"\|<io/s/"core"/"disk"/p'
	} >both
	echo "<resource-model>$(cat both)</resource-model>" >both.xml
	simulate f.xml --platform d.xml --resources both.xml --map eft >out.json && cat out.json &&
		grep -q '"x".*"A.1".*"end_s": *3.4' out.json
}
ok "file accesses count when tasks are mapped" mapped_by_files
files_back() {
	"$hdpredict" convert f.xml -o f.bin && "$hdpredict" convert --to xml f.bin -o f2.xml &&
		grep -q '<io order="random" access="sync" size="7"/>' f2.xml &&
		"$hdpredict" convert f2.xml -o f3.bin && cmp f.bin f3.bin
}
ok "both forms of a graph contain file accesses" files_back

# ---- A project for hdtrace ----------------------------------------------------

hdtrace=$abs_top_builddir/hdtrace
# A is idle for 8.5 s at 10 W, runs x, and sends 3 packets; B likewise.
project() {
	graph <<END >g.xml
$(task x S 250 A.0 0)$(task y T 250 B.0 0)$(dep x y)
END
	exits 0 "$hdpredict" simulate g.xml --platform p.xml --resources r.xml \
		-o two && exits 0 "$hdtrace" report --all two && cat out
}
ok "a project is written, and read" project
says() { grep -qE "$1" out || { cat out; return 1; }; }
ok "report of a predicted project: runtime" says 'Runtime +8\.500 s'
ok "report of a predicted project: energy of the summary" says '^  Energy +190 J \(simulated\)'
ok "report of a predicted project: energy of node A" says 'Energy: 94 J \(simulated\)'
ok "report of a predicted project: energy of node B" says 'Energy: 96 J \(simulated\)'
# A draws 10 W and 3 J more; B, which is off, nothing, wherever that is said.
off() {
	"$hdpredict" simulate unused.xml --platform p.xml --resources r.xml \
		--off-unused --format=json -o off >out.json &&
		grep -q '^  "energy_total_j": 23,$' out.json &&
		sed -n 's/.*"energy_idle_j": \([0-9]*\).*/\1/p' out.json | xargs >found &&
		exits 0 "$hdtrace" stat --format=json off &&
		sed -n 's/.*"unit": "W".*"integral": \([0-9]*\),.*/\1/p' out | xargs >>found &&
		printf '20 20 0\n23 0\n' | diff - found
}
graph <<END >unused.xml
$(task x S 1 A.0 0)
END
ok "servers that are off have no energy" off
# 2 and 3 are PEs of B; 4 is the first bridge of A.
states() {
	grep -q "<S task='x' activity='0' .* time='0.000000000' end='2.000000000'/>" two_A_0_0.trc &&
		grep -q "<Bsend .*toRank='2' .*size='250' activity='2' follows='0' for='x' .*time='2.000000000' end='4.500000000'/>" two_A_4_0.trc &&
		grep -q "<Waitall awaits='2' for='x' .*time='0.000000000' end='4.500000000'><Request cid='0' fromRank='4'" two_B_2_0.trc &&
		grep -q "<T task='y' .* time='4.500000000' end='8.500000000'/>" two_B_2_0.trc
}
ok "tasks and messages are states" states
whole() {
	exits 0 "$hdtrace" check two && ! grep -vE 'stat.simulated|trc.empty' out | grep -q '\['
}
ok "hdtrace check reports only simulated values and idle PEs" whole
# One message waits from 2 to 4.5 s. B has its copy then, and y's output as well.
gauges() {
	for of in Transfers:A Memory:A Memory:B; do
		"$hdtrace" dump --group "${of%:*}" --node "${of#*:}" two | sed -n 's/^  17//p'
	done >gauges
	diff gauges - <<'END'
00000000.000000000 1700000002.000000000 0 0
00000002.000000000 1700000004.500000000 1 250
00000004.500000000 1700000008.500000000 0 0
00000000.000000000 1700000004.500000000 250
00000004.500000000 1700000008.500000000 0
00000000.000000000 1700000002.000000000 0
00000002.000000000 1700000004.500000000 250
00000004.500000000 1700000008.500000000 500
END
}
ok "pending transfers and memory are gauges" gauges
again() {
	before=$(cat two_*.trc two_*.stat two.proj | cksum)
	exits 2 "$hdpredict" simulate g.xml --platform p.xml --resources r.xml -o two &&
		grep -q 'the project exists' err &&
		exits 0 "$hdpredict" simulate g.xml --platform p.xml --resources r.xml -f -o two &&
		[ "$(cat two_*.trc two_*.stat two.proj | cksum)" = "$before" ]
}
ok "only -f replaces a project, and the new one is equal" again
phases() {
	sed 's|<kernel id="S">|&<phase until="0.25" weight="3"/><phase until="1" weight="1"/>|' \
		g.xml >h.xml
	exits 0 "$hdpredict" simulate h.xml --platform p.xml --resources r.xml -o ph &&
		exits 0 "$hdtrace" dump --group Energy ph && grep -q '13[ ]*$\|P.*13' out &&
		exits 0 "$hdtrace" report --all ph && grep -q 'Energy: 94 J' out
}
# 3 J in 2 s, a quarter of it at three times the power: 3 W and 1 W.
ok "power follows the profile of a kernel" phases
no_folder() {
	exits 2 "$hdpredict" simulate g.xml --platform p.xml --resources r.xml -o none/two &&
		[ ! -e none ]
}
ok "a project in a missing directory is reported" no_folder

# ---- Power: 10 W each, and x 1.5, 3 packets 4.8, y 1.25 W --------------------

graph <<END >g.xml
$(task x S 250 A.0 0)$(task y T 250 B.0 0)$(dep x y)
END
# EXIT OUTPUT OPTION...: text of it
power() {
	status=$1 want=$2
	shift 2
	exits "$status" "$hdpredict" simulate g.xml --platform p.xml \
		--resources r.xml "$@" || return 1
	grep -q "$want" out || { cat out; return 1; }
}
ok "power: the peak is printed" power 0 '^Peak power  *24.80 W at 2 s$' --power-limit 25
ok "power: a message exceeds the limit" power 0 \
	'^  from 2 to 4.500 s, up to 24.80 W: a message of x on A$' --power-limit 22
ok "power: a task exceeds the limit until another task ends" power 0 \
	'^  from 0 to 4.500 s, up to 24.80 W: x on A.0$' --power-limit 21.3
ok "power: the limit can be exceeded all the time" power 0 'all servers exceeds 21 W: 1 times, for 8.500 s;' --power-limit 21
ok "power: idle servers can exceed the limit" power 0 'up to 24.80 W: idle power of the servers' --power-limit 19
ok "power: equal to the limit is not above it" power 0 '^Peak power' --fail --power-limit 24.8
ok "power: --fail returns 3" power 3 'a message of x' --fail --power-limit 22
ok "power: a finding without --fail exits with 0" power 0 'exceeds' --power-limit 1
peaks() {
	sed 's/idle-power="10"/& peak_w="12"/' p.xml >peak.xml
	power 3 '^Power of A exceeds 12 W: 1 times, for 2.500 s; up to 12.40 W at 2 s$' \
		--fail --platform peak.xml && [ "$(grep -c exceeds out)" -eq 2 ]
}
ok "power: a server exceeds its peak_w" peaks
power_json() {
	exits 0 "$hdpredict" simulate g.xml --platform p.xml --resources r.xml \
		--power-limit 22 --format=json && tr -d ' \n' <out >flat &&
		grep -q '"limit_w":22,"over_s":2.5,"excesses":1,"first_excesses":\[{"start_s":2,"end_s":4.5,"peak_w":24.79*7*,"task":"x","message":true,"server":"A"}\]' flat
}
ok "power: JSON has the findings" power_json
profile() {
	sed 's|<kernel id="S">|&<phase until="0.25" weight="3"/><phase until="1" weight="1"/>|' \
		g.xml >h.xml
	exits 0 "$hdpredict" simulate h.xml --platform p.xml --resources r.xml \
		--power-limit 22.9 && grep -q '^  from 0 to 0.5000 s, up to 23 W: x on A.0$' out
}
ok "power: the profile of a kernel counts" profile
no_limit() {
	exits 2 "$hdpredict" simulate g.xml --platform p.xml --resources r.xml \
		--power-limit "$1" && grep -q power-limit err && [ ! -s out ]
}
ok "power: a negative limit is rejected" no_limit -1
ok "power: a limit that is not a number is rejected" no_limit nan
subgraphs() {
	graph <<END >two.xml
$(task x S 250 A.0 0)$(task z S 250 B.0 0)$(task y T 250 B.0 1)$(task w T 250 A.0 1)
$(dep x y)$(dep z w)$(task v S 1 A.1 0)
END
	exits 0 "$hdpredict" simulate two.xml --platform p.xml --resources r.xml \
		--subgraphs --format=json && tr -d ' \n' <out >flat &&
		grep -q '"subgraphs":\[{"first":"x","tasks":2,"start_s":0,"end_s":8.5,"makespan_s":8.5},{"first":"z","tasks":2,"start_s":0,"end_s":8.5,"makespan_s":8.5},{"first":"v","tasks":1,"start_s":0,"end_s":2,"makespan_s":2}\]' flat &&
		exits 0 "$hdpredict" simulate two.xml --platform p.xml --resources r.xml --subgraphs &&
		grep -Eq '^  v +1 +0 +2 +2$' out
}
ok "--subgraphs prints the time of each subgraph" subgraphs

# ---- A4: energy in all --------------------------------------------------------

# TIME DYNAMIC TOTAL, in s and kJ
identity() {
	cat >i.xml <<END
<resource-model><entry kernel="S" architecture="core" time="$1" energy="${2}e3"/></resource-model>
END
	sed 's/idle-power="10"/idle-power="11.333"/' p.xml >q.xml
	graph <<END >g.xml
$(task x S 1 A.0 0)
END
	simulate g.xml --platform q.xml --resources i.xml >out.json || return 1
	awk -v want="$3" -F'[:,]' '/"energy_total_j"/ {
		print $2; off = $2 / (want * 1000) - 1
		exit !(off < 0.001 && off > -0.001) }' out.json
}
ok "published energy of 10 x 10 tiles" identity 4127 21.19 114.73
ok "published energy of 20 x 20 tiles" identity 1249 9.25 37.56
ok "published energy of 40 x 40 tiles" identity 663 4.17 19.20
ok "published energy of 80 x 80 tiles" identity 612 4.56 18.43

# ---- Rejected models ----------------------------------------------------------

# Standard input is a graph that is invalid: exit 1, and a message
refused() {
	cat >bad.xml
	exits 1 "$hdpredict" validate bad.xml && grep -qE "$1" err
}
a=$(task a S 8 A.0 0) b=$(task b T 8 A.1 0)
bad() { graph | refused "$1"; }
ok "rejected: a cycle" bad 'bad.xml:.*cycle: b -> c -> b' <<END
$a$b$(task c T 8 A.0 1)$(dep b c)$(dep c b)
END
ok "rejected: a task that needs itself" bad 'cycle: b -> b' <<END
$b$(dep b b)
END
ok "rejected: an unknown kernel" bad 'bad.xml:3: error: a: unknown kernel U$' <<END
$(task a U 8 A.0 0)
END
ok "rejected: a variable without a value" bad 'b: does not assign the variable n' <<END
<task id="b" kernel="S"/>
END
ok "rejected: a value of an unknown variable" bad 'a: assigns an unknown variable.* m' <<END
<task id="a" kernel="S"><assign var="n" val="1"/><assign var="m" val="1"/></task>
END
ok "rejected: two values of a variable" bad 'a: assigns a variable twice: n' <<END
<task id="a" kernel="S"><assign var="n" val="1"/><assign var="n" val="2"/></task>
END
ok "rejected: sizes that differ" bad 'b: input i has 8 bytes, and output o of a has 9' <<END
$(task a S 9 A.0 0)$b$(dep a b)
END
ok "rejected: an input without data" bad 'b: task has no data for input i' <<END
$b
END
ok "rejected: two dependencies for an input" bad 'b: two dependencies for the input i' <<END
$a$b$(dep a b)$(dep a b)
END
ok "rejected: a dependency of an unknown task" bad 'x: a dependency names an unknown task' <<END
$a$b$(dep x b)
END
ok "rejected: an unknown output" bad 'a: its kernel has no output z' <<END
$a$b<dependency predecessor="a" successor="b" src="z" dest="i"/>
END
ok "rejected: an unknown input" bad 'b: its kernel has no input z' <<END
$a$b$(dep a b)<dependency predecessor="a" successor="b" src="o" dest="z"/>
END
ok "rejected: two tasks with the same id" bad 'a: duplicate id of a task, also in line 3' <<END
$a$(task a S 8 A.0 1)
END
ok "rejected: a missing attribute" bad 'bad.xml:3: error: <task> has no attribute kernel' <<END
<task id="x"/>
END
ok "rejected: an unknown element" bad '<tusk> is unknown in <application>' <<END
<tusk/>
END
ok "rejected: a value that is not a number" bad 'val="nan" .*not a finite number' <<END
<task id="a" kernel="S"><assign var="n" val="nan"/></task>
END
ok "rejected: a priority that is not a whole number" bad 'priority="-1" is not a whole' <<END
$(task a S 8 A.0 -1)
END
ok "rejected: a priority beyond 2^53" bad 'priority="[0-9.e+]*" is not a whole' <<END
$(task a S 8 A.0 9007199254740994)
END
ok "rejected: a task that is mapped twice" bad 'a: the task is mapped twice' <<END
<task id="a" kernel="S"><assign var="n" val="1"/><map pe="x" priority="1"/><map pe="x" priority="1"/></task>
END

# Sizes: EXPRESSION MESSAGE
size() {
	refused "$2" <<END
<application><kernel id="K"><variable id="n"/><output id="o" size="$1"/></kernel>
<task id="t" kernel="K"><assign var="n" val="0"/></task></application>
END
}
ok "rejected: a size that divides by zero" size '8 / n' 't: size of o: division by zero'
ok "rejected: a size that is not a number" size '1e308*10 - 1e308*10' 'not a number'
ok "rejected: a size that is negative" size 'n - 1' 'size of .*: negative'
ok "rejected: a size beyond 2^53" size '9007199254740994' 'more than 2.53 bytes'
ok "rejected: a size beyond the range of a double" size '1e400' 'more than 2.53 bytes'
ok "rejected: a size of an unknown variable" size 'm' 'unknown variable of the kernel'
ok "rejected: an incomplete size" size '8 *' 'unexpected end'
ok "rejected: a size with an unclosed parenthesis" size '(8' 'unclosed parenthesis'
ok "rejected: a size followed by more text" size '8 8' 'unexpected text after'
ok "rejected: a hexadecimal size" size '0x10' 'invalid number'
ok "rejected: a deeply nested size" size "$(printf '%0200d' 0 | tr 0 '(')" 'nested too deeply'
good_size() {
	cat >s.xml <<END
<application><kernel id="K"><variable id="n"/><output id="o" size="$1"/>
</kernel><kernel id="L"><input id="i" size="$2"/></kernel>
<task id="t" kernel="K"><assign var="n" val="3"/></task><task id="u" kernel="L"/>
<dependency predecessor="t" successor="u" src="o" dest="i"/></application>
END
	"$hdpredict" validate s.xml
}
ok "sizes: precedence and signs" good_size '-(1 - n) * 2 + 10 / 4 / 2 - -1' 7
ok "sizes: 2^53 is accepted" good_size '9007199254740992' '4503599627370496 * 2'

first_20() {
	{
		echo "<application>$kernels"
		seq 1 5000 | sed 's|.*|<task id="t&" kernel="none"/>|'
		echo '</application>'
	} >many.xml
	exits 1 "$hdpredict" validate many.xml &&
		[ "$(grep -c 'unknown kernel none' err)" -eq 20 ] &&
		grep -q '5000 errors; only the first 20 are shown' err
}
ok "the first 20 errors and their number are printed" first_20

# Platforms: SED-SCRIPT MESSAGE
platform() {
	sed "$1" p.xml >bad.xml
	exits 1 "$hdpredict" validate --platform bad.xml && grep -qE "$2" err
}
ok "rejected: a platform that is not strongly connected" platform 's|<out peer="B.i"/>||; s|<in peer="B.i"/>||; /id="B.i"/s|<bridge id="B.i".*/>||; $!b' \
	'B.m: the platform is not strongly connected'
ok "rejected: a bridge with one end" platform 's|<in peer="B.i"/>||' \
	'B.i: a bridge connects two channels, but 1 name'
ok "rejected: a bridge without a direction" platform 's|<in peer="B.i"/>|<out peer="B.i"/>|' \
	'B.i: the bridge needs a channel that sends'
ok "rejected: an unknown bridge" platform 's|<in peer="B.i"/>|<in peer="C.i"/>|' \
	'B.m: unknown bridge C.i'
ok "rejected: two elements with the same id" platform 's|id="B.0"|id="A.0"|' \
	'bad.xml:11: error: A.0: duplicate id'
ok "rejected: two memories" platform 's|<pe id="B.0" architecture="core"/>|<main-memory id="B.n" size="1"/>|' \
	'B.n: the node has two main memories'
ok "rejected: a PE without memory" platform 's|^<channel|<pe id="C.0" architecture="core"/>&|' \
	'C.0: no main memory for the PE'
ok "rejected: a PE without an architecture" platform 's|<pe id="B.0" architecture="core"/>|<pe id="B.0"/>|' \
	'B.0: the PE has no architecture'
ok "rejected: a server in a server" platform 's|^<node id="B" arch.*|<node id="C"><main-memory id="C.m" size="1"/>&|; s|^<channel|</node>&|' \
	'B: a cluster server is inside another cluster server'
ok "rejected: memory without a size" platform 's|size="1000"||' '<main-memory> has no attribute size'
ok "rejected: a negative latency" platform 's|init-latency="1e9"|init-latency="-1"|' 'negative'
ok "rejected: packets without a size" platform 's|packet-size="100"||' 'packet-size is missing'
ok "rejected: memory with an unknown behavior when full" platform 's|size="1000"|& full="x"|' 'neither fail nor delay'

# Accesses to files, of a kernel: ATTRIBUTES MESSAGE
io() {
	refused "$2" <<END
<application><kernel id="K"><variable id="n"/><io $1/></kernel>
<task id="t" kernel="K"><assign var="n" val="0"/></task></application>
END
}
ok "rejected: accesses of an unknown order" io 'order="any" access="read" size="1"' 'bad.xml:1: error: the order of accesses is'
ok "rejected: unknown kind of accesses" io 'order="random" access="erase" size="1"' 'they are read, write or sync'
ok "rejected: accesses without a size" io 'order="random" access="read"' '<io> has no attribute size'
ok "rejected: accesses without an order" io 'access="read" size="1"' '<io> has no attribute order'
ok "rejected: a size of accesses with an unknown variable" io 'order="random" access="read" size="m"' \
	'K: size of random reads, "m": unknown variable'
ok "rejected: a negative size of accesses" io 'order="random" access="read" size="n - 1"' 't: size of K: negative'

resources() {
	echo "<resource-model>$1</resource-model>" >bad.xml
	exits 1 "$hdpredict" validate --resources bad.xml && grep -qE "$2" err
}
ok "rejected: an entry without energy" resources '<entry kernel="S" architecture="c" time="1"/>' 'no attribute energy'
ok "rejected: a negative time" resources '<entry kernel="S" architecture="c" time="-1" energy="0"/>' 'S: time="-1" is negative'
ok "rejected: a count of 0" resources '<slowdown architecture="c" kernel="S" load="S" count="0" factor="2"/>' 'count="0"'
ok "rejected: loads that differ from the count" resources '<slowdown architecture="c" kernel="S" load="S T" count="3" factor="2"/>' 'the number of loads differs'
ok "rejected: a variable that is named twice" resources '<entry kernel="S" architecture="c" time="1" energy="0"><assign var="n" val="1"/><assign var="n" val="1"/></entry>' 'assigns variable n twice'

reads='<io architecture="c" order="random" access="read" size="4096" time="1" energy="1"/>'
ok "rejected: duplicate costs of accesses" resources "$reads$reads" 'c: duplicate costs of random reads'
ok "rejected: accesses of 0 bytes" resources "$(echo "$reads" | sed 's/4096/0/')" 'c: accesses have a size of 0'
ok "rejected: accesses of a negative time" resources "$(echo "$reads" | sed 's/time="1"/time="-1"/')" 'c: time="-1" is negative'
ok "rejected: accesses without energy" resources "$(echo "$reads" | sed 's/energy="1"//')" '<io> has no attribute energy'
ok "rejected: costs of unknown accesses" resources "$(echo "$reads" | sed 's/random/any/')" 'c: the order of accesses is'
ok "rejected: costs of accesses without an architecture" resources "$(echo "$reads" | sed 's/architecture="c"//')" '<io> has no attribute architecture'

# What cannot be simulated: RESOURCES MESSAGE [OPTION...], of the graph g.xml
infeasible() {
	echo "<resource-model>$1</resource-model>" >i.xml
	message=$2
	shift 2
	exits 1 "$hdpredict" simulate g.xml --platform p.xml --resources i.xml "$@" &&
		grep -qE -- "$message" err && [ ! -s out ]
}
graph <<END >g.xml
$(task x S 250 A.0 0)
END
ok "rejected: a missing resource entry" infeasible '' 'x: no resource entry for kernel S with n=250 on architecture core'
ok "rejected by eft: a missing resource entry" infeasible '' 'x: no resource entry' --map eft
one='<entry kernel="S" architecture="core" time="1" energy="1"/>'
graph <<END | with_files >g.xml
$(task x S 250 A.0 0)
END
ok "rejected: accesses without costs" infeasible "$one" 'x: no costs for all file accesses of kernel S'
ok "rejected by eft: accesses without costs" infeasible "$one" 'x: no costs for all file accesses' --map eft
graph <<END >g.xml
$(task x S 250 A.0 0)
END
ok "rejected: two matching resource entries" infeasible "$one$one" 'x: several resource entries match'
tie_once() {
	infeasible "$one$one" 'x: several resource entries match' --map heft &&
		[ "$(grep -c 'several resource entries' err)" -eq 1 ]
}
ok "rejected by heft: two matching resource entries, once" tie_once
ok "rejected: a pattern without matching PEs" infeasible "$one" 'no PE matches "Z\*"' --map eft --use 'Z*'
graph <<END >g.xml
<task id="x" kernel="S"><assign var="n" val="1"/></task>
END
ok "rejected: a task that is not mapped" infeasible "$one" 'g.xml:3: error: x: the task is not mapped'
graph <<END >g.xml
$(task x S 250 a.0 0)
END
ok "rejected: a PE id in another case" infeasible "$one" 'x: the platform has no PE a.0'
graph <<END >g.xml
$(task x S 8 A.0 1)$(task y T 8 A.0 0)$(dep x y)
END
both="$one<entry kernel=\"T\" architecture=\"core\" time=\"1\" energy=\"1\"/>"
ok "rejected: a deadlock on a PE" infeasible "$both" 'deadlock at 0 s: y on A.0 waits for x on A.0'
graph <<END >g.xml
$(task x S 8 A.0 1)$(task y T 8 A.0 0)$(task w S 8 B.0 1)$(task z T 8 B.0 0)
$(dep x z)$(dep w y)
END
ok "rejected: a deadlock of two PEs" infeasible "$both" 'y on A.0 waits for w on B.0, which is behind z on B.0 waits for x on A.0'
graph <<END >g.xml
$(task x S 1001 A.0 1)
END
full() {
	sed "s/size=\"1000\"/& full=\"$1\"/" p.xml >full.xml
	exits 1 "$hdpredict" simulate g.xml --platform full.xml --resources r.xml &&
		grep -qE "$2" err
}
ok "rejected: memory overflow with full=fail" full fail 'x: the memory of server A is full at 0 s: 1001 of 1000 bytes'
ok "rejected: memory that is never sufficient" full delay 'x: deadlock at 0 s: .* waits for memory'
overflow() {
	simulate g.xml --platform p.xml --resources r.xml | tee out.json |
		grep -q '"memory_overflows": 1'
}
ok "an overflow of memory is a result" overflow

for wrong in 'inout="none"|inout="none" of o is not an input of the kernel' \
	'inout="o"|inout="o" of o is not an input' 'inout=""|<output> has an empty attribute inout'; do
	chain_graph ""
	sed "s/inout=\"i\"/${wrong%|*}/" g.xml >wrong.xml
	misplaced() { exits 1 "$hdpredict" validate wrong.xml && grep -qF "${wrong#*|}" err; }
	ok "rejected: ${wrong%|*}" misplaced
done
chain_graph ""
sed 's/n\*1/n*2/' g.xml >wrong.xml
misplaced() { exits 1 "$hdpredict" validate wrong.xml && grep -q 'size of o: it differs from the size of its inout' err; }
ok "rejected: an output in place of another size" misplaced

# ---- Mappings ------------------------------------------------------------------

# A fast core takes 100 J and 1 s, a slow one 10 J and 2 s; nothing is drawn when idle.
cat >big.xml <<'END'
<platform><node id="n0"><main-memory id="n0.m" size="1e9"/><pe id="n0.0" architecture="fast"/>
<pe id="n0.1" architecture="slow"/></node></platform>
END
cat >little.xml <<'END'
<resource-model><entry kernel="S" architecture="fast" time="1" energy="100"/>
<entry kernel="S" architecture="slow" time="2" energy="10"/></resource-model>
END
free() {
	echo "<task id=\"$1\" kernel=\"S\"$2><assign var=\"n\" val=\"8\"/></task>"
}
graph <<END >free.xml
$(free x)$(free y)
END
# JOULES SECONDS OPTION...
costs() {
	joules=$1 seconds=$2
	shift 2
	"$hdpredict" simulate "${mapped:-free.xml}" --platform big.xml --resources little.xml --format=json "$@" >out.json 2>err || { cat err; return 1; }
	if ! grep -q "\"makespan_s\": $seconds," out.json ||
		! grep -q "\"energy_total_j\": $joules," out.json; then
		cat out.json
		return 1
	fi
}
# On both cores, the second task ends at 2 s; the first PE is taken.
ok "EFT maps for time" costs 200 2 --map eft
ok "annealing maps for energy" costs 20 4 --map anneal --cost energy
ok "annealing maps for time" costs 200 2 --map anneal --cost time
ok "annealing keeps a limit of time" costs 110 2 --map anneal --cost 'energy at time<=3.5'
ok "annealing uses a limit of time" costs 20 4 --map anneal --cost 'energy at time<=4 s'
# 2.0000000004 s; a limit of that time is not one of 2 s.
sed 's/time="2"/time="2.0000000004"/' little.xml >digits.xml
digits() {
	"$hdpredict" simulate free.xml --platform big.xml --resources digits.xml --format=json \
		--map anneal --cost 'energy at time<=2.0000000004' >out.json && cat out.json &&
		grep -q '"energy_total_j": 110,' out.json
}
ok "limits of time have all digits" digits
ok "annealing keeps a limit of power" costs 20 4 --map anneal --cost 'time at power<=50 W'
graph <<END >pinned.xml
$(free x ' pin="n0.0"')$(free y)
END
mapped=pinned.xml
ok "a pinned task stays" costs 110 2 --map anneal --cost energy
graph <<END | sed 's/<kernel id="S"/& pin="n0.1"/' >pinned.xml
$(free x ' pin="n0.0"')$(free y)$(free z)
END
ok "tasks of a pinned kernel stay, but for those with an own pin" costs 120 4 --map eft
pins_in_binary() {
	"$hdpredict" convert pinned.xml -o pinned.bin && "$hdpredict" convert --to xml pinned.bin -o back.xml && cmp back.xml pinned2.xml
}
"$hdpredict" convert pinned.xml -o pinned2.xml --to xml
ok "pins are kept by the binary form" pins_in_binary
graph <<END >mapped.xml
$(task x S 8 n0.0 0)$(task y S 8 n0.0 1)
END
mapped=mapped.xml
ok "a given mapping stays" costs 200 2 --map anneal --cost energy
ignored() {
	costs 20 4 --map anneal --cost energy --ignore-map && grep -qx 'hdpredict simulate: the mapping of 2 tasks in the graph is ignored' err
}
ok "a given mapping that is ignored is mentioned" ignored
# Where EFT maps the task, it has no room; b.0 takes longer than the limit.
cat >small.xml <<'END'
<platform><node id="a"><main-memory id="a.m" size="4" full="fail"><inout peer="a.l"/></main-memory>
<bridge id="a.l" architecture="link"/><pe id="a.0" architecture="fast"/></node>
<node id="b"><main-memory id="b.m" size="1e9"><inout peer="b.l"/></main-memory>
<bridge id="b.l" architecture="link"/><pe id="b.0" architecture="slow"/><pe id="b.1" architecture="middle"/></node>
<channel id="x"><inout peer="a.l"/><inout peer="b.l"/></channel></platform>
END
cat >megajoules.xml <<'END'
<resource-model><entry kernel="S" architecture="fast" time="1" energy="1"/>
<entry kernel="S" architecture="slow" time="5" energy="1e6"/>
<entry kernel="S" architecture="middle" time="3" energy="2e6"/></resource-model>
END
graph <<END >one.xml
$(free x)
END
no_room() {
	exits 0 "$hdpredict" simulate one.xml --platform small.xml --resources megajoules.xml --format=json \
		--map anneal --cost 'energy at time<=4' && grep -q '"makespan_s": 3,' out
}
ok "annealing keeps a limit although EFT cannot run" no_room
graph <<END | sed 's/<kernel id="S"/& pin="n0.1"/' >wrong.xml
$(task x S 8 n0.0 0)
END
contradicts() {
	exits 1 "$hdpredict" simulate wrong.xml --platform big.xml --resources little.xml && grep -q 'x: it is pinned to n0.1, but mapped to n0.0' err
}
ok "rejected: a mapping that contradicts a pin" contradicts
no_such_pin() {
	sed 's/n0.1/n9.9/' wrong.xml >none9.xml
	exits 1 "$hdpredict" simulate none9.xml --platform big.xml --resources little.xml --map eft && grep -q 'x: it is pinned, but the platform has no PE n9.9' err
}
ok "rejected: a pin to a missing PE" no_such_pin
# 2233 tasks are a large graph: its batches are parts of all steps.
few_steps() {
	"$hdpredict" generate cholesky --tiles 21 --tile-size 128 -o large.xml &&
		exits 0 "$hdpredict" map large.xml --platform thesis --resources thesis \
			--map anneal --steps 50 -o annealed.xml
}
ok "annealing of a large graph ends after few steps" few_steps

# ---- Limits and peaks ----------------------------------------------------------

# EFT runs both tasks on the fast core, with 100 W; the first output is freed before the second task.
mapped=free.xml
simulates() {
	"$hdpredict" simulate "$mapped" --platform "${platform:-big.xml}" --resources little.xml "$@" >out 2>err
}
peaks() {
	simulates --map eft --format=json && grep -q '"peak_power_w": 100,' out && grep -q '"pending_max": 0,' out &&
		grep -q '"memory_peak_bytes": 8,' out
}
ok "peaks of power, memory and pending messages" peaks
ten_lines() {
	simulates --map eft --brief && [ "$(wc -l <out)" -eq 10 ] && grep -qE '^Peak power +100 W$' out &&
		grep -qE '^Memory of a node +8 bytes$' out && grep -qE '^Pending on a node +0$' out
}
ok "ten lines" ten_lines
# STATUS LIMIT MESSAGE
limits() {
	exits "$1" "$hdpredict" simulate free.xml --platform big.xml --resources little.xml --map eft --fail --limit "$2" &&
		{ [ -z "$3" ] || cat out err | grep -qE "$3"; }
}
ok "a limit of power that holds" limits 0 power=100
ok "a limit of power that does not hold" limits 3 power=99.9 '^Power of all servers exceeds 99.90 W: 1 times, for 2 s'
ok "a limit of memory that holds" limits 0 memory=8
ok "a limit of memory that does not hold" limits 3 memory=7 '^Memory of n0 exceeds the limit: 8 of 7 bytes$'
exceeded() {
	simulates --map eft --limit "memory=$1" --format=json && python3 -c 'import json, sys
m = json.load(open("out"))["memory"]
sys.exit([m["limit_bytes"], m["exceeded"], [[s["id"], s["memory_peak_bytes"]] for s in m["servers"]]] != json.loads(sys.argv[1]))' "$2" &&
		simulates --map eft --format=json && ! grep -q '"memory": {' out
}
if command -v python3 >/dev/null; then
	ok "JSON says that memory exceeds its limit" exceeded 7 '[7, true, [["n0", 8]]]'
	ok "JSON says that memory keeps its limit" exceeded 8 '[8, false, []]'
fi
# Nodes draw their idle power, also while there is nothing to do.
no_tasks() {
	echo '<application/>' >void-graph.xml && sed 's|<platform>|&<node-architecture id="N" idle-power="40"/>|; s|<node id="n0"|& architecture="N"|' big.xml >idle.xml &&
		exits 3 "$hdpredict" simulate void-graph.xml --platform idle.xml --resources little.xml --limit power=39 --fail &&
		grep -q '^Power of all servers exceeds 39 W: 1 times, for 0 s; up to 40 W' out && grep -q 'up to 40 W: idle power of the servers' out &&
		exits 0 "$hdpredict" simulate void-graph.xml --platform idle.xml --resources little.xml --limit power=40 --fail
}
ok "a graph without tasks exceeds a limit below the idle power" no_tasks
bad_limits() {
	for i in "" power power= =5 power=0 power=-1 power=nan power=inf power=1e400 power=1e-400 "power= 5" "power=5," power=5,memory=7 \
		power=0x10 power==5 POWER=5 memory=1GB memory=1e3x time=1; do
		exits 2 "$hdpredict" simulate free.xml --platform big.xml --resources little.xml --map eft --limit "$i" &&
			grep -qF "invalid value \"$i\"; expected power=W or memory=BYTES, more than 0" err && [ ! -s out ] || return 1
	done
}
ok "invalid limits are rejected" bad_limits
twice() {
	exits 2 "$hdpredict" simulate free.xml --platform big.xml --resources little.xml --map eft "$@" && grep -q "$message" err
}
message='limit: memory is given twice'
ok "a second limit of memory is rejected" twice --limit memory=1 --limit power=1 --limit memory=2
message='limit=power: not available with --power-limit'
ok "two options for a limit of power are rejected" twice --limit power=1 --power-limit 1
# Both data sets are ready at 2 s; they are sent from 2 to 4.5 and to 7 s, with 12 J each, and 5 J of a T take 4 s.
graph <<END >two.xml
$(task x S 250 A.0 0)$(task y S 250 A.1 0)$(task u T 250 B.0 0)$(task v T 250 B.1 0)$(dep x u)$(dep y v)
END
by_hand() {
	"$hdpredict" simulate two.xml --platform p.xml --resources r.xml --slowdown off --format=json >out &&
		grep -q '"pending_max": 2,' out && grep -q '"memory_peak_bytes": 1000,' out &&
		awk -F '[:,]' '/"peak_power_w"/ { found = ($2 > 26.0499999) * ($2 < 26.0500001) } END { exit !found }' out
}
ok "peaks with messages equal those by hand" by_hand
brief_fails() {
	exits 3 "$hdpredict" simulate free.xml --platform big.xml --resources little.xml --map eft --fail --brief --limit memory=7
}
ok "a limit that does not hold fails with ten lines, too" brief_fails
brief_alone() {
	for option in --mc=2 --subgraphs --tasks --format=json; do
		exits 2 "$hdpredict" simulate free.xml --platform big.xml --resources little.xml --map eft --brief "$option" &&
			grep -q -- "--brief: not available with ${option%=2}" err || return 1
	done
}
ok "ten lines exclude what they do not contain" brief_alone
# VALUE ATTRIBUTES: energy_assumed of a node with these.
assumed() {
	sed "s|<platform>|&<node-architecture id=\"N\" $2/>|; s|<node id=\"n0\"|& architecture=\"N\"|" big.xml >assumed.xml
	platform=assumed.xml
	simulates --map eft --format=json && grep -q "\"energy_assumed\": $1,\?$" out
}
ok "a given idle power is not assumed" assumed false 'idle-power="0"'
ok "a missing idle power is assumed" assumed true ''
ok "a default idle power is assumed" assumed true 'idle-power="100" assumed="idle-power"'
marked() {
	simulates --map eft && grep -qE '^Energy +[0-9.]+ J \(assumed idle power\)$' out && assumed false 'idle-power="0"' &&
		simulates --map eft && grep -qE '^Energy +200 J$' out
}
ok "energy with an assumed idle power is marked" marked
wrongly_assumed() {
	assumed true 'assumed="peak_w"'
	grep -q 'N: assumed="peak_w"; expected idle-power' err
}
ok "rejected: something else that is assumed" wrongly_assumed
default_power() {
	"$hdpredict" platform --nodes 1 --pes 1 -o default.xml && grep -q 'idle-power="100" assumed="idle-power"' default.xml &&
		"$hdpredict" platform --nodes 1 --pes 1 --idle-power 100 | grep -q 'idle-power="100"/>'
}
ok "platform marks its default idle power" default_power
# Fast: 2 s, 100 W. Slow: 4 s, 5 W.
fastest() {
	"$hdpredict" sweep free.xml --platform big.xml --resources little.xml --vary map=eft --vary use=n0.0,n0.1 "$@" >out 2>err
}
keeps() {
	fastest --limit power=50 && grep -qx 'Fastest point within the limits: 2, with 4 s, 5 W and 8 bytes' out &&
		fastest --limit power=100 && grep -qx 'Fastest point within the limits: 1, with 2 s, 100 W and 8 bytes' out &&
		fastest --limit power=100 --limit memory=7 && grep -qx 'No point keeps the limits' out
}
ok "sweep names the fastest point that keeps limits" keeps
in_json() {
	fastest --limit power=50 --format=json && grep -q '"fastest": 2' out && [ "$(grep -c '"within_limits": false' out)" -eq 1 ] &&
		fastest --format=json && ! grep -q 'fastest\|within_limits' out && [ "$(grep -c '"energy_assumed": true' out)" -eq 2 ]
}
ok "and in JSON" in_json
failed_point() {
	"$hdpredict" sweep free.xml --platform big.xml --resources little.xml --vary map=given --format=csv >out 2>err
	tail -n 1 out | grep -q ',,,,0,[^,]' && "$hdpredict" sweep free.xml --platform big.xml --resources little.xml --vary map=given --format=json |
		grep -c energy_assumed | grep -qx 0
}
ok "a failed point says nothing about its idle power" failed_point
in_csv() {
	fastest --format=csv && head -n 1 out | grep -q ',peak_power_w,memory_peak_bytes,pending_max,energy_assumed,front,error$' &&
		sed -n 2p out | grep -q ',100,8,0,1,1,$'
}
ok "sweep has the peaks in CSV" in_csv
# Generated platforms have a default, which a parameter replaces.
sweep_assumes() {
	"$hdpredict" sweep cholesky --resources thesis --vary architecture=A15 --vary tiles=2 --vary nodes=1 --vary "$1" --format=json >out 2>err &&
		grep -q "\"energy_assumed\": $2" out
}
ok "sweep marks its default idle power" sweep_assumes pes=1 true
ok "sweep does not mark a given one" sweep_assumes idle-power=100 false

# ---- What cannot be read or written: exit status 2 ----------------------------

# MESSAGE ARGUMENT...
failed() {
	message=$1
	shift
	exits 2 "$hdpredict" "$@" && grep -qE -- "$message" err && [ ! -s out ]
}
ok "a missing file is reported" failed 'none.xml: cannot open: No such file' validate none.xml
ok "a directory instead of a file is reported" failed 'Is a directory' validate .
echo '<application><task' >cut.xml
ok "a file that is not XML is reported" failed 'cut.xml:[0-9]+: error' validate cut.xml
echo '<!DOCTYPE x [<!ENTITY y "z">]><application/>' >type.xml
ok "a DOCTYPE is rejected" failed 'DOCTYPE' validate type.xml
: >void.xml
ok "an empty file is reported" failed 'void.xml' validate void.xml
echo '<platform/>' >root.xml
wrong_root() { exits 1 "$hdpredict" validate root.xml && grep -q 'root element is <platform>' err; }
ok "a wrong root element is rejected" wrong_root
ok "a full disk is reported" failed 'No space left' generate cholesky -o /dev/full
ok "a missing directory is reported" failed 'No such file' generate cholesky -o none/x
ok "a full disk for annotations is reported" failed 'No space left' simulate m.xml --platform thesis --resources thesis --annotate /dev/full
ok "an unknown option is rejected" failed 'unknown option: "--none"' simulate --none
ok "an unknown command is rejected" failed 'unknown command: "simulat"; did you mean "simulate"?' simulat
ok "an unknown mapping is rejected" failed '--map: invalid value "x"; expected given, eft, heft, anneal or a file with the part of each task' simulate c.xml --platform thesis --resources thesis --map x
ok "a missing graph is reported before missing options" failed 'nosuch.xml: cannot open: No such file or directory$' simulate nosuch.xml
ok "a missing option --platform is reported" failed "missing option: --platform" simulate c.xml
full_output() {
	"$hdpredict" simulate m.xml --platform thesis --resources thesis >/dev/full 2>err
	[ $? -eq 2 ]
}
ok "a full standard output is reported" full_output

# The binary form, cut off and with other bytes.
"$hdpredict" convert c.xml -o c.bin
truncated() {
	size=$(wc -c <c.bin)
	for n in 8 9 50 95 96 97 500 $((size - 1)); do
		head -c "$n" c.bin >cut.bin
		exits 2 "$hdpredict" validate cut.bin && grep -q damaged err || return 1
	done
}
ok "a truncated binary graph is rejected" truncated
# Byte OFFSET becomes VALUE (octal); the message matches.
changed() {
	cp c.bin bad.bin
	printf '%b' "\\0$2" | dd of=bad.bin bs=1 seek="$1" conv=notrunc 2>dd.err
	exits 2 "$hdpredict" validate bad.bin && grep -qE "$3" err
}
ok "a binary graph of another version is rejected" changed 8 003 'version 3 of the binary form; expected 1 or 2'
ok "a binary graph of version 1 has nothing in place" changed 8 001 'the file is damaged: inout or pins in version 1'
# Without it graphs have the version that older readers know, and both are the same again.
versions() {
	sed 's/ inout="[^"]*"//' c.xml >apart.xml
	for of in apart:1 c:2; do
		"$hdpredict" convert "${of%:*}.xml" -o "${of%:*}.bin" &&
			[ "$(od -An -tu4 -j8 -N4 "${of%:*}.bin" | tr -d ' ')" = "${of#*:}" ] &&
			"$hdpredict" convert --to xml "${of%:*}.bin" -o back.xml && cmp back.xml "${of%:*}.xml" || return 1
	done
}
ok "only graphs with outputs in place have version 2" versions
ok "a binary graph with a wrong size is rejected" changed 16 001 'damaged'
ok "a binary graph with a changed byte is rejected" changed 300 377 'checksum is wrong'
ok "a binary graph with wrong numbers is rejected" changed 32 377 'damaged'

# Only what is said, and once.
encoding() {
	printf '<?xml version="1.0" encoding="UTF-7"?><a b="\207\037\017\306"/>' >code.xml
	exits 2 "$hdpredict" validate code.xml && [ "$(wc -l <err)" -eq 1 ] &&
		grep -q '^code.xml:.* error: ' err
}
ok "bytes that are not text are rejected with one message" encoding

# ---- The schema ------------------------------------------------------------

valid() {
	xmllint --noout --relaxng "$schema" "$@"
}
if command -v xmllint >/dev/null; then
	ok "models conform to the schema" valid c.xml m.xml a.xml p.xml r.xml
	echo '<application><task/></application>' >no.xml
	rejects() { ! valid no.xml; }
	ok "the schema rejects a wrong model" rejects
else
	skip "models conform to the schema" "xmllint is missing: libxml2-utils"
fi
done_testing
