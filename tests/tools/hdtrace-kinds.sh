#!/bin/sh
# Kinds of values: what gauges, counters and deltas amount to, and who says so.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
cd "$scratch" || exit 99
unset RUT_VERBOSITY PT_VERBOSITY HDTRACE_PREFIX

# A float of 64 bits, of a whole number that is not negative.
double() {
	hex "$(awk -v n="$1" 'BEGIN {
		if (n == 0) { print "0000000000000000"; exit }
		for (e = 0; n / 2 ^ e >= 2; e++);
		m = (n / 2 ^ e - 1) * 2 ^ 20
		printf "%03x%05x00000000\n", e + 1023, m }')"
}

# A cell of hdtrace stat --format=csv: COLUMN EXPECTED ARGUMENT...; of several
# rows one after the other, to six digits.
cell() {
	column=$1
	cell_expected=$2
	shift 2
	status 0 stat --format=csv "$@" || return 1
	awk -F, -v name="$column" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
		NR > 1 { v = $c; if (v ~ /^[0-9.e+-]+$/) v = sprintf("%.6g", v)
			printf "%s%s", sep, v; sep = " " }
	' "$scratch/out" >"$scratch/cell"
	echo "$column: $(cat "$scratch/cell"), expected $cell_expected"
	[ "$(cat "$scratch/cell")" = "$cell_expected" ]
}

# What a command prints has a line, blanks apart: TEXT ARGUMENT...
has() {
	has_text=$1
	shift
	status 0 "$@" || return 1
	sed 's/  */ /g; s/^ //; s/ $//' "$scratch/out" >"$scratch/plain"
	cat "$scratch/out"
	grep -qxF -- "$has_text" "$scratch/plain"
}

# The lines of a header with a kind: FILE
kinds_of() {
	sed -n 's/.*<Value name="\([^"]*\)".* kind="\([a-z]*\)".*/\1 \2/p' "$1"
}

# An entry: SECOND COUNTER JOULES DELTA WATTS; joules may be "nan".
entry() {
	stamp $((1000000000 + $1))
	hex "$(printf %016x "$2")"
	if [ "$3" = nan ]; then
		hex 7ff8000000000000
	else
		double "$3"
	fi
	hex "$(printf %016x "$4")"
	double "$5"
}

# A counter that grows, goes back and stands before a gap; one of energy with a
# NaN; a delta whose sum needs more than 64 bits; a gauge.
{
	stat_header n K \
		'name="C" type="INT64" unit="B" kind="counter"' \
		'name="E" type="DOUBLE" unit="J" kind="counter"' \
		'name="D" type="INT64" unit="B" kind="delta"' \
		'name="G" type="DOUBLE" unit="W" kind="gauge"'
	stamp 1000000000
	entry 1 100 1000 5 100
	entry 2 150 1100 7 200
	entry 4 350 1300 9223372036854775807 300 # two seconds
	entry 5 30 nan 9223372036854775807 100   # C began again
	entry 6 40 1500 1 100
	gap 1000000008
	entry 9 90 1600 1 100
	entry 10 95 1700 1 100
} >k.stat
# 50 + 200 + 30 + 10 + 5 in entries 2 to 5 and the last: 6 s.
ok "the total of a counter is its growth" cell total 295 -v C k.stat
ok "the known time of a counter is the time of known growth" cell seconds 6 -v C k.stat
ok "a counter has a rate" cell rate 49.1667 -v C k.stat
ok "the rate of a counter has its unit" cell rate_unit B/s -v C k.stat
ok "a counter has a lowest rate" cell rate_min 5 -v C k.stat
ok "a counter has a highest rate" cell rate_max 100 -v C k.stat
ok "a reset of a counter is counted" cell resets 1 -v C k.stat
ok "all readings of a counter are counted" cell count 7 -v C k.stat
for column in mean min max stddev sum integral integral_unit; do
	ok "a counter has no $column" cell $column '' -v C k.stat
done
ok "stat reports resets" has "C was reset to 0 1 time." \
	stat -v C k.stat
