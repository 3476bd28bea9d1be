#!/bin/sh
# F12 and F13: daemons of nodes, and hdnode collect, which asks them: local without
# keys, one killed and one stalled, late joiners, a node that was booted, the clock.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: threads optional smoke
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/node.sh"
command -v python3 >/dev/null || skip_all "no python3"
cd "$scratch" || exit 99
here=$abs_top_srcdir/tests/collect

# Ask nodes: EXIT-STATUS ARGUMENT...
asks() {
	expected=$1
	shift
	exits "$expected" "$hdnode" collect --format=json "$@"
}

begin_node alpha || { echo "Bail out! no daemon"; exit 1; }
alpha=$port alphas=$begun
begin_as beta "$hdnode" --listen=localhost:0 --smartctl= --power= ||
	{ echo "Bail out! no daemon"; exit 1; }
beta=$port betas=$begun

# ---- What is fixed -----------------------------------------------------------

both_answer() {
	asks 0 "127.0.0.1:$alpha" "localhost:$beta" && json_says '
by["alpha"]["state"] == "ok" and by["localhost:'"$beta"'"]["state"] == "ok" and
all(0 <= n["age_s"] < 60 and 0 < n["offset_error_s"] < 60 and
    abs(n["offset_s"]) <= n["offset_error_s"] and n["boot_id"] and
    all(k in n for k in ("capabilities", "status", "health", "alarms"))
    for n in d["nodes"])'
}
ok "local daemons answer without keys" both_answer

# The option's value is not the next argument.
has_probes() {
	asks 0 --probes "127.0.0.1:$alpha" &&
		json_says 'by["alpha"]["probes"]["processes"] is not None'
}
ok "a node behind --probes is a node" has_probes

has_capabilities() {
	json_says '
abs(by["alpha"]["capabilities"]["memory_bytes"] -
    int(open("/proc/meminfo").read().split()[1]) * 1024) < 1 << 20 and
by["alpha"]["capabilities"]["cpus"] == len(__import__("os").sched_getaffinity(0))
and by["alpha"]["capabilities"]["model"] is not False'
}
if grep -q memory_bytes out; then
	ok "memory and CPUs agree with the kernel" has_capabilities
else
	skip "memory and CPUs agree with the kernel" "they are not said yet"
fi

all_usages() {
	asks 2 && asks 2 --timeout=0 "127.0.0.1:$alpha" && asks 2 ":" &&
		asks 2 --probes=no "127.0.0.1:$alpha" &&
		asks 2 --nodes=none && asks 2 --token=none "127.0.0.1:$alpha" &&
		exits 2 "$hdnode" --listen=nonsense &&
		exits 2 "$hdnode" --listen=192.0.2.1:0 && grep -q tokens err &&
		exits 2 "$hdnode" --listen=0.0.0.0:0 && grep -q tokens err &&
		exits 2 "$hdnode" --listen="127.0.0.1:$alpha" &&
		exits 2 "$hdnode" --config=none && exits 2 "$hdnode" nosuch
}
ok "wrong usage exits with 2" all_usages

metrics_are_good() {
	curl -sS -H 'Accept: */*' "http://127.0.0.1:$alpha/metrics" >scraped &&
		grep 'hdtrace_node_info{node="alpha"' scraped &&
		promtool check metrics <scraped
}
openmetrics_too() {
	curl -sS -H 'Accept: application/openmetrics-text' \
		"http://127.0.0.1:$alpha/metrics" >open &&
		[ "$(tail -n 1 open)" = "# EOF" ]
}
if ! command -v promtool >/dev/null || ! command -v curl >/dev/null; then
	skip "metrics are served on the same port" "no promtool or curl"
	skip "metrics are also served as OpenMetrics" "no promtool or curl"
elif ! curl -sS "http://127.0.0.1:$alpha/metrics" >/dev/null 2>&1; then
	skip "metrics are served on the same port" "built without libmicrohttpd"
	skip "metrics are also served as OpenMetrics" "built without libmicrohttpd"
else
	ok "metrics are served on the same port" metrics_are_good
	ok "metrics are also served as OpenMetrics" openmetrics_too
fi

a_table() {
	exits 0 "$hdnode" collect "127.0.0.1:$alpha" &&
		grep -q '^alpha  *ok' out
}
ok "the table lists the nodes" a_table

# ---- F13: one killed, one stalled --------------------------------------------

