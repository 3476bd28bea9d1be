#!/bin/sh
# hdpredict: tasks on several PEs of a node: cases that were computed by hand, rules
# that a model can break, mappings, and projects.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: smoke
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
hdpredict=${abs_top_builddir:?}/hdpredict
hdtrace=$abs_top_builddir/hdtrace
cd "$scratch" || exit 99

# ---- Models -------------------------------------------------------------------

# Node A draws 10 W and has three cores and another PE, node B has a core.
cat >p.xml <<'END'
<platform>
<node-architecture id="big" idle-power="10"/><node-architecture id="none" idle-power="0"/>
<node id="A" architecture="big"><main-memory id="A.m" size="1000"><out peer="A.o"/><in peer="A.i"/></main-memory>
<pe id="A.0" architecture="core"/><pe id="A.1" architecture="core"/><pe id="A.2" architecture="core"/>
<pe id="A.x" architecture="other"/><bridge id="A.o"/><bridge id="A.i"/></node>
<node id="B" architecture="none"><main-memory id="B.m" size="1000"><out peer="B.o"/><in peer="B.i"/></main-memory>
<pe id="B.0" architecture="core"/><bridge id="B.o"/><bridge id="B.i"/></node>
<channel id="s"><in peer="A.o"/><out peer="A.i"/><in peer="B.o"/><out peer="B.i"/></channel>
</platform>
END
# S takes 2 s and 3 J, L 5 s and 1 J, each on one PE; K 6, 4 or 3 s on one, two or three.
costs() {
	echo '<resource-model>
<entry kernel="S" architecture="core" time="2" energy="3"/>
<entry kernel="L" architecture="core" time="5" energy="1"/>
<entry kernel="K" architecture="core" pes="1,2,3" time="6,4,3" energy="6,10,12" time-sd="0,0.5,0"/>'
	echo "$1</resource-model>"
}
costs '' >r.xml
graph() {
	echo '<application><kernel id="S"><output id="o" size="100"/></kernel>
<kernel id="L"><output id="o" size="1"/></kernel>
<kernel id="K"><output id="o" size="100"/></kernel>
<kernel id="U"><input id="i" size="100"/><output id="o" size="100"/></kernel>'
	cat
	echo '</application>'
}
task() {
	echo "<task id=\"$1\" kernel=\"$2\"><map pe=\"$3\" priority=\"$4\"/></task>"
}
simulate() {
	"$hdpredict" simulate "$@" --platform p.xml --resources r.xml
}

# ---- By hand ------------------------------------------------------------------

# y waits for A.1 until 5 s, where l runs; then it takes both PEs for 4 s.
graph <<END >g.xml
$(task x S A.0 0)
$(task l L A.1 0)
$(task y K A.1,A.0 1)
$(task m S A.0 2)
$(task n S A.1 2)
END
simulate g.xml --format=json --tasks >g.json
runs() {
	grep -A3 "\"id\": \"$1\"" g.json | tr -d '\n ' |
		grep -qF "\"id\":\"$1\",\"pe\":\"$2\",\"start_s\":$3,\"end_s\":$4"
}
ok "a task begins when all of its PEs are idle" runs y A.0,A.1 5 9
ok "a PE waits for the others of its task" runs m A.0 9 11
ok "its PEs go on together" runs n A.1 9 11
value() {
	grep -q "^  \"$1\": $2,*\$" g.json
}
ok "time" value makespan_s 11
ok "energy counts once" value energy_computation_j 20
ok "idle energy" value energy_idle_j 110
# 3 J in 2 s on each PE from 9 to 11 s.
ok "peak power" value peak_power_w 13
use() {
	grep -A5 "\"id\": \"$1\"" g.json | tr -d '\n ' | grep -qF "$2"
}
ok "a PE has half of the energy of the task" use A.0 '"tasks":3,"busy_s":8,"wait_data_s":0,"wait_pe_s":14,"energy_computation_j":11'
ok "the other PE has the other half" use A.1 '"tasks":3,"busy_s":11,"wait_data_s":0,"wait_pe_s":9,"energy_computation_j":9'
ok "the node counts the task once" use A '"tasks":5,"busy_s":19'
ok "the kernel counts the task once" use K '"tasks":1,"busy_s":4'

