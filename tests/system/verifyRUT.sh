#!/bin/sh
# What libRUT records is what really happened: loads of known size, as in
# appendix D of the thesis, but shorter and judged by a program.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The loads of this test must be the only ones on this machine, or nearly so;
# what needs that is skipped elsewhere. Sizes: VERIFY_MIB (default 128; the
# thesis has 512), VERIFY_SECONDS (default 2).
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
rut=${abs_top_builddir:?}/rut
hdtrace=$abs_top_builddir/hdtrace
load=$abs_top_builddir/tests/system/load
mib=${VERIFY_MIB:-128}
seconds=${VERIFY_SECONDS:-2}
unset HDTRACE_PREFIX HDTRACE_GAPS RUT_BACKEND RUT_HDD_MOUNTPOINT
cd "$scratch" || exit 99

# Print a column of a value: VALUE COLUMN, for the last run.
get() {
	"$hdtrace" stat --format=csv run.proj | awk -F, -v name="$1" \
		-v column="$2" 'NR == 1 { for (i = 1; i <= NF; i++)
			if ($i == column) at = i }
		$3 == name { print $at }'
}

# A value is as expected: NAME FOUND EXPECTED TOLERANCE
near() {
	awk -v name="$1" -v found="$2" -v expected="$3" -v tolerance="$4" 'BEGIN {
		difference = found - expected
		if (difference < 0)
			difference = -difference
		print name ": " found ", expected " expected " +- " tolerance
		exit !(found != "" && difference <= tolerance)
	}'
}

# Test point NAME, with what was found: NAME COMMAND...
tell_ok() {
	ok "$@" >"$scratch/point"
	[ ! -s "$details" ] || sed 's/^/# /' "$details"
	grep -v '^#' "$scratch/point"
}

# The machine has nothing else to do.
is_idle() {
	"$load" idle >"$scratch/busy"
}

# Test point NAME, if the machine is idle before and still idle after it; a
# failure on one that is not says nothing.
idle_ok() {
	if ! is_idle; then
		skip "$1" "other programs use $(cat "$scratch/busy") % of the CPUs"
		return
	fi
	point=$1
	shift
	if "$@" >"$scratch/first" 2>&1; then
		tell_ok "$point" cat first
	elif is_idle; then
		tell_ok "$point" sh -c 'cat first; false'
	else
		skip "$point" "other programs have begun to run"
	fi
}

# Each CPU is loaded in turn; the others are not: CPU
one_cpu() {
	"$rut" -q -f -p run -i 50 -s cpu -- "$load" duty "$1" 100 "$seconds" \
		>truth || return 1
	near "CPU $1" "$(get "CPU_TOTAL_$1" mean)" "$(cat truth)" 2 || return 1
	for other in $cpus; do
		[ "$other" -eq "$1" ] ||
			near "CPU $other" "$(get "CPU_TOTAL_$other" mean)" 0 2 ||
			return 1
	done
}

# Print the mean and the standard deviation of the difference between what was
# recorded in each interval and what the load itself says that it did then:
# PERCENT INTERVAL
duty_difference() {
	"$rut" -q -f -p run -i "$2" -s cpu -- "$load" duty "$last_cpu" "$1" \
		"$seconds" log >/dev/null || return 1
	"$hdtrace" dump --only=stats --value "CPU_TOTAL_$last_cpu" \
		--format=csv run.proj | awk -F, '
		# CPU time used until a time.
		function used(time) {
			while (at < last && time > when[at + 1])
				at++
			part = (time - when[at]) / (when[at + 1] - when[at])
			return cpu[at] + part * (cpu[at + 1] - cpu[at])
		}
		FNR == NR {
			split($0, field, " ")
			last = FNR - 1
			when[last] = field[1]
			cpu[last] = field[2]
			next
		}
		$1 == "value" && $6 > when[0] && $7 < when[last] {
			before = used($6)
			wrong = $12 - 100 * (used($7) - before) / ($7 - $6)
			sum += wrong
			squares += wrong * wrong
			count++
		}
		END {
			if (count < 10)
				exit 1
			mean = sum / count
			print mean, sqrt(squares / count - mean * mean)
		}' log -
}

