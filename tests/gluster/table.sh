#!/bin/sh
# The thesis' Table 6.1, theirs beside ours: nine clients write ten times 10 MiB each
# to four bricks, one of which is slow. make verify-gluster-table.
#
#     table.sh FILE     writes the table there
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/gluster.sh"
gluster_needed
gluster_translator || skip_all "the translator is not in this build"
result=$1
cd "$scratch" || exit 99
TMPDIR=$scratch
export TMPDIR

writes() {
	# $i is of the inner shell.
	# shellcheck disable=SC2016
	timeout 580 "$hdgluster" try --bricks=4 --slow=2 --project=table -- \
		sh -c 'for i in 1 2 3 4 5 6 7 8 9; do
			dd if=/dev/zero of=$i bs=10M count=10 2>/dev/null &
		done; wait' >said 2>&1
	status=$?
	cat said
	[ "$status" -eq 0 ]
}
ok "9 clients write 10 x 10 MiB each to 4 bricks, one slow" writes

table() {
	"$hdtrace" diagnose --format=json table >table.json &&
		python3 "$abs_top_srcdir/tests/gluster/table.py" table.json \
			brick2 >"$result"
	status=$?
	cat "$result"
	return "$status"
}
ok "REQ and TROVE of the slow brick have 5 times the median of other bricks" table
names() {
	grep 'brick2 is slow in TROVE' said
}
ok "hdtrace diagnose names the storage of the slow brick" names
done_testing
