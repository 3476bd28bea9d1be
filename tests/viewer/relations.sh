#!/bin/sh
# What pages show of relations, in Chromium: rows, arrows, requests that are followed,
# and what is found; of few, of 100,000, in a page that is reduced, and served.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
need_viewer
need_browser
need_view
skip_sanitized
cd "$scratch" || exit 99

# So many writes of a client, one after SPACING ms, each of 2.5 times that: a server
# works on two requests for each, which write to its disk: NAME COUNT SPACING.
make_requests() {
	cat >"$1.proj" <<-END
	<Application name="$1"><Topology><Level type="Host"/><Level type="Layer"/>
	<Node name="a"><Node name="CLIENT"/></Node>
	<Node name="b"><Node name="REQ"/><Node name="TROVE"/></Node></Topology>
	</Application>
	END
	awk -v name="$1" -v count="$2" -v spacing="$3" '
		function time(ms) {
			return sprintf("%d.%03d000000", ms / 1000, ms % 1000)
		}
		function head(node, host, number) {
			file = name "_" node ".rel"
			printf "<relation version=\"1\" hostID=\"%s\" localToken=\"1.1\" topologyNumber=\"%d\" timeAdjustment=\"1000000000\">\n", host, number >file
			return file
		}
		# FILE ID CAUSE NAME START END ATTRIBUTES-OF-START AND-OF-END
		function put(file, id, cause, state, from, to, one, two) {
			printf "<rel t=\"%d\" time=\"%s\"%s/><s name=\"%s\" t=\"%d\" time=\"%s\"%s/><e t=\"%d\" time=\"%s\"%s/><un t=\"%d\" time=\"%s\"/>", id, time(from), cause, state, id, time(from), one, id, time(to), two, id, time(to) >file
		}
		BEGIN {
			client = head("a_CLIENT", "A", 0)
			server = head("b_REQ", "B", 0)
			disk = head("b_TROVE", "B", 1)
			for (i = 0; i < count; i++) {
				s = 1000 + i * spacing
				put(client, i, "", "write", s, s + 2.5 * spacing,
					" file=\"f" i "\"", "")
				for (k = 0; k < 2; k++) {
					n = 2 * i + k
					a = s + (k + 1) * spacing / 4
					put(server, n, " r=\"A:1.1:0:" i "\"", "request",
						a, a + spacing, "", "")
					put(disk, n, " p=\"0:" n "\"", "pwrite",
						a + spacing / 4, a + spacing * 3 / 4,
						" offset=\"" 4096 * n "\"",
						n == 3 ? " error=\"EIO\"" : "")
				}
			}
			printf "</relation>" >client
			printf "</relation>" >server
			printf "</relation>" >disk
		}'
}

make_requests few 6 1000
make_requests other 3 1000
make_requests many 20000 20
"$hdtrace" report -q --html few.html few.proj >out || exit 99
"$hdtrace" report -q --html many.html many.proj >out || exit 99
"$hdtrace" report -q --html reduced.html --max-size=300k many.proj >out || exit 99
# One was not written to its end, and one is cut within an element.
make_requests damaged 6 1000
sed -i 's,</relation>,,' damaged_b_REQ.rel
truncate -s -20 damaged_b_TROVE.rel
"$hdtrace" report -q --html damaged.html damaged.proj >out
[ $? -le 1 ] || exit 99
in_browser relations.mjs "file://$scratch" few.proj other.proj
