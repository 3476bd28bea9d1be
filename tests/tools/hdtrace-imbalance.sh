#!/bin/sh
# Findings of imbalance between nodes and threads, and of nodes that swap, are throttled
# or draw power while ranks wait, worked by hand.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
command -v python3 >/dev/null || skip_all "no python3"
cd "$scratch" || exit 99

make_run() {
	rm -f run_* run.proj
	python3 "$abs_top_srcdir/tests/tools/readers/states.py"
}
# What is found, but for waits: KIND PART_OF COUNT TIME WAITING CAUSING NODES
finds() {
	# shellcheck disable=SC2086 # a list
	status 0 report --format=json $options run || return 1
	python3 - "$@" <<-'END'
	import json, sys
	found = [" ".join([f["kind"], f["part_of"] or "-", str(f["count"]),
	                   f"{f['time_s']:g}"] +
	                  [",".join(map(str, f[key])) or "-"
	                   for key in ("waiting", "causing", "nodes")])
	         for f in json.load(open("out"))["findings"]
	         if not f["kind"].startswith(("wait-", "omp-", "barrier-"))]
	print(found)
	assert found == sys.argv[1:], sys.argv[1:]
	END
}
options=

# Two steps of two ranks on each of three nodes; seconds of computation of each rank.
steps() {
	make_run <<-END
	hosts += list("aabbcc")
	for work in ($1):
	    states, time = [("Barrier", 10, 10, "")], 10
	    for step in range(2):
	        states.append(("Barrier", time + 10 * work, time + 60, ""))
	        time += 60
	    ranks.append(states)
	END
}
# Nodes compute 2, 2 and 4 s, ranks 8/3 s; 4/3 s more in each step.
steps "2, 2, 2, 2, 4, 4"
ok "a slow node" finds "imbalance - 2 2.66667 - 4 -" \
	"imbalance-nodes imbalance 2 2.66667 - - c" \
	"slow-node imbalance-nodes 2 2.66667 - 4,5 c"
# Ranks 3 s, of which node c 4 s and one rank 6 s.
steps "2, 3, 3, 2, 6, 2"
ok "imbalance between nodes is a part of imbalance" finds "imbalance - 2 6 - 4 -" \
	"imbalance-nodes imbalance 2 2 - - c" "slow-node imbalance-nodes 2 2 - 4,5 c"
steps "2, 4, 2, 4, 2, 4"
ok "imbalance in nodes only" finds "imbalance - 2 2 - 1 -"
steps "4, 4, 4, 4, 4, 4"
ok "no imbalance" finds

# Rank 0 computes 0.4 s in each of 20 steps, and then waits for a message of rank 1, which
# computes 0.1 s in all. So 3.95 s are above the mean of 4.05 s.
make_run <<'END'
first, second, time = [("Barrier", 10, 10, "")], [("Barrier", 10, 10, "")], 10
for step in range(20):
    work = step == 10
    first += [("Send", time + 4, time + 4.1, "toRank='1' toTag='1'"),
              ("Recv", time + 4.1, time + 4.2 + work, "fromRank='1' fromTag='1'")]
    second += [("Recv", time, time + 4.1, "fromRank='0' fromTag='1'"),
               ("Send", time + 4.1 + work, time + 4.2 + work, "toRank='0' toTag='1'")]
    time += 4.2 + work
ranks += [states + [("Barrier", time, time + 1, "")] for states in (first, second)]
END
of_messages() {
	status 0 report --format=json run && python3 - <<-'END'
	import json
	first = json.load(open("out"))["findings"][0]
	print(first)
	assert first["kind"] == "imbalance" and first["causing"] == [0]
	assert abs(first["time_s"] - 3.95) < 1e-6
	# Each step takes half as long, also where the other rank computes nothing.
	assert 3.8 < first["saved_s"] <= first["time_s"]
	END
}
ok "computation of one rank between messages is divided in its place" of_messages

# Two threads, which arrive at a barrier at 2 and 3 s: 0.5 s above the mean.
threads() {
	make_run <<-END
	team = lambda thread: f"team='1' thread='{thread}' threads='2'"
	ranks.append([[("omp.parallel", 10, 40, [
	                  ("omp.barrier", arrival, 40, "team='1' barrier='0'")])]
	              for arrival in ($1)])
	END
	for thread in 0 1; do
		sed -i "s/<omp.parallel /&team='1' thread='$thread' threads='2' /" \
			"run_h_0_$thread.trc"
	done
}
threads "20, 30"
ok "imbalance between threads" \
	finds "imbalance-threads omp-barrier 1 0.5 - 0 -"
threads "30, 30"
ok "no imbalance between threads" finds

