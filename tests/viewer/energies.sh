#!/bin/sh
# The energies of states in pages are those of hdtrace stat --regions, at any zoom;
# the power of all nodes at the top is that of all entries.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "numbers.sh goes through the same code"
need_viewer
need_node
cd "$scratch" || exit 99

# Many times more states, and entries, than a screen has pixels; power changes
# within all but the finest steps.
"$abs_top_builddir/tests/bench/make-project" --nodes=1 --ranks=16 \
	--records=240000 --values=320000 big || exit 99
# Two nodes, which share nothing; the second one's power has a gap.
"$abs_top_builddir/tests/bench/make-project" --nodes=2 --ranks=2 \
	--records=20000 --values=300000 two || exit 99

# States in states of their name: these do not count again.
"$abs_top_builddir/tests/bench/make-project" --nodes=1 --ranks=2 \
	--records=20000 --values=60000 nested || exit 99
sed -i 's/Kernel/Compute/g' nested_*.trc

# PAGE PROJECT INTERVALS
compare() {
	"$node" "$abs_top_srcdir/tests/viewer/energies.mjs" "$hdtrace" "$@"
}

# Energies of a page: PROJECT INTERVALS [OPTION...].
same_energies() {
	of=$1
	intervals=$2
	shift 2
	"$hdtrace" report -q --force -o page.html "$@" "$of" &&
		compare page.html "$of" "$intervals"
}

# Energies of a page that was reduced: some are not exact.
close_energies() {
	same_energies "$@" >energies
	ret=$?
	cat energies
	[ "$ret" -eq 0 ] && ! grep -q ' 0 of them estimates' energies
}

# The power of all nodes in the strip at the top: PROJECT.
same_total() {
	"$hdtrace" report -q --force -o page.html "$1" &&
		"$node" "$abs_top_srcdir/tests/viewer/total.mjs" "$hdtrace" \
			page.html "$1"
}

served_energies() {
	start_view --no-browser big || return 1
	compare "$url" big 5
	ret=$?
	end_view TERM && return "$ret"
}

ok "energies of states are those of stat --regions" same_energies big 100
[ -z "${HDTRACE_TEST_LONG-}" ] ||
	ok "the same of a thousand intervals" same_energies big 1000
ok "the same of nodes with gaps" same_energies two 4
ok "the same of states in states of their name" same_energies nested 5
ok "reduced pages say how close their energies are" \
	close_energies big 5 --max-size=1M
ok "and those with hardly any data" close_energies big 2 --max-size=100k
ok "the overview has the maximum of the data, of a node" same_total big
ok "and of several" same_total two
if "$hdtrace" view 2>&1 | grep -q libmicrohttpd; then
	skip "served" "hdtrace was built without libmicrohttpd"
else
	ok "served" served_energies
fi
done_testing
