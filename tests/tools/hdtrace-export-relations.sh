#!/bin/sh
# hdtrace export: relations in Perfetto's traces, CTF and OTF2. What the readers of
# these formats print of projects by chance is compared with what a second reader
# finds in the files (readers/relationexports.py). HDTRACE_TEST_RUNS says with how
# many.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: optional
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
reader=$abs_top_srcdir/tests/tools/readers/relationexports.py
PYTHONDONTWRITEBYTECODE=1
PERFETTO_PROTO=$abs_top_srcdir/tests/lib
export PYTHONDONTWRITEBYTECODE PERFETTO_PROTO
cd "$scratch" || exit 99

# Two relations that overlap, one of them caused by the other, which is later by
# its own clock; a third is caused by one that is nowhere, and has two causes.
cat >p.proj <<'XML'
<Application name="p"><Topology><Level type="Host"/><Node name="a"/></Topology>
</Application>
XML
printf '%s' '<relation version="1" hostID="A" localToken="1" topologyNumber="0" timeAdjustment="1000000000">
<rel t="0" time="1"/><rel t="1" time="2" i="0"/><un t="1" time="3"/><rel t="2" time="3" r="B:1:0:0"/><link t="2" time="3" r="A:1:0:0"/><un t="2" time="4"/><un t="0" time="5"/></relation>' \
	>p_a.rel
sed 's/t="0" time="1"/t="0" time="2.5"/' p_a.rel >late_a.rel
sed 's/"p"/"late"/' p.proj >late.proj
for format in perfetto otf2; do
	if "$hdtrace" export --to $format p.proj 2>&1 |
		grep -q "built without"; then
		skip "$format" "built without $format"
		continue
	fi
	rm -rf exported
	ok "$format: losses are reported" says \
		"$format cannot represent: further causes of relations (1)" 0 \
		export --to $format -o exported p.proj
	ok "$format: missing causes are reported" grep -q \
		"causes outside of the project (1)" err
	ok "$format: the number of lost relations is reported" grep -q ", 3 relations$" out
done
ok "perfetto: no arrow goes back in time" says \
	"arrows to relations that begin before their cause (1)" 0 \
	export --to perfetto -f -o late.pt late.proj
rm -rf exported
ok "ctf: relations are exported" status 0 export --to ctf -o exported p.proj
ok "ctf: no loss is reported" test ! -s err

# FORMAT COMMAND
by_chance() {
	if ! command -v python3 >/dev/null; then
		skip "$1: relations of random projects are equal" "no python3"
	elif ! command -v "$2" >/dev/null; then
		skip "$1: relations of random projects are equal" "no $2"
	elif "$hdtrace" export --to "$1" -o no p.proj 2>&1 |
		grep -q "built without"; then
		skip "$1: relations of random projects are equal" "built without $1"
	else
		mkdir -p chance
		ok "$1: relations of random projects are equal" in_chance "$1"
	fi
}
in_chance() (
	cd chance && python3 "$reader" "$1" "$hdtrace" \
		"${HDTRACE_TEST_SEED:-$$}" "${HDTRACE_TEST_RUNS:-15}"
)
by_chance perfetto protoc
by_chance ctf babeltrace2
by_chance otf2 otf2-print
done_testing
