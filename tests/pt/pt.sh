#!/bin/sh
# The pt command: options, signals, what it prints and what it leaves behind.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: threads optional smoke
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
pt=${abs_top_builddir:?}/pt
sim=$abs_top_builddir/tests/sim/lmg450-sim
cd "$scratch" || exit 99
unset PT_VERBOSITY NOTIFY_SOCKET HDTRACE_PREFIX

# A project is without fault.
is_good() {
	"$hdtrace" check "$1" || return 1
}

# Start a meter and set $port: OPTION...
meter() {
	rm -f meter.out
	"$sim" "$@" >meter.out 2>&1 &
	meter=$!
	until_done grep -q '^ready' meter.out || return 1
	port=$(sed -n 's/^ready //p' meter.out)
}

# Write a configuration for the meter: FILE PROJECT CYCLE
meter_config() {
	cat >"$1" <<END
[General]
device=LMG450
port=$(uname -n):tcp://$port
cycle=$3
project=$2
topology=Cluster_Host_Process_Thread

[Trace]
type=HDSTATS
node=pvs_node06
channel=1
values=Utrms,Itrms,P

[Trace]
type=HDSTATS
node=pvs_node07
channel=2
values=Utrms,Itrms,P
END
}

# Write a configuration for the simulated device: FILE PROJECT
sim_config() {
	cat >"$1" <<END
[General]
device=sim
cycle=10
project=$2
topology=Host

[Trace]
type=HDSTATS
node=n1
channel=1
values=P,E
END
}

# What goes from the clock and from chance out of a summary.
summary() {
	sed -E 's/^pt: [0-9.]+ s/pt: T s/; s/ [0-9]+ readings/ N readings/
		s/average, (>= )?[0-9.]+ J( in|, known for [0-9.]+ s of) [0-9.]+ s$/average, E J/
		 s/ [0-9]+ lost/ L lost/'
}

# Start pt in the background of this shell: OPTION...
begin() {
	: >log
	PT_VERBOSITY=2 HDTRACE_FLUSH_MS=1 "$pt" "$@" >log 2>&1 &
	pid=$!
	until_done grep -q '^pt: tracing into' log
}

# Signal $pid and wait for a line: SIGNAL LINE
tell() {
	kill -"$1" "$pid" && until_done grep -q "$2" log
}

# End $pid: SIGNAL STATUS
end() {
	kill -"$1" "$pid"
	wait "$pid"
	found=$?
	cat log
	[ "$found" -eq "$2" ]
}

# Wait until more is written to a file.
grows() {
	size=$(wc -c <"$1")
	until_done is_larger "$1" "$size"
}

# ---- A trace ---------------------------------------------------------------

# The listing of the thesis, with a meter that draws 100 and 200 W.
traces() {
	meter --tcp=0 && meter_config lmg.cfg lmg 50 || return 1
	begin -c lmg.cfg && grows lmg_pvs_node07_Energy.stat && end TERM 0
	result=$?
	kill "$meter"
	[ "$result" -eq 0 ] || return 1
	grep -A2 'pt: .* s of' log | summary |
		diff -u "$golden/pt-summary.text" - || return 1
	is_good lmg && "$hdtrace" stat --format=csv lmg >values &&
		cat values && [ "$(grep -c ',P,FLOAT,W,' values)" -eq 2 ] &&
		grep -q '<Level type="Thread">' lmg.proj &&
		[ "$(grep -c '<Node name="pvs">' lmg.proj)" -eq 1 ]
}

simulates() {
	sim_config sim.cfg sim
	exits 0 "$pt" --config=sim.cfg --duration=0.2 &&
		grep -q ' J in [0-9.]* s (simulated)$' err && is_good sim &&
		grep -aq 'simulated="yes"' sim_n1_Energy.stat
}

quiet() {
	exits 0 "$pt" -q -c sim.cfg -P quiet -d 0.05 && [ ! -s err ] &&
		is_good quiet
}

overrides() {
	exits 0 "$pt" -c sim.cfg -P over -t A_B -p localhost: -d 0.05 &&
		is_good over && grep -q '<Level type="B">' over.proj
}

prefixed() {
	mkdir -p below
	HDTRACE_PREFIX=below/ exits 0 "$pt" -c sim.cfg -P pre -d 0.05 &&
		is_good below/pre
}

# An old project is kept, replaced, or numbered.
keeps() {
	cksum sim* >before
	exits 7 "$pt" -c sim.cfg -d 0.05 && grep -q 'exists; --force' err &&
		cksum sim* | cmp before -
}

numbers() {
	exits 0 "$pt" -N -c sim.cfg -d 0.05 && is_good sim-2 &&
		exits 0 "$pt" -N -c sim.cfg -d 0.05 && is_good sim-3
}

