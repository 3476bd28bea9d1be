# shellcheck shell=sh
# What scripts that compare with another revision share: source it.
# SPDX-License-Identifier: LGPL-2.1-or-later

die() {
	echo "bench-compare: $*" >&2
	exit 2
}

# Run a command with its output in a file; on failure show the end of it.
quietly() {
	log=$1
	shift
	"$@" >"$log" 2>&1 && return
	tail -n 20 "$log" >&2
	die "this failed: $*; the log is $log"
}

# Say that a revision is missing: REVISION
need_revision() {
	[ -n "${1-}" ] || die "which revision? make bench-compare BASE=REV"
}
