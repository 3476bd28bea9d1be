#!/bin/sh
# What pt records is what a meter measured, and when: a square wave of known
# power.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Needs a machine that is not busy. VERIFY_PT_SECONDS (default 60) for each run.
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
cd "$scratch" || exit 99
. "$abs_top_srcdir/tests/lib/sim.sh"
seconds=${VERIFY_PT_SECONDS:-60}
cycle=50
low=50
high=150
# No multiple of the cycle.
period=2.71

# Trace the wave: LATENCY of the meter and DELAY in the configuration, in
# milliseconds.
trace() {
	sim_start --truth=truth --latency="$1" \
		--cycles=$((seconds * 1000 / cycle)) \
		--law="1:square:low=$low,high=$high,period=$period" &&
		pt_config "$cycle" 1 Utrms,Itrms,P delay="$2" >pt.cfg ||
		return 1
	pt_start
	pt_await $((seconds * 1000 / cycle)) && pt_stop && sim_stop
}

# The entries of P: START END WATTS, in seconds since the wave began.
entries() {
	"$hdtrace" dump --only=stats --value=P --format=csv run.proj |
		awk -F, '
		function since(text, parts) {
			split(text, parts, ".")
			parts[2] = substr(parts[2] "000000000", 1, 9)
			return parts[1] - epoch + parts[2] / 1e9 - rest
		}
		FNR == NR {
			if (split($0, field, " ") == 3 && field[2] == "origin") {
				epoch = substr(field[3], 1, 10)
				rest = substr(field[3], 11) / 1e9
			}
			next
		}
		$1 == "value" {
			printf "%.6f %.6f %s\n", since($6), since($7), $12
		}' truth - >entries
	[ -s entries ]
}

# The energy is that of the wave, within half a percent.
energy() {
	awk -v found="$(pt_stat n1 P integral)" -v low="$low" -v high="$high" \
		-v period="$period" '
		# Periods, and the rest of one, of which half is high.
		function used(time, whole, part) {
			whole = int(time / period)
			part = time - whole * period - period / 2
			part = whole * period / 2 + (part > 0 ? part : 0)
			return low * time + (high - low) * part
		}
		NR == 1 { from = $1 }
		{ to = $2 }
		END {
			should = used(to) - used(from)
			wrong = (found - should) / should * 100
			printf "%.3f J, should be %.3f J: %+.4f %%\n", found, \
				should, wrong
			exit !(wrong < 0.5 && wrong > -0.5)
		}' entries
}

# Each edge is so much later than it was, within one cycle: MILLISECONDS. Where
# in a cycle it was, the power of that cycle tells.
edges() {
	awk -v low="$low" -v high="$high" -v period="$period" \
		-v expected="$1" -v limit="$cycle" '
	# In a cycle that begins high, or low, and has this share of high.
	function where(beginsHigh, start, end, part) {
		return beginsHigh ? start + part * (end - start) : \
			end - part * (end - start)
	}
	function edge(time, number) {
		number = int((time - expected / 1e3) / (period / 2) + 0.5)
		wrong = (time - number * period / 2) * 1e3
		if (!count || wrong > most)
			most = wrong
		if (!count || wrong < least)
			least = wrong
		sum += wrong
		count++
	}
	{
		share = ($3 - low) / (high - low)
		isHigh = share > 0.5
		# The cycle with the edge is this one or the one before.
		if (NR > 1 && isHigh != wasHigh) {
			if (share < 0.001 || share > 0.999)
				edge(where(wasHigh, from, $1, before))
			else
				edge(where(!isHigh, $1, $2, share))
		}
		wasHigh = isHigh
		before = share
		from = $1
	}
	END {
		printf "%d edges, late by %.3f ms (%.3f to %.3f)\n", count, \
			sum / count, least, most
		exit !(count > 1 && most <= expected + limit && \
			least >= expected - limit)
	}' entries
}

# A test point that shows what it found: NAME COMMAND...
shown() {
	ok "$@"
	sed 's/^/# /' "$details"
}

ok "a square wave is recorded, $seconds s" trace 0 0
ok "entries of the square wave are readable" entries
shown "its energy" energy
shown "its edges, within one cycle" edges 0
ok "a meter that is late by 200 ms is recorded with delay=200" trace 200 200
ok "entries with delay=200 are readable" entries
shown "its energy" energy
shown "its edges, within one cycle" edges 0
ok "a meter that is late by 200 ms is recorded without delay=" trace 200 0
ok "entries without delay= are readable" entries
shown "its edges, 200 ms late" edges 200
done_testing
