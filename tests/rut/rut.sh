#!/bin/sh
# The rut command: what it runs, writes, passes on and refuses.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: optional smoke
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
rut=${abs_top_builddir:?}/rut
hdtrace=$abs_top_builddir/hdtrace
unset HDTRACE_PREFIX RUT_BACKEND RUT_HDD_MOUNTPOINT RUT_VERBOSITY
cd "$scratch" || exit 99

# The command exits with STATUS: STATUS COMMAND...
exits() {
	expected=$1
	shift
	timeout 100 "$@" </dev/null
	status=$?
	echo "exit status $status, expected $expected"
	[ "$status" -eq "$expected" ]
}

# hdtrace finds nothing wrong: PROJECT
is_good() {
	"$hdtrace" check "$1" && "$hdtrace" stat "$1"
}

# The same, and the summary names what was measured.
traces() {
	exits 0 "$rut" -i 5 -p good -- sh -c 'echo out; echo err >&2' \
		>stdout 2>stderr || return 1
	cat stdout stderr
	grep -qx out stdout && grep -qx err stderr &&
		grep -q 'CPUs .* % used' stderr &&
		grep -q 'memory .* on average' stderr &&
		grep -q 'tracing .* % of one CPU' stderr
}

is_quiet() {
	exits 0 "$rut" -q -f -p good true >stdout 2>&1 &&
		[ "$(wc -l <stdout)" -eq 1 ]
}

# Nothing is replaced without --force.
keeps() {
	cksum good* >before
	exits 125 "$rut" -p good true && cksum good* | cmp before -
}

places() {
	exits 0 "$rut" -i 5 -p placed -t Cluster=c1,Host=n-7 true &&
		is_good placed.proj && [ -f placed_c1_n-7_Utilization.stat ] &&
		grep -q '<Level type="Cluster">' placed.proj
}

prefixed() {
	mkdir -p here
	exits 0 env HDTRACE_PREFIX="$scratch/here/" "$rut" -p pre true &&
		is_good here/pre.proj &&
		exits 0 env HDTRACE_PREFIX=here/ "$rut" -p relative true &&
		is_good here/relative.proj
}

chooses() {
	exits 0 "$rut" -p chosen -s mem,CTX_SWITCHES,tracer true &&
		"$hdtrace" stat chosen.proj >values &&
		cat values &&
		grep -q MEM_CACHED values && grep -q CTX_SWITCHES values &&
		grep -q RUT_CPU_TIME values && ! grep -q CPU_TOTAL values
}

lists() {
	timeout 100 "$rut" --list >list && cat list &&
		grep -q 'CPU_UTIL  *1  *%' list &&
		grep -qE '^hw +HW_COUNTERS +(no|[1-4]) ' list &&
		[ "$(wc -l <list)" -eq 33 ]
}

# What the sums are made of, on a machine of two interfaces and two disks.
explains() {
	mkdir -p tree/proc/net tree/sys/class/net/eth0/device tree/sys/class/net/br0/bridge \
		tree/sys/block/sda/device tree/sys/block/dm-0/dm tree/sys/class/block/sda \
		tree/sys/class/block/dm-0
	printf '%s\n' 'cpu  1 1 1 1 1 1 1 1 0 0' 'cpu0 1 1 1 1 1 1 1 1 0 0' >tree/proc/stat
	{
		echo 'Inter-|   Receive'
		echo ' face |bytes'
		for name in lo eth0 br0; do
			echo "  $name: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0"
		done
	} >tree/proc/net/dev
	echo '1 0 8 1 1 0 8 1 0 0 0' >tree/sys/class/block/sda/stat
	cp tree/sys/class/block/sda/stat tree/sys/class/block/dm-0
	timeout 100 "$rut" --list --explain --root="$PWD/tree" >list || return 1
	diff -u - list <<-'END'
	CPU utilization
	  cpuidle          not available
	  cpuacct          not available
	  schedstat        not available
	  stat             used: 1 CPUs, resolution 10 ms over 200 ms
	Network interfaces
	  lo               internal: in NET_IN and NET_OUT only
	  eth0             external: in NET_IN_EXT and NET_OUT_EXT
	  br0              internal: in NET_IN and NET_OUT only
	Block devices
	  dm-0             stands on other devices: by itself only
	  sda              in HDD_READ and HDD_WRITE
	END
	timeout 100 "$rut" --list --root="$PWD/tree" >list &&
		grep -q '^cpu  *CPU_UTIL  *1 .* stat ' list &&
		grep -q '^mem  *MEM_USED  *no ' list
}

