#!/bin/sh
# hdtrace check: every rule of the format, each broken once.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: slow
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
cd "$scratch" || exit 99

# The project "mini" again, in a new directory.
fresh() {
	cd "$scratch" && rm -rf work && mkdir work && cd work || exit 99
	make_mini
}

# Change a file of the project with sed: FILE SCRIPT.
edit() {
	sed "$2" "$1" >"$scratch/edited" && mv "$scratch/edited" "$1"
}

# A trace with this content breaks these rules: "RULE.." STATUS, content on
# stdin.
trace_breaks() {
	fresh
	{
		printf "<Program timeAdjustment='1000000000'>\n"
		cat
		printf '</Program>\n'
	} >mini_alpha_0.trc
	breaks "$1" "$2" check mini
}

# One of the messages names a rule: RULE STATUS ARGUMENT...
names() {
	rule=$1
	shift
	status "$@" && cat "$scratch/out" && grep -qF "[$rule]" "$scratch/out"
}

# The documentation lists all rules and their severities.
# shellcheck disable=SC2016 # not the shell's backquotes
documented() {
	"$hdtrace" check --rules --format=csv | sed 1d | cut -d, -f 1,2 |
		sort >"$scratch/rules"
	{
		sed -n 's/^| `\([a-z]*\.[a-z-]*\)` | \([a-z]*\) .*/\1,\2/p' \
			"$abs_top_srcdir/doc/format/format.md"
		sed -n 's/^| \([a-z]*\) | `\([a-z]*\.[a-z-]*\)` .*/\2,\1/p' \
			"$abs_top_srcdir/doc/format/format.md"
	} | sort >"$scratch/listed"
	[ -s "$scratch/rules" ] && diff "$scratch/listed" "$scratch/rules"
}

quiet() {
	status "$@" && [ ! -s "$scratch/out" ] && [ ! -s "$scratch/err" ]
}

fresh
ok "a correct project passes" prints check.text 0 check mini
ok "a correct project passes with --format=csv" prints check.csv 0 check --format=csv mini
ok "a correct project passes with --format=json" prints check.json 0 check --format=json mini
for format in text csv json; do
	ok "--rules lists the rules as $format" prints check-rules.$format 0 check --rules \
		--format=$format
done
ok "rules are documented" documented
ok "--rules cannot be combined with a project" says "--rules: cannot be combined with a project" 2 check --rules mini
ok "a missing argument is reported" says "missing argument: PROJECT" 2 check
ok "a missing project is reported" says "No such file" 2 check nothing
edit mini.proj 's/<Net/<Disk/'
head -c 380 mini_alpha_Energy.stat >short && mv short mini_alpha_Energy.stat
for format in text csv json; do
	ok "problems are listed as $format" prints check-bad.$format 1 check \
		--format=$format mini
done
ok "-q prints nothing" quiet 1 check -q mini

# Scripts for sed that break the .proj: RULES|STATUS|SCRIPT.
while IFS='|' read -r rules code script; do
	fresh
	edit mini.proj "$script"
	ok "$rules: $script" breaks "$rules" "$code" check mini
done <<'END'
proj.undeclared proj.xml|1|s/<.Topology>//
proj.root proj.undeclared|1|s/Application/Project/
proj.depth|1|s/<Level type="Rank" .>//
proj.node-empty proj.topology proj.undeclared|1|s/name="beta"/name="alpha"/
proj.group-missing|1|s/<Net .>/<Net \/><Disk \/>/
proj.undeclared|0|s/<Net .>//
proj.comm-rank|1|s/global="1"/global="5"/
proj.comm-id proj.comm-twice|1|s/global="1"/global="0"/
proj.comm-local|1|s/local="1"/local="7"/
proj.comm-id|1|s/<CommunicatorList>/&<Communicator name="X"><Rank global="0" local="0" cid="0"\/><\/Communicator>/
proj.communicator|1|s/global="1"/global="one"/
proj.communicator|1|s/global="1"/& group="2"/
proj.communicator|1|s/<Communicator name="WORLD"/& size="1"/
proj.comm-local|1|s/local="1"/& group="1"/
proj.comm-uid|1|s/<CommunicatorList>/&<Communicator uid="7" name="X" \/><Communicator uid="7" name="X" \/>/
proj.datatype-rank|1|s/<Rank name="0" /<Rank name="7" /
proj.datatype-twice|1|s/<NAMED id="0" name="MPI_CHAR" .>/&&/
proj.datatype-base|1|s/<Type id="0"/<Type id="5"/
proj.datatype-base|1|s/<STRUCT id="1" name="" count="1">/<VECTOR id="3" oldType="77" \/>&/
proj.datatype proj.datatype-base|1|s/<NAMED id="0"/<NAMED id="zero"/
proj.file-size|1|s/<InitialSize>12/<InitialSize>much/
END

