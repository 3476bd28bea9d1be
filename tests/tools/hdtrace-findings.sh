#!/bin/sh
# Findings: one table worked by hand for each kind of wait, and random traces that a
# second analyser reads, too. HDTRACE_TEST_LONG=1 makes 500 of these.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
seed=${HDTRACE_TEST_SEED:-$(date +%s)}
cd "$scratch" || exit 99

for python in python3 /usr/bin/python3; do
	"$python" -c "import otf2" 2>/dev/null && break
	python=
done
mkdir made
count=25
[ -z "${HDTRACE_TEST_LONG-}" ] || count=500
made_by_chance() {
	(cd made && PYTHONDONTWRITEBYTECODE=1 "$python" \
		"$abs_top_srcdir/tests/tools/readers/waits.py" \
		"$hdtrace" "$count" "$seed")
}
if [ -z "$python" ]; then
	skip "waits of random traces" "no python3-otf2"
elif "$hdtrace" export --to otf2 made 2>&1 | grep -q "built without"; then
	skip "waits of random traces" "built without OTF2"
else
	ok "waits and account agree with a second analyser" made_by_chance
fi

# Three ranks; the lines of each, in tenths of seconds: NAME FROM TO ATTRIBUTES.
make_run() {
	rm -f run_*
	cat >run.proj <<-'END'
	<?xml version="1.0" encoding="UTF-8"?>
	<Application name="run"><Description/><Topology>
	<Level type="Host"><Level type="Rank"/></Level>
	<Node name="h"><Node name="0"/><Node name="1"/><Node name="2"/></Node>
	</Topology><CommunicatorList><Communicator name="WORLD">
	<Rank global="0" local="0" cid="0"/><Rank global="1" local="1" cid="0"/>
	<Rank global="2" local="2" cid="0"/></Communicator></CommunicatorList>
	<Datatypes/><ExternalStatistics/></Application>
	END
	for rank in 0 1 2; do
		{
			echo "<Program timeAdjustment='0' levels='Host Rank'>"
			printf '%s\n' "$1" | tr ';' '\n' | while
				read -r name from to attributes
			do
				[ -z "$name" ] || echo "<$name time='$((from / 10)).$((from % 10))'" \
					"end='$((to / 10)).$((to % 10))'" \
					"cid='0' size='8' $attributes/>"
			done
			echo "</Program>"
		} >"run_h_$rank.trc"
		shift
	done
}
# What is found: KIND COUNT TIME SAVED WAITING CAUSING, in seconds.
finds() {
	status 0 report --format=json run || return 1
	"${python:-python3}" - "$@" <<-'END'
	import json, sys
	report = json.load(open("out"))
	found = [" ".join([f["kind"], str(f["count"]), f"{f['time_s']:g}",
	                   f"{f['saved_s']:g}",
	                   ",".join(map(str, f["waiting"])) or "-",
	                   ",".join(map(str, f["causing"])) or "-"])
	         for f in report["findings"]]
	account = report["account"]
	parts = sum(v for k, v in account.items() if k != "total_s")
	print(found, account)
	assert found == sys.argv[1:], sys.argv[1:]
	assert abs(parts - account["total_s"]) < 1e-9
	for f in report["findings"]:
	    assert f["energy_j"] is None and f["avoidable_j"] is None
	    assert f["advice"].endswith(".") and "run.proj" in f["command"]
	END
}

# Numbers of the report: EXPRESSION=VALUE...
tells() {
	"${python:-python3}" - "$@" <<-'END'
	import json, sys
	report = json.load(open("out"))
	e, findings = report["efficiencies"], report["findings"]
	what_if = {a["spec"]: a for a in report["what_if"]}
	for text in sys.argv[1:]:
	    expression, value = text.rsplit("=", 1)
	    found = eval(expression)
	    print(expression, found, value)
	    assert abs(found - float(value)) < 1e-6
	END
}

make_run "Recv 10 40 fromRank='1' fromTag='5'" \
	"Send 30 31 toRank='0' toTag='5';End 39 40" "End 10 40"
ok "late sender: from the receive to the send" \
	finds "late-sender 1 2 0 0 1"
make_run "Irecv 10 11 fromRank='1' fromTag='5' rid='0';Wait 20 40 \
	fromRank='1' fromTag='5' rid='0'" \
	"Send 30 31 toRank='0' toTag='5';End 39 40" "End 10 40"
