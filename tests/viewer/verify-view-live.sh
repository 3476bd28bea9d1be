#!/bin/sh
# Measures the time from a write to its picture in hdtrace view, and the memory of page
# and server: BUILD [SECONDS]
# SPDX-License-Identifier: LGPL-2.1-or-later
set -e
abs_top_builddir=$(cd "${1:?}" && pwd)
abs_top_srcdir=$(cd "$(dirname "$0")/../.." && pwd)
export abs_top_builddir abs_top_srcdir
. "$abs_top_srcdir/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
need_viewer
need_browser
need_view
cd "$scratch"
WRITER=$abs_top_builddir/tests/viewer/write-live
export WRITER
in_browser latency.mjs "${2:-300}"
