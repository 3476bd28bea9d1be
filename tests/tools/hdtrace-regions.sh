#!/bin/sh
# Parts of a run: findings by region, call site and iteration; regions, iterations and
# phases with their efficiencies and energies, worked by hand.
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
# The node draws 10 W from FROM to TO, in seconds.
power() {
	{
		stat_header h Energy 'name="P" type="FLOAT" unit="W"'
		stamp "$1" 0
		stamp "$2" 0
		hex 41200000
	} >run_h_Energy.stat
	sed -i 's/<ExternalStatistics\/>/<ExternalStatistics><Energy\/><\/ExternalStatistics>/' \
		run.proj
}
# Python on stdin judges the report of the last call.
judge() {
	cat >judge.py
	python3 - <<-'END'
	import json
	report = json.load(open("out"))
	findings = report["findings"]
	regions = {r["name"]: r for r in report["regions"]}
	iterations = report["iterations"]
	exec(open("judge.py").read())
	END
}

# Rank 0 waits 2 s in exchange and 1 s in solve, and rank 1 waits 0.5 s in no region.
by_region() {
	make_run <<-'END'
	site = "site='1'><Object id='0' buildId='' load='0x0' path='/no/heat'/>" \
	       "<Site id='1' object='0' address='0x10'/>"
	ranks.append([
	    ("exchange", 10, 42, [("Recv", 15, 40, "fromRank='1' fromTag='5' " + site)]),
	    ("solve", 42, 80, [("Barrier", 60, 70, "")]),
	    ("Barrier", 95, 100, "")])
	ranks.append([
	    ("exchange", 10, 45, [("Send", 35, 36, "toRank='0' toTag='5'")]),
	    ("solve", 45, 80, [("Barrier", 70, 70, "")]),
	    ("Barrier", 90, 100, "")])
	END
	power 1 10
	status 0 report --format=json run || return 1
	judge <<-'END'
	found = [(f["kind"], f["region"], f["call_site"], f["time_s"], f["saved_s"],
	          f["waiting"], f["energy_j"]) for f in findings
	         if f["kind"] != "imbalance"]
	print(found)
	assert found == [
	    ("late-sender", "exchange", "heat+0x10", 2, 0, [0], 10),
	    ("wait-at-barrier", "solve", None, 1, 0, [0], 5),
	    ("wait-at-barrier", None, None, 0.5, 0, [1], 2.5)], found
	END
}
ok "waits are found by region and call site" by_region
says_where() {
	status 0 report --all run &&
		grep -q "late-sender; waiting: rank 0; for rank 1; in exchange; at heat+0x10" out &&
		status 0 report --csv run &&
		grep -q "^late-sender,,1,2.000000000,10,,2.000000000,0.000000000,0,1,exchange,heat+0x10," out &&
		status 3 report --fail='wait-at-barrier>1.4s' run &&
		status 0 report --fail='wait-at-barrier>1.6s' run
}
ok "places are in text and CSV, and limits are of all regions" says_where

# In exchange, 3.2 and 3.5 s, ranks compute 0.7 and 3.4 s. Without time of calls, rank 0
# goes on when rank 1 has computed 2.5 s: 2.7 and 3.4 s. main has no calls: 1 and 2 s.
of_regions() {
	make_run <<-'END'
	ranks.append([
	    ("exchange", 10, 42, [("Recv", 15, 40, "fromRank='1' fromTag='5'")]),
	    ("main", 42, 52, ""), ("Barrier", 62, 65, "")])
	ranks.append([
	    ("exchange", 10, 45, [("Send", 35, 36, "toRank='0' toTag='5'")]),
	    ("main", 42, 62, ""), ("Barrier", 62, 65, "")])
	END
	status 0 report --format=json run || return 1
	judge <<-'END'
	assert list(regions) == ["exchange", "main"], regions
	e = regions["exchange"]["efficiencies"]
	for key, value in (("load_balance", (0.7 + 3.4) / 2 / 3.4),
	                   ("communication", 3.4 / 3.5), ("serialisation", 1),
	                   ("transfer", 3.4 / 3.5)):
	    assert abs(e[key] - value) < 1e-6, (key, e)
	e = regions["main"]["efficiencies"]
	assert (e["load_balance"], e["communication"]) == (0.75, 1), e
	assert regions["exchange"]["count"] == 2
	assert abs(regions["exchange"]["duration_s"] - 6.7) < 1e-9
	assert regions["exchange"]["energy_j"] is None
	END
	status 0 report run && grep -q "^Regions, with efficiencies$" out
}
ok "efficiencies of regions with and without calls" of_regions

