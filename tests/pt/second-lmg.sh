#!/bin/sh
# pt and an LMG450 that was written by somebody else, from what is known of its
# protocol alone (tests/sim/second-lmg.py): what is in the files is what that one
# writes down, value by value and gap by gap, whatever it answers to COUNT?.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
command -v python3 >/dev/null || skip_all "no python3"
pt=${abs_top_builddir:?}/pt
hdtrace=$abs_top_builddir/hdtrace
meter=$abs_top_srcdir/tests/sim/second-lmg.py
LC_ALL=C
export LC_ALL
unset PT_VERBOSITY HDTRACE_PREFIX
cd "$scratch" || exit 99

# A configuration, with all that has a default left out: CYCLE [LINE]
config() {
	cat <<END
[General]
device=LMG450
port=$PWD/meter
cycle=$1
project=run
topology=Host
$2

[Trace]
type=HDSTATS
node=n1
channel=1
values=Utrms,Itrms,P

[Trace]
type=HDSTATS
node=n3
channel=3
values=Utrms,Itrms,P
END
}

# The cycles that the meter writes down, and the entries of a node that hdtrace
# dump prints: from some cycle on each that was sent is an entry, with the values
# that it had, and a gap is before the entry that comes after one that was lost.
# No entry ends EARLY before its cycle, which is as long as CYCLE; in seconds.
# Print the numbers of entries and lost cycles: COLUMN CYCLE EARLY LOG DUMP
compare() {
	awk -v column="$1" -v cycle="$2" -v early="$3" '
	function off(a, b) {
		a -= b
		return (a < 0 ? -a : a) > 1e-4 * b
	}
	# Seconds, less those of the first; all digits do not fit a number.
	function seconds(text, parts) {
		split(text, parts, ".")
		if (!epoch)
			epoch = parts[1]
		return parts[1] - epoch + ("0." parts[2])
	}
	# Whether all entries follow from a line on.
	function fits(line, entry, before, late) {
		losses = 0
		for (entry = 0; entry < entries; entry++) {
			before = losses
			for (; line <= lines && lost[line]; line++)
				losses++
			if (line > lines)
				return "there are more entries than cycles"
			for (i = 0; i < 3; i++)
				if (off(value[entry, i], truth[line, i]))
					return "entry " entry " has " \
						value[entry, i] ", not " \
						truth[line, i]
			if (entry == 0)
				losses = 0
			else if (gap[entry] != (losses > before))
				return "entry " entry " has a gap: " gap[entry]
			late = end[entry] - at[line]
			# Values repeat after ten.
			if (late < -early || (late > 5 * cycle && !entry))
				return "entry " entry " is late by " late " s"
			line++
		}
		return ""
	}
	FNR == 1 { file++ }
	file == 1 {
		lines++
		at[lines] = seconds($3)
		lost[lines] = $4 == "lost"
		for (i = 0; i < 3; i++)
			truth[lines, i] = $(column + i)
		next
	}
	{
		split($0, cell, ",")
		if (cell[1] != "value")
			next
		entries = cell[4] + 1
		end[cell[4]] = seconds(cell[7])
		gap[cell[4]] = cell[8] + 0
		place = cell[9] == "Utrms" ? 0 : cell[9] == "Itrms" ? 1 : 2
		value[cell[4], place] = cell[12]
	}
	END {
		for (first = 1; first <= lines && entries; first++) {
			why = fits(first)
			if (why == "") {
				print entries, losses
				exit 0
			}
			print "from cycle " first " on: " why
		}
		exit 1
	}' "$4" "$5"
}

# A node is what the meter wrote down of its channel: NUMBER
agrees() {
	"$hdtrace" dump --only=stats --format=csv --node="n$1" run \
		>"dump$1" || return 1
	if compare "$((2 + 3 * (($1 + 1) / 2)))" "$length" "$early" log \
		"dump$1" >found; then
		tail -1 found | tee last
		return
	fi
	cat found log "dump$1"
	return 1
}

# What hdtrace stat says of so many entries obeys the law of the meter: 230 V and
# half an ampere more for each channel, and a power from their product to 9 %
# above it: ENTRIES
lawful() {
	cat stats
	awk -F, -v entries="$1" '
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	{
		node = substr($1, 2)
		least = most = $3 == "Utrms" ? 230 + node : node / 2
		if ($3 == "P") {
			least *= 230 + node
			most = least * 1.09
		}
		good += $(column["count"]) == entries &&
			$(column["min"]) > least * 0.999 &&
			$(column["max"]) < most * 1.001
	}
	END { exit good != 6 || NR != 7 }' stats
}

