#!/bin/sh
# hdtrace loads: the thesis' figures of SPECpower as projects, and made-up ones, against
# a second implementation (readers/loads.py); and its output for people.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
reader=$abs_top_srcdir/tests/tools/readers/loads.py
cd "$scratch" || exit 99
python3 -c '' 2>/dev/null || skip_all "there is no python3"

made() {
	python3 "$reader" "$hdtrace" "$1"
}

# Figure 6.4 as text, CSV and a picture.
table() {
	made figure_6_4 && status 0 loads -q --picture=load.svg p.proj || return 1
	cat out
	grep -q '^ *cpu-int  *100\.00 %  *99\.80 %  *100\.00 %  *+0\.00 .* 189\.0 W  *39\.28 ' out &&
		grep -q '^Sum op/s by sum power  *23\.62 operations/J$' out &&
		grep -q '^Dynamic range  *0\.339$' out &&
		grep -q "^SPEC's limits  *not met\$" out &&
		grep -q '^  90 %: 92\.1 % of the calibrated rate; expected 87\.5 to 92\.0$' out &&
		grep -q '^  60 %: 62\.2 %' out
}

csv() {
	status 0 loads -q --format=csv p.proj || return 1
	head -n 2 out
	[ "$(wc -l <out)" -eq 12 ] &&
		[ "$(head -n 1 out | cut -d , -f 1-4)" = node,component,target_percent,reached_percent ]
}

# One line with eleven points.
picture() {
	grep -q 'Power over load' load.svg && grep -q 'Load \[%\]' load.svg &&
		sed -n 's/.*d="M\([^"]*\)".*stroke-width="1\.2".*/\1/p' load.svg |
		tr -cd 'l\n' | grep -qx llllllllll
}

refused() {
	says "contains no levels; record them with hdload(1), or use --phases" 2 loads mini &&
		says '--picture: x.gif: unknown suffix' 2 loads --picture=x.gif mini &&
		says '--find: cannot be combined with --phases' 2 loads --find --phases=x mini &&
		status 2 loads none.proj && status 2 loads &&
		status 2 loads --picture=none/x.svg p.proj
}

ok "figure 6.4 of the thesis: ratios, sum, and two levels beyond the limits" made figure_6_4
ok "figure 6.5 of the thesis: one level beyond the limits" made figure_6_5
ok "table 6.1 of the thesis to the digit, from attributes, utilization, phases, and found" made table_6_1
ok "limits of SPEC: at the limit, beyond it, too short, missing levels" made limits
ok "steadiness in windows of 1 s" made steadiness
ok "several components and hosts" made components
ok "unknown values are null" made nothing_known
ok "levels are found in noise" made found_in_noise
ok "table for people" table
ok "CSV" csv
ok "picture of power over load" picture
(make_mini)
ok "errors" refused
done_testing
