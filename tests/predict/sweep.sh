#!/bin/sh
# hdpredict sweep: many models, in parts, interrupted, and as a picture.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/predict/cholesky.sh"
hdpredict=${abs_top_builddir:?}/hdpredict
export PYTHONDONTWRITEBYTECODE=1
cd "$scratch" || exit 99

cholesky_resources core >r.xml
# As a command, which exits takes.
mkdir bin
cat >bin/sweep <<END
#!/bin/sh
exec "$hdpredict" sweep cholesky --resources r.xml --vary tile-size=128 \\
	--vary tiles=3,5 --vary nodes=1,2,4 --vary pes=1,2 \\
	--vary packet-latency=120,12000 --vary idle-power=2 "\$@"
END
chmod +x bin/sweep
PATH=$PWD/bin:$PATH

sweep --format=json >rows.json && sweep --format=csv >rows.csv
if command -v python3 >/dev/null; then
	ok "rows equal simulate, and the front is correct" python3 \
		"$abs_top_srcdir/tests/predict/sweep.py" "$hdpredict" rows.json r.xml
else
	skip "each row agrees with simulate" "python3 is missing"
fi
points() { [ "$(wc -l <rows.csv)" -eq 25 ] && sed -n 2p rows.csv | grep -q '^1,128,3,1,1,120,2,'; }
ok "the last parameter varies fastest" points
threads() { sweep --format=csv --jobs 1 >out && cmp out rows.csv && sweep --format=csv --jobs 5 >out && cmp out rows.csv; }
ok "the number of threads does not matter" threads

# The points of a table, with a comment and blanks.
table() {
	cat >points.csv <<'END'
# what there is to buy
tiles, nodes, pes
3, 1, 2

5, 4, 1
END
	sweep_of --points points.csv --vary tile-size=128 >out &&
		cut -d, -f2-5 out >got && printf '%s\n' tiles,nodes,pes,tile-size 3,1,2,128 5,4,1,128 >expected &&
		cmp got expected
}
sweep_of() { "$hdpredict" sweep cholesky --resources r.xml --format=csv "$@"; }
ok "points are read from a table" table

# With nothing to send, half the clock takes twice the time; energy as said.
clock() {
	sweep_of --vary nodes=1 --vary clock=2,1,0.5 --vary kernel-energy=1,3 --vary tiles=4 >out &&
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ time[NR] = $at["time_s"]; energy[NR] = $at["energy_dynamic_j"] }
			END { exit !(time[2] > 0 && time[4] == 2 * time[2] && time[6] == 4 * time[2] &&
				time[3] == time[2] && energy[3] == 3 * energy[2] && energy[4] == energy[2]) }' out
}
ok "clock scales time, and kernel-energy scales energy" clock
# A matrix of 8 rows of tiles, half as large, has tiles of half the size.
matrix() {
	sed 's/architecture="core"/& /; s,/>,><assign var="tile_size" val="64"/></entry>,' r.xml >sized.xml
	"$hdpredict" sweep cholesky --resources sized.xml --vary matrix=512 --vary tiles=8,4 --format=csv >out 2>err
	[ $? -eq 1 ] && grep -q '^1,512,8,.*,$' out && grep -q '^2,512,4,,.*no resource entry' out &&
		grep -q '^hdpredict sweep: 1 of 2 points failed; point 2: ' err
}
ok "matrix sets the size of tiles, and a failing point is reported" matrix
# Links of the same speed as those that are generated with that latency.
links() {
	sweep_of --vary nodes=3 --vary pes=1 --vary tiles=5 --vary init-latency=1000 --vary packet-latency=24000 \
		--vary packet-energy=0 >a &&
		sweep_of --vary nodes=3 --vary pes=1 --vary tiles=5 --vary init-latency=500 --vary packet-latency=12000 \
			--vary links=0.5 >b || return 1
	time_of() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at["time_s"] }' "$1"; }
	[ -n "$(time_of a)" ] && [ "$(time_of a)" = "$(time_of b)" ]
}
ok "links=0.5 equals links of half the speed" links

