#!/bin/sh
# What pages say of damaged files and of their server, in Chromium; that states
# look alike in all of them and in pictures; how ranks are ordered.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
. "$abs_top_srcdir/tests/viewer/drawn-project.sh"
need_viewer
need_browser
need_view
cd "$scratch" || exit 99

# A trace from standard input: NODE.
odd_trace() {
	{
		echo "<Program timeAdjustment='1000000000' levels='Host Rank'>"
		cat
		echo "</Program>"
	} >"odd_$1.trc"
}

# Ranks that are no texts, of which one was not written to its end, and one has a
# state that ends before it starts; the power was cut off, too. The states of rank
# 2 are narrower than pixels, and then a little wider; two thirds of the time are
# in Solve.
make_odd() {
	awk 'BEGIN {
		for (i = 0; i < 1000; i++)
			state(i * 0.003, 0.003)
		for (i = 0; i < 150; i++)
			state(3 + i * 0.02, 0.02)
	}
	function state(at, width) {
		printf "<Solve time=\047%.6f\047 end=\047%.6f\047/>\n", at,
			at + width * 2 / 3
		printf "<Load time=\047%.6f\047 end=\047%.6f\047/>\n",
			at + width * 2 / 3, at + width
	}' | odd_trace alpha_2
	odd_trace alpha_9 <<'END'
<Sort time='1' end='2'/>
<Dump time='4' end='3'/>
<Barrier time='4' end='6'/>
END
	odd_trace alpha_10 <<'END'
<Send time='0.5' end='3'/>
<Compute time='3' end='5'/>
END
	sed -i '$d' odd_alpha_10.trc
	{
		stat_header alpha Energy \
			'name="P" type="INT32" unit="W" grouping="Power"'
		stamp 1000000000
		drawn_entry 3 100
		drawn_entry 6 200
	} >odd_alpha_Energy.stat
	truncate -s -3 odd_alpha_Energy.stat
	cat >odd.proj <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<Application name="odd">
 <Description></Description>
 <FileList></FileList>
 <Topology>
  <Level type="Host"><Level type="Rank" /></Level>
  <Node name="alpha">
   <Node name="10" /><Node name="2" /><Node name="9" />
  </Node>
 </Topology>
 <CommunicatorList></CommunicatorList>
 <Datatypes></Datatypes>
 <ExternalStatistics><Energy /></ExternalStatistics>
</Application>
END
}

make_drawn
make_odd
for project in drawn odd; do
	"$hdtrace" report -q --html "$project.html" "$project" >out
	[ $? -le 1 ] || exit 99
done
"$hdtrace" plot --states=only -o drawn.svg drawn >out || exit 99
"$abs_top_builddir/tests/bench/make-project" --nodes=2 --ranks=2 \
	--records=8000 --values=160000 run || exit 99
skip_sanitized
XDG_DATA_HOME=$scratch/data
export XDG_DATA_HOME
# A port that was free a moment ago.
start_view --no-browser run || exit 99
kill "$view"
wait "$view"
port=${url#http://*:}
port=${port%%/*}
in_browser truthful.mjs "file://$scratch/drawn.html" \
	"file://$scratch/odd.html" drawn.svg run "$port"
