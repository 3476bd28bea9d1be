#!/bin/sh
# hdpredict: models at the limits of their types (A6): sizes, counts, numbers that
# are too large for what is computed of them; and models of nothing.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
hdpredict=${abs_top_builddir:?}/hdpredict
cd "$scratch" || exit 99
. "$abs_top_srcdir/tests/predict/models.sh"

# Standard input is a graph: STATUS MESSAGE, of hdpredict validate.
validates() {
	cat >x.xml
	exits "$1" "$hdpredict" validate x.xml && cat out err | grep -qE "$2"
}
# An expression for a size, of n=3: STATUS MESSAGE EXPRESSION.
size() {
	echo "<application><kernel id=\"K\"><variable id=\"n\"/><output id=\"o\" size=\"$3\"/></kernel>
<task id=\"t\" kernel=\"K\"><assign var=\"n\" val=\"3\"/></task></application>" |
		validates "$1" "$2"
}
repeat() {
	printf "%0$1d" 0 | sed "s/0/$2/g"
}
ok "A6: 0 / 0" size 1 'size of o: it divides by zero' '0 / 0'
ok "A6: a divisor that is zero only for this task" size 1 'it divides by zero' '8 / (n - 3)'
ok "A6: infinite less infinite" size 1 'it is not a number' '1e308 * n - 1e308 * n'
ok "A6: infinite" size 1 'more than 2.53 bytes' '1e308 * n'
ok "A6: minus infinite" size 1 'it is negative' '-1e308 * n'
ok "A6: just less than nothing" size 1 'it is negative' 'n - 4'
ok "A6: nothing is a size" size 0 '1 tasks' 'n - 3'
ok "A6: nothing, negative" size 0 '1 tasks' '-(n - 3)'
ok "A6: the largest size" size 0 '1 tasks' '9007199254740992'
ok "A6: two bytes more" size 1 'more than 2.53 bytes' '9007199254740994'
ok "A6: a long size" size 0 '1 tasks' "$(repeat 4095 1 | sed 's/11/1+/g')"
ok "A6: a longer one" size 1 'it is too long' "$(repeat 4099 1 | sed 's/11/1+/g')"
ok "A6: a deep size" size 0 '1 tasks' "$(repeat 99 '(')n$(repeat 99 ')')"
ok "A6: a deeper one" size 1 'nested too deeply' "$(repeat 101 '(')n$(repeat 101 ')')"

# As many variables: COUNT STATUS MESSAGE.
variables() {
	{
		echo '<application><kernel id="K">'
		seq "$1" | sed 's|.*|<variable id="v&"/>|'
		echo '<output id="o" size="v1"/></kernel><task id="t" kernel="K">'
		seq "$1" | sed 's|.*|<assign var="v&" val="1"/>|'
		echo '</task></application>'
	} | validates "$2" "$3"
}
ok "A6: as many variables as there may be" variables 1000 0 '1 tasks'
ok "A6: one more" variables 1001 1 'at most 1000 variables'
tile() {
	echo "<application>$kernels<task id=\"a\" kernel=\"S\" tile=\"$1\">
<assign var=\"n\" val=\"1\"/></task></application>" | validates "$2" "$3"
}
ok "A6: the last tile" tile 4294967294,4294967294 0 '1 tasks'
ok "A6: a tile beyond it" tile 4294967295,0 1 'a: tile="4294967295,0" is not'
ok "A6: a negative tile" tile 0,-1 1 'a: tile="0,-1" is not'
ok "A6: half a tile" tile 0.5,0 1 'a: tile="0.5,0" is not'
priority() {
	graph <<END | validates "$2" "$3"
$(task a S 8 A.0 "$1")
END
}
ok "A6: the last priority" priority 9007199254740992 0 '1 tasks'
ok "A6: a priority beyond it" priority 9007199254740994 1 'is not a whole number'
ok "A6: half a priority" priority 0.5 1 'is not a whole number'
ok "A6: a priority beyond all" priority 1e400 1 'not a finite number'
nested() {
	{
		repeat 210 '<application>'
		repeat 210 '<\/application>'
	} | validates 1 'nested too deeply|unknown in'
}
ok "A6: deep elements" nested
loads() {
	echo "<resource-model><slowdown architecture=\"c\" kernel=\"S\" load=\"S\"
count=\"$1\" factor=\"2\"/></resource-model>" >x.xml
	exits "$2" "$hdpredict" validate --resources x.xml && cat out err | grep -qE "$3"
}
ok "A6: the largest count" loads 100000 0 valid
ok "A6: a count beyond it" loads 100001 1 'a count is a whole number'
ok "A6: a count of 2^32 + 1" loads 4294967297 1 'a count is a whole number'
ok "A6: a negative count" loads -1 1 'a count is a whole number'

