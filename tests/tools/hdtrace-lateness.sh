#!/bin/sh
# Causes of waits: tables worked by hand, and random traces that a second analyser reads,
# too. HDTRACE_TEST_LONG=1 makes 500 of these.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
seed=${HDTRACE_TEST_SEED:-$(date +%s)}
cd "$scratch" || exit 99

for python in python3 /usr/bin/python3; do
	"$python" -c "import otf2" 2>/dev/null && break
	python=
done
mkdir made
count=12
[ -z "${HDTRACE_TEST_LONG-}" ] || count=500
made_by_chance() {
	(cd made && PYTHONDONTWRITEBYTECODE=1 "$python" \
		"$abs_top_srcdir/tests/tools/readers/lateness.py" \
		"$hdtrace" "$count" "$seed")
}
if [ -z "$python" ]; then
	skip "causes of waits in random traces" "no python3-otf2"
elif "$hdtrace" export --to otf2 made 2>&1 | grep -q "built without"; then
	skip "causes of waits in random traces" "built without OTF2"
else
	ok "causes of waits agree with a second analyser" made_by_chance
fi

# Three ranks; the lines of each, in tenths of seconds: NAME FROM TO ATTRIBUTES. A line
# whose name begins with + is nested in the next one.
make_run() {
	rm -f run_*
	cat >run.proj <<-'END'
	<?xml version="1.0" encoding="UTF-8"?>
	<Application name="run"><Description/><Topology>
	<Level type="Host"><Level type="Rank"/></Level>
	<Node name="h"><Node name="0"/><Node name="1"/><Node name="2"/></Node>
	</Topology><CommunicatorList><Communicator name="WORLD">
	<Rank global="0" local="0" cid="0"/><Rank global="1" local="1" cid="0"/>
	<Rank global="2" local="2" cid="0"/></Communicator><Communicator name="PAIR">
	<Rank global="0" local="0" cid="1"/><Rank global="2" local="1" cid="1"/>
	</Communicator></CommunicatorList>
	<Datatypes/><ExternalStatistics/></Application>
	END
	for rank in 0 1 2; do
		{
			echo "<Program timeAdjustment='0' levels='Host Rank'>"
			printf '%s\n' "$1" | tr ';' '\n' | while
				read -r name from to attributes
			do
				line="<${name#+} time='$((from / 10)).$((from % 10))'"
				line="$line end='$((to / 10)).$((to % 10))' size='8'"
				case $attributes in
				*cid=*) line="$line $attributes/>" ;;
				*) line="$line cid='0' $attributes/>" ;;
				esac
				case $name in
				+*) echo "<Nested>$line</Nested>" ;;
				*) echo "$line" ;;
				esac
			done
			echo "</Program>"
		} >"run_h_$rank.trc"
		shift
	done
}
# What is found: KIND TIME INDIRECT RANK:STATE:TIME..., in seconds; all other causes, if
# there are any, are other:TIME. Findings without causes are left out.
causes() {
	status 0 report --format=json ${part:+"$part"} run || return 1
	"${python:-python3}" - "$@" <<-'END'
	import json, sys
	findings = json.load(open("out"))["findings"]
	found = [" ".join([f["kind"], f"{f['time_s']:g}", f"{f['indirect_s']:g}"] +
	                  [f"{c['rank']}:{c['region'] or '-'}:{c['time_s']:g}"
	                   for c in f["causes"]] +
	                  [f"other:{f['other_s']:g}"] * (f["other_s"] > 0))
	         for f in findings if f["causes"] or f["indirect_s"]]
	for f in findings:
	    parts = sum(c["time_s"] for c in f["causes"]) + f["indirect_s"] + f["other_s"]
	    assert not parts or abs(parts - f["time_s"]) < 1e-8, f
	print(found)
	assert found == sys.argv[1:], sys.argv[1:]
	END
}
part=

make_run "Barrier 5 10;solve 10 20;Barrier 20 60" \
	"Barrier 5 10;solve 10 40;read 40 60;Barrier 60 60" "Barrier 5 10;Barrier 60 60"
