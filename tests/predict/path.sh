#!/bin/sh
# The critical path of a predicted project is as long as the makespan, and made
# of what could not begin before: cases by hand, and random models.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain slow
#
# HDTRACE_TEST_MODELS says how many models (200, with sanitizers 50),
# HDTRACE_TEST_SEED which is the first.
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
hdpredict=${abs_top_builddir:?}/hdpredict
hdtrace=$abs_top_builddir/hdtrace
cd "$scratch" || exit 99
. "$abs_top_srcdir/tests/predict/models.sh"

# The path of a graph on standard input is this: OPTIONS PLATFORM LENGTH JUMPS
# STATE:TIME...; all of its states, the most time first.
path() {
	options=$1 platform=$2 length=$3 jumps=$4
	shift 4
	graph >g.xml
	# shellcheck disable=SC2086
	exits 0 "$hdpredict" simulate g.xml --platform "$platform" \
		--resources r.xml $options -f -o path &&
		exits 0 "$hdtrace" report --format=json path || return 1
	tr -d ' \n' <out | sed 's/.*"critical_path"://' >flat
	for state; do
		printf '{"name":"%s","time_s":%s}' "${state%:*}" "${state#*:}"
	done >want
	sed 's/.*"by_state":\[\([^]]*\)\].*/\1/; s/,"mpi":[a-z]*//g; s/},{/}{/g' \
		flat | tr -d '\n' >found
	cat flat && echo
	diff want found && grep -q "^{\"length_s\":$length," flat &&
		grep -q "\"jumps\":$jumps," flat
}

# A trace has it: TRACE WHAT FOR-WHOM FROM UNTIL, Blocked or a Waitall.
waits() {
	grep -q "<[BW][a-z]* awaits='$2' for='$3' .*time='$4' end='$5'" \
		"path_$1.trc" || { cat path_*.trc; return 1; }
}