ok "late sender: from the wait of a receive that does not block" \
	finds "late-sender 1 1 0 0 1"
make_run "Recv 10 40 fromRank='1' fromTag='5';Recv 41 42 fromRank='2' fromTag='6'" \
	"Send 30 31 toRank='0' toTag='5';End 39 40" \
	"Send 20 21 toRank='0' toTag='6';End 39 40"
ok "wrong order: all of the wait, as a part of it" \
	finds "late-sender 1 2 0 0 1" "late-sender-wrong-order 1 2 0 0 1"
make_run "Recv 10 40 fromRank='1' fromTag='5';Recv 41 42 fromRank='2' fromTag='6'" \
	"Send 30 31 toRank='0' toTag='5';End 39 40" \
	"Send 32 33 toRank='0' toTag='6';End 39 40"
ok "right order: what is received later was sent later" \
	finds "late-sender 1 2 0 0 1"
make_run "Irecv 10 11 fromRank='1' fromTag='5' rid='0';Recv 20 50 fromRank='1' \
	fromTag='5';Wait 51 52 fromRank='1' fromTag='5' rid='0'" \
	"Send 15 16 toRank='0' toTag='5';Send 45 46 toRank='0' toTag='5'" "End 10 40"
ok "messages belong to receives in the order of their posting" \
	finds "late-sender 1 2.5 0 0 1" "late-sender-wrong-order 1 2.5 0 0 1"
make_run "Ssend 10 41 toRank='1' toTag='5'" \
	"End 9 10;Recv 40 41 fromRank='0' fromTag='5'" "End 10 40"
ok "late receiver: from the send to the receive" \
	finds "late-receiver 1 3 0 0 1"
make_run "Send 10 15 toRank='1' toTag='5'" \
	"End 9 10;Recv 40 41 fromRank='0' fromTag='5'" "End 10 40"
ok "late receiver: none if the send left before" finds
make_run "Isend 10 11 toRank='1' toTag='5' rid='3';Wait 20 41 rid='3'" \
	"End 9 10;Recv 40 41 fromRank='0' fromTag='5'" "End 10 40"
ok "late receiver: from the wait of a send that does not block" \
	finds "late-receiver 1 2 0 0 1"
make_run "Sendrecv 10 41 toRank='1' toTag='5' fromRank='2' fromTag='6'" \
	"End 9 10;Recv 30 31 fromRank='0' fromTag='5'" \
	"Send 40 41 toRank='0' toTag='6'"
ok "a call that waits for two counts the larger wait" \
	finds "late-sender 1 3 0 0 2"
make_run "Barrier 10 42" "Barrier 20 41" "Barrier 40 43"
ok "barrier: until the last enter; completion from the first leave" \
	finds "wait-at-barrier 2 5 0 0,1 2" "barrier-completion 2 0.3 0 2,0 2"
make_run "Finalize 10 42" "Finalize 20 41" "Finalize 40 43"
ok "Finalize that waits is a barrier" finds "wait-at-barrier 2 5 0 0,1 2"
make_run "Barrier 5 6;Finalize 10 42" "Barrier 5 6;Finalize 20 41" "Finalize 40 43"
ok "Finalize after a call that one rank lacks is a barrier" \
	finds "wait-at-barrier 2 5 0 0,1 2"
make_run "Finalize 10 12" "Finalize 20 41" "Finalize 40 43"
ok "Finalize that does not wait is none" finds
make_run "Allreduce 10 42" "Allreduce 20 41" "Allreduce 40 43"
ok "all to all: until the last enter; completion from the first leave" \
	finds "wait-at-nxn 2 5 0 0,1 2" "nxn-completion 2 0.3 0 2,0 2"
make_run "Allreduce 10 25" "Allreduce 20 41" "Allreduce 40 43"
ok "all to all that one left early: completion from the last enter" \
	finds "wait-at-nxn 2 3.5 0 1,0 2" "nxn-completion 2 0.4 0 2,1 2"
make_run "Iallreduce 10 11 rid='1';Wait 30 42 rid='1'" \
	"Iallreduce 20 21 rid='1';Wait 39 41 rid='1'" \
	"Iallreduce 40 41 rid='1';Wait 42 43 rid='1'"
ok "all to all that does not block: from the wait" \
	finds "wait-at-nxn 2 1.1 0 0,1 2" "nxn-completion 2 0.2 0 0,2 2"
