#!/bin/sh
# hdtrace diagnose: projects that are made byte by byte, of which a second
# implementation (readers/diagnose.py) says what is so; and what it says to people.
# HDTRACE_TEST_SEED repeats chance, HDTRACE_TEST_LONG tries more.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
reader=$abs_top_srcdir/tests/tools/readers/diagnose.py
cd "$scratch" || exit 99
python3 -c '' 2>/dev/null || skip_all "there is no python3"
seeds=${HDTRACE_TEST_SEED:-1}
[ -z "${HDTRACE_TEST_LONG-}" ] || seeds=$(seq 1 20)

# WHAT
made() {
	python3 "$reader" "$hdtrace" "$1" "${2:-1}"
}

by_chance() {
	for seed in $seeds; do
		made chance "$seed" || { echo "HDTRACE_TEST_SEED=$seed"; return 1; }
	done
}

# The last project of readers/diagnose.py, seen by people: four servers, of which
# the last one has a slow way.
said() {
	made layers && status 0 diagnose -q --top=2 p.proj || return 1
	cat out
	[ "$(grep -c 's3_brick is slow in REQ: ' out)" -eq 1 ] &&
		grep -q '^Of all held operations, .* are in REQ\.$' out &&
		grep -q '^The longest request:$' out &&
		grep -q '^The next:$' out
}

csv() {
	status 0 diagnose -q --format=csv p.proj || return 1
	cat out
	[ "$(head -n 1 out | cut -d , -f 1-5)" = node,layer,mean,max,held ] &&
		[ "$(wc -l <out)" -eq 13 ]
}

few() {
	status 0 diagnose -q -n s1 -n s2 p.proj || return 1
	cat out
	grep -q '^Fewer than 3 comparable nodes' out &&
		grep -q '^No outlier\.$' out
}

refused() {
	status 2 diagnose --top=-1 p.proj && status 2 diagnose -n nobody p.proj &&
		status 2 diagnose --from=3 --to=2 p.proj &&
		status 2 diagnose -g nothing p.proj && status 2 diagnose none.proj
}

# The message says what a layer is, and how one is recorded.
no_layers() {
	(make_mini) && status 2 diagnose mini && cat "$scratch/err" &&
		grep -q '^hdtrace diagnose: mini: the project has no layers; record ' \
			"$scratch/err"
}

ok "mean, maximum, idle fraction and bytes equal the values by hand" made hand
ok "random gauges agree with a plain computation, also in intervals" by_chance
ok "held operations and outliers are found" made layers
ok "requests show the calls that caused them" made caused
ok "a project without relations is diagnosed" made gauges
ok "the rule for outliers is applied" made rule
ok "10,000 gauges are diagnosed" made crowd
ok "clock offsets are reported" made clocks
ok "damaged files and incomplete relations are reported" made damaged
ok "the verdict is explained" said
ok "CSV output has the expected columns" csv
ok "two nodes are not compared" few
ok "invalid arguments are refused" refused
ok "a project without layers is reported" no_layers
done_testing