# A share of the time: PERCENT INTERVAL. What the machine does besides is not
# the fault of the trace; so the median of three runs counts.
duty_cycle() {
	rm -f differences
	for _ in 1 2 3; do
		duty_difference "$1" "$2" >>differences || return 1
	done
	near "mean, less that of the load" \
		"$(cut -d ' ' -f 1 differences | sort -g | sed -n 2p)" 0 1 &&
		near "standard deviation from the load" \
			"$(cut -d ' ' -f 2 differences | sort -g | sed -n 2p)" \
			0 3
}

# 4 and 2 parts of memory: what is used grows by that.
memory() {
	small=$((mib / 2))
	"$rut" -q -f -p run -i 50 -s mem --duration 0.5 || return 1
	before=$(get MEM_USED mean)
	"$load" memory "$mib" 60 >/dev/null &
	first=$!
	"$load" memory "$small" 60 >/dev/null &
	second=$!
	sleep 1
	"$rut" -q -f -p run -i 50 -s mem --duration 0.5
	after=$(get MEM_USED mean)
	kill "$first" "$second"
	wait "$first" "$second" 2>/dev/null
	bytes=$(((mib + small) * 1024 * 1024))
	near "memory" "$(awk "BEGIN { printf \"%.0f\", $after - $before }")" \
		"$bytes" $((bytes / 50))
}

disk() {
	bytes=$((mib * 1024 * 1024))
	"$rut" -q -f -p run -i 50 -s hdd -m "$mount" -- "$load" disk data \
		"$mib" || return 1
	near "written" "$(get HDD_WRITE sum)" "$bytes" $((bytes / 50)) &&
		near "read" "$(get HDD_READ sum)" "$bytes" $((bytes / 50))
}

# A veth pair into a network namespace.
network_make() {
	[ "$(id -u)" -eq 0 ] && command -v ip >/dev/null || return 1
	namespace=hdtrace-$$
	interface=hdt$(($$ % 1000000))
	ip netns add "$namespace" 2>/dev/null || return 1
	ip link add "$interface" type veth peer name eth0 netns "$namespace" \
		2>/dev/null &&
		ip addr add 198.18.7.1/30 dev "$interface" &&
		ip link set "$interface" up &&
		ip -n "$namespace" addr add 198.18.7.2/30 dev eth0 &&
		ip -n "$namespace" link set eth0 up
}

network_clear() {
	[ -z "${namespace-}" ] || ip netns delete "$namespace" 2>/dev/null
}
trap 'network_clear; rm -rf "$scratch"' EXIT

network() {
	bytes=$((mib * 1024 * 1024))
	rm -f port
	ip netns exec "$namespace" "$load" serve "$scratch/port" "$mib" &
	until [ -s port ]; do
		kill -0 $! || return 1
		sleep 0.02
	done
	"$rut" -q -f -p run -i 50 -s net -- "$load" call 198.18.7.2 \
		"$(cat port)" "$mib" || return 1
	wait $! || return 1
	near "sent" "$(get "NET_OUT_$interface" sum)" "$bytes" $((bytes / 50)) &&
		near "received" "$(get "NET_IN_$interface" sum)" "$bytes" \
			$((bytes / 50))
}

cpus=$(awk '/^cpu[0-9]/ { print substr($1, 4) }' /proc/stat | head -n 4)
last_cpu=$(echo "$cpus" | tail -n 1)
mount=$(df --output=target . | tail -n 1)

for cpu in $cpus; do
	idle_ok "CPU $cpu loaded" one_cpu "$cpu"
done
for interval in 10 20 100; do
	for percent in 10 50 90; do
		if "$rut" --list | grep -q 'CPU_UTIL .* stat '; then
			skip "$percent % of a CPU at $interval ms" \
				"there are only ticks here"
			continue
		fi
		idle_ok "$percent % of a CPU at $interval ms" duty_cycle \
			"$percent" "$interval"
	done
done
idle_ok "memory allocated" memory
if ! "$load" disk probe 1 >/dev/null 2>&1; then
	skip "disk written and read" "no direct I/O in $scratch"
elif ! "$rut" -q -f -p run -m "$mount" true 2>/dev/null; then
	skip "disk written and read" "$mount has no block device"
else
	idle_ok "disk written and read" disk
fi
# However long the interval; the median of 100 runs.
for interval in 1 10 100 1000 60000; do
	tell_ok "finalizing takes 50 ms at most, interval $interval ms" \
		"$load-finalize" "$interval" 100 50
done
if network_make; then
	tell_ok "sent and received over a veth pair" network
else
	skip "sent and received over a veth pair" "that needs root and ip"
fi
done_testing