ok "barrier: more time than the waiting rank, in each state" \
	causes "wait-at-barrier 4 0 1:read:2 1:solve:2"
told() {
	status 0 report run && grep -q \
		"; causes: rank 1 in read 2.000 s, rank 1 in solve 2.000 s$" out
}
ok "the text names the causes" told
part="--from=@4"
ok "a part of the time has a part of the causes" \
	causes "wait-at-barrier 2 0 1:read:1 1:solve:1"
part=
make_run "Barrier 5 10;solve 10 20;copy 20 30;Barrier 30 60" \
	"Barrier 5 10;solve 10 40;read 40 60;Barrier 60 60" "Barrier 5 10;Barrier 60 60"
ok "excess above the wait is scaled to it" \
	causes "wait-at-barrier 3 0 1:read:1.5 1:solve:1.5"
make_run "Barrier 5 10;solve 10 20;Barrier 20 40" \
	"Barrier 5 20;solve 20 40;Barrier 40 40" "Barrier 5 10;Barrier 40 40"
ok "the last barrier was left late: that part is indirect" \
	causes "wait-at-barrier 2 1 1:solve:1"
make_run "Barrier 5 10;Barrier 10 60" \
	"Barrier 5 10;+inner 20 50;outer 10 60;Barrier 60 60" "Barrier 5 10;Barrier 60 60"
ok "time of a state without the states in it" \
	causes "wait-at-barrier 5 0 1:inner:3 1:outer:2"
make_run "Barrier 5 10;solve 10 20;Barrier 20 60" \
	"Barrier 5 10;solve 10 40;Barrier 60 60" "Barrier 5 10;Barrier 60 60"
ok "a call without length ends the trace: time before it counts" \
	causes "wait-at-barrier 4 0 1:-:2 1:solve:2"
# Of 20 s, 5 states have 0.1 s each: below 1 %.
make_run "Barrier 5 10;Barrier 10 210" "Barrier 5 10;a 10 11;b 11 12;c 12 13;d 13 14;e 14 15;\
solve 15 210;Barrier 210 210" "Barrier 5 10;Barrier 210 210"
ok "causes below 1 % are added up" causes "wait-at-barrier 20 0 1:solve:19.5 other:0.5"
told_others() {
	status 0 report run && grep -q \
		"; causes: rank 1 in solve 19.500 s, other 500.000 ms$" out
}
ok "the text has the sum of other causes" told_others
make_run "Barrier 5 10;Barrier 12 15 cid='1';Barrier 15 60" \
	"read 2 5;Barrier 5 10;solve 10 60;Barrier 60 60" \
	"Barrier 5 10;Barrier 12 15 cid='1';Barrier 60 60"
# Since the first barrier: 5 s of solving, for 4.5 s of waiting.
ok "a call without the other rank is no synchronisation" \
	causes "wait-at-barrier 4.5 0 1:solve:4.5"
# Rank 0 meets one thread of rank 1 until 2 s, and the other one until 4 s. It waits from 5 s
# to 10 s for the first one. This one was not in the last call, and calls before that do not
# count: so it is 8 s late, and 1 s early, since the start.
rm -f run_* run.proj
"${python:-python3}" "$abs_top_srcdir/tests/tools/readers/states.py" <<-'END'
ranks.append([("solve", 0, 10, ""), ("Barrier", 10, 20, ""), ("copy", 20, 30, ""),
              ("Barrier", 30, 40, ""), ("Recv", 50, 110, "fromRank='1' fromTag='1'")])
ranks.append([[("early", 0, 10, ""), ("Barrier", 10, 20, ""), ("late", 20, 100, ""),
               ("Send", 100, 110, "toRank='0' toTag='1'")], [("Barrier", 30, 40, "")]])
END
ok "calls before one without the other thread do not count" \
	causes "late-sender 5 0 1:late:4.44444 1:early:0.555556"
