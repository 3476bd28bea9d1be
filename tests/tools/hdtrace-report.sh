#!/bin/sh
# hdtrace report: its numbers, error bounds, gaps and late samples.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: threads smoke
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
cd "$scratch" || exit 99
make_mini

# A line of the report begins with words, blanks aside: WORD... Of the run
# before.
has() {
	expected=$*
	sed 's/  */ /g; s/^ //; s/ $//' "$scratch/out" >"$scratch/lines"
	grep -qxF -- "$expected" "$scratch/lines" || {
		echo "no line \"$expected\" in"
		cat "$scratch/out"
		return 1
	}
}

# Energy of all power values of a project, by hdtrace stat and by the report:
# PROJECT STATUS.
agrees_with_stat() {
	"$hdtrace" stat -q --format=csv -v P "$1" | awk -F, '
		NR > 1 && $5 == "W" { joule += $18; nodes++ }
		END { printf "%.6f %d\n", joule, nodes }' >"$scratch/stat"
	status "$2" report --format=json "$1" || return 1
	awk '/^  "energy": / { sub(/.*"energy_j": /, ""); joule = $1 + 0 }
		/^      "energy": \{/ { nodes++ }
		END { printf "%.6f %d\n", joule, nodes }' "$scratch/out" \
		>"$scratch/report"
	cat "$scratch/stat" "$scratch/report"
	paste -d' ' "$scratch/stat" "$scratch/report" | awk '{
		d = $1 - $3
		exit !(NF == 4 && $2 == $4 && $1 > 0 && d * d < 1e-6)
	}'
}

# The energies of the states add up to that of the nodes, if all time lies in
# states: STATUS PROJECT.
states_add_up() {
	status "$1" report --format=json "$2" || return 1
	awk '/^  "energy": / { sub(/.*"energy_j": /, ""); all = $1 + 0 }
		/"own_s"/ && !/"energy_j": null/ {
			sub(/.*"energy_j": /, ""); sum += $1 }
		END { print all, sum; d = all - sum
			exit !(all > 0 && d * d < 1e-9 * all) }' "$scratch/out"
}

ok "report as text" prints report.text 0 report mini
ok "report as JSON" prints report.json 0 report --format=json mini
cat >borders <<'END'
0 warm up
1.5 compute
2 -
4.5
END
ok "report with phases as text" prints report-phases.text 0 report --phases borders mini
ok "report with phases as JSON" prints report-phases.json 0 report --format=json --by-name \
	--phases-from alpha_0 mini
ok "--power selects the values of the energy" prints report-power.text 0 report --power=E mini
ok "--top limits the list of states" prints report-top.text 0 report --top=1 mini

# What sources state, what tracing cost, and a sample that is late.
{
	stat_header gamma Meter \
		'name="P_0" type="DOUBLE" unit="kW" resolution="1 W" class="0.5"' \
		'name="P_1" type="DOUBLE" unit="kW" resolution="1 W"' \
		'name="E_0" type="DOUBLE" unit="J" resolution="61 uJ, counted"' \
		'name="T" type="INT32" unit="C" resolution="1 K"' \
		'name="CPU" type="FLOAT" unit="%" resolution="10 ms over 200 ms"' \
		'name="IDLE" type="FLOAT" unit="%" resolution="1 us"' \
		'name="Q" type="FLOAT" unit="W" simulated="yes"' \
		'name="RUT_CPU_TIME" type="INT64" unit="ns"' \
		'name="RUT_LATE" type="INT64" unit="samples"'
	stamp 1000000000
	for second in 1 2 3 5 6; do
		stamp $((1000000000 + second))
		hex 3ff0000000000000 4000000000000000 # 1 and 2 kW
		hex 4059000000000000 00000014         # 100 J, 20 C
		hex 42480000 42c80000 40e00000        # 50 %, 100 %, 7 W
		hex 0000000000b71b00                  # 12 ms
		if [ $second -eq 5 ]; then
			hex 0000000000000001
		else
			hex 0000000000000000
		fi
	done
} >stated_gamma_Meter.stat
ok "report of a single file" status 0 report stated_gamma_Meter.stat
ok "energies and errors of sockets are added" has \
	"Energy: 18.00 +- 0.05 kJ, 3 kW on average"
ok "the report names the values of the energy" has "(from P_0 + P_1)"
ok "an error from resolution and class is printed" has \
	"Meter P_0 gauge? kW 1.000 +- 0.006 1 1 6.000 +- 0.036 kJ"
ok "an error from resolution only is printed" has \
	"Meter P_1 gauge? kW 2.000 +- 0.001 2 2 12 kJ"
ok "the error of an energy counter is omitted" has \
	"Meter E_0 delta? J 100 100 500 J 83.33 W"
