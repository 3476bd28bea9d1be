#!/bin/sh
# hdtrace dump --where: what it prints is what a filter in Python keeps of all, for
# random queries; waits by hand; and its messages.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: both
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
command -v python3 >/dev/null || skip_all "no python3"
cd "$scratch" || exit 99
seed=${HDTRACE_TEST_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
echo "# HDTRACE_TEST_SEED=$seed"

# PROJECT COUNT
filters() {
	python3 "$abs_top_srcdir/tests/tools/readers/where.py" "$hdtrace" "$1" "$2" "$seed"
}
"$abs_top_builddir/tests/bench/make-project" --nodes=2 --ranks=2 --records=600 \
	--values=400 made || echo "make-project failed"
ok "queries: states with attributes, and statistics" filters made.proj 30
if [ -d "$corpus/relations" ]; then
	for project in $(find "$corpus/relations" "$corpus/handwritten" -name '*.proj' |
		sort | head -n 3); do
		ok "queries: ${project##*/}" filters "$project" 10
	done
else
	skip "queries: corpus" "no corpus"
fi

# Rank 1 waits from 1 s to 4 s for a message of rank 0, in a state around the call.
python3 "$abs_top_srcdir/tests/tools/readers/states.py" <<-'END'
ranks += [[("Send", 40, 45, "toRank='1' toTag='1'")],
          [("Solve", 5, 50, [("Recv", 10, 46, "fromRank='0' fromTag='1'")]),
           ("Recv", 60, 61, "fromRank='0' fromTag='2'")]]
END
# QUERY LINE... what is printed: times and names.
selects() {
	status 0 dump --time=relative --where="$1" run || return 1
	shift
	sed -n 's/^  \([0-9.]*\) \([0-9.]*\) *\([A-Za-z]*\).*/\1 \2 \3/p' out >found
	printf '%s\n' "$@" | grep . >wanted
	diff wanted found
}
late="0.500000000 4.100000000 Recv"
ok "wait: the kind, of the innermost state" selects "wait=late-sender" "$late"
ok "wait: its time" selects "wait=3s" "$late"
ok "wait: no state waits longer" selects "wait>3s"
ok "wait: states without a wait" selects "wait!=* rank=1" \
	"0.000000000 4.500000000 Solve" "5.500000000 5.600000000 Recv"

only_matching_files() {
	status 0 dump --where="rank=0" run || return 1
	[ "$(grep -c '^trace' out)" -eq 1 ] && grep -q run_h_0.trc out &&
		! grep -q '^project' out
}
ok "files without a match are not printed" only_matching_files
nothing() {
	status 0 dump --where="name=nothing" run && [ ! -s out ] &&
		status 0 dump --format=json --where="name=nothing" run &&
		python3 -c 'import json; assert json.load(open("out"))["traces"] == []'
}
ok "no match: nothing is printed, and JSON is complete" nothing
ok "message: column, in characters" \
	says "hdtrace dump: --where: column 8: unknown key \"rnk\"; use" \
	2 dump --where="name=é rnk=3" run
ok "message: the project part has no items" \
	says "--where: not available with --only=project" \
	2 dump --where=name=x --only=project run
done_testing
