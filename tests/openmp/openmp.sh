#!/bin/sh
# libhdOmp, loaded by the runtime of LLVM: programs whose constructs are known.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: both
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
tool=${abs_top_builddir:?}/libhdOmp.so
unset HDTRACE_OMP HDTRACE_OMP_PROJECT HDTRACE_OMP_DIR HDTRACE_OMP_EVENTS \
	HDTRACE_OMP_VERBOSITY HDTRACE_PREFIX HDTRACE_OVERWRITE_EXISTING_FILES

case ${HD_SANITIZE-} in
*thread*) skip_all "ThreadSanitizer knows nothing of how LLVM's threads wait" ;;
*address*)
	# The program itself has no sanitizer; what it loads has.
	preload=$(${CC:-gcc} -print-file-name=libasan.so)
	ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS-}"
	export ASAN_OPTIONS
	;;
*) preload= ;;
esac
[ -f "$tool" ] || skip_all "libhdOmp was not built: OMPT's header is missing"
cd "$scratch" || exit 99
clang -g -O1 -pthread -fopenmp -o constructs \
	"$abs_top_srcdir/tests/openmp/constructs.c" 2>build ||
	skip_all "no clang with OpenMP: $(head -n 1 build)"

# Run a part of the program in a directory of its own: PART
run() {
	rm -rf "$1" && mkdir "$1" && cd "$1" || return 1
	env ${preload:+LD_PRELOAD="$preload"} OMP_TOOL_LIBRARIES="$tool" \
		timeout 100 ../constructs "$1" >said 2>err
	result=$?
	cat err
	return "$result"
}

# The project that it has left is sound: PROJECT
is_sound() {
	"$hdtrace" merge --force "$1" && "$hdtrace" check "$1" >checked
	result=$?
	cat checked
	[ "$result" -eq 0 ] && grep -q '0 errors, 0 warnings' checked
}

