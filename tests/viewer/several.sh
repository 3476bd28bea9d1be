#!/bin/sh
# Several projects on one clock, in Chromium.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
need_viewer
need_browser
need_view
skip_sanitized
cd "$scratch" || exit 99

# Two ranks, the one with a state Solve so many seconds after the start, and the
# power of their node, in W, for two seconds each: NAME START SOLVE P P P.
make_run() {
	awk -v start="$2" -v solve="$3" 'BEGIN {
		printf "<Program timeAdjustment=\047%d\047 ", start
		print "levels=\047Host Rank\047>"
		printf "<Load time=\0470\047 end=\047%s\047/>\n", solve
		printf "<Solve time=\047%s\047 end=\0476\047/>\n", solve
		print "</Program>"
	}' >"$1_alpha_0.trc"
	{
		stat_header alpha Energy \
			'name="P" type="INT32" unit="W" grouping="Power"'
		stamp "$2"
		run_at=$2
		shift 3
		for run_power; do
			run_at=$((run_at + 2))
			stamp "$run_at"
			u32 "$run_power"
		done
	} >"$run_name"_alpha_Energy.stat
	cat >"$run_name.proj" <<END
<?xml version="1.0" encoding="UTF-8"?>
<Application name="$run_name">
 <Description></Description>
 <FileList></FileList>
 <Topology>
  <Level type="Host"><Level type="Rank" /></Level>
  <Node name="alpha"><Node name="0" /></Node>
 </Topology>
 <CommunicatorList></CommunicatorList>
 <Datatypes></Datatypes>
 <ExternalStatistics><Energy /></ExternalStatistics>
</Application>
END
}

run_name=first
make_run first 1000000000 1 100 200 300
run_name=second
make_run second 1000000003 2 150 250 250
# Of the third one the power is known for four of six seconds.
run_name=third
make_run third 1000000003 2 150 250
ok "an unknown mark is reported" says "first: no state or event named nothing, as required by --align" \
	2 view --no-browser --align=nothing first second
ok "a missing project is reported" says "No such file" 2 view --no-browser first none
"$abs_top_builddir/tests/bench/make-project" --nodes=10 --ranks=20 \
	--records=40000 --values=20000 many || exit 99
"$abs_top_builddir/tests/bench/make-project" --nodes=10 --ranks=20 \
	--records=40000 --values=20000 --seed=2 more || exit 99
# The points go on behind those of the script.
[ "$tap_count" -eq 2 ] || exit 99
TAP_BEGUN=$tap_count
export TAP_BEGUN
in_browser several.mjs first second third >points
sed '$d' points
# Whether rows are there at all; make verify-view-rows says how fast they are.
TAP_BEGUN=$(sed -n '$s/^1\.\.//p' points)
in_browser rows.mjs 400 0 0 0 many more
