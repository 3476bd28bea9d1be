#!/bin/sh
# Names and values that want to do harm, in a page in Chromium.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
. "$abs_top_srcdir/tests/viewer/hostile-project.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
need_viewer
need_browser
cd "$scratch" || exit 99
make_hostile
printf '0 %s\n1.5 %s\n' "$hostile" "$(repeat w 10000)" >borders
"$hdtrace" report -q --phases=borders --html page.html hostile >out
skip_sanitized
in_browser hostile.mjs "file://$scratch/page.html" "$hostile" "$hostile_node"
