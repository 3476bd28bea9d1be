#!/bin/sh
# A program in Fortran that writes checkpoints with MPI-IO: the trace has every
# byte that went into its files, each once. And the same program with the API
# switched off.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi slow
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
. "$abs_top_srcdir/tests/mpi/fortran-compiler.sh"
source=$abs_top_srcdir/tests/mpi/checkpoint.f90
off=$HDMPI_INCLUDEDIR/hdMPIoff.f90
ranks=3
n=50
iterations=20
every=5
checkpoints=$((iterations / every))

# The three programs: linked with libhdMPI; without the API, by hdmpif90; and
# without anything of HDTrace but the empty procedures.
compiles() {
	HDMPI_F90=$(compiler_of "$1")
	export HDMPI_F90
	hdmpif90=$abs_top_builddir/hdmpif90
	"$hdmpif90" -o "$scratch/linked-$1" "$source" &&
		"$hdmpif90" -DHDMPI_OFF -o "$scratch/off-$1" "$source" &&
		"$HDMPI_F90" -I"$HDMPI_INCLUDEDIR" -o "$scratch/plain-$1" \
			"$source" "$off"
}

# Run one in a new directory: LIBRARY COMMAND...
run() {
	rm -rf "$scratch/run" && mkdir "$scratch/run" || return 1
	library=$1
	shift
	(cd "$scratch/run" && HDTRACE_MPI_PROJECT=heat launch "$library" \
		"$ranks" "$@" "$n" "$iterations" "$every")
}

# The project is right; what all ranks have recorded goes to a file.
is_right() {
	"$hdtrace" check "$scratch/run/heat" || return 1
	for rank in $(seq 0 $((ranks - 1))); do
		records "$scratch/run/heat" "$(host_label)_${rank}_0"
	done >"$scratch/records"
}

# Print what was moved to or from files: NAME FILE-ID OFFSET SIZE
moves() {
	sed -n 's/^ *\(File_\(write\|read\)[a-z_]*\) /\1 /p' \
		"$scratch/records" | awk '{
			for (i = 2; i <= NF; i++) {
				split($i, part, "=")
				value[part[1]] = part[2]
			}
			print $1, value["fid"], value["offset"], value["size"]
		}'
}

# Every byte of every checkpoint was written once, as the files say themselves.
all_bytes() {
	moves | tee "$scratch/moves"
	for number in $(seq 0 $((checkpoints - 1))); do
		file=$scratch/run/checkpoint.$((every * (number + 1)))
		size=$(stat -c %s "$file") || return 1
		[ "$size" -eq $((8 + 8 * n * n)) ] || return 1
		grep '^File_write' "$scratch/moves" |
			awk -v file="$number" '$2 == file { print $3, $4 }' |
			sort -n | awk -v size="$size" '
			$1 != end { print "a hole or twice at", $1; exit 1 }
			{ end += $2 }
			END { print end, "of", size; exit end != size }' ||
			return 1
	done
	# Two integers for all, and the last file.
	awk -v want="$((8 + 8 * n * n + 8 * (ranks - 1)))" '
		/^File_read/ { sum += $4 }
		END { print "read:", sum, "of", want; exit sum != want }' \
		"$scratch/moves"
}

# Print how many states of a name there are: NAME
count() {
	grep -cE "^ *$1( |\$)" "$scratch/records"
}

# Records of NAME, as many as expected: NAME NUMBER...
has() {
	while [ $# -gt 0 ]; do
		found=$(count "$1")
		echo "$1: $found, $2 expected"
		[ "$found" -eq "$2" ] || return 1
		shift 2
	done
}

is_traced() {
	is_right &&
		has Sendrecv $((2 * ranks * iterations)) \
			Allreduce $((ranks * iterations)) \
			File_open $((ranks * (checkpoints + 1))) \
			File_close $((ranks * (checkpoints + 1))) \
			File_write $((2 * checkpoints)) \
			File_write_at_all $((ranks * checkpoints)) \
			File_read_at "$ranks" File_read_at_all "$ranks" &&
		all_bytes
}

has_regions() {
	has Iteration $((ranks * iterations)) \
		Checkpoint $((ranks * checkpoints)) Restore "$ranks"
}

# What the iterations of all ranks have cost, by a simulated meter.
regions_cost() {
	power_config >"$scratch/pt.cfg"
	HDTRACE_PT_CFG=$scratch/pt.cfg run "$library" \
		"$scratch/linked-$library" &&
		has_energy "$scratch/run/heat" Iteration \
			"$((ranks * iterations))"
}

no_regions() {
	has Iteration 0 Checkpoint 0 Restore 0
}

# Nothing of libhdMPI is in a program: PROGRAM
is_empty() {
	${NM:-nm} "$1" | grep -iE 'hdmpi(Begin|Runtime)|hdT_' && return 1
	${NM:-nm} "$1" | grep -iq hdmpi_regionstart_
}

leaves_nothing() {
	ls "$scratch/run"
	[ -z "$(find "$scratch/run" -name 'heat*')" ] &&
		[ -f "$scratch/run/checkpoint.$iterations" ]
}

[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers are no matter of Fortran"
for library in $(built_libraries); do
	if [ -z "$(compiler_of "$library")" ]; then
		skip "$library" "there is no Fortran compiler"
		continue
	fi
	can_launch "$library" || {
		skip "$library" "mpiexec does not work here"
		continue
	}
	ok "$library: all variants compile" compiles "$library"
	ok "$library: the linked program runs" run "$library" "$scratch/linked-$library"
	ok "$library: every call and byte is recorded" is_traced
	ok "$library: regions are recorded" has_regions
	ok "$library: regions have energy" regions_cost
	for kind in off plain; do
		ok "$library, $kind: no calls of the API remain" \
			is_empty "$scratch/$kind-$library"
		ok "$library, $kind: the program runs" run "$library" "$scratch/$kind-$library"
		ok "$library, $kind: no traces are written" leaves_nothing
	done
	ok "$library: the preloaded program runs" run "$library" "$abs_top_builddir/hdmpirun" \
		"$scratch/plain-$library"
	ok "$library: the preloaded program records every call and byte" is_traced
	ok "$library: the preloaded program records no regions" no_regions
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
