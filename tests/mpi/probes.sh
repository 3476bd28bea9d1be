#!/bin/sh
# Probes of a program that runs under libhdMPI: their measurements are states of
# its traces, calls of MPI lie in them, and report says what kernels cost.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
libraries=$abs_top_builddir/.libs
include="-I$abs_top_srcdir/InstrumentationLibrary/include \
-I$abs_top_srcdir/HDTraceWritingCLibrary/include"

compiles() {
	# Unquoted: lists of options.
	# shellcheck disable=SC2046,SC2086
	${CC:-cc} -std=gnu11 -o probes $include \
		"$abs_top_srcdir/tests/mpi/probes.c" \
		"$libraries/libhdProbeTrace.a" "$libraries/libhdProbe.a" \
		"$libraries/libhdTracing.a" $(${PKG_CONFIG:-pkg-config} \
			--cflags --libs "$(package "$library")") \
		-lpthread -ldl -lm
}

runs() {
	power_config >pt.cfg
	HDTRACE_PT_CFG=$PWD/pt.cfg HDPROBE_TRACE_PROJECT=probed HDPROBE_TRACE_STATES=all \
		HDPROBE_TRACE_INTERVAL=50 launch "$library" 2 \
		"$abs_top_builddir/hdmpirun" -p probed ./probes &&
		"$hdtrace" check probed
}

# In each trace: Init, ten times a Barrier in work, and Finalize.
nests() {
	for rank in 0 1; do
		records probed "$(host_label)_${rank}_0" | cut -d ' ' -f 1-3 |
			sed 's/ cid=0//; s/ *$//' >found
		{
			echo Init
			for _ in 1 2 3 4 5 6 7 8 9 10; do
				printf '  Barrier\nwork\n'
			done
			echo Finalize
		} >expected
		diff -u expected found || return 1
	done
}

# Both processes are kernels; their parts and the rest are the node's energy.
costs() {
	"$hdtrace" report --format=json probed >report.json || return 1
	sed -n '/"kernels": \[/,/"kernels_unattributed_j"/p' report.json |
		tee kernels
	[ "$(grep -c '"name": "work".*"instances": 10,' kernels)" -eq 2 ] ||
		return 1
	energy=$(sed -n 's/^  "energy": {* *"energy_j": \([0-9.e+-]*\),.*/\1/p' \
		report.json)
	sed -n 's/.*"body_j": \([0-9.e+-]*\),.*/\1/p
		s/.*"kernels_unattributed_j": \([0-9.e+-]*\),.*/\1/p' kernels |
		awk -v energy="$energy" '
			{ sum += $1; print }
			NR <= 2 && !($1 > 0) { bad = 1 }
			END { print "sum", sum, "energy", energy
				exit bad || NR != 3 || !(energy > 0) ||
					(sum - energy) ^ 2 > (energy * 1e-6) ^ 2 }'
}

[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"
[ -f "$libraries/libhdProbeTrace.a" ] || skip_all "there is no static library"
for library in $(built_libraries); do
	mkdir "$scratch/$library" && cd "$scratch/$library" || exit 99
	can_launch "$library" || {
		skip "$library" "mpiexec does not work here"
		continue
	}
	ok "$library: a program with probes compiles" compiles
	ok "$library: the project has probes and MPI calls" runs
	ok "$library: measurements are states around calls" nests
	ok "$library: kernels have their cost" costs
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