# Two ranks from 1 to 11 s; a group with two entries of 5 s.
two_ranks() {
	make_run <<-'END'
	for rank in range(2):
	    ranks.append([("Work", 10, 100, ""), ("Barrier", 100, 110, "")])
	END
	sed -i "s/<ExternalStatistics\/>/<ExternalStatistics><$1\/><\/ExternalStatistics>/" \
		run.proj
}
swaps() {
	two_ranks Utilization
	{
		stat_header h Utilization \
			"name=\"SWAP_IN\" type=\"INT64\" unit=\"${2:-B}\" kind=\"delta\""
		stamp 1
		stamp 6
		hex "$(printf %016x "$1")"
		stamp 11
		hex "$(printf %016x 0)"
	} >run_h_Utilization.stat
}
swaps 100000000
ok "a node that swaps for 5 s" finds "swap - 1 10 0,1 - h"
swaps 1000000
ok "a node that hardly swaps" finds
swaps 100000 kB
ok "a node that swaps, in another unit" finds "swap - 1 10 0,1 - h"
swaps 100000000 events
ok "a node that swaps, nobody knows how much" finds
# Memory in MB, and what of it is available in two entries, in bytes. Attributes of what is
# available, the first column, and swapped bytes of the first entry.
unit='unit="B"'
used=MEM_USED
swapped=0
memory_group() {
	{
		stat_header h "$4" "name=\"$used\" type=\"INT64\" unit=\"kB\"" \
			'name="MEM_FREE" type="INT64" unit="MB"' \
			"name=\"MEM_AVAILABLE\" type=\"INT64\" $unit" \
			'name="SWAP_OUT" type="INT64" unit="B" kind="delta"'
		stamp 1
		stamp 6
		hex "$(printf '%016x%016x%016x%016x' "$(($1 - 500))000" 500 "$2" "$swapped")"
		stamp 11
		hex "$(printf '%016x%016x%016x%016x' "$(($1 - 500))000" 500 "$3" 0)"
	} >"run_h_$4.stat"
}
memory() {
	two_ranks Utilization
	memory_group "$@" Utilization
}
memory 64000 1000000000 30000000000
ok "a node that has hardly any memory for 5 s" finds "swap - 1 10 0,1 - h"
full() {
	status 0 report run && grep -q "Nodes have hardly any memory left: 10.000 s" out
}
ok "the text tells that memory is full" full
memory 64000 2000000000 30000000000
ok "a node that has some memory left" finds
memory 40000 799999999 800000000
ok "a node with less than 2 % of its memory for 5 s" finds "swap - 1 10 0,1 - h"
memory 40000 800000000 800000000
ok "a node with 2 % of its memory" finds
memory 4000000 1073741823 1073741824
ok "a large node with less than 1 GiB for 5 s" finds "swap - 1 10 0,1 - h"
memory 4000000 1073741824 79000000000
ok "a large node with 1 GiB" finds
memory 64000 30000000000 1000000000
ok "a node that has hardly any memory later" finds "swap - 1 10 0,1 - h"
swapped=100000000
memory 64000 30000000000 1000000000
ok "a node that swaps, and then is full" finds "swap - 1 20 0,1 - h"
titled() {
	status 0 report run && grep -q "Nodes swap memory: 20.000 s" out
}
ok "the text tells that nodes swap" titled
swapped=0
# The longest one of a node counts.
two_ranks 'Utilization\/><Second'
memory_group 64000 1000000000 1000000000 Utilization
memory_group 64000 1000000000 30000000000 Second
ok "two groups of a node with hardly any memory" finds "swap - 1 20 0,1 - h"
unit='unit="B" missing="1000"'
memory 64000 1000 1000
ok "available memory is missing" finds
unit='unit="kB"'
memory 64000 1000000 30000000
ok "available memory in another unit" finds "swap - 1 10 0,1 - h"
unit='unit="KiB"'
memory 64000 1048575 1048576
ok "available memory in KiB" finds "swap - 1 10 0,1 - h"
unit='unit="%"'
memory 64000 1 1
ok "available memory in an unknown unit" finds
unit='unit="B"'
used=OTHER
memory 64000 1000000000 1000000000
ok "not known how much memory there is" finds
used=MEM_USED

# A CPU: percent and Hz, in both entries.
clocks() {
	two_ranks Utilization
	{
		stat_header h Utilization 'name="CPU_TOTAL_0" type="FLOAT" unit="%"' \
			'name="CPU_FREQ_0" type="INT64" unit="Hz"'
		stamp 1
		for entry in 6 11; do
			stamp "$entry"
			hex "$(python3 -c "import struct; print(struct.pack('>fq', $1, $2).hex())")"
			shift 2
		done
	} >run_h_Utilization.stat
}
# A third of the speed is lost for 5 s.
clocks 99 3000000000 99 2000000000
ok "a throttled CPU" finds "throttling - 1 3.33333 0,1 - h"
sed 's/"Utilization"/"Utilities00"/' run_h_Utilization.stat >run_h_Utilities00.stat
sed -i 's/<Utilization\/>/&<Utilities00\/>/' run.proj
ok "a throttled CPU, in two groups" finds "throttling - 1 3.33333 0,1 - h"
clocks 99 3000000000 20 2000000000
ok "an idle CPU is slow without loss" finds
clocks 99 3000000000 99 2800000000
ok "a CPU with a steady frequency" finds

# One of three ranks waits 4 s, at a third of 30 W.
waits() {
	make_run <<-'END'
	for start in (50, 10, 50):
	    ranks.append([("Init", 10, 10, ""), ("Barrier", start, 50, "")])
	END
	{
		stat_header h Energy 'name="P" type="FLOAT" unit="W"'
		stamp 1
		stamp 5
		hex 41f00000
	} >run_h_Energy.stat
	sed -i 's/<ExternalStatistics\/>/<ExternalStatistics><Energy\/><\/ExternalStatistics>/' \
		run.proj
}
waits
options=--idle-power=9
joules() {
	finds "imbalance - 1 1.33333 - 0 -" "idle-power - 1 4 1 - -" &&
		python3 - <<-'END'
		import json
		f = next(f for f in json.load(open("out"))["findings"]
		         if f["kind"] == "idle-power")
		assert abs(f["energy_j"] - 40) < 1e-6 and abs(f["avoidable_j"] - 28) < 1e-6
		END
}
ok "power of a rank that waits" joules
options=--idle-power=30
ok "a rank that waits at idle power" finds "imbalance - 1 1.33333 - 0 -"
options=
ok "idle power that nobody knows" finds "imbalance - 1 1.33333 - 0 -"

done_testing
