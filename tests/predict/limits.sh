#!/bin/sh
# hdpredict: models at the limits of their types: sizes, counts, numbers that
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
ok "size: 0 / 0 is rejected" size 1 'size of o: division by zero' '0 / 0'
ok "size: a divisor that is zero for one task is rejected" size 1 'division by zero' '8 / (n - 3)'
ok "size: infinity minus infinity is rejected" size 1 'not a number' '1e308 * n - 1e308 * n'
ok "size: infinity is rejected" size 1 'more than 2.53 bytes' '1e308 * n'
ok "size: minus infinity is rejected" size 1 'negative' '-1e308 * n'
ok "size: -1 is rejected" size 1 'negative' 'n - 4'
ok "size: 0 is accepted" size 0 '1 tasks' 'n - 3'
ok "size: -0 is accepted" size 0 '1 tasks' '-(n - 3)'
ok "size: 2^53 bytes are accepted" size 0 '1 tasks' '9007199254740992'
ok "size: 2^53 + 2 bytes are rejected" size 1 'more than 2.53 bytes' '9007199254740994'
ok "size: an expression of 4095 characters is accepted" size 0 '1 tasks' "$(repeat 4095 1 | sed 's/11/1+/g')"
ok "size: an expression of 4099 characters is rejected" size 1 'too long' "$(repeat 4099 1 | sed 's/11/1+/g')"
ok "size: 99 nested parentheses are accepted" size 0 '1 tasks' "$(repeat 99 '(')n$(repeat 99 ')')"
ok "size: 101 nested parentheses are rejected" size 1 'nested too deeply' "$(repeat 101 '(')n$(repeat 101 ')')"

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
ok "1000 variables are accepted" variables 1000 0 '1 tasks'
ok "1001 variables are rejected" variables 1001 1 'at most 1000 variables'
tile() {
	echo "<application>$kernels<task id=\"a\" kernel=\"S\" tile=\"$1\">
<assign var=\"n\" val=\"1\"/></task></application>" | validates "$2" "$3"
}
ok "the largest tile is accepted" tile 4294967294,4294967294 0 '1 tasks'
ok "a tile beyond the largest is rejected" tile 4294967295,0 1 'a: tile="4294967295,0" is not'
ok "a negative tile is rejected" tile 0,-1 1 'a: tile="0,-1" is not'
ok "a fraction of a tile is rejected" tile 0.5,0 1 'a: tile="0.5,0" is not'
priority() {
	graph <<END | validates "$2" "$3"
$(task a S 8 A.0 "$1")
END
}
ok "the largest priority is accepted" priority 9007199254740992 0 '1 tasks'
ok "a priority beyond the largest is rejected" priority 9007199254740994 1 'is not a whole number'
ok "a fraction of a priority is rejected" priority 0.5 1 'is not a whole number'
ok "a priority beyond the range of a double is rejected" priority 1e400 1 'not a finite number'
nested() {
	{
		repeat 210 '<application>'
		repeat 210 '<\/application>'
	} | validates 1 'nested too deeply|unknown in'
}
ok "deeply nested elements are rejected" nested
loads() {
	echo "<resource-model><slowdown architecture=\"c\" kernel=\"S\" load=\"S\"
count=\"$1\" factor=\"2\"/></resource-model>" >x.xml
	exits "$2" "$hdpredict" validate --resources x.xml && cat out err | grep -qE "$3"
}
ok "the largest count of loads is accepted" loads 100000 0 valid
ok "a count of loads beyond the largest is rejected" loads 100001 1 'expected a whole count'
ok "a count of 2^32 + 1 loads is rejected" loads 4294967297 1 'expected a whole count'
ok "a negative count of loads is rejected" loads -1 1 'expected a whole count'

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
time='the time exceeds the range of a double, after 1 tasks'
ok "range of a double: times" beyond "$time" '' 's/time="[24]"/time="1e308"/'
ok "range of a double: times of samples" beyond "$time" '' 's/time="[24]"/time="1e308"/' --mc 9
ok "range of a double: energies" beyond 'the energy exceeds the range' '' 's/energy="[35]"/energy="1e308"/'
ok "range of a double: idle power" beyond 'the energy exceeds the range' 's/"10"/"1e308"/' ''
ok "range of a double: energy of packets" beyond 'the energy exceeds the range' \
	's/energy="2e9"/energy="1e308"/; s/"100"/"1e-9"/' ''
ok "range of a double: number of packets" beyond "$time" 's/"100"/"1e-300"/' ''
ok "range of a double: number of packets, shared links" beyond "$time" 's/"100"/"1e-300"/' '' --comm share
graph <<END >together.xml
$(task x S 250 A.0 0)$(task y S 250 A.1 0)
END
model=together.xml
ok "range of a double: slowdown of a time" beyond \
	'the time exceeds the range of a double, after 0 tasks' '' \
	's/time="2"/time="1e10"/; s/"T" load="T"/"S" load="S"/; s/factor="2"/factor="1e308"/'
late() {
	sed 's/time="2"/time="1e10"/' r.xml >s.xml
	exits 2 "$hdpredict" simulate g.xml --platform p.xml --resources s.xml \
		-o late && grep -q 'late: cannot write: Value too large' err && ! ls late* 2>/dev/null
}
ok "a project that would end after 2106 is rejected" late

# OPTION...: too many of what is generated.
too_many() {
	exits 2 "$hdpredict" generate "$@" && grep -qE 'too many|expected at most 2147483647|expected 1 or more|greater than 0' err &&
		[ ! -s out ]
}
ok "too many tiles are rejected" too_many cholesky --tiles 2147483647
ok "more tiles than 2^32 are rejected" too_many cholesky --tiles 4294967296
ok "0 tiles are rejected" too_many cholesky --tiles 0
ok "too large tiles are rejected" too_many cholesky --tile-size 2147483647
ok "too many cells are rejected" too_many stencil --width 65536 --steps 1
ok "too many layers are rejected" too_many random --steps 2147483647 --width 2147483647

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
ok "an empty graph works with all options" nothing e.xml
ok "an empty binary graph works with all options" nothing e.bin
empty_platform() {
	echo "<platform>$1</platform>" >x.xml
	exits 1 "$hdpredict" validate --platform x.xml && grep -q "$2" err
}
ok "an empty platform is rejected" empty_platform '' 'no cluster server'
ok "a platform without PEs is rejected" empty_platform \
	'<node id="a"><main-memory id="m" size="1"/></node>' 'no PE'
no_costs() {
	echo '<resource-model/>' >x.xml
	exits 0 "$hdpredict" validate --resources x.xml &&
		exits 0 "$hdpredict" simulate e.xml --platform p.xml --resources x.xml &&
		exits 1 "$hdpredict" simulate g.xml --platform p.xml --resources x.xml &&
		grep -q 'x: no resource entry' err
}
ok "an empty resource model fits only an empty graph" no_costs
done_testing
