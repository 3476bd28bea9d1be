# shellcheck shell=sh
# For tests with the example relay. Source it after tap.sh.
# shellcheck disable=SC2154,SC2034 # scratch is in tap.sh; names are for tests
# SPDX-License-Identifier: LGPL-2.1-or-later
relay_server=${abs_top_builddir:?}/doc/examples/relay/relay-server
relay_client=$abs_top_builddir/doc/examples/relay/relay-client
relay_other=$abs_top_builddir/tests/relay/relay-server-other
hdtrace=$abs_top_builddir/hdtrace
servers=

relay_clear() {
	for server in $servers; do
		kill -9 "$server" 2>/dev/null
	done
	wait
}
trap 'relay_clear; rm -rf "$scratch"' EXIT

# Begin anew, in an empty directory with the name: NAME
scene() {
	relay_clear
	servers=
	count=0
	addresses=
	rm -rf "${scratch:?}/$1"
	mkdir "$scratch/$1" && cd "$scratch/$1" || exit 99
}

is_listening() {
	port=$(sed -n 's/^relay-server: port //p' "$1")
	[ -n "$port" ] && return 0
	kill -0 "$2" 2>/dev/null || { echo "it has ended"; cat "$3"; exit 99; }
	return 1
}

# Start a server, named s0, s1, ..., with its files in a directory of that name:
# [OPTION...]. $relay says which program.
start() {
	mkdir "s$count" || return 1
	"${relay:-$relay_server}" --name="s$count" "$@" "s$count" \
		>"s$count.out" 2>"s$count.err" &
	last=$!
	servers="$servers $last"
	until_done is_listening "s$count.out" "$last" "s$count.err" || return 1
	addresses=$addresses${addresses:+,}127.0.0.1:$port
	count=$((count + 1))
}

# Let a client do something: OPTION... OPERATION
client() {
	timeout 300 "$relay_client" --servers="$addresses" "$@"
}

# End all servers; each has to have nothing to say against it.
stop() {
	# shellcheck disable=SC2086 # process ids
	kill $servers
	for server in $servers; do
		wait "$server" || { echo "exit status $?"; cat ./*.err; return 1; }
	done
	servers=
	cat ./*.err >said
	cat said
	[ ! -s said ]
}

# Check what was written: CHECK [ARGUMENT...]
written() {
	check=$1
	shift
	python3 "$abs_top_srcdir/tests/relay/relay.py" "$check" p "$@"
}

# Whether the last server says, when it is asked, that so much is pending: it says
# one line each time: LINE
shows() {
	lines=$(wc -l <s0.out)
	kill -USR2 "$last" || return 1
	until_done has_lines $((lines + 1)) || return 1
	tail -n 1 s0.out
	[ "$(tail -n 1 s0.out)" = "$1" ]
}

has_lines() {
	[ "$(wc -l <s0.out)" -ge "$1" ]
}

# The project holds what belongs together, but for these rules: [RULE...]
checks() {
	"$hdtrace" merge -f p >merge.out 2>&1 || { cat merge.out; return 1; }
	"$hdtrace" check --format=csv p >check.out 2>check.err
	tail -n +2 check.out | grep -oE '(^|,)rel\.[a-z-]+' | tr -d , | sort -u \
		>rules
	printf '%s\n' "$@" | sed '/^$/d' | sort -u | diff - rules ||
		{ cat check.out check.err; return 1; }
}
