#!/bin/sh
# The waiting part of states in the rows of a page, in Chromium: exact when it is
# wide, a share of columns when it is not, and not there where it is not known.
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

# Rank 0 waits in a barrier from 1 s to 3 s, which both leave at 3.5 s. From 4 s to 8 s,
# in the state Loop, both are in a barrier every 200 us: rank 0 from 50 us to 160 us,
# rank 1 from 150 us. So rank 0 waits half of this time.
make_waits() {
	awk -v rank="$1" 'BEGIN {
		print "<Program timeAdjustment=\"1000000000\" levels=\"Host Rank\">"
		printf "<Compute time=\"0\" end=\"%d\"/>\n", rank ? 3 : 1
		printf "<Barrier cid=\"0\" time=\"%d\" end=\"3.5\"/>\n", rank ? 3 : 1
		print "<Nested>"
		for (i = 0; i < 20000; i++)
			printf "<Barrier cid=\"0\" time=\"%.5f\" end=\"%.5f\"/>\n",
				4 + i / 5000 + (rank ? 0.00015 : 0.00005),
				4 + i / 5000 + 0.00016
		print "</Nested>"
		print "<Loop time=\"4\" end=\"8\"/>"
		print "</Program>"
	}' >"waits_alpha_$1.trc"
}

make_waits 0
make_waits 1
cat >waits.proj <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<Application name="waits"><Description/><FileList/>
<Topology><Level type="Host"><Level type="Rank"/></Level>
<Node name="alpha"><Node name="0"/><Node name="1"/></Node></Topology>
<CommunicatorList><Communicator name="WORLD">
<Rank global="0" local="0" cid="0"/><Rank global="1" local="1" cid="0"/>
</Communicator></CommunicatorList><Datatypes/>
<ExternalStatistics/></Application>
END
for size in 100M 1k; do
	"$hdtrace" report -q --html "$size.html" --max-size "$size" waits \
		>out 2>&1 || cat out
done
in_browser waits.mjs "file://$scratch/100M.html" "file://$scratch/1k.html" waits