# Rank 0 waits from 1 s to 4 s for the last one that writes, and in this call from 1.5 s to
# 2 s for a message. Rank 1 leaves the message of 0.9 s at 3 s: after that it copies for 1 s,
# and before it solves.
make_run "File_open 1 2 fid='3';Recv 4 6 fromRank='1' fromTag='1';Send 8 9 toRank='1' \
toTag='2';+Recv 15 21 fromRank='1' fromTag='5';File_write_all 10 41 fid='3'" \
	"File_open 1 2 fid='3';Send 3 4 toRank='0' toTag='1';solve 4 20;Send 20 21 toRank='0' \
toTag='5';Recv 29 30 fromRank='0' fromTag='2';copy 30 40;File_write_all 40 41 fid='3'" \
	"File_open 1 2 fid='3';File_write_all 40 41 fid='3'"
# 1 s of copying, and 2.1 s of leaving the message later, times 3 / 3.1.
ok "a wait in another one that ends later" \
	causes "io-wait 3 2.03226 1:copy:0.967742" "late-sender 0.5 0 1:solve:0.5"
make_run "Recv 10 41 fromRank='1' fromTag='5'" "Send 40 40 toRank='0' toTag='5'" "End 10 40"
ok "a trace of one call without length starts late" causes "late-sender 3 3"
make_run "Recv 10 12 fromRank='1' fromTag='5';Recv 12 41 fromRank='1' fromTag='5'" \
	"read 2 10;Send 10 11 toRank='0' toTag='5';Send 40 41 toRank='0' toTag='5'" \
	"End 10 40"
ok "late sender: since the last message, outside of states" \
	causes "late-sender 2.8 0 1:-:2.8"
make_run "Ssend 10 41 toRank='1' toTag='5'" \
	"solve 5 40;Recv 40 41 fromRank='0' fromTag='5'" "End 10 40"
ok "late receiver: from the start without a synchronisation" \
	causes "late-receiver 3 0 1:solve:3"
make_run "Barrier 2 5;Send 10 11 toRank='1' toTag='1';Recv 11 40 fromRank='1' fromTag='5'" \
	"Barrier 2 5;read 5 10;solve 10 39;Send 39 40 toRank='0' toTag='5';Recv 40 41 \
	fromRank='0' fromTag='1'" "Barrier 2 5;End 10 40"
# 0.5 s of reading and 2.9 s of solving, times 2.8 / 3.4.
ok "a message that is received later is no synchronisation" \
	causes "late-sender 2.8 0 1:solve:2.38824 1:read:0.411765"
make_run "Barrier 5 10;Recv 10 37 fromRank='1' fromTag='5'" \
	"Barrier 5 10;Recv 10 31 fromRank='2' fromTag='5';solve 31 36;Send 36 37 toRank='0' \
	toTag='5'" "Barrier 5 10;solve 10 30;Send 30 31 toRank='1' toTag='5';End 36 37"
# Rank 1 comes 2.6 s later than rank 0, of which it waits 2 s for rank 2.
ok "waits of the causing rank are indirect" \
	causes "late-sender 4.6 2 2:solve:2 1:solve:0.5 1:Recv:0.1"
told_indirect() {
	status 0 report run && grep -q \
		"; causes: rank 2 in solve 2.000 s, rank 1 in solve 500.000 ms, rank 1 in \
Recv 100.000 ms, indirect 2.000 s$" out
}
ok "the text has the indirect part" told_indirect
make_run "Iallreduce 5 6 rid='1';Ibarrier 6 7 rid='2';Wait 9 10 rid='2';Wait 19 20 rid='1';\
Recv 25 29 fromRank='1' fromTag='5'" "read 2 5;Iallreduce 5 6 rid='1';Ibarrier 6 7 rid='2';\
Wait 8 9 rid='2';solve 9 28;Send 28 29 toRank='0' toTag='5';Wait 29 30 rid='1'" \
	"Iallreduce 5 6 rid='1';Ibarrier 6 7 rid='2';Wait 8 9 rid='2';Wait 9 10 rid='1'"
