#!/bin/sh
# hdtrace delay --measure: load of this host, and power that follows it by a declared
# law, as late as declared, from lmg450-sim through libPT.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/sim.sh"
cd "$scratch" || exit 99
host=$(uname -n | tr -c 'A-Za-z0-9.\n' -)
cpu=$(taskset -cp $$ 2>/dev/null | sed 's/.*: *//; s/[,-].*//')
[ -n "$cpu" ] || cpu=0

# Power goes from 60 W to 110 W with the load, as many ms later: CYCLE LATE
measure() {
	rm -f edges
	sim_start --law="1:edges:$scratch/edges,low=60,high=110,late=$2" || return 1
	printf '[General]\ndevice=LMG450\nport=%s\ncycle=%s\n' "$PWD/meter" "$1" >pt.cfg
	printf '[Trace]\ntype=HDSTATS\nnode=%s\nchannel=1\nvalues=P\n' "$host" >>pt.cfg
	# Where projects go is said by the environment, too.
	HDTRACE_PREFIX=pre. HDLOAD_EDGES=$scratch/edges exits 0 "$hdtrace" delay --measure -c pt.cfg \
		-p "lag$2" --cpus="$cpu" --order="$3" --most=1 --format=csv
	measured=$?
	cp out "row$2"
	sim_stop
	return "$measured"
}

# The columns of the row: within a tenth of the cycle, and within what is said.
is_late() {
	awk -F, -v cycle="$1" -v late="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR == 2 {
			d = $at["delay_s"] * 1000 - late
			print "wrong by " d " ms"
			if (d < 0) d = -d
			good = d <= cycle / 10 && $at["delay_s"] != "" &&
				d <= $at["delay_error_s"] * 1000 &&
				$at["delay_error_s"] * 1000 < cycle
		}
		END { exit !good }' "row$2"
}
follows() {
	measure "$@" && is_late "$@"
}
ok "delay of 73 ms at a cycle of 50 ms" follows 50 73 5
# shellcheck disable=SC2016 # for awk
ok "power of the model matches the load" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	NR == 2 { exit !($at["idle_w"] > 59.5 && $at["idle_w"] < 60.5 &&
		$at["per_load_w"] > 49 && $at["per_load_w"] < 51) }' row73
ok "hdtrace check accepts the project" "$hdtrace" check pre.lag73
if [ -n "${HDTRACE_TEST_LONG-}" ]; then
	ok "delay of 31 ms at a cycle of 100 ms" follows 100 31 6
	ok "delay of 200 ms at a cycle of 100 ms" follows 100 200 6
fi

# It can be written, and is taken away then.
ok "delay --write" exits 0 "$hdtrace" delay --state=Load --write --most=1 pre.lag73
ok "delay attribute in the file" grep -aq ' delay="0\.07' "pre.lag73_${host}_Energy.stat"

while IFS='|' read -r name arguments text; do
	# Words of a row.
	# shellcheck disable=SC2086
	"$hdtrace" delay $arguments >out 2>err </dev/null
	found=$?
	ok "$name" [ $found -eq 2 ]
	ok "$name: the message" grep -qF -- "$text" err
done <<'END'
no meter|--measure|missing option: --config
a project that is there|--measure -c pt.cfg x|--measure: cannot be combined with a project; --project names the new one
a configuration that is not there|--measure -c none.cfg|no power was measured
a meter that is gone|--measure -c pt.cfg -p w|no power was measured
a state|--measure -c pt.cfg --state=x|--state: cannot be combined with --measure
an old project|--measure -c pt.cfg -p pre.lag73|no power was measured
a configuration for nothing|-c pt.cfg pre.lag73|--force require --measure
nothing at all||missing argument: PROJECT
END
nothing_left() {
	set -- w* delay*
	[ "$*" = 'w* delay*' ]
}
ok "no files remain after errors" nothing_left
done_testing
