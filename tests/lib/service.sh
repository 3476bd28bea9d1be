# Tests with a power service that pt runs; sourced after tap.sh.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
pt=${abs_top_builddir:?}/pt
unset PT_VERBOSITY NOTIFY_SOCKET HDTRACE_PREFIX RUNTIME_DIRECTORY \
	XDG_RUNTIME_DIR HDTRACE_PT_SERVER HDTRACE_PT_TOKEN HDTRACE_PT_USER \
	HDTRACE_PT_CA HDTRACE_PT_FINGERPRINT
pid=

# Begin a service in the background: OPTION... It prints to log.
begin() {
	# What a test that failed has left would have the socket.
	[ -z "$pid" ] || end
	: >log
	PT_VERBOSITY=2 HDTRACE_FLUSH_MS=1 "$pt" "$@" >log 2>&1 &
	pid=$!
	until_done grep -q 'serving at unix' log || { cat log; return 1; }
}

# End it; it must end with success.
end() {
	kill "$pid"
	wait "$pid"
	found=$?
	pid=
	cat log
	[ "$found" -eq 0 ]
}