nobody() {
	python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
the_rest_arrive() {
	asks 1 --timeout=3 "127.0.0.1:$alpha" "127.0.0.1:$gone" \
		"127.0.0.1:$stalled" no-such-host.invalid && json_says '
by["alpha"]["state"] == "ok" and
by["127.0.0.1:'"$gone"'"]["state"] == "unreachable" and
by["127.0.0.1:'"$stalled"'"]["state"] == "late" and
by["no-such-host.invalid"]["state"] in
    ("unknown", "late") and
d["answered"] == 1 and by["127.0.0.1:'"$stalled"'"]["age_s"] is None'
}
gone=$(nobody)
begin_node gamma
stalled=$port stalls=$begun
kill -STOP "$stalls"
ok "killed, stalled and unresolvable nodes do not delay the others" \
	the_rest_arrive
kill -CONT "$stalls"

# ---- Again and again ---------------------------------------------------------

# Nodes come and go with the lines of a file: a pull each 0.05 s, until the JSON
# of the last one says so.
last_says() {
	tail -n 1 watched >out && [ -s out ] && json_says "$1" >/dev/null 2>&1
}
printf '127.0.0.1:%s # alpha\n\n' "$alpha" >nodes
"$hdnode" collect --format=json --nodes=nodes --interval=0.05 >watched \
	2>watched.err &
watcher=$!
daemons="$daemons $watcher"
joins_and_leaves() {
	until_done last_says 'len(by) == 1 and by["alpha"]["state"] == "ok"' &&
		echo "127.0.0.1:$stalled" >>nodes &&
		until_done last_says '"gamma" in by and d["answered"] == 2' &&
		echo "127.0.0.1:$stalled" >nodes &&
		until_done last_says 'list(by) == ["gamma"]'
}
ok "nodes are added and removed at run time" joins_and_leaves

is_stale() {
	kill -STOP "$stalls"
	until_done last_says 'by["gamma"]["state"] == "late" and
		by["gamma"]["age_s"] > 0 and by["gamma"]["status"] is not None'
	found=$?
	kill -CONT "$stalls"
	[ "$found" -eq 0 ] &&
		until_done last_says 'by["gamma"]["state"] == "ok"'
}
kill "$watcher"
"$hdnode" collect --format=json --nodes=nodes --interval=0.05 --timeout=0.5 \
	>watched 2>watched.err &
watcher=$!
daemons="$daemons $watcher"
until_done last_says 'by["gamma"]["state"] == "ok"'
ok "stale data keeps its values and shows its age" is_stale

is_back() {
	end_node "$stalls" &&
		until_done last_says 'by["gamma"]["state"] == "unreachable"' &&
		begin_as gamma "$hdnode" --listen="127.0.0.1:$stalled" \
			--name=gamma --smartctl= --power= &&
		until_done last_says 'by["gamma"]["state"] == "ok" and
			by["gamma"]["restarts"] == 1'
}
ok "a restarted daemon is found again and counted" is_back
kill "$watcher"
wait "$watcher"

# ---- The end -----------------------------------------------------------------

ok "SIGTERM ends the first daemon" end_node "$alphas"
ok "SIGTERM ends the second daemon" end_node "$betas"

# ---- Who may configure -------------------------------------------------------

begin_node owned
if [ "$(id -u)" -eq 0 ]; then
	ok "another user cannot configure, even through a closed socket" \
		python3 "$here/owner.py" "$port"
else
	skip "another user cannot configure" "root is needed to be another user"
fi
end_node "$begun"

# ---- F12: bytes, by another implementation -----------------------------------

# What a node calls itself is no further key of slurm.conf.
no_name() {
	begin_as hostile "$hdnode" --listen=127.0.0.1:0 \
		--name="n1 State=DOWN" --smartctl= --power= || return 1
	exits 1 "$hdnode" advise "127.0.0.1:$port" &&
		grep 'name of the node is not valid in Slurm' out && ! grep '^NodeName' out
}
ok "advise rejects names that are not valid in Slurm" no_name

other_name() {
	begin_as alias "$hdnode" --listen=127.0.0.1:0 --name=elsewhere \
		--smartctl= --power= || return 1
	exits 1 "$hdnode" advise "localhost:$port" "127.0.0.1:$port" && cat out &&
		grep '^# 127.* elsewhere: another node has the same name' out &&
		[ "$(grep -c '^NodeName=elsewhere ' out)" -eq 1 ]
}
ok "advise rejects a second node with the same name" other_name
names_are_distinct() {
	exits 0 "$hdnode" collect "localhost:$port" "127.0.0.1:$port" && cat out &&
		grep '^elsewhere (localhost:' out && grep '^elsewhere (127.0.0.1:' out
}
ok "two nodes with one name are distinct in the table" names_are_distinct
end_node "$begun"

begin_node bytes
ok "protocol traffic is small and only on request" \
	python3 "$here/daemon.py" "$port" "$begun"
ok "the daemon is still alive" end_node "$begun"
done_testing