# On three cores: S is twice as slow beside two PEs with K, and K beside one with S.
costs '<slowdown architecture="core" kernel="S" load="K" count="1" factor="7"/>
<slowdown architecture="core" kernel="S" load="K" count="2" factor="2"/>
<slowdown architecture="core" kernel="K" load="S" count="1" factor="2"/>
<slowdown architecture="core" kernel="K" load="K" count="1" factor="9"/>' >slow.xml
graph <<END >slow-g.xml
$(task y K A.0,A.2 0)
$(task s S A.1 0)
END
slowed() {
	"$hdpredict" simulate slow-g.xml --platform p.xml --resources slow.xml --format=json --tasks >g.json &&
		runs y A.0,A.2 0 6 && runs s A.1 0 4
}
ok "a task on two PEs is two loads, and does not slow itself down" slowed

# The message of x goes to B once; u runs there alone.
graph <<END >sent.xml
$(task x K A.0,A.1,A.2 0)
<task id="u" kernel="U"><map pe="B.0" priority="0"/></task>
<dependency predecessor="x" successor="u" src="o" dest="i"/>
END
costs '<entry kernel="U" architecture="core" time="1" energy="0"/>' >r-u.xml
sent() {
	"$hdpredict" simulate sent.xml --platform p.xml --resources r-u.xml --format=json --tasks >g.json &&
		runs u B.0 3 4 && value messages 1 && value memory_peak_bytes 200
}
ok "its data are sent once" sent

# y waits for x until 2 s, on both of its PEs.
graph <<END >waits.xml
$(task x S A.2 0)
<task id="y" kernel="U"><map pe="A.0,A.1" priority="0"/></task>
<dependency predecessor="x" successor="y" src="o" dest="i"/>
END
costs '<entry kernel="U" architecture="core" pes="2" time="3" energy="0"/>' >r-two.xml
waits() {
	"$hdpredict" simulate waits.xml --platform p.xml --resources r-two.xml --format=json >g.json &&
		use A.0 '"busy_s":3,"wait_data_s":2,"wait_pe_s":0' &&
		use A.1 '"busy_s":3,"wait_data_s":2,"wait_pe_s":0' &&
		use U '"busy_s":3,"wait_data_s":2,"wait_pe_s":0' &&
		use A '"busy_s":8,"wait_data_s":4,"wait_pe_s":0'
}
ok "PEs wait for data together, and a kernel counts its times once" waits

# t is before y on A.1, but needs y.
graph <<END >dead.xml
$(task y K A.0,A.1 1)
<task id="t" kernel="U"><map pe="A.1" priority="0"/></task>
<dependency predecessor="y" successor="t" src="o" dest="i"/>
END
dead() {
	exits 1 "$hdpredict" simulate dead.xml --platform p.xml --resources r-u.xml &&
		grep -q 'deadlock at 0 s: y on A.0 waits for t on A.1, and t on A.1 waits for y on A.0$' err
}
ok "a deadlock over the PEs of a task is found" dead

# Samples of K vary by 0.5 s on two PEs, and not at all on three: PES RANGE
spread() {
	sed "s/A.1,A.0/$1/" g.xml >spread.xml
	simulate spread.xml --mc 400 --format=json >g.json &&
		grep '"makespan_s": {' g.json | sed 's/.*"deviation": \([^,]*\),.*/\1/' |
		awk -v low="$2" -v high="$3" '{ good = $1 >= low && $1 <= high } END { exit !good }'
}
ok "samples have the deviation of two PEs" spread A.0,A.1 0.45 0.55
ok "samples have the deviation of three PEs" spread A.0,A.1,A.2 0 0

# ---- Mappings -----------------------------------------------------------------