fresh
edit mini.proj "s,<Net .>,&<Net />,"
ok "proj.group-twice: a duplicate group" names proj.group-twice 1 check mini

# Files that should be there.
fresh
rm mini_beta_1.trc mini_beta_1.info
ok "proj.node-empty: a rank" breaks proj.node-empty 1 check mini
ok "proj.node-empty names the node" grep -q 'node "beta_1": no file' "$scratch/out"
fresh
edit mini.proj 's,<Node name="0" .>,&<Node name="2"/>,'
ok "proj.node-empty: a sibling" breaks proj.node-empty 1 check mini
fresh
edit mini.proj 's,<Level type="Rank" .>,<Level type="Rank"><Level type="Thread"/></Level>,
	s,<Node name="0" .>,<Node name="0"><Node name="0"/></Node>,'
ok "a level without files is not reported" breaks "" 0 check mini
fresh
edit mini.proj 's,<Node name="beta">,<Node name="gamma"/>&,'
ok "a host without files among ranks is not reported" breaks "" 0 check mini
fresh
rm mini_beta_1.trc
ok "proj.comm-trace: a rank" breaks proj.comm-trace 1 check mini
ok "proj.comm-trace names the rank" grep -q '("WORLD"): rank 1 has no trace' \
	"$scratch/out"
fresh
rm mini_*.trc
ok "proj.comm-trace: all ranks" breaks proj.comm-trace 1 check mini
ok "proj.comm-trace reports each rank once" grep -q '2 warnings' "$scratch/out"
fresh
edit mini.proj 's,<Level type="Rank" .>,<Level type="Rank"><Level type="Thread"/></Level>,
	s,<Node name="\([01]\)" .>,<Node name="\1"><Node name="0"/></Node>,'
for type in trc info; do
	mv mini_alpha_0.$type mini_alpha_0_0.$type
	mv mini_beta_1.$type mini_beta_1_0.$type
done
ok "the trace of a thread is sufficient for its rank" breaks "" 0 check mini
fresh
rm mini_beta_1.trc
ok "a single file has no missing files" breaks "" 0 check mini_alpha_0.trc

# Statistics.
fresh
edit mini_alpha_Energy.stat 's/name="E"/name="P"/'
ok "stat.value-twice: two values of one name" breaks stat.value-twice 1 check mini
fresh
{ energy_header alpha; stamp 1000000000; } >mini_alpha_Energy.stat
ok "stat.empty: a file without entries" breaks stat.empty 0 check mini
fresh
energy_header alpha >mini_alpha_Energy.stat
ok "stat.no-start: a missing start time" breaks stat.no-start 1 check mini
fresh
{ energy_stat alpha; stamp 1000000004; hex 42c80000 4059000000000000; } >mini_alpha_Energy.stat
ok "stat.time-decreases: a time before the preceding time" breaks stat.time-decreases 1 check mini
fresh
{ energy_stat alpha; stamp 1000000006 1000000000
	hex 42c80000 4059000000000000; } >mini_alpha_Energy.stat
ok "stat.time-invalid: an invalid time" breaks stat.time-invalid 1 check mini
fresh
{ energy_stat alpha; echo; } >mini_alpha_Energy.stat
ok "stat.cut-tail: an incomplete entry at the end" breaks stat.cut-tail 1 check mini
fresh
energy_stat gamma >mini_alpha_Energy.stat
ok "stat.name: a header that does not match the file name" breaks stat.name 1 check mini
fresh
stat_adjustment=0000086400.000000000
energy_stat alpha >mini_alpha_Energy.stat
stat_adjustment=-0000000000.000000000
ok "proj.span: files of different times" breaks proj.span 1 check mini

