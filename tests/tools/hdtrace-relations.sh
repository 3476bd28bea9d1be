#!/bin/sh
# hdtrace relations: small projects by hand, and projects by chance, of which a
# second reader (readers/relations.py) says what is so. HDTRACE_TEST_RUNS says how
# many.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
readers=$abs_top_srcdir/tests/tools/readers
cd "$scratch" || exit 99

# Write a file of relations: NODE HOST PID NUMBER, elements on stdin.
relations() {
	{
		printf '<relation version="1" hostID="%s" localToken="%s" ' "$2" "$3"
		printf 'topologyNumber="%s" timeAdjustment="1000000000">\n' "$4"
		tr -d '\n'
		printf '</relation>'
	} >"p_$1.rel"
}

# A client on host a waits 4 s for a server on host b, which waits for its disk;
# host b draws 100 W from 0 to 8 s.
fresh() {
	rm -f p[._]*
	cat >p.proj <<'XML'
<Application name="p"><Topology><Level type="Host"/><Level type="Layer"/>
<Node name="a"><Node name="CLIENT"/></Node>
<Node name="b"><Node name="REQ"/><Node name="TROVE"/></Node></Topology></Application>
XML
	relations a_CLIENT A 1.1 0 <<'XML'
<rel t="0" time="1"/><s name="write" t="0" time="1"/><e t="0" time="5"/><un t="0" time="5"/>
XML
	relations b_REQ B 1.1 0 <<'XML'
<rel t="7" time="2" r="A:1.1:0:0"/><s name="request" t="7" time="2"/>
<e t="7" time="3"/><un t="7" time="4.5"/>
XML
	relations b_TROVE B 1.1 1 <<'XML'
<rel t="0" time="2" p="0:7"/><s name="pwrite" t="0" time="2" size="5"/>
<e t="0" time="4" error="EIO"/><un t="0" time="4"/>
<rel t="1" time="3" r="C:9.9:0:4"/><un t="1" time="3.5"/>
<rel t="2" time="6" i="0"/><s name="pwrite" t="2" time="6"/>
XML
	{
		stat_header b Energy 'name="P" type="DOUBLE" unit="W"'
		stamp 1000000000
		stamp 1000000008
		hex 4059000000000000
	} >p_b_Energy.stat
}

# What CSV has in some columns: ROWS COLUMN,... ARGUMENT...
has() {
	printf '%s\n' "$1" >wanted
	columns=$2
	shift 2
	status 0 relations --format=csv "$@" p.proj || return 1
	awk -F, -v wanted="$columns" '
		NR == 1 {
			count = split(wanted, name, ",")
			for (i = 1; i <= NF; i++)
				for (k = 1; k <= count; k++)
					if ($i == name[k]) at[k] = i
		}
		NR > 1 {
			line = ""
			for (k = 1; k <= count; k++)
				line = line (k > 1 ? " " : "") \
					($(at[k]) == "" ? "-" : $(at[k]))
			print line
		}' out | diff wanted -
}

fresh
# Of b: from 2 to 3 s request and pwrite share 100 W, from 3 to 4 s pwrite has all;
# at 6 s, the last time of the file, one begins that does not end.
ok "times and energy equal the values by hand" has "\
A:1.1:0:0 4.000000000 1.500000000 0.000000000 - 0.000000000
B:1.1:0:7 2.500000000 0.500000000 0.500000000 50 1.000000000
B:1.1:1:0 2.000000000 2.000000000 0.000000000 150 2.000000000
B:1.1:1:1 0.500000000 0.500000000 0.500000000 - 0.000000000
B:1.1:1:2 0.000000000 0.000000000 0.000000000 - 0.000000000" \
	token,total_s,self_s,wait_s,energy_j,known_s
ok "existing and missing causes are listed" has "\
A:1.1:0:0 - 0 write 0
B:1.1:0:7 A:1.1:0:0 1 request 1
B:1.1:1:0 B:1.1:0:7 1 pwrite 2
B:1.1:1:1 C:9.9:0:4 0 - 0
B:1.1:1:2 B:1.1:1:0 1 pwrite 3" token,parent,parent_found,name,depth
tree="\
A:1.1:0:0
B:1.1:0:7
B:1.1:1:0
B:1.1:1:2"
ok "a tree shows causes and effects" has "$tree" token --tree=B:1.1:0:7
ok "a token may include a trace ID" has "$tree" token \
	--tree=B:1.1:0:7:4bf92f3577b34da6a3ce929d0e0e4736-01
