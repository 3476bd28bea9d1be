#!/bin/sh
# Makes the pictures of doc/guides/pictures anew, with Chromium, from historic projects:
# pictures.sh [BUILD-DIRECTORY]. They are to be looked at before they are
# committed.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -u
abs_top_builddir=$(cd "${1:-.}" && pwd) || exit 2
abs_top_srcdir=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$abs_top_srcdir/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
need_viewer
need_browser
pictures=$abs_top_srcdir/doc/guides/pictures
cd "$scratch" || exit 2

# PROJECT FRAGMENT LIGHT-OR-DARK VALUES LOWER OPTION...
picture() {
	project=$1
	fragment=$2
	scheme=$3
	values=$4
	lower=$5
	shift 5
	"$hdtrace" report -q --html "$project.html" "$@" "$corpus/$project" &&
		in_browser pictures.mjs "file://$scratch/$project.html" \
			"$fragment" "$scheme" "$values" "$lower" \
			"$pictures/report-$project.png" || exit 1
}

# Of a volume of GlusterFS, one of whose bricks is slow: for root.
if [ "$(id -u)" -eq 0 ] && command -v glusterfsd >/dev/null &&
	command -v fio >/dev/null; then
	"$abs_top_builddir/hdgluster" try --bricks 4 --slow 2 -- fio --name=x \
		--rw=write --size=40M --bs=1M --numjobs=4 >/dev/null &&
		"$hdtrace" report -q --html try.html try.proj &&
		in_browser pictures.mjs "file://$scratch/try.html" \
			"panel=layers&arrows=no" light Pending -4 \
			"$pictures/gluster-layers.png" brick2 &&
		"$hdtrace" plot -q --force --node '*_brick*' --value Pending \
			--group TROVE --panels=node \
			--title "Pending operations in the storage of four bricks" \
			-o "$pictures/gluster-trove.svg" try || exit 1
fi
cat >borders <<'END'
0 wait
50 transfer
68 wait
218 transfer
255 finalize
END
picture stresstest "panel=profile&arrows=no&mark=218,255" light \
	P,NET_IN 0 --phases=borders
picture partdiff-mpi "view=44,74&mark=51.7,66.5&panel=interval" dark P 4
"$hdtrace" plot -q --force --title "partdiff-mpi: four ranks on four nodes" \
	--size=170x85 --value P --states=above \
	-o "$pictures/partdiff-power.svg" "$corpus/partdiff-mpi" || exit 1
