#!/bin/sh
# What the processor did in states (hdmpirun --counters): stat and report add it up.
# The trace is made by hand, and so are the sums.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
cd "$scratch" || exit 99

# Of n_0 Send has 1000 + 3000 cycles, 2500 + 600 instructions; one of them is a
# state in a state of this name, which does not count. A Recv has cycles only, one
# has instructions only, one no numbers, and one nothing. Of n_1 one Send has
# 2^63 - 1 of both, twice.
cat >e.proj <<'XML'
<Application name="e"><Topology><Level type="Host"/><Level type="Rank"/>
<Node name="n"><Node name="0"/><Node name="1"/></Node></Topology></Application>
XML
cat >e_n_0.trc <<'XML'
<Program timeAdjustment='9'>
<Send cycles='1000' instructions='2500' cacheMisses='7' site='1' time='1' end='2'><Object id='0' buildId='' load='0x0' path='/nowhere/a.out'/><Site id='1' object='0' address='0x10'/><Site id='2' object='0' address='0x20'/></Send>
<Nested>
<Send cycles='99' instructions='99' time='3.2' end='3.4'/>
</Nested>
<Send cycles='3000' outsideCycles='5' instructions='600' site='2' time='3' end='7'/>
<Recv cycles='100' site='1' time='8' end='9'/>
<Recv instructions='70' site='1' time='9' end='10'/>
<Recv cycles='40' instructions='60' site='1' time='10' end='11'/>
<Recv cycles='-4' instructions='1e3' site='1' time='11' end='12'/>
<Recv site='1' time='12' end='13'/>
<Wait time='13' end='14'/>
</Program>
XML
cat >e_n_1.trc <<'XML'
<Program timeAdjustment='9'>
<Send cycles='9223372036854775807' instructions='9223372036854775807' time='1' end='2'/>
<Send cycles='9223372036854775807' instructions='9223372036854775807' time='2' end='3'/>
</Program>
XML

# Cells of hdtrace stat --format=csv, a row after the other: "COLUMN..." EXPECTED
# ARGUMENT...
cells() {
	names=$1
	cells_expected=$2
	shift 2
	status 0 stat --format=csv "$@" || return 1
	awk -F, -v names="$names" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(names, name, " ") }
		NR > 1 {
			row = ""
			for (i = 1; i <= n; i++) row = row (i > 1 ? "," : "") $(at[name[i]])
			printf "%s%s", sep, row; sep = " "
		}
	' out >found
	echo "$names: $(cat found), expected $cells_expected"
	[ "$(cat found)" = "$cells_expected" ]
}

# A line of text with these words: "WORD..." ARGUMENT...
line() {
	wanted=$1
	shift
	status 0 "$@" || return 1
	cat out
	tr -s ' ' <out | sed 's/^ //' | grep -qxF -- "$wanted"
}

members() {
	status 0 stat --format=json --regions=Recv -n n_0 e.proj || return 1
	cat out
	grep -qF '"node": null, "count": 5, "mean": null, "energy": null, "energy_unit": null, "duration_s": 5.000000000, "known_s": null, "cycles": 140, "instructions": 130, "instructions_per_cycle": 1.5, "cache_misses": null, "counted": 3, "outside_cycles": null, "outside_instructions": null, "outside_cache_misses": null }' out &&
		grep -qF '"group": null, "value": null, "unit": null, "simulated": null,' out
}

reported() {
	status 0 report --format=json "$1" || return 1
	cat out
	tr -d ' \n' <out | grep -qF "$2"
}

events="cycles instructions instructions_per_cycle counted"
ok "sums exclude states inside states of the same name" \
	cells "count $events" "2,4000,3100,0.775,2 2,4000,3100,0.775,2" \
	--regions=Send -n n_0 e.proj
ok "sums beyond 64 bits are exact" \
	cells "node $events" "n_0,4000,3100,0.775,2 n_1,18446744073709551614,18446744073709551614,1,2 ,18446744073709555614,18446744073709554714,1,4" \
	--regions=Send e.proj
ok "a ratio uses only states with both counters" \
	cells "count $events" "5,140,130,1.5,3 5,140,130,1.5,3" --regions=Recv e.proj