# Traces.
ok "trc.empty: a trace without records" trace_breaks trc.empty 0 </dev/null
ok "trc.overlap: two overlapping states" trace_breaks trc.overlap 1 <<'END'
<A time='1' end='3'/>
<B time='2' end='4'/>
END
ok "trc.overlap: an event" trace_breaks trc.overlap 1 <<'END'
<A time='1' end='3'/>
<Event name='e' time='2'/>
END
ok "trc.outside: too early" trace_breaks trc.outside 1 <<'END'
<Nested>
<A time='0' end='3'/>
</Nested>
<B time='2' end='4'/>
END
ok "trc.outside: too late" trace_breaks trc.outside 1 <<'END'
<Nested>
<A time='3' end='4.000000001'/>
<Event name='e' time='4.000000001'/>
</Nested>
<B time='2' end='4'/>
END
ok "nested states inside their owner pass" trace_breaks "" 0 <<'END'
<Nested>
<Nested>
<A time='1' end='2'/>
</Nested>
<B time='1' end='2'/>
<Nested>
<A time='2' end='3'/>
<A time='3' end='4'/>
</Nested>
<B time='2' end='4'/>
</Nested>
<C time='1' end='4'/>
<B time='4' end='4'/>
END
ok "a nested block without owner has one problem" \
	trace_breaks trc.nested-no-owner 1 <<'END'
<A time='0' end='1'/>
<Nested>
<A time='1' end='4'/>
</Nested>
END
ok "trc.comm: an unknown communicator" trace_breaks trc.comm 1 <<'END'
<A cid='0' time='1' end='3'/>
<A cid='9' time='3' end='4'/>
END
ok "trc.datatype: an unknown datatype" trace_breaks trc.datatype 1 <<'END'
<A tid='0' sendTid='1' time='1' end='3'/>
<A recvTid='9' time='3' end='4'/>
END
ok "trc.site: an empty build ID" trace_breaks trc.site 1 <<'END'
<A site='0' time='1' end='2'><Object id='0' buildId='' load='0x0' path='/x'/><Site id='0' object='0' address='0x10'/></A>
<A site='0' time='2' end='3'/>
<A site='9' time='3' end='4'/>
END
ok "trc.site: an unknown object" trace_breaks trc.site 1 <<'END'
<A site='0' time='1' end='2'><Site id='0' object='0' address='0x10'/></A>
END
ok "trc.site: a too long path" trace_breaks trc.site 1 <<END
<A site='0' time='1' end='2'><Object id='0' path='/$(printf '%05000d' 0)'/><Site id='0' object='0' address='0x10'/></A>
END

# Programs may have said something else by that name.
other_sites() {
	fresh
	cat >mini_alpha_0.trc <<'END'
<Program timeAdjustment='1000000000'>
<A site='lab' time='1' end='2'/>
<A site='7' time='2' end='3'/>
</Program>
END
	"$hdtrace" check mini >"$scratch/others" 2>&1
	! grep 'call site' "$scratch/others"
}
ok "trc.site: other invalid call sites" other_sites
ok "trc.time-order: an end before the start" trace_breaks "trc.time-order" 1 <<'END'
<A time='3' end='2'/>
END
ok "trc.time: a missing start" trace_breaks "trc.time" 1 <<'END'
<A end='2'/>
<A time='1' end='2'/>
END

