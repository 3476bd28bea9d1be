#!/bin/sh
# hdtrace view in Chromium, of projects that are being written.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: threads optional
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
need_viewer
need_browser
need_view
cd "$scratch" || exit 99
WRITER=$abs_top_builddir/tests/viewer/write-live
export WRITER
in_browser live.mjs
