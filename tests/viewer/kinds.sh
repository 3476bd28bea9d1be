#!/bin/sh
# Counters, deltas and gauges in a page in Chromium: what is drawn and shown.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
need_browser
need_viewer
cd "$scratch" || exit 99

# An entry: SECOND COUNTER DELTA GAUGE.
entry() {
	stamp $((1000000000 + $1))
	u32 "$2"
	u32 "$3"
	u32 "$4"
}

# A counter that goes back once, with a gap; a delta, a gauge.
{
	stat_header n K \
		'name="C" type="INT32" unit="B" kind="counter"' \
		'name="E" type="INT32" unit="J"' \
		'name="G" type="INT32" unit="W" kind="gauge"'
	stamp 1000000000
	entry 1 100 10 100
	entry 2 150 20 200
	entry 4 350 60 300
	entry 5 30 50 100
	entry 6 40 10 100
	gap 1000000008
	entry 9 90 30 100
	entry 10 95 10 100
} >k.stat
"$hdtrace" report -q --html page.html k.stat >out || exit 99
skip_sanitized
in_browser kinds.mjs "file://$scratch/page.html"
