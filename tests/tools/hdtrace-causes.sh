#!/bin/sh
# Who waited for whom, and the critical path: of projects that were made so that
# both are known, and as a naive reader of the export in OTF2 finds them.
# HDTRACE_TEST_LONG=1 makes 1,000 of them.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
printer=${abs_top_builddir:?}/tests/tools/print-dependencies
seed=${HDTRACE_TEST_SEED:-$(date +%s)}
cd "$scratch" || exit 99

for python in python3 /usr/bin/python3; do
	"$python" -c "import otf2" 2>/dev/null && break
	python=
done
mkdir made
count=15
[ -z "${HDTRACE_TEST_LONG-}" ] || count=1000
made_by_chance() {
	(cd made && "$python" "$abs_top_srcdir/tests/tools/readers/causes.py" \
		"$hdtrace" "$printer" "$count" "$seed")
}
if [ -z "$python" ]; then
	skip "edges and paths of random projects" "no python3-otf2"
elif "$hdtrace" export --to otf2 made 2>&1 | grep -q "built without"; then
	skip "edges and paths of random projects" "built without OTF2"
else
	ok "edges and paths agree with the generator and a naive reader" \
		made_by_chance
fi

# Two ranks on two hosts whose clocks are known to 0.1 s each: [CLOCKS].
make_clocks() {
	cat >clocks.proj <<-END
	<?xml version="1.0" encoding="UTF-8"?>
	<Application name="clocks"><Description/><Topology>
	<Level type="Host"><Level type="Rank"/></Level>
	<Node name="a"><Node name="0"/></Node>
	<Node name="b"><Node name="1"/></Node></Topology>
	<CommunicatorList><Communicator name="WORLD">
	<Rank global="0" local="0" cid="0"/><Rank global="1" local="1" cid="0"/>
	</Communicator></CommunicatorList><Datatypes/>
	<ClockList>$1</ClockList><ExternalStatistics/></Application>
	END
	cat >clocks_a_0.trc <<-'END'
	<Program timeAdjustment='0' levels='Host Rank'>
	<Send size='8' toRank='1' toTag='1' cid='0' time='5' end='5.1'/>
	<Send size='8' toRank='1' toTag='2' cid='0' time='7' end='7.1'/>
	<Send size='8' toRank='1' toTag='3' cid='0' time='8' end='8.1'/>
	</Program>
	END
	cat >clocks_b_1.trc <<-'END'
	<Program timeAdjustment='0' levels='Host Rank'>
	<Recv fromRank='0' fromTag='1' size='8' cid='0' time='4' end='4.85'/>
	<Recv fromRank='0' fromTag='2' size='8' cid='0' time='6' end='6.7'/>
	<Recv fromRank='0' fromTag='4' size='8' cid='0' time='9' end='9.1'/>
	</Program>
	END
}

# What there is between them, messages only: LINE...
prints_edges() {
	"$printer" clocks.proj >edges || return 1
	cat edges
	grep "^message\|^#" edges >lines
	printf '%s\n' "$@" | diff - lines
}

make_clocks "<Clock node='a' method='m' error='0.1'/>
	<Clock node='b' method='m' error='0.1'/>"
ok "differences within the clock error are clamped, others are kept" \
	prints_edges \
	"message certain 0 4850000000 1 4000000000 4850000000" \
	"message impossible 0 7000000000 1 6000000000 6700000000" \
	"# loose 2 unsure 0 collectives 0 backwards 1 clamped 1"
ends_alone() {
	grep "^sent\|^received" edges >alone
	cat alone
	diff - alone <<-'END'
	sent certain 0 8000000000 0 8000000000 8000000000
	received certain 1 9100000000 1 9100000000 9100000000
	END
}
ok "unmatched ends are passed on" ends_alone
says_both() {
	status 0 report clocks || return 1
	grep -q "Unmatched message ends: 2" out &&
		grep -q "go back in time (up to 300.000 ms)" out
}
ok "report counts unmatched ends and backward dependencies" says_both
make_clocks ""
ok "all differences are clamped if clocks were not compared" prints_edges \
	"message certain 0 4850000000 1 4000000000 4850000000" \
	"message certain 0 6700000000 1 6000000000 6700000000" \
	"# loose 2 unsure 0 collectives 0 backwards 0 clamped 2"

# Ranks that do not agree on their calls: nothing is guessed.
cat >clocks_a_0.trc <<'END'
<Program timeAdjustment='0' levels='Host Rank'>
<Barrier cid='0' time='1' end='2'/>
<Allreduce cid='0' size='8' time='3' end='4'/>
<Barrier cid='0' time='5' end='6'/>
</Program>
END
cat >clocks_b_1.trc <<'END'
<Program timeAdjustment='0' levels='Host Rank'>
<Barrier cid='0' time='1.5' end='2'/>
<Bcast cid='0' rootRank='0' size='8' time='3' end='4'/>
</Program>
END
no_collectives() {
	"$printer" clocks.proj >edges || return 1
	cat edges
	[ "$(grep -c "^barrier" edges)" -eq 2 ] &&
		! grep -q "^collective" edges &&
		grep -q "^# .* collectives 3 " edges
}
ok "collective calls with missing ranks have no edges" no_collectives

# A project without ranks: the path is what ends last.
alone() {
	echo "<Program timeAdjustment='0' levels='Host'>
		<Work time='1' end='4.5'/></Program>" >alone_a.trc
	status 0 report --format=json alone_a.trc || return 1
	grep -q '"length_s": 3.500000000' out && grep -q '"rank": null' out &&
		grep -q '"energy_j": null' out
}
ok "a single trace has a path" alone
nothing() {
	echo "<Program timeAdjustment='0' levels='Host'></Program>" \
		>none_a.trc
	status 0 report --format=json none_a.trc &&
		grep -q '"critical_path": null' out
}
ok "a project without states has no path" nothing
done_testing
