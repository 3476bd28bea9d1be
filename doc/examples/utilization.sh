#!/bin/sh
# The benchmarks that link libRUT leave projects that hdtrace reads.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: threads
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
examples=${abs_top_builddir:?}/doc/examples
hdtrace=$abs_top_builddir/hdtrace
unset HDTRACE_PREFIX HDTRACE_GAPS RUT_BACKEND RUT_HDD_MOUNTPOINT

# hdtrace stat prints a table with these names: PROJECT NAME...
shows() {
	"$hdtrace" stat "$1.proj" >"$scratch/stat" || return 1
	shift
	cat "$scratch/stat"
	for name; do
		grep -q "^ *$name " "$scratch/stat" || return 1
	done
}

# A pause between rounds is a gap, not an entry: PROJECT GAPS
has_gaps() {
	gaps=$("$hdtrace" dump "$1.proj" | grep -c "^ *gap\$")
	echo "$gaps gaps, expected $2"
	[ "$gaps" -eq "$2" ]
}

refuses() {
	! "$@"
}

ok "stream runs" "$examples/stream" "$scratch/stream" 8 2
ok "compute runs" "$examples/compute" "$scratch/compute" 2 100 3
for name in stream compute; do
	ok "hdtrace merge $name" "$hdtrace" merge "$scratch/$name"
	ok "hdtrace check $name" "$hdtrace" check "$scratch/$name.proj"
done
ok "stream's values" shows "$scratch/stream" CPU_TOTAL MEM_USED NET_IN
ok "compute's values" shows "$scratch/compute" CPU_TOTAL_0 RUT_CPU_TIME
ok "compute's pauses" has_gaps "$scratch/compute" 2
ok "stream does not replace its files" refuses "$examples/stream" \
	"$scratch/stream" 8 1
ok "stream refuses nonsense" refuses "$examples/stream" "$scratch/x" 0
ok "compute refuses nonsense" refuses "$examples/compute" "$scratch/x" 0
done_testing
