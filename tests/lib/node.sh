# Tests with daemons of nodes; sourced after tap.sh.
# shellcheck shell=sh
# shellcheck disable=SC2154 # scratch is in tap.sh
# SPDX-License-Identifier: LGPL-2.1-or-later
hdnode=${abs_top_builddir:?}/hdnode
unset HDNODE_VERBOSITY
# Nothing is written beside the scripts, which may be read-only.
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
daemons=
[ -x "$hdnode" ] || skip_all "hdnode was not built: libjansson-dev is missing"

# What a test that failed has left running.
end_daemons() {
	# shellcheck disable=SC2086
	[ -z "$daemons" ] || kill -KILL $daemons 2>/dev/null
	rm -rf "$scratch"
}
trap end_daemons EXIT

# Whether what was begun serves, or is no more.
serves_or_ended() {
	grep -qs 'serving at' "$log" || ! kill -0 "$begun" 2>/dev/null
}

# Begin something that says where it serves: NAME COMMAND... Its number is in
# $begun, its port in $port, and what it says in NAME.log.
# shellcheck disable=SC2034 # for tests
begin_as() {
	log=$1.log
	shift
	# What was there before has said it, too.
	rm -f "$log"
	"$@" >"$log" 2>&1 &
	begun=$!
	daemons="$daemons $begun"
	until_done serves_or_ended
	grep -qs 'serving at' "$log" || { cat "$log"; return 1; }
	port=$(sed -n 's/.*serving at .*:\([0-9]*\)$/\1/p' "$log" | head -n 1)
}

# Begin a daemon: NAME OPTION...
begin_node() {
	name=$1
	shift
	begin_as "$name" "$hdnode" --listen=127.0.0.1:0 --name="$name" \
		--smartctl= --power= "$@"
}

# End a daemon within 5 s, with success: NUMBER
end_node() {
	kill "$1"
	ended=0
	until ! kill -0 "$1" 2>/dev/null; do
		sleep 0.02
		ended=$((ended + 1))
		# A machine that is busy has no time of its own.
		[ "$ended" -lt 1500 ] || return 1
	done
	wait "$1"
}

# Look at the JSON in the file out: EXPRESSION of python, with "by" the nodes by
# their names.
json_says() {
	python3 - "$1" <<-'END'
		import json, sys
		d = json.load(open("out"))
		by = {n["name"]: n for n in d["nodes"]}
		if not eval("(" + sys.argv[1] + ")"):
		    print(sys.argv[1])
		    print(json.dumps(d, indent=1)[:4000])
		    sys.exit(1)
	END
}
