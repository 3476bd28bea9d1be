#!/bin/sh
# hdpredict simulate --mc: samples of the spread of a resource model.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/predict/cholesky.sh"
hdpredict=${abs_top_builddir:?}/hdpredict
export PYTHONDONTWRITEBYTECODE=1
cd "$scratch" || exit 99

compare() {
	python3 "$abs_top_srcdir/tests/predict/samples.py" "$hdpredict" . "$1"
}
if command -v python3 >/dev/null; then
	ok "samples equal a second implementation" compare oracle
	ok "a chain of normal times equals its closed form" compare closed
else
	skip "samples equal a second implementation" "python3 is missing"
fi

"$hdpredict" generate cholesky --tiles 6 --tile-size 128 -o c.xml
sample() {
	"$hdpredict" simulate c.xml --platform thesis-xu4 --resources r.xml \
		--map eft "$@"
}
cholesky_resources A15 >r.xml
seeds() {
	sample --mc 20 --seed 3 --format=json >a.json && sample --mc 20 --seed 3 --format=json >b.json &&
		sample --mc 20 --seed 4 --format=json >c.json && cmp a.json b.json && ! cmp -s a.json c.json
}
ok "samples depend on the seed" seeds
text() {
	sample --mc 20 --against c.xml >out && grep -q '^20 samples, seed 1$' out &&
		grep -q '^The first is faster with probability 0.000 .*equal: 1.000' out
}
ok "samples are printed as text" text
# The mean of samples without spread is the simulation's.
no_spread() {
	sed 's/ time-sd="[^"]*"//' r.xml >s.xml
	sample --resources s.xml --mc 7 --format=json >out || return 1
	time=$(sed -n 's/^  "makespan_s": \(.*\),$/\1/p' out)
	grep -q "\"makespan_s\": { \"mean\": $time, \"mean_error\": 0, \"deviation\": 0, \"minimum\": $time," out ||
		{ cat out; return 1; }
}
ok "samples without a spread are equal" no_spread

# A command that fails: STATUS MESSAGE OPTION...
fails() {
	status=$1 message=$2
	shift 2
	exits "$status" "$hdpredict" simulate c.xml --platform thesis-xu4 \
		--resources r.xml --map eft "$@" && grep -q -- "$message" err &&
		[ ! -s out ]
}
ok "too many samples are refused" fails 2 '--mc: invalid number .* expected 1 to' --mc 10000001
ok "a negative number of samples is refused" fails 2 '--mc: invalid number .* expected 1 to' --mc -1
ok "a number of samples that is not a number is refused" fails 2 mc --mc x
ok "--against without samples is refused" fails 2 '--against: requires --mc' --against c.xml
ok "--against-platform without --against is refused" fails 2 ': requires --against' --mc 3 --against-platform thesis
ok "a missing file of --against is reported" fails 2 'none.xml: cannot open: No such file' --mc 3 --against none.xml
echo '<platform><node id="n"><main-memory id="m" size="1000" full="fail"/>
<pe id="p" architecture="A15"/></node></platform>' >full.xml
# Only the first sample that fails is said.
full() {
	fails 1 'is full at' --mc 50 --against c.xml --against-platform full.xml &&
		[ "$(grep -c 'is full at' err)" -eq 1 ]
}
ok "only the first failing sample is reported" full
done_testing
