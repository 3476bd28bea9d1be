#!/bin/sh
# The example that verifies libRUT: short and small loads, which are in the trace in
# their phases, whatever else this machine does.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
PATH=${abs_top_builddir:?}:$PATH
export PATH
unset HDTRACE_PREFIX HDTRACE_GAPS RUT_BACKEND RUT_HDD_MOUNTPOINT
cd "$scratch" || exit 99

run() {
	SECONDS_EACH=0.5 SIZE=8 sh "$abs_top_srcdir/doc/examples/verify-rut" r &&
		hdtrace check r && grep -q '<svg' r.svg && cat r.phases
}
ok "the example runs and draws its trace" run

# At least so many bytes in a phase: VALUE PHASE BYTES. Others may add to them.
amount() {
	hdtrace stat -q --format=csv --phases=r.phases r >stat.csv
	awk -F, -v value="$1" -v phase="$2" -v least="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["value"] == value && $at["phase"] == phase { sum += $at["sum"] }
		END { print value, phase, sum; exit !(sum >= least) }' stat.csv
}
ok "datagrams in their phase" amount NET_OUT network 3000000
ok "written bytes in their phase" amount HDD_WRITE "disk write" 2000000
done_testing
