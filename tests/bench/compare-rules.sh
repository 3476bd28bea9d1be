#!/bin/sh
# How bench-compare judges what was measured.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
awk=$abs_top_srcdir/tests/bench/compare.awk

# Pairs of a figure: NAME BASE THIS...
pairs() {
	name=$1 base=$2
	shift 2
	for this; do
		echo "time $name $base $this"
	done
}

# The exit status of a judgement of standard input, and what it says: STATUS TEXT.
judges() {
	awk -f "$awk" >"$scratch/said" 2>&1
	if [ $? -ne "$1" ] || ! grep -qF -- "$2" "$scratch/said"; then
		cat "$scratch/said"
		return 1
	fi
}

same() {
	pairs a 100 99 101 100 98 102 100 101 99 100 |
		judges 0 "a            time           1.000  [0.990, 1.010]  9 pairs  ok"
}

slower() {
	pairs a 100 107 106 108 107 106 107 108 109 105 |
		judges 1 "1.070  [1.060, 1.080]  9 pairs  SLOWER"
}

# More than 5 %, but nobody knows.
noisy() {
	pairs a 100 90 94 107 95 106 107 150 140 120 |
		judges 0 "1.070  [0.940, 1.400]  9 pairs  ok"
}

# Certainly slower, but not by 5 %.
little() {
	pairs a 100 104 104 103 104 105 104 104 103 104 | judges 0 "ok"
}

faster() {
	pairs a 200 100 100 100 100 100 100 100 100 100 | judges 0 "0.500"
}

second_is_slower() {
	{
		pairs a 100 100 100 100 100 100 100 100 100 100
		pairs b 100 120 120 120 120 120 120 120 120 120
	} | judges 1 "b            time           1.200"
}

# 0.5^n * 2 is above 5 % up to 5 pairs.
few() {
	pairs a 100 100 100 100 100 100 | judges 2 "5 pairs are too few"
}

six() {
	pairs a 100 100 101 102 103 104 99 |
		judges 0 "1.015  [0.990, 1.040]  6 pairs"
}

instructions() {
	echo "instructions state 1000 1010" | judges 0 "ok" &&
		echo "instructions state 1000 1011" |
		judges 1 "1011.0 instead of 1000.0  MORE"
}

nothing() {
	judges 2 "nothing was measured" </dev/null
}

broken() {
	echo "time a 100" | judges 2 "not a measurement" &&
		echo "time a 0 100" | judges 2 "not a measurement" &&
		echo "time a x 100" | judges 2 "not a measurement"
}

no_revision() {
	sh "$abs_top_srcdir/tests/bench/compare.sh" . '' 2>"$scratch/said"
	[ $? -eq 2 ] && grep -q "which revision" "$scratch/said"
}

ok "equal results pass" same
ok "slower by 7 % is slower" slower
ok "differences within the noise pass" noisy
ok "slower by 4 % is allowed" little
ok "a faster revision passes" faster
ok "one slower figure of two fails" second_is_slower
ok "five pairs are too few for a verdict" few
ok "six pairs give a verdict, and the range from minimum to maximum" six
ok "more than 1 % additional instructions fail" instructions
ok "an empty measurement fails" nothing
ok "a malformed measurement is an error" broken
ok "a missing revision is an error" no_revision
done_testing
