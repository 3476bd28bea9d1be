#!/bin/sh
# The example program leaves a project that hdtrace merges, checks and reads.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: threads
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
heat=${abs_top_builddir:?}/doc/examples/heat
hdtrace=$abs_top_builddir/hdtrace
project=$scratch/heat
threads=3
steps=200

# The number of lines that match is as expected: NUMBER PATTERN FILE...
lines() {
	expected=$1
	pattern=$2
	shift 2
	found=$(cat "$@" | grep -c "$pattern")
	echo "expected $expected, found $found: $pattern"
	[ "$found" -eq "$expected" ]
}

# hdtrace stat prints a table with the name of a value.
stat_shows() {
	"$hdtrace" stat "$project.proj" >"$scratch/stat" || return 1
	cat "$scratch/stat"
	grep -q "$1" "$scratch/stat"
}

refuses() {
	! "$heat" "$project" "$@"
}

ok "heat runs" "$heat" "$project" $threads 64 $steps
ok "there is a trace of every thread" \
	lines $threads '^</Program>' "$project"_*.trc
ok "every step is a state" lines $((threads * steps)) '^<Step ' "$project"_*.trc
ok "checkpoints are events" \
	lines $((threads * 2)) "^<Event name='checkpoint'" "$project"_*.trc
ok "heat does not replace its files" refuses $threads 64 $steps
ok "heat refuses nonsense" refuses 0
ok "hdtrace merge" "$hdtrace" merge "$project"
ok "hdtrace check" "$hdtrace" check "$project.proj"
for value in CPU_USER CPU_SYSTEM MEM_RESIDENT; do
	ok "hdtrace stat shows $value" stat_shows $value
done
ok "hdtrace dump" "$hdtrace" dump "$project.proj"
done_testing
