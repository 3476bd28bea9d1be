#!/bin/sh
# F7 and F8 on this machine, beside what others say of it: lscpu, free, df and
# node_exporter.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: both waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
say=${abs_top_builddir:?}/tests/node/say-node
[ -x "$say" ] || skip_all "there is no jansson"
python=${PYTHON:-python3}
$python -c '' 2>/dev/null || skip_all "no python3"
cd "$scratch" || exit 99
export LC_ALL=C

# Let the node speak, and write down what it says, NAME VALUE in each line.
ask() {
	timeout 100 "$say" '' '' 2 200 >node.json 2>err && cat err || return 1
	$python - <<-'END' >node.txt
		import json
		node = json.load(open("node.json"))
		capabilities, status = node["capabilities"], node["status"]
		print("sections", *sorted(node))
		for key in "cpus", "cores", "packages", "vendor", "kernel":
		    print(key, capabilities[key])
		print("flags", *capabilities["flags"])
		print("memory", capabilities["memory_bytes"])
		print("swap", capabilities["swap_bytes"])
		print("total", status["memory"]["total_bytes"])
		print("available", status["memory"]["available_bytes"])
		for key in "path", "total_bytes", "free_bytes":
		    print(key, status["storage"][0][key])
		print("loads", *("%.2f" % load for load in status["load"]))
		print("nics", *sorted(nic["name"] for nic in status["nics"]))
	END
}

# What it has said: NAME
node() {
	sed -n "s/^$1 //p" node.txt
}

same() {
	[ "$(node "$1")" = "$2" ] || { echo "$(node "$1") $2"; return 1; }
}

# A number may have moved by a part of a whole meanwhile: EXPRESSION NUMBER MOST
near() {
	echo "$(node "$1") $2 $3"
	awk -v a="$(node "$1")" -v b="$2" -v most="$3" \
		'BEGIN { d = a - b; exit !(d <= most && -d <= most) }'
}

says() {
	ask && same sections "alarms capabilities config health probes status"
}

cpus() {
	lscpu -p=CPU,CORE,SOCKET | grep -v '^#' >lscpu.txt &&
		same cpus "$(wc -l <lscpu.txt)" &&
		same cores "$(cut -d, -f2 lscpu.txt | sort -u | wc -l)" &&
		same packages "$(cut -d, -f3 lscpu.txt | sort -u | wc -l)" &&
		same flags "$(lscpu | sed -n 's/^Flags: *//p' | tr -s ' ')" || return 1
	# Of others lscpu knows names for what the kernel has numbers for.
	case $(uname -m) in
	x86_64 | i?86) same vendor "$(lscpu | sed -n 's/^Vendor ID: *//p')" ;;
	esac
}

memory() {
	free -b >free.txt && cat free.txt &&
		same memory "$(awk '/^Mem:/ { print $2 }' free.txt)" &&
		same swap "$(awk '/^Swap:/ { print $2 }' free.txt)" &&
		same total "$(awk '/^Mem:/ { print $2 }' free.txt)" &&
		near available "$(awk '/^Mem:/ { print $7 }' free.txt)" \
			"$(awk '/^Mem:/ { print $2 / 5 }' free.txt)"
}

storage() {
	df -B1 --output=size,avail "$(node path)" | tail -n 1 >df.txt && cat df.txt &&
		same total_bytes "$(awk '{ print $1 }' df.txt)" &&
		near free_bytes "$(awk '{ print $2 }' df.txt)" \
			"$(awk '{ print $1 / 20 }' df.txt)"
}

listens() {
	port=$(sed -n 's/.*Listening on.*127.0.0.1:\([0-9]*\).*/\1/p' exporter.log)
	[ -n "$port" ]
}

# Start node_exporter at a port that is free; $port is that.
start_exporter() {
	prometheus-node-exporter --web.listen-address=127.0.0.1:0 \
		>exporter.log 2>&1 &
	exporter=$!
	trap 'kill $exporter 2>/dev/null; rm -rf "$scratch"' EXIT
	until_done listens || { cat exporter.log; return 1; }
}