# Rank 1 leaves the first call too late; the second one is left before it by both.
ok "calls that are completed in another order" causes "late-sender 0.3 0 1:solve:0.3"
make_run "Bcast 5 10 rootRank='2';solve 10 20;Bcast 20 50 rootRank='2'" \
	"Bcast 5 10 rootRank='2';solve 10 30;Bcast 30 50 rootRank='2'" \
	"Bcast 5 10 rootRank='2';solve 10 50;Bcast 50 50 rootRank='2'"
ok "late broadcast: of the root" causes "late-broadcast 5 0 2:solve:5"
make_run "Reduce 5 10 root='0';solve 10 20;Reduce 20 50 root='0'" \
	"Reduce 5 6 root='0';read 6 40;Reduce 40 41 root='0'" \
	"Reduce 5 6 root='0';solve 6 50;Reduce 50 51 root='0'"
# From 0.6 s to 5 s are 4.4 s, less 1 s of the root.
ok "early reduce: of the last rank" causes "early-reduce 3 0 2:solve:3"
make_run "Scan 5 10;solve 10 40;Scan 40 41" "Scan 5 10;Scan 10 40" "Scan 5 10;Scan 40 41"
ok "early scan: of the ranks below" causes "early-scan 3 0 0:solve:3"
make_run "Allreduce 5 10;Allreduce 10 40" "Allreduce 5 10;read 10 12;solve 12 40;Allreduce \
	40 40" "Allreduce 5 10;read 10 40;Allreduce 40 40"
# Ranks 1 and 2 come at the same time: the lower one is the cause.
ok "all to all: of the lower one of two that come last" \
	causes "wait-at-nxn 3 0 1:solve:2.8 1:read:0.2"
make_run "Sendrecv 5 10 toRank='1' toTag='5' fromRank='1' fromTag='5';Barrier 10 40" \
	"Sendrecv 5 10 toRank='0' toTag='5' fromRank='0' fromTag='5';solve 10 30;Tracer 30 40;\
Barrier 40 40" "End 1 2;Barrier 40 40"
ok "the tracer is a cause like other states" \
	causes "wait-at-barrier 3 0 1:solve:2 1:Tracer:1"
# Barriers of 300 of 600 ranks, each second one; rank 598 comes 2 s after all others. What
# it reads before the first one is no cause.
make_large() {
	rm -f run_*
	"${python:-python3}" - <<-'END'
	def comm(name, cid, ranks):
	    return (f'<Communicator name="{name}">' + "".join(
	        f'<Rank global="{g}" local="{l}" cid="{cid}"/>'
	        for l, g in enumerate(ranks)) + "</Communicator>")

	nodes = "".join(f'<Node name="{rank}"/>' for rank in range(600))
	with open("run.proj", "w") as file:
	    file.write('<?xml version="1.0" encoding="UTF-8"?>\n'
	               '<Application name="run"><Description/><Topology><Level type="Host">'
	               f'<Level type="Rank"/></Level><Node name="h">{nodes}</Node></Topology>'
	               f'<CommunicatorList>{comm("WORLD", 0, range(600))}'
	               f'{comm("EVEN", 1, range(0, 600, 2))}</CommunicatorList><Datatypes/>'
	               '<ExternalStatistics/></Application>\n')
	for rank in range(600):
	    late = 4 if rank == 598 else 2
	    with open(f"run_h_{rank}.trc", "w") as file:
	        file.write("<Program timeAdjustment='0' levels='Host Rank'>\n")
	        if rank == 598:
	            file.write("<read time='0' end='0.5'/>\n")
	        if rank % 2 == 0:
	            file.write("<Barrier time='0.5' end='1' cid='1'/>\n"
	                       f"<solve time='1' end='{late}'/>\n"
	                       f"<Barrier time='{late}' end='4' cid='1'/>\n")
	        file.write("<End time='4' end='5'/>\n</Program>\n")
	END
}
make_large
ok "barriers of many ranks, but not of all" causes "wait-at-barrier 598 0 598:solve:598"
done_testing
