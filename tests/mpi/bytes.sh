#!/bin/sh
# The bytes of collective calls in OTF2 are those that processes give and get: as a
# table says that was worked out by hand. Files that do not say what was in place
# have unknown bytes.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"
command -v otf2-print >/dev/null || skip_all "there is no otf2-print"

# Functions in their order, and of each rank what it gives and gets; 4 bytes an
# integer. The root is rank 1.
table() {
	cat <<'END'
BARRIER 0 0 0 0 0 0
BCAST 0 12 12 0 0 12
GATHER 8 0 8 24 8 0
GATHER 8 0 0 16 8 0
GATHERV 4 0 8 24 12 0
GATHERV 4 0 0 16 12 0
SCATTER 0 8 24 8 0 8
SCATTER 0 8 16 0 0 8
SCATTERV 0 4 24 8 0 12
SCATTERV 0 4 16 0 0 12
ALLGATHER 4 12 4 12 4 12
ALLGATHER 4 8 4 8 4 8
ALLGATHERV 4 24 8 24 12 24
ALLGATHERV 4 20 8 16 12 12
ALLTOALL 12 12 12 12 12 12
ALLTOALL 8 8 8 8 8 8
ALLTOALLV 24 12 24 24 24 36
ALLTOALLV 16 16 16 16 16 16
ALLTOALLW 24 12 24 24 24 36
ALLTOALLW 16 16 16 16 16 16
REDUCE 8 0 8 8 8 0
REDUCE 8 0 8 8 8 0
ALLREDUCE 16 16 16 16 16 16
ALLREDUCE 16 16 16 16 16 16
REDUCE_SCATTER 24 4 24 8 24 12
REDUCE_SCATTER 24 4 24 8 24 12
REDUCE_SCATTER_BLOCK 24 8 24 8 24 8
SCAN 4 4 4 4 4 4
EXSCAN 4 0 4 4 4 4
BCAST 12 0 0 0 0 12
GATHER 0 8 0 0 8 0
GATHER 8 0 8 0 0 16
SCATTER 0 8 0 8 16 0
ALLGATHER 4 4 4 4 4 8
ALLTOALL 4 4 4 4 8 8
ALLREDUCE 4 4 4 4 4 4
REDUCE 4 0 4 0 0 4
REDUCE_SCATTER_BLOCK 8 4 8 4 8 8
END
}

compiles() {
	"$compiler" -g -o bytes "$abs_top_srcdir/tests/mpi/bytes.c"
}

runs() {
	launch "$library" 3 "${abs_top_builddir:?}/hdmpirun" --call-sites \
		-p p ./bytes &&
		"$hdtrace" check p
}

# All calls have all their others, those of the intercommunicator as well.
none_missing() {
	"$hdtrace" report --format=json p >json &&
		grep '"unpaired_collectives": 0' json
}

# The calls of each rank in an archive, like the table; "-" is unknown.
exported() {
	rm -rf otf2
	"$hdtrace" export --to=otf2 -o otf2 p >said 2>&1 && cat said || return 1
	otf2-print otf2/traces.otf2 | sed -n '
		s/^MPI_COLLECTIVE_END *\([0-9]*\) .*Operation: \([A-Z_]*\),.*Sent: \([^,]*\), Received: \(.*\)$/\1 \2 \3 \4/p' |
		sed 's/UNDEFINED\|18446744073709551615/-/g' | awk '
		{ n = ++count[$1]; name[$1, n] = $2; bytes[$1, n] = $3 " " $4 }
		END { for (i = 1; i <= count[0]; i++) {
			print name[0, i], bytes[0, i], bytes[1, i], bytes[2, i]
			if (name[1, i] != name[0, i] || name[2, i] != name[0, i])
				print "others call", name[1, i], name[2, i] } }' \
		>found
	cat found
}

# Calls that do not wait, when they are complete: as the same that wait.
later() {
	otf2-print otf2/traces.otf2 | sed -n '
		s/^NON_BLOCKING_COLLECTIVE_COMPLETE *\([0-9]*\) .*Operation: \([A-Z_]*\),.*Sent: \([0-9]*\), Received: \([0-9]*\), Request: .*$/\1 \2 \3 \4/p' |
		sort >found
	cat found
	diff - found <<'END'
0 ALLTOALL 12 12
0 BCAST 0 12
1 ALLTOALL 12 12
1 BCAST 12 0
2 ALLTOALL 12 12
2 BCAST 0 12
END
}

# Calls name their lines of the source, if anything can look them up.
lines() {
	otf2-print otf2/traces.otf2 | grep -A 1 '"MPI_Reduce_scatter"' |
		sed -n 's/.*("call site" <[0-9]*>; SOURCE_CODE_LOCATION; "[^"]*bytes\.c:\([0-9]*\)".*/\1/p' |
		sort -u >found
	cat found
	grep -n 'MPI_Reduce_scatter(' "$abs_top_srcdir/tests/mpi/bytes.c" |
		sed 's/:.*//' | diff - found
}

# Functions of MPI are that by name and paradigm, and the tracer's states its own.
paradigms() {
	otf2-print -G otf2/traces.otf2 | sed -n '
		s/^REGION .*Name: "\([A-Za-z_]*\)".*Paradigm: \([A-Z_]*\),.*/\1 \2/p' >found
	cat found
	for name in Init Finalize Comm_split Alltoall Ialltoall Waitall; do
		grep -qx "MPI_$name MPI" found || return 1
	done
	grep -qx 'Tracer MEASUREMENT_SYSTEM' found &&
		! grep -v '^MPI_' found | grep -v '^Tracer '
}

as_in_table() {
	exported && table | diff - found && ! grep -i unknown said
}

# As files were before: where it matters whether something is in place, which it
# cannot be in calls of an intercommunicator.
unknown() {
	sed -i "s/ inPlace='[01]'//; s/ ownSize='[0-9]*'//" p_*.trc
	exported && grep 'unknown bytes of collective calls' said || return 1
	table | awk '
		NR < 30 && /^(ALLGATHER|ALLTOALL)/ { $0 = $1 " - - - - - -" }
		NR < 30 && /^(GATHER|SCATTER)/ { $4 = $5 = "-" }
		{ print }' | diff - found
}

for library in $(built_libraries); do
	can_launch "$library" || {
		skip "$library" "mpiexec does not work here"
		continue
	}
	case $library in
	openmpi) compiler=$MPICC_OPENMPI ;;
	mpich) compiler=$MPICC_MPICH ;;
	esac
	if [ -z "$compiler" ]; then
		skip "$library" "there is no mpicc"
		continue
	fi
	mkdir "$scratch/$library" && cd "$scratch/$library" || exit 99
	ok "$library: the program compiles" compiles
	ok "$library: the program runs" runs
	ok "$library: all collective calls are complete" none_missing
	if "$hdtrace" export --to=otf2 -o none p 2>&1 | grep -q "built without"; then
		skip "$library: bytes" "hdtrace was built without OTF2"
		continue
	fi
	ok "$library: bytes of all functions agree with a table by hand" as_in_table
	ok "$library: bytes of nonblocking calls are correct" later
	ok "$library: OTF2 has names and paradigms" paradigms
	if "$hdtrace" report --all p | grep -q 'bytes\.c:'; then
		ok "$library: OTF2 has the lines of calls" lines
	else
		skip "$library: OTF2 has the lines of calls" "there is no libdw"
	fi
	ok "$library: files without inPlace have unknown bytes" unknown
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