# Print the states of all threads: THREAD BEGIN END NAME ATTRIBUTES
states() {
	"$hdtrace" dump --time=relative "$1" | awk '
		$1 == "trace" { thread = $3; sub(/.*_/, "", thread)
			sub(/"/, "", thread); next }
		$3 ~ /^omp/ { print thread, $0 }'
}

# How many states of a name there are, of which a text is part: NAME [TEXT]
count() {
	states constructs | awk -v name="$1" -v text="${2-}" \
		'$4 == name && index($0, text) { n++ } END { print n + 0 }'
}

# Compare numbers of states: NAME=NUMBER...
counts() {
	for pair; do
		found=$(count "${pair%=*}")
		echo "${pair%=*}: $found, expected ${pair#*=}"
		[ "$found" -eq "${pair#*=}" ] || return 1
	done
}

# The program has measured how long each thread waited; so has the tool.
imbalance() (
	run imbalance && is_sound constructs || return 1
	counts omp.parallel=4 omp.for=20 omp.barrier=24 || return 1
	states constructs | grep -v 'barrier="5"' | grep omp.barrier \
		>barriers
	states constructs | awk '$4 == "omp.parallel" {
		match($0, / thread="[0-9]*"/)
		print $1, substr($0, RSTART + 9, RLENGTH - 10) }' >threads
	awk '
		FILENAME == "threads" { self[$1] = $2; next }
		FILENAME == "said" { key = $2 " " $3
			wait[key] = $5 - $4; next }
		{ match($0, / barrier="[0-9]*"/)
		  key = self[$1] " " substr($0, RSTART + 10, RLENGTH - 11)
		  found = $3 - $2; limit = 0.02 * wait[key]
		  if (limit < 0.001)
			limit = 0.001
		  if (!(key in wait) || found - wait[key] > limit ||
		      wait[key] - found > limit) {
			print key, found, "expected", wait[key]; bad++ }
		  n++ }
		END { print n, "compared"; exit bad > 0 || n != 20 }' \
		threads said barriers
)

# The path goes from thread to thread: from when the last one of a barrier came back to
# when the last one of that before did, and so on to the start of the region.
path() (
	cd imbalance || return 1
	"$hdtrace" report --format=json constructs >critical || return 1
	sed -n 's/.*"trace": \([0-9]*\), "start_s": \([0-9.]*\), "end_s": \([0-9.]*\) .*/\1 \2 \3/p' \
		critical >parts
	"$hdtrace" dump constructs | awk '
		$1 == "trace" { number++; next }
		$3 == "omp.barrier" { match($0, / barrier="[0-9]*"/)
			print number - 1, "barrier",
				substr($0, RSTART + 10, RLENGTH - 11), $1, $2 }
		$3 == "omp.parallel" { match($0, / thread="[0-9]*"/)
			print number - 1, "region",
				substr($0, RSTART + 9, RLENGTH - 10), $1, $2 }
	' >recorded
	cat parts recorded
	awk '
		FILENAME == "parts" { found[++n] = $1; start[n] = $2; next }
		$2 == "region" && $3 == 0 { begin = $4 }
		$2 == "region" && $5 > end { end = $5; at = $1 }
		$2 == "barrier" && $4 > came[$3] { came[$3] = $4
			last[$3] = $1 }
		END {
			last[6] = at
			since = begin
			for (i = 0; i <= 6; i++) {
				if (k == 0 || last[i] != expected[k]) {
					expected[++k] = last[i]
					from[k] = since
				}
				since = came[i]
			}
			for (i = 1; i <= k; i++)
				if (found[i] != expected[i] ||
				    start[i] - from[i] > 2e-6 ||
				    from[i] - start[i] > 2e-6)
					bad++
			print k, "expected", n, "found", bad + 0, "differ"
			exit bad > 0 || k != n || k == 0
		}' parts recorded
)

# Which tasks there were is known, and which had to wait for which.
tasks() (
	run tasks && is_sound constructs || return 1
	counts omp.create=1006 omp.task=1006 omp.single=1 omp.taskgroup=1 ||
		return 1
	states constructs >all
	sed -n 's/.* omp.create task="\([0-9]*\)".*/\1/p' all | sort -n >created
	sed -n 's/.* omp.task task="\([0-9]*\)".*/\1/p' all | sort -n >executed
	diff created executed && [ "$(uniq created | wc -l)" -eq 1006 ] ||
		return 1
	# Whoever waits begins after those that it waits for have ended.
	awk '$4 == "omp.task" { match($0, /task="[0-9]*"/)
		task = substr($0, RSTART + 6, RLENGTH - 7)
		begin[task] = $2; end[task] = $3
		if (match($0, /after="[0-9 ]*"/))
			after[task] = substr($0, RSTART + 7, RLENGTH - 8) }
		END { for (task in after) { n += split(after[task], list, " ")
			for (i in list) if (!(list[i] in end) ||
				end[list[i]] > begin[task]) bad++ }
		print n, "dependences,", bad + 0, "not kept"
		exit n != 4 || bad > 0 }' all
)

untied() (
	run untied && is_sound constructs || return 1
	counts omp.create=20 || return 1
	# Each is executed in one piece or more.
	[ "$(states constructs | sed -n 's/.* omp.task task="\([0-9]*\)".*/\1/p' |
		sort -u | wc -l)" -eq 20 ]
)

nested() (
	run nested && is_sound constructs && counts omp.parallel=14 || return 1
	[ "$(states constructs | grep -o 'team="[0-9]*" thread' | sort | uniq -c |
		awk '$1 == 2' | wc -l)" -eq 7 ]
)

# Two of three threads wait, four times; who is first may take a microsecond to find
# the lock free, and one that is held up for 5 ms on its way finds it so.
locks() (
	run locks && is_sound constructs || return 1
	found=$(count omp.critical)
	echo "$found waits"
	[ "$found" -ge 4 ] && [ "$found" -le 12 ]
)