status 0 report --precision=9 stated_gamma_Meter.stat >/dev/null
ok "digits of the mean follow from its error" has \
	"Meter IDLE gauge? % 100.000000 +- 0.000017 100 100"
status 0 report stated_gamma_Meter.stat >/dev/null
ok "an error in another unit is ignored" has "Meter T gauge? C 20 20 20"
ok "a coarse time resolution gives an error" has "Meter CPU gauge? % 50.00 +- 0.17 50 50"
ok "a fine time resolution gives no error" has "Meter IDLE gauge? % 100 100 100"
ok "a simulated value is marked" has "Meter Q gauge? W 7 7 7 42 J simulated"
ok "the cost of tracing is printed" has "CPU time 60.000 ms, 1 % of one CPU"
ok "late samples are counted" has "Late 1 sample"
ok "a late sample is listed" has "3.000 s: 2.000 s"
ok "the usual interval is printed" has "gamma Meter: 1 late or missing sample, 2.000 s" \
	"in total (usual interval: 1.000 s)"
ok "--power selects one value" status 0 report --power=Q stated_gamma_Meter.stat
ok "simulated energy is marked" has \
	"Energy: 42 J (simulated), 7 W on average"
ok "no error is printed without resolution and class" has "(from Q; error unknown: the source states" \
	"no resolution or class)"

# States that are read from a temporary file: one state of 3 MB around others,
# 200 W all the time.
make_long() {
	awk 'BEGIN {
		print "<Program timeAdjustment=\"1000000000\">"
		print "<Nested>"
		for (i = 0; i < 20000; i++) {
			t = 10 + i * 0.001
			print "<Nested>"
			printf "<Inner a=\"%040d\" time=\"%.4f\" end=\"%.4f\"/>\n",
				i, t + 0.0002, t + 0.0005
			print "</Nested>"
			printf "<Step n=\"%d\" time=\"%.4f\" end=\"%.4f\"/>\n",
				i, t, t + 0.0009
		}
		print "</Nested>"
		print "<All time=\"5\" end=\"35\"/>"
		print "</Program>"
	}' >long_node_0.trc
	{
		energy_header node
		stamp 1000000005
		stamp 1000000035
		hex 43480000 7ff8000000000000
	} >long_node_Energy.stat
	sed 's/mini/long/; s/name="alpha"/name="node"/; /"beta"/d' mini.proj \
		>long.proj
}
make_long
ok "report of a state that contains many others" status 1 report -q long.proj
ok "nested states have their time" has "Inner 20000 6.000 s 6.000 s 300.000 us 1.2 kJ"
ok "exclusive time omits nested states" has "Step 20000 12.000 s 18.000 s 900.000 us 2.4 kJ"
ok "a state inside a state of the same name counts once" has "All 1 12.000 s 30.000 s 30.000 s 2.4 kJ"
ok "energies of states add up" states_add_up 1 long.proj

# --- What may be missing, or odd ---

# The head of a .proj of a host: NAME.
proj_of() {
	echo "<Application name=\"$1\"><Topology><Level type=\"Host\">"
	echo "<Level type=\"Rank\"/></Level><Node name=\"node\"><Node"
	echo "name=\"0\"/></Node></Topology></Application>"
}

# A group of power in W: FILE; its records come from stdin.
power_file() {
	{
		stat_header node Energy 'name="P" type="DOUBLE" unit="W"'
		cat
	} >"$1"
}

proj_of empty >empty.proj
ok "report of an empty project" status 0 report empty
ok "an empty project has no energy" has "Energy not measured"
ok "an empty project has no records" has \
	"Recorded 0 groups of statistics, 0 traces with 0 states and 0 events"
ok "report of an empty project as JSON" status 0 report --format=json empty
ok "an empty project has a null duration" grep -q '^  "duration_s": null,' "$scratch/out"

proj_of traces >traces.proj
cat >traces_node_0.trc <<'END'
<Program timeAdjustment='1000000000'>
<Init time='1' end='1'/>
<Run time='1' end='3'/>
<Init time='3' end='3'/>
</Program>
END
ok "report of a project without statistics" status 0 report --phases-from node_0 traces
ok "a project without statistics has states" has "Run 1 2.000 s 2.000 s 2.000 s"
ok "a project without statistics has phases without energy" has "Run 0.000 s 2.000 s all - -"
ok "a phase without duration is listed" has "Init 2.000 s 0 ns all - -"