ok "a tree excludes unrelated relations" has "B:1.1:1:1" token --tree=B:1.1:1:1
ok "sums by name and layer" has "\
write CLIENT 1 0 0 4.000000000 4.000000000 -
request REQ 1 0 0 2.500000000 2.500000000 50
pwrite TROVE 1 1 1 2.000000000 2.000000000 150
- TROVE 1 0 0 0.500000000 0.500000000 -" \
	name,layer,count,unended,failed,p50_s,total_s,energy_j --sums
ok "--name selects relations" has "B:1.1:1:0
B:1.1:1:2" token --name='pw*'
ok "--node selects relations" has "B:1.1:0:7" token --node=b_REQ
ok "--from selects relations" has "B:1.1:1:2" token --from=@1000000005
ok "--depth selects relations" has "A:1.1:0:0
B:1.1:1:1" token --depth=0
ok "--top selects the slowest relation" has "A:1.1:0:0" token --top=1
# The text has a line: LINE ARGUMENT...
shows() {
	line=$1
	shift
	status 0 relations "$@" p.proj && { grep -qF -- "$line" out || {
		cat out
		return 1
	}; }
}
ok "text counts the irregular relations" shows \
	"5 relations, 1 without a cause, 1 with a cause that is not in any file, 1 that never ended"
ok "parts of the energy are printed" shows \
	"Energy of b: 800 J, 200 J of relations, 0 J of ranks, 600 J of nobody"
ok "a tree lists its hosts" shows "Hosts: A, B" --tree=B:1.1:0:7
ok "a tree marks the requested relation" shows "  * request" \
	--tree=B:1.1:0:7
ok "failed states have a reason" shows "pwrite (failed: EIO)"
ok "an unknown token is reported" says 'unknown relation "B:1.1:0:8"' 2 relations \
	--tree=B:1.1:0:8 p.proj
ok "--sums cannot be combined with --tree" says "--sums: cannot be combined with --tree" 2 relations --sums \
	--tree=B:1.1:0:7 p.proj
ok "a negative --top is refused" says "--top: must be 0 or more" 2 relations \
	--top=-3 p.proj
no_relations() {
	make_mini
	says "the project has no relations" 2 relations mini.proj
}
ok "a project without relations is reported" no_relations
circle() {
	fresh
	relations b_REQ B 1.1 0 <<'XML'
<rel t="0" time="2" i="1"/><rel t="1" time="2" i="0"/><rel t="2" time="2" i="2"/>
<un t="0" time="3"/><un t="1" time="3"/><un t="2" time="3"/>
XML
	shows "2 with a circular cause" && status 0 relations \
		--tree=B:1.1:0:0 p.proj &&
		grep -qF "(circular cause)" out &&
		! grep -qF "(cause not found)" out
}
ok "cycles of causes are cut" circle
refused() {
	fresh
	for option in --name=a --node=b --from=1 --to=2 --depth=1 --top=3; do
		says "--tree: cannot be combined with" 2 relations --tree=B:1.1:0:7 "$option" \
			p.proj || return 1
	done
}
ok "--tree cannot be combined with a selection" refused
# All that there is in a project are relations, from 1 to 6 s.
lasts() {
	fresh
	rm p_b_Energy.stat
	status 0 info --format=json p.proj &&
		grep -q '^  "start_s": 1000000001.000000000,$' out &&
		grep -q '^  "end_s": 1000000006.000000000,$' out || return 1
	status 0 info p.proj && grep -q "^Duration *5.000 s" out &&
		grep -q "relations: 3 relations with 2 states, 1 without an end" out &&
		grep -q "in 0 groups and 0 traces and 3 files of relations" out &&
		status 0 dump --only=relations --time=relative --to=0.5 p.proj &&
		grep -v '^$' out >dumped &&
		diff dumped - <<-'OUT' &&
			relations node "a_CLIENT" file "p_a_CLIENT.rel" host="A" process="1.1" topology="0"
			  0.000000000 begin 0
			  0.000000000 state 0 "write"
			relations node "b_REQ" file "p_b_REQ.rel" host="B" process="1.1" topology="0"
			relations node "b_TROVE" file "p_b_TROVE.rel" host="B" process="1.1" topology="1"
		OUT
	status 0 dump --only=relations --format=csv -n b_TROVE p.proj &&
		grep -qx "relation-begin,b_TROVE,,0,,1000000002.000000000,,,,process,,0:7" out &&
		grep -qx "relation-attribute,b_TROVE,,0,,,,,size,,,5" out &&
		status 0 report --format=json p.proj &&
		grep -q '"duration_s": 5.000000000' out
}
ok "the run time of a project covers its relations" lasts
sums_of() {
	"$hdtrace" "$@" --format=json p.proj | tr -d ' \n' |
		grep -oE '"sums":\[[^]]*\]'
}
same_sums() {
	fresh
	sums_of relations --sums >sums
	sums_of stat | diff sums - && sums_of report | diff sums -
}
ok "stat and report have the same sums" same_sums
partly() {
	fresh
	{
		stat_header b Energy 'name="P" type="DOUBLE" unit="W"'
		stamp 1000000003
		stamp 1000000008
		hex 4059000000000000
	} >p_b_Energy.stat
	shows ">= 100 J" --tree=B:1.1:1:0 && has "\
B:1.1:1:0 100 1.000000000 2.000000000" token,energy_j,known_s,duration_s \
		--name=pwrite --top=1
}
ok "partly known energy of relations is marked" partly
# Ranks 0 and 1 at b for 10 s at 100 W, a relation in a state from 2 to 6 s;
# the ranks use 0.9 and 0.1 s of CPU time a second.
with_ranks() {
	rm -f p[._]*
	cat >p.proj <<'XML'
<Application name="p"><Topology><Level type="Host"/><Level type="Rank"/>
<Node name="b"><Node name="0"/><Node name="1"/><Node name="REQ"/></Node></Topology></Application>
XML
	relations b_REQ B 1.1 0 <<'XML'
<rel t="0" time="2"/><s name="request" t="0" time="2"/><e t="0" time="6"/>
<un t="0" time="7"/>
XML
	{
		stat_header b Energy 'name="P" type="DOUBLE" unit="W"'
		stamp 1000000000
		stamp 1000000010
		hex 4059000000000000
	} >p_b_Energy.stat
	for rank in "$@"; do
		printf "<Program timeAdjustment='1000000000'>\n%s\n</Program>\n" \
			"<Work$rank time='0.000000000' end='10.000000000'/>" \
			>"p_b_$rank.trc"
	done
}

