# The HPC Challenge benchmark, on all CPUs of this machine; source it.
# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Environment: HPCC_N, the size of the matrix (4000: a minute or two on two
# CPUs), and MPIRUN.
hpcc_example=/usr/share/doc/hpcc/examples/_hpccinf.txt
hpcc_ranks=$(nproc)
mpirun=${MPIRUN:-mpirun}
# Open MPI: as root, on as many CPUs as there are, and through the loopback
# interface, so that there is something to see.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=self,tcp
export OMPI_MCA_btl_tcp_if_include=lo

# Say what is missing, if anything.
hpcc_missing() {
	if ! command -v hpcc >/dev/null || [ ! -r "$hpcc_example" ]; then
		echo "hpcc is missing; on Debian: apt-get install hpcc"
	elif ! command -v "$mpirun" >/dev/null; then
		echo "$mpirun is missing"
	fi
}

# Write what hpcc reads: DIRECTORY
hpcc_prepare() {
	sed -e "s/^[0-9]*  *Ns$/${HPCC_N:-4000} Ns/" \
		-e "s/^[0-9]*  *Ps$/1 Ps/" \
		-e "s/^[0-9]*  *Qs$/$hpcc_ranks Qs/" \
		"$hpcc_example" >"$1/hpccinf.txt"
}

# Write the times at which hpcc begins and ends its phases: DIRECTORY
hpcc_watch() {
	tail -n +1 -s 0.05 -f "$1/hpccoutf.txt" | while IFS= read -r line; do
		case $line in
		"Begin of "*" section." | "End of "*" section.")
			echo "$(date +%s.%N) $line"
			;;
		"End of HPC Challenge tests.") break ;;
		esac
	done >"$1/times"
}

# Run hpcc in a directory of its own: DIRECTORY COMMAND...
hpcc_run() {
	mkdir "$1"
	: >"$1/hpccoutf.txt"
	hpcc_run_in "$@"
}

# The same in a directory that is there, with an empty hpccoutf.txt.
hpcc_run_in() {
	hpcc_prepare "$1"
	hpcc_watch "$1" &
	watcher=$!
	(
		cd "$1" || exit 1
		shift
		"$@"
	) || {
		kill "$watcher"
		return 1
	}
	wait "$watcher"
	grep -q '^Success=1' "$1/hpccoutf.txt" && [ -s "$1/times" ]
}

# Print the phases: NAME BEGIN END, for DIRECTORY
hpcc_phases() {
	awk '$2 == "Begin" { begin[$4] = $1 }
		$2 == "End" && $4 in begin && $4 != "Summary" {
			print $4, begin[$4], $1
		}' "$1/times"
}
