#!/bin/sh
# What is said of energy and means where power is known for a part of the time
# only, or for none of it: stat, report and plot, as text, CSV and JSON. All
# numbers here are arithmetic by hand.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain threads slow
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
cd "$scratch" || exit 99

# A stamp in the year 2001: SECONDS.NANOSECONDS
at() {
	at_ns=${1#*.}
	while [ "${at_ns#0}" != "$at_ns" ] && [ "$at_ns" != 0 ]; do
		at_ns=${at_ns#0}
	done
	stamp $((1000000000 + ${1%.*})) "$at_ns"
}

# The project NAME: a host with a rank whose states are given, and power in
# entries that follow each other: NAME START "END HEX..." "NAME FROM TO"...
known_project() {
	known_name=$1
	known_start=$2
	known_entries=$3
	shift 3
	{
		stat_header alpha Energy 'name="P" type="FLOAT" unit="W"'
		at "$known_start"
		# shellcheck disable=SC2086 # a list
		known_put $known_entries
	} >"${known_name}_alpha_Energy.stat"
	{
		echo "<Program timeAdjustment='1000000000' levels='Host Rank'>"
		for known_state; do
			# shellcheck disable=SC2086 # three words
			printf "<%s  time='%s' end='%s'/>\n" $known_state
		done
		echo '</Program>'
	} >"${known_name}_alpha_0.trc"
	cat >"$known_name.proj" <<-END
		<?xml version="1.0" encoding="UTF-8"?>
		<Application name="$known_name">
		 <Description></Description>
		 <Topology>
		  <Level type="Host"><Level type="Rank" /></Level>
		  <Node name="alpha"><Node name="0" /></Node>
		 </Topology>
		 <ExternalStatistics><Energy /></ExternalStatistics>
		</Application>
	END
}

known_put() {
	while [ $# -gt 0 ]; do
		at "$1"
		hex "$2"
		shift 2
	done
}

# Cells of hdtrace stat --format=csv by the names of their columns, of the last
# row: "NAME=VALUE..." ARGUMENT...
cells() {
	cells_wanted=$1
	shift
	status 0 stat --format=csv "$@" || return 1
	awk -F, -v wanted="$cells_wanted" '
		NR == 1 { for (i = 1; i <= NF; i++) name[$i] = i }
		{ for (i = 1; i <= NF; i++) cell[i] = $i }
		END {
			count = split(wanted, list, " ")
			for (i = 1; i <= count; i++) {
				split(list[i], part, "=")
				if (!(part[1] in name) ||
				    cell[name[part[1]]] "" != part[2] "") {
					print list[i] ", found " \
						cell[name[part[1]]]
					bad = 1
				}
			}
			exit bad || !count || NR < 2
		}
	' "$scratch/out"
}

# A line of hdtrace ARGUMENT...; blanks are not compared: LINE ARGUMENT...
line() {
	line_wanted=$1
	shift
	status 0 "$@" || return 1
	tr -s ' ' <"$scratch/out" | grep -qxF -- " $line_wanted" || {
		echo "no line: $line_wanted"
		cat "$scratch/out"
		return 1
	}
}

# Members of the JSON of hdtrace ARGUMENT..., in one line: "TEXT" ARGUMENT...
member() {
	member_wanted=$1
	shift
	status 0 "$@" || return 1
	grep -qF -- "$member_wanted" "$scratch/out" || {
		echo "not in the output: $member_wanted"
		cat "$scratch/out"
		return 1
	}
}

lacks() {
	lacks_text=$1
	shift
	status 0 "$@" || return 1
	! grep -F -- "$lacks_text" "$scratch/out"
}

hundred=42c80000
nan=7fc00000

# ---- A run of 5.03 s of which 2.97 s are covered, and of a state of 2.016 s
# ---- 1.007 s: less than half.
known_project part 2.009000000 "3.016000000 $hundred 4.979000000 $hundred" \
	"A 0.000000000 1.000000000" "B 1.000000000 3.016000000" \
	"C 3.016000000 5.030000000"

ok "stat: a partly known run" cells \
	"integral=297 duration_s=5.030000000 known_s=2.970000000 mean=100 count=2" \
	part
ok "stat: a partly known phase has its full duration" cells \
	"integral=100.7 duration_s=2.016000000 known_s=1.007000000 mean= stddev=" \
	--phases-from=alpha_0:B part
ok "a file of phases is created" sh -c \
	"printf '1 first\n3.016 second\n' >borders"
ok "stat: a partly known phase of a file" cells \
	"phase=second duration_s=2.014000000 known_s=1.963000000 mean=100" \
	--phases=borders part
ok "stat: a partly known interval" cells \
	"duration_s=2.000000000 known_s=0.991000000 mean= integral=99.1" \
	--from=1 --to=3 part
ok "stat marks partly known energy" line \
	"P gauge? W 2 100 100 100 0 >= 297 J 2.970 s of 5.030 s" stat part
ok "stat marks a partly known phase and prints no mean" line \
	"B 1.000 s 2.016 s P gauge? W 1 - 100 100 - >= 100.7 J 1.007 s" \
	stat --phases-from=alpha_0:B part
ok "stat --regions: partly known states" cells \
	"energy=100.7 duration_s=2.016000000 known_s=1.007000000 mean=" \
	--regions=B part
ok "stat --regions marks partly known energy" line "B all 1 2.016 s 1.007 s - >= 100.7 J" \
	stat --regions=B part
ok "stat has the known time as JSON" member \
	'"integral": 100.7, "integral_unit": "J", "simulated": false, "duration_s": 2.016000000, "known_s": 1.007000000' \
	stat --format=json --phases-from=alpha_0:B part
ok "stat --regions has the known time as JSON" member \
	'"mean": null, "energy": 100.7, "energy_unit": "J", "duration_s": 2.016000000, "known_s": 1.007000000' \
	stat --format=json --regions=B part

ok "report: partly known energy of the run" line \
	"Energy >= 297 J, known for 2.970 s of 5.030 s, 100 W on average" \
	report part
ok "report: partly known energy of the node" line \
	"Energy: >= 297 J, known for 2.970 s of 5.030 s, 100 W on average" \
	report part
ok "report: partly known energy of a value" line \
	"Energy P gauge? W 100 100 100 >= 297 J known for 2.970 s" report part
ok "report: partly known energy of a state" line "B 1 2.016 s 2.016 s 2.016 s >= 100.7 J 1.007 s" \
	report part
ok "report: a state without power has no energy" line \
	"A 1 1.000 s 1.000 s 1.000 s - 0 ns" report part
ok "report: partly known energy of a phase" line \
	"B 1.000 s 2.016 s alpha >= 100.7 J 1.007 s -" \
	report --phases-from=alpha_0:B part
ok "report: missing time at the ends is a gap" line \
	"alpha Energy: 2 gaps, 2.060 s in total" report part
ok "report: the gap before the first entry" line "0.000 s: 2.009 s" report part
ok "report: the gap after the last entry" line "4.979 s: 51.000 ms" report part
ok "report: the list of gaps is not empty" lacks "  none" report part
ok "report has the known time as JSON" member \
	'"energy": { "energy_j": 297, "energy_error_j": null, "power_w": 100, "longest_known_s": 2.97, "known_s": 2.970000000, "duration_s": 5.030000000,' \
	report --format=json part
ok "report has the known time of a state as JSON" member \
	'"energy_j": 100.7, "other_energy_j": null, "total_energy_j": 100.7, "known_s": 1.007000000, "duration_s": 2.016000000' \
	report --format=json part
ok "report has null energy of a state without power as JSON" member \
	'"energy_j": null, "other_energy_j": null, "total_energy_j": null, "known_s": 0.000000000' \
	report --format=json part
ok "report has the known time of a phase as JSON" member \
	'"energy_j": 100.7, "energy_error_j": null, "power_w": null, "longest_known_s": 1.007, "known_s": 1.007000000, "duration_s": 2.016000000' \
	report --format=json --phases-from=alpha_0:B part
ok "plot has the known time as JSON" member \
	'"integral": 297, "integral_unit": "J", "duration_s": 5.030000000, "known_s": 2.970000000' \
	plot --force --format=json -o part.svg part
ok "plot has no mean of a partly known interval" member '"mean": null, "min": 100' \
	plot --force --format=json --from=1 --to=3 -o part.svg part

# A trace that is too large to be read for its end alone.
large_trace() {
	{
		sed '/<\/Program>/d' part_alpha_0.trc
		awk 'BEGIN { for (i = 0; i < 30000; i++)
			printf "<D  time=\x275.%09d\x27 end=\x275.%09d\x27/>\n",
				30000000 + i, 30000001 + i }'
		echo "<D  time='5.100000000' end='7.500000000'/>"
		echo '</Program>'
	} >long_alpha_0.trc
	cp part_alpha_Energy.stat long_alpha_Energy.stat
	sed 's/name="part"/name="long"/' part.proj >long.proj
	[ "$(wc -c <long_alpha_0.trc)" -gt 1100000 ]
}
ok "a large trace is created" large_trace
ok "a large trace ends with its last state" cells \
	"duration_s=7.500000000 known_s=2.970000000 mean=" long

# ---- Nothing known at all
known_project none 0.000000000 "1.000000000 $nan 2.000000000 $nan" \
	"A 0.000000000 2.000000000"
ok "no known value: stat" cells \
	"integral= mean= sum= known_s=0.000000000 duration_s=2.000000000 nan=2" none
ok "no known value: stat as text" line "P gauge? W 0 2 - - - - - 0 ns of 2.000 s" stat none
ok "no known value: stat --regions" cells "energy= mean= known_s=0.000000000" --regions=A none
ok "no known value: stat --regions as text" line "A all 1 2.000 s 0 ns - -" \
	stat --regions=A none
ok "no known value: stat --regions as JSON" member '"mean": null, "energy": null,' \
	stat --format=json --regions=A none
ok "no known value: report" line "Energy not measured" report none
ok "no known value: report of the node" line "Energy: not measured" report none
ok "no known value: report of a state" line "A 1 2.000 s 2.000 s 2.000 s - 0 ns" \
	report none
ok "no known value: report as JSON" member '"energy": null,' \
	report --format=json none
ok "no known value: report of a phase" line "A 0.000 s 2.000 s alpha - 0 ns -" \
	report --phases-from=alpha_0:A none
ok "no known value: plot" member \
	'"integral": null, "integral_unit": "J", "duration_s": 2.000000000, "known_s": 0.000000000' \
	plot --force --format=json -o none.svg none
# An entry without a length has a value, and no energy.
known_project point 1.000000000 "1.000000000 $hundred" \
	"A 0.000000000 2.000000000"
ok "entries without length: stat" cells "count=1 integral= mean= known_s=0.000000000" point
ok "entries without length: report" line "Energy not measured" report point

# ---- At the borders of the rule: 99.5 %, and a half
known_project most 0.000000000 "1.990000000 $hundred" \
	"A 0.000000000 2.000000000"
known_project less 0.000000000 "1.989999999 $hundred" \
	"A 0.000000000 2.000000000"
ok "99.5 % is completely known" line "Energy 199 J, 100 W on average" report most
ok "99.5 % of a state is not marked" line "A 1 2.000 s 2.000 s 2.000 s 199 J" report most
ok "a project known for 99.5 % has no gap" line "none" report most
ok "stat does not mark 99.5 %" line "P gauge? W 1 100 100 100 0 199 J" stat most
ok "a nanosecond below 99.5 % is marked" line \
	"Energy >= 199.0 J, known for 1.990 s of 2.000 s, 100 W on average" \
	report less
ok "a nanosecond below 99.5 % is a gap" line "alpha Energy: 1 gap, 10.000 ms in total" report less
ok "stat marks a nanosecond below 99.5 %" line \
	"P gauge? W 1 100 100 100 0 >= 199.0 J 1.990 s of 2.000 s" stat less
known_project half 0.000000000 "1.000000000 $hundred" \
	"A 0.000000000 2.000000000"
known_project under 0.000000000 "0.999999999 $hundred" \
	"A 0.000000000 2.000000000"
ok "a value known for 50 % has a mean" cells "mean=100 known_s=1.000000000" half
ok "report: power known for 50 % has a mean" line \
	"Energy >= 100 J, known for 1.000 s of 2.000 s, 100 W on average" \
	report half
ok "a nanosecond below 50 % has no mean" cells "mean= known_s=0.999999999" under
ok "report: no mean below 50 %" line \
	"Energy >= 100.0 J, known for 1000.000 ms of 2.000 s, - on average" \
	report under

# ---- A picture of many entries: of each second so much is known: SHARE
curves() {
	known_project curve 0.000000000 "$(awk -v share="$1" -v hundred="$hundred" \
		-v nan="$nan" 'BEGIN {
		for (i = 0; i < 300; i++)
			printf "%d.%s00000000 %s %d.000000000 %s ", i, share,
				hundred, i + 1, nan }')" \
		"A 0.000000000 300.000000000"
	status 0 plot --force --size=40x60 -o curve.svg curve || return 1
	# What is in the groups of each class.
	awk -v RS='<' '/^g class="(curve|band)"/ { split($0, part, "\"")
			name = part[2] }
		/^path / && name { paths[name]++ }
		/^\/g>/ { name = "" }
		END { print paths["curve"] + 0, paths["band"] + 0 }' curve.svg \
		>paths
	cat paths
	[ "$(cat paths)" = "$2" ]
}
ok "plot draws a band without a line if 30 % are known" curves 3 "0 1"
ok "plot draws a band and a line if 70 % are known" curves 7 "1 1"

