# shellcheck shell=bash
# Parts of verify-thesis.sh that run the HPC Challenge benchmark; source it.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2154 # Variables of verify-thesis.sh and tests/lib.

# ---- Table 5.2 -------------------------------------------------------------------

# Seconds of hpcc: TURN VARIANT; a number is the interval of libRUT in the first rank.
timed_run() {
	local began interval=$2
	local -a command=(hpcc)

	rm -rf run lib_*.stat lib.proj
	[ "$interval" = none ] ||
		command=("$build/tests/system/traced" "$scratch/lib" "$interval" hpcc)
	began=$(date +%s.%N)
	hpcc_run run "$mpirun" -np "$hpcc_ranks" "${command[@]}" >log 2>&1 || {
		tail -n 20 log
		return 1
	}
	echo "$1 $2 $(awk "BEGIN { print $(date +%s.%N) - $began }")" >>"$results/times-5.2"
}

# In turns; each turn begins with another variant, so that none is always first.
table_5_2() {
	local variants=(none 500 100 20) turn i

	: >"$results/times-5.2"
	for turn in $(seq "$runs"); do
		for i in 0 1 2 3; do
			timed_run "$turn" "${variants[$(((turn + i) % 4))]}" || return 1
		done
	done
	# The first line of a variant gives its column.
	for variant in "${variants[@]}"; do
		grep " $variant " "$results/times-5.2"
	done >runs.txt
	python3 "$abs_top_srcdir/tests/bench/paired.py" none runs.txt >"$results/table-5.2.md" || return 1
	cat "$results/table-5.2.md"
	conditions 5.2
}

# ---- Phases of HPCC --------------------------------------------------------------

# Memory traffic of each phase as a fraction of the STREAM benchmark of all ranks, by
# what HPCC prints of a run: bytes are computed from the results. STREAM: the rate of
# triad. RandomAccess: an update reads and writes a line of 64 bytes. PTRANS: reads and
# writes. FFT: 5 N log2(N) flop for two passes over 16 bytes, read and written. DGEMM and
# HPL: blocks of 64 rows in the cache, so 2 x 64 flop for 8 bytes.
traffic() {
	hpcc_run first "$mpirun" -np "$hpcc_ranks" hpcc >log 2>&1 || {
		tail -n 20 log
		return 1
	}
	awk -F= -v ranks="$hpcc_ranks" '
		{ r[$1] = $2 }
		# Of bytes per second and number of ranks.
		function say(name, bytes) { printf "%s %.6f\n", name, bytes / full }
		END {
			full = r["StarSTREAM_Triad"] * 1e9 * ranks
			if (!(full > 0))
				exit 1
			say("StarSTREAM", full)
			say("SingleSTREAM", r["SingleSTREAM_Triad"] * 1e9)
			say("MPIRandomAccess", r["MPIRandomAccess_GUPs"] * 128e9)
			say("MPIRandomAccess_LCG", r["MPIRandomAccess_LCG_GUPs"] * 128e9)
			say("StarRandomAccess", r["StarRandomAccess_GUPs"] * 128e9 * ranks)
			say("StarRandomAccess_LCG", r["StarRandomAccess_LCG_GUPs"] * 128e9 * ranks)
			say("SingleRandomAccess", r["SingleRandomAccess_GUPs"] * 128e9)
			say("SingleRandomAccess_LCG", r["SingleRandomAccess_LCG_GUPs"] * 128e9)
			say("PTRANS", r["PTRANS_GBs"] * 2e9)
			say("StarDGEMM", r["StarDGEMM_Gflops"] * 1e9 * ranks / 16)
			say("SingleDGEMM", r["SingleDGEMM_Gflops"] * 1e9 / 16)
			say("HPL", r["HPL_Tflops"] * 1e12 / 16)
			log2 = log(r["MPIFFT_N"]) / log(2)
			say("MPIFFT", r["MPIFFT_Gflops"] * 1e9 / (5 * log2) * 64)
			log2 = log(r["FFT_N"]) / log(2)
			say("StarFFT", r["StarFFT_Gflops"] * 1e9 * ranks / (5 * log2) * 64)
			say("SingleFFT", r["SingleFFT_Gflops"] * 1e9 / (5 * log2) * 64)
			say("LatencyBandwidth", r["NaturallyOrderedRingBandwidth_GBytes"] * 2e9 * ranks)
		}' first/hpccoutf.txt >traffic.txt
	cat traffic.txt
	cp traffic.txt "$results/hpcc-traffic.txt"
}

