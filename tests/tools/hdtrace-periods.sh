#!/bin/sh
# Iterations by the period of power and utilization. HDTRACE_TEST_LONG=1 tries more of them.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
command -v python3 >/dev/null || skip_all "no python3"
# The same series each time: one of some hundred may be judged differently by chance. The long
# form, which counts them, tries others.
[ -z "${HDTRACE_TEST_LONG-}" ] || : "${HDTRACE_TEST_SEED:=$(date +%s)}"
seed=${HDTRACE_TEST_SEED:-1}
cd "$scratch" || exit 99

for python in python3 /usr/bin/python3; do
	"$python" -c "import numpy" 2>/dev/null && break
	python=
done
count=20
[ -z "${HDTRACE_TEST_LONG-}" ] || count=500
mkdir made
by_chance() {
	(cd made && PYTHONDONTWRITEBYTECODE=1 "$python" \
		"$abs_top_srcdir/tests/tools/readers/periods.py" "$hdtrace" "$count" "$seed")
}
if [ -z "$python" ]; then
	skip "periods of random series" "no python3-numpy"
else
	ok "periods of random series are found, and none of noise" by_chance
fi

# Power of a node, in W, by entries of a second: an expression in Python of i, which counts
# them; and how many there are.
powers() {
	rm -f run_* run.proj
	cat >run.proj <<-'END'
	<?xml version="1.0" encoding="UTF-8"?>
	<Application name="run"><Description/><Topology>
	<Level type="Host"><Level type="Rank"/></Level>
	<Node name="h"><Node name="0"/></Node>
	</Topology><CommunicatorList/><Datatypes/>
	<ExternalStatistics><Energy/></ExternalStatistics></Application>
	END
	{
		stat_header h Energy 'name="P" type="FLOAT" unit="W"'
		stamp 1
		python3 -c "import struct, sys
sys.stdout.buffer.write(b''.join(struct.pack('>IIf', i + 2, 0, $1) for i in range($2)))"
	} >run_h_Energy.stat
}
# Numbers of the report: EXPRESSION=VALUE...
tells() {
	status 0 report --format=json ${part:+"$part"} run || return 1
	python3 - "$@" <<-'END'
	import json, sys
	report = json.load(open("out"))
	summary, all = report["iteration_summary"], report["iterations"]
	print(summary)
	for text in sys.argv[1:]:
	    expression, value = text.rsplit("=", 1)
	    print(expression, eval(expression), value)
	    # Places between samples are found by interpolation.
    assert abs(eval(expression) - float(value)) < 1e-3 * max(1, float(value))
	END
}
part=

# 10 s each: 4 s at 200 W and 6 s at 100 W, which is 1400 J.
powers "200 if i % 10 < 4 else 100" 100
ok "iterations of 10 s" tells 'summary["count"]=10' 'summary["period_s"]=10' \
	'summary["spread"]=0' 'len(summary["outliers"])=0' 'len(all)=10' \
	'all[3]["from_s"]=31' 'all[3]["to_s"]=41' 'all[3]["energy_j"]=1400' \
	'summary["series"]["value"] == "power"=1'
in_text() {
	status 0 report run &&
		grep -q "^  Iterations: 10 by power of h, 10.000* s on average, spread 0" out
}
ok "the text has the series" in_text
part=--from=@35
ok "a part of the time has the iterations in it" \
	tells 'all[0]["index"]=3' 'all[0]["from_s"]=31' 'len(all)=7'
part=
one_of_them() {
	status 0 report --from=@35 --to=@36 run && grep -q "^  Iterations: 1 by power" out &&
		! grep -q trend out
}
ok "one iteration has no trend" one_of_them
# The seventh one takes 8 s longer.
powers "200 if (i if i < 70 else 69 if i < 78 else i - 8) % 10 < 4 else 100" 138
ok "an outlier" tells 'summary["outliers"] == [6]=1' 'summary["longest"]=6' \
	'17.5 < all[6]["to_s"] - all[6]["from_s"] < 18.1=1'
# Iterations become longer: 20 s to 22 s.
powers "200 if any(0 <= i - (20 * k + k * (k - 1) // 40) < 8 for k in range(41)) else 100" 839
ok "a trend" tells '0.08 < summary["trend_ratio"] < 0.12=1' '39 <= summary["count"] <= 40=1'
powers "200 if i < 50 else 100" 100
ok "a step" tells 'summary is None=1' 'len(all)=0'
powers "100" 100
ok "a constant" tells 'summary is None=1'
powers "200 if i % 40 < 20 else 100" 180
ok "four and a half periods" tells 'summary is None=1'
powers "200 if i >= 100 and i % 10 < 4 else 100" 200
ok "no iterations while nothing changes" tells 'summary["count"]=10' 'all[0]["from_s"]=101' \
	'summary["spread"]=0'
powers "200 if i % 5 in (0, 3) else 100" 200
ok "multiples of two and a half samples" tells 'summary is None=1'
powers "200 if i % 10 < 3 else 100" 100000
ok "a period that is too short for so many entries" tells 'summary is None=1'
powers "200 if i % 10 < 4 else 100" 5
ok "few entries" tells 'summary is None=1'
# Each node has a file, and few of them are open at a time.
many_nodes() {
	powers "200 if i % 10 < 4 else 100" 100
	nodes=
	for node in $(seq 100); do
		nodes="$nodes<Node name=\"n$node\"\/>"
		sed "s/<Label value=\"h\"/<Label value=\"n$node\"/" run_h_Energy.stat >whole
		length=$(($(head -c 5 whole | sed 's/^0*//') + ${#node}))
		{
			printf '%05d' "$length"
			tail -c +6 whole
		} >"run_n${node}_Energy.stat"
	done
	rm run_h_Energy.stat
	sed -i "s/<Node name=\"h\">.*<\/Node><\/Node>/$nodes/; s/<Node name=\"h\"><Node .*/$nodes/" run.proj
	python3 -c "import os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
os.execv(sys.argv[1], sys.argv[1:])" "$hdtrace" report run >out || return 1
	grep -q "^  Iterations: 10 by power of n1," out &&
		tells 'round(all[3]["energy_j"])=140000'
}
ok "power of many nodes" many_nodes
powers "float('nan')" 100
ok "no value" tells 'summary is None=1'

# Sequences of states win, of 12.5 s each.
states_win() {
	powers "200 if i % 10 < 4 else 100" 100
	{
		echo "<Program timeAdjustment='0' levels='Host Rank'>"
		for i in 0 1 2 3 4 5 6 7; do
			echo "<$1 time='$((10 + 125 * i))e-1' end='$((70 + 125 * i))e-1'/>"
			echo "<Rest time='$((70 + 125 * i))e-1' end='$((135 + 125 * i))e-1'/>"
		done | sed 's/\([0-9]\)e-1/.\1/g'
		echo "</Program>"
	} >run_h_0.trc
	tells 'summary["count"]=8' 'summary["series"] is None=1'
}
ok "repeated states come first" states_win Solve
done_testing
