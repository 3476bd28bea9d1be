#!/bin/sh
# hdtrace compare: numbers, p and order are those of a second implementation, and
# what it says when there is little to say. HDTRACE_TEST_LONG=1 tries more.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
cd "$scratch" || exit 99

# One that has scipy, if there is one.
for python in python3 /usr/bin/python3; do
	"$python" -c "import scipy" 2>/dev/null && break
	python=
done
[ -n "$python" ] || python=$(command -v python3)
seeds=${HDTRACE_TEST_SEED:-1}
[ -z "${HDTRACE_TEST_LONG-}" ] || seeds=$(seq 1 20)

# WHAT
by_python() {
	for seed in $seeds; do
		rm -rf made && mkdir made || return 1
		(cd made && "$python" \
			"$abs_top_srcdir/tests/tools/readers/compare.py" \
			"$hdtrace" "$1" "$seed") || return 1
	done
}
if [ -z "$python" ]; then
	skip "numbers" "no python3"
else
	ok "numbers and p agree with an enumeration of all assignments" \
		by_python numbers
	ok "at least 19 of 20 pairs of equal programs show no difference" \
		by_python equal
	ok "one function that is 10 % slower is named first" by_python slower
	ok "different rules of attribution are reported" \
		by_python rules
fi

# ---- What is said ------------------------------------------------------------

make_mini
# Look for a line on stdout: TEXT STATUS ARGUMENT...
tells() {
	text=$1
	shift
	status "$@" || return 1
	cat out
	grep -qF -- "$text" out
}

# A run of a host without power: NAME RANK SECONDS...
make_plain() {
	plain=$1
	rank=$2
	cat >"$plain.proj" <<-END
		<?xml version="1.0" encoding="UTF-8"?>
		<Application name="$plain"><Description/><Topology>
		<Level type="Host"><Level type="Rank"/></Level>
		<Node name="alpha"><Node name="$rank"/></Node></Topology>
		</Application>
	END
	shift 2
	{
		echo "<Program timeAdjustment='0' levels='Host Rank'>"
		start=0
		for seconds; do
			echo "<Work time='$start' end='$((start + seconds))'/>"
			start=$((start + seconds))
		done
		echo "</Program>"
	} >"${plain}_alpha_$rank.trc"
}
for i in 1 2 3 4; do
	make_plain "plain$i" 0 4 $i
done
lacks_verdict() {
	tells "With one run on each side, differences cannot be distinguished" 0 compare plain1 plain4 &&
		! grep -q "noise\$\|Verdict" out &&
		grep -q "^  Work  *2  *2  *5.000 s  *8.000 s  *+60.0 %\$" out
}
ok "one run on each side: differences without verdicts" lacks_verdict

# Work of 5 s, 2 states, in one rank; in two ranks 3 s each, and 1 s of 4 s of a third
# state each: so 3 s and 2 states a rank, and 75 % of the time.
make_ranks() {
	cat >ranks.proj <<-END
		<Application name="ranks"><Topology>
		<Level type="Host"><Level type="Rank"/></Level>
		<Node name="alpha"><Node name="0"/><Node name="1"/></Node></Topology>
		</Application>
	END
	for rank in 0 1; do
		cat >"ranks_alpha_$rank.trc" <<-END
			<Program timeAdjustment='0' levels='Host Rank'>
			<Work time='0' end='1'/><Work time='1' end='3'/>
			<Other time='3' end='4'/>
			</Program>
		END
	done
}
make_ranks
per_rank() {
	tells "The numbers of ranks differ (A: 1, B: 2): functions and regions are compared per rank" \
		0 compare plain1 ranks &&
		grep -q "^  Work  *2  *2  *5.000 s  *3.000 s  *-40.0 %  *100.0 %  *75.0 %\$" out &&
		status 0 compare --format=json plain1 ranks && grep -q '"per_rank": true' out &&
		grep -q '"b_share": 0.75' out
}
ok "runs with different numbers of ranks are compared per rank" per_rank
not_per_rank() {
	status 0 compare plain1 plain4 && ! grep "per rank" out &&
		status 0 compare --format=json plain1 plain4 && ! grep per_rank out
}
ok "runs with equal numbers of ranks are compared as they are" not_per_rank
ok "no difference is significant with too few runs" tells \
	"With 2 against 2 runs no difference can be significant: the smallest p is 0.33" 0 \
	compare plain1 plain2 -- plain3 plain4
