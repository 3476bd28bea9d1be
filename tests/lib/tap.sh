# shellcheck shell=sh
# TAP for tests in shell: source it, call ok for every test point, done_testing
# at the end. Details of a failure go to the file "$details" (see ok).
# SPDX-License-Identifier: LGPL-2.1-or-later
tap_count=0
scratch=$(mktemp -d "${TMPDIR:-/tmp}/hdtrace-test.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM
details=$scratch/details

# Test point NAME: passes if COMMAND... succeeds; shows its output if not.
ok() {
	tap_name=$1
	shift
	tap_count=$((tap_count + 1))
	if "$@" >"$details" 2>&1; then
		echo "ok $tap_count - $tap_name"
	else
		echo "not ok $tap_count - $tap_name"
		sed 's/^/# /' "$details"
	fi
}

# Test point NAME cannot run here, because of REASON.
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# Nothing in this file can run here, because of REASON.
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# Run COMMAND... and expect its exit status: STATUS COMMAND... It prints to the
# files out and err.
exits() {
	expected=$1
	shift
	timeout 100 "$@" >out 2>err
	found=$?
	cat out err
	echo "exit status $found, expected $expected: $*"
	[ "$found" -eq "$expected" ]
}

# Wait until COMMAND... succeeds, for a minute at least.
until_done() {
	waited=0
	until "$@"; do
		sleep 0.02
		waited=$((waited + 1))
		[ "$waited" -lt 3000 ] || return 1
	done
}

# Whether a file has grown beyond a size: FILE BYTES
is_larger() {
	[ -s "$1" ] && [ "$(wc -c <"$1")" -gt "$2" ]
}

# The exit status says that the test ran; a failing one would count again.
done_testing() {
	echo "1..$tap_count"
	exit 0
}

# Cairo's fonts keep what fontconfig has read, which is no leak of ours.
fonts_are_kept() {
	echo leak:libfontconfig >"$scratch/suppressions"
	LSAN_OPTIONS=suppressions=$scratch/suppressions:print_suppressions=0
	export LSAN_OPTIONS
}