# They are recorded, or one line says why not and all else is.
counters() {
	timeout 100 "$rut" -p counted -s hw,tracer true 2>err &&
		"$hdtrace" stat counted.proj >values && cat values err &&
		grep -q RUT_CPU_TIME values || return 1
	if grep -q HW_ values; then
		! grep -q 'are not recorded' err
	else
		[ "$(grep -c '^libRUT: hardware counters are not recorded: ' \
			err)" -eq 1 ]
	fi
}

# A signal to rut reaches the command; its status is what rut says.
signalled() {
	# shellcheck disable=SC2016
	exits 9 "$rut" -p sig1 sh -c 'trap "exit 9" TERM
		kill -TERM $PPID
		while :; do sleep 0.05; done'
}

dies() {
	exits 143 "$rut" -p sig2 sh -c 'kill -TERM $$'
}

# Ends with a process that is not its child; and by a signal.
follows() {
	sleep 1 &
	exits 0 "$rut" -i 5 -p followed --pid $! && is_good followed.proj
}

interrupted() {
	"$rut" -i 5 -p interrupted --duration 100 &
	pid=$!
	until_done [ -s "interrupted_$(uname -n)_Utilization.stat" ] || {
		kill -9 "$pid"
		return 1
	}
	kill -INT "$pid"
	wait "$pid" && is_good interrupted.proj
}

lasts() {
	exits 0 "$rut" -i 5 -p lasting --duration 0.2 && is_good lasting.proj
}

# What was flushed until a kill -9 can be read.
killed() {
	# shellcheck disable=SC2016
	HDTRACE_FLUSH_MS=1 timeout 100 "$rut" -i 1 -p killed -t H=a -- sh -c '
		while [ "$(wc -c <killed_a_Utilization.stat)" -lt 9000 ]; do
			sleep 0.02
		done
		kill -9 $PPID'
	"$hdtrace" stat killed.proj
}

ok "rut traces a command" traces
ok "the project passes check" is_good good.proj
ok "the file states the integer for a missing value" \
	grep -qa '<Group .*missing="-9223372036854775808"' good_*_Utilization.stat
ok "--quiet prints nothing" is_quiet
ok "an existing project is not replaced" keeps
ok "--topology sets the place" places
ok "HDTRACE_PREFIX sets the directory of the project" prefixed
ok "--sources selects values" chooses
ok "--list prints sources and values" lists
ok "--list --explain prints the parts of the sums of another machine" explains
ok "hardware counters or the reason why they are missing" counters
ok "rut returns the exit status of the command" exits 7 "$rut" -p status sh -c 'exit 7'
ok "signals are forwarded to the command" signalled
ok "the exit status contains the signal of the command" dies
ok "--pid traces until the process ends" follows
ok "--duration ends the trace" lasts
ok "a signal ends --duration" interrupted
ok "the project is readable after kill -9" killed
ok "a missing command returns 127" exits 127 "$rut" -p none no-such-command
ok "a missing command leaves no files" [ ! -e none.proj ]
: >script
chmod +x script
ok "options after the command belong to it" \
	exits 3 "$rut" -p own sh -c 'exit 3' --interval 0
for wrong in "" "--interval 0 true" "--interval x true" "--nonsense true" \
	"--sources nonsense true" "--duration 5 true" "--duration -1" \
	"--pid -1" "--pid 5 --duration 5" "--topology Host true" \
	"--topology Ho_st=x true" "-p /no/such/directory/p true"; do
	# shellcheck disable=SC2086
	ok "refused: rut $wrong" exits 125 "$rut" $wrong
done
ok "a mount point without block device is refused" exits 125 "$rut" -p mount -m /proc true
ok "a refused mount point leaves no files" [ ! -e mount.proj ]
ok "--help prints the help" exits 0 "$rut" --help
ok "--version prints the version" exits 0 "$rut" --version
done_testing
