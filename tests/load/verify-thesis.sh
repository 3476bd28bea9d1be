#!/bin/bash
# The evaluation of the thesis (chapters 5 and 6), repeated: its tables, and its figures
# by hdtrace plot. Results go to ./thesis.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Environment: THESIS_PARTS, of "5.1 5.2 5.3 fig5.3 6.1 6.9" (all); THESIS_RUNS (5), of
# each kind; HDTRACE_LEVEL_TIME (240s), of table 6.1; IMPACT_SECONDS (60), of a run of
# table 5.3; HPCC_N (10000), the size of the matrix, with which a run takes minutes.
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/sim.sh"
. "$abs_top_srcdir/tests/lib/hpcc.sh"
build=${abs_top_builddir:?}
parts=${THESIS_PARTS:-5.1 5.2 5.3 fig5.3 6.1 6.9}
runs=${THESIS_RUNS:-5}
level_time=${HDTRACE_LEVEL_TIME:-240s}
export HPCC_N="${HPCC_N:-10000}"
results=$build/thesis
host=$(uname -n | tr -c 'A-Za-z0-9.\n' -)
PATH=$build:$PATH
mkdir -p "$results"
cd "$scratch" || exit 99
. "$abs_top_srcdir/tests/load/thesis-hpcc.sh"

# Whether a part was asked for, and is possible: PART
has_part() {
	case " $parts " in *" $1 "*) ;; *) return 1 ;; esac
	case $1 in
	5.1 | 5.2 | 6.9)
		[ -z "$(hpcc_missing)" ] || {
			skip "part $1" "$(hpcc_missing)"
			return 1
		}
		;;
	esac
}

# The conditions, for the measurements: PART
conditions() {
	echo "$1: $(nproc) CPUs, $(sed -n 's/^model name.*: //p;T;q' /proc/cpuinfo), load" \
		"average $(cut -d ' ' -f 1 /proc/loadavg) at the end, matrix of $HPCC_N" |
		tee -a "$results/conditions"
}

# ---- Tables 5.1, 5.2 and 5.3 -----------------------------------------------------

table_5_1() {
	IMPACT_RUNS=$runs sh "$abs_top_srcdir/tests/bench/impact-pt.sh" \
		>"$results/table-5.1.md"
	cat "$results/table-5.1.md"
	conditions 5.1
	grep -q 'Impact' "$results/table-5.1.md"
}

table_5_3() {
	"$build/tests/bench/bench-rut-impact" "${IMPACT_SECONDS:-60}" "$runs" \
		>"$results/table-5.3.md"
	cat "$results/table-5.3.md"
	conditions 5.3
	grep -q 'Impact' "$results/table-5.3.md"
}

# A group of the runs of table 5.3: the axis is the number of the run, in s.
figure_5_5() {
	python3 "$abs_top_srcdir/tests/load/runs.py" "$results/table-5.3.md" runs &&
		hdtrace plot -f -q -o "$results/figure-5.5.svg" runs
}

# ---- Figure 5.3 ------------------------------------------------------------------

figure_5_3() {
	sh "$abs_top_srcdir/doc/examples/verify-rut" r || return 1
	cp r.svg "$results/figure-5.3.svg"
	conditions fig5.3
}

# ---- Table 6.1 and figure 6.6 ----------------------------------------------------

staircase() {
	printf '[General]\ndevice=sim\ncycle=200\n[Trace]\ntype=HDSTATS\nnode=%s\ninput=1\nvalues=P\n' \
		"$host" >pt.cfg
	hdload --staircase=cpu-int --level-time="$level_time" -c pt.cfg -p stairs
}

# The thesis: errors up to 4.09 points, 1.45 on average.
table_6_1() {
	hdtrace loads stairs >"$results/table-6.1.txt" || return 1
	cat "$results/table-6.1.txt"
	conditions 6.1
	hdtrace loads --format=json --picture="$results/load.svg" stairs >loads.json || return 1
	python3 - <<'END'
import json
levels = json.load(open("loads.json"))["levels"]
errors = [abs(level["error_points"]) for level in levels]
print("largest error", max(errors), "mean", sum(errors) / len(errors))
assert len(levels) == 11 and max(errors) < 1
END
}

figure_6_6() {
	hdtrace plot -f -q --value=CPU_TOTAL --value=P --phases-from="$host:Level" \
		-o "$results/figure-6.6.svg" stairs
}

# ---- All of it -------------------------------------------------------------------

if has_part 5.1; then
	ok "table 5.1: HPCC with utilization and power" table_5_1
fi
if has_part 5.2; then
	ok "table 5.2: HPCC with libRUT at 500, 100 and 20 ms" table_5_2
fi
if has_part 5.3; then
	ok "table 5.3: CPUstress at seven intervals" table_5_3
	ok "figure 5.5: runs of table 5.3" figure_5_5
fi
if has_part fig5.3; then
	ok "figure 5.3: one resource after the other" figure_5_3
fi
if has_part 6.1; then
	ok "all levels are reached" staircase
	ok "figure 6.6: the staircase" figure_6_6
	ok "table 6.1: errors are below 1 point" table_6_1
fi
if has_part 6.9; then
	ok "HPCC says how much memory traffic its phases have" traffic
	ok "HPCC with power of CPU and memory traffic" phases
	ok "power differs between phases" phases_differ
	ok "energy of phases equals the truth to 1e-6" phases_true
	ok "figure 6.9: phases of HPCC" figure_6_9
fi
done_testing
