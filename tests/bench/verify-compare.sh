#!/bin/sh
# Whether hdtrace compare tells runs of the same MPI program apart: pairs of five runs
# each, in turn, as the machine is. COMPARE_PAIRS=20; of 20 at least 19 are not.
# SPDX-License-Identifier: LGPL-2.1-or-later
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
. "${abs_top_srcdir:?}/tests/mpi/mpi.sh"
cd "$scratch" || exit 99
pairs=${COMPARE_PAIRS:-20}
library=$(built_libraries | head -n 1)
if [ -z "$library" ] || ! can_launch "$library"; then
	echo "skipped: no MPI programs here"
	exit 0
fi
wrong=0
pair=0
while [ "$pair" -lt "$pairs" ]; do
	rm -f ./*.*
	for run in 1 2 3 4 5; do
		# A B B A A B ...
		[ $((run % 2)) -eq 0 ] && order="b a" || order="a b"
		for set in $order; do
			HDTRACE_MPI_PROJECT=$set$run launch "$library" 4 \
				"${abs_top_builddir:?}/tests/mpi/causes-$library" \
				imbalance >/dev/null || exit 1
		done
	done
	"${hdtrace:?}" compare -q --fail a[1-5].proj -- b[1-5].proj >said
	case $? in
	0) ;;
	3)
		wrong=$((wrong + 1))
		sed -n '/^Differences/,/^  By/p' said
		;;
	*) exit 1 ;;
	esac
	pair=$((pair + 1))
done
echo "$wrong of $pairs pairs of the same program are told apart"
[ "$wrong" -le $((pairs / 20)) ]
