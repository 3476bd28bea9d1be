#!/bin/sh
# What hangs holds up neither who asks nor the end: here a file of a process that
# nobody writes to, as a disk that does not answer.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/node.sh"
cd "$scratch" || exit 99

mkdir -p root/proc/1 && mkfifo root/proc/1/stat || exit 99
begin_node stuck --root="$scratch/root" --interval=0.1 ||
	{ echo "Bail out! no node"; exit 1; }
node=$begun
# Opened on both sides, and silent.
sh -c 'exec 9>root/proc/1/stat && : >opened && exec sleep 190' &
daemons="$daemons $!"
until_done [ -e opened ] || { echo "Bail out! nobody reads"; exit 1; }

answers() {
	timeout 100 "$hdnode" collect --format=json "127.0.0.1:$port" >out &&
		grep -q '"status"' out
}

ends() {
	kill "$node"
	wait "$node"
	status=$?
	cat stuck.log
	[ "$status" -eq 1 ] && grep -q 'an operation hangs' stuck.log
}

ok "clients get answers while a disk hangs" answers
ok "the daemon ends and reports the operation that hangs" ends
done_testing
