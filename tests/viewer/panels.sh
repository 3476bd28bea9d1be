#!/bin/sh
# Panels about states and messages of a page in Chromium, selection, and row sizes.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
. "$abs_top_srcdir/tests/viewer/drawn-project.sh"
need_browser
show_drawn panels.mjs
