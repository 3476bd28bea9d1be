#!/bin/sh
# Layers of nodes in a page in Chromium: what is listed and drawn, of a project in
# which one server of four has a slow disk (readers/diagnose.py).
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
need_browser
need_viewer
cd "$scratch" || exit 99
python3 -c '' 2>/dev/null || skip_all "there is no python3"
python3 "$abs_top_srcdir/tests/tools/readers/diagnose.py" "$hdtrace" disk ||
	exit 99
"$hdtrace" report -q --html page.html p.proj >out || exit 99
skip_sanitized
"$hdtrace" diagnose -q --format=json p.proj >found.json || exit 99
in_browser layers.mjs "file://$scratch/page.html" found.json
