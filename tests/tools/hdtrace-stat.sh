#!/bin/sh
# hdtrace stat: the numbers, phases, and what it refuses.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: smoke
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
cd "$scratch" || exit 99
make_mini

# A cell of hdtrace stat --format=csv: COLUMN EXPECTED ARGUMENT...; of several
# rows one after the other.
cell() {
	column=$1
	cell_expected=$2
	shift 2
	status 0 stat --format=csv "$@" mini || return 1
	awk -F, -v name="$column" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
		NR > 1 { printf "%s%s", sep, $c; sep = " " }
	' "$scratch/out" >"$scratch/cell"
	echo "$column: $(cat "$scratch/cell"), expected $cell_expected"
	[ "$(cat "$scratch/cell")" = "$cell_expected" ]
}

# What expected/stresstest.dump.gz of the corpus gives for power, by awk, and
# what hdtrace gives agree to ten digits: NODE.
agrees_with_awk() {
	gzip -dc "$corpus/expected/stresstest.dump.gz" | awk -F'\t' -v node="$1" '
		/^STATGROUP/ { wanted = $2 == "stresstest-" node &&
			       $3 == "Energy" }
		wanted && /^ *STAT\t/ {
			split($6, part, "="); v = part[2]; d = $3 - $2
			n++; joule += v * d; time += d
			square += v * v * d
			if (n == 1 || v < min) min = v
			if (n == 1 || v > max) max = v
		}
		END {
			mean = joule / time
			print n, mean, min, max, sqrt(square / time - mean ^ 2),
				joule
		}
	' OFMT=%.17g >"$scratch/awk"
	status 0 stat --format=csv -n "$1" -g Energy -v P \
		"$corpus/stresstest/stresstest.proj" || return 1
	awk -F, 'NR == 2 { print $10, $13, $14, $15, $16, $18 }' \
		"$scratch/out" >"$scratch/hdtrace"
	cat "$scratch/awk" "$scratch/hdtrace"
	# Times of the reference are read as doubles by awk: microseconds.
	paste -d' ' "$scratch/awk" "$scratch/hdtrace" | awk '{
		for (i = 1; i <= 6; i++) {
			d = $i - $(i + 6)
			if (d < 0) d = -d
			if (NF != 12 || $i <= 0 || d > 1e-7 * $i) exit 1
		}
	}'
}

# Energy of a rank's states is what the phases at its host come to.
as_phases() {
	for state in Barrier File_write_at Init; do
		"$hdtrace" stat --format=csv --by-name \
			--phases-from "node08_1_0:$state" -n node08 \
			-g Energy -v P "$corpus/partdiff-mpi" |
			awk -F, 'NR == 2 { printf "%s %s %.8g\n", $9, $12, $18 }'
	done >"$scratch/phases"
	for state in Barrier File_write_at Init; do
		"$hdtrace" stat --format=csv --regions="$state" -n node08_1 \
			"$corpus/partdiff-mpi" | awk -F, \
			'NR == 2 { printf "%s %s %.8g\n", $6, $8, $10 }'
	done >"$scratch/regions"
	cat "$scratch/phases"
	[ "$(wc -l <"$scratch/phases")" -eq 3 ] &&
		diff "$scratch/phases" "$scratch/regions"
}

# The same from our own dump, for every number in a project: PROJECT.
agrees_with_dump() {
	"$hdtrace" dump --only=stats --time=relative --format=csv "$1" \
		>"$scratch/dump"
	"$hdtrace" stat --format=csv "$1" >"$scratch/stat"
	awk -F, '
		function near(a, b, size) {
			d = a - b; if (d < 0) d = -d
			if (size < 0) size = -size
			return d <= 1e-9 * size + 1e-6
		}
		FNR == 1 { next }
		FILENAME ~ /dump$/ {
			if ($12 == "NaN") { nan[$2, $3, $9]++; next }
			k = $2 SUBSEP $3 SUBSEP $9; v = $12 + 0; d = $7 - $6
			n[k]++; time[k] += d; sum[k] += v
			all[k] += v * d
			if (n[k] == 1 || v < min[k]) min[k] = v
			if (n[k] == 1 || v > max[k]) max[k] = v
			next
		}
		{
			k = $1 SUBSEP $2 SUBSEP $3
			rows++
			if ($10 != n[k] + 0 || $11 != nan[k] + 0) bad = 1
			else if (n[k] && $23 == "delta" &&
			    (!near($17, sum[k], sum[k]) ||
			    ($22 * 2 < $21 && $27 != "") ||
			    ($22 * 2 >= $21 &&
			    !near($27, sum[k] / time[k], max[k])) ||
			    $13 $18 != "")) bad = 1
			else if (n[k] && $23 == "gauge" &&
			    (!near($18, all[k], all[k]) || $17 $27 != "" ||
			    ($22 * 2 < $21 && $13 != "") ||
			    ($22 * 2 >= $21 &&
			    !near($13, all[k] / time[k], max[k])))) bad = 1
			else if (n[k] && (!near($14, min[k], min[k]) ||
			    !near($15, max[k], max[k]))) bad = 1
			kinds[$23]++
			if (bad) { print; exit }
		}
		END {
			print rows, "rows,", kinds["delta"], "deltas"
			exit bad || !kinds["gauge"] || !kinds["delta"]
		}
	' "$scratch/dump" "$scratch/stat"
}

