#!/bin/sh
# B5: what hdnode costs at one sample a second while nobody asks: CPU, memory that is
# its own, wake-ups, growth; what it costs to be read by Prometheus, beside
# node_exporter; and of F8 what needs a machine with nothing else to do.
# Prints rows for doc/measurements/performance.md. By make verify-node.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/node.sh"
seconds=${HDTRACE_TEST_SECONDS:-600}
cd "$scratch" || exit 99

# CPU time of all threads, in ns: PROCESS
cpu_of() {
	cat /proc/"$1"/task/*/schedstat | awk '{ n += $1 } END { print n }'
}
cpu() {
	cpu_of "$node"
}

# Times that a thread began to run: it was woken, or others had the CPU.
wakes() {
	cat /proc/"$node"/task/*/status |
		awk '/^voluntary_ctxt_switches/ { n += $2 } END { print n }'
}

# Memory that is its own, in kB: PROCESS
private_of() {
	awk '/^Private_(Clean|Dirty)/ { n += $2 } END { print n }' \
		/proc/"$1"/smaps_rollup
}
private() {
	private_of "$node"
}

begins() {
	begin_as soak "$hdnode" --listen=127.0.0.1:0 && node=$begun
}

# Look three times: after a begin, in the middle, at the end.
soaks() {
	sleep 15
	cpu0=$(cpu) wakes0=$(wakes) private0=$(private)
	sleep "$((seconds / 2))"
	private1=$(private)
	sleep "$((seconds / 2))"
	cpu1=$(cpu) wakes1=$(wakes) private2=$(private)
	[ -n "$cpu1" ] && [ -n "$private2" ]
}

fast() {
	awk -v ns=$((cpu1 - cpu0)) -v s="$seconds" 'BEGIN {
		part = ns / s / 1e7
		printf "%.4f %% of a core\n", part; exit !(part <= 0.1) }'
}

small() {
	echo "$private2 kB"
	[ "$private2" -le 10240 ]
}

# What libraries touch once is no growth: only what comes later is.
flat() {
	echo "$private0 $private1 $private2 kB"
	[ $((private2 - private1)) -le 256 ]
}

rows() {
	awk -v ns=$((cpu1 - cpu0)) -v s="$seconds" -v w=$((wakes1 - wakes0)) \
		-v a="$private0" -v b="$private1" -v c="$private2" \
		-v load="$(cut -d' ' -f1 /proc/loadavg)" 'BEGIN {
		printf "# | CPU, %% of a core | CPU s in an hour | wake-ups/s | " \
			"private kB at 15 s, half, end | seconds | load |\n"
		printf "# | %.4f | %.2f | %.2f | %d, %d, %d | %d | %s |\n",
			ns / s / 1e7, ns / s * 3.6e-6, w / s, a, b, c, s, load }'
}

# Read by HTTP, as Prometheus does, once a second: NAME PROCESS PORT
scraped() {
	before=$(cpu_of "$2")
	for _ in $(seq 1 20); do
		curl -sf "http://127.0.0.1:$3/metrics" >scraped || return 1
		sleep 1
	done
	awk -v name="$1" -v ns=$(($(cpu_of "$2") - before)) \
		-v kb="$(private_of "$2")" -v bytes="$(wc -c <scraped)" \
		-v values="$(grep -vc '^#' scraped)" 'BEGIN {
		printf "# | %s | %.2f | %d | %d | %d |\n",
			name, ns / 20e6, kb, values, bytes }'
}

listens() {
	exporter_port=$(sed -n \
		's/.*Listening on.*127.0.0.1:\([0-9]*\).*/\1/p' exporter.log)
	[ -n "$exporter_port" ]
}

beside() {
	prometheus-node-exporter --web.listen-address=127.0.0.1:0 \
		>exporter.log 2>&1 &
	exporter=$!
	daemons="$daemons $exporter"
	until_done listens || return 1
	{
		scraped hdnode "$node" "$port" &&
			scraped node_exporter "$exporter" "$exporter_port"
	} >table
	beside=$?
	kill "$exporter"
	return "$beside"
}

# A program that is busy on one CPU for some seconds makes one CPU busy.
burns() {
	timeout 8 sh -c 'while :; do :; done' &
	burner=$!
	sleep 3
	timeout 60 "$hdnode" collect --format=json "127.0.0.1:$port" >out &&
		json_says '0.95 <= d["nodes"][0]["status"]["cpu"]["busy_cpus"] <= 1.05'
	burnt=$?
	wait "$burner"
	return "$burnt"
}

is_idle() {
	sleep 2
	awk '/^cpu / { print $2 + $4, $5 }' /proc/stat >idle0
	sleep 2
	awk '/^cpu / { print $2 + $4, $5 }' /proc/stat | paste - idle0 |
		awk '{ exit !($1 - $3 <= ($2 - $4) / 50) }'
}

ok "hdnode starts" begins
ok "hdnode runs for $seconds seconds" soaks
ok "the daemon uses at most 0.1 % of a core" fast
ok "the daemon uses at most 10 MB of private memory" small
ok "memory use does not grow" flat
rows
if command -v prometheus-node-exporter >/dev/null && command -v curl >/dev/null; then
	ok "Prometheus reads hdnode next to node_exporter" beside
	echo "# | read once a second | CPU ms each | private kB | values | bytes |"
	cat table
else
	skip "Prometheus reads hdnode next to node_exporter" \
		"no node_exporter, or no curl"
fi
if is_idle; then
	ok "one busy CPU is reported as one" burns
else
	skip "one busy CPU is reported as one" "this machine has other things to do"
fi
ok "hdnode ends" end_node "$node"
done_testing
