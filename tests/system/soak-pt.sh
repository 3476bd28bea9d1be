#!/bin/sh
# pt and a meter for a long time: nothing is lost, and how exact the times are.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sizes: SOAK_CYCLES (default 1000000) as fast as both can, SOAK_SECONDS
# (default 1800) at 50 ms; 0 leaves one out. The table of the latter goes to
# stdout, as comments of TAP.
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
cd "$scratch" || exit 99
. "$abs_top_srcdir/tests/lib/sim.sh"
cycles=${SOAK_CYCLES:-1000000}
seconds=${SOAK_SECONDS:-1800}

# All cycles of the meter, four channels with three values each, and its counter.
# Whoever is slower waits for the other.
fast() {
	sim_start --fastest --cycles="$cycles" &&
		pt_config 50 4 Utrms,Itrms,P >pt.cfg || return 1
	sed -i '0,/values=Utrms,Itrms,P/s//&,Count/' pt.cfg
	pt_start
	pt_await "$cycles" && pt_stop && sim_stop
}

# Each value of each channel has all cycles.
fast_complete() {
	for channel in 1 2 3 4; do
		for value in Utrms Itrms P; do
			found=$(pt_stat "n$channel" "$value" count)
			echo "n$channel $value: $found"
			[ "$found" -eq "$cycles" ] || return 1
		done
	done
}

# From one entry to the next, the counter is one more.
fast_counted() {
	"$hdtrace" dump --only=stats --value=Count --format=csv run.proj |
		awk -F, -v expected="$cycles" '
		$1 == "value" {
			if (seen++ && $12 != (last + 1) % 65536) {
				print "after " last " there is " $12
				wrong++
			}
			last = $12
		}
		END {
			print seen " entries"
			exit wrong || seen != expected
		}'
}

# pt itself says so. (That it looks for a meter which has sent all is no loss.)
nothing_lost() {
	cat pt.err
	grep -q ' 0 cycles lost' pt.err
}

real() {
	sim_start --cycles=$((seconds * 20)) --truth=truth &&
		pt_config 50 4 Utrms,Itrms,P >pt.cfg || return 1
	sed -i '0,/values=Utrms,Itrms,P/s//&,Count/' pt.cfg
	pt_start
	pt_await "$((seconds * 20))" && pt_stop && sim_stop
}

# What the entries say, and when the cycles really ended: a line for each entry,
# COUNT LENGTH DIFFERENCE, in milliseconds. Seconds of the epoch do not fit a
# number of awk with that precision, so the first ones are taken off.
real_compare() {
	"$hdtrace" dump --only=stats --value=Count --format=csv run.proj |
		awk -F, '
		function ms(text, parts, ns) {
			split(text, parts, ".")
			ns = substr(parts[2] "000000000", 1, 9)
			return (parts[1] - epoch) * 1e3 + ns / 1e6
		}
		FNR == NR {
			split($0, field, " ")
			if (field[1] == "#" || field[5] != "sent")
				next
			if (!epoch)
				epoch = substr(field[4], 1, 10)
			ends[field[2]] = ms(substr(field[4], 1, 10) "." \
				substr(field[4], 11))
			next
		}
		$1 == "value" && $12 in ends {
			end = ms($7)
			printf "%d %.6f %.6f\n", $12, end - ms($6), \
				end - ends[$12]
		}' truth - >compared
	[ "$(wc -l <compared)" -ge $((seconds * 20)) ]
}

# Print mean, standard deviation, least, median, 99 % and most of a column.
spread() {
	awk -v column="$1" '{ print $column }' compared | sort -g | awk '
		{ value[NR] = $1; sum += $1 }
		END {
			mean = sum / NR
			for (i = 1; i <= NR; i++)
				squares += (value[i] - mean) ^ 2
			printf "%.3f | %.3f | %.3f | %.3f | %.3f | %.3f\n", mean, \
				sqrt(squares / NR), value[1], \
				value[int((NR + 1) / 2)], \
				value[int(NR * 0.99 + 0.5)], value[NR]
		}'
}

real_table() {
	lost=$(sed -n 's/.* \([0-9]*\) cycles lost.*/\1/p' pt.err | tail -n 1)
	echo "$(wc -l <compared) cycles of 50 ms, 4 channels with 3 values," \
		"${lost:-?} lost; milliseconds:"
	echo
	echo "| | mean | std. dev. | least | median | 99 % | most |"
	echo "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
	echo "| length of an entry | $(spread 2) |"
	echo "| its end, after the end of its cycle | $(spread 3) |"
}

if [ "$cycles" -gt 0 ]; then
	ok "$cycles cycles are recorded as fast as possible" fast
	ok "the files contain all cycles" fast_complete
	ok "cycles are in the order of their counter" fast_counted
	ok "pt loses no fast cycle" nothing_lost
fi
if [ "$seconds" -gt 0 ]; then
	ok "$seconds seconds are recorded at cycles of 50 ms" real
	ok "pt loses no cycle of 50 ms" nothing_lost
	ok "each cycle has an entry" real_compare
	real_table | sed 's/^/# /'
fi
done_testing
