#!/bin/sh
# What hdnode exposes to Prometheus is a text that its parser takes, whatever the
# names on the machine are.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/node.sh"
command -v curl >/dev/null || skip_all "no curl"
cd "$scratch" || exit 99

mkdir -p tree/proc/net tree/sys/devices/system/cpu
echo 0 >tree/sys/devices/system/cpu/present
echo 'cpu  1 1 1 1 1 1 1' >tree/proc/stat
# An interface may be called almost anything.
traffic() {
	printf 'x\nx\n'
	printf 'a\\b: %s 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n' "$1"
	printf '"q": %s 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n' "$1"
	printf 'n\377: %s 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n' "$1"
}
traffic 1 >tree/proc/net/dev
begin_node names --root="$scratch/tree" || { cat names.log; exit 99; }
if ! curl -sS "http://127.0.0.1:$port/metrics" >/dev/null 2>&1; then
	skip_all "built without libmicrohttpd"
fi
scraped() {
	curl -sf "http://127.0.0.1:$port/metrics" >text && grep -q NET_IN text
}
until_done scraped
has() {
	grep -qF -- "$1" text || { grep NET text; return 1; }
}
ok "a backslash in HELP is escaped" has 'NET_IN_a\\b in B'
ok "a quote in HELP is not escaped" has 'NET_IN_"q" in B'
ok "a byte that is not UTF-8 is replaced" has "$(printf 'NET_IN_n\357\277\275 in B')"
no_raw() { ! LC_ALL=C grep -q "$(printf '\377')" text; }
ok "the metrics are UTF-8 only" no_raw
if command -v promtool >/dev/null; then
	checked() {
		promtool check metrics <text >said 2>&1
		cat said
		! grep -qi 'error\|invalid' said
	}
	ok "promtool accepts the metrics" checked
else
	skip "promtool accepts the metrics" "no promtool"
fi
done_testing
