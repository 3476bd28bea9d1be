#!/bin/bash
# B6: what it costs to ask 64 daemons, each in a network of its own, and 2,000 nodes of
# software that answer real frames on connections that are kept; and 10,000
# connections to a daemon that say half of what they must.
# SPDX-License-Identifier: LGPL-2.1-or-later
if [ -z "${HD_NODE_NETWORK:-}" ] && command -v ip >/dev/null; then
	for how in -nm -rnm; do
		if unshare "$how" true 2>/dev/null; then
			HD_NODE_NETWORK=own exec unshare "$how" bash "$0"
		fi
	done
fi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/node.sh"
command -v python3 >/dev/null || skip_all "no python3"
cd "$scratch" || exit 99
ulimit -n "$(ulimit -Hn)"
[ "${HD_NODE_NETWORK:-}" != own ] || ip link set lo up

# What it costs, and not what other programs on this machine do to it.
first=
if nice -n -20 true 2>/dev/null; then
	first="nice -n -20"
fi
{
	printf 'ops '
	od -An -N 32 -tx1 /dev/urandom | tr -d ' \n'
	echo
} >tokens
chmod 600 tokens

# The table of a run: NODES-FILE WHAT OPTION. The first pull connects. A pull takes a second
# at most; where others have the CPUs, all that both sides do takes a second of one CPU
# at most.
ask_all() {
	# shellcheck disable=SC2086
	python3 - "$hdnode" "$1" "$2" "$3" "$daemons" $first <<-'END2'
		import json, resource, statistics, subprocess, sys
		hdnode, nodes, what, option, daemons = sys.argv[1:6]
		PULLS = 8
		def used():
		    """CPU time of all nodes, in s."""
		    total = 0
		    for pid in daemons.split():
		        for task in subprocess.run(
		                ["sh", "-c", "cat /proc/%s/task/*/schedstat" % pid],
		                stdout=subprocess.PIPE, text=True).stdout.splitlines():
		            total += int(task.split()[0])
		    return total / 1e9
		nodes_before = used()
		asked = resource.getrusage(resource.RUSAGE_CHILDREN)
		out = subprocess.run(
		    sys.argv[6:] + [hdnode, "collect", "--format=json", "--nodes=" + nodes,
		     option, "--interval=1", "--number=%d" % PULLS,
		     "--timeout=10"], stdout=subprocess.PIPE, check=True).stdout
		after = resource.getrusage(resource.RUSAGE_CHILDREN)
		theirs = (used() - nodes_before) / PULLS
		pulls = [json.loads(line) for line in out.splitlines()]
		count = len(pulls[-1]["nodes"])
		assert all(p["answered"] == count for p in pulls), \
		    [p["answered"] for p in pulls]
		kept = [p["took_s"] for p in pulls[1:]]
		ours = (after.ru_utime + after.ru_stime - asked.ru_utime -
		        asked.ru_stime) / PULLS
		last, first = ([n["received_bytes"] + n["sent_bytes"]
		                for n in p["nodes"]] for p in (pulls[-1], pulls[0]))
		size = (sum(last) - sum(first)) / count / (len(pulls) - 1)
		load = open("/proc/loadavg").read().split()[0]
		print("# | %s | %d | %.0f | %.0f (%.0f - %.0f) | %.0f | %.0f | %.0f | %s |" % (
		    what, count, pulls[0]["took_s"] * 1e3,
		    statistics.median(kept) * 1e3, min(kept) * 1e3,
		    max(kept) * 1e3, size, ours / count * 1e6, theirs / count * 1e6,
		    load))
		assert statistics.median(kept) <= 1 or ours + theirs <= 1, ours + theirs
	END2
}
measured() {
	ask_all "$@" >table 2>&1
	found=$?
	cat table
	return "$found"
}
point() {
	ok "$1: a query takes at most one second" measured "$2" "$1" "$3"
	grep '^# |' table
}