make_run "Reduce 10 42 root='0'" "Reduce 20 21 root='0'" "Reduce 40 41 root='0'"
ok "early reduce: the root waits for the last" finds "early-reduce 1 3 0 0 2"
make_run "Bcast 10 42 rootRank='2'" "Bcast 20 41 rootRank='2'" \
	"Bcast 40 41 rootRank='2'"
ok "late broadcast: until the root enters" finds "late-broadcast 2 5 0 0,1 2"
make_run "Scan 30 31" "Scan 10 41" "Scan 20 41"
ok "early scan: until the last of the ranks below enters" \
	finds "early-scan 2 3 0 1,2 0"

make_run "Init 10 11;Tracer 11 31;End 39 40" "Tracer 10 20;End 39 40" "End 10 40"
ok "time of the tracer" finds "tracer 2 3 0 0,1 -"

# Two threads of a rank: the second one arrives 1 s earlier at a barrier, is idle for
# 2 s between two regions, and waits 0.5 s for a lock.
threads() {
	rm -f run_*
	cat >run.proj <<-'END'
	<?xml version="1.0" encoding="UTF-8"?>
	<Application name="run"><Description/><Topology>
	<Level type="Host"><Level type="Rank"><Level type="Thread"/></Level></Level>
	<Node name="h"><Node name="0"><Node name="0"/><Node name="1"/></Node></Node>
	</Topology><CommunicatorList/><Datatypes/><ExternalStatistics/></Application>
	END
	for thread in 0 1; do
		cat >"run_h_0_$thread.trc" <<-END
		<Program timeAdjustment='0' levels='Host Rank Thread'><Nested>
		<omp.barrier team='1' barrier='0' time='$((3 - thread))' end='4'/></Nested>
		<omp.parallel team='1' thread='$thread' threads='2' time='1' end='4'/>
		<Nested>$([ "$thread" = 0 ] || echo "<omp.critical time='6.5' end='7'/>")
		<omp.barrier team='2' barrier='0' time='8' end='8'/></Nested>
		<omp.parallel team='2' thread='$thread' threads='2' time='6' end='8'/>
		</Program>
		END
	done
	finds "omp-idle 1 2 0 0 0" "omp-barrier 1 1 0 0 0" "omp-lock 1 0.5 0 0 -" \
		"imbalance-threads 1 0.5 0.5 - 0" &&
		tells 'report["account"]["waiting_s"]=3.5' \
			'report["account"]["openmp_s"]=2' \
			'report["account"]["computation_s"]=8.5' \
			'findings[0]["threads"] == ["h_0_1"]=1'
}
ok "OpenMP: barriers, idle threads and locks" threads

