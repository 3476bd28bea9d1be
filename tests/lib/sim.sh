# shellcheck shell=sh
# For tests of pt with lmg450-sim in place of a meter. Source it after tap.sh, in
# an empty directory. Its functions say whether they succeeded.
# SPDX-License-Identifier: LGPL-2.1-or-later
pt=${abs_top_builddir:?}/pt
lmg450_sim=$abs_top_builddir/tests/sim/lmg450-sim
hdtrace=$abs_top_builddir/hdtrace

# What a test that failed has left running.
sim_clear() {
	for sim_left in ${sim-} ${pt_pid-}; do
		kill "$sim_left" 2>/dev/null
	done
	wait
}
# shellcheck disable=SC2154 # scratch is in tap.sh
trap 'sim_clear; rm -rf "$scratch"' EXIT

# Start it: OPTION... Its port is a link "meter", and what it prints comes from
# descriptor 3.
sim_start() {
	rm -f sim.out
	mkfifo sim.out || return 1
	"$lmg450_sim" --link="$PWD/meter" "$@" >sim.out 2>sim.err &
	sim=$!
	exec 3<sim.out
	read -r _ <&3 || {
		cat sim.err
		return 1
	}
}

sim_stop() {
	exec 3<&-
	sim_left=$sim
	sim=
	kill "$sim_left" && wait "$sim_left"
}

# Print a configuration: CYCLE CHANNELS VALUES [LINE...]; the nodes are n1 to n4.
# Lines go into [General].
pt_config() {
	printf '[General]\ndevice=LMG450\nport=%s\ncycle=%s\nproject=run\n' \
		"$PWD/meter" "$1"
	echo topology=Node
	# All messages that the meter sends are to be in the files.
	echo counter=on
	pt_channels=$2
	pt_values=$3
	shift 3
	printf '%s\n' "$@"
	for pt_channel in $(seq "$pt_channels"); do
		printf '[Trace]\ntype=HDSTATS\nnode=n%d\nchannel=%d\n' \
			"$pt_channel" "$pt_channel"
		echo "values=$pt_values"
	done
}

# Start pt with the configuration pt.cfg; it writes files often.
pt_start() {
	rm -f run.proj run_*
	HDTRACE_FLUSH_MS=200 PT_VERBOSITY=2 "$pt" -c pt.cfg >pt.out 2>pt.err &
	pt_pid=$!
}

# Wait until so many entries have been written: NUMBER. How long that takes does
# not matter, as long as there are more and more.
pt_await() {
	pt_entries=-1
	pt_idle=0
	while [ "$pt_entries" -lt "$1" ]; do
		sleep 1
		pt_before=$pt_entries
		pt_entries=$(pt_count)
		if [ "$pt_entries" -gt "$pt_before" ]; then
			pt_idle=0
			continue
		fi
		pt_idle=$((pt_idle + 1))
		if [ "$pt_idle" -ge 60 ] || ! kill -0 "$pt_pid" 2>/dev/null; then
			echo "$pt_entries entries, expected $1; pt said:"
			cat pt.err
			return 1
		fi
	done
}

# Print how many entries n1 has.
pt_count() {
	pt_stat n1 P count
}

# Print a column of what hdtrace stat says: NODE VALUE COLUMN; 0 if there is no
# file yet.
pt_stat() {
	"$hdtrace" stat --format=csv run.proj 2>/dev/null | awk -F, \
		-v node="$1" -v name="$2" -v column="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
		$1 == node && $3 == name { found = $at }
		END { print found + 0 }'
}

# End it, and read its project.
pt_stop() {
	sim_left=$pt_pid
	pt_pid=
	if ! kill "$sim_left" || ! wait "$sim_left"; then
		cat pt.err
		return 1
	fi
	"$hdtrace" check run.proj
}
