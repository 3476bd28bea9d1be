#!/bin/sh
# Names of nodes: one whose name server is silent keeps nobody waiting, what was found
# is not looked up again before a connection fails, and all addresses of a name are
# tried. In a network of its own, with its own hosts and name server.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: threads waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/node.sh"
command -v python3 >/dev/null || skip_all "no python3"
here=$abs_top_srcdir/tests/collect

if [ "${1-}" != inside ]; then
	command -v ip >/dev/null || skip_all "no ip"
	unshare -rnm sh -c 'ip link set lo up && mount -t tmpfs none /mnt' 2>/dev/null ||
		skip_all "no namespaces of our own"
	trap - EXIT
	rm -rf "$scratch"
	exec unshare -rnm sh "$here/names.sh" inside
fi
cd "$scratch" || exit 99
ip link set lo up
echo "nameserver 127.0.0.1" >resolv.conf
echo "hosts: files dns" >nsswitch.conf
printf '%s\n' "127.0.0.1 localhost" "::1 both" "127.0.0.1 both" \
	"127.0.0.1 moving" >hosts
for file in resolv.conf nsswitch.conf hosts; do
	mount --bind "$file" "/etc/$file" || skip_all "no /etc of our own"
done

begin_as dns python3 "$here/names.py" known.test=127.0.0.1 ||
	{ echo "Bail out! no name server"; exit 1; }
begin_node alpha || { echo "Bail out! no daemon"; exit 1; }
alpha=$port alphas=$begun
asks() {
	expected=$1
	shift
	exits "$expected" "$hdnode" collect --format=json "$@"
}

# Half of the time, and not all of it.
silent_is_late() {
	asks 1 --timeout=8 "127.0.0.1:$alpha" "known.test:$alpha" silent.test \
		none.test && json_says '
[n["state"] for n in d["nodes"]] == ["ok", "ok", "late", "unknown"] and
"name resolution timed out" in by["silent.test"]["why"] and
3.9 < d["took_s"] < 8'
}
ok "a silent name server delays no other node" \
	silent_is_late

# More than are looked up at once.
many_silent() {
	for i in $(seq 1 80); do
		echo "silent$i.test"
	done >silents
	asks 1 --timeout=6 --nodes=silents "127.0.0.1:$alpha" && json_says '
d["answered"] == 1 and d["took_s"] < 6 and
[n["state"] for n in d["nodes"]].count("late") == 80'
}
ok "many silent names delay no other node" many_silent

another_name() {
	exits 1 "$hdnode" advise "both:$alpha" && cat out &&
		grep '^# both:.* alpha: the node has another name than it was asked by' out &&
		! grep '^NodeName' out
}
ok "advise rejects a node with another name than it was asked by" another_name

looked_up_once() {
	before=$(grep -c 'asked known.test' dns.log)
	asks 0 --interval=0.05 --number=6 "known.test:$alpha" &&
		[ "$(grep -c 'asked known.test' dns.log)" -eq $((before + 1)) ]
}
ok "a resolved name is not resolved again" looked_up_once

# ::1 is the first one, and nobody listens there.
second_address() {
	asks 0 "both:$alpha" && json_says 'by["alpha"]["address"] == "both:'"$alpha"'"'
}
ok "every address of a name is tried" second_address

# Somebody is at the first one, who says nothing.
mute_address() {
	python3 - "$alpha" >mute.log <<-'END' &
		import socket, sys, time
		s = socket.create_server(("::1", int(sys.argv[1])), family=socket.AF_INET6)
		print("serving", flush=True)
		time.sleep(600)
	END
	mute=$!
	daemons="$daemons $mute"
	until_done grep -q serving mute.log
	asks 0 --timeout=6 "both:$alpha" && json_says '2.9 < d["took_s"] < 6'
	found=$?
	kill "$mute"
	return "$found"
}
ok "a silent address gets only its share of the timeout" mute_address

last_says() {
	tail -n 1 watched >out && [ -s out ] && json_says "$1" >/dev/null 2>&1
}
moves() {
	"$hdnode" collect --format=json --interval=0.1 --timeout=4 "moving:$alpha" \
		>watched 2>watched.err &
	watcher=$!
	daemons="$daemons $watcher"
	until_done last_says 'by["alpha"]["state"] == "ok"' &&
		begin_as beta "$hdnode" --listen="127.0.0.2:$alpha" --name=beta \
			--smartctl= --power= || return 1
	betas=$begun
	echo "127.0.0.2 moving" >hosts
	end_node "$alphas" && until_done last_says 'by["beta"]["state"] == "ok"'
	found=$?
	kill "$watcher"
	wait "$watcher"
	return "$found"
}
ok "a node with a new address is found again" moves
ok "the second daemon ends" end_node "$betas"
done_testing