ok "a state that is partly in the interval counts in proportion" \
	cells "$events" "750,150,0.2,1 750,150,0.2,1" \
	--regions=Send -n n_0 --from @12 --to @13 e.proj
ok "text output has sums and ratios" line "Send all 2 5.000 s 4000 3100 0.78 >= 7" \
	stat --regions=Send -n n_0 e.proj
ok "totals of some states are marked" line "Recv all 5 5.000 s >= 140 >= 130 1.50" \
	stat --regions=Recv e.proj
ok "JSON output has sums and ratios" members
ok "refuses states without counters and power" says "neither values in W nor states" 2 \
	stat --regions=Wait e.proj
ok "sums are printed by call site" cells "region address count $events" \
	"Recv,0x10,5,140,130,1.5,3 Send,0x20,1,3000,600,0.2,1 Send,0x10,1,1000,2500,2.5,1" \
	--regions='*' --by-site e.proj
ok "sums are printed by call site as text" \
	line "a.out+0x10 Recv 5 5.000 s 1.000 s >= 140 >= 130 1.50" \
	stat --regions=Recv --by-site e.proj
ok "report has sums by call site" line "a.out+0x20 Send 1 3.800 s 4.000 s 3000 600 0.20 -" \
	report e.proj
ok "report has sums as JSON" reported e.proj \
	'"cycles":140,"instructions":130,"cache_misses":null,"instructions_per_cycle":1.5,"counted":3'
ok "cache misses are counted inside and outside of states" \
	cells "node cache_misses outside_cycles outside_instructions outside_cache_misses" \
	"n_0,7,5,, n_1,,,, ,7,5,," --regions=Send e.proj
# Of f_0 one says what was before it alone; one begins before what was asked for.
sed 's/"e"/"f"/' e.proj >f.proj
cat >f_n_0.trc <<'XML'
<Program timeAdjustment='9'>
<Send cacheMisses='5' outsideCacheMisses='11' outsideCycles='400' outsideInstructions='100' site='1' time='1' end='3'><Object id='0' buildId='' load='0x0' path='/nowhere/a.out'/><Site id='1' object='0' address='0x10'/></Send>
<Send outsideCycles='600' outsideInstructions='800' site='1' time='4' end='5'/>
<Recv outsideCacheMisses='9223372036854775807' time='5' end='6'/>
<Recv outsideCacheMisses='9223372036854775807' outsideCycles='-1' time='6' end='7'/>
</Program>
XML
cp e_n_1.trc f_n_1.trc
outside="cache_misses counted outside_cycles outside_instructions outside_cache_misses"
ok "counters outside of states are summed" cells "region $outside" \
	"Recv,,0,,,18446744073709551614 Recv,,0,,,18446744073709551614 Send,5,1,1000,900,11 Send,5,1,1000,900,11" \
	--regions='*' -n n_0 f.proj
ok "a state that starts before the interval has no outside counters" cells "$outside" \
	"2,1,600,800, 2,1,600,800," --regions=Send -n n_0 --from @11 f.proj
ok "counters outside of states are summed by call site" cells "count $outside" "2,5,1,1000,900,11" \
	--regions=Send --by-site f.proj
ok "counters outside of states are printed as text" \
	line "Between the previous state and these: 1000 cycles, 900 instructions, 11 cache misses, 0.90 instructions a cycle" \
	stat --regions=Send -n n_0 f.proj
ok "report has counters outside of states" \
	line "1000 cycles, 900 instructions, 18446744073709551625 cache misses, 0.90 instructions a cycle" \
	report f.proj
ok "report has cache misses without other counters" line "a.out+0x10 Send 2 3.000 s 2.000 s >= 5" report f.proj
ok "report has counters outside of states as JSON" reported f.proj \
	'"outside":{"cycles":1000,"instructions":900,"cache_misses":11,"instructions_per_cycle":0.9,"counted":2}'
sed -i 's/ cacheMisses=/ misses=/g; s/ outside/ out/g' e_n_?.trc
sed -i 's/ cycles=/ clocks=/g; s/ instructions=/ inst=/g' e_n_?.trc
ok "no columns are shown for missing counters" \
	line "a.out+0x10 Recv 5 5.000 s 1.000 s" report e.proj
done_testing
