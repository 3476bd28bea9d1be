#!/bin/sh
# hdtrace export --to simgrid: SimGrid replays what was recorded of programs in the
# same time as what SMPI itself records of them (smpirun -trace-ti), where both
# compute as much between calls.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
. "$abs_top_srcdir/tests/lib/simgrid.sh"
simgrid_find || skip_all "SimGrid is missing (Debian: libsimgrid-dev)"
ranks=4
cd "$scratch" || exit 99
cat >platform.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-3"
	speed="1Gf" bw="1e9Bps" lat="10us" core="2"/></platform>
XML
printf 'n0\nn1\nn2\nn3\n' >hosts

# Computation in files of lines is known: before some calls, by rank. FILE...
compute() {
	sed -i -E '/^[0-9]+ compute /d
		s/^([0-9]+) (sendRecv|bcast|send|recv) /\1 compute \130000\n&/
		/^#Sendrecv/{n; s/^([0-9]+) /\1 compute \130000\n&/}' "$@"
}

# Record a program: LIBRARY PART
record() {
	rm -rf ./run* ti
	HDTRACE_MPI_PROJECT=run launch "$1" "$ranks" \
		"$abs_top_builddir/tests/mpi/replayed-$1" "$2" || return 1
	"$hdtrace" export --to simgrid -o ti run
}

# What SMPI records of itself: PART
smpi_records() {
	rm -rf smpi.ti*
	TMPDIR=$scratch timeout 100 smpirun -np "$ranks" -platform platform.xml \
		-hostfile hosts -trace-ti --cfg=tracing/filename:smpi.ti \
		--cfg=smpi/simulate-computation:no ./smpi-program "$1" \
		>smpi.log 2>&1 && [ -s smpi.ti ] && return
	cat smpi.log
	return 1
}

# LIBRARY PART
takes_as_long() {
	record "$1" "$2" && smpi_records "$2" || return 1
	# shellcheck disable=SC2046 # names of files
	compute ti/rank-*.ti $(cat smpi.ti)
	theirs=$(simgrid_time smpi.ti "$ranks" hosts platform.xml) &&
		ours=$(cd ti && simgrid_time ti.list "$ranks" ../hosts \
			../platform.xml) || return 1
	echo "SMPI's own trace: $theirs s, ours: $ours s"
	awk -v a="$theirs" -v b="$ours" \
		'BEGIN { exit !(a > 1e-4 && a - b <= 1e-6 && b - a <= 1e-6) }'
}

# LIBRARY
others_are_replayed() {
	record "$1" others &&
		(cd ti && simgrid_time ti.list "$ranks" ../hosts ../platform.xml) &&
		grep -q '"synchronous_lost": 4' ti/export.json &&
		grep -q '"refused": \[\]' ti/export.json
}

smpicc=$(command -v smpicc) && command -v smpirun >/dev/null &&
	smpicc -O1 -o smpi-program "$abs_top_srcdir/tests/mpi/replayed.c" \
		>compile 2>&1 || smpicc=
for library in $(built_libraries); do
	can_launch "$library" || {
		skip "programs of $library" "its programs do not run here"
		continue
	}
	for part in exchange pipeline collect; do
		if [ -n "$smpicc" ]; then
			ok "$library: $part takes as long as SMPI's own trace" \
				takes_as_long "$library" "$part"
		else
			skip "$library: $part" "no smpicc that works"
		fi
	done
	ok "$library: all other calls are replayed" others_are_replayed "$library"
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library"
done_testing
