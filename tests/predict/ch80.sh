#!/bin/sh
# From a graph that is generated to a project of which hdtrace says who waited for
# whom: all of hdtrace works on it.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# HDTRACE_TEST_TILES says how large it is (20); make verify-predict takes 80.
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
hdpredict=${abs_top_builddir:?}/hdpredict
hdtrace=$abs_top_builddir/hdtrace
tiles=${HDTRACE_TEST_TILES:-20}
cd "$scratch" || exit 99
predict() {
	"$hdpredict" generate cholesky --tiles "$tiles" --tile-size 128 |
		"$hdpredict" simulate - --platform thesis --resources thesis \
			--map eft -o ch80 >said && cat said
}
ok "ch80: the command of the guide succeeds" predict
has() { grep -qE "$1" said; }
ok "ch80: the time is printed" has '^Time  *[0-9.]* s$'
ok "ch80: the energy is printed" has '^Energy  *[0-9.]* J$'
report() { exits 0 "$hdtrace" report ch80 && grep -q 'Critical path' out; }
ok "ch80: report prints the critical path" report
# The path has the length that was printed, and no waits.
path() {
	exits 0 "$hdtrace" report --format=json ch80 || return 1
	time=$(sed -n 's/^Time  *\([0-9.]*\) s$/\1/p' said)
	tr -d ' \n' <out | sed 's/.*"critical_path"://; s/"parts":.*//' >flat
	cat flat && ! grep -q 'Waitall\|Blocked\|(nostate)' flat &&
		sed 's/^{"length_s":\([0-9.]*\),.*/\1/' flat |
		awk -v time="$time" '{ off = $1 / time - 1; exit !(off < 1e-5 && off > -1e-5) }'
}
ok "ch80: the critical path covers the run without waits" path
waits() {
	cat ch80_*.trc | grep -qE "<(Waitall|Blocked) awaits='[0-9]+' for='[A-Z]+-[-0-9]+'"
}
ok "ch80: causes of waits are shown" waits
works() { exits 0 "$hdtrace" "$@"; }
ok "ch80: stat succeeds" works stat ch80
ok "ch80: check finds no problem" works check ch80
nothing_differs() { works compare ch80 ch80; }
ok "ch80: compare succeeds" nothing_differs
ok "ch80: export to CSV" works export --to csv ch80
ok "ch80: export to Perfetto" works export --to perfetto -o p.pftrace ch80
otf2() {
	"$hdtrace" export --to otf2 -o o.otf2 ch80 >out 2>err ||
		grep -q 'was built without' err
}
ok "ch80: export to OTF2" otf2
# The page, and what it asks for first.
view() {
	"$hdtrace" view --no-browser ch80 >url 2>err </dev/null &
	view=$!
	until grep -qs '/$' url; do
		kill -0 "$view" 2>/dev/null || break
		sleep 0.05
	done
	curl -sf "$(cat url)" >page
	status=$?
	kill "$view" 2>/dev/null
	wait "$view"
	cat err
	[ "$status" -eq 0 ] && grep -q ch80 page
}
if "$hdtrace" view none 2>&1 | grep -q 'was built without'; then
	skip "ch80: view shows the project" "hdtrace was built without view"
elif ! command -v curl >/dev/null; then
	skip "ch80: view shows the project" "curl is missing"
else
	ok "ch80: view shows the project" view
fi
done_testing