# Two steps that end at barriers, in tenths of seconds; ranks compute 3, 2, 3 s and
# 1, 2.8, 1 s, all else is MPI. From Init to Finalize there are 6.2 s.
steps() {
	make_run "Init 10 20;Barrier 50 52;Barrier 62 82;Finalize 82 90" \
		"Init 10 20;Barrier 40 52;Solve 52 80;Barrier 80 82;Finalize 82 90" \
		"Init 10 20;Barrier 50 52;Barrier 62 82;Finalize 82 90"
}
efficient() {
	steps
	status 0 report --format=json run || return 1
	tells 'e["load_balance"]=0.888889' 'e["communication"]=0.774194' \
		'e["serialisation"]=0.827586' 'e["transfer"]=0.935484' \
		'e["parallel"]=0.688172' 'e["global"]=0.688172' \
		'e["computation_scaling"]=1' &&
		status 0 report run &&
		grep -q "^    Load balance  *88.89 %" out
}
ok "efficiencies of two steps" efficient
# Balanced the steps take 2.667 and 1.6 s instead of 3 and 2.8.
uneven() {
	tells 'findings[0]["saved_s"]=1.533333' 'findings[0]["time_s"]=1.533333' \
		'findings[0]["causing"][0]=1' 'findings[0]["causing"][1]=0' \
		'findings[0]["count"]=2' 'findings[0]["kind"] == "imbalance"=1'
}
status 0 report --format=json run
ok "imbalance comes first, with what balanced steps save" uneven
what_if() {
	set -- --what-if=balanced --what-if=no-wait:all \
		--what-if=no-wait:wait-at-barrier --what-if=rank:1=median \
		--what-if=function:Solve=-50% --what-if=latency=0.5
	status 0 report --format=json "$@" run || return 1
	tells 'what_if["balanced"]["time_s"]=6.466667' \
		'what_if["no-wait:all"]["time_s"]=7' \
		'what_if["no-wait:wait-at-barrier"]["time_s"]=7' \
		'what_if["rank:1=median"]["time_s"]=7.533333' \
		'what_if["function:Solve=-50%"]["time_s"]=6.6' \
		'what_if["latency=0.5"]["time_s"]=8' &&
		status 0 report "$@" run &&
		grep -q "^  With no-wait:all: 7.000 s (7.000 s to 7.000 s; run time less" out
}
ok "what-if by replay of two steps" what_if
unasked() {
	for question in no-wait:some rank:x=median rank:1=mean function:Solve \
		function:Solve=20 latency=0 bandwidth=x faster; do
		says "--what-if: invalid question \"$question\"" 2 report \
			"--what-if=$question" run || return 1
	done
	status 0 report --format=json --what-if=rank:7=median run &&
		grep -q '"spec": "rank:7=median", "time_s": null' out
}
ok "what-if questions that make no sense" unasked
# The first message takes 0.2 s, the smallest; the other one 0.8 s more.
transfers() {
	make_run "Send 20 21 toRank='1' toTag='1';Send 30 31 toRank='1' toTag='1'" \
		"Recv 10 22 fromRank='0' fromTag='1';Recv 22 40 fromRank='0' fromTag='1'" \
		"End 10 40"
	status 0 report --format=json --what-if=bandwidth=2 --what-if=latency=0.5 \
		run || return 1
	tells 'what_if["bandwidth=2"]["time_s"]=2.6' \
		'what_if["latency=0.5"]["time_s"]=2.9'
}
ok "what-if of the network" transfers

limits() {
	make_run "Barrier 10 42" "Barrier 20 41" "Barrier 40 43"
	status 3 report --fail='wait-at-barrier>50%' run &&
		grep -q "limit exceeded: wait-at-barrier>50%" err &&
		status 0 report --fail='wait-at-barrier>51%' run &&
		status 3 report --fail='late-sender>0%' \
			--fail='wait-at-barrier>4.9s' run &&
		status 0 report --fail='wait-at-barrier>5s' run &&
		says 'invalid limit "barrier>5%"' 2 report --fail='barrier>5%' \
			run &&
		says 'invalid limit "late-sender>x"' 2 report \
			--fail='late-sender>x' run
}
ok "--fail compares findings with limits" limits
tables() {
	status 0 report --csv run || return 1
	cut -d, -f1-4,8-10 out | diff - /dev/fd/3 3<<-'END'
	kind,part_of,count,time_s,saved_s,waiting,causing
	wait-at-barrier,,2,5.000000000,0.000000000,0 1,2
	barrier-completion,,2,0.300000000,0.000000000,2 0,2
	END
}
ok "--csv has a line for each finding" tables

# Many nodes: alike ones are one line, and the report fits on a page.
folds() {
	"$abs_top_builddir/tests/bench/make-project" --nodes=40 --ranks=2 \
		--records=20000 --values=400000 large || return 1
	status 0 report large || return 1
	lines=$(wc -l <out)
	echo "$lines lines"
	[ "$lines" -le 60 ] && grep -q "^  [0-9]* nodes: " out &&
		grep -q "^  Folded; " out && ! grep -q "^node001$" out &&
		grep -q "^  Computation " out || return 1
	status 0 report --nodes large && grep -q "^node040$" out &&
		status 0 report --ranks large && grep -q "^  node040_79 " out &&
		status 0 report --all large && grep -q "^Cost of tracing$" out
}
ok "a report of many nodes is folded" folds