# Follow the phases of hpcc, and tell the simulated meter their memory traffic.
follow() {
	tail -n +1 -s 0.01 -f phases/hpccoutf.txt | while IFS= read -r line; do
		case $line in
		"Begin of "*" section.")
			name=${line#Begin of }
			part=$(awk -v name="${name% section.}" \
				'$1 == name { print $2 }' traffic.txt)
			;;
		"End of HPC Challenge tests.") break ;;
		"End of "*" section.") part=0 ;;
		*) continue ;;
		esac
		echo "${part:-0}" >now.new && mv now.new now
	done
}

# 80 W, up to 60 W more for CPUs, and up to 40 W more for memory traffic.
phases() {
	local status

	echo 0 >now
	sim_start --law="1:node:$PWD/now,low=80,high=140,memory=40" --truth=truth || return 1
	cat >hpcc.cfg <<END
[General]
device=LMG450
port=$PWD/meter
cycle=100
counter=on
project=power
topology=Host
[Trace]
type=HDSTATS
node=$host
channel=1
values=P
END
	PT_VERBOSITY=1 pt -c hpcc.cfg >pt.out 2>pt.err &
	pt_pid=$!
	mkdir phases
	: >phases/hpccoutf.txt
	follow &
	follower=$!
	hpcc_run_in phases rut -q -i 100ms -p "$scratch/hpcc" -- "$mpirun" -np "$hpcc_ranks" \
		hpcc >log 2>&1
	status=$?
	kill "$pt_pid" && wait "$pt_pid" || status=1
	pt_pid=
	[ "$status" -eq 0 ] || kill "$follower"
	wait "$follower"
	sim_stop || status=1
	# The group joins the project of rut.
	mv "power_${host}_Energy.stat" "hpcc_${host}_Energy.stat" || status=1
	[ "$status" -eq 0 ] || tail -n 20 log pt.err
	return "$status"
}

# Borders for --phases: a phase ends where its section ends.
hpcc_borders() {
	hpcc_phases phases | sort -k 2 -g | awk '
		$2 != last && NR > 1 { print "@" last " -" }
		{ print "@" $2 " " $1; last = $3 }
		END { print "@" last " -" }'
}

phases_differ() {
	hpcc_borders >borders
	cp borders "$results/hpcc-borders.txt"
	hdtrace stat -q --phases=borders --format=csv hpcc >phases.csv || return 1
	awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["value"] == "P" { power[$at["phase"]] = $at["mean"]; energy[$at["phase"]] = $at["integral"] }
		$at["value"] == "CPU_TOTAL" { cpu[$at["phase"]] = $at["mean"] }
		END {
			print "| Phase | Power, W | Energy, J | CPUs, % |\n|---|--:|--:|--:|"
			for (i in power)
				printf "| %s | %.1f | %.1f | %.1f |\n", i, power[i], energy[i], cpu[i] | "sort"
			close("sort")
			exit !(power["StarSTREAM"] > power["StarDGEMM"] + 5 && power["HPL"] > 80)
		}' phases.csv >"$results/hpcc-phases.md"
	status=$?
	cat "$results/hpcc-phases.md"
	conditions 6.9
	return "$status"
}

phases_true() {
	hdtrace loads -q --format=json --phases=borders hpcc >loads.json || return 1
	python3 "$abs_top_srcdir/tests/load/truth.py" truth "hpcc_${host}_Energy.stat" \
		loads.json
}

figure_6_9() {
	hdtrace plot -f -q --phases=borders --value=P --value=CPU_TOTAL --value=MEM_USED \
		--value=NET_OUT -o "$results/figure-6.9.svg" hpcc
}