replaces() {
	exits 0 "$pt" -f -c sim.cfg -d 0.05 && is_good sim
}

# ---- The configuration -----------------------------------------------------

checks() {
	exits 0 "$pt" -n -c sim.cfg -P checked && [ ! -e checked.proj ] &&
		[ "$(cat out)" = "sim.cfg: valid: sim, 2 values of 1 nodes" ]
}

refuses() {
	cat >bad.cfg <<-END
		[General]
		device=LMG450
		port=node06:/dev/ttyUSB0
		cycle=20
		projekt=test
		topology=Cluster_Host
		[Trace]
		type=HDSTATS
		node=pvs_node06_0
		channel=5
		values=Utrms,Watt
	END
	exits 3 "$pt" -n -c bad.cfg && diff -u "$golden/pt-check.text" err
}

# ---- Signals ---------------------------------------------------------------

pauses() {
	file=pause_n1_Energy.stat
	begin -c sim.cfg -P pause && grows "$file" &&
		tell USR1 'pt: stopped' && tell USR2 'pt: started' &&
		grows "$file" && end INT 0 && is_good pause &&
		[ "$("$hdtrace" dump pause | grep -c gap)" -eq 1 ] &&
		says_the_same pause
}

# The summary in log has the energy, its mark and the times that hdtrace stat
# has, in the same digits: PROJECT of node n1.
says_the_same() {
	"$hdtrace" stat --format=csv -v P "$1" | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ printf "%s of %s\n", $at["known_s"], $at["duration_s"] }' |
		sed 's/\(\.[0-9]\{3\}\)[0-9]*/\1/g' >spans
	"$hdtrace" stat -v P "$1" | tr -s ' ' >stated
	energy=$(sed -n 's/^  n1  *P .* on average, \([^,]*J\)[ ,].*/\1/p' log)
	cat spans stated
	[ -n "$energy" ] && grep -qE -- " $energy( |\$)" stated || return 1
	case $energy in
	">="*)	# The last digit is rounded in one, and cut in the other.
		sed -n 's/.*, known for \(.*\) s of \(.*\) s .*/\1 of \2/p' log |
			paste -d" " - spans | awk '{ a = $1 - $4; b = $3 - $6
				exit !(NF == 6 && a * a < 2e-6 && b * b < 2e-6) }' ;;
	esac
}

# A new project with the configuration read again; the old ones are complete.
reloads() {
	sim_config hup.cfg hup
	begin -c hup.cfg && sed -i 's/values=P,E/values=P/' hup.cfg &&
		tell HUP 'tracing into hup-2.proj' &&
		sed -i 's/project=hup/project=hop/' hup.cfg &&
		tell HUP 'tracing into hop.proj' &&
		end TERM 0 && is_good hup && is_good hup-2 && is_good hop &&
		grep -aq '"E"' hup_n1_Energy.stat &&
		! grep -aq '"E"' hup-2_n1_Energy.stat
}

# The meter has one user at a time, so it is handed over; and if it is not
# there at that moment, it is waited for.
reloads_meter() {
	meter --tcp=0 && meter_config lmg2.cfg handed 50 || return 1
	begin -c lmg2.cfg && grows handed_pvs_node07_Energy.stat &&
		tell HUP 'tracing into handed-2.proj' &&
		grows handed-2_pvs_node07_Energy.stat
	result=$?
	kill "$meter"
	wait "$meter"
	[ "$result" -eq 0 ] && tell HUP 'retrying until' &&
		is_good handed-2 && [ ! -e handed-3.proj ] &&
		meter --tcp="${port##*:}" &&
		until_done grep -q 'tracing into handed-3.proj' log &&
		grows handed-3_pvs_node07_Energy.stat && end TERM 0
	result=$?
	kill "$meter"
	[ "$result" -eq 0 ] && is_good handed && is_good handed-3
}

# What is bad is reported, and the old trace goes on.
reloads_bad() {
	sim_config worse.cfg worse
	begin -c worse.cfg && echo 'cycle=0' >>worse.cfg &&
		tell HUP 'continuing with the project worse' &&
		grep -q 'worse.cfg:12: unknown key "cycle"' log &&
		grows worse_n1_Energy.stat &&
		end TERM 0 && is_good worse && [ ! -e worse-2.proj ]
}

# ---- Being a daemon --------------------------------------------------------

is_gone() {
	! kill -0 "$1" 2>/dev/null
}