# Add what a rank used: RANK BITS
# Of 10 s: RANK GROUP VALUE-ATTRIBUTES NUMBER
of_rank() {
	header='<Statistics>
<TopologyNode>
<Label value="b">
<Label value="'$1'" />
</Label>
</TopologyNode>
<Group name="'"$2"'" timestampDatatype="EPOCH">
<Value '"$3"' />
</Group>
</Statistics>
'
	{
		printf '%05d\n%s' "${#header}" "$header"
		stamp 1000000000
		stamp 1000000010
		hex "$4"
	} >"p_b_$1_$2.stat"
}
uses() {
	of_rank "$1" CPU 'name="CPU_TIME" type="DOUBLE" unit="s" kind="delta"' "$2"
}

# What report, stat and relations say of joules, per line: WANTED ARGUMENT...
joules() {
	wanted=$1
	shift
	for command in report stat relations; do
		regions=
		case $command in
		stat) regions='--regions=*' ;;
		relations) set -- ;;
		esac
		"$hdtrace" "$command" ${regions:+"$regions"} --format=json "$@" p.proj >out 2>err || {
			cat err
			return 1
		}
		tr '{' '\n' <out | tr -d ' ' | sed -n '
			s/.*"region":"\(Work.\)","node":"b.*"energy":\([0-9.]*\),.*/stat \1 \2/p
			s/.*"name":"\(Work.\)".*"energy_j":\([0-9.]*\),"other.*/report \1 \2/p'
		tr -d ' \n' <out | grep -oE '"(relations|ranks|unattributed)_j":[0-9.e-]*' |
			sed "s/^/$command /"
	done | sed -E 's/([0-9]+\.[0-9]{3})[0-9]*/\1/' | sort >joules
	printf '%s\n' "$wanted" | sort | diff - joules
}
case_6() {
	with_ranks 0
	joules "\
report \"unattributed_j\":0
report \"relations_j\":200
report Work0 800
stat Work0 800
relations \"relations_j\":200
relations \"ranks_j\":800
relations \"unattributed_j\":0"
}
case_7() {
	with_ranks 0 1
	uses 0 4022000000000000
	uses 1 3ff0000000000000
	joules "\
report Work0 780
report Work1 86.666
report \"unattributed_j\":0
report \"relations_j\":133.333
stat Work0 780
stat Work1 86.666
relations \"relations_j\":133.333
relations \"ranks_j\":866.666
relations \"unattributed_j\":0" --attribution=cpu
}
ok "a relation and a rank share the energy of a host" case_6
ok "attribution by CPU time keeps the energy of relations" case_7
# Rank 0 has a meter of its own, 30 W, and so no part of the 1000 J of its host, of
# which rank 1 has half while both are active: 300 J for 0, 500 J for 1, and 500 J
# of the host, less these 300 J, are nobody's.
nested() {
	with_ranks 0 1
	rm p_b_REQ.rel
	of_rank 0 Energy 'name="P" type="DOUBLE" unit="W"' 403e000000000000
	status 0 report --format=json p.proj || return 1
	tr '{' '\n' <out | tr -d ' ' | sed -n '
		s/.*"name":"\(Work.\)".*"energy_j":\([0-9.]*\),"other.*/\1 \2/p
		s/.*\("unattributed_j":[-0-9.e]*\).*/\1/p' | sort >joules
	printf '%s\n' '"unattributed_j":200' "Work0 300" "Work1 500" |
		sort | diff - joules
}
ok "values of a lower node are not attributed twice" nested
# 205, one the cause of the next, the last the slowest: a tree has 200.
deep() {
	fresh
	for i in $(seq 0 204); do
		echo "<rel t=\"$i\" time=\"1\"$([ "$i" = 0 ] || echo " p=\"0:$((i - 1))\"")/>"
		[ "$i" = 204 ] || echo "<un t=\"$i\" time=\"2\"/>"
	done | { cat; echo '<un t="204" time="9"/>'; } | relations a_CLIENT A 1.1 0
	status 0 report --format=json p.proj || return 1
	tr -d ' \n' <out | sed 's/.*"slowest":\[//; s/"left_out".*//' |
		grep -o '"token":"A:1.1:0:[0-9]*"' | tr -d '"' >tokens
	tr -d ' \n' <out | sed 's/.*"slowest":\[//' |
		grep -o '"left_out":[0-9]*' | head -n 1 >>tokens
	{
		echo "token:A:1.1:0:204"
		seq 5 204 | sed 's/^/token:A:1.1:0:/'
		echo '"left_out":5'
	} | diff - tokens
}
ok "the tree of a report has the nearest of many causes" deep
cut() {
	fresh
	printf '%s' '<relation version="1" hostID="B" localToken="1" topologyNumber="0"><rel t="0" time="1002"/><un t="0" ti' >p_b_REQ.rel
	rm p_b_Energy.stat
	breaks rel.cut 1 relations p.proj
}
ok "a truncated file is reported" cut
unreadable() {
	fresh
	rm p_b_REQ.rel
	mkdir p_b_REQ.rel
	status 2 relations p.proj
}
ok "an invalid relation file is reported" unreadable
# A file system that was called by rank 0, by a thread with the number 77: at 2 s from
# within an inner state, at 2.8 s from within an outer one, at 5 s from none. What has
# a parent, found or not, and what another process asked for, infers nothing.
inferred() {
	rm -rf p[._]* && cat >p.proj <<'XML'
<Application name="p"><Topology><Level type="Host"/><Level type="Rank"/>
<Level type="Thread"/><Node name="a"><Node name="0"><Node name="0"/></Node>
<Node name="fs"><Node name="CLIENT"/></Node></Node>
<Node name="b"><Node name="fs"><Node name="CLIENT"/></Node></Node></Topology></Application>
XML
	cat >p_a_0_0.trc <<'XML'
<Program timeAdjustment='1000000000'>
<Nested>
<Inner  time='1.500000000' end='2.500000000'/>
</Nested>
<File_write  time='1.000000000' end='3.000000000'/>
<Late  time='6.000000000' end='7.000000000'/>
</Program>
XML
	printf "File name=\"f\" Size=0 id=1\nProcess id=77 name='a'\n" >p_a_0_0.info
	relations a_fs_CLIENT A 5.1 0 <<'XML'
<rel t="0" time="2"/><s name="w" t="0" time="2"/><e t="0" time="2.1" pid="77"/><un t="0" time="2.1"/>
<rel t="1" time="2.8"/><s name="w" t="1" time="2.8" pid="77"/><e t="1" time="4"/><un t="1" time="4"/>
<rel t="2" time="5"/><s name="w" t="2" time="5" pid="77"/><e t="2" time="5.5"/><un t="2" time="5.5"/>
<rel t="3" time="5"/><s name="w" t="3" time="5" pid="78"/><e t="3" time="5.1"/><un t="3" time="5.1"/>
<rel t="4" time="2" r="C:9.9:0:4"/><s name="w" t="4" time="2" pid="77"/><e t="4" time="2.1"/><un t="4" time="2.1"/>
<rel t="5" time="2" i="0"/><s name="w" t="5" time="2" pid="77"/><e t="5" time="2.1"/><un t="5" time="2.1"/>
XML
	relations b_fs_CLIENT B 5.1 0 <<'XML'
<rel t="0" time="2"/><s name="w" t="0" time="2" pid="77"/><e t="0" time="2.1"/><un t="0" time="2.1"/>
XML
	status 0 relations -q p.proj || return 1
	cat out
	grep -q '5 without a cause, 3 of them with a probable cause in a state' out ||
		return 1
	for wanted in '0 a_0_0, Inner, which took 1.000 s' \
		'5 a_0_0, Inner, which took 1.000 s' \
		'1 a_0_0, File_write, which took 2.000 s' \
		'2 a_0_0, outside its states' 3 4; do
		status 0 relations -q --tree="A:5.1:0:${wanted%% *}" p.proj ||
			return 1
		grep '^Probable cause' out
		if [ "${wanted#* }" = "$wanted" ]; then
			! grep -q '^Probable cause' out
		else
			grep -qx "Probable cause, from process and time: ${wanted#* }" out
		fi || return 1
	done
	status 0 relations -q --tree=B:5.1:0:0 p.proj &&
		! grep -q '^Probable cause' out || return 1
	status 0 report -q p.proj || return 1
	grep -q '5 without a cause, 3 of these probably caused by states' out &&
		"$hdtrace" check --format=csv p.proj | grep rel.inferred >notes &&
		[ "$(wc -l <notes)" -eq 1 ] &&
		grep -q '^note,rel.inferred,.*p_a_fs_CLIENT.rel.*3 relations' notes &&
		status 0 report -q --format=json p.proj &&
		python3 - out <<'END'
import json, sys
found = json.load(open(sys.argv[1]))["relations"]
assert found["inferred"] == 3 and found["roots"] == 5, found
causes = {i["token"][-1]: i.get("inferred_cause") for i in found["slowest"]
          if i["token"].startswith("A")}
assert causes["1"]["state"] == "File_write" and not causes["3"], causes
END
}
ok "causes are inferred by process and time" inferred
# Nobody ever writes into it: reading it would wait for ever.
no_file() {
	rm p_a_0_0.info && mkfifo p_a_0_0.info || return 1
	timeout 120 "$hdtrace" relations -q p.proj >out || return 1
	cat out
	grep -q '5 without a cause' out && ! grep -q 'probabl' out
}
ok "an .info file that is a FIFO is refused" no_file
# What says which part of a program made it, and has a cause, in the file or not.
origins() {
	rm -rf p[._]* && cat >p.proj <<'XML'
<Application name="p"><Topology><Level type="Host"/><Level type="Part"/>
<Node name="a"><Node name="fs"/></Node></Topology></Application>
XML
	relations a_fs A 5.1 0 <<'XML'
<rel t="0" time="2"/><s name="w" t="0" time="2"/><e t="0" time="3" origin="cache"/><un t="0" time="3"/>
<rel t="1" time="2" i="0"/><s name="w" t="1" time="2"/><e t="1" time="3" origin="cache"/><un t="1" time="3"/>
<rel t="2" time="2" i="0"/><s name="w" t="2" time="2" origin="cache"/><e t="2" time="3"/><un t="2" time="3"/>
<rel t="3" time="2" r="C:9.9:0:4"/><s name="w" t="3" time="2" origin="cache"/><e t="3" time="3"/><un t="3" time="3"/>
<rel t="4" time="2" i="0"/><s name="origin" t="4" time="2" x="origin"/><e t="4" time="3"/><un t="4" time="3"/>
XML
	status 0 relations -q p.proj || return 1
	cat out
	grep -q '3 with a cause inferred from their origin' out &&
		status 0 report -q p.proj &&
		grep -q '3 with an inferred cause' out &&
		status 0 relations -q --format=json p.proj &&
		grep -q '"inferred_links": 3,' out
}
ok "causes of relations with an origin are counted separately" origins
rm -f p[._]*
if [ -d "$corpus/relations" ]; then
	historic() {
		cp "$corpus"/relations/test* .
		status 0 relations --format=csv --tree=vm:20360:3:0 test.proj &&
			[ "$(wc -l <out)" = 5 ]
	}
	ok "relations of 2009 are read" historic
else
	skip "relations of 2009 are read" "no corpus"
fi
if command -v python3 >/dev/null; then
	by_chance() (
		mkdir -p chance && cd chance && python3 "$readers/relations.py" \
			chance "$hdtrace" "${HDTRACE_TEST_SEED:-$$}" \
			"${HDTRACE_TEST_RUNS:-30}"
	)
	ok "a second reader agrees on random projects" by_chance
	second() {
		python3 "$readers/relations.py" compare "$hdtrace" test.proj
	}
	[ ! -e test.proj ] || ok "a second reader agrees on projects of 2009" second
else
	skip "a second reader agrees on random projects" "no python3"
fi
done_testing
