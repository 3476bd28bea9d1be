#!/bin/sh
# The package hdtrace of Python: each value is the one that hdtrace dump prints; columns,
# streams of Arrow, frames of pandas, errors and damages.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain slow
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
. "$abs_top_srcdir/tests/lib/python.sh"
tests=$abs_top_srcdir/tests/python
cd "$scratch" || exit 99
make_mini
"$python" "$abs_top_srcdir/tests/tools/readers/makebits.py" . bits 7

# All of a project is as hdtrace dump prints it: PROJECT OPTION...
agrees() {
	"$python" "$tests/against.py" "$hdtrace" "$@"
}
ok "values of a small project are those of dump" agrees mini
ok "all bits of statistics are those of dump" agrees bits
ok "a time range is that of dump" agrees mini --from=1 --to=2.5
ok "a node is that of dump" agrees mini --node=alpha
cat >rel.proj <<'END'
<Application name="rel"><Topology><Level type="Host"/><Node name="a"/></Topology>
</Application>
END
cat >rel_a.rel <<'END'
<relation version="1" hostID="h" localToken="5.1" topologyNumber="0" timeAdjustment="1000">
<rel t="0" time="2.5"/><s name="w" t="0" time="2.5" origin="cache"/><s name="v" t="0" time="3"/>
<e t="0" time="4" size="8"/><rel t="1" time="4" i="0"/><e t="0" time="5.000000001"/><un t="0" time="6"/>
<rel t="2" time="6" r="C:9.9:0:4" w="0af7651916cd43dd8448eb211c80319c-01"/>
<link t="2" time="6.5" r="C:9.9:0:5"/><s name="open" t="2" time="7"/>
</relation>
END
ok "relations are those of dump" agrees rel
if [ -d "$corpus" ]; then
	historic() {
		for project in "$corpus"/*/*.proj; do
			agrees "$project" || return 1
		done
	}
	ok "values of the historic projects are those of dump" historic
else
	skip "values of the historic projects are those of dump" "no corpus"
fi
by_chance() (
	mkdir -p chance/trip chance/random && cd chance/trip || return 1
	HDTRACE_TEST_KEEP=$scratch/chance/random \
		HDTRACE_TEST_PROJECTS=${HDTRACE_TEST_PROJECTS:-4} \
		"$abs_top_builddir/tests/python/random-projects" || return 1
	for project in "$scratch"/chance/random/*; do
		agrees "$project/trip.proj" || return 1
	done
)
ok "values of random projects are those of dump" by_chance

# The points of a program that prints TAP: NAME PYTHON PROGRAM
points() {
	name=$1
	shift
	"$@" >"$scratch/points" 2>&1
	grep '^1\.\.' "$scratch/points" >"$scratch/plan" ||
		ok "$name runs" cat "$scratch/points" /nonexistent
	while read -r result rest; do
		case $result in
		ok) ok "$name: ${rest#* - }" true ;;
		not) ok "$name: ${rest#* - }" sh -c "grep '^#' '$scratch/points'; false" ;;
		esac
	done <"$scratch/points"
}
for interpreter in $pythons; do
	points "$interpreter" "$interpreter" "$tests/api.py"
done
points "recording" "$python" "$tests/recording.py" "$hdtrace"
points "commands" "$python" "$tests/commands.py" "$hdtrace"
if [ -n "$panda" ]; then
	points "NumPy and pandas" "$panda" "$tests/frames.py"
else
	skip "NumPy and pandas" "Debian: python3-numpy python3-pandas"
fi
done_testing
