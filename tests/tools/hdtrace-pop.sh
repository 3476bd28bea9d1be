#!/bin/sh
# Efficiencies of examples that are published, with their numbers.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
command -v python3 >/dev/null || skip_all "no python3"
cd "$scratch" || exit 99

published() {
	python3 "$abs_top_srcdir/tests/tools/readers/pop.py" "$hdtrace"
}
ok "efficiencies equal published examples" published
done_testing
