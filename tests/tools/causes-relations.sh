#!/bin/sh
# The critical path through relations: of a client and its servers, worked out by
# hand, and of projects by chance, of which readers/relationpath.py says what it is.
# shellcheck disable=SC2016 # for the shell that runs it
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
cd "$scratch" || exit 99
command -v python3 >/dev/null || skip_all "no python3"
oracle=$abs_top_srcdir/tests/tools/readers/relationpath.py

# Write a file of relations: NODE HOST PID NUMBER, elements on stdin.
relations() {
	{
		printf '<relation version="1" hostID="%s" localToken="%s" ' "$2" "$3"
		printf 'topologyNumber="%s" timeAdjustment="1000000000">\n' "$4"
		tr -d '\n'
		printf '</relation>'
	} >"p_$1.rel"
}

# What report has of the path: ROWS, as "length SECONDS", "node PATH SECONDS",
# "state NAME SECONDS", "rank RANK SECONDS"; in this order.
path_is() {
	printf '%s\n' "$1" >wanted
	status 0 report --format=json p || return 1
	python3 - out >found <<'END'
import json, sys
path = json.load(open(sys.argv[1]))["critical_path"]
print("length %g" % path["length_s"])
for node in path.get("by_node", []):
    print("node %s %g" % (node["node"], node["time_s"]))
for state in path["by_state"]:
    print("state %s %g" % (state["name"], state["time_s"]))
for rank in path["by_rank"]:
    print("rank %s %g" % (rank["rank"], rank["time_s"]))
# Parts have no gaps, and add up.
parts = path["parts"]
for before, after in zip(parts, parts[1:]):
    assert before["end_s"] == after["start_s"], (before, after)
assert abs(sum(p["end_s"] - p["start_s"] for p in parts) - path["length_s"]) < 1e-6
for key in "by_rank", "by_state":
    assert abs(sum(p["time_s"] for p in path[key]) - path["length_s"]) < 1e-6, key
END
	diff wanted found
}

fresh() {
	rm -f p[._]*
	cat >p.proj <<'XML'
<Application name="p"><Topology><Level type="Host"/><Level type="Process"/>
<Level type="Part"/><Node name="A"><Node name="client"><Node name="CLIENT"/></Node>
</Node><Node name="B"><Node name="server"><Node name="REQ"/><Node name="TROVE"/>
</Node></Node><Node name="D"><Node name="server"><Node name="REQ"/></Node></Node>
</Topology></Application>
XML
}

# The client writes from 0 to 20 s: its servers work from 2 to 8 s, from 9 to 18 s,
# and another one from 9.5 to 12 s, which nobody waits for. From 11 to 17 s the
# second one waits for its disk, which begins a second later. Backwards:
# 20-18 client, 18-17 server, 17-11 disk (17-12 pwrite), 11-9 server, 9-8 client,
# 8-2 server, 2-0 client: client 5 s, server 9 s, disk 6 s.
client() {
	relations A_client_CLIENT A 1.1 0 <<XML
<rel t="0" time="0"/><s name="write" t="0" time="0"/><e t="0" time="20"/>
<un t="0" time="20"/>$1
XML
}
fresh
client
relations B_server_REQ B 1.1 0 <<'XML'
<rel t="1" time="2" r="A:1.1:0:0"/><s name="request" t="1" time="2"/>
<e t="1" time="8"/><un t="1" time="8"/>
<rel t="2" time="9" r="A:1.1:0:0"/><s name="request" t="2" time="9"/>
<e t="2" time="18"/><un t="2" time="18"/>
XML
relations B_server_TROVE B 1.1 1 <<'XML'
<rel t="0" time="11" p="0:2"/><s name="pwrite" t="0" time="12"/>
<e t="0" time="17"/><un t="0" time="17"/>
XML
relations D_server_REQ D 1.1 0 <<'XML'
<rel t="0" time="9.5" r="A:1.1:0:0"/><s name="request" t="0" time="9.5"/>
<e t="0" time="12"/><un t="0" time="12"/>
XML
ok "the path crosses a client, its servers and a disk" path_is "\
length 20
node B_server_REQ 9
node B_server_TROVE 6
node A_client_CLIENT 5
state request 9
state pwrite 5
state write 5
state (no state) 1
rank None 20"
ok "text output shows the nodes on the path" sh -c '"$0" report p >text &&
	grep -q "B_server_TROVE *6.* 30.0 %" text' "$hdtrace"
client '<rel t="1" time="22"/><s name="close" t="1" time="22"/><e t="1" time="25"/><un t="1" time="25"/>'
ok "the path continues with the next relation at the node" path_is "\
length 25
node A_client_CLIENT 10
node B_server_REQ 9
node B_server_TROVE 6
state request 9
state pwrite 5
state write 5
state (no state) 3
state close 3
rank None 25"
cp p.proj q.proj
for of in p_*; do cp "$of" "q_${of#p_}"; done
sed 's/time="17"/time="15"/g' p_B_server_TROVE.rel >x && mv x p_B_server_TROVE.rel
ok "compare shows the path" sh -c '"$0" compare q p >text; cat text
	grep -q pwrite text' "$hdtrace"