# Ten steps of 2 s; the one with the index 6 takes 6 s, since rank 0 waits 4 s for rank 1.
by_step() {
	make_run <<-'END'
	time, each = 20, [[("Init", 10, 20, "")], [("Init", 10, 20, "")]]
	for i in range(10):
	    length = 60 if i == 6 else 20
	    for rank in range(2):
	        enter = time + (length - 5 if rank else 15)
	        each[rank].append(("step", time, time + length, [
	            ("Barrier", enter, time + length - 4, "")]))
	    time += length
	ranks += each
	END
	power 1 26
	status 0 report --format=json run || return 1
	judge <<-'END'
	is_ = report["iteration_summary"]
	assert (is_["region"], is_["count"], is_["outliers"], is_["longest"]) == \
	    ("step", 10, [6], 6), is_
	assert abs(is_["period_s"] - 2.4) < 1e-9
	assert [i["index"] for i in iterations] == list(range(10))
	assert [i["energy_j"] for i in iterations] == 6 * [20] + [60] + 3 * [20]
	assert (iterations[6]["from_s"], iterations[6]["to_s"]) == (14, 20)
	e = iterations[6]["efficiencies"]
	assert abs(e["load_balance"] - (1.9 + 5.9) / 2 / 5.9) < 1e-9, e
	assert abs(e["transfer"] - 5.9 / 6) < 1e-9 and e["serialisation"] == 1, e
	barrier = [f for f in findings if f["kind"] == "wait-at-barrier"]
	assert len(barrier) == 1 and barrier[0]["iterations"] == [6], barrier
	assert abs(barrier[0]["time_s"] - 4) < 1e-9 and barrier[0]["region"] == "step"
	END
	status 0 report run &&
		grep -q "^  Iterations: 10 of step, 2.400 s on average, spread 50 %, trend +27.27 %, longest 6 (6.000 s)$" out &&
		grep -q "; in step; in iteration 6" out
}
ok "named regions that repeat are iterations" by_step

# Nothing is named: Bcast, then eight times computing, Send and Recv, Allreduce; there is
# a File_write in the fifth time.
by_sequence() {
	make_run <<-'END'
	each = [[("Init", 0, 5, ""), ("Bcast", 6, 7, "rootRank='0'")] for _ in range(2)]
	time = 7
	for i in range(8):
	    if i == 4:
	        for rank in range(2):
	            each[rank].append(("File_write", time + 1, time + 21, ""))
	        time += 20
	    each[0].append(("Send", time + 10, time + 11, f"toRank='1' toTag='{i}'"))
	    each[1].append(("Recv", time + 9, time + 11, f"fromRank='0' fromTag='{i}'"))
	    for rank in range(2):
	        each[rank].append(("Allreduce", time + 12, time + 14, ""))
	    time += 14
	for rank in range(2):
	    each[rank].append(("Finalize", time + 2, time + 3, ""))
	ranks += each
	END
	status 0 report --format=json run || return 1
	judge <<-'END'
	is_ = report["iteration_summary"]
	assert (is_["region"], is_["count"], is_["outliers"]) == (None, 8, [4]), is_
	assert [round(10 * (i["to_s"] - i["from_s"])) for i in iterations] == \
	    4 * [14] + [34] + 3 * [14], iterations
	assert iterations[0]["from_s"] == 0.7
	END
}
ok "repeated calls are iterations" by_sequence
# A loop without one call that is in it once: two messages there, two back.
by_stretch() {
	make_run <<-'END'
	each = [[], []]
	for i in range(5):
	    for k, (one, other) in enumerate(((0, 1), (0, 1), (1, 0), (1, 0))):
	        time = 10 * i + 2 * k
	        each[one].append(("Send", time, time + 1, f"toRank='{other}' toTag='1'"))
	        each[other].append(("Recv", time, time + 1, f"fromRank='{one}' fromTag='1'"))
	ranks += each
	END
	status 0 report --format=json run || return 1
	judge <<-'END'
	assert report["iteration_summary"]["count"] == 5, report["iteration_summary"]
	assert [i["to_s"] for i in iterations] == [0.7, 1.7, 2.7, 3.7, 4.7], iterations
	END
}
ok "a stretch without a rare call is divided by its period" by_stretch
none() {
	make_run <<-'END'
	each = [[], []]
	for i, name in enumerate(("Barrier", "Bcast", "Barrier", "Allreduce", "Gather")):
	    for rank in range(2):
	        each[rank].append((name, 10 * i + rank, 10 * i + 3, "rootRank='0'"))
	ranks += each
	END
	status 0 report --format=json run || return 1
	judge <<-'END'
	assert iterations == [] and report["iteration_summary"] is None
	assert report["regions"] == []
	END
	status 0 report run && ! grep -q "Iterations" out
}
ok "calls that do not repeat are no iterations" none

# Two phases of the run in of_regions: until 4.5 s ranks compute 1 and 3.4 s (0.5 s of them
# before the first phase).
of_phases() {
	make_run <<-'END'
	ranks.append([("Recv", 15, 40, "fromRank='1' fromTag='5'"), ("Barrier", 62, 65, "")])
	ranks.append([("Send", 35, 36, "toRank='0' toTag='5'"), ("Barrier", 62, 65, "")])
	ranks[1].insert(0, ("Work", 10, 12, ""))
	ranks[0].insert(0, ("Work", 10, 12, ""))
	END
	printf '0 first\n1 second\n' >phases
	status 0 report --format=json --phases=phases run || return 1
	judge <<-'END'
	print([p["efficiencies"] for p in report["phases"]])
	first, second = [p["efficiencies"] for p in report["phases"]]
	assert abs(first["load_balance"] - (0.5 + 1) / 2 / 1) < 1e-9, first
	assert abs(first["communication"] - 1) < 1e-9, first
	# Then 2.2 (from 4.0 to 6.2) and 1.5 + 2.6 s.
	assert abs(second["load_balance"] - (2.2 + 4.1) / 2 / 4.1) < 1e-9, second
	assert abs(second["communication"] - 4.1 / 4.5) < 1e-9, second
	END
}
ok "efficiencies of phases" of_phases
done_testing
