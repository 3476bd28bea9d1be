#!/bin/sh
# The power that hdnode shows is of the inputs that make up the node, also if a
# platform zone never advances, and is unknown until that can be told.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/node.sh"
command -v python3 >/dev/null || skip_all "no python3"
cd "$scratch" || exit 99
zones=$scratch/tree/sys/class/powercap
# No power service is at the usual places.
XDG_RUNTIME_DIR=$scratch
export XDG_RUNTIME_DIR
unset HDTRACE_PT_SERVER

# A zone that draws so many watts: DIRECTORY NAME WATTS.
zone() {
	mkdir -p "$zones/$1"
	echo "$2" >"$zones/$1/name"
	echo 99999999999999 >"$zones/$1/max_energy_range_uj"
	echo 00000000000000000000 >"$zones/$1/energy_uj"
	echo "$3" >"$zones/$1/watts"
}

# Let the counters grow with the time, until killed.
grow() {
	first=$(($(date +%s%N) / 1000))
	while :; do
		now=$(date +%s%N)
		for zone in "$zones"/*; do
			read -r watts <"$zone/watts"
			printf '%020d\n' $(((now / 1000 - first) * watts)) \
				1<>"$zone/energy_uj"
		done
		sleep 0.01
	done
}

# An expression of the node's power, a dictionary p.
power_is() {
	"$hdnode" collect --format=json "127.0.0.1:$port" >out 2>err || return 1
	python3 - "$1" <<'END'
import json, sys
p = json.load(open("out"))["nodes"][0]["status"]["power"]
print(p)
sys.exit(not eval(sys.argv[1]))
END
}

zone intel-rapl:0 package-0 50
zone intel-rapl:0:0 dram 5
zone intel-rapl:1 psys 0
grow &
daemons="$daemons $!"
begin_as node "$hdnode" --listen=127.0.0.1:0 --name=node --smartctl= \
	--root="$scratch/tree" || { cat node.log; exit 99; }
ok "power is never 0 W" power_is 'p["watts"] is None or p["watts"] > 10'
until_done power_is 'p["watts"] is not None' >/dev/null
ok "packages and memory" power_is '40 < p["watts"] < 70'
ok "the zone that never advances is not named" power_is \
	'p["source"] == "powercap package-0, package-0-dram"'
ok "the zone that never advances is left out for a reason" power_is \
	'p["left_out"] == [{"input": "psys", "reason": "its counter does not advance", "fault": True}]'
ok "energy of the same inputs" power_is 'p["joules"] > 20'
same_text() {
	"$hdnode" explain --root="$scratch/tree" >out &&
		"${abs_top_builddir:?}/pt" list --explain --root="$scratch/tree" | diff - out &&
		grep -qx 'Power of the node: powercap psys' out
}
ok "hdnode explain prints the text of pt" same_text
done_testing
