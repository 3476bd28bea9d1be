#!/bin/sh
# The HPC Challenge benchmark with its MPI calls, the utilization of the node and
# its power, from pt and an LMG450 that is lmg450-sim: what it does in each of
# its phases (thesis, section 6.2.3 and figure 6.9). hpcc is Debian's, as it is.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#     hpcc-mpi.sh         trace it, and print the table
#     hpcc-mpi.sh RUNS    run it so often with and without tracing, in turns, and
#                         print how long it took
#
# Environment: HPCC_RANKS (4; to measure, the number of CPUs), and that of
# tests/lib/hpcc.sh; to measure, HPCC_N is 2000.
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/sim.sh"
. "$abs_top_srcdir/tests/lib/hpcc.sh"
runs=${1-}
hpcc_ranks=${HPCC_RANKS:-${runs:+$hpcc_ranks}}
hpcc_ranks=${hpcc_ranks:-4}
HPCC_N=${HPCC_N:-${runs:+2000}}
hdmpirun=${abs_top_builddir:?}/hdmpirun
# There may be more ranks than CPUs.
export OMPI_MCA_mpi_yield_when_idle=1
export HDTRACE_MPI_PROJ=0
# What the MPI library does inside is its own matter.
export HDTRACE_MPI_NESTED=0
unset HDTRACE_PREFIX HDTRACE_GAPS HDTRACE_MPI_DIR HDTRACE_MPI_HOST
host=$(hostname | tr -c 'A-Za-z0-9.\n-' -)
cd "$scratch" || exit 99

missing=$(hpcc_missing)
[ -z "$missing" ] || skip_all "$missing"
[ -f "$abs_top_builddir/libhdMPI-openmpi.so" ] ||
	skip_all "libhdMPI was not built for Open MPI"
[ -x "$hdmpirun" ] || skip_all "hdmpirun was not built"

# Power follows how busy this machine is.
start_power() {
	sim_start --law="1:host:low=80,high=180" || return 1
	cat >pt.cfg <<END
[General]
device=LMG450
port=$PWD/meter
cycle=100
project=hpcc
topology=Host
[Trace]
type=HDSTATS
node=$host
channel=1
values=Utrms,Itrms,P
END
	PT_VERBOSITY=1 "$pt" -c pt.cfg >pt.out 2>pt.err &
	pt_pid=$!
}

stop_power() {
	if ! kill "$pt_pid" || ! wait "$pt_pid"; then
		cat pt.err
		return 1
	fi
	sim_stop
}

traced() {
	hpcc_run run "$mpirun" -np "$hpcc_ranks" "$hdmpirun" -p hpcc \
		-d "$scratch" hpcc
}

merged() {
	"$hdtrace" merge --force hpcc
}

is_good() {
	"$hdtrace" check hpcc.proj && [ -f "hpcc_${host}_Energy.stat" ] &&
		[ -f "hpcc_${host}_Utilization.stat" ]
}

# Print the row of a phase: NAME BEGIN END
row() {
	"$hdtrace" stat --quiet --format=csv --from "@$2" --to "@$3" hpcc \
		>phase.csv || return 1
	"$hdtrace" stat --quiet --format=csv --from "@$2" --to "@$3" \
		--regions='*' -g Energy -v P hpcc >mpi.csv 2>mpi.err ||
		grep -q 'no state matches' mpi.err || return 1
	awk -F, -v phase="$1" -v time="$3 $2" -v ranks="$hpcc_ranks" '
		FNR == 1 {
			for (i = 1; i <= NF; i++)
				at[$i] = i
			next
		}
		FILENAME == "phase.csv" {
			mean[$3] = $at["mean"]
			sum[$3] = $at["sum"]
			integral[$3] = $at["integral"]
		}
		FILENAME == "mpi.csv" && $at["node"] == "" {
			calls += $at["count"]
			waiting += $at["seconds"]
		}
		END {
			split(time, border, " ")
			length_ = border[1] - border[2]
			printf "| %s | %.2f | %.1f | %.1f | %.0f | %.0f | " \
				"%.1f | %d | %.1f |\n", phase, length_,
				mean["P"], integral["P"], mean["CPU_TOTAL"],
				mean["MEM_USED"] / 1e6, sum["NET_IN"] / 1e6,
				calls, waiting / ranks / length_ * 100
		}' phase.csv mpi.csv
}

# Print the table; fails if a phase of the thesis is missing.
table() {
	echo "| Phase | s | Power, W | Energy, J | CPUs, % | Memory, MB |" \
		"Network, MB | MPI calls | in MPI, % |"
	echo "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
	hpcc_phases run | while read -r name begin end; do
		row "$name" "$begin" "$end" || exit 1
	done >rows || return 1
	cat rows
	for name in PTRANS HPL StarDGEMM SingleDGEMM StarSTREAM SingleSTREAM \
		MPIRandomAccess StarRandomAccess SingleRandomAccess MPIFFT \
		StarFFT SingleFFT LatencyBandwidth; do
		grep -q "^| $name |" rows || {
			echo "$name is missing"
			return 1
		}
	done
}

regions() {
	"$hdtrace" stat --regions='*' -g Energy -v P hpcc | awk '
		NR <= 2 || $2 == "all"'
}

# How long it takes: DIRECTORY COMMAND...
timed() {
	began=$(date +%s.%N)
	hpcc_run "$@" >"$scratch/log" 2>&1 || return 1
	echo "$began $(date +%s.%N)" | awk '{ print $2 - $1 }' >>"$1.run"
	for name in MPIRandomAccess_time MPIRandomAccess_LCG_time HPL_time; do
		sed -n "s/^$name=//p" "$1/hpccoutf.txt" >>"$1.$name"
	done
	rm -rf "$1" hpcc*.trc hpcc*.info hpcc*.stat
}

slowdown() {
	for run in $(seq "$runs"); do
		echo "run $run"
		timed plain "$mpirun" -np "$hpcc_ranks" hpcc &&
			timed traced "$mpirun" -np "$hpcc_ranks" "$hdmpirun" \
				-p hpcc -d "$scratch" hpcc || return 1
	done
	echo "Seconds, medians of $runs runs (least to most), and of the slowdown in"
	echo "each of them:"
	echo
	echo "| | without tracing | with | slowdown, % |"
	echo "|---|--:|--:|--:|"
	for what in run MPIRandomAccess_time MPIRandomAccess_LCG_time HPL_time; do
		echo "| ${what%_time} | $(spread "plain.$what") |" \
			"$(spread "traced.$what") |" \
			"$(paste "plain.$what" "traced.$what" |
				awk '{ print ($2 / $1 - 1) * 100 }' |
				spread -) |"
	done
}

# Print median, least and most of numbers: FILE
spread() {
	sort -n "$1" | awk '{ value[NR] = $1 }
		END { printf "%.2f (%.2f to %.2f)", value[int((NR + 1) / 2)],
			value[1], value[NR] }'
}

if [ "$runs" ]; then
	ok "hpcc runs with and without tracing" slowdown
	cat "$details"
	done_testing
fi
ok "power of hpcc is recorded" start_power
ok "a traced hpcc runs while power is recorded" traced
ok "the power recording ends" stop_power
ok "power and MPI calls are merged" merged
ok "the merged project passes check" is_good
ok "the trace contains the 13 phases" table
cat "$details"
ok "MPI calls have energy" regions
cat "$details"
done_testing
