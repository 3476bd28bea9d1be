#!/bin/sh
# The report of a part of the time: by hand, and parts that add up to the run.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
command -v python3 >/dev/null || skip_all "no python3"
cd "$scratch" || exit 99

# Ten steps of 2 s from 2 s on; the one with the index 6 takes 6 s, since rank 0 waits 4 s for
# rank 1. The node draws 10 W, and 30 W in that step, by two samples each second.
python3 "$abs_top_srcdir/tests/tools/readers/states.py" <<'END'
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
{
	stat_header h Energy 'name="P" type="FLOAT" unit="W"'
	stamp 1
	python3 - <<-'END'
	import struct, sys
	for half in range(3, 53):
	    watts = 30 if 14 <= (half - 1) / 2 < 20 else 10
	    sys.stdout.buffer.write(struct.pack(">IIf", half // 2,
	                                        half % 2 * 500000000, watts))
	END
} >run_h_Energy.stat
sed -i 's/<ExternalStatistics\/>/<ExternalStatistics><Energy\/><\/ExternalStatistics>/' run.proj

one_step() {
	status 0 report --format=json --from=13 --to=19 run || return 1
	python3 - <<-'END'
	import json
	report = json.load(open("out"))
	assert report["duration_s"] == 6 and report["start_s"] == 14, report["start_s"]
	assert report["energy"]["energy_j"] == 180 and report["energy"]["known_s"] == 6
	assert report["attribution"]["unattributed_j"] == 0
	waits = [f for f in report["findings"] if f["kind"] == "wait-at-barrier"]
	assert len(waits) == 1 and waits[0]["time_s"] == 4, waits
	assert (waits[0]["from_s"], waits[0]["to_s"]) == (15.5, 19.5), waits
	assert waits[0]["energy_j"] == 60, waits
	assert [i["index"] for i in report["iterations"]] == [6], report["iterations"]
	e = report["efficiencies"]
	assert abs(e["load_balance"] - (1.9 + 5.9) / 2 / 5.9) < 1e-9, e
	assert abs(e["communication"] - 5.9 / 6) < 1e-9, e
	assert report["critical_path"] is None and report["state_count"] == 4
	power = report["groups"][0]
	assert power["entries"] == 12 and power["values"][0]["mean"] == 30
	END
	status 0 report --from=@14 --to=19s run && grep -q "Energy  *180 J, 30 W" out &&
		grep -q "; in step" out && ! grep -q "Init" out
}
ok "one step of a run" one_step
# Borders in the middle of states, calls, waits and samples.
adds_up() {
	status 0 report --format=json run && mv out whole || return 1
	parts=0
	last=0
	for time in 1.25 3 14.75 16.1 18.9 22.35 100; do
		status 0 report --format=json --from="$last" --to="$time" run &&
			mv out "part$parts" || return 1
		parts=$((parts + 1))
		last=$time
	done
	python3 - "$parts" <<-'END'
	import json, sys
	whole = json.load(open("whole"))
	parts = [json.load(open(f"part{i}")) for i in range(int(sys.argv[1]))]
	close = lambda a, b: abs(a - b) < 1e-6
	for key, value in whole["account"].items():
	    print(key, value, sum(p["account"][key] for p in parts))
	    assert close(value, sum(p["account"][key] for p in parts)), key
	assert close(whole["energy"]["energy_j"],
	             sum(p["energy"]["energy_j"] for p in parts))
	for kind in {f["kind"] for f in whole["findings"]} - {"imbalance"}:
	    for key in "time_s", "energy_j", "known_s":
	        sums = [sum(f[key] for f in r["findings"] if f["kind"] == kind)
	                for r in [whole] + parts]
	        assert close(sums[0], sum(sums[1:])), (kind, key, sums)
	for rank in range(2):
	    for key in "computation_s", "computation_j", "mpi_s", "mpi_j":
	        assert close(whole["ranks"][rank][key],
	                     sum(p["ranks"][rank][key] or 0 for p in parts)), key
	own = lambda r, name: sum(s["own_s"] for s in r["states"] if s["name"] == name)
	for name in "Barrier", "step", "Init":
	    assert close(own(whole, name), sum(own(p, name) for p in parts)), name
	END
}
ok "parts add up to the run" adds_up
phases() {
	printf '0 first\n1 second\n13.5 third\n' >phases
	status 0 report --format=json --from=13 --phases=phases run || return 1
	python3 - <<-'END'
	import json
	phases = json.load(open("out"))["phases"]
	assert [(p["name"], p["duration_s"]) for p in phases] == [
	    ("second", 0.5), ("third", 11.5)], phases
	END
}
ok "phases are cut to the part" phases
wrong() {
	says "cannot be combined with --html or --what-if" 2 report --from=1 \
		--what-if=balanced run &&
		says "cannot be combined" 2 report --from=1 --html=x.html run &&
		status 2 report --from=x run
}
ok "options that do not belong together" wrong
done_testing
