#!/bin/sh
# A program that nobody here wrote: NetPIPE, from Debian, preloaded. What it says
# of its messages is what the trace has of them.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi slow
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
repeats=10

program_of() {
	case $1 in
	openmpi) echo NPopenmpi ;;
	mpich) echo NPmpich2 ;;
	esac
}

# Run it in a new directory: LIBRARY OPTION...
traced() {
	rm -rf "$scratch/run" && mkdir "$scratch/run" && cd "$scratch/run" ||
		return 1
	library=$1
	shift
	launch "$library" 2 "$abs_top_builddir/hdmpirun" -p netpipe \
		"$(program_of "$library")" -n "$repeats" -u 256 -o times "$@" \
		>out 2>&1
	status=$?
	cat out
	cd ..
	[ "$status" -eq 0 ] && "$hdtrace" check "$scratch/run/netpipe"
}

# Print records of both ranks: NAME
of_name() {
	for rank in 0 1; do
		records "$scratch/run/netpipe" "$(host_label)_${rank}_0"
	done | grep "^ *$1 "
}

# Print how many messages of each size there are in the trace: NAME
sizes() {
	of_name "$1" | sed 's/.* size=\([0-9]*\).*/\1/' | sort -n | uniq -c |
		awk '{ print $2, $1 }'
}

# Every size that NetPIPE says it sent, and how often; in three turns, both ways.
# With single bytes it warms up, and 4 and 8 bytes are numbers of its own.
as_it_says() {
	sed -n 's/^ *[0-9]*: *\([0-9]*\) bytes *\([0-9]*\) times .*/\1 \2/p' \
		"$scratch/run/out" >"$scratch/said"
	sizes "$1" >"$scratch/found"
	awk '
		NR == FNR { found[$1] = $2; next }
		{
			said++
			want = 2 * 3 * $2
			isOwn = $1 == 1 || $1 == 4 || $1 == 8
			if (found[$1] == want || (isOwn && found[$1] > want))
				good++
			else
				print $1, "bytes:", found[$1] + 0, "found,", want,
					"said"
			delete found[$1]
		}
		END {
			for (size in found)
				if (size != 4 && size != 8 && size != 1) {
					print size, "bytes were not said"
					good = -1
				}
			print good, "of", said, "sizes"
			exit good != said || said < 25
		}' "$scratch/found" "$scratch/said"
}

# All bytes that were sent have come.
all_come() {
	sizes "$1" >"$scratch/sent"
	[ -s "$scratch/sent" ] && sizes "$2" | diff "$scratch/sent" -
}

# The sources of what came from "any" are known; the first numbers are for one.
has_sources() {
	of_name "$1" | grep -c ' fromRank=[01] ' || return 1
	! of_name "$1" | grep ' fromRank=-'
}

# With --compress, a limit counts compressed bytes; what is over it is the last calls before
# that is seen, and the profile. A run of some milliseconds is over before anything is
# compressed, and counts an eighth. OPTION...
limited() {
	repeats=300
	HDTRACE_COMPRESS=zstd HDTRACE_MPI_LIMIT=60000 traced "$library" "$@" || return 1
	repeats=10
	for rank in 0 1; do
		size=$(wc -c <"$scratch/run/netpipe_$(host_label)_${rank}_0.trc.zst")
		plain=$(zstd -dc "$scratch/run/netpipe_$(host_label)_${rank}_0.trc.zst" | wc -c)
		echo "rank $rank: $size of $plain bytes"
		[ "$size" -gt 30000 ] && [ "$size" -lt 80000 ] && [ "$plain" -gt 400000 ] ||
			return 1
	done
	grep 'reached its limit of 60000 bytes' "$scratch/run/out"
}

for library in $(built_libraries); do
	[ -z "${HD_SANITIZE-}" ] || {
		skip "$library" "sanitizers cannot be preloaded"
		continue
	}
	command -v "$(program_of "$library")" >/dev/null || {
		skip "$library" "there is no $(program_of "$library")"
		continue
	}
	can_launch "$library" || {
		skip "$library" "mpiexec does not work here"
		continue
	}
	# With MPICH NetPIPE does not get on where it receives from anybody.
	anybody=
	[ "$library" = mpich ] || anybody=-z
	# Unquoted: an option or none.
	# shellcheck disable=SC2086
	ok "$library: NetPIPE is recorded with blocking messages" traced "$library" $anybody
	ok "$library: sizes and counts match the output of NetPIPE" as_it_says Send
	ok "$library: each sent message is received" all_come Send Recv
	ok "$library: each receive has its source" has_sources Recv
	ok "$library: NetPIPE is recorded with receives posted in advance" traced "$library" -a
	ok "$library: sizes and counts match the output of NetPIPE" as_it_says Send
	ok "$library: each receive has its source" has_sources Wait
	if command -v zstd >/dev/null; then
		# shellcheck disable=SC2086
		ok "$library: the limit of a compressed trace" limited $anybody
	else
		skip "$library: the limit of a compressed trace" "there is no zstd"
	fi
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