# At a node with a trace its relations are part of what that does.
fresh
cat >p.proj <<'XML'
<Application name="p"><Topology><Level type="Host"><Level type="Rank"/></Level>
<Node name="A"><Node name="0"/></Node><Node name="B"/></Topology></Application>
XML
printf "<Program timeAdjustment='1000000000'>\n<Work time='0' end='30'/>\n</Program>\n" \
	>p_A_0.trc
relations A_0 A 1 0 <<'XML'
<rel t="0" time="5"/><s name="call" t="0" time="5"/><e t="0" time="10"/><un t="0" time="10"/>
XML
relations B B 1 0 <<'XML'
<rel t="0" time="6" r="A:1:0:0"/><s name="serve" t="0" time="6"/><e t="0" time="9"/><un t="0" time="9"/>
XML
ok "the path goes from a trace into relations and back" path_is "\
length 30
node B 3
node A_0 2
state Work 25
state serve 3
state call 2
rank None 3
rank 0 27"

# A further cause that ends at 4 s, when the other one goes on.
fresh
relations A_client_CLIENT A 1.1 0 <<'XML'
<rel t="0" time="0"/><s name="first" t="0" time="0"/><e t="0" time="4"/><un t="0" time="4"/>
XML
relations B_server_REQ B 1.1 0 <<'XML'
<rel t="0" time="1"/><s name="second" t="0" time="1"/>
<link t="0" time="5" r="A:1.1:0:0"/><e t="0" time="10"/><un t="0" time="10"/>
XML
ok "the path follows a further cause" path_is "\
length 10
node B_server_REQ 6
node A_client_CLIENT 4
state second 6
state first 4
rank None 10"

# All in each other, at the same times: the innermost one is what takes time.
fresh
relations A_client_CLIENT A 1.1 0 <<'XML'
<rel t="4" time="0"/><rel t="3" time="0" i="4"/><rel t="2" time="0" i="3"/>
<rel t="1" time="0" i="2"/><rel t="5" time="9" i="1"/><rel t="0" time="0" i="1"/>
<s name="inner" t="0" time="0"/><un t="5" time="9"/>
<e t="0" time="9"/><un t="0" time="9"/><un t="1" time="9"/><un t="2" time="9"/>
<un t="3" time="9"/><un t="4" time="9"/>
XML
ok "simultaneous relations have a path" path_is "\
length 9
node A_client_CLIENT 9
state inner 9
rank None 9"

# A cause that ends before what it caused begins, and one that is later than that.
fresh
relations A_client_CLIENT A 1.1 0 <<'XML'
<rel t="0" time="0"/><s name="post" t="0" time="0"/><e t="0" time="2"/><un t="0" time="2"/>
<rel t="1" time="3" i="0"/><s name="later" t="1" time="3"/><e t="1" time="7"/><un t="1" time="7"/>
XML
ok "the path follows a relation that outlasts its cause" path_is "\
length 7
node A_client_CLIENT 7
state later 4
state post 2
state (no state) 1
rank None 7"
sed 's,</Topology>,&<ClockList><Clock node="A" method="m" error="0.1"/><Clock node="B" method="m" error="0.1"/></ClockList>,' \
	p.proj >x && mv x p.proj
relations B_server_REQ B 1.1 0 <<'XML'
<rel t="0" time="2.9" r="A:1.1:0:1"/><un t="0" time="8"/>
<rel t="1" time="2" r="A:1.1:0:1"/><un t="1" time="2.5"/>
XML
ok "late causes are accepted only within the clock error" sh -c '
	"$0" report --format=json p >out && python3 -c "
import json
of = json.load(open(\"out\"))[\"critical_path\"][\"dependencies\"]
assert of[\"clamped\"] == 1 and of[\"backwards\"] == 1, of
assert abs(of[\"backwards_worst_s\"] - 1) < 1e-9, of
"' "$hdtrace"

# By chance: HDTRACE_TEST_RUNS of them.
by_chance() {
	seed=${HDTRACE_TEST_SEED:-$$}
	for run in $(seq "${HDTRACE_TEST_RUNS:-20}"); do
		rm -f p[._]*
		python3 "$oracle" make "$((seed + run))" || return 1
		"$hdtrace" report --format=json p >out || return 1
		python3 "$oracle" compare out ||
			{ echo "HDTRACE_TEST_SEED=$((seed + run - 1))"; return 1; }
	done
}
ok "paths of random projects agree with an oracle" by_chance
done_testing
