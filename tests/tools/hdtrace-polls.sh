#!/bin/sh
# States that stand for many calls count with the time inside of these calls: in
# sums, shares, comparisons, the critical path, plots, pages and exports. The
# project is made by hand; what is expected was found on paper.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
command -v python3 >/dev/null || skip_all "there is no python3"
cd "$scratch" || exit 99

# A rank of 10 s: 2 s in Test during 4 s, half a second of it the tracer's, 1 s in
# Iprobe and 0.5 s in Testall during 2 s; the tracer by itself for 1 s. All of the
# rest is computation, a part of it in a region.
cat >p.proj <<'END'
<Application name='p'><Description/><Topology>
<Level type='Host'><Level type='Rank'><Level type='Thread'/></Level></Level>
<Node name='a'><Node name='0'><Node name='0'/></Node></Node>
</Topology><CommunicatorList><Communicator name='WORLD'>
<Rank global='0' local='0' cid='0'/></Communicator></CommunicatorList>
<Datatypes/><ExternalStatistics/></Application>
END
cat >p_a_0_0.trc <<'END'
<Program timeAdjustment='0' levels='Host Rank Thread'>
<Barrier cid='0' time='0' end='1'/>
<Nested>
<Test flag='0' calls='1000' insideNs='2000000000' tracerNs='500000000' time='1' end='5'/>
</Nested>
<solve time='1' end='6'/>
<Polls IprobeCalls='300' IprobeInsideNs='1000000000' TestallCalls='100' TestallInsideNs='500000000' time='6' end='8'/>
<Tracer class='tracer' time='8' end='9'/>
<Barrier cid='0' time='9' end='10'/>
</Program>
END

# The power of the host is 10 W in the first 3 s and 30 W afterwards.
{
	stat_header a Power 'name="P" type="FLOAT" unit="W" grouping="" kind="gauge"'
	stamp 0
	stamp 3
	hex 41200000
	stamp 10
	hex 41f00000
} >p_a_Power.stat

# Own time of states and what they cost, without those in them.
report() {
	status 0 report --format=json --all p || return 1
	python3 - out <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
found = {s["name"]: (s["count"], s["own_s"], s["energy_j"])
         for s in report["states"]}
expected = {
    "Barrier": (2, 2, 40), "solve": (1, 3, 70), "Test": (1000, 1.5, 30),
    "Iprobe": (300, 1, 30), "Testall": (100, 0.5, 15),
    "Tracer": (1001, 1.5, 40),
}
assert found.keys() == expected.keys(), found
for name, numbers in expected.items():
    for a, b in zip(found[name], numbers):
        assert abs(a - b) < 1e-6, (name, found[name])
path = report["critical_path"]
states = {s["name"]: s["time_s"] for s in path["by_state"]}
for name, numbers in expected.items():
    assert abs(states[name] - numbers[1]) < 1e-6, (name, states)
assert abs(states["(no state)"] - 0.5) < 1e-6, states
assert abs(path["mpi_s"] - 5) < 1e-6, path
assert abs(path["tracer_s"] - 1.5) < 1e-6, path
assert abs(path["computation_s"] - 3.5) < 1e-6, path
END
}

# What the rank spent its time and energy on, in all.
ranks() {
	python3 - out <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
rank, = report["ranks"]
expected = {"computation": (3.5, 35, 85), "mpi": (5, 50, 115),
            "io": (0, 0, 0), "tracer": (1.5, 15, 40)}
assert rank["node"] == "a_0" and rank["total_s"] == 10, rank
over = {k["kind"]: k for k in report["over_ranks"]}
for kind, (seconds, percent, joules) in expected.items():
    assert abs(rank[f"{kind}_s"] - seconds) < 1e-6, (kind, rank)
    assert abs(rank[f"{kind}_percent"] - percent) < 1e-6, (kind, rank)
    assert abs(rank[f"{kind}_j"] - joules) < 1e-6, (kind, rank)
    for which in ("minimum", "mean", "maximum"):
        assert abs(over[kind][f"{which}_s"] - seconds) < 1e-6, over
        assert abs(over[kind][f"{which}_j"] - joules) < 1e-6, over
END
}

# Lines "TABLE STATE AMOUNT" of the one row.
shares() {
	status 0 stat --shares --format=csv p || return 1
	awk -F, '$4 == "a_0_0" { print $1, $6, $9 }' out | sort >found
	cat found
	sort <<'END' | diff - found
time  5
time Barrier 20
time Iprobe 10
time Test 15
time Testall 5
time Tracer 15
time solve 30
energy  15
energy Barrier 40
energy Iprobe 30
energy Test 30
energy Testall 15
energy Tracer 40
energy solve 70
END
}

# A part of a state: of Test the last three quarters.
window() {
	status 0 stat --shares --format=csv --from=2 --to=5 p || return 1
	grep ',a_0_0,,Test,,,37.5,%,1.125000000,' out &&
		grep '^energy,.*,a_0_0,,Test,,,26.25,J,' out
}

regions() {
	status 0 stat --regions='*' --format=csv --value=P p || return 1
	awk -F, '$6 == "" && NR > 1 { print $4, $7, $8, $10 }' out
	grep ',Testall,,100,0.500000000,' out && grep ',Test,,1000,1.500000000,' out
}

# Each is as long as its own time, and follows the one before.
exported() {
	rm -rf wide
	status 0 export -q --to=csv-wide --only=traces -o wide p || return 1
	awk -F, '$1 == "state" { print $2, $4 + 0, $5 + 0, $6 }' wide/*.csv >found
	cat found
	diff - found <<'END'
Barrier 0 1 cid=0
solve 1 6 
Test 1 2.5 flag=0 calls=1000 insideNs=2000000000 tracerNs=500000000
Tracer 2.5 3 class=tracer
Iprobe 6 7 calls=300
Testall 7 7.5 calls=100
Tracer 8 9 class=tracer
Barrier 9 10 cid=0
END
}

ok "report and critical path use the time inside of calls" report
ok "report divides the time and energy of ranks by kind" ranks
ok "shares add up to the run" shares
ok "a part of a state counts in proportion" window
ok "stat --regions uses the time inside of calls" regions
ok "exports use the time inside of calls" exported
ok "check finds no problem" status 0 check p
done_testing
