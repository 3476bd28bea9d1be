# shellcheck shell=bash
# The examples that ./quickstart records in build/run. Tests of guides make the same
# projects. Sourced.
# SPDX-License-Identifier: LGPL-2.1-or-later
example_top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The name of this host in file names.
example_host() {
	uname -n | sed 's/[^A-Za-z0-9.-]/-/g'
}

# Make the project "energy" in this directory: TREE SHOW. It has a program with phases,
# its node and its power. TREE is the build directory; SHOW is called with each command
# as a user would type it, and as it is run. The simulated meter follows the load of
# this machine.
trace_energy() {
	local tree=$1 show=$2 host meter pid i failed=0

	host=$(example_host)
	"$tree/tests/sim/lmg450-sim" --link="$PWD/meter" \
		--law=1:host:low=60,high=160 >meter.log 2>&1 &
	meter=$!
	# Functions of traps see no locals.
	# shellcheck disable=SC2064
	trap "kill $meter 2>/dev/null" RETURN
	for ((i = 0; i < 3000; i++)); do
		grep -q '^ready' meter.log && break
		sleep 0.02
	done
	cat >pt.cfg <<-END
		[General]
		device=LMG450
		port=$(uname -n):$PWD/meter
		cycle=50
		project=energy
		topology=Host_Rank_Thread

		[Trace]
		type=HDSTATS
		node=$host
		input=1
		values=Utrms,Itrms,P
	END
	"$show" "cat pt.cfg" cat pt.cfg
	"$show" "pt -c pt.cfg -D --pid-file=pt.pid" \
		"$tree/pt" -c pt.cfg -D --pid-file=pt.pid || return 1
	cat >job.sh <<-END
		# A job that records the start of its phases.
		phase() {
		    echo "@\$(date +%s.%N) \$1" >>phases
		}
		phase wait
		sleep 1
		phase compute
		PATH=$tree/doc/examples:\$PATH
		heat energy
		phase pack
		cat energy_*.trc | gzip >energy.gz
		phase -
	END
	"$show" "cat job.sh" cat job.sh
	"$show" "rut --force --project energy -- sh job.sh" "$tree/rut" --force \
		--interval 50 --project energy -- sh job.sh || failed=1
	pid=$(cat pt.pid)
	"$show" "kill \$(cat pt.pid)" kill "$pid"
	while kill -0 "$pid" 2>/dev/null; do
		sleep 0.02
	done
	[ $failed -eq 0 ] &&
		"$show" "hdtrace merge --force energy" \
			"$tree/hdtrace" merge --force energy
}

# Print the options with which mpiexec starts more ranks than there are processors.
mpi_options() {
	if mpiexec --version 2>&1 | grep -q -e 'Open MPI' -e OpenRTE; then
		echo --oversubscribe
		[ "$(id -u)" -ne 0 ] || echo --allow-run-as-root
	fi
}

# Fail, and print the reason, if the MPI example cannot be recorded: TREE.
mpi_problem() {
	local command
	local -a options

	if ! [ -e "$1/libhdMPI-openmpi.so" ] && ! [ -e "$1/libhdMPI-mpich.so" ]; then
		echo "this build has no MPI tracing"
		return 1
	fi
	for command in mpicc mpiexec; do
		command -v $command >/dev/null || {
			echo "$command: not found"
			return 1
		}
	done
	mapfile -t options < <(mpi_options)
	timeout 120 mpiexec "${options[@]}" -n 2 true >mpiexec.log 2>&1 || {
		echo "mpiexec does not work here; see $PWD/mpiexec.log"
		return 1
	}
}

# Make the project "heat-mpi" in this directory: TREE SHOW, as above. The power is an
# estimate.
trace_mpi() {
	local tree=$1 show=$2
	local -a options

	mapfile -t options < <(mpi_options)
	cat >pt-mpi.cfg <<-END
		[General]
		device=sim
		cycle=100
		project=heat-mpi
		topology=Host

		[Trace]
		type=HDSTATS
		node=$(example_host)
		input=*
		values=P
	END
	cp "$example_top/doc/examples/heat-mpi.c" .
	"$show" "mpicc -O2 -o heat-mpi heat-mpi.c -lm" \
		mpicc -O2 -o heat-mpi heat-mpi.c -lm &&
		HDTRACE_PT_CFG=$PWD/pt-mpi.cfg "$show" \
			"HDTRACE_PT_CFG=\$PWD/pt-mpi.cfg mpiexec ${options[*]} -n 2 hdmpirun ./heat-mpi" \
			mpiexec "${options[@]}" -n 2 "$tree/hdmpirun" ./heat-mpi
}
