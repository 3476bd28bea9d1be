#!/bin/sh
# The HPC Challenge benchmark under rut and under libRUT: what the node does in
# each of its phases, as the table of doc/measurements/utilization.md.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Environment: HPCC_INTERVAL in ms (10), and that of tests/lib/hpcc.sh.
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hpcc.sh"
rut=${abs_top_builddir:?}/rut
hdtrace=$abs_top_builddir/hdtrace
traced=$abs_top_builddir/tests/system/traced
interval=${HPCC_INTERVAL:-10}
unset HDTRACE_PREFIX HDTRACE_GAPS RUT_BACKEND RUT_HDD_MOUNTPOINT
cd "$scratch" || exit 99

missing=$(hpcc_missing)
[ -z "$missing" ] || skip_all "$missing"

# Print the row of a phase: PROJECT NAME BEGIN END
row() {
	"$hdtrace" stat --quiet --format=csv --from "@$3" --to "@$4" "$1" \
		>phase.csv || return 1
	awk -F, -v phase="$2" -v from="$3" -v to="$4" '
		NR == 1 {
			for (i = 1; i <= NF; i++)
				at[$i] = i
		}
		{
			mean[$3] = $at["mean"]
			sum[$3] = $at["sum"]
		}
		END {
			printf "| %s | %.2f | %.1f | %.0f | %.1f | %.1f | " \
				"%.1f |\n", phase, to - from,
				mean["CPU_TOTAL"], mean["MEM_USED"] / 1e6,
				sum["NET_IN"] / 1e6, sum["HDD_READ"] / 1e6,
				sum["HDD_WRITE"] / 1e6
		}' phase.csv
}

# Print the table: DIRECTORY PROJECT; fails if a phase is not in the trace, or
# if the processes, which never sleep, have left the CPUs idle.
table() {
	echo "| Phase | s | CPUs, % | Memory, MB | Network, MB | Read, MB |" \
		"Written, MB |"
	echo "|---|--:|--:|--:|--:|--:|--:|"
	hpcc_phases "$1" | while read -r name begin end; do
		row "$2" "$name" "$begin" "$end" || exit 1
	done >"$1/rows" || return 1
	cat "$1/rows"
	awk -F'|' '/HPL/ { found = $4 >= 80 } END { exit !found }' "$1/rows"
}

is_good() {
	"$hdtrace" check "$1" && "$hdtrace" stat "$1" >/dev/null
}

with_rut() {
	hpcc_run a "$rut" -i "$interval" -p "$scratch/rut" -- \
		"$mpirun" -np "$hpcc_ranks" hpcc
}

with_librut() {
	hpcc_run b "$mpirun" -np "$hpcc_ranks" "$traced" "$scratch/lib" \
		"$interval" hpcc && "$hdtrace" merge "$scratch/lib"
}

ok "hpcc runs under rut" with_rut
[ ! -s "$details" ] || sed 's/^/# /' "$details"
ok "the project of rut passes check" is_good rut.proj
ok "the trace of rut contains the phases" table a rut.proj
cat "$details"
ok "hpcc runs under libRUT" with_librut
ok "the project of libRUT passes check" is_good lib.proj
ok "the trace of libRUT contains the phases" table b lib.proj
cat "$details"
done_testing
