#!/bin/sh
# What libhdMPI records of the calls that a program makes, of every class of
# functions.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi slow
#
# calls.sh many: only very many requests, communicators and datatypes, a million
# and 100,000 unless HDTRACE_TEST_REQUESTS says how many; make verify-mpi-many.
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"

# Run a part of the program and compare: LIBRARY RANKS PART
calls() {
	mkdir "$scratch/$1-$3" || return 1
	(cd "$scratch/$1-$3" &&
		HDTRACE_MPI_PROJECT=calls launch "$1" "$2" \
			"${abs_top_builddir:?}/tests/mpi/calls-$1" "$3" .) &&
		as_expected "$scratch/$1-$3" calls
}

# Of MPI libraries that have it: 77 where they do not.
version4() {
	calls "$1" 3 version4
	result=$?
	[ "$result" -eq 0 ] || {
		# Unquoted: a list of options.
		# shellcheck disable=SC2046
		echo '#include <mpi.h>' | ${CC:-cc} -E -dM $(
			${PKG_CONFIG:-pkg-config} --cflags "$(package "$1")") - |
			grep -qx '#define MPI_VERSION 3'
	}
}

# Processes that a program starts are worlds of their own, with projects of their
# own. Where one ends before the next one begins names tell their order.
spawn() {
	mkdir "$scratch/$1-spawn" && mkdir "$scratch/$1-spawn/one" \
		"$scratch/$1-spawn/two" || return 1
	(cd "$scratch/$1-spawn" &&
		HDTRACE_MPI_PROJECT=calls launch "$1" 2 \
			"${abs_top_builddir:?}/tests/mpi/calls-$1" spawn .)
	# 77: the library starts no processes, without HDTrace neither (Debian's
	# MPICH); but as_expected then holds, too.
	[ $? -eq "$spawned" ] || return 1
	as_expected "$scratch/$1-spawn" calls || return 1
	[ "$spawned" -eq 0 ] || return 0
	for world in one:calls-2 two:calls-3; do
		directory=$scratch/$1-spawn/${world%:*}
		mv "$scratch/$1-spawn/${world#*:}"* "$directory" &&
			as_expected "$directory" "${world#*:}" || return 1
	done
	[ -f "$directory/expected_1_0" ]
}

