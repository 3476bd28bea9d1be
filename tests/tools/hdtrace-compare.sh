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
	ok "numbers are right, and p is that of going through all ways" \
		by_python numbers
	ok "of 20 pairs of equal programs at least 19 are not told apart" \
		by_python equal
	ok "one function that is 10 % slower is named first" by_python slower
	ok "both rules that divide energy are told where they differ" \
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
	tells "One run of each has no spread" 0 compare plain1 plain4 &&
		! grep -q "noise\|Verdict" out &&
		grep -q "^  Work  *2  *2  *5.000 s  *8.000 s  *+60.0 %\$" out
}
ok "one run of each has no verdict, but differences" lacks_verdict
ok "too few runs can show nothing" tells \
	"with 2 against 2 runs: the least p is 0.33, and --significance is" 0 \
	compare plain1 plain2 -- plain3 plain4
ok "and how many could" tells "That takes 5 runs of each." 0 \
	compare plain1 plain2 -- plain3 plain4
ok "or at another level" tells "That takes 4 runs of each." 0 \
	compare --significance=0.05 plain1 plain2 -- plain3 plain4
same_is_noise() {
	tells "  nothing" 0 compare --significance=0.4 --fail plain1 plain2 -- \
		plain1 plain2 && grep -q "^  Work .* noise\$" out
}
ok "equal runs are noise" same_is_noise
differ() {
	tells "  1. region Work: time from 5.500 s to 7.500 s, +36.4 %" 3 compare \
		--significance=0.4 plain1 plain2 --fail -- plain3 plain4
}
ok "options may stand anywhere, and --fail is 3" differ
ok "no power anywhere" tells "energy: not known in any run" 0 compare plain1 \
	plain2
ok "power in one only" tells "energy: known in B only" 0 compare plain1 mini
ok "partial power" tells \
	"energy: in 1 of 2 runs power is known for a part of the time only, in mini" \
	0 compare plain1 mini
ok "and energy is the least" tells ">= 600 J" 0 compare mini mini
ok "ranks of one only" tells "ranks in B only: 1" 0 compare plain1 mini
make_plain other r1 2
ok "what is no rank" tells "traces (by their nodes) in A only: alpha_r1" 0 \
	compare other plain1
by_columns() {
	status 0 compare --format=csv mini plain1 || return 1
	awk -F, 'NR == 1 { fields = NF }
		NF != fields || !/^[a-z]/ { exit 1 }
		END { exit NR < 6 }' out && grep -q "^rank,0,0," out
}
ok "CSV has as many fields in each line" by_columns
short_list() {
	tells "and 2 more; --all lists them" 0 compare --top=1 mini plain1 &&
		tells "  Read " 0 compare --all mini plain1 &&
		! grep -q "more; --all" out
}
ok "--top and --all" short_list

# ---- What is wrong -----------------------------------------------------------

ok "no project" says "missing argument: PROJECT" 2 compare
ok "only one project" says "missing argument: a second PROJECT; compare takes two \
projects, or several runs of each: A1 A2 ... -- B1 B2 ..." 2 compare mini
ok "three without --" says 'says where the second set begins' 2 compare mini mini \
	mini
ok "nothing before --" says 'no project before "--"' 2 compare -- mini mini
ok "nothing behind --" says 'no project behind "--"' 2 compare mini mini --
ok "two --" says 'stands there twice' 2 compare mini -- mini -- mini
ok "no number of runs is enough" tells "No number of runs is enough" 0 \
	compare --significance=0.00005 plain1 plain2 -- plain3 plain4
ok "and none is needed" tells '"runs_needed": null' 0 \
	compare --significance=0.00005 --format=json plain1 plain2 -- \
	plain3 plain4
ok "nine are" tells "That takes 9 runs of each" 0 \
	compare --significance=0.0001 plain1 plain2 -- plain3 plain4
ok "a significance" says '--significance: not between 0 and 1: "1"' 2 compare --significance=1 mini mini
ok "an attribution" says '--attribution: invalid value "x"; expected equal or cpu' 2 compare \
	--attribution=x mini mini
ok "a negative number" says '--top is negative' 2 compare --top=-1 mini mini
ok "no such project" says 'none: cannot open: No such file' 2 compare mini none
full_disk() {
	[ -c /dev/full ] || return 0
	for format in text csv json; do
		"$hdtrace" compare --format="$format" mini mini >/dev/full 2>err
		[ $? -eq 2 ] || return 1
		grep -q "standard output: cannot write: No space" err || return 1
	done
}
ok "a full disk" full_disk
cut_file() {
	cp mini_alpha_0.trc whole
	sed '/<\/Program>/d' whole >mini_alpha_0.trc
	tells "mini has 1 diagnostic; hdtrace check lists it" 1 compare mini plain1
}
ok "problems of the data are counted" cut_file
done_testing
