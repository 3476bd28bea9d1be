#!/bin/sh
# What libhdOmp adds to constructs of OpenMP, beside a tool that does nothing:
# CPU time of the process, medians of runs that take turns. "quick" does less.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -eu
tool=${abs_top_builddir:?}/libhdOmp.so
source=${abs_top_srcdir:?}/tests/bench
count=200000 rounds=9
[ "${1-}" != quick ] || { count=20000; rounds=3; }
scratch=$(mktemp -d "${BENCH_DIR:-/dev/shm}/bench-omp.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
[ -f "$tool" ] || { echo "libhdOmp: not built"; exit 0; }
header=$(sed -n 's/^#define HD_OMP_TOOLS_H //p' "$abs_top_builddir/config.h")
clang -O2 -fopenmp -o "$scratch/bench" "$source/bench-omp.c" 2>/dev/null ||
	{ echo "libhdOmp: no clang with OpenMP"; exit 0; }
clang -O2 -shared -fPIC -Wno-everything -DHEADER="$header" \
	-o "$scratch/empty.so" "$source/empty-tool.c"

# Print a time: TOOL KIND
measure() {
	OMP_TOOL_LIBRARIES=$1 HDTRACE_OMP_PROJECT=$scratch/bench \
		HDTRACE_OVERWRITE_EXISTING_FILES=1 "$scratch/bench" "$2" "$count"
	rm -f "$scratch"/bench_*
}

for kind in region barrier loop task; do
	round=0
	while [ $round -lt $rounds ]; do
		for name in none empty hdtrace; do
			case $name in
			none) measure "" $kind ;;
			empty) measure "$scratch/empty.so" $kind ;;
			hdtrace) measure "$tool" $kind ;;
			esac >>"$scratch/$kind-$name"
		done
		round=$((round + 1))
	done
done

median() {
	sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

printf '%-10s %12s %12s %12s %14s\n' "ns of CPU" "no tool" "empty tool" libhdOmp \
	"added to empty"
for kind in region barrier loop task; do
	none=$(median "$scratch/$kind-none")
	empty=$(median "$scratch/$kind-empty")
	ours=$(median "$scratch/$kind-hdtrace")
	echo "$kind $none $empty $ours" | awk '{ printf "%-10s %12.0f %12.0f %12.0f %14.0f\n",
		$1, $2, $3, $4, $4 - $3 }'
done