scrape() {
	curl -sf "http://127.0.0.1:$port/metrics" >"$1"
}

# Print the values of a metric with a text in its labels: NAME TEXT FORMAT FILE
metric() {
	awk -v name="$1" -v text="$2" -v format="$3" \
		'($1 == name || index($1, name "{") == 1) && index($0, text) { printf format, $2 }' "$4"
}

loads() {
	metric node_load1 '' '%.2f ' "$1"
	metric node_load5 '' '%.2f ' "$1"
	metric node_load15 '' '%.2f' "$1"
}

# The load is computed every five seconds: it is what it was before, or after,
# unless a busy machine took longer.
has_loads() {
	scrape before && ask && scrape after &&
		{ same loads "$(loads before)" || same loads "$(loads after)"; }
}

# It leaves out what containers have.
same_storage() {
	size=$(metric node_filesystem_size_bytes "mountpoint=\"$(node path)\"" \
		%.0f after)
	[ -z "$size" ] || same total_bytes "$size"
}

compares() {
	start_exporter || return 1
	has_loads || has_loads || has_loads || has_loads || has_loads || return 1
	same memory "$(metric node_memory_MemTotal_bytes '' %.0f after)" &&
		same swap "$(metric node_memory_SwapTotal_bytes '' %.0f after)" &&
		same cpus \
			"$(grep -c 'node_cpu_seconds_total{.*mode="idle"' after)" &&
		same kernel \
			"$(sed -n 's/^node_uname_info.*release="\([^"]*\)".*/\1/p' after)" &&
		same_storage &&
		same nics "$(sed -n 's/^node_network_up{device="\([^"]*\)".*/\1/p' \
			after | sort | tr '\n' ' ' | sed 's/ $//')"
}

# Send so many bytes to ourselves.
send() {
	$python - "$1" <<-'END'
		import socket, sys, threading
		listener = socket.create_server(("127.0.0.1", 0))
		def take():
		    peer = listener.accept()[0]
		    while peer.recv(1 << 20):
		        pass
		taker = threading.Thread(target=take)
		taker.start()
		with socket.create_connection(listener.getsockname()) as peer:
		    peer.sendall(bytes(int(sys.argv[1])))
		taker.join()
	END
}

# In a network of its own, where nobody else sends: all bytes are counted, and
# little more, which is headers and acknowledgements.
transfers() {
	ip link set lo up && mkfifo in || return 1
	timeout 100 "$say" '' '' 0 100 <in >lo.json 2>lo.err &
	exec 9>in
	until_done grep -q begun lo.err && send 50000000
	exec 9>&-
	wait
	bytes=$($python -c 'import json
nics = json.load(open("lo.json"))["status"]["nics"]
print([n["in_bytes"] for n in nics if n["name"] == "lo"][0])')
	echo "$bytes"
	[ "$bytes" -ge 50000000 ] && [ "$bytes" -le 51000000 ]
}

if [ "${1-}" = transfers ]; then
	transfers
	exit
fi
here=$abs_top_srcdir/tests/node/here.sh

ok "hdnode serves all sections" says
if unshare -n ip link set lo up 2>/dev/null; then
	ok "sent bytes are counted" unshare -n sh "$here" transfers
else
	skip "sent bytes are counted" "no network of our own (not root, or no ip)"
fi
ok "CPUs agree with lscpu" cpus
if command -v free >/dev/null; then
	ok "memory agrees with free" memory
else
	skip "memory agrees with free" "no free (Debian: procps)"
fi
ok "storage agrees with df" storage
if [ -n "${HD_SANITIZE-}" ]; then
	skip "values agree with node_exporter" "once is enough, without sanitizers"
elif command -v prometheus-node-exporter >/dev/null && command -v curl >/dev/null; then
	ok "values agree with node_exporter" compares
else
	skip "values agree with node_exporter" "no node_exporter, or no curl"
fi
done_testing
