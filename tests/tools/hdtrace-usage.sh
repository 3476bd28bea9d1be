#!/bin/sh
# hdtrace usage: phases of synthetic programs (readers/usage.py), in their utilization or
# named; several clocks; edits by hand.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
cd "$scratch" || exit 99
python3 -c '' 2>/dev/null || skip_all "there is no python3"

program() {
	python3 "$abs_top_srcdir/tests/tools/readers/usage.py" "$hdtrace" "$1" \
		"$abs_top_builddir/hdpower"
}
messages() {
	(make_mini)
	says 'missing option: --output' 2 usage mini &&
		says 'missing argument: PROJECT' 2 usage -o x.usage &&
		says 'cannot open' 2 usage -o x.usage none.proj && [ ! -e x.usage ]
}
table() {
	status 0 usage -f -o t.usage r1000-0 r2000-0 || return 1
	cat out
	grep -q '^Phases from regions, ' out && grep -q '^solve  *1000  *1 ' out &&
		grep -q 'usage: wrote t.usage$' err
}

ok "phases in the utilization: borders of 20 programs within 2 %" program found
ok "regions at two clocks: time, power, spread, sensitivity" program clocks
ok "parts, borders in a file, clocks that differ by little" program part
ok "edits by hand are kept" program edited
ok "table for people" table
ok "files and clocks that cannot be used" program errors
ok "errors in command lines" messages
done_testing
