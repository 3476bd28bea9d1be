#!/bin/sh
# The numbers of pages are those of hdtrace stat: exact, or as close as they say.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
need_viewer
need_node
cd "$scratch" || exit 99

make_mini
mkdir made
"$abs_top_builddir/tests/bench/make-project" --nodes=3 --ranks=2 \
	--records=20000 --values=60000 made/run
"$hdtrace" report -q -o empty.html --max-size=1 mini >/dev/null
base=$(wc -c <empty.html)

# PAGE PROJECT INTERVALS
compare() {
	"$node" "$abs_top_srcdir/tests/viewer/numbers.mjs" "$hdtrace" "$@"
}

# Counters, deltas and gauges, in several chunks.
seed=${HDTRACE_TEST_SEED:-$$}
echo "# HDTRACE_TEST_SEED=$seed"
"$node" "$abs_top_srcdir/tests/viewer/kinds-project.mjs" kinds.stat 30000 "$seed" ||
	exit 99
for i in 1 2 3; do
	"$node" "$abs_top_srcdir/tests/viewer/kinds-project.mjs" "few$i.stat" 40 \
		"$((seed + i))" || exit 99
done

# Rates of a page of them, of all entries and zooms: PAGE
same_rates() {
	"$node" "$abs_top_srcdir/tests/viewer/levels.mjs" "$hdtrace" "$1" kinds.stat
}

# Numbers of a page: PROJECT INTERVALS [OPTION...].
same_numbers() {
	of=$1
	intervals=$2
	shift 2
	"$hdtrace" report -q --force -o page.html "$@" "$of" || return 1
	compare page.html "$of" "$intervals"
}

# A page that was reduced has numbers that are not exact; with no reduction,
# none: "reduced" or "exact", and the arguments of the above.
numbers_are() {
	kind=$1
	shift
	same_numbers "$@" >numbers
	ret=$?
	cat numbers
	[ "$ret" -eq 0 ] || return 1
	if [ "$kind" = exact ]; then
		grep -q ' 0 of them reduced' numbers
	else
		! grep -q ' 0 of them reduced' numbers
	fi
}

ok "numbers of a small project agree" numbers_are exact mini 8
ok "numbers of a larger project agree" numbers_are exact made/run 6
for size in 60000 150000 300000; do
	ok "numbers of a page of $size bytes agree" \
		numbers_are reduced made/run 4 --max-size=$((base + size))
done
# Panels about states and messages, of the page of the larger project.
panels_agree() {
	"$hdtrace" report -q --force -o states.html made/run || return 1
	"$node" "$abs_top_srcdir/tests/viewer/states.mjs" "$hdtrace" states.html \
		made/run 4 "$seed"
}
ok "panels about states and messages agree with hdtrace dump" panels_agree
ok "numbers of all kinds agree" \
	numbers_are exact kinds.stat 12
ok "gauges, counters and deltas are checked" grep -q ' 0 wrong; counter delta gauge$' numbers
ok "drawn rates agree at any zoom" same_rates page.html
for i in 1 2 3; do
	ok "numbers of few entries agree, $i" numbers_are exact "few$i.stat" 40
done
for size in 20000 200000 600000; do
	ok "numbers of all kinds in $size bytes agree" \
		numbers_are reduced kinds.stat 12 --max-size=$((base + size))
done
for project in stresstest partdiff-mpi; do
	if [ -d "$corpus/$project" ]; then
		ok "numbers of $project agree" numbers_are exact "$corpus/$project" 5
		ok "numbers of reduced $project agree" numbers_are reduced "$corpus/$project" \
			5 --max-size=$((base + 90000))
	else
		skip "numbers of $project agree" "no historic projects in $corpus"
	fi
done

# The same of what is served: PROJECT.
served_numbers() {
	start_view --no-browser "$1" || return 1
	compare "$url" "$1" 6
	ret=$?
	end_view TERM && return "$ret"
}

# The first entry of a chunk grew from one that is in the chunk before.
served_rates() {
	start_view --no-browser kinds.stat || return 1
	same_rates "$url"
	ret=$?
	end_view TERM && return "$ret"
}
if "$hdtrace" view 2>&1 | grep -q libmicrohttpd; then
	skip "served numbers agree" "hdtrace was built without libmicrohttpd"
	skip "served numbers of all kinds agree" "hdtrace was built without libmicrohttpd"
	skip "served rates agree" "hdtrace was built without libmicrohttpd"
else
	ok "served numbers agree" served_numbers made/run
	ok "served numbers of all kinds agree" served_numbers kinds.stat
	ok "served rates agree" served_rates
fi
done_testing
