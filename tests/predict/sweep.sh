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
	ok "each row is what simulate says, and the front is one" python3 \
		"$abs_top_srcdir/tests/predict/sweep.py" "$hdpredict" rows.json r.xml
else
	skip "each row is what simulate says" "python3 is missing"
fi
points() { [ "$(wc -l <rows.csv)" -eq 25 ] && sed -n 2p rows.csv | grep -q '^1,128,3,1,1,120,2,'; }
ok "the last parameter that is varied varies fastest" points
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
ok "clock and energy of kernels" clock
# A matrix of 8 rows of tiles, half as large, has tiles of half the size.
matrix() {
	sed 's/architecture="core"/& /; s,/>,><assign var="tile_size" val="64"/></entry>,' r.xml >sized.xml
	"$hdpredict" sweep cholesky --resources sized.xml --vary matrix=512 --vary tiles=8,4 --format=csv >out 2>err
	[ $? -eq 1 ] && grep -q '^1,512,8,.*,$' out && grep -q '^2,512,4,,.*no resource entry' out &&
		grep -q '^hdpredict sweep: 1 of 2 points failed; point 2: ' err
}
ok "tiles of a matrix, and a point that fails" matrix
# Links of the same speed as those that are generated with that latency.
links() {
	sweep_of --vary nodes=3 --vary pes=1 --vary tiles=5 --vary init-latency=1000 --vary packet-latency=24000 \
		--vary packet-energy=0 >a &&
		sweep_of --vary nodes=3 --vary pes=1 --vary tiles=5 --vary init-latency=500 --vary packet-latency=12000 \
			--vary links=0.5 >b || return 1
	time_of() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at["time_s"] }' "$1"; }
	[ -n "$(time_of a)" ] && [ "$(time_of a)" = "$(time_of b)" ]
}
ok "slower links" links

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
ok "any number of parts gives the same" parts
half() {
	sweep --part 1/2 --rows half && exits 2 "$hdpredict" sweep --combine half &&
		grep -q '12 of 24 points are missing' err && [ ! -s out ]
}
ok "a part that is missing" half
samples() {
	sweep --mc 10 --seed 5 --format=csv >whole && for i in 1 2; do
		sweep --mc 10 --seed 5 --part "$i/2" --rows "mc.$i" || return 1
	done
	"$hdpredict" sweep --combine mc.2 mc.1 --format=csv >out && cmp out whole && ! cmp -s whole rows.csv
}
ok "samples, in parts" samples
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
ok "it goes on where it was" torn
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
ok "it is killed" killed
changed() {
	sweep --rows kept >out && sed -i 's/0\.4/0.5/' r.xml &&
		exits 2 sweep --rows kept && grep -q 'models that were changed' err &&
		sweep --rows kept -f >out && ! cmp -s out rows.csv
	status=$?
	sed -i 's/0\.5/0.4/' r.xml
	return "$status"
}
ok "rows of models that were changed are not taken" changed
taken() {
	sweep --rows kept -f >out && exits 2 flock kept sh -c "'$hdpredict' sweep cholesky --resources r.xml --rows kept" &&
		grep -q 'another sweep writes it' err
}
if command -v flock >/dev/null; then
	ok "one at a time" taken
else
	skip "one at a time" "flock is missing"
fi
foreign() {
	cp r.xml text && exits 2 sweep --rows text && grep -q 'no rows of a sweep' err && cmp r.xml text &&
		sweep --rows good >out && printf '99\tx\n' >>good && exits 2 "$hdpredict" sweep --combine good &&
		grep -q 'good:26: no row' err && sweep --vary clock=1 --rows other >out &&
		exits 2 "$hdpredict" sweep --combine rows2 other
}
ok "files that are none are left alone" foreign
mixed() {
	sweep --part 1/2 --rows m1 && sweep --part 2/2 --vary clock=1 --rows m2 &&
		exits 2 "$hdpredict" sweep --combine m1 m2 && grep -q 'm2 is of another sweep' err
}
ok "parts of two sweeps are not joined" mixed
full() {
	exits 2 sh -c 'trap "" XFSZ; ulimit -f 4; exec sweep --mc 10 --seed 5 --rows large >/dev/null' &&
		grep -q 'large: File too large' err && sweep --mc 10 --seed 5 --rows large --format=csv >out &&
		cmp out whole
}
ok "a full disk, and on when there is room" full
# What is no matter of a point is not in its row.
memory() {
	exits 2 sh -c 'trap "" XFSZ; ulimit -f 1; exec sweep --vary topology=torus --jobs 1 --rows small >/dev/null' &&
		grep -q 'point [1-9]*: File too large' err && ! grep -q 'File too' small &&
		sweep --vary topology=torus --rows small >out
}
ok "no room for a platform" memory
ok "no device" exits 2 sweep --rows /dev/null