# ---- Parts, and what is interrupted ---------------------------------------
parts() {
	for n in 1 3 7 40; do
		rm -f part.*
		i=1
		while [ "$i" -le "$n" ]; do
			sweep --part "$i/$n" --rows "part.$i" >out && [ ! -s out ] || return 1
			i=$((i + 1))
		done
		"$hdpredict" sweep --combine part.* --format=csv >out && cmp out rows.csv || return 1
	done
}
ok "the number of parts does not matter" parts
half() {
	sweep --part 1/2 --rows half && exits 2 "$hdpredict" sweep --combine half &&
		grep -q '12 of 24 points missing' err && [ ! -s out ]
}
ok "a missing part is reported" half
samples() {
	sweep --mc 10 --seed 5 --format=csv >whole && for i in 1 2; do
		sweep --mc 10 --seed 5 --part "$i/2" --rows "mc.$i" || return 1
	done
	"$hdpredict" sweep --combine mc.2 mc.1 --format=csv >out && cmp out whole && ! cmp -s whole rows.csv
}
ok "samples do not depend on parts" samples
# Wherever it was cut off; a row that is there is not done again.
torn() {
	rm -f rows && sweep --rows rows >out || return 1
	size=$(wc -c <rows) at=0
	while [ "$at" -lt "$size" ]; do
		head -c "$at" rows >torn && sweep --rows torn --format=csv >out && cmp out rows.csv || return 1
		at=$((at + 211))
	done
	# The time of a point that nobody predicts.
	head -n 4 rows | awk -F'\t' -v OFS='\t' 'NR == 3 { $9 = "77.25" } { print }' >torn
	sweep --rows torn --format=csv >out && [ "$(grep -c ',77.25,' out)" -eq 1 ]
}
ok "an interrupted sweep continues" torn
killed() {
	rm -f rows
	"$hdpredict" sweep cholesky --resources r.xml --vary tile-size=128 --vary tiles=30 --vary seed="$(seq -s , 1 5000)" \
		--rows rows --format=csv >out 2>err &
	pid=$!
	while [ ! -s rows ] || [ "$(wc -l <rows)" -lt 3 ]; do
		kill -0 "$pid" || return 1
	done
	kill -9 "$pid"
	wait "$pid"
	[ $? -eq 137 ] && [ "$(wc -l <rows)" -lt 5001 ]
}
ok "a killed sweep continues" killed
changed() {
	sweep --rows kept >out && sed -i 's/0\.4/0.5/' r.xml &&
		exits 2 sweep --rows kept && grep -q 'a model has changed' err &&
		sweep --rows kept -f >out && ! cmp -s out rows.csv
	status=$?
	sed -i 's/0\.5/0.4/' r.xml
	return "$status"
}
ok "rows of changed models are refused" changed
taken() {
	sweep --rows kept -f >out && exits 2 flock kept sh -c "'$hdpredict' sweep cholesky --resources r.xml --rows kept" &&
		grep -q 'in use by another sweep' err
}
if command -v flock >/dev/null; then
	ok "a second sweep into the same rows is refused" taken
else
	skip "a second sweep into the same rows is refused" "flock is missing"
fi
foreign() {
	cp r.xml text && exits 2 sweep --rows text && grep -q 'not rows of a sweep' err && cmp r.xml text &&
		sweep --rows good >out && printf '99\tx\n' >>good && exits 2 "$hdpredict" sweep --combine good &&
		grep -q 'good:26: not a row' err && sweep --vary clock=1 --rows other >out &&
		exits 2 "$hdpredict" sweep --combine rows2 other
}
ok "files without rows are refused and kept" foreign
mixed() {
	sweep --part 1/2 --rows m1 && sweep --part 2/2 --vary clock=1 --rows m2 &&
		exits 2 "$hdpredict" sweep --combine m1 m2 && grep -q 'm2: belongs to another sweep' err
}
ok "parts of two sweeps are not combined" mixed
full() {
	exits 2 sh -c 'trap "" XFSZ; ulimit -f 4; exec sweep --mc 10 --seed 5 --rows large >/dev/null' &&
		grep -q 'large: cannot write: File too large' err && sweep --mc 10 --seed 5 --rows large --format=csv >out &&
		cmp out whole
}
ok "a sweep continues after a full disk" full
# What is no matter of a point is not in its row.
memory() {
	exits 2 sh -c 'trap "" XFSZ; ulimit -f 1; exec sweep --vary topology=torus --jobs 1 --rows small >/dev/null' &&
		grep -q 'point [1-9]*: File too large' err && ! grep -q 'File too' small &&
		sweep --vary topology=torus --rows small >out
}
ok "a full disk for a platform is reported" memory
ok "rows in a device are refused" exits 2 sweep --rows /dev/null

# ---- Mapping, and some of the nodes ----------------------------------------