ok "a counter is printed as text" has "C counter B 7 - - >= 295 B 49.17 B/s 6.000 s of 10.000 s" stat -v C k.stat
# 100 + 200 + 100 J in 1 + 2 + 1 s.
ok "a NaN makes its neighbours unknown" cell total 400 -v E k.stat
ok "the time next to a NaN is not known" cell seconds 4 -v E k.stat
ok "no rate is printed if less than half is known" cell rate '' -v E k.stat
ok "the rate of an energy counter is its power" cell rate 100 -v E --to 4 k.stat
ok "the rate of an energy counter has the unit W" cell rate_unit W -v E k.stat
ok "the NaN is counted" cell nan 1 -v E k.stat
# Half of 200 in two seconds, half of 30 in one.
ok "a phase has its share of a counter step" cell total 115 -v C \
	--from 3 --to 4.5 k.stat
ok "the rate of a part of a counter step is computed" cell rate 76.6667 -v C --from 3 --to 4.5 k.stat
ok "a reset at the end of a phase does not count" cell resets 0 -v C \
	--from 3 --to 4.5 k.stat
ok "a reset at the start of a phase counts" cell resets 1 -v C --from 4.5 --to 6 k.stat
printf '0 a\n3 b\n4.5 c\n' >borders
ok "totals of phases add up" cell total "150 115 30" -v C --phases borders k.stat

status 0 stat --format=csv -v D k.stat >/dev/null
ok "the total of a delta is its exact sum" \
	grep -q ',18446744073709551629,,,0,10.000000000,8.000000000,delta,0,18446744073709551629,B,' out
ok "a delta has a range" cell max 9.22337e+18 -v D k.stat
ok "a delta has no mean" cell mean '' -v D k.stat
ok "a delta has no integral" cell integral '' -v D k.stat
ok "an entry on a border counts by its share" cell total 2.5 -v D --from 0 --to 0.5 k.stat
ok "the rate of a part of a delta is computed" cell rate 5 -v D --from 0 --to 0.5 k.stat

# 100 + 200 + 2 x 300 + 100 + 100 + 100 + 100 J in 8 s.
ok "a gauge has a mean" cell mean 162.5 -v G k.stat
ok "a gauge has an integral" cell integral 1300 -v G k.stat
ok "a gauge has no sum" cell sum '' -v G k.stat
ok "a gauge has no rate" cell rate '' -v G k.stat
ok "a gauge as text has dashes" has "G gauge W 7 162.5 100 300 85.70 >= 1.3 kJ 8.000 s of 10.000 s" \
	stat -v G k.stat

# --- Energy ---

# Of node a a counter tells it, of b deltas, c has the energy of a battery.
{
	stat_header a Energy 'name="E" type="DOUBLE" unit="J" kind="counter"'
	stamp 1000000000
	for second in 1 2 3 4; do
		stamp $((1000000000 + second))
		double $((5000 + 100 * second))
	done
} >e_a_Energy.stat
{
	stat_header b Energy 'name="E" type="DOUBLE" unit="J" kind="delta"'
	stamp 1000000000
	for second in 1 2 3 4; do
		stamp $((1000000000 + second))
		double 50
	done
} >e_b_Energy.stat
{
	stat_header c Energy 'name="E" type="DOUBLE" unit="J" kind="gauge"'
	stamp 1000000000
	stamp 1000000004
	double 5000
} >e_c_Energy.stat
for node in a b; do
	cat >e_${node}_0.trc <<END
<Program timeAdjustment='1000000000' levels='Host Rank'>
<Work time='1.500000000' end='3.500000000'/>
</Program>
END
done
cat >e.proj <<'END'
<Application name="e">
 <Topology>
  <Level type="Host"><Level type="Rank" /></Level>
  <Node name="a"><Node name="0" /></Node>
  <Node name="b"><Node name="0" /></Node>
  <Node name="c" />
 </Topology>
 <ExternalStatistics><Energy /></ExternalStatistics>
