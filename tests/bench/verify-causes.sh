#!/bin/sh
# What hdtrace report takes of larger and larger projects of MPI programs: time that
# grows as they do, and memory that does not. CAUSES_RECORDS="20000000 40000000" are
# the sizes (100 bytes each).
# SPDX-License-Identifier: LGPL-2.1-or-later
hdtrace=${abs_top_builddir:?}/hdtrace
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
echo "   records     MB  CPU s  s/GB  MB of memory"
for records in ${CAUSES_RECORDS:-2500000 5000000 10000000 20000000}; do
	"$abs_top_builddir/tests/bench/make-project" --nodes=4 --ranks=2 \
		--records="$records" --values=400000 run >/dev/null || exit 1
	size=$(du -sm . | cut -f 1)
	/usr/bin/time -f "%U %S %M" -o time "$hdtrace" report -q \
		--format=json run >report.json || exit 1
	grep -q '"critical_path": {' report.json || exit 1
	awk -v records="$records" -v size="$size" '{
		cpu = $1 + $2
		printf "%10d %6d %6.2f %5.2f %8.1f\n", records, size, cpu,
			cpu / size * 1000, $3 / 1024
		exit $3 > 1024 * 1024
	}' time || exit 1
	rm -f run*
done
