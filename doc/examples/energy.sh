#!/bin/sh
# The example with libPT and libRUT leaves one project with both.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: threads
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
energy=${abs_top_builddir:?}/doc/examples/energy
hdtrace=$abs_top_builddir/hdtrace
cd "$scratch" || exit 99
unset HDTRACE_PREFIX HDTRACE_GAPS RUT_BACKEND PT_VERBOSITY

cat >pt.cfg <<'END'
[General]
device=sim
cycle=20
law=idle:10,busy:50

[Trace]
type=HDSTATS
node=node01
input=1
values=P,E
END

# The node has both groups, and its power obeys the law.
has_both() {
	"$hdtrace" stat --format=csv both.proj >values || return 1
	cat values
	grep -q '^node01,Utilization,CPU_TOTAL,' values &&
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
			$2 == "Energy" && $3 == "P" {
			mean = $at["mean"]
			found = mean >= 10 && mean <= 50 && $at["simulated"] }
			END { exit !found }' values
}

refuses() {
	! "$@"
}

ok "energy runs" "$energy" both pt.cfg node01
ok "hdtrace merge" "$hdtrace" merge both
ok "hdtrace check" "$hdtrace" check both.proj
ok "both groups" has_both
ok "no replacing of files" refuses "$energy" both pt.cfg node01
ok "no configuration" refuses "$energy" other no.cfg node01
ok "no label" refuses "$energy" other pt.cfg a_b
done_testing
