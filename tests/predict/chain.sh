#!/bin/sh
# From runs to models to predictions to runs again: links of a declared pace, and
# kernels whose energy is declared.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: both
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
. "$abs_top_srcdir/tests/lib/sim.sh"
hdpredict=${abs_top_builddir:?}/hdpredict
hdexecute=$abs_top_builddir/hdexecute
cd "$scratch" || exit 99
for library in $(built_libraries) none; do
	[ "$library" = none ] || ! can_launch "$library" >why || break
done
[ "$library" != none ] || skip_all "no MPI programs can be run here"

# A data set of SIZE bytes twice round two PEs: SIZE PE PE NAME OPTION...
ring() {
	"$hdpredict" generate ring --width 2 --steps 4 --tile-size "$1" --on "$2,$3" -o "$4.xml" || return 1
	name=$4
	shift 4
	launch "$library" 2 "$hdexecute" "$name.xml" --pace "$pace" -f -p "$name" "$@" >"$name.said" 2>&1 ||
		{ cat "$name.said"; return 1; }
}
# Bytes per second and seconds: a packet of 1,000 bytes takes 0.1 ms.
pace=10e6,0.02
# Nothing is faster than its pace; slower it is where others need the processors.
slower=1.4
# What of energies is right, in percent: a busy machine interrupts the meter, too.
right=5
[ -z "${HDTRACE_TEST_CHAIN-}" ] || { slower=1.05 right=2; }
links_found() {
	for size in 100000 200000 400000; do
		ring "$size" n0.0 n1.0 "ring$size" --pes 1 || return 1
	done
	"$hdpredict" characterize -o links --time-only --packet-size 1000 ring*.proj >said 2>err || return 1
	cat said err
	! grep one.size err &&
		sed -n 's/.*init-latency="\([^"]*\)".*packet-latency="\([^"]*\)".*/\1 \2/p' links/platform.xml >numbers
	# Out and in have the latency together, and the same rate. On a busy machine one may be
	# too large for the other; what they say of a message of 100 and of 400 packets is what
	# was measured, all the same.
	awk -v slower="$slower" -v strict="${HDTRACE_TEST_CHAIN-}" '{ init += $1; packet += $2 }
		END { if (NR != 2)
				exit 1
			packet /= NR
			for (n = 100; n <= 400; n += 300) {
				found = init + n * packet
				declared = 20e6 + n * 1e5
				if (found < 0.97 * declared || found > slower * declared)
					exit 1
			}
			exit strict && (packet < 97e3 || packet > slower * 1e5 ||
				init < 19.4e6 || init > slower * 20e6) }' numbers
}
ok "characterize finds the declared pace of links" links_found
# 7 messages of another size, each 20 ms and 30 ms; the kernels take nearly nothing. No run
# is faster than that, but on a busy machine it may be slower.
foretold() {
	cat >kernels.xml <<-END
		<resource-model><entry kernel="RING0" architecture="cpu" time="0" energy="0"/>
		<entry kernel="RING" architecture="cpu" time="0" energy="0"/></resource-model>
	END
	ring 300000 n0.0.0 n1.1.0 other --platform links/platform.xml &&
		"$hdpredict" simulate other.xml --platform links/platform.xml --resources kernels.xml \
			-o foretold >said && "$hdpredict" compare foretold other --format=json >compared || return 1
	cat said compared
	sed -n 's/^  "time_error": \([^,]*\),/\1/p' compared | awk '{ exit !(NF == 1 && $1 < 0.05) }' &&
		sed -n 's/^Time  *\([0-9.]*\) s$/\1/p' said |
		awk -v slower="$slower" '{ n++; good = $1 >= 0.35 * 0.97 && $1 < 0.35 * slower } END { exit n != 1 || !good }'
}
ok "the found links predict a ring of another size" foretold
one_size() {
	"$hdpredict" characterize -o one --time-only ring100000.proj >said 2>err || return 1
	cat err
	grep -q 'all data sets to cpu have the same size; ' err && grep -q 'packet-latency="0"' one/platform.xml
}
ok "messages of one size cause a warning" one_size

# ---- Energy --------------------------------------------------------------------

