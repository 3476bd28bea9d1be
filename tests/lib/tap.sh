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

# The exit status says that the test ran; a failing one would count again.
done_testing() {
	echo "1..$tap_count"
	exit 0
}