# Trace for SECONDS what a meter with OPTION... sends every CYCLE ms, with a LINE
# in the configuration; gaps are found by METHOD, and there are some:
# SECONDS CYCLE METHOD LINE OPTION...
traces() {
	seconds=$1 cycle=$2 method=$3 line=$4
	shift 4
	length=$(echo "$cycle" | awk '{ print $1 / 1000 }')
	early=$(echo "$length" | awk '{ print $1 / 2 }')
	warnings=0
	case "$*" in
	# Times are laid on a grid of the cycle that was asked for.
	*--drift=*) early=$length ;;
	esac
	case "$line $*" in
	*counter=off*) ;;
	*--count=*) warnings=1 ;;
	esac
	rm -rf meter meter.* log run* dump*
	python3 "$meter" --link="$PWD/meter" --log="$PWD/log" "$@" \
		>meter.out 2>&1 &
	pid=$!
	until_done grep -q ready meter.out && config "$cycle" "$line" >pt.cfg
	timeout 100 "$pt" -c pt.cfg -d "$seconds" 2>pt.err
	result=$?
	kill "$pid"
	wait "$pid"
	cat meter.out pt.err
	[ "$result" -eq 0 ] && "$hdtrace" check run || return 1
	agrees 1 && agrees 3 || return 1
	read -r entries lost <last
	[ "$entries" -ge 2 ] && [ "$lost" -ge 1 ] &&
		grep -q " $entries readings, $lost lost, " pt.err &&
		grep -aq " gapsFoundBy=\"$method\"" run_n1_Energy.stat &&
		[ "$(grep -c 'COUNT? does not count' pt.err)" -eq "$warnings" ] &&
		"$hdtrace" stat --format=csv run >stats && lawful "$entries"
}

# How late a process is that wants to be woken every 5 ms, whenever that is more
# than 10 ms: time and lateness in seconds.
python3 - >late <<'END' &
import time

while True:
    before = time.monotonic()
    time.sleep(0.005)
    late = time.monotonic() - before - 0.005
    if late > 0.01:
        print("%.6f %.6f" % (time.time(), late), flush=True)
END
watch=$!
trap 'kill "$watch" 2>/dev/null; rm -rf "$scratch"' EXIT

# Print how late it was at the most since a time; fail if that is less than half a
# cycle: what a row says then is not the machine's doing: TIME CYCLE
was_late() {
	awk -v since="$1" -v cycle="$2" '
		$1 >= since && $2 > most { most = $2 }
		END {
			printf "%.0f ms\n", 1000 * most
			exit 1000 * most < cycle / 2
		}' "$scratch/late"
}

# Rows do not take much but time, so several run at once, each in a directory of
# its own, and once. A machine that is busy makes losses, by time alone, that are
# none, and does not open a meter in its two seconds: only a row that fails while
# the machine let a process wait for half a cycle is tried again, and says so:
# DIRECTORY ARGUMENT...
row() {
	mkdir "$1" && cd "$1" || return 1
	shift
	for try in 1 2 3 4 5; do
		since=$(date +%s.%N)
		traces "$@" && return 0
		late=$(was_late "$since" "$2") || {
			echo "it failed, and nothing was late ($late)"
			return 1
		}
		echo "once more (after $try): a process was woken $late late"
	done
	return 1
}

# Begin one: NAME ARGUMENT...
rows=0
all=
begin() {
	rows=$((rows + 1))
	echo "$1" >"$rows.title"
	shift
	(
		# Those of the shell around it are not for this one.
		trap - EXIT
		row "$rows.d" "$@" && : >"$scratch/$rows.good"
	) >"$rows.log" 2>&1 &
	all="$all $!"
}

shown() {
	cat "$1.log"
	[ -e "$1.good" ]
}

# Cycles are counted on from the first that the meter sends, before tracing.
few=--lose=9,11,13,15,17,19
some=--lose=20,21,25
if [ -n "${HDTRACE_TEST_LONG-}" ]; then
	begin "packed, 2.5 s" 13 2500 counter '' $few
	begin "ASCII, 2.5 s, COUNT?: zero" 13 2500 time mode=ascii $few \
		--count=zero
fi
long=$all
all=
for blocks in one each; do
	begin "packed, 50 ms, blocks: $blocks" 2 50 counter '' \
		--blocks=$blocks $some
	for count in zero error values stuck none; do
		begin "packed, 50 ms, blocks: $blocks, COUNT?: $count" \
			2 50 time '' --blocks=$blocks --count=$count $some
	done
done
# shellcheck disable=SC2086
wait $all
begin "packed, 100 ms" 3 100 counter '' $some
begin "ASCII, 100 ms" 3 100 counter mode=ascii $some
begin "around 65536" 2 50 counter '' $some --start-count=65515
begin "cycles that are too long by 2 %" 2 50 counter '' $some --drift=20000
begin "counter=off" 2 50 time counter=off $some
for count in zero error values stuck none; do
	begin "ASCII, 100 ms, COUNT?: $count" 3 100 time mode=ascii \
		--count=$count $some
done
begin "cycles that are too long by 2 %, COUNT?: zero" 2 50 time '' \
	$some --drift=20000 --count=zero
# shellcheck disable=SC2086
wait $all $long
for number in $(seq "$rows"); do
	ok "$(cat "$number.title")" shown "$number"
	! grep -h '^once more' "$number.log" | sed 's/^/# /' | grep .
done
done_testing