# A network for each daemon, behind one switch: NUMBER
network() {
	ip netns add "n$1" &&
		ip link add "v$1" type veth peer name eth0 netns "n$1" &&
		ip link set "v$1" master br0 up &&
		ip -n "n$1" addr add "10.77.1.$1/16" dev eth0 &&
		ip -n "n$1" link set eth0 up && ip -n "n$1" link set lo up
}
switch() {
	[ "${HD_NODE_NETWORK:-}" = own ] && mount -t tmpfs none /run &&
		ip link add br0 type bridge && ip addr add 10.77.0.1/16 dev br0 &&
		ip link set br0 up && mkdir /run/netns && network 1
}

# NUMBER COMMAND...: in its network, if there are any.
within() {
	where=127.0.0.$1
	if [ -n "$networks" ]; then
		[ "$1" -eq 1 ] || network "$1" || return 1
		inside="ip netns exec n$1"
		where=10.77.1.$1
	fi
}

networks=
if switch >switch.log 2>&1; then
	networks=yes
else
	echo "# no networks of their own; addresses of the loopback: $(tail -n 1 switch.log)"
fi
echo "# | | Nodes | First pull ms | Pulls ms | Bytes a node | CPU us a node, who asks | the node | load |"
for i in $(seq 1 64); do
	inside=
	within "$i" || exit 99
	# shellcheck disable=SC2086
	begin_as "d$i" $first $inside "$hdnode" "--listen=$where:6528" "--name=n$i" \
		--tokens=tokens --smartctl= --power= || exit 99
	echo "$where:6528"
done >real
point daemons real --token=tokens
"$hdnode" collect --format=json --token=tokens "$(head -n 1 real)" >one.json
python3 -c '
import json
json.dump(json.load(open("one.json"))["nodes"][0], open("said.json", "w"))'
# shellcheck disable=SC2086
kill $daemons
daemons=
base=$(python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
for i in 0 1 2 3 4 5 6 7; do
	# shellcheck disable=SC2086
	$first "$abs_top_builddir/tests/collect/many-nodes" 250 said.json "$base" \
		$((i * 250)) >"soft$i" 2>"soft$i.log" &
	daemons="$daemons $!"
done
all_serve() {
	[ "$(cat soft? | wc -l)" -eq 2000 ]
}
until_done all_serve || { cat soft?.log; exit 99; }
cat soft? >soft
point "of software" soft --timeout=10
# shellcheck disable=SC2086
kill $daemons
daemons=

# ---- Half of a hello, ten thousand times -------------------------------------

half_open() {
	python3 - "$1" "$2" "$hdnode" <<-'END2'
		import os, resource, socket, subprocess, sys
		port, pid, hdnode = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
		most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
		many = min(10000, most - 50)
		if many < 10000:
		    print("only %d files may be open: ulimit -Hn" % most)
		def is_heard():
		    return subprocess.run([hdnode, "collect", "--timeout=30",
		                           "127.0.0.1:%d" % port],
		                          stdout=subprocess.PIPE).returncode == 0
		held = []
		for i in range(many):
		    s = socket.create_connection(("127.0.0.1", port), 60)
		    try:
		        s.send(b"\x89HDN\x01\x00\x01")
		    except OSError:
		        pass # It was closed: there are too many.
		    held.append(s)
		    if i % 2500 == 2499:
		        assert is_heard(), i
		files = len(os.listdir("/proc/%d/fd" % pid))
		with open("/proc/%d/status" % pid) as f:
		    kb = [int(l.split()[1]) for l in f if l.startswith("RssAnon")][0]
		print("# %d connections: %d files, %d kB" % (many, files, kb))
		assert is_heard() and files < 1000 and kb < 65536
	END2
}
begin_as held "$hdnode" --listen=127.0.0.1:0 --name=held --smartctl= --power= ||
	exit 99
ok "10,000 incomplete connections do not block other clients" \
	half_open "$port" "$begun"
grep '^# ' "$details"
ok "the daemon ends" end_node "$begun"
done_testing