# ---- The picture ----------------------------------------------------------
picture() {
	sweep --picture p.svg >out || return 1
	# A dot for each point, and its values.
	[ "$(grep -o '<title>[^<]*tiles=[35] nodes=' p.svg | wc -l)" -eq 24 ] && grep -q 'Energy \[J\]' p.svg &&
		grep -q 'Time \[s\]' p.svg
}
ok "a picture" picture
combined() {
	sweep --rows rows2 >out && "$hdpredict" sweep --combine rows2 --picture q.svg >out && cmp p.svg q.svg
}
ok "the same picture of rows that are there" combined

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
	ok "no graph" fails 'missing argument: GRAPH' --resources r.xml
	ok "no resources" fails '--resources is missing' cholesky
	ok "resources that are not there" fails 'nope.xml: No such file' cholesky --resources nope.xml
	ok "models of standard input" fails '-: each point reads' - --resources r.xml --platform thesis
	ok "no such parameter" fails '"colour" is none of: graph, tiles' $with --vary colour=1
	ok "no value" fails 'a value is missing' $with --vary tiles=1,,2
	ok "nothing" fails 'is no NAME=VALUE' $with --vary tiles
	ok "no number" fails 'tiles: what is "x"?' $with --vary tiles=3,x
	ok "a number that is too large" fails 'tiles: what is "4294967297"?' $with --vary tiles=4294967297
	ok "no word" fails 'map: what is "best"?' $with --vary map=best
	ok "twice" fails 'tiles is varied twice' $with --vary tiles=1 --vary tiles=2
	ok "a matrix without such tiles" fails 'no 3 rows of equal tiles' $with --vary matrix=8 --vary tiles=3
	ok "numbers of a platform that is a file" fails 'a platform from a file has its numbers' \
		$with --platform thesis --vary nodes=2
	ok "numbers of a graph that is a file" fails 'a graph from a file has its numbers' \
		g.xml --resources r.xml --vary tiles=2
	ok "a clock of 0" fails 'clock and links are more than 0' $with --vary clock=0
	ok "no node" fails 'there is at least one node' $with --vary nodes=0
	ok "too many points" fails 'more than 1000000 points' $with --vary seed="$(seq -s , 1 1001)" \
		--vary tiles="$(seq -s , 1 1000)"
	ok "no such part" fails '--part takes I/N' $with --part 3/2 --rows r
	ok "part 0" fails '--part takes I/N' $with --part 0/2 --rows r
	ok "a part that nobody gets" fails '--part needs --rows' $with --part 1/2
	ok "a picture of a part" fails 'a part has no picture' $with --part 1/2 --rows r --picture p.svg
	ok "no samples" fails '--mc takes 1 to' $with --mc -1
	ok "no threads" fails '--jobs takes' $with --jobs 0
	ok "no table" fails 'No such file' $with --points none.csv
	printf 'tiles,nodes\n1\n' >wrong.csv
	ok "a line that is too short" fails 'wrong.csv: line 2: 1 values for 2 names' $with --points wrong.csv
	printf 'tiles\n' >wrong.csv
	ok "a table of names" fails 'there are no points' $with --points wrong.csv
	ok "use of all" fails 'use needs map=eft' g.xml --resources r.xml --vary use=n0.0
}
bad_picture() {
	exits 2 sweep --picture p.gif && grep -q 'ends in .svg' err &&
		[ ! -s out ] && exits 2 sweep --picture none/p.svg &&
		grep -q 'none/p.svg: No such file' err
}
ok "no such picture" bad_picture
done_testing