# Messages. Traces of two ranks, the first with the lines on stdin up to "--";
# then as trace_breaks. ClockList is in $clocks.
messages_break() {
	fresh
	edit mini.proj "s,<CommunicatorList>,${clocks-}&,"
	awk -v rank=mini_alpha_0.trc '
		function start() {
			print "<Program timeAdjustment=\0471000000000\047>" >rank
		}
		BEGIN { start() }
		/^--$/ { print "</Program>" >rank; rank = "mini_beta_1.trc"
			start(); next }
		{ print >rank }
		END { print "</Program>" >rank }'
	breaks "$1" "$2" check mini
}
early() {
	messages_break "$@" <<'END'
<Send toRank='1' toTag='3' cid='0' time='1' end='1.1'/>
<Send toRank='1' toTag='3' cid='0' time='2' end='2.1'/>
--
<Recv fromRank='0' fromTag='3' cid='0' time='0' end='0.99'/>
<Recv fromRank='0' fromTag='3' cid='0' time='1' end='2.5'/>
END
}
clock_list() {
	echo "<ClockList><Clock node='alpha' error='$1'/>\\
<Clock node='beta' error='$2'/></ClockList>"
}
ok "an early message with unknown clocks is a note" early proj.clocks 0
clocks=$(clock_list 0 0.01)
ok "a message that is early by less than the error passes" early "" 0
clocks=$(clock_list 0.005 0.005)
ok "a message that is early by the sum of errors passes" early "" 0
clocks=$(clock_list 0.004 0.005)
ok "trc.message: early by more than the errors" early trc.message 1
ok "trc.message names the message" grep -q 'rank 0 to rank 1: 1 received.* the one at 1000000000.990000000 by 10.000 ms; .* 9.000 ms' "$scratch/out"
clocks="<ClockList><Clock node='beta' error='0'/></ClockList>"
ok "an early message with one unknown clock is a note" early proj.clocks 0
clocks="<ClockList><Clock node='gamma' error='0'/></ClockList>"
ok "proj.clock-node: a clock of an unknown node" messages_break proj.clock-node 1 <<'END'
<A time='1' end='2'/>
--
<A time='1' end='2'/>
END
clocks=$(clock_list 0 0)
ok "all kinds of messages pass" messages_break "" 0 <<'END'
<Isend toRank='1' toTag='1' cid='0' time='1' end='1.1'/>
<Issend toRank='1' toTag='2' cid='0' time='1.2' end='1.3'/>
<Send_init toRank='1' toTag='1' cid='0' rid='7' time='1.3' end='1.35'/>
<Ssend_init toRank='1' toTag='1' cid='0' rid='8' time='1.35' end='1.4'/>
<Recv_init fromRank='1' fromTag='1' cid='0' rid='9' time='1.4' end='1.4'/>
<Startall count='3' time='1.4' end='1.5'><Request rid='7'/><Request rid='9'/><Request rid='8'/></Startall>
<Irecv fromRank='-1' fromTag='-1' cid='0' time='1.6' end='1.7'/>
<Wait time='2' end='3'><Send toRank='1' toTag='2' cid='0'/></Wait>
<Wait fromRank='1' fromTag='5' cid='0' time='3' end='4'/>
<Send toRank='-2' toTag='1' cid='0' time='4' end='5'/>
--
<Probe fromRank='0' fromTag='1' cid='0' time='0' end='0.5'/>
<Waitall count='3' time='0.5' end='1.35'><Recv fromRank='0' fromTag='1' cid='0'/><Recv fromRank='0' fromTag='2' cid='0'/></Waitall>
<Waitsome count='3' cid='0' time='1.35' end='1.45'><Recv fromRank='0' fromTag='1'/></Waitsome>
<Recv fromRank='0' fromTag='1' cid='0' time='1.45' end='2'/>
<Nested>
<Sendrecv toRank='0' toTag='5' fromRank='-2' fromTag='-1' cid='0' time='2' end='3'/>
</Nested>
<Bcast time='2' end='3'/>
END
ok "trc.message: a message of Start" messages_break trc.message 1 <<'END'
<Send_init toRank='1' toTag='1' cid='0' rid='3' time='0.1' end='0.2'/>
<Start rid='3' time='1' end='1.1'/>
--
<Wait rid='0' fromRank='0' fromTag='1' cid='0' time='0.5' end='0.9'/>
END
for late in Isend Issend Startall; do
	ok "trc.message: $late" messages_break trc.message 1 <<END
<$late toRank='1' toTag='1' cid='0' time='1' end='1.1'/>
--
<Testany time='0.5' end='0.9'><Recv fromRank='0' fromTag='1' cid='0'/></Testany>
END
done
ok "threads may receive in any order" messages_break "" 0 <<'END'
<Send toRank='1' toTag='1' cid='0' time='1' end='1.1'/>
<Send toRank='1' toTag='1' cid='0' time='2' end='2.1'/>
--
<Recv fromRank='0' fromTag='1' cid='0' time='1' end='3'/>
<Nested>
<Recv fromRank='0' fromTag='1' cid='0' time='3.1' end='3.2'/>
</Nested>
<Wait time='3' end='4'/>
END
ok "incomplete files are not checked further" messages_break "" 0 <<'END'
<Send toRank='1' toTag='1' cid='0' time='1' end='1.1'/>
<Send toRank='1' toTag='1' cid='0' time='2' end='2.1'/>
<Recv fromRank='0' fromTag='1' cid='0' time='2.2' end='2.5'/>
--
<Recv fromRank='0' fromTag='1' cid='0' time='0.1' end='0.2'/>
<Recv fromRank='7' fromTag='1' cid='0' time='0.2' end='0.3'/>
<Recv fromRank='x' fromTag='1' cid='0' time='0.3' end='0.4'/>
END