</Application>
END
printf '0 idle\n2 work\n3 end\n' >borders
# By hand: a grew by 300 J in 3 s, b drew 200 J in 4 s; in work 100 and 50.
energies() {
	status 0 report -q --format=json --phases borders e.proj || return 1
	python3 - "$scratch/out" <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
groups = {group["node"]: group for group in report["groups"]}
found = [groups[node]["energy"] and groups[node]["energy"]["energy_j"]
         for node in "abc"]
found += [groups[node]["values"][0]["rate"] for node in "abc"]
for phase in report["phases"]:
    found += [node["energy"]["energy_j"] for node in phase["nodes"]]
found += [state["energy_j"] for state in report["states"]]
print(found)
sys.exit(found != [300, 200, None, 100, 50, None,
                   100, 100, 100, 50, 100, 50, 300])
END
}
if command -v python3 >/dev/null; then
	ok "energy of nodes, phases and states agrees with Python" energies
	PYTHONDONTWRITEBYTECODE=1
	export PYTHONDONTWRITEBYTECODE
	seed=${HDTRACE_TEST_SEED:-$$}
	echo "# HDTRACE_TEST_SEED=$seed"
	ok "random values in random intervals agree with Python" python3 \
		"$abs_top_srcdir/tests/tools/readers/kinds.py" "$hdtrace" "$seed"
else
	skip "energy of nodes, phases and states agrees with Python" "no python3"
	skip "random values in random intervals agree with Python" "no python3"
fi
ok "report adds the energy of counter and gauge" has \
	"Energy >= 500 J, known for 3.000 s of 4.000 s, 150 W on average" \
	report -q e.proj
ok "in the report a counter has total and rate" \
	has "Energy E counter J >= 300 J 100 W known for 3.000 s" report -q e.proj

# --- What nobody says ---

{
	stat_header n G 'name="NET_IN_eth0" type="INT64" unit="B"' \
		'name="X" type="INT64" unit="B" kind="level"' \
		'name="EP" type="INT64" unit="Wh"' \
		'name="RATE" type="INT64" unit="B" kind="counter"'
	stamp 1000000000
	for second in 1 2; do
		stamp $((1000000000 + second))
		for value in 7 8 "$second" $((6 * second)); do
			hex "$(printf %016x "$value")"
		done
	done
} >g.stat
ok "kinds are guessed" cell kind "delta gauge counter counter" g.stat
ok "CSV marks guessed kinds" cell kind_guessed "1 1 1 0" g.stat
ok "the rate of Wh per h is in W" cell rate "7 3600 6" -v NET_IN_eth0 -v EP -v RATE g.stat
guessed="Kinds marked with ? are guessed: the file does not state them."
for command in info stat report; do
	ok "$command explains the mark of guessed kinds" has "$guessed" $command -q g.stat
done
ok "info marks guessed kinds" has "NET_IN_eth0 delta? INT64 B" info -q g.stat
ok "info does not mark stated kinds" has "RATE counter INT64 B" info -q g.stat
ok "info has guessed kinds as JSON" grep -q '"name": "EP".*"kind": "counter", "kind_guessed": true' \
	- <<END
$("$hdtrace" info -q --format=json g.stat)
END
quiet() {
	status 0 "$1" -q k.stat && ! grep -q 'guessed' "$scratch/out"
}
for command in info stat report; do
	ok "$command omits the note without guessed kinds" quiet $command
done
ok "an unknown kind is a problem" breaks stat.kind 1 check g.stat
ok "the assumed kind is reported" grep -qF 'value "X": unknown kind "level"; treated as a gauge' \
	"$scratch/out"

# --- Pictures and exports ---