# Three tasks of 1 s and 5 J. A fast core takes 1 s, a slow one with 1 J 2 s; nodes draw 10 W.
"$hdpredict" platform --nodes 3 --pes 1 --idle-power 10 -o three.xml
cat >work.xml <<'END'
<application><kernel id="W"/><task id="a" kernel="W"/><task id="b" kernel="W"/><task id="c" kernel="W"/></application>
END
sed 's|\(id="[ab]" kernel="W"\)/>|\1><map pe="n1.0" priority="0"/></task>|g' work.xml >kept.xml
cat >w.xml <<'END'
<resource-model><entry kernel="W" architecture="core" time="1" energy="5"/>
<entry kernel="W" architecture="slow" time="2" energy="1"/></resource-model>
END
sed 's|<pe id="n\([12]\).0" architecture="core"|<pe id="n\1.0" architecture="slow"|' three.xml >mixed.xml
# GRAPH PLATFORM OPTION...: time and energy of each point; what it says is in err.
pairs() {
	graph=$1 platform=$2
	shift 2
	"$hdpredict" sweep "$graph" --platform "$platform" --resources w.xml --format=csv "$@" >out.csv 2>err
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ printf "%s%s %s", NR == 2 ? "" : "; ", $at["time_s"], $at["energy_total_j"] }' out.csv
}
mapped_by() {
	# EFT: the fast core takes two tasks; with 30 W idle, longer runs cost more.
	[ "$(pairs work.xml mixed.xml --vary map=eft,heft,anneal)" = "2 71; 2 71; 2 71" ] &&
		[ "$(pairs work.xml mixed.xml --vary map=anneal --vary off-unused=on --vary cost='time;energy;energy at time<=4')" = "2 51; 3 45; 3 45" ] &&
		[ "$(pairs work.xml mixed.xml --vary map=anneal --vary cost='time at power<=31' --vary map-steps=500 --vary map-seed=1,2)" = "4 123; 4 123" ]
}
ok "sweep maps with all methods and costs" mapped_by
stays() {
	[ "$(pairs kept.xml three.xml --vary map=eft,heft,anneal)" = "2 75; 2 75; 2 75" ] && [ ! -s err ] &&
		[ "$(pairs kept.xml three.xml --vary map=eft --vary ignore-map=off,on,on)" = "2 75; 1 45; 1 45" ] &&
		[ "$(cat err)" = "hdpredict sweep: the mapping of 2 tasks in the graph is ignored" ]
}
ok "sweep keeps a given mapping, or mentions that it is ignored" stays
some_nodes() {
	[ "$(pairs work.xml three.xml --vary map=eft --vary nodes='1;n[02];n[12];3')" = "3 45; 2 55; 2 55; 1 45" ] &&
		"$hdpredict" sweep work.xml --platform three.xml --resources w.xml --vary map=eft --vary nodes='1;n0,n2;3' \
			--limit power=30 >out && grep -qx 'Fastest point within the limits: 2, with 2 s, 30 W and 0 bytes' out
}
ok "a subset of the nodes is used" some_nodes
node_of() {
	"$hdpredict" simulate "$1" --platform three.xml --resources w.xml --nodes "$2" --map "$3" --format=json >out.json 2>err
}
as_simulated() {
	node_of work.xml n0,n2 eft && grep -q '"makespan_s": 2,' out.json && grep -q '"energy_total_j": 55,' out.json &&
		node_of kept.xml n0,n1 eft && grep -q '"makespan_s": 2,' out.json &&
		! node_of kept.xml n0 eft && grep -q 'a: it is mapped to a node that is switched off: n1.0$' err &&
		! "$hdpredict" map kept.xml --platform three.xml --resources w.xml --nodes n0 -o off.xml 2>err &&
		grep -q 'a: it is mapped to a node that is switched off: n1.0$' err && [ ! -e off.xml ] &&
		! node_of work.xml n7 eft && grep -q '^hdpredict simulate: --nodes: "n7" does not select nodes; the platform has 3$' err
}
ok "simulate uses a subset of the nodes, too" as_simulated
no_nodes() {
	for nodes in 0 4 99999999999999999999 n9 "" n0.0 -1; do
		[ "$("$hdpredict" sweep work.xml --platform three.xml --resources w.xml --vary map=eft --vary nodes="$nodes" --format=csv 2>&1 |
			grep -c 'does not select nodes; the platform has 3$\|a value is missing\|has no value')" -ge 1 ] || return 1
	done
}
ok "nodes that do not exist are rejected" no_nodes

# ---- The picture ----------------------------------------------------------
picture() {
	sweep --picture p.svg >out || return 1
	# A dot for each point, and its values.
	[ "$(grep -o '<title>[^<]*tiles=[35] nodes=' p.svg | wc -l)" -eq 24 ] && grep -q 'Energy \[J\]' p.svg &&
		grep -q 'Time \[s\]' p.svg
}
ok "a picture is drawn" picture
combined() {
	sweep --rows rows2 >out && "$hdpredict" sweep --combine rows2 --picture q.svg >out && cmp p.svg q.svg
}
ok "existing rows give an equal picture" combined

