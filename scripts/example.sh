# shellcheck shell=bash
# The example that ./quickstart leaves in build/run, and tests of guides begin
# with: a program with phases, its node, and its power, in one project. Sourced.
# SPDX-License-Identifier: LGPL-2.1-or-later

# Make the projects in this directory: TREE SHOW. TREE is where HDTrace was built;
# SHOW is called with each command, as a user would type it and as it is run.
# The meter is a program here; what it says follows the load of this machine.
trace_energy() {
	local tree=$1 show=$2 host meter pid i failed=0

	host=$(uname -n | sed 's/[^A-Za-z0-9.-]/-/g')
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
		# A job that writes down when its phases begin.
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
