#!/bin/sh
# How fast 10,000 rows of two projects are in Chromium: verify-view-rows.sh
# [BUILD-DIRECTORY]. ROWS_NODES and ROWS_RANKS (on each) are those of each project,
# and TMPDIR must have room for both (500 MB). The exit status is 1 if a limit was
# passed: rows after 3 s, a frame in 20 ms in the middle, in 33 ms at the 99th
# percentile.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -u
# shellcheck disable=SC2034 # for what is sourced
abs_top_builddir=$(cd "${1:-.}" && pwd) || exit 2
abs_top_srcdir=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$abs_top_srcdir/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
need_viewer
need_view
need_browser
cd "$scratch" || exit 2
nodes=${ROWS_NODES:-100}
ranks=${ROWS_RANKS:-50}
for seed in 1 2; do
	"$abs_top_builddir/tests/bench/make-project" --nodes="$nodes" \
		--ranks="$ranks" --records=$((nodes * ranks * 400)) \
		--values=$((nodes * 20000)) --seed="$seed" "run$seed" || exit 2
done
in_browser rows.mjs $((2 * nodes * ranks)) 3000 20 33 run1 run2 >points
cat points
! grep -q "^not ok" points