# Threads that ended leave their traces to those that come.
threads() (
	run threads && is_sound constructs && counts omp.parallel=40 || return 1
	set -- ./*.trc
	echo "$# traces"
	[ $# -le 6 ]
)

# Print the CPU time that a node has used: PROJECT NODE
cpu_time() {
	"$hdtrace" stat --format=csv --value CPU_TIME --node "$2" "$1" | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["group"] == "Cpu" { print $at["total"]; exit }'
}

# The CPU time of threads is what they have measured themselves; a little more is
# between their regions.
burning() (
	# Who waits does not compute.
	OMP_WAIT_POLICY=passive && export OMP_WAIT_POLICY
	run burning && is_sound constructs || return 1
	for self in 0 1; do
		own=$(awk -v self="$self" '$2 == self { s += $3 } END { print s }' said)
		node=$(states constructs | sed -n \
			"s/^\\([0-9]*\\) .* omp.parallel .* thread=\"$self\".*/\\1/p" |
			head -n 1)
		sum=$(cpu_time constructs "$(host_label)_0_$node")
		echo "thread $self: $own s, recorded $sum s"
		awk -v own="$own" -v sum="$sum" 'BEGIN {
			exit sum < 0.95 * own || sum > own + 0.03 }' || return 1
	done
)

forking() (
	run forking && is_sound constructs && counts omp.parallel=4
)

leaving() (
	run leaving
	[ $? -eq 3 ] && is_sound constructs && [ "$(count omp.parallel)" -ge 1 ]
)

# What was complete a second before is there; and the file can be read.
killed() (
	mkdir waiting && cd waiting || return 1
	env ${preload:+LD_PRELOAD="$preload"} OMP_TOOL_LIBRARIES="$tool" \
		HDTRACE_FLUSH_MS=10 ../constructs waiting >said &
	until_done grep -qs omp.parallel ./constructs_"$(host_label)"_0_0.trc
	kill -9 $!
	wait
	"$hdtrace" merge --force constructs && [ "$(count omp.parallel)" -ge 2 ]
)

