#!/bin/sh
# Each property that evidence.list names has a test of that name, which is run.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
list=$abs_top_srcdir/tests/probe/evidence.list

# The rows of a list whose test is not there: LIST.
missing() {
	while read -r feature file name; do
		case $feature in
		'#'*) continue ;;
		esac
		grep -qF -- "\"$name\"" "$abs_top_srcdir/$file" ||
			grep -qE "^(ok|	ok) \"$name" "$abs_top_srcdir/$file" ||
			grep -qE "^(static bool )?$name\(" "$abs_top_srcdir/$file" ||
			echo "$feature: $file has no $name"
	done <"$1"
}

all_there() {
	missing "$list" >"$scratch/missing"
	cat "$scratch/missing"
	[ ! -s "$scratch/missing" ]
}

all_named() {
	for feature in counting clocks dispatch reset tables traces advice \
		sampling deadlines bench-clocks bench-threads bench-overhead \
		bench-advice; do
		grep -q "^$feature " "$list" || { echo "$feature"; return 1; }
	done
}

# Files of the list are run, but for benchmarks.
all_run() {
	sed -n '/^\(#\|bench-\)/d; s/^[a-z]* \([^ ]*\) .*/\1/p' "$list" | sort -u >"$scratch/files"
	while read -r file; do
		name=${file#tests/probe/}
		name=${name#doc/}
		grep -qF "%D%/${name%.c}" "$abs_top_srcdir/tests/probe/Makemodule.am" \
			"$abs_top_srcdir/doc/Makemodule.am" ||
			{ echo "$file"; return 1; }
	done <"$scratch/files"
}

found() {
	echo "counting tests/probe/test-probe.c /probe/nowhere" >"$scratch/list"
	[ -n "$(missing "$scratch/list")" ]
}

ok "each property has a test" all_named
ok "the tests exist" all_there
ok "the tests are run" all_run
ok "a missing test is detected" found
done_testing
