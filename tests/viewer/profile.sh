#!/bin/sh
# The tables of states that hdtrace view makes are those of hdtrace report, and its pairs
# of ranks those of hdtrace stat --volume, for the whole run and for random intervals.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: threads
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
command -v python3 >/dev/null || skip_all "no python3"
need_viewer
need_view
cd "$scratch" || exit 99
seed=${HDTRACE_TEST_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
echo "# HDTRACE_TEST_SEED=$seed"
XDG_DATA_HOME=$scratch/data
export XDG_DATA_HOME

is_equal() {
	python3 "$abs_top_srcdir/tests/viewer/profile.py" "$url" "$hdtrace" "$1" "$2" "$seed"
}
"$abs_top_builddir/tests/bench/make-project" --nodes=2 --ranks=3 --records=900 \
	--values=2000 made || echo "make-project failed"
ok "view starts" start_view --no-browser made
ok "states and messages of intervals, as in report and stat" is_equal made 12
ok "view ends" end_view TERM
done_testing