# A task of SPIN has so many ms of CPU time, however busy the machine is, and the meter
# measures 60 W and 50 J more for each second of CPU time of the process it looks at: so
# energies are declared. With HDTRACE_TEST_CHAIN batches and runs are long, and many.
declared=$(awk 'BEGIN { print 50 / 1000 }') # J for each ms
batches='--batches=2 --batch=1 --pause=0.9' steps=40 runs=1
[ -z "${HDTRACE_TEST_CHAIN-}" ] || { batches='--batches=5 --batch=3 --pause=2' steps=120 runs=3; }
cat >fallback.c <<'END'
#include <hdKernel.h>
#include <time.h>
static int64_t had(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}
static int spin(const hdKernelCall *call)
{
	int64_t end = had() + (int64_t)(hdKernelGet(call, "ms", 0) * 1e6);

	while (had() < end)
		;
	return 0;
}
HDKERNELS({ "FIRST", spin, 0 }, { "SPIN", spin, 0 })
END
# Two chains, whose tasks wait for each other's.
chains() {
	cat <<-END
		<application><kernel id="FIRST"><variable id="ms"/><output id="o" size="1000"/></kernel>
		<kernel id="SPIN"><variable id="ms"/><input id="i" size="1000"/>
		<input id="j" size="1000"/><output id="o" size="1000"/></kernel>
	END
	for step in $(seq "$steps"); do
		kernel=SPIN ms=60
		[ "$step" -gt 1 ] || { kernel=FIRST ms=40; }
		for chain in 0 1; do
			echo "<task id='t$chain.$step' kernel='$kernel'><assign var='ms' val='$ms'/></task>"
			[ "$step" -eq 1 ] || echo "<dependency predecessor='t$chain.$((step - 1))'" \
				"successor='t$chain.$step' src='o' dest='i'/><dependency" \
				"predecessor='t$((1 - chain)).$((step - 1))' successor='t$chain.$step' src='o' dest='j'/>"
		done
	done
	echo '</application>'
}
chains >chains.xml
truth=$(sed -n "s/.*val='\([0-9]*\)'.*/\1/p" chains.xml |
	awk -v declared="$declared" '{ s += $1 } END { print s * declared }')
