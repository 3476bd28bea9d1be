#!/bin/sh
# hdtrace merge: processes of a host that began before and after its clock was set.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
hdtrace=${abs_top_builddir:?}/hdtrace
cd "$scratch" || exit 99

# A trace with one state of a second: FILE BASE BEGIN
trace() {
	cat >"$1.trc" <<-END
	<Program timeAdjustment='0' levels='Host Rank Thread' clockBase='$2' clockStepped='0 +0.000000000'>
	<Work time='$3' end='$(($3 + 1))'/>
	</Program>
	END
}

# The times of states in a project: PROJECT
state_times() {
	"$hdtrace" dump "$1" | grep Work
}

# Rank 0 lived while the clock was set by 60 s; rank 1 began after that.
two_ranks() {
	trace "$1_beta_0_0" 1000 1100
	trace "$1_beta_1_0" 1060 1170
	echo "ClockStep time=1101.0 by=60.0" >"$1_beta_0_0.info"
}

aligned() {
	two_ranks plain
	"$hdtrace" merge --levels=Host,Rank,Thread plain >out 2>&1 || { cat out; return 1; }
	cat out
	grep 'beta_1_0.trc.*moved by -60.0.*\[merge.base\]' out &&
		state_times plain >found && cat found &&
		grep -q '^ *1100.0* 1101.0* Work' found &&
		grep -q '^ *1110.0* 1111.0* Work' found
}

# A second time nothing is left to be done.
once() {
	state_times plain >before
	"$hdtrace" merge --force plain >out 2>&1 && cat out &&
		! grep merge.base out && state_times plain | cmp - before
}

# What no step explains is another boot.
unexplained() {
	two_ranks other
	echo "ClockStep time=1101.0 by=50.0" >other_beta_0_0.info
	"$hdtrace" merge --levels=Host,Rank,Thread other >out 2>&1 && cat out &&
		! grep merge.base out &&
		state_times other | grep '^ *1170.0* 1171.0* Work'
}

# The clock was compared by rank 0: at its 1100 s the reference had 1105 s.
compared() {
	two_ranks clock
	trace clock_alpha_2_0 500 1105
	echo "Clock time=1105.0 offset=0 error=0 method='reference'" >clock_alpha_2_0.info
	echo "Clock time=1100.0 offset=5 error=0.001 method='ping-pong'" >>clock_beta_0_0.info
	"$hdtrace" merge --levels=Host,Rank,Thread clock >out 2>&1 || { cat out; return 1; }
	state_times clock >found && cat out found &&
		[ "$(grep -c '^ *1105.0* 1106.0* Work' found)" -eq 2 ] &&
		grep -q '^ *1115.0* 1116.0* Work' found
}

# Both have logged the second step, each in its own time: that is one step, and
# explains no difference of 50 s.
logged_twice() {
	two_ranks both
	echo "ClockStep time=1120.0 by=-5.0" >>both_beta_0_0.info
	echo "ClockStep time=1180.0 by=-5.0" >both_beta_1_0.info
	trace both_beta_2_0 1050 1175
	"$hdtrace" merge --levels=Host,Rank,Thread both >out 2>&1 || { cat out; return 1; }
	cat out
	grep 'beta_1_0.trc.*moved by -60.0.*\[merge.base\]' out &&
		! grep 'beta_2_0.*merge.base' out &&
		state_times both | grep '^ *1175.0* 1176.0* Work'
}

ok "bases are aligned if a clock step explains them" aligned
ok "aligned files are not moved again" once
ok "unexplained differences of bases stay" unexplained
ok "a step that two bases have logged counts once" logged_twice
ok "clock corrections apply to one base" compared
done_testing