plotted() {
	status 0 plot -q --format=json --force -o p.svg -v C -v E --to 4 k.stat ||
		return 1
	cat "$scratch/out"
	grep -q '"unit": "B/s"' "$scratch/out" &&
		grep -q '"rate": 100, "rate_unit": "W"' "$scratch/out" &&
		grep -q '(B/s)' p.svg && ! grep -q '(J)' p.svg
}
ok "plot draws rates" plotted
exported() {
	status 0 export -q --to openmetrics --force -o k.om k.stat || return 1
	cat k.om
	grep -qx '# TYPE hdtrace_k_c_bytes counter' k.om &&
		grep -qx 'hdtrace_k_c_bytes_total{node=""} 30 1000000005.000000000' \
			k.om &&
		! grep -q 'hdtrace_k_e_joules_total.*NaN' k.om &&
		[ "$(grep -c '^hdtrace_k_e_joules_total' k.om)" -eq 6 ] &&
		grep -qx '# TYPE hdtrace_k_d_bytes gauge' k.om &&
		grep -qx '# TYPE hdtrace_k_g_watts gauge' k.om
}
ok "openmetrics has counters" exported
if command -v promtool >/dev/null; then
	ok "promtool reads the export" promtool tsdb create-blocks-from openmetrics \
		k.om blocks
else
	skip "promtool reads the export" "no promtool"
fi
otf2_modes() {
	status 0 export -q --to otf2 --force -o k.otf2 k.stat || return 1
	otf2-print -G k.otf2/traces.otf2 | sed -n \
		's/^METRIC_MEMBER.* Name: "\([^"]*\)".* Mode: \([A-Z_]*\).*/\1 \2/p' |
		tr '\n' ' ' >modes
	cat modes
	[ "$(cat modes)" = "C ACCUMULATED_START E ACCUMULATED_START D RELATIVE_LAST G ABSOLUTE_LAST " ]
}
if "$hdtrace" export --to otf2 -o none.otf2 k.stat >/dev/null 2>&1 &&
	command -v otf2-print >/dev/null; then
	ok "otf2 has the modes of kinds" otf2_modes
else
	skip "otf2 has the modes of kinds" "no OTF2"
fi

# A reading is at the end of its interval, a level from its start on.
perfetto_times() {
	status 0 export -q --to perfetto --force -o k.pt -v C -v G k.stat ||
		return 1
	protoc -I "$abs_top_srcdir/tests/lib" \
		--decode=perfetto.protos.Trace perfetto.proto <k.pt |
		awk '/timestamp:/ { time = $2 } /counter_value:/ {
			print time / 1e9 - 1e9, $2 }' >numbers
	cat numbers
	grep -qx '5 30' numbers && ! grep -qx '4 30' numbers &&
		grep -qx '2 300' numbers
}
if command -v protoc >/dev/null; then
	ok "perfetto has readings at their times" perfetto_times
else
	skip "perfetto has readings at their times" "no protoc"
fi

# --- Who writes them ---

rut_says() {
	exits 0 "$abs_top_builddir/rut" -q -p r -- sleep 0.3 || return 1
	kinds_of r_*_Utilization.stat >kinds
	cat kinds
	values=$(grep -c '<Value ' r_*_Utilization.stat)
	[ "$values" -gt 4 ] && [ "$(wc -l <kinds)" -eq "$values" ] &&
		grep -qx 'CPU_TOTAL gauge' kinds &&
		grep -qx 'MEM_FREE gauge' kinds &&
		grep -qx 'NET_IN delta' kinds && ! grep -q counter kinds
}
ok "rut states the kind of every value" rut_says
cat >pt.cfg <<'END'
[General]
device=sim
cycle=10
project=s
topology=Host

[Trace]
type=HDSTATS
node=n1
channel=1
values=P,E
END
pt_says() {
	exits 0 "$abs_top_builddir/pt" -c pt.cfg -d 0.2 || return 1
	kinds_of s_n1_Energy.stat | tr '\n' ' ' >kinds
	cat kinds
	[ "$(cat kinds)" = "P gauge E delta " ]
}
ok "pt states the kind of every value" pt_says

# Of 2009: what they are called says it.
if [ -d "$corpus" ]; then
	ok "kinds of historic values are guessed" cell kind "gauge delta delta" -n node06 \
		-g Utilization -v NET_IN -v HDD_READ -v MEM_USED \
		"$corpus/stresstest"
else
	skip "kinds of historic values are guessed" "no corpus"
fi
done_testing