# In a process without parallel regions there is nothing to record.
nothing() (
	run none && ! ls ./*.trc
)

switched_off() (
	HDTRACE_OMP=0 && export HDTRACE_OMP
	run nested && ! ls ./*.trc
)

# Only regions, without CPU times: EVENTS
only() (
	HDTRACE_OMP_EVENTS=$1 HDTRACE_OMP_CPU=0
	export HDTRACE_OMP_EVENTS HDTRACE_OMP_CPU
	run tasks && is_sound constructs || return 1
	states constructs | grep cpu= && return 1
	counts omp.parallel=3 omp.task=0 omp.create=0 omp.single=0
)

wrong() (
	HDTRACE_OMP_EVENTS=work,walk HDTRACE_OMP_CPU=maybe
	export HDTRACE_OMP_EVENTS HDTRACE_OMP_CPU
	run nested && grep 'invalid value "walk"; expected all' err &&
		grep 'HDTRACE_OMP_CPU="maybe": invalid value; expected 0 or 1' err
)

# A name that was not given gets a number; one that was given is refused.
existing() (
	run nested && cd .. && run again || return 1
	HDTRACE_OMP_PROJECT=taken && export HDTRACE_OMP_PROJECT
	for time in first second; do
		env ${preload:+LD_PRELOAD="$preload"} \
			OMP_TOOL_LIBRARIES="$tool" ../constructs nested \
			2>"$time" || return 1
	done
	cat second
	[ ! -s first ] && grep 'taken_.*: not recorded: it exists' second &&
		[ "$(wc -l <second)" -eq 1 ]
)

numbered() (
	rm -rf numbered && mkdir numbered && cd numbered || return 1
	for time in 1 2 3; do
		env ${preload:+LD_PRELOAD="$preload"} \
			OMP_TOOL_LIBRARIES="$tool" ../constructs nested || return 1
	done
	is_sound constructs && is_sound constructs-2 && is_sound constructs-3
)

# The program does not suffer where nothing can be written.
no_directory() (
	HDTRACE_OMP_DIR=/dev/null/x && export HDTRACE_OMP_DIR
	run nested && grep 'not recorded' err
)

# ---- hdmpirun ----------------------------------------------------------------

hdmpirun=$abs_top_builddir/hdmpirun

# Without MPI there is a project of its own.
alone() (
	rm -rf alone && mkdir alone && cd alone || return 1
	for time in 1 2; do
		env ${preload:+LD_PRELOAD="$preload"} "$hdmpirun" --openmp \
			--number -p run ../constructs nested || return 1
	done
	is_sound run && is_sound run-2
)

# gcc's OpenMP has no interface for tools; the program runs all the same.
of_gcc() (
	rm -rf of_gcc && mkdir of_gcc && cd of_gcc || return 1
	gcc -fopenmp -pthread -o gcc-constructs \
		"$abs_top_srcdir/tests/openmp/constructs.c" || return 1
	"$hdmpirun" --openmp -m openmpi ./gcc-constructs nested 2>err
	result=$?
	cat err
	[ "$result" -eq 0 ] && grep "uses gcc's libgomp" err
)

# States of OpenMP are in the traces of libhdMPI, around the calls that a thread
# makes in them: LIBRARY
hybrid() (
	rm -rf "$1" && mkdir "$1" && cd "$1" || return 1
	case $1 in
	openmpi) compiler=$MPICC_OPENMPI ;;
	mpich) compiler=$MPICC_MPICH ;;
	esac
	OMPI_CC=clang MPICH_CC=clang "$compiler" -g -fopenmp -o hybrid \
		"$abs_top_srcdir/tests/openmp/hybrid.c" || return 1
	HDTRACE_MPI_RUT=10 launch "$1" 3 "$hdmpirun" --openmp -p run ./hybrid \
		>said || return 1
	cat said
	"$hdtrace" check run >checked
	cat checked
	grep -q '0 errors, 0 warnings' checked || return 1
	for rank in 0 1 2; do
		node=$(host_label)_$rank
		records run "${node}_0" >first
		records run "${node}_1" >second
		grep -E '^ *(omp\.parallel|Sendrecv_replace|omp.barrier) ' \
			first | sed 's/^\( *\)\([^ ]*\).*/\1\2/' >found
		printf '  %s\n' omp.barrier Sendrecv_replace omp.barrier >step
		echo omp.parallel >>step
		cat step step step step step step step step step step >expected
		diff -u expected found || return 1
		[ "$(grep -c '^omp.parallel' second)" -eq 10 ] || return 1
		# What the process has used between MPI_Init and
		# MPI_Finalize, by its own clock, and a little around it.
		own=$(awk -v rank="$rank" '$2 == rank { print $3 }' said)
		sum=$(cpu_time run "$(host_label)_$rank")
		echo "rank $rank: $own s, recorded $sum s"
		awk -v own="$own" -v sum="$sum" 'BEGIN {
			exit sum + 0.002 < own || sum > own + 0.5 }' || return 1
	done
)

# The program need not know: LIBRARY
hybrids() {
	if can_launch "$1"; then
		ok "MPI calls are inside of OpenMP states, $1" hybrid "$1"
	else
		skip "MPI calls are inside of OpenMP states, $1" "its programs cannot be started here"
	fi
}

ok "waiting times of threads match the program" imbalance
ok "the critical path contains the last thread at each barrier" path
ok "tasks and their dependencies are recorded" tasks
ok "each untied task is recorded" untied
ok "nested regions are recorded" nested
ok "waits for a critical section are states" locks
ok "threads that end share their traces" threads
ok "states have the CPU time of their thread" burning
ok "a child process adds no records" forking
ok "exit inside a region completes the files" leaving
ok "the trace of a killed program is readable" killed
ok "a program without regions leaves no files" nothing
ok "HDTRACE_OMP=0 records nothing" switched_off
ok "only regions are recorded if selected" only none
ok "invalid environment variables are reported" wrong
ok "an existing project is kept" existing
ok "numbers are added to existing names" numbered
ok "a directory that cannot be created is reported" no_directory
if [ -f "$hdmpirun" ]; then
	ok "hdmpirun --openmp records a program without MPI" alone
	ok "hdmpirun --openmp names libgomp of gcc" of_gcc
	for library in $(built_libraries); do
		case ${HD_SANITIZE-} in
		"") hybrids "$library" ;;
		*) skip "MPI and OpenMP, $library" \
			"what is preloaded has a sanitizer, and the program none" ;;
		esac
	done
fi
done_testing