# Times, energies and latencies beyond what a double can hold. The graph g.xml,
# with a sed script for p.xml and one for r.xml: MESSAGE PLATFORM RESOURCES OPTION...
graph <<END >g.xml
$(task x S 250 A.0 0)$(task y T 250 B.0 0)$(dep x y)
END
model=g.xml
beyond() {
	message=$1
	sed "$2" p.xml >q.xml
	sed "$3" r.xml >s.xml
	shift 3
	exits 1 "$hdpredict" simulate "$model" --platform q.xml --resources s.xml \
		"$@" && grep -qE "$message" err && [ ! -s out ]
}
time='the time is more than a double can hold, after 1 tasks'
ok "A6: times" beyond "$time" '' 's/time="[24]"/time="1e308"/'
ok "A6: times of samples" beyond "$time" '' 's/time="[24]"/time="1e308"/' --mc 9
ok "A6: energies" beyond 'the energy is more than' '' 's/energy="[35]"/energy="1e308"/'
ok "A6: idle power" beyond 'the energy is more than' 's/"10"/"1e308"/' ''
ok "A6: energy of packets" beyond 'the energy is more than' \
	's/energy="2e9"/energy="1e308"/; s/"100"/"1e-9"/' ''
ok "A6: packets without end" beyond "$time" 's/"100"/"1e-300"/' ''
ok "A6: packets without end, shared" beyond "$time" 's/"100"/"1e-300"/' '' --comm share
graph <<END >together.xml
$(task x S 250 A.0 0)$(task y S 250 A.1 0)
END
model=together.xml
ok "A6: a time that is slowed down" beyond \
	'the time is more than a double can hold, after 0 tasks' '' \
	's/time="2"/time="1e10"/; s/"T" load="T"/"S" load="S"/; s/factor="2"/factor="1e308"/'
late() {
	sed 's/time="2"/time="1e10"/' r.xml >s.xml
	exits 2 "$hdpredict" simulate g.xml --platform p.xml --resources s.xml \
		-o late && grep -q 'late: Value too large' err && ! ls late* 2>/dev/null
}
ok "A6: a project that would end after 2106" late

# OPTION...: too many of what is generated.
too_many() {
	exits 2 "$hdpredict" generate "$@" && grep -qE 'too many|out of range|more than 0' err &&
		[ ! -s out ]
}
ok "A6: too many tiles" too_many cholesky --tiles 2147483647
ok "A6: more tiles than numbers" too_many cholesky --tiles 4294967296
ok "A6: no tiles" too_many cholesky --tiles 0
ok "A6: tiles that are too large" too_many cholesky --tile-size 2147483647
ok "A6: too many cells" too_many stencil --width 65536 --steps 1
ok "A6: too many layers" too_many random --steps 2147483647 --width 2147483647

# ---- Models of nothing ---------------------------------------------------------

echo '<application/>' >e.xml
"$hdpredict" convert e.xml -o e.bin
nothing() {
	exits 0 "$hdpredict" simulate "$1" --platform p.xml --resources r.xml \
		--map eft --mc 3 --power-limit 1 --subgraphs --tasks --format=json \
		-f -o nothing --annotate e2.xml && grep -q '"makespan_s": 0,' out &&
		grep -q '"peak_w": 20,' out && exits 0 "$hdpredict" validate e2.xml &&
		exits 0 "${abs_top_builddir:?}/hdtrace" check nothing
}
ok "A6: an empty graph, in all that can be asked" nothing e.xml
ok "A6: likewise in the binary form" nothing e.bin
empty_platform() {
	echo "<platform>$1</platform>" >x.xml
	exits 1 "$hdpredict" validate --platform x.xml && grep -q "$2" err
}
ok "A6: an empty platform" empty_platform '' 'no node has main memory'
ok "A6: a platform without PEs" empty_platform \
	'<node id="a"><main-memory id="m" size="1"/></node>' 'there is no PE'
no_costs() {
	echo '<resource-model/>' >x.xml
	exits 0 "$hdpredict" validate --resources x.xml &&
		exits 0 "$hdpredict" simulate e.xml --platform p.xml --resources x.xml &&
		exits 1 "$hdpredict" simulate g.xml --platform p.xml --resources x.xml &&
		grep -q 'x: no resource entry' err
}
ok "A6: an empty resource model" no_costs
done_testing
