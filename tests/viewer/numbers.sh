#!/bin/sh
# The numbers of pages are those of hdtrace stat: exact, or as close as they say.
# SPDX-License-Identifier: LGPL-2.1-or-later
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

ok "a small project" numbers_are exact mini 8
ok "a larger project" numbers_are exact made/run 6
for size in 60000 150000 300000; do
	ok "the same in $size bytes" \
		numbers_are reduced made/run 4 --max-size=$((base + size))
done
for project in stresstest partdiff-mpi; do
	if [ -d "$corpus/$project" ]; then
		ok "$project" numbers_are exact "$corpus/$project" 5
		ok "$project, reduced" numbers_are reduced "$corpus/$project" \
			5 --max-size=$((base + 90000))
	else
		skip "$project" "no historic projects in $corpus"
	fi
done

# The same of what is served.
served_numbers() {
	start_view --no-browser made/run || return 1
	compare "$url" made/run 6
	ret=$?
	end_view TERM && return "$ret"
}
if "$hdtrace" view 2>&1 | grep -q libmicrohttpd; then
	skip "served" "hdtrace was built without libmicrohttpd"
else
	ok "served" served_numbers
fi
done_testing
