#!/bin/sh
# hdtrace view in Chromium: the numbers are those of hdtrace stat.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
need_viewer
need_browser
need_view
cd "$scratch" || exit 99
"$abs_top_builddir/tests/bench/make-project" --nodes=2 --ranks=2 \
	--records=8000 --values=160000 run || exit 99
printf '0 load\n0.5 solve\n1.5 write\n' >borders
start_view --no-browser --phases=borders run || exit 99
in_browser served.mjs "$url" run "$view"
kill "$view" 2>/dev/null
wait "$view"