daemon() {
	exits 0 "$pt" -D --pid-file=pid -c sim.cfg -P daemon || return 1
	[ -s daemon_n1_Energy.stat ] || return 1
	daemon=$(cat pid)
	# The file is locked as long as it runs.
	exits 1 "$pt" --pid-file=pid -c sim.cfg -P second || return 1
	[ ! -e second.proj ] && kill "$daemon" &&
		until_done is_gone "$daemon" && [ ! -e pid ] && is_good daemon
}

# What goes wrong before it traces is told to who called.
daemon_fails() {
	exits 3 "$pt" -D --pid-file=pid2 -c bad.cfg && [ ! -e pid2 ] &&
		exits 7 "$pt" -D --pid-file=pid2 -c sim.cfg &&
		grep -q exists err && [ ! -e pid2 ] &&
		exits 1 "$pt" -D --pid-file=no/such/pid -c sim.cfg -P other &&
		[ ! -e other.proj ]
}

notifies() {
	printf '%s\n' 'READY=1' 'STATUS=tracing' 'RELOADING=1' \
		'MONOTONIC_USEC=N' 'READY=1' 'STOPPING=1' >expected
	exits 0 "$abs_top_builddir/tests/pt/notified" "$1" "$pt" -q -c sim.cfg \
		-P "$2" &&
		sed 's/USEC=.*/USEC=N/' out | diff -u expected -
}

# ---- What it lists ---------------------------------------------------------

# A machine with one zone of RAPL; the list of drivers as it is.
lists() {
	zone=tree/sys/class/powercap/intel-rapl:0
	mkdir -p "$zone"
	echo package-0 >"$zone"/name
	echo 1000000 >"$zone"/energy_uj
	echo 262143328850 >"$zone"/max_energy_range_uj
	exits 0 "$pt" -l --root=tree || return 1
	sed -n '/^powercap/,/^$/p' out | diff -u "$golden/pt-list.text" -
}

# Print the long options that a file names.
options_of() {
	sed 's/\\-/-/g' "$1" | grep -oE -- '--[a-z-]*[a-z]' | sort -u
}

# The manual page knows what pt knows.
is_documented() {
	"$pt" --help >help || return 1
	for command in devices energy list record watch; do
		"$pt" "$command" --help >>help || return 1
	done
	options_of help >known
	options_of "$abs_top_srcdir/doc/man/pt.1" | diff -u known -
}

ok "pt records a meter with two nodes" traces
ok "pt records a simulated device" simulates
ok "--quiet prints no summary" quiet
ok "project, topology and port override the configuration" overrides
ok "HDTRACE_PREFIX sets the directory of the project" prefixed
ok "an existing project is not replaced" keeps
ok "--number creates a second project" numbers
ok "--force replaces the project" replaces
ok "--check accepts a valid configuration" checks
ok "--check reports all errors" refuses
ok "SIGUSR1 stops, SIGUSR2 starts, SIGINT ends" pauses
ok "SIGHUP begins a new project" reloads
ok "SIGHUP begins a new project of a meter" reloads_meter
ok "SIGHUP with an invalid configuration keeps the old trace" reloads_bad
ok "--background traces in the background" daemon
ok "--background returns the error" daemon_fails
ok "pt notifies systemd" notifies "$scratch/socket" notified
ok "pt notifies systemd by an abstract socket" notifies "@hdtrace-test-$$" abstract
ok "--list prints devices and meters" lists
ok "pt(1) contains all options" is_documented
ok "--version prints the version" exits 0 "$pt" --version
ok "--help prints the help" exits 0 "$pt" --help

# Every exit status.
printf '[General]\ndevice=sim\ncycle=10\nproject=p\ntopology=H\n' >none.cfg
for wrong in "" "-c" "--nonsense" "-c sim.cfg more" "-c sim.cfg -d 0" \
	"-c sim.cfg -d x" "-c sim.cfg -N -f"; do
	# shellcheck disable=SC2086
	ok "a usage error is reported: pt $wrong" exits 1 "$pt" $wrong
done
ok "a missing configuration file returns 2" exits 2 "$pt" -c no-such-file
ok "an invalid configuration returns 3" exits 3 "$pt" -c bad.cfg
ok "an invalid topology returns 3" exits 3 "$pt" -c sim.cfg -P bad -t a__b
ok "a device at another host returns 4" exits 4 "$pt" -c sim.cfg -P bad -p elsewhere-9:
ok "a configuration without traces returns 5" exits 5 "$pt" -c none.cfg
ok "a missing directory returns 7" exits 7 "$pt" -c sim.cfg -P no/such/dir
port=/no/such/device
meter_config lmg.cfg bad 100
ok "a missing device returns 8" exits 8 "$pt" -c lmg.cfg --port /no/such/device
ok "no files remain after errors" [ ! -e bad.proj ]
done_testing
