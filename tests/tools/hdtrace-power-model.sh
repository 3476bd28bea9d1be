#!/bin/sh
# hdtrace power-model: simulated meters with declared laws, an independent least squares fit
# (readers/powermodel.py), and real runs of 2009.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: slow
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
reader=$abs_top_srcdir/tests/tools/readers/powermodel.py
cd "$scratch" || exit 99
python3 -c '' 2>/dev/null || skip_all "there is no python3"

law() {
	python3 "$reader" "$hdtrace" "$@"
}
errors() {
	says 'missing option: --output' 2 power-model mini &&
		says 'missing argument: PROJECT' 2 power-model -o x.model &&
		says 'no node with both power and utilization' 2 power-model -o x.model mini &&
		says 'cannot open' 2 power-model -o x.model none.proj &&
		[ ! -e x.model ] && law residuals &&
		says 'm.model: exists; --force replaces it' 2 power-model -o m.model p.proj &&
		says 'cannot create' 2 power-model -o none/x.model p.proj
}
table() {
	status 0 power-model -f -o m.model p.proj || return 1
	cat out
	grep -q '^Idle power: [0-9.]* W (95 %: [0-9.]* to [0-9.]* W)$' out &&
		grep -q '^cpu  *0  *100  *0\.[78][0-9]*' out &&
		grep -q '^Prediction of parts of the run that were not fitted: error ' out &&
		grep -q 'power-model: wrote m.model$' err
}

# report and hdpredict take the model.
make_model() {
	cat >u.model <<-'MODEL'
	[model]
	version = 1
	unit = W
	idle_w = 80
	idle_low = 79
	idle_high = 81
	error_w = 1
	[component cpu]
	w_per_percent = 1 0.5
	low = 1 0.5
	high = 1 0.5
	knots = 40
	[component network]
	w_per_percent = 0.1
	low = 0.1
	high = 0.1
	max = 1e8
	MODEL
}
idle_power() {
	make_model
	status 0 report -q --format=json --idle-power=80 mini && mv out number &&
		status 0 report -q --format=json --idle-power=u.model mini && cmp number out &&
		says 'expected watts, or a file of hdtrace power-model' 2 \
			report --idle-power=none.model mini &&
		says '--idle-power: must be 0 or more' 2 report --idle-power=-1 mini || return 1
	sed 's/^low.*/low = 1/' u.model >bad.model
	says 'bad.model:10: low: expected 2 numbers' 2 report --idle-power=bad.model mini
}
# 80 + 40 + 30 + 10 W.
platform() {
	make_model
	"$abs_top_builddir/hdpredict" platform --nodes 1 --pes 1 --power-model=u.model >p.xml &&
		grep -q '<node-architecture id="node" idle-power="80" peak_w="160"/>' p.xml &&
		! "$abs_top_builddir/hdpredict" platform --power-model=none.model 2>err &&
		grep -q 'none.model: cannot read: No such file' err
}

ok "two components, noise and a late meter: 100 seeds" law linear
ok "a knee at 60 %" law knee
ok "drift, and noise that depends on its neighbours" law drift
ok "collinear components are refused, with the command that tells them apart" law collinear
ok "a constant load is refused" law constant
ok "power by clock" law clock
ok "meters slower and faster than the load" law slow_meter
ok "components from the levels of hdload" law levels_of_hdload
# The python3 of the system has the packages of the system.
science=
for python in python3 /usr/bin/python3; do
	"$python" -c 'import scipy' 2>/dev/null && science=$python && break
done
by_scipy() {
	"$science" "$reader" "$hdtrace" oracle
}
if [ -n "$science" ]; then
	ok "the same coefficients as scipy, and intervals at least as wide" by_scipy
else
	skip "the same coefficients as scipy" "there is no scipy"
fi
(make_mini)
ok "errors, and residuals over time" errors
ok "table for people" table
ok "idle power of hdtrace report from a model" idle_power
ok "idle and peak power of hdpredict platform from a model" platform
if [ -d "$corpus/stresstest" ]; then
	ok "real runs of 2009 that were not fitted" law corpus "$corpus"
else
	skip "real runs of 2009" "there is no corpus"
fi
done_testing