ok "trc.message: before recording was interrupted" \
	messages_break "trc.message trc.part" 1 <<'END'
<Send toRank='1' toTag='1' cid='0' time='1' end='1.1'/>
<Send toRank='1' toTag='1' cid='0' part='3' time='2' end='2.1'/>
--
<Recv fromRank='0' fromTag='1' cid='0' time='0.1' end='0.2'/>
END
ok "the rest of a damaged file is not checked" messages_break trc.part 0 <<'END'
<Send toRank='1' toTag='1' cid='0' time='1' end='1.1'/>
<Bcast cid='0' part='3' time='1.5' end='1.6'/>
<Send toRank='1' toTag='1' cid='0' time='2' end='2.1'/>
<Bcast cid='0' part='5' time='2.5' end='2.6'/>
--
<Recv fromRank='0' fromTag='1' cid='0' time='1.1' end='1.2'/>
<Recv fromRank='0' fromTag='1' cid='0' part='3' time='1.4' end='1.5'/>
END
ok "the note counts the interruptions" grep -q 'mini_alpha_0.trc: note: recording was .* before 2 of' \
	"$scratch/out"

# Lines for the merger; hdtrace-merge.sh has them all.
fresh
echo 'Thing' >>mini_alpha_0.info
ok "info.kind: an unknown kind of line" breaks info.kind 1 check mini
fresh
rank_info 0 >mini_beta_1.info
ok "info.comm-rank: a communicator without its rank" breaks info.comm-rank 1 check mini
fresh
rank_info 0 >>mini_alpha_0.info
ok "info.id-twice: a duplicate ID" breaks info.id-twice 1 check mini
fresh
echo 'Clock time=1 offset=0 error=0 method=m' >mini.info
ok "info.clock: an invalid clock comparison" breaks info.clock 1 check mini
fresh
rank_info 0 >mini_alpha.info
ok "info.rank: an invalid rank" breaks info.rank 1 check mini

if [ -d "$corpus" ]; then
	while read -r code project rules; do
		ok "$project" breaks "$rules" "$code" check "$corpus/$project"
	done <<'END'
1 handwritten proj.group-missing
0 load-generator
0 non-collective-4-500 proj.clocks
0 non-collective-8-100 proj.clocks
0 partdiff-mpi proj.clocks
0 partdiff-mpi-io-synced proj.clocks proj.undeclared
1 pvfs2-server-nan proj.group-missing
0 stresstest proj.clocks
END
else
	skip "historic projects" "no corpus"
fi

# ---- Clocks that were set, in files that do not say it -------------------------

# A project of an earlier version: NAME STEP [LATE] STATUS-LINE-OR-NOTHING
old_steps() {
	fresh
	python3 "$abs_top_srcdir/tests/tools/readers/oldsteps.py" "$@" &&
		exits 0 "$hdtrace" check "$1" && cat out
}
found_ahead() {
	old_steps ahead 3600 && grep -q \
		'ahead_node_First.stat: note: the system clock was probably set by +3600.*Second' out
}
found_back() {
	old_steps back -2 && grep -q 'First.stat: note: .*probably set by -2.0' out
}
nothing_found() {
	old_steps even 0 && ! grep clock.stepped out &&
		old_steps longer 0 5 && ! grep clock.stepped out
}
if command -v python3 >/dev/null; then
	ok "old file, clock set forwards: other groups tell" found_ahead
	ok "old file, clock set backwards: other groups tell" found_back
	ok "old files of different lengths have no steps" nothing_found
else
	skip "clock steps in old files" "no python3"
fi
damaged_head() {
	(mkdir -p head && cd head && make_mini && echo '<Program timeAdjustment=1></Program>' >mini_beta_1.trc)
	status 1 check head/mini
	[ "$(cat "$scratch/out" "$scratch/err" | grep -c AttValue)" -eq 1 ]
}
ok "a damaged first element is reported once" damaged_head
done_testing
