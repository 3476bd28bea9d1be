#!/bin/sh
# hdtrace plot of several projects: where curves and states stand on the one
# clock, how they are called, their colours, and the power of all nodes, by hand.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: optional
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
readers=$abs_top_srcdir/tests/tools/readers
python=$(command -v python3) || skip_all "no python3"
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
cd "$scratch" || exit 99

# A rank on a host that is in Solve from so many seconds after the start on until
# the end at 6 s, and the power of the host, for two seconds each, but none of
# "-": NAME START SOLVE P P P.
make_run() {
	run_name=$1
	cat >"$1_alpha_0.trc" <<-END
	<Program timeAdjustment='$2' levels='Host Rank'>
	<Load time='0' end='$3'/><Solve time='$3' end='6'/>
	</Program>
	END
	cat >"$1.proj" <<-END
	<?xml version="1.0" encoding="UTF-8"?>
	<Application name="$1"><Description/><FileList/><Topology>
	<Level type="Host"><Level type="Rank"/></Level>
	<Node name="alpha"><Node name="0"/></Node></Topology>
	<CommunicatorList/><Datatypes/>
	<ExternalStatistics><Energy/></ExternalStatistics></Application>
	END
	{
		stat_header alpha Energy "name=\"P\" type=\"INT32\" \
			unit=\"${run_unit:-W}\" grouping=\"Power\""
		stamp "$2"
		run_at=$2
		shift 3
		for run_power; do
			run_at=$((run_at + 2))
			if [ "$run_power" = - ]; then
				gap "$run_at"
			else
				stamp "$run_at"
				u32 "$run_power"
			fi
		done
	} >"${run_name}_alpha_Energy.stat"
}

make_run first 1000000000 1 100 200 300
make_run second 1000000003 2 150 250 250
make_run gappy 1000000000 1 100 - 300
run_unit=kW
make_run kilo 1000000000 1 1 2 3
mkdir twin
for file in first*; do
	cp "$file" twin
done

# Draw projects, and read the picture: PROJECT... -- OPTION... -- WANTED...,
# wanted as plotseveral.py prints it.
draws() {
	projects=
	while [ "$1" != -- ]; do
		projects="$projects $1"
		shift
	done
	shift
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # one a word
	status 0 plot -q --force -o both.svg --states=above $options $projects ||
		return 1
	printf '%s\n' "$@" >wanted
	"$python" "$readers/plotseveral.py" both.svg >found && diff wanted found
}

# As they are 3 s apart, and the times of Solve: WHERE; "" says nothing.
aligned() {
	case $1 in
	start | "") set -- "$1" 0 2 2 6 "0 4 50, 4 6 -50" ;;
	wall) set -- "$1" 3 5 5 9 "3 4 -50, 4 5 -150, 5 6 -50" ;;
	# The second one begins before the first.
	Solve) set -- "$1" -1 1 1 5 "0 1 50, 1 2 150, 2 4 50, 4 5 -50" ;;
	esac
	draws first second -- ${1:+"--align=$1"} -- \
		"states first:alpha_0: Load 0 1, Solve 1 6" \
		"states second:alpha_0: Load $2 $4, Solve $4 $5" \
		"Power of all nodes first: 0 2 100, 2 4 200, 4 6 300" \
		"Power of all nodes second: $2 $3 150, $3 $5 250" \
		"Power of all nodes second − first: $6" \
		"P first:alpha: 0 2 100, 2 4 200, 4 6 300" \
		"P second:alpha: $2 $3 150, $3 $5 250" \
		"one colour: first:alpha second:alpha"
}