# Parts of a run add up to the whole: OPTION...
adds_up() {
	"$hdtrace" stat --format=csv mini >"$scratch/whole"
	"$hdtrace" stat --format=csv "$@" mini >"$scratch/parts"
	awk -F, '
		FNR == 1 { next }
		FILENAME ~ /whole$/ {
			sum[$1, $2, $3] = $17; integral[$1, $2, $3] = $18; next
		}
		{ s[$1, $2, $3] += $17; i[$1, $2, $3] += $18 }
		END {
			for (k in s) {
				checked++
				d = s[k] - sum[k]; e = i[k] - integral[k]
				if (d * d > 1e-18 * sum[k] ^ 2 + 1e-18) exit 1
				if (e * e > 1e-18 * integral[k] ^ 2 + 1e-18)
					exit 1
			}
			exit checked != 5
		}
	' "$scratch/whole" "$scratch/parts"
}

power='-n alpha -v P'
ok "stat prints text" prints stat.txt 0 stat mini
ok "stat prints CSV" prints stat.csv 0 stat --format=csv mini
ok "stat prints JSON" prints stat.json 0 stat --format=json mini
# shellcheck disable=SC2086
{
	ok "entries are counted" cell count 4 $power
	ok "NaN is counted" cell nan 1 -n alpha -v E
	ok "the mean omits the gap" cell mean 200 $power
	ok "the standard deviation is time-weighted" cell stddev 81.64965809277261 $power
	ok "the integral of power is energy" cell integral 600 $power
	ok "the integral of power is in J" cell integral_unit J $power
	ok "NaN adds no time" cell seconds 2.000000000 -n alpha -v E
	ok "the integral of a rate has no time in its unit" cell integral_unit B -v BYTES
	ok "the integral of a value without a unit is in s" cell integral_unit s -v COUNT
	ok "--from omits entries before a time" cell count 2 $power --from 2
	ok "--to omits entries after a time" cell integral 300 $power --to 2
	ok "--from and --to cut an entry" cell integral 100 $power \
		--from 1.25 --to 1.75
	ok "a part of an entry counts in proportion" cell total 50 -n alpha -v E \
		--from 0.25 --to 0.75
	ok "times may be since the epoch" cell integral 100 $power \
		--from @1000000001.25 --to @1000000001.75
	ok "--from may be before the first entry" cell count 1 $power --to 1
	ok "an interval can be empty" cell count 0 $power --from 2 --to 4
	ok "an empty interval has no mean" cell mean '' $power --from 2 --to 4
}
cat >borders <<'END'
# seconds, name
0 warm up
1.5	compute # until it was cold
2 -
4.5
END
# shellcheck disable=SC2086
{
	ok "phases of a file have energies" cell integral "200 100 150" $power \
		--phases borders
	ok "phases of a file have names" cell phase "warm up compute 3" $power --phases borders
	ok "phases of a trace have names" cell phase "Work Wait Work" $power \
		--phases-from alpha_0
	ok "phases of a trace have energies" cell integral "250 150 150" $power \
		--phases-from alpha_0
	ok "--by-name adds phases" cell integral "400 150" $power --phases-from alpha_0 \
		--by-name
	ok "--by-name counts phases" cell phases "2 1" $power \
		--phases-from alpha_0: --by-name
	ok "--phases-from selects states by name" cell integral 150 $power \
		--phases-from 'alpha_0:Wai?'
	ok "--phases-from selects the nesting" cell integral 200 $power --phases-from alpha_0::1
	ok "--from and --to cut phases" cell integral " 150 75" $power \
		--phases-from alpha_0 --from 2.5 --to 4.75 \
		--phases-from alpha_0:'W*'
}
# Significant digits in text; CSV is exact in any case.
precision() {
	status 0 stat --precision=9 --value=P mini || return 1
	cat "$scratch/out"
	grep -q ' 81.6496581 ' "$scratch/out" || return 1
	status 0 stat --precision=2 --value=P mini || return 1
	cat "$scratch/out"
	grep -q ' 82 ' "$scratch/out" || return 1
	cell stddev 81.64965809277261 --precision=2 --value=P
}
ok "--precision sets the digits" precision
for digits in 0 18 x -1 4.5 ""; do
	ok "refuses --precision=$digits" says \
		"--precision: invalid number \"$digits\"; expected 1 to 17" \
		2 stat --precision="$digits" mini
