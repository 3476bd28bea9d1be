#!/bin/sh
# A slowdown of 1.0 % that is put into paired runs is found, with an interval that
# contains it, in at least 17 of 20 series with fixed seeds.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
paired=$abs_top_srcdir/tests/bench/paired.py
cd "$scratch" || exit 99

ok "a slowdown of 1.0 % is found" python3 "$paired" --test

table() {
	printf '1 none 10\n1 fast 10.1\n2 none 20\n2 fast 20.4\n' >runs.txt
	python3 "$paired" none runs.txt | tee table
	# sqrt(1.01 x 1.02) = 1.014988
	grep -q '^| \*\*Impact, %\*\* | – | 1\.50 |$' table &&
		grep -q '^| Mean, s | 15\.00 | 15\.25 |$' table
}
ok "table of runs in turns" table

rejects() {
	printf '1 none 10\n%s\n' "$1" >runs.txt
	! python3 "$paired" none runs.txt 2>err && cat err && grep -q 'runs.txt:2: not a turn' err
}
ok "a line without seconds is rejected" rejects '2 none'
ok "a time of 0 s is rejected" rejects '2 none 0'
done_testing