ok "--align=start aligns projects at their starts" aligned start
ok "--align=wall aligns projects by wall clock" aligned wall
ok "--align=MARK aligns projects at a mark" aligned Solve
ok "projects are aligned at their starts by default" aligned ""
ok "--from and --to refer to the common clock" draws first second -- \
	--align=wall --from=4 --to=5 -- \
	"states first:alpha_0: Solve 4 5" "states second:alpha_0: Load 4 5" \
	"Power of all nodes first: 4 5 300" \
	"Power of all nodes second: 4 5 150" \
	"Power of all nodes second − first: 4 5 -150" \
	"P first:alpha: 4 5 300" "P second:alpha: 4 5 150" \
	"one colour: first:alpha second:alpha"
ok "no difference is drawn if one project has no power" draws first gappy -- -- \
	"states first:alpha_0: Load 0 1, Solve 1 6" \
	"states gappy:alpha_0: Load 0 1, Solve 1 6" \
	"Power of all nodes first: 0 2 100, 2 4 200, 4 6 300" \
	"Power of all nodes gappy: 0 2 100, 4 6 300" \
	"Power of all nodes gappy − first: 0 2 0, 4 6 0" \
	"P first:alpha: 0 2 100, 2 4 200, 4 6 300" \
	"P gappy:alpha: 0 2 100, 4 6 300" \
	"one colour: first:alpha gappy:alpha"
ok "three projects with equal names and other units are drawn" draws first twin/first kilo -- \
	--states=only -- \
	"states first:alpha_0: Load 0 1, Solve 1 6" \
	"states first (2):alpha_0: Load 0 1, Solve 1 6" \
	"states kilo:alpha_0: Load 0 1, Solve 1 6"

# What json says of the comparison: PROJECT... LINE.
compares() {
	for line; do :; done
	status 0 plot -f -o both.svg --format=json "$1" "$2" &&
		sed -n '/"comparison"/,/\]/s/.*"power_w": \([^,]*\), "energy_j": \([^,]*\), "known_s": \([0-9.]*\).*/\1 \2 \3/p' \
			out | paste -sd, >found &&
		echo "$line" | diff - found
}
ok "JSON has energies of projects and their difference" compares first second \
	"200 1200 6.000000000,216.66666666666666 1300 6.000000000,16.666666666666668 100 6.000000000"
ok "kilowatts are watts in the sum" compares first kilo \
	"200 1200 6.000000000,2000 12000 6.000000000,1800 10800 6.000000000"
ok "energy of the known time" compares first gappy \
	"200 1200 6.000000000,200 800 4.000000000,0 0 4.000000000"

# Of many entries the sums are those of hdtrace stat.
"${abs_top_builddir:?}/tests/bench/make-project" --nodes=3 --ranks=2 \
	--records=1200 --values=96000 one >/dev/null
"${abs_top_builddir:?}/tests/bench/make-project" --nodes=3 --ranks=2 \
	--records=1200 --values=96000 --seed=2 two >/dev/null
is_dense() {
	status 0 plot -f -o both.svg --format=json --from=0.25 --to=6.25 \
		--size=40x200 one two && grep -q '"dense": true' out || return 1
	mv out plot.json
	for project in one two; do
		status 0 stat --format=json --value=P --from=0.25 --to=6.25 \
			"$project" || return 1
		mv out "$project.json"
	done
	"$python" "$readers/plotenergy.py" plot.json one.json two.json
}
ok "sums of many entries agree with hdtrace stat" is_dense

ok "an unknown mark is reported" says "second: no state or event named Nothing, as required by --align" 2 \
	plot -f -o no.svg --align=Nothing second first
ok "a missing project is reported" says "No such file" 2 plot -f -o no.svg first none
ok "no picture is written if a project is missing" test ! -e no.svg
if "$hdtrace" plot --type=png -o - first 2>&1 | grep -q "without cairo"; then
	skip "a PNG file has the size and the colours" "built without cairo"
else
	fonts_are_kept
	is_png() {
		status 0 plot -f -o both.png first second &&
			[ "$(head -c 4 both.png | od -An -tx1)" = " 89 50 4e 47" ]
	}
	ok "a PNG file has the size and the colours" is_png
fi
done_testing