# Near enough: FOUND EXPECTED WHAT
near() {
	awk -v found="$1" -v expected="$2" -v what="$3" 'BEGIN {
		printf "%s: %s, declared %s: %+.2f %%\n", what, found, expected, 100 * (found / expected - 1) }' | tee -a table
	awk "BEGIN { exit !($1 > (1 - $right / 100) * $2 && $1 < (1 + $right / 100) * $2) }"
}
# A meter of the process whose number is in the file pid, for a node: NODE
meter_of() {
	sim_start --law="1:process:$scratch/pid,low=60,high=110" &&
		printf '[General]\ndevice=LMG450\nport=%s\ncycle=50\n[Trace]\ntype=HDSTATS\nnode=%s\nchannel=1\nvalues=P\n' \
			"$PWD/meter" "$1" >pt.cfg
}
cat >watched <<'END'
echo $$ >pid
exec "$@"
END
# Two nodes whose processes two meters look at, each as above.
meters() {
	sim_start --law="1:process:$scratch/pid.0,low=60,high=110" \
		--law="2:process:$scratch/pid.1,low=60,high=110" || return 1
	printf '[General]\ndevice=LMG450\nport=%s\ncycle=50\n' "$PWD/meter" >pt.cfg
	for node in 0 1; do
		printf '[Trace]\ntype=HDSTATS\nnode=n%d\nchannel=%d\nvalues=P\n' "$node" $((node + 1)) >>pt.cfg
	done
}
cat >watched2 <<'END'
echo $$ >"pid.${OMPI_COMM_WORLD_RANK-$PMI_RANK}"
exec "$@"
END
# Messages between them: what a packet takes is what hdtrace says of these states, above
# 60 W.
exchanged() {
	meters || return 1
	HDTRACE_PT_CFG=$PWD/pt.cfg launch "$library" 2 sh watched2 "$hdexecute" --links=1500000,2000000 \
		--batch=1.5 --pause=1.2 --pes=1 -p exchanged
	status=$?
	sim_stop && [ "$status" -eq 0 ] || return 1
	"$hdtrace" check exchanged | grep ' 0 errors, 0 warnings' &&
		"$hdpredict" characterize -f -o exchanged.model --packet-size=1000 --no-delay exchanged.proj || return 1
	"$hdtrace" dump exchanged | sed -n 's/.* Exchange from="n0" to="n1" size="\([0-9]*\)" repetitions="\([0-9]*\)" architecture="cpu"$/\1 \2/p' >states
	# Each end sends and receives that many packets.
	packets=$(awk '{ n += 2 * $2 * $1 / 1000 } END { if (NR == 4) print n }' states)
	above=$("$hdtrace" stat --format=csv --regions=Exchange --value=P exchanged | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$at["region"] == "Exchange" && $at["node"] != "" { n++; s += $at["energy"] - 60 * $at["seconds"] }
		END { if (n == 2) print s }')
	sed -n 's/.*packet-energy="\([^"]*\)".*/\1/p' exchanged.model/platform.xml |
		awk -v packets="$packets" -v above="$above" '{ n++; nj += $1 }
			END { nj /= n; print nj " nJ a packet, " above " J of " packets " packets"
			d = nj * 1e-9 * packets / above - 1
			exit !(n == 2 && above > 0 && d < 0.15 && d > -0.15) }'
}
# Without power it is said that nothing is known of energies.
unpowered() {
	"$hdpredict" characterize -f -o none --time-only --format=json exchanged.proj >none.json &&
		grep -q '"packet_j": null' none.json && ! grep -q '"packet_j": [0-9]' none.json
}
measured() {
	meter_of "$(uname -n | tr -c 'A-Za-z0-9.\n' -)" || return 1
	# Words of options.
	# shellcheck disable=SC2086
	sh watched "$hdpredict" measure -q -c pt.cfg -o batches --pes=1 --kernels=. $batches --alone chains.xml
	status=$?
	sim_stop && [ "$status" -eq 0 ] &&
		"$hdpredict" characterize -o model batches/measured.proj || return 1
	sed -n 's/.*kernel="\([A-Z]*\)".* energy="\([^"]*\)".*val="\([0-9]*\)".*/\1 \2 \3/p' model/resources.xml >energies
	[ "$(wc -l <energies)" -eq 2 ] || return 1
	while read -r kernel joules ms; do
		near "$joules" "$(awk "BEGIN { print $ms * $declared }")" "$kernel" || return 1
	done <energies
}
predicted() {
	"$hdpredict" platform --nodes 1 --pes 2 --idle-power 60 -o platform.xml &&
		"$hdpredict" map chains.xml --platform platform.xml --resources model/resources.xml -o mapped.xml &&
		"$hdpredict" simulate mapped.xml --platform platform.xml --resources model/resources.xml \
			--mc 100 -f -o predicted --format=json >predicted.json || return 1
	joules=$(sed -n 's/^  "energy_computation_j": \([^,]*\),/\1/p' predicted.json)
	near "$joules" "$truth" predicted
}
executed() {
	set --
	for run in $(seq "$runs"); do
		meter_of n0 || return 1
		HDTRACE_PT_CFG=$PWD/pt.cfg launch "$library" 1 sh watched "$hdexecute" mapped.xml \
			--platform platform.xml --kernels . -f -p "executed$run"
		status=$?
		sim_stop && [ "$status" -eq 0 ] || return 1
		set -- "$@" "executed$run"
	done
	"$hdpredict" compare predicted "$@" --idle 60
	"$hdpredict" compare predicted "$@" --idle 60 --format=json >compared || return 1
	error=$(sed -n 's/^  "energy_dynamic_error": \([^,]*\),/\1/p' compared)
	echo "error of the prediction, against what was executed: $error"
	near "$(awk "BEGIN { print $joules / (1 + $error) }")" "$truth" executed &&
		near "$(awk "BEGIN { print 1 + $error }")" 1 "predicted against executed"
}
# The same on two nodes, a chain on each, whose tasks wait for messages of the other's. There is
# nothing in the model of what looking for messages takes; that is real, and more than
# nothing, so that it is only said how much it is.
apart() {
	"$hdpredict" platform --nodes 2 --pes 1 --idle-power 60 -o two.xml &&
		sed "s|\(<task id='t\([01]\)[.]\([0-9]*\)'.*\)</task>|\1<map pe='n\2.0' priority='\3'/></task>|" \
			chains.xml >apart.xml &&
		"$hdpredict" simulate apart.xml --platform two.xml --resources model/resources.xml \
			-f -o apart.predicted >/dev/null || return 1
	set --
	for run in $(seq "$runs"); do
		meters || return 1
		HDTRACE_PT_CFG=$PWD/pt.cfg launch "$library" 2 sh watched2 "$hdexecute" apart.xml \
			--platform two.xml --kernels . -f -p "apart$run" >apart.said
		status=$?
		sim_stop && [ "$status" -eq 0 ] || return 1
		sed -n "s/^data transfers:/two nodes, run $run: data transfers:/p" apart.said | tee -a table
		set -- "$@" "apart$run"
	done
	"$hdpredict" compare apart.predicted "$@" --idle 60
	"$hdpredict" compare apart.predicted "$@" --idle 60 --format=json >compared || return 1
	error=$(sed -n 's/^  "energy_dynamic_error": \([^,]*\),/\1/p' compared)
	# The prediction has the measured energies of tasks: of $joules J, as on one node.
	found=$(awk "BEGIN { print $joules / (1 + $error) }")
	awk -v found="$found" -v expected="$truth" 'BEGIN {
		printf "two nodes: %s, declared %s: %+.2f %%\n", found, expected, 100 * (found / expected - 1) }' | tee -a table
	awk "BEGIN { exit !($found > (1 - $right / 100) * $truth) }"
}
# Unquoted: lists of options.
# shellcheck disable=SC2086
${CC:-cc} ${HD_SANITIZE-} -shared -fPIC -I"$abs_top_srcdir/PredictionLibrary/include" \
	-o fallback.so fallback.c || exit 99
if [ -n "${HD_SANITIZE-}" ]; then
	skip "energies of kernels, the prediction and the run" "sanitizers take CPU time, too"
else
	ok "links between nodes are measured, with the energy of packets" exchanged
	ok "the energy of a packet is unknown without power" unpowered
	ok "energies of kernels are measured as declared" measured
	ok "predicted energies are as declared" predicted
	ok "executed energies are as declared" executed
	ok "two nodes need at least the declared energy" apart
fi
[ -z "${HDTRACE_TEST_CHAIN-}" ] || sed 's/^/# /' table
done_testing
