#!/bin/sh
# The energies of states in pages are those of hdtrace stat --regions, at any zoom;
# the power of all nodes at the top is that of all entries.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
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

# States that stand for many calls, whose own time is a part of theirs.
"$abs_top_builddir/tests/bench/make-project" --nodes=1 --ranks=2 \
	--records=20000 --values=60000 polls || exit 99
sed -i "s/<Kernel /<Kernel calls='7' insideNs='40000' tracerNs='500' /" polls_*.trc

# Relations that share the node with ranks, at most two at a time; a project has many
# states and one has few: NAME RECORDS.
make_shared() {
	"$abs_top_builddir/tests/bench/make-project" --nodes=1 --ranks=2 \
		--records="$2" --values=60000 "$1" || exit 99
	awk 'BEGIN {
		print "<relation version=\"1\" hostID=\"A\" localToken=\"1.1\" topologyNumber=\"0\" timeAdjustment=\"1700000000\">"
		for (i = 0; i < 300; i++)
			printf "<rel t=\"%d\" time=\"%.9f\"/><s name=\"serve\" t=\"%d\" time=\"%.9f\"/><e t=\"%d\" time=\"%.9f\"/><un t=\"%d\" time=\"%.9f\"/>\n",
				i, i * 0.12, i, i * 0.12,
				i, i * 0.12 + 0.17, i, i * 0.12 + 0.17
		print "</relation>"
	}' >"$1_node001_0_0.rel"
}

make_shared shared 20000
make_shared little 300

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

# Energies of the whole run, which cuts no state: exact.
whole_energies() {
	for of in shared little; do
		same_energies "$of" 0 >energies
		ret=$?
		cat energies
		[ "$ret" -eq 0 ] && grep -q ' 0 of them estimates' energies ||
			return 1
	done
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

ok "energies of states agree with stat --regions" same_energies big 40
[ -z "${HDTRACE_TEST_LONG-}" ] ||
	ok "energies in a thousand intervals agree with stat --regions" \
		same_energies big 1000
ok "energies of nodes with gaps agree with stat --regions" same_energies two 4
ok "energies of states inside states of the same name agree" same_energies nested 5
ok "energies of states for many calls agree" same_energies polls 0
ok "energies of nodes that relations share agree within the stated error" \
	close_energies shared 10
ok "energies of few states agree within the stated error" close_energies little 10
ok "energies of whole states are exact at any zoom" whole_energies
ok "reduced pages say how close their energies are" \
	close_energies big 5 --max-size=1M
ok "strongly reduced pages show error bounds" close_energies big 2 --max-size=100k
ok "the overview has the maximum of the data, of a node" same_total big
ok "the overview has the maximum of several projects" same_total two
if "$hdtrace" view 2>&1 | grep -q libmicrohttpd; then
	skip "served" "hdtrace was built without libmicrohttpd"
else
	ok "served" served_energies
fi

# Packages in one file, cards in another one: 180 W for 4 s.
several_files() {
	mkdir -p several && cd several || return 1
	python3 "$abs_top_srcdir/tests/tools/readers/powers.py" --make &&
		"$hdtrace" report -q --force -o ../several.html p &&
		"$node" "$abs_top_srcdir/tests/viewer/powers.mjs" ../several.html \
			720 Work=180 Rest=540
}
if command -v python3 >/dev/null; then
	ok "power of several files" several_files
else
	skip "power of several files" "no python3"
fi
done_testing
