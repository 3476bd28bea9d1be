#!/bin/sh
# hdtrace stat --shares: the numbers of a paper, those of a second implementation
# (readers/shares.py), what people read, and what it refuses.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
cd "$scratch" || exit 99

# CASE
second() {
	python3 "$abs_top_srcdir/tests/tools/readers/shares.py" "$hdtrace" "$1"
}

more_chances() {
	for seed in $(seq 1000 1100); do
		second "$seed" >log || { cat log; echo "seed $seed"; return 1; }
	done
}

# Half of the power for a thread of two: STATE AMOUNT OPTION...
costs() {
	state=$1 amount=$2
	shift 2
	status 0 stat --shares --format=csv "$@" mini || return 1
	grep "^energy,Energy,P,alpha_0,,$state,,,$amount,J," "$scratch/out"
}

if [ -n "$(command -v python3)" ]; then
	ok "shares equal figure 6 of the paper on pmlib" second paper
	for seed in 2013 2014 "${HDTRACE_TEST_SEED:-$$}"; do
		ok "shares of random project $seed agree with a second program" second "$seed"
	done
	[ -z "${HDTRACE_TEST_LONG-}" ] ||
		ok "shares of more random projects agree with a second program" more_chances
else
	skip "numbers" "no python3"
fi

make_mini
for format in text csv json; do
	ok "shares are printed as $format" prints stat-shares.$format 0 stat --shares \
		--format=$format mini
done
# By hand: 100 W from 0 to 1 and 200 W to 2, 300 W from 4 to 5, nothing between;
# Work is from 0.5 to 3 and from 4.5 to 5, Read in it from 1 to 2; Wait to 4.5.
ok "energy of a state excludes nested states" costs Work 200
ok "energy outside of states is listed" costs '' 0
ok "shares are cut to an interval" costs Work 30 --from=0.3 --to=0.8
ok "traces outside the selection keep their share" costs Work 200 -n alpha_0
ok "--attribution=cpu without CPU times divides equally" costs Work 200 --attribution=cpu
ok "refuses --regions" says "--regions: cannot be combined with --shares" 2 stat --shares \
	--regions='*' mini
for other in --by-name --window=1 --phases=/dev/null --phases-from=alpha_0; do
	ok "refuses $other" says "--shares: cannot be combined" 2 stat --shares \
		$other mini
done
ok "shares of time are printed without power" prints stat-shares-time.text 0 stat --shares -g Net mini
ok "refuses --attribution without --shares" says "--attribution: requires" 2 stat \
	--attribution=cpu mini
sed '/<\/Program>/d; /4.500000000/d' mini_alpha_0.trc >shorter
mv shorter mini_alpha_0.trc
ok "a truncated trace is reported" prints stat-shares-cut.text 1 stat \
	--shares -n alpha mini
rm mini_*.trc
ok "a selection without states and C-states is refused" says "neither traces nor" 2 stat --shares \
	-g Net mini
ok "a missing project is reported" says "No such file" 2 stat --shares none
ok "a full disk is reported" sh -c "! '$hdtrace' stat --shares mini >/dev/full"
done_testing
