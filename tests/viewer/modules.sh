#!/bin/sh
# The modules of the viewer that need no browser: HDTraceTools/viewer/test.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
need_node
modules=$abs_top_srcdir/HDTraceTools/viewer

for test in "$modules"/test/*.test.js; do
	ok "$(basename "$test" .test.js)" "$node" --test "$test"
done
done_testing