# ---- Several nodes, and several values of a node: what is known of all
known_project two 0.000000000 "2.000000000 $hundred" \
	"A 0.000000000 2.000000000"
second_node() {
	{
		stat_header beta Energy 'name="P" type="FLOAT" unit="W"'
		at 0.000000000
		known_put "$@"
	} >two_beta_Energy.stat
}
sed -i 's|<Node name="alpha">.*|&<Node name="beta" />|' two.proj
ok "a second node without power is created" second_node 2.000000000 "$nan"
ok "a node without power makes the sum partly known" line \
	"Energy >= 200 J, known for 0 ns of 2.000 s, - on average" report two
ok "the energy of the first node is completely known" line "Energy: 200 J, 100 W on average" report two
ok "the second node has no energy" line "Energy: not measured" report two
ok "a second node with power for 50 % is created" second_node 1.000000000 "$hundred" \
	2.000000000 "$nan"
ok "the sum of both nodes is known for 50 %" line \
	"Energy >= 300 J, known for 1.000 s of 2.000 s, 200 W on average" \
	report two
sockets() {
	{
		stat_header alpha Energy 'name="P_0" type="FLOAT" unit="W"' \
			'name="P_1" type="FLOAT" unit="W"'
		at 0.000000000
		known_put 1.000000000 "$hundred$hundred" \
			2.000000000 "$hundred$nan"
	} >two_alpha_Energy.stat
	rm -f two_beta_Energy.stat
}
ok "a node with two sockets is created" sockets
ok "the sum of sockets is known when both are known" line \
	"Energy >= 300 J, known for 1.000 s of 2.000 s, 200 W on average" \
	report -q two