# LIBRARY REQUESTS. Memory is checked by the program. The same communicators again
# and again have few lines in the file. Messages are tracked, but not recorded, so that
# none can be mistaken for others.
many() {
	mkdir "$scratch/$1-many" || return 1
	(cd "$scratch/$1-many" &&
		HDTRACE_MPI_PROJECT=calls HDTRACE_MPI_FUNCTIONS=-p2p \
			HDTRACE_TEST_REQUESTS="${HDTRACE_TEST_REQUESTS:-$2}" \
			launch "$1" 1 \
			"${abs_top_builddir:?}/tests/mpi/calls-$1" many .) &&
		"$hdtrace" check "$scratch/$1-many/calls" >"$scratch/checked" ||
		return 1
	cat "$scratch/checked"
	! grep trc.part "$scratch/checked" || return 1
	lines=$(cat "$scratch/$1-many"/*.info | wc -l)
	echo "$lines lines of information"
	[ "$lines" -lt 100 ]
}

# Where messages are left out the next call says so, once: LIBRARY PROGRAM CALL,
# the one that leaves them out.
left_out() {
	mkdir "$scratch/$1-without-$3" || return 1
	cd "$scratch/$1-without-$3" || return 1
	# A buffer that grows is no memory of requests.
	HDTRACE_MPI_PROJECT=calls HDTRACE_TEST_REQUESTS=30000 \
		HDTRACE_BUFFER_SIZE_KB=256 launch "$1" 1 \
		"${abs_top_builddir:?}/tests/mpi/calls-$1" "$2" . &&
		"$hdtrace" check calls | tee checked || return 1
	records calls "$(host_label)_0_0" >found
	grep -n "part=" found
	[ "$(grep -c 'before 1 of its epochs \[trc.part\]' checked)" -eq 1 ] &&
		[ "$(grep -c 'part=' found)" -eq 1 ] &&
		grep -B 1 'part=-1' found | head -n 1 | grep -q "^$3 "
}

# The same program, with and without merging of calls that found nothing: LIBRARY
# POLLS. Where they are merged, how many of them are in one state is not certain:
# a busy machine comes between. What all of them are is.
polling() {
	mkdir "$scratch/$1-polling-$2" || return 1
	cd "$scratch/$1-polling-$2" || return 1
	HDTRACE_MPI_PROJECT=calls HDTRACE_MPI_POLLS=$2 HDTRACE_MPI_NESTED=1 \
		launch "$1" 2 "${abs_top_builddir:?}/tests/mpi/calls-$1" \
		polling . && "$hdtrace" check calls || return 1
	records calls "$(host_label)_1_0" >found
	"$hdtrace" dump --node "$(host_label)_1_0" calls | tr -d '"' >timed
	cat found
	# What is inside of a state stands before it.
	awk '/^ / { inside = inside substr($0, 3) "\n"; next }
		/^[A-Z][a-z]*$/ { printf "%s", inside >$0 } { inside = "" }' found
	# No record is lost, and none is counted twice.
	[ "$(polled Same)" -eq 1000 ] && [ "$(polled Apart)" -eq 20 ] &&
		[ "$(wc -l <Apart)" -eq 20 ] &&
		[ "$(grep -c 'calls=' Apart)" -eq 0 ] || return 1
	if [ "$2" -eq 1 ]; then
		[ "$(wc -l <Same)" -eq 1000 ] || return 1
	else
		[ "$(wc -l <Same)" -lt 500 ] || return 1
	fi
	[ "$(grep 'Test flag=0' Found | polled -)" -ge 50 ] &&
		[ "$(grep -c 'Test flag=1 rid=' Found)" -eq 1 ] &&
		tail -n 1 Found | grep -q '^Test flag=1 rid=' || return 1
	printf '%s\n' 'Iprobe flag=0 cid=0' 'Iprobe flag=0 cid=2' \
		'Test flag=0' 'Testany count=1 flag=0' \
		'Testany count=2 flag=0' 'Testall count=2 completed=0' \
		'Testsome count=2 completed=0' \
		'Request_get_status rid=0 flag=0' \
		'Request_get_status rid=1 flag=0' | diff -u - Kinds || return 1
	printf '%s\n' 'Iprobe flag=0 cid=0' 'event event' \
		'Iprobe flag=0 cid=0' '  Iprobe flag=0 cid=0' 'Inner' \
		'Iprobe flag=0 cid=0' \
		'Barrier cid=2' 'Iprobe flag=0 cid=0' 'Barrier part=1 cid=2' |
		diff -u - Between || return 1
	grep -B 1 '^Test flag=1 rid=3' Inside | grep -q '^  Iprobe flag=0' &&
		grep -qx Iprobe Wrong || return 1
	grep -B 1 -x Finalize found | grep -qx 'Iprobe flag=0 cid=0' ||
		return 1
	# The time inside of the calls is not longer than that of the state, and
	# no time is lost between them.
	awk '/insideNs=/ { match($0, /insideNs=[0-9]+/)
		inside = substr($0, RSTART + 9, RLENGTH - 9) + 0
		match($0, /calls=[0-9]+/)
		calls = substr($0, RSTART + 6, RLENGTH - 6) + 0
		ns = (substr($2, 7) - substr($1, 7)) * 1e9
		bad += inside > ns + 100 || ns - inside > (calls - 1) * 10000 ||
			calls < 2 || ns > 1e8 + 100; count++ }
		END { exit bad > 0 || (count > 0) == '"$2"' }' timed
}

# Print how many calls the records of a file stand for.
polled() {
	awk '/(Iprobe|Test) flag=0/ { n = 1
		if (match($0, /calls=[0-9]+/))
			n = substr($0, RSTART + 6, RLENGTH - 6)
		sum += n } END { print sum + 0 }' "$1"
}

if [ "${1-}" = many ]; then
	for library in $(built_libraries); do
		ok "$library: many requests, communicators and datatypes need bounded memory" many "$library" 1000000
		cat "$details"
	done
	done_testing
fi
# What a datatype of the usual form is made of: LIBRARY
contents() {
	grep -h "HVECTOR'" "$scratch/$1-packing"/*_0_0.info | tee "$scratch/found"
	grep -q "integers='2;1;' addresses='32;'" "$scratch/found"
}

for library in $(built_libraries); do
	can_launch "$library" || {
		skip "$library" "mpiexec does not work here"
		continue
	}
	for part in point-to-point requests persistent modes collective \
		nonblocking neighbors one-sided windows files file-access \
		comms more-comms types packing regions; do
		ok "$library: all calls of $part are recorded" calls "$library" 3 $part
	done
	ok "$library: components of datatypes are recorded" contents "$library"
	ok "$library: functions of MPI 4.0 are recorded" version4 "$library"
	ok "$library: polls share states" polling "$library" 0
	ok "$library: each poll has its own state with --polls" polling "$library" 1
	ok "$library: a record omits requests beyond its limit" left_out "$library" many Waitall
	export HDTRACE_MPI_FUNCTIONS=-wait
	ok "$library: waiting calls can be excluded" left_out "$library" many Irecv
	unset HDTRACE_MPI_FUNCTIONS
	spawned=0
	can_be_dynamic "$library" spawn || spawned=77
	ok "$library: spawned processes are recorded" spawn "$library"
	[ "$spawned" -ne 77 ] || skip "$library: spawned" \
		"without HDTrace: $(cat "$scratch/cannot")"
	ok "$library: many requests, communicators and datatypes need bounded memory" many "$library" 100000
done
[ -z "${HD_SANITIZE-}" ] || ok "valgrind finds no lost memory" none_leaked
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