# ---- What is wrong: MESSAGE OPTION... -------------------------------------
fails() {
	message=$1
	shift
	exits 2 "$hdpredict" sweep "$@" && grep -qF -- "$message" err && [ ! -s out ]
}
with="cholesky --resources r.xml"
# Words.
# shellcheck disable=SC2086
{
	ok "a missing graph is reported" fails 'missing argument: ' --resources r.xml
	ok "a missing option --resources is reported" fails 'missing option: --resources' cholesky
	ok "a missing file of resources is reported" fails 'nope.xml: cannot open: No such file' cholesky --resources nope.xml
	ok "models from standard input are refused" fails '-: cannot read standard input' - --resources r.xml --platform thesis
	ok "an unknown parameter is refused" fails 'unknown parameter "colour"; expected graph, tiles' $with --vary colour=1
	ok "a missing value is reported" fails 'a value is missing' $with --vary tiles=1,,2
	ok "a parameter without values is refused" fails 'expected NAME=VALUE' $with --vary tiles
	ok "a value that is not a number is refused" fails 'tiles: invalid value "x"' $with --vary tiles=3,x
	ok "a too large number is refused" fails 'tiles: invalid value "4294967297"' $with --vary tiles=4294967297
	ok "an unknown word is refused" fails 'map: invalid value "best"' $with --vary map=best
	ok "a parameter that is varied twice is refused" fails 'tiles is varied twice' $with --vary tiles=1 --vary tiles=2
	ok "a matrix that tiles do not divide is refused" fails '8 rows of a matrix are not divisible by 3 rows of tiles' $with --vary matrix=8 --vary tiles=3
	ok "platform parameters with a platform file are refused" fails 'do not apply to a platform from a file' \
		$with --platform thesis --vary pes=2
	ok "graph parameters with a graph file are refused" fails 'do not apply to a graph from a file' \
		g.xml --resources r.xml --vary tiles=2
	ok "a clock of 0 is refused" fails 'clock and links must be greater than 0' $with --vary clock=0
	ok "0 nodes are refused" fails 'nodes: invalid number "0"; expected 1 or more' $with --vary nodes=0
	ok "too many points are refused" fails 'more than 1000000 points' $with --vary seed="$(seq -s , 1 1001)" \
		--vary tiles="$(seq -s , 1 1000)"
	ok "a part beyond the last is refused" fails '--part: invalid value "3/2"; expected I/N' $with --part 3/2 --rows r
	ok "part 0 is refused" fails '--part: invalid value "0/2"; expected I/N' $with --part 0/2 --rows r
	ok "a part without --rows is refused" fails '--part: requires --rows' $with --part 1/2
	ok "a picture of a part is refused" fails 'not available for a part' $with --part 1/2 --rows r --picture p.svg
	ok "a negative number of samples is refused" fails '--mc: invalid number "-1"; expected 1 to' $with --mc -1
	ok "0 jobs are refused" fails '--jobs: invalid number "0"; expected 1' $with --jobs 0
	ok "a missing table is reported" fails 'none.csv: cannot open: No such file' $with --points none.csv
	printf 'tiles,nodes\n1\n' >wrong.csv
	ok "a too short line is reported" fails 'wrong.csv: line 2: 1 values for 2 names' $with --points wrong.csv
	printf 'tiles\n' >wrong.csv
	ok "a table without points is refused" fails 'no points' $with --points wrong.csv
	ok "ignore-map with the given mapping is refused" fails 'ignore-map requires map=eft' g.xml --resources r.xml --vary ignore-map=on
	ok "a cost without anneal is refused" fails 'cost=energy requires map=anneal' $with --vary cost=time,energy
	ok "an unknown cost is refused" fails 'cost: invalid value "money"; expected time, energy, edp' $with --vary map=anneal --vary cost=money
	ok "names of nodes for a generated platform are refused" fails 'nodes: invalid value "n0"; expected a number' $with --vary nodes=n0
	ok "use without eft is refused" fails 'use requires map=eft, heft or anneal' g.xml --resources r.xml --vary use=n0.0
}
bad_picture() {
	exits 2 sweep --picture p.gif && grep -q 'expected .svg' err &&
		[ ! -s out ] && exits 2 sweep --picture none/p.svg &&
		grep -q 'none/p.svg: cannot create: No such file' err
}
ok "an unknown type of picture is refused" bad_picture
done_testing