# x, its message, y: 2 + 2.5 + 4.
two() {
	path "" p.xml 8.500000000 2 T:4.000000000 Bsend:2.500000000 S:2.000000000 <<END &&
$(task x S 250 A.0 0)$(task y T 250 B.0 0)$(dep x y)
END
		waits B_2_0 2 x 0.000000000 4.500000000
}
ok "path: two tasks and a transfer" two
# 2 + 1.5 + 4 + 1.5 + 4.
chain() {
	path "" p.xml 13.000000000 4 T:8.000000000 Bsend:3.000000000 S:2.000000000 <<END
$(task x S 1 A.0 0)$(task y T 1 B.0 0)$(task z T 1 A.0 1)$(dep x y)$(dep y z)
END
}
ok "path: a chain with transfers" chain
# Both T run at half speed, from 2 to 10; one of them is on another PE.
fork_() {
	path "" p.xml 10.000000000 '[01]' T:8.000000000 S:2.000000000 <<END
$(task x S 250 A.0 0)$(task y T 250 A.0 1)$(task z T 250 A.1 0)$(dep x y)$(dep x z)
END
}
ok "path: a fork, with slowdown" fork_
# y needs what another PE of its server made; no message says so.
near() {
	path "" p.xml 6.000000000 1 T:4.000000000 S:2.000000000 <<END &&
$(task x S 250 A.0 0)$(task y T 250 A.1 0)$(dep x y)
END
		waits A_1_0 0 x 0.000000000 2.000000000
}
ok "path: data of another PE of the server" near
# The first bridge is taken until 3.5, so that y starts at 5.
bridge() {
	path "--slowdown off" p.xml 9.000000000 2 T:4.000000000 Bsend:3.000000000 S:2.000000000 <<END &&
$(task x S 1 A.0 0)$(task w S 1 A.1 0)$(task y T 1 B.0 0)$(task z T 1 B.1 0)
$(dep w z)$(dep x y)
END
		waits B_2_0 5 x 0.000000000 5.000000000
}
ok "path: an occupied exclusive bridge" bridge
# Shared: 1 s each, then 0.5 s of payload at half the rate; both are shown.
share() {
	path "--slowdown off --comm share" p.xml 8.000000000 2 T:4.000000000 Bsend:2.000000000 S:2.000000000 <<END || return 1
$(task x S 1 A.0 0)$(task w S 1 A.1 0)$(task y T 1 B.0 0)$(task z T 1 B.1 0)
$(dep w z)$(dep x y)
END
	for lane in 0 1; do
		grep -q "<Bsend .*time='2.000000000' end='4.000000000'/>" \
			"path_A_4_$lane.trc" || return 1
	done
}
ok "path: a shared bridge" share
# What w made is sent when x's message, which it shares bridges with, has ended.
after() {
	path "--slowdown off --comm share" p.xml 10.000000000 2 S:4.000000000 T:4.000000000 Bsend:2.000000000 <<END &&
$(task x S 200 A.0 0)$(task v S 1 A.1 0)$(task w S 200 A.1 1)$(task y T 200 B.0 0)$(task z T 200 B.1 0)
$(dep x y)$(dep w z)
END
		grep -q "<Bsend .*follows='2' for='w'  *time='4.000000000' end='6.000000000'/>" \
			path_A_4_1.trc
}
ok "path: a shared bridge with consecutive messages" after
# The same two messages, but from two servers: the bridge into B is taken.
incast() {
	sed 's|^<channel|<node id="C" architecture="box"><main-memory id="C.m" size="1000"><out peer="C.o"/><in peer="C.i"/></main-memory><pe id="C.0" architecture="core"/><bridge id="C.o" architecture="out"/><bridge id="C.i" architecture="in"/></node>&|
		s|<in peer="B.o"/><out|<in peer="C.o"/><out peer="C.i"/>&|' p.xml >c.xml
	path "--slowdown off" c.xml 9.000000000 3 T:4.000000000 Bsend:3.000000000 S:2.000000000 <<END &&
$(task x S 1 A.0 0)$(task w S 1 C.0 0)$(task y T 1 B.0 0)$(task z T 1 B.1 0)
$(dep w z)$(dep x y)
END
		waits A_5_0 4 w 2.000000000 3.500000000
}
ok "path: an occupied bridge of the receiver" incast
# w needs the memory that x's data have until they are sent, at 4.5: it ends at
# 6.5, and y at 8.5; with two more tasks behind w it is 10.5.
delay() {
	sed 's/id="A.m" size="1000"/id="A.m" size="300" full="delay"/' p.xml >d.xml
	path "" d.xml 8.500000000 2 T:4.000000000 Bsend:2.500000000 S:2.000000000 <<END || return 1
$(task x S 250 A.0 0)$(task w S 250 A.1 0)$(task y T 250 B.0 0)$(dep x y)
END
	waits A_1_0 3 x 0.000000000 4.500000000 &&
		path "" d.xml 10.500000000 2 S:8.000000000 Bsend:2.500000000 <<END
$(task x S 250 A.0 0)$(task w S 250 A.1 0)$(task v S 1 A.1 1)$(task u S 1 A.1 2)$(task y T 250 B.0 0)$(dep x y)
END
}
ok "path: full memory" delay
# B has room for what v and u make, and for x's data, which are there at 4, only
# when u has ended: at 6.
far() {
	sed 's/id="B.m" size="1000"/id="B.m" size="500" full="delay"/' p.xml >d.xml
	path "" d.xml 12.500000000 2 T:8.000000000 Bsend:2.500000000 S:2.000000000 <<END &&
$(task x S 250 A.0 1)$(task v S 250 B.1 0)$(task u T 250 B.1 1)$(task y T 250 B.0 0)$(dep x y)$(dep v u)
$(task p S 1 A.0 0)
END
		waits A_4_0 2 u 4.000000000 6.000000000
}
ok "path: full memory of the destination" far
# A T of 7 bytes takes no time.
timeless() {
	cp r.xml r.old
	sed 's|</resource-model>|<entry kernel="T" architecture="core" time="0" energy="0"><assign var="n" val="7"/></entry>&|' \
		r.old >r.xml
	"$1"
	status=$?
	mv r.old r.xml
	return "$status"
}
# What y waited for is not s, but x.
nothing() {
	path "" p.xml 4.000000000 '[01]' S:4.000000000 <<END &&
$(task x S 7 A.0 0)$(task s T 7 A.1 0)$(task y T 7 A.0 1)$(task z S 7 A.0 2)$(dep x s)$(dep s y)
END
		waits A_1_0 0 x 0.000000000 2.000000000
}
ok "path: tasks without duration" timeless nothing
# q waits for data of w, p only for q; both are over at 3.5, p as the last.
ties() {
	path "" p.xml 5.500000000 2 S:4.000000000 Bsend:1.500000000 <<END || return 1
$(task p T 7 A.0 2)$(task q T 7 A.0 1)$(task w S 7 B.0 0)$(task x S 7 A.0 0)$(task y S 7 A.0 3)$(dep w q)$(dep x p)
END
	waits A_0_0 5 w 2.000000000 3.500000000 && ! grep '<Blocked' path_A_0_0.trc &&
		echo x q p y >want &&
		sed -n "s/.* task='\([a-z]\)'.*/\1/p" path_A_0_0.trc | xargs | diff want -
}
ok "path: simultaneous tasks in their order" timeless ties
# Two lanes, and then one: nothing of the old project stays.
replaced() {
	share && touch path_A_4_1.txt path2_A_4_1.trc && two &&
		! ls path_A_4_1.trc && ls path_A_4_1.txt path2_A_4_1.trc
}
ok "path: a replaced project leaves no files" replaced

if ! command -v python3 >/dev/null; then
	skip "path: random models" "python3 is missing"
	done_testing
	exit
fi
export PYTHONDONTWRITEBYTECODE=1
count=200
[ -z "${HD_SANITIZE-}" ] || count=50
models=${HDTRACE_TEST_MODELS:-$count}
first=${HDTRACE_TEST_SEED:-0}
random_models() {
	python3 "$abs_top_srcdir/tests/predict/path.py" "$hdpredict" "$hdtrace" \
		"$scratch" "$first" "$models" >said
	status=$?
	cat said
	return "$status"
}
ok "path: $models random models from seed $first agree" random_models
ok "path: random models include all kinds" grep -q \
	"exclusive.* exclusive with delays.* share.* share with delays" said
done_testing