ok "the required number of runs is printed" tells "At least 5 runs on each side are needed." 0 \
	compare plain1 plain2 -- plain3 plain4
ok "the required number of runs depends on the level" tells "At least 4 runs on each side are needed." 0 \
	compare --significance=0.05 plain1 plain2 -- plain3 plain4
same_is_noise() {
	tells "  none" 0 compare --significance=0.4 --fail plain1 plain2 -- \
		plain1 plain2 && grep -q "^  Work .* noise\$" out
}
ok "equal runs are noise" same_is_noise
differ() {
	tells "  1. region Work: time from 5.500 s to 7.500 s, +36.4 %" 3 compare \
		--significance=0.4 plain1 plain2 --fail -- plain3 plain4
}
ok "options may stand anywhere, and --fail returns 3" differ
ok "runs without power are compared" tells "energy: unknown in all runs" 0 compare plain1 \
	plain2
ok "power in one project only is reported" tells "energy: known in B only" 0 compare plain1 mini
ok "partly known power is reported" tells \
	"energy: 1 of 2 runs have power for a part of the time only, mini" \
	0 compare plain1 mini
ok "partly known energy is a minimum" tells ">= 600 J" 0 compare mini mini
ok "ranks in one project only are reported" tells "ranks in B only: 1" 0 compare plain1 mini
make_plain other r1 2
ok "traces without a rank are compared" tells "traces (by their nodes) in A only: alpha_r1" 0 \
	compare other plain1
by_columns() {
	status 0 compare --format=csv mini plain1 || return 1
	awk -F, 'NR == 1 { fields = NF }
		NF != fields || !/^[a-z]/ { exit 1 }
		END { exit NR < 6 }' out && grep -q "^rank,0,0," out
}
ok "all CSV lines have the same number of fields" by_columns
short_list() {
	tells "and 2 more; --all lists them" 0 compare --top=1 mini plain1 &&
		tells "  Read " 0 compare --all mini plain1 &&
		! grep -q "more; --all" out
}
ok "--top and --all set the number of rows" short_list

# ---- What is wrong -----------------------------------------------------------

ok "refuses a missing project argument" says "missing argument: PROJECT" 2 compare
ok "refuses a single project" says "missing argument: a second PROJECT; compare takes two \
projects, or several runs of each: A1 A2 ... -- B1 B2 ..." 2 compare mini
ok "refuses three projects without --" says 'put "--" between the two sets' 2 compare mini mini \
	mini
ok "refuses an empty first set" says 'missing argument: PROJECT before "--"' 2 compare -- mini mini
ok "refuses an empty second set" says 'missing argument: PROJECT after "--"' 2 compare mini mini --
ok "refuses -- twice" says 'it may be given once' 2 compare mini -- mini -- mini
ok "a level that no number of runs can reach is reported" tells "No number of runs is sufficient" 0 \
	compare --significance=0.00005 plain1 plain2 -- plain3 plain4
ok "JSON: null if no number of runs reaches the level" tells '"runs_needed": null' 0 \
	compare --significance=0.00005 --format=json plain1 plain2 -- \
	plain3 plain4
ok "the required number of runs at a low level is printed" tells "At least 9 runs on each side" 0 \
	compare --significance=0.0001 plain1 plain2 -- plain3 plain4
ok "refuses a significance level of 1" says '--significance: invalid number "1"; expected a number between 0 and 1' 2 compare --significance=1 mini mini
ok "refuses an unknown attribution rule" says '--attribution: invalid value "x"; expected equal or cpu' 2 compare \
	--attribution=x mini mini
ok "refuses a negative number of rows" says '--top: invalid number "-1"; expected 0 or more' 2 compare --top=-1 mini mini
ok "refuses a missing project" says 'none: cannot open: No such file' 2 compare mini none
full_disk() {
	[ -c /dev/full ] || return 0
	for format in text csv json; do
		"$hdtrace" compare --format="$format" mini mini >/dev/full 2>err
		[ $? -eq 2 ] || return 1
		grep -q "standard output: cannot write: No space" err || return 1
	done
}
ok "a full disk is reported" full_disk
cut_file() {
	cp mini_alpha_0.trc whole
	sed '/<\/Program>/d' whole >mini_alpha_0.trc
	tells "mini has 1 diagnostic; hdtrace check lists it" 1 compare mini plain1
}
ok "problems of the data are counted" cut_file
done_testing
