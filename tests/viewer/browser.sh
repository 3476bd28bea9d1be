#!/bin/sh
# Pages and what is served, in Chromium: what is shown, and what one can do.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
need_viewer
need_browser
cd "$scratch" || exit 99
"$abs_top_builddir/tests/bench/make-project" --nodes=2 --ranks=2 \
	--records=8000 --values=32000 run || exit 99
printf '0 load\n0.5 solve\n1.5 write\n' >borders
"$hdtrace" report -q --phases=borders --html page.html run >out || exit 99
"$hdtrace" report -q --html reduced.html --max-size=300k run >out || exit 99
{
	stat_header node Energy 'name="P" type="FLOAT" unit="W" simulated="yes"'
	stamp 1000000000
	stamp 1000000001
	hex 42c80000
} >node_Energy.stat
"$hdtrace" report -q --html simulated.html node_Energy.stat >out || exit 99
skip_sanitized
in_browser shown.mjs "file://$scratch/page.html" run \
	"file://$scratch/reduced.html" "file://$scratch/simulated.html"