# The node draws 30 W, divided among ranks that are there: 30 J of the first second,
# and 60 J of the two in which two ranks wait. 10 W of it are idle power.
energies() {
	{
		stat_header h Energy 'name="P" type="FLOAT" unit="W"'
		stamp 1 0
		stamp 4 300000000
		hex 41f00000
	} >run_h_Energy.stat
	sed -i 's/<ExternalStatistics\/>/<ExternalStatistics><Energy\/><\/ExternalStatistics>/' \
		run.proj
	status 0 report --csv --idle-power=10 run || return 1
	sed -n 's/^wait-at-barrier,,2,5.000000000,//p' out | grep -q "^90,60,5.000000000," &&
		status 0 report --csv run &&
		grep -q "^wait-at-barrier,,2,5.000000000,90,,5.000000000," out &&
		status 0 report run &&
		grep -q "^  1. Ranks wait at barriers for the last rank: 5.000 s (50.51 %), 90 J$" out &&
		says "--idle-power: must be 0 or more" 2 report --idle-power=-3 run
}
# Of the 99 J, 96 J are those of 5.3 s of waits: 3.1, 2 and 0.2 s. Without these the run
# takes 3.1 s, so that 0.6 s of waits are left out; or all waits are at a third of the power.
what_if_energies() {
	status 0 report --format=json --what-if=no-wait:all run &&
		tells 'what_if["no-wait:all"]["energy_j"]=88.132075' &&
		status 0 report --format=json --what-if=no-wait:all --idle-power=10 \
			--waiting=idle run &&
		tells 'what_if["no-wait:all"]["energy_j"]=31.377358' &&
		status 0 report --what-if=no-wait:all run &&
		grep -q "^  With no-wait:all: 3.100 s, 88.13 J (3.100 s to" out &&
		says "--waiting: requires --idle-power" 2 report --waiting=idle run &&
		says '--waiting: invalid "x"' 2 report --waiting=x run
}
ok "energy of waits, and the part above idle power" energies
ok "energy of what-if, with ranks that wait busy or idle" what_if_energies
# Two ranks compute 4 s, and the third one waits for them, at 30 W in all. With half of
# Solve 2 s are left out.
what_if_function() {
	make_run "Solve 10 50;Barrier 50 51" "Barrier 10 51" "Solve 10 50;Barrier 50 51"
	{
		stat_header h Energy 'name="P" type="FLOAT" unit="W"'
		stamp 1 0
		stamp 5 100000000
		hex 41f00000
	} >run_h_Energy.stat
	sed -i 's/<ExternalStatistics\/>/<ExternalStatistics><Energy\/><\/ExternalStatistics>/' \
		run.proj
	status 0 report --format=json --what-if=function:Solve=-50% run &&
		tells 'what_if["function:Solve=-50%"]["time_s"]=2.1' \
			'what_if["function:Solve=-50%"]["energy_j"]=63'
}
ok "energy of what-if, with less computation" what_if_function
# The same wait as a track of Perfetto, with what is known of it.
exports() {
	make_run "Recv 10 40 fromRank='1' fromTag='5'" \
		"read 10 30;Send 30 31 toRank='0' toTag='5';End 39 40" "End 10 40"
	status 0 export -q --to perfetto -o plain.pt run && ! grep -aq late-sender plain.pt &&
		status 0 export -q --to perfetto --findings -o found.pt run &&
		for text in Findings late-sender "Send these messages earlier" \
			"hdtrace plot --from=" "rank 1 in read 2.000000000 s"; do
			grep -aq -- "$text" found.pt || { echo "$text"; return 1; }
		done
	says "--findings: not available for json" 2 export --to json --findings run || return 1
	command -v protoc >/dev/null || return 0
	decode_findings
}
# From 1 s to 3 s.
decode_findings() {
	protoc -I "$abs_top_srcdir/tests/lib" --decode=perfetto.protos.Trace \
		perfetto.proto <found.pt >decoded || return 1
	grep -q 'timestamp: 1000000000$' decoded && grep -q 'timestamp: 3000000000$' decoded
}
ok "findings are exported to Perfetto" exports

# And as markers of OTF2, read by its own tool: from 1 s to 3 s.
marks() {
	status 0 export -q --to otf2 -o plain run && [ ! -e plain/traces.marker ] &&
		status 0 export -q --to otf2 --findings -o found run &&
		otf2-marker found/traces.otf2 >markers && cat markers || return 1
	for text in late-sender HIGH 1000000000 2000000000 "waiting ranks 0" \
		"causing ranks 1" "causes: rank 1 in read 2.000000000 s" "Send these messages earlier" "hdtrace plot --from="; do
		grep -q -- "$text" markers || { echo "$text"; return 1; }
	done
}
if ! command -v otf2-marker >/dev/null; then
	skip "findings are exported to OTF2" "no otf2-marker"
elif "$hdtrace" export -q --to otf2 -o built run 2>&1 | grep -q "built without"; then
	skip "findings are exported to OTF2" "built without OTF2"
else
	ok "findings are exported to OTF2" marks
fi
done_testing