done
ok "phases are printed as text" prints stat-phases.txt 0 stat --phases borders mini
ok "phases by name are printed as text" prints stat-by-name.txt 0 stat --by-name \
	--phases-from alpha_0 -v P mini
printf '0\n0.7\n0.9999\n1.3\n4\n4.999999999\n' >fine
ok "energies of phases add up to the run" adds_up --phases fine
printf '0 a\n0.7 b\n0.9999 a\n1.3 b\n4 a\n' >fine
ok "energies of phases by name add up to the run" adds_up --phases fine --by-name

printf "x 1\n" >bad-time
printf "# c\n2\n1\n" >bad-order
printf "# none\n" >bad-empty
while IFS='|' read -r text arguments; do
	# shellcheck disable=SC2086
	ok "refuses $arguments" says "$text" 2 stat $arguments mini
done <<'END'
--from: invalid time "soon"; expected the time since the start|--from soon
--to: invalid time "1.0000000001"|--to 1.0000000001
--to: invalid time "99999999999999"|--to 99999999999999
--from: must be before --to|--from 2 --to 2
no node matches "gamma"|--node gamma
no group matches "Power"|--group Power
no value matches "Q"|--value Q
No such file|--phases nothing
invalid time "x"|--phases bad-time
line 3: not after the previous border|--phases bad-order
contains no border time|--phases bad-empty
Is a directory|--phases .
cannot be combined with --phases-from|--phases borders --phases-from alpha_0
--by-name: requires|--by-name
unknown node "gamma"|--phases-from gamma
has no trace|--phases-from alpha
--phases-from: invalid nesting "x"|--phases-from alpha_0:Work:x
no state matches "Sleep"|--phases-from alpha_0:Sleep
there are some at nesting 1|--phases-from alpha_0:Read
END

cp mini_alpha_Energy.stat whole
head -c -3 whole >mini_alpha_Energy.stat
ok "a truncated file is read to its end and reported" \
	prints stat-cut.txt 1 stat -n alpha mini
ok "-q prints no messages" prints stat-quiet.txt 1 stat -q -n alpha mini
cp whole mini_alpha_Energy.stat

# Energy of states.
for format in text csv json; do
	ok "energies of states are printed as $format" prints stat-regions.$format 0 stat \
		--regions='*' --format=$format mini
done
ok "--regions selects states" cell energy "400 400" --regions='Wor?'
ok "--node selects states" cell node "alpha_0 " --regions=Wait -n alpha
ok "a state inside one of the same name counts once" \
	cell count "1 1" --regions=Read
ok "--from and --to cut states" cell energy "30 30" --regions=Work --to 0.8 \
	--from 0.3
ok "states have the time of known power" cell known \
	"2.000000000 2.000000000" --regions=Work
ok "an unknown state is reported" says 'no state matches "Walk"' 2 stat --regions=Walk mini
ok "--regions without power and states is refused" says "neither values in W nor states" 2 stat --regions='*' -g Net mini
ok "--regions cannot be combined with phases" says "--regions: cannot be combined" 2 stat --regions='*' \
	--by-name --phases-from alpha_0 mini

# Ranks share the power of their host, and threads that of their rank.
cp mini_alpha_0.trc mini_alpha_2.trc
ok "two ranks share the energy of a host" cell energy "200 200 400" --regions=Work
ok "states of all ranks have a mean" cell mean "100 100 100" --regions=Work
ok "a rank outside the selection keeps its share" \
	cell energy "200 200" --regions=Work -n alpha_2
mv mini_alpha_2.trc mini_alpha_0_1.trc
cp mini_alpha_0_1.trc mini_alpha_0_2.trc
mv mini_alpha_0.trc mini_alpha_3.trc
ok "threads share the energy of a host" cell energy "100 100 200 400" --regions=Work
energy_stat '' >mini_Energy.stat
rm mini_alpha_Energy.stat
mv mini_alpha_3.trc mini_beta_1.trc
ok "power of the root node is divided" cell energy \
	"100 100 200 400" --regions=Work
rm -f mini_* && make_mini

if [ -d "$corpus" ]; then
	for node in node06 node07; do
		ok "stresstest: power of $node agrees with awk" agrees_with_awk $node
	done
	ok "partdiff-mpi: energies of states and phases agree" as_phases
	for project in stresstest partdiff-mpi pvfs2-server-nan handwritten; do
		ok "$project: stat agrees with the dump" \
			agrees_with_dump "$corpus/$project"
	done
else
	skip "numbers of real projects" "no corpus"
fi
done_testing
