#!/bin/sh
# The file of pt's Unix socket: what else is at its path stays, at the start and
# at the end.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/service.sh"
cd "$scratch" || exit 99
trap 'kill $pid $more 2>/dev/null; rm -rf "$scratch"' EXIT
more=

cat >good.cfg <<END
[Server]
listen=unix:$scratch/socket
[Device]
name=d1
driver=sim
cycle=10
[Line]
device=d1
node=n1
channel=1
END

# What a path is: its inode, type, size and where it points to.
identity() {
	stat -c '%i %F %s %u' "$1" 2>/dev/null || echo nothing
	readlink "$1"
}

# The start fails, says why, and leaves what is there: WHY.
stays() {
	identity socket >before
	timeout 60 "$pt" -c good.cfg >log 2>&1
	found=$?
	identity socket >after
	cat log before after
	[ "$found" -ne 0 ] && [ "$found" -ne 124 ] && cmp before after &&
		grep -qF "listen=unix:$scratch/socket: $1" log
}

# A service that is killed leaves its socket.
leave_socket() {
	begin -c good.cfg || return 1
	kill -9 "$pid"
	wait "$pid"
	pid=
	[ -S socket ]
}

regular() {
	echo precious >socket
	stays 'the path is a regular file' && grep -qx precious socket
}

directory() {
	rm -f socket && mkdir socket || return 1
	stays 'the path is a directory'
	found=$?
	rmdir socket
	return "$found"
}

links() {
	leave_socket && mv socket other && ln -s other socket &&
		stays 'the path is a symbolic link' && [ -S other ] &&
		rm other && stays 'the path is a symbolic link' &&
		echo precious >other && stays 'the path is a symbolic link' &&
		grep -qx precious other || return 1
	rm socket other
}

fifo() {
	mkfifo socket && stays 'the path is a FIFO' && rm socket
}

live() {
	begin -c good.cfg || return 1
	cp log first
	stays 'another service listens on it' || return 1
	cp first log
	end && ! [ -e socket ]
}

foreign() {
	leave_socket && chown 65534 socket &&
		stays 'the socket belongs to another user' && rm socket
}

left_behind() {
	leave_socket && begin -c good.cfg && end && ! [ -e socket ]
}

# A group that is not there: nothing is left behind.
no_group() {
	sed 's/^\[Device\]/socketGroup=no-such-group\n&/' good.cfg >group.cfg
	timeout 60 "$pt" -c group.cfg >log 2>&1
	found=$?
	cat log
	[ "$found" -ne 0 ] && grep -q 'no such group' log && ! [ -e socket ]
}

# At the end something else is there.
replaced() {
	begin -c good.cfg && rm socket && echo precious >socket && end &&
		grep -qx precious socket && rm socket || return 1
	begin -c good.cfg && mv socket old || return 1
	first=$pid
	pid=
	begin -c good.cfg || return 1
	kill "$first" && wait "$first" || return 1
	[ -S socket ] && end && ! [ -e socket ] && rm old
}

# Several find what one has left: one gets it, and keeps it.
race() {
	for round in 1 2 3; do
		leave_socket || return 1
		# What those of the round before have said is not meant.
		rm -f log?
		more=
		for one in 1 2 3 4; do
			PT_VERBOSITY=2 "$pt" -c good.cfg >"log$one" 2>&1 &
			more="$more $!"
		done
		until_done race_is_over || return 1
		echo "round $round"
		cat log?
		[ "$(cat log? | grep -c 'serving at unix')" -eq 1 ] || return 1
		[ -S socket ] || return 1
		# shellcheck disable=SC2086 # They are several.
		kill $more 2>/dev/null
		# shellcheck disable=SC2086
		wait $more
		more=
		[ ! -e socket ] || return 1
	done
}

race_is_over() {
	[ "$(cat log? 2>/dev/null | grep -c 'serving at unix\|listen=unix')" -eq 4 ]
}

ok "a regular file stays" regular
rm -f socket
ok "a directory stays" directory
ok "symbolic links and their targets stay" links
rm -f socket other
ok "a FIFO stays" fifo
rm -f socket
ok "the socket of a running service stays" live
rm -f socket
if [ "$(id -u)" -eq 0 ]; then
	ok "a socket of another user stays" foreign
else
	skip "a socket of another user stays" "only root can make one"
fi
rm -f socket
ok "an abandoned socket is replaced" left_behind
ok "a start that fails leaves no socket" no_group
ok "a service removes no file that has replaced its socket" replaced
ok "only one of several services replaces an abandoned socket" race
done_testing
