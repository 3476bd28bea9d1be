#!/bin/sh
# What comes of a page on paper, in Chromium.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
. "$abs_top_srcdir/tests/viewer/drawn-project.sh"
PDFTOPPM=$(command -v pdftoppm)
export PDFTOPPM
need_browser
show_drawn paper.mjs