ok "states have the power of both nodes" line "A 1 2.000 s 2.000 s 2.000 s >= 300 J 1.000 s" \
	report -q two

# ---- Large numbers have prefixes for people, and are exact for programs
# 1826.3 s at 30 W: 54789 J. 2,500,000 W is 2.5 MW.
known_project large 0.000000000 "1826.300000000 41f00000" \
	"A 0.000000000 1826.300000000"
ok "prefixes: stat" line "P gauge? W 1 30 30 30 0 54.79 kJ" stat large
ok "prefixes: CSV has none" cells "integral=54789 integral_unit=J unit=W" large
ok "prefixes: stat --regions" line "A all 1 1826.300 s 1826.300 s 30 W 54.79 kJ" \
	stat --regions=A large
ok "prefixes: report" line "Energy 54.79 kJ, 30 W on average" report large
ok "prefixes: a state in the report" line "A 1 1826.300 s 1826.300 s 1826.300 s 54.79 kJ" \
	report large
ok "prefixes: JSON has none" member '"energy_j": 54789,' report --format=json large
known_project mega 0.000000000 "1.000000000 4a189680" \
	"A 0.000000000 1.000000000"
ok "prefixes: power in stat" line "P gauge? MW 1 2.5 2.5 2.5 0 2.5 MJ" stat mega
ok "prefixes: power in the report" line "Energy 2.5 MJ, 2.5 MW on average" report mega
done_testing