graph <<'END' >one.xml
<task id="a" kernel="K"/>
END
graph <<'END' >two.xml
<task id="a" kernel="K"/><task id="b" kernel="K"/>
END
cat >small.xml <<'END'
<platform><node id="A"><main-memory id="A.m" size="1000"/>
<pe id="A.0" architecture="core"/><pe id="A.1" architecture="core"/></node></platform>
END
# GRAPH MAKESPAN OPTION...; PEs of each task: PES...
maps() {
	name=$1 span=$2 pes=$3
	shift 3
	"$hdpredict" simulate "$name" --platform small.xml --resources r.xml --format=json --tasks "$@" >g.json &&
		value makespan_s "$span" &&
		[ "$(sed -n 's/.*"pe": "\([^"]*\)".*/\1/p' g.json | tr '\n' ' ')" = "$pes" ]
}
ok "eft: a task gets the PEs on which it ends first" maps one.xml 4 'A.0,A.1 ' --map eft
ok "eft: one task after the other takes all" maps two.xml 8 'A.0,A.1 A.0,A.1 ' --map eft
ok "heft: likewise" maps two.xml 8 'A.0,A.1 A.0,A.1 ' --map heft
annealed() {
	"$hdpredict" simulate two.xml --platform small.xml --resources r.xml --format=json --map anneal \
		--cost "$1" --steps 500 >g.json && value "$2" "$3"
}
ok "anneal: the least time" annealed time makespan_s 6
ok "anneal: the least energy" annealed energy energy_computation_j 12
pinned() {
	sed "s/kernel=\"K\"/& pin=\"$1\"/" one.xml >pin.xml
	maps pin.xml "$2" "$3" --map "$4"
}
ok "a pin to a PE fixes the number of PEs" pinned A.1 6 'A.1 ' eft
ok "a pin to two PEs holds" pinned A.1,A.0 4 'A.0,A.1 ' heft
ok "a pin to a PE holds in annealing" pinned A.0 6 'A.0 ' anneal
kept() {
	graph <<END >kept.xml
<task id="a" kernel="K"/>$(task b K A.0,A.1 5)$(task c S A.1 4)
END
	"$hdpredict" simulate kept.xml --platform small.xml --resources r.xml --format=json --tasks \
		--map "$1" >g.json && runs b A.0,A.1 "$2" "$3" && grep -q '"pe": "A.1"' g.json
}
ok "eft keeps a mapping to several PEs, and its order" kept eft 6 10
use_one() {
	maps one.xml 6 'A.1 ' --map eft --use A.1
}
ok "only usable PEs form sets" use_one
written() {
	"$hdpredict" map two.xml --platform small.xml --resources r.xml -o mapped.xml &&
		[ "$(grep -c '<map pe="A.0,A.1"' mapped.xml)" -eq 2 ] &&
		"$hdpredict" convert mapped.xml -o mapped.bin &&
		"$hdpredict" convert --to xml mapped.bin -o again.xml && cmp mapped.xml again.xml &&
		"$hdpredict" simulate mapped.bin --platform small.xml --resources r.xml --format=json >g.json &&
		value makespan_s 8
}
ok "a mapping to several PEs is written and read, also in the binary form" written
annotated() {
	simulate g.xml --annotate noted.xml >out && grep -q '<simulated pe="A.0,A.1" start="5" end="9"/>' noted.xml
}
ok "the annotated graph has the PEs" annotated
table() {
	simulate g.xml --tasks >out && grep -q '^y  *A.0,A.1  *5  *9$' out
}
ok "the table has the PEs" table

# ---- Rejected models ----------------------------------------------------------

refused() {
	exits 1 "$hdpredict" simulate "$1" --platform p.xml --resources "${3-r.xml}" && grep -qE "$2" err && [ ! -s out ]
}
# PES MESSAGE
misplaced() {
	graph <<END >bad.xml
$(task y K "$1" 0)
END
	refused bad.xml "$2"
}
ok "rejected: PEs of two nodes" misplaced A.0,B.0 'y: its PEs differ in node or architecture: A.0,B.0'
ok "rejected: PEs of two architectures" misplaced A.0,A.x 'y: its PEs differ in node or architecture: A.0,A.x'
ok "rejected: a PE that is listed twice" misplaced A.0,A.1,A.0 'y: a PE is listed twice: A.0,A.1,A.0'
ok "rejected: an unknown PE in a list" misplaced A.0,A.9 'y: the platform has no PE A.0,A.9'
ok "rejected: an empty item of a list" misplaced A.0, 'y: the platform has no PE A.0,'
ok "rejected: an empty first item" misplaced ,A.0 'y: the platform has no PE ,A.0'
ok "rejected: blanks in a list" misplaced 'A.0, A.1' 'y: the platform has no PE A.0, A.1'
ok "rejected: more PEs than there are" misplaced A.0,A.0,A.0,A.0,A.0,A.0 'y: it lists more PEs than the platform has'
few() {
	graph <<END >bad.xml
$(task s S A.0,A.1 0)
END
	refused bad.xml 's: no resource entry for kernel S on 2 PEs of architecture core'
}
ok "rejected: no entry for so many PEs" few
few_mapped() {
	exits 1 "$hdpredict" map pin.xml --platform small.xml --resources only.xml && grep -q "$1" err
}
echo '<resource-model><entry kernel="K" architecture="core" pes="2" time="1" energy="1"/></resource-model>' >only.xml
ok "rejected by eft: a pin to fewer PEs than entries have" few_mapped 'a: no resource entry for kernel K on architecture core'
conflict() {
	sed 's/kernel="K"/& pin="A.0,A.2"/' g.xml >bad.xml
	refused bad.xml 'y: it is pinned to A.0,A.2, but mapped to A.0,A.1'
}
ok "rejected: a mapping to other PEs than the pin has" conflict
tie() {
	costs '<entry kernel="K" architecture="core" pes="2" time="1" energy="1"/>' >tie.xml
	refused g.xml 'y: several resource entries match kernel K on 2 PEs of architecture core' tie.xml
}
ok "rejected: two entries for a number of PEs" tie
# ATTRIBUTES MESSAGE
entry() {
	echo "<resource-model><entry kernel=\"K\" architecture=\"core\" $1/></resource-model>" >bad-r.xml
	exits 1 "$hdpredict" validate --resources bad-r.xml && grep -qE "$2" err
}
whole='expected ascending whole numbers from 1 to 100000'
ok "rejected: 0 PEs" entry 'pes="0" time="1" energy="1"' "K: pes: 0: $whole"
ok "rejected: a part of a PE" entry 'pes="1.5" time="1" energy="1"' "K: pes: 1.5: $whole"
ok "rejected: a negative number of PEs" entry 'pes="-2" time="1" energy="1"' "K: pes: -2: $whole"
ok "rejected: too many PEs" entry 'pes="100001" time="1" energy="1"' "K: pes: 100001: $whole"
ok "rejected: far too many PEs" entry 'pes="1e300" time="1" energy="1"' "K: pes: 1e.300: $whole"
ok "rejected: numbers of PEs that descend" entry 'pes="2,1" time="1,1" energy="1,1"' "K: pes: 1: $whole"
ok "rejected: a number of PEs twice" entry 'pes="2,2" time="1,1" energy="1,1"' "K: pes: 2: $whole"
ok "rejected: a list that ends with a comma" entry 'pes="1," time="1,1" energy="1,1"' 'K: pes: "" of <entry> is not a finite number'
ok "rejected: a list without numbers" entry 'pes="" time="1" energy="1"' 'K: pes: "" of <entry> is not a finite number'
ok "rejected: words for a number of PEs" entry 'pes="all" time="1" energy="1"' 'K: pes: "all" of <entry> is not'
ok "rejected: too few times" entry 'pes="1,2" time="1" energy="1,1"' 'K: time and pes have different numbers of values'
ok "rejected: too many times" entry 'pes="1,2" time="1,1,1" energy="1,1"' 'K: time and pes have different numbers of values'
ok "rejected: too few energies" entry 'pes="1,2,3" time="1,1,1" energy="1,1"' 'K: energy and pes have different numbers'
ok "rejected: too many deviations" entry 'pes="1" time="1" energy="1" time-sd="1,1"' 'K: time-sd and pes have different numbers'
ok "rejected: several times without a number of PEs" entry 'time="1,1" energy="1"' 'K: time and pes have different numbers'
ok "rejected: a second time that is negative" entry 'pes="1,2" time="1,-1" energy="1,1"' 'K: time="-1" is negative'
ok "rejected: a second energy without digits" entry 'pes="1,2" time="1,1" energy="1,nan"' 'K: energy: "nan" of <entry> is not'
ok "rejected: an empty second deviation" entry 'pes="1,2" time="1,1" energy="1,1" energy-sd="0,"' 'K: energy-sd: "" of'
most() {
	costs '<entry kernel="S" architecture="core" pes="100000" time="1" energy="1"/>' >most.xml
	"$hdpredict" validate --resources most.xml >out
}
ok "100000 PEs are accepted" most
comma() {
	sed 's/A\.2/A.0,A.1/g' p.xml >comma.xml
	sed 's/A.1,A.0/A.0,A.1/' g.xml >comma-g.xml
	"$hdpredict" simulate comma-g.xml --platform comma.xml --resources r.xml --format=json --tasks >g.json &&
		runs y A.0,A.1 0 6
}
ok "an id of a PE with a comma is no list" comma
if command -v xmllint >/dev/null; then
	schema() {
		xmllint --noout --relaxng "$abs_top_srcdir/doc/format/prediction.rng" "$@" 2>err
	}
	ok "the schema allows several PEs" schema r.xml g.xml slow.xml noted.xml most.xml
	# Both agree: STATUS PES TIME ENERGY
	agree() {
		echo "<resource-model><entry kernel=\"K\" architecture=\"c\" pes=\"$2\" time=\"$3\" energy=\"$4\"/></resource-model>" >list.xml
		exits "$1" "$hdpredict" validate --resources list.xml || return 1
		if [ "$1" -eq 0 ]; then
			schema list.xml
		else
			! schema list.xml
		fi
	}
	ok "the schema and hdpredict accept small times" agree 0 1,2 6e-5,4e-05 1E+2,.5
	ok "the schema and hdpredict accept blanks" agree 0 '1, 2' '6, 4' '1 ,2'
	ok "the schema and hdpredict refuse empty items" agree 1 1,2 ,, 1,2
	ok "the schema and hdpredict refuse negative items" agree 1 1,2 1,2 1,-2
	ok "the schema and hdpredict refuse letters" agree 1 1,2 1,x 1,2
	ok "the schema and hdpredict refuse no PEs" agree 1 0,2 1,2 1,2
fi

# ---- Projects -----------------------------------------------------------------

project() {
	simulate g.xml -o run >out && "$hdtrace" check run >out 2>err &&
		"$hdpredict" graph run -o back.xml && grep -q 'id="y".*<map pe="A.0,A.1"' back.xml &&
		simulate back.xml --format=json --tasks >g.json && runs y A.0,A.1 5 9 && runs n A.1 9 11
}
ok "a project contains the PEs, and the graph comes back" project
length() {
	"$hdtrace" report --format=json run >report.json &&
		grep -q '"length_s": 11' report.json
}
ok "the critical path is as long as the makespan" length
again() {
	"$hdpredict" characterize --time-only -o learnt run >out 2>err
	grep -q 'kernel="K" architecture="core" pes="2" time="4"' learnt/resources.xml &&
		! grep -q 'kernel="K" architecture="core" time' learnt/resources.xml
}
ok "characterize learns the time on two PEs" again
# A.2 runs only a part of a task.
pes() {
	graph <<-END >part.xml
		$(task x S A.0 0)
		$(task y K A.0,A.2 1)
	END
	simulate part.xml -o part >out && "$hdpredict" characterize --time-only -o part-learnt part >out 2>err
	[ "$(grep -c '<pe ' part-learnt/platform.xml)" -eq 2 ]
}
ok "characterize finds PEs that run only parts of tasks" pes
done_testing