proj_of steps >steps.proj
cp traces_node_0.trc steps_node_0.trc
{
	stamp 1000000001
	stamp 1000000001 # The clock was set back: time stands still.
	hex 4059000000000000
	stamp 1000000001
	hex 4059000000000000
	stamp 1000000003
	hex 4059000000000000 # 100 W
} | power_file steps_node_Energy.stat
ok "report of a clock that was set back" status 0 report --phases-from node_0 steps
ok "a clock that was set back adds no energy" has "Energy 200 J, 100 W on average"
ok "a phase without duration has no energy" has "Init 0.000 s 0 ns node - -"
ok "the enclosing phase has the energy" has "Run 0.000 s 2.000 s node 200 J 100 W"
ok "the phase with the highest power is named" has "Most power: Run, 100 W on average, 200 J"

proj_of gap >gap.proj
{
	stamp 1
	stamp 2
	hex 4059000000000000
	gap 4294967294
	stamp 4294967295
	hex 4059000000000000
} | power_file gap_node_Energy.stat
ok "report of a gap of 136 years" status 0 report gap
ok "a long gap is listed" has "node Energy: 1 gap, 4294967292.000 s in total"
ok "a long gap: energy of the known time" has \
	"Energy >= 200 J, known for 2.000 s of 4294967294.000 s, - on average"

proj_of nan >nan.proj
cp traces_node_0.trc nan_node_0.trc
{
	stamp 1000000001
	stamp 1000000002
	hex 7ff8000000000000
	stamp 1000000003
	hex fff8000000000001
} | power_file nan_node_Energy.stat
ok "report of a project with NaN only" status 0 report --phases-from node_0 nan
ok "a project with NaN only has no energy" has "Energy not measured"
ok "a project with NaN only has no mean" has "Energy P gauge? W - - - 2 missing, no values"
ok "a project with NaN only has no energy of states" has "Run 1 2.000 s 2.000 s 2.000 s - 0 ns"

proj_of back >back.proj
{
	stamp 1000000001
	stamp 1000000003
	hex 4059000000000000
	stamp 1000000002
	hex 4059000000000000
} | power_file back_node_Energy.stat
ok "report of a file with decreasing times" status 1 report back
ok "entries before a decreasing time count" has "Energy 200 J, 100 W on average"
ok "the rule of a problem is named" grep -q "stat.time-decreases" "$scratch/out"

# Some thousand problems are kept, all are counted, and it does not take long.
proj_of bad >bad.proj
awk 'BEGIN {
	print "<Program timeAdjustment=\"1000000000\">"
	for (i = 0; i < 30000; i++)
		printf "<S%d end=\"1\"/>\n", i % 7
	print "</Program>"
}' >bad_node_0.trc
ok "report of many problems" status 1 report bad
ok "omitted problems are counted" has "and 29995 more diagnostics; --all lists them"

while IFS='|' read -r text arguments; do
	# shellcheck disable=SC2086
	ok "refuses $arguments" says "$text" 2 report $arguments mini
done <<'END'
invalid value "csv"; expected text or json|--format=csv
cannot be combined with --phases-from|--phases borders --phases-from alpha_0
--by-name: requires|--by-name
--top: invalid number "-1"; expected 0 or more|--top=-1
No such file|--phases nothing
unknown node "gamma"|--phases-from gamma
END
ok "refuses a file that is not a project" says "borders: not an HDTrace project" 2 report borders
cp mini_alpha_Energy.stat whole
head -c -3 whole >mini_alpha_Energy.stat
ok "a problem is in the report, once, and not on stderr" prints \
	report-cut.text 1 report mini
ok "-q does not change the report" status 1 report -q mini
cp whole mini_alpha_Energy.stat

# What is said of a trace that was interrupted is in the report: ARGUMENT...
says_interrupted() {
	status 0 report "$@" && cat "$scratch/out" &&
		[ "$(grep -c 'mini_beta_1.trc.*recording was interrupted.* before 1 of' \
			"$scratch/out")" -eq 1 ] && [ ! -s "$scratch/err" ]
}
cp mini_beta_1.trc whole
sed "s,</Program>,<Barrier part='1' time='9' end='9'/>&," whole >mini_beta_1.trc
ok "an interrupted recording is reported" says_interrupted mini
ok "an interrupted recording is reported as JSON" says_interrupted --format=json mini
cp whole mini_beta_1.trc

if [ -d "$corpus" ]; then
	ok "stresstest: energy agrees with stat" agrees_with_stat \
		"$corpus/stresstest" 0
	ok "partdiff-mpi: energy agrees with stat" agrees_with_stat \
		"$corpus/partdiff-mpi" 0
	for project in handwritten load-generator pvfs2-server-nan \
		partdiff-mpi-io-synced; do
		"$hdtrace" stat -q "$corpus/$project" >/dev/null
		ok "$project can be reported" status $? report "$corpus/$project"
	done
else
	skip "numbers of real projects" "no corpus"
fi
done_testing
