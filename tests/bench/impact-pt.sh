#!/bin/sh
# Table 5.1 of the thesis: HPCC untraced, beside libRUT, and beside libRUT and
# libPT; `make bench-pt-impact` calls it.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Environment: IMPACT_RUNS (5), and that of tests/lib/hpcc.sh.
set -eu
. "${abs_top_srcdir:?}/tests/lib/hpcc.sh"
missing=$(hpcc_missing)
if [ -n "$missing" ]; then
	echo "bench-pt-impact: $missing" >&2
	exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
hpcc_prepare "$scratch"
cd "$scratch"
"${abs_top_builddir:?}/tests/bench/bench-pt-impact" "${IMPACT_RUNS:-5}" "
	rm -f hpccoutf.txt
	$mpirun -np $hpcc_ranks hpcc >hpcc.log 2>&1 &&
		grep -q '^Success=1' hpccoutf.txt"
