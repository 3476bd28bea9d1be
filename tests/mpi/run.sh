#!/bin/sh
# hdmpirun and hdmpicc: programs that know nothing of HDTrace, what the options
# do, and programs that do not end as they should.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi smoke
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
HDMPI_LINKDIR=${abs_top_builddir:?}/.libs
HDMPI_INCLUDEDIR=$abs_top_srcdir/MPITracingLibrary/include
export HDMPI_LINKDIR HDMPI_INCLUDEDIR
hdmpirun=$abs_top_builddir/hdmpirun
ring_c=$abs_top_srcdir/tests/mpi/ring.c
# No more than processors, if there are two: MPICH's ranks wait busily, and then
# each message takes as long as the scheduler leaves one of them alone.
ranks=2

# Run ring in a new directory: LAUNCH-ARGUMENT...; $library, $run say which.
ring() {
	rm -rf "${run:?}"
	mkdir "$run" && cd "$run" || return 1
	launch "$library" "$ranks" "$@" >out 2>&1
	status=$?
	cat out
	cd ..
	return "$status"
}

# Print how many records of a name the traces of a project have: PROJECT NAME.
count() {
	"$hdtrace" dump "$1" 2>/dev/null | grep -cE "^ *[0-9.]+ [0-9.]+ $2( |\$)"
}

# A project is complete, and has all sends and receives: PROJECT
is_complete() {
	"$hdtrace" check "$1" || return 1
	[ "$(count "$1" Send)" -eq "$((10 * ranks))" ] &&
		[ "$(count "$1" Recv)" -eq "$((10 * ranks))" ] &&
		[ "$(count "$1" Finalize)" -eq "$ranks" ]
}

preloaded() {
	ring "$hdmpirun" -p ring -r 20 "$scratch/ring-$library" &&
		is_complete "$run/ring" || return 1
	# Utilization once.
	[ "$(find "$run" -name '*_Utilization.stat' | wc -l)" -eq 1 ]
}

# As it is found in the PATH, with nothing installed.
found() {
	ring env -u HDTRACE_MPI_HDTRACE PATH="$abs_top_builddir:$PATH" \
		hdmpirun -p ring "$scratch/ring-$library" &&
		is_complete "$run/ring"
}

linked() {
	ring "$scratch/linked-$library" &&
		is_complete "$run/linked-$library"
}

in_thread() {
	ring "$hdmpirun" -p ring "$scratch/ring-$library" thread &&
		is_complete "$run/ring"
}

# A program that has no environment, arguments or standard files any more.
bare() {
	ring "$hdmpirun" -p ring "$scratch/ring-$library" bare &&
		is_complete "$run/ring"
}

# A program that changes its directory; and one whose name looks like an option when
# it is made plain.
away() {
	ring "$hdmpirun" -p ring "$scratch/ring-$library" away &&
		is_complete "$run/ring"
}
named_as_option() {
	cp "$scratch/ring-$library" "$scratch/ün" &&
		ring "$hdmpirun" "$scratch/ün" && is_complete "$run/x-n" &&
		ring "$hdmpirun" -p -x "$scratch/ring-$library" &&
		is_complete "$run/-x"
}

# The name of the project is that of the program, with a number when there is
# one of that name.
named() {
	ring "$hdmpirun" "$scratch/ring-$library" &&
		is_complete "$run/ring-$library" || return 1
	(cd "$run" && launch "$library" "$ranks" "$hdmpirun" \
		"$scratch/ring-$library") &&
		is_complete "$run/ring-$library-2" &&
		is_complete "$run/ring-$library"
}

# So has a name that was given, if that is wanted.
numbered() {
	ring "$hdmpirun" -N -p ring "$scratch/ring-$library" &&
		is_complete "$run/ring" || return 1
	cksum "$run"/ring* >"$scratch/before"
	(cd "$run" && launch "$library" "$ranks" "$hdmpirun" --number \
		-p ring "$scratch/ring-$library") && is_complete "$run/ring-2" &&
		cksum "$run"/ring.* "$run"/ring_* | diff "$scratch/before" -
}

in_directory() {
	ring "$hdmpirun" -d new/place -p ring "$scratch/ring-$library" &&
		is_complete "$run/new/place/ring"
}

only_collective() {
	ring "$hdmpirun" -p ring --classes=coll "$scratch/ring-$library" &&
		"$hdtrace" check "$run/ring" &&
		[ "$(count "$run/ring" Barrier)" -eq "$ranks" ] &&
		[ "$(count "$run/ring" Send)" -eq 0 ] &&
		[ "$(count "$run/ring" Finalize)" -eq 0 ]
}

all_but_messages() {
	ring "$hdmpirun" -p ring --classes=all,-p2p "$scratch/ring-$library" &&
		[ "$(count "$run/ring" Barrier)" -eq "$ranks" ] &&
		[ "$(count "$run/ring" Send)" -eq 0 ] &&
		[ "$(count "$run/ring" Finalize)" -eq "$ranks" ]
}

start_disabled() {
	ring "$hdmpirun" -p ring -x "$scratch/ring-$library" &&
		"$hdtrace" check "$run/ring" &&
		[ "$(count "$run/ring" '[A-Z].*')" -eq 0 ]
}

# A microsecond of a million seconds; one process says that this left nothing.
throttled() {
	ring "$hdmpirun" -p ring -v -t 0.000001/1000000 \
		"$scratch/ring-$library" &&
		"$hdtrace" check "$run/ring" &&
		[ "$(count "$run/ring" Send)" -eq 0 ] &&
		[ "$(grep -c 'ring: no call is recorded: .*of every 1e+06 s' \
			"$run/out")" -eq 1 ]
}

# Four fifths of a period that is none of the kernel's timer: on a busy machine
# programs go on when that ticks, always at the same part of a millisecond.
# On a busy machine all calls may be outside of the recorded parts.
throttled_a_little() {
	for _ in 1 2 3 4 5; do
		! records_a_little || return 0
	done
	return 1
}
records_a_little() {
	ring "$hdmpirun" -p ring -v -t 0.00083/0.00103 \
		"$scratch/ring-$library" &&
		"$hdtrace" check "$run/ring" &&
		[ "$(count "$run/ring" '[A-Z].* part="[0-9]+"( .*)?')" -gt 0 ] &&
		! grep 'no call is recorded' "$run/out"
}

switched_off() {
	HDTRACE_MPI=0 ring "$hdmpirun" -p ring "$scratch/ring-$library" &&
		[ "$(ls "$run")" = out ]
}

# Nothing of an earlier run is overwritten; the program runs all the same.
kept() {
	ring "$hdmpirun" -p ring "$scratch/ring-$library" || return 1
	cp -r "$run" "$run.before"
	(cd "$run" && launch "$library" "$ranks" "$hdmpirun" -p ring \
		"$scratch/ring-$library" >out) || return 1
	diff -r "$run.before" "$run"
}

# Ranks of two hosts, as they say.
two_hosts() {
	ranks=3
	of_two_hosts
	set -- $?
	ranks=2
	return "$1"
}

of_two_hosts() {
	# The shell there expands it.
	# shellcheck disable=SC2016
	ring sh -c 'rank=${OMPI_COMM_WORLD_RANK-$PMI_RANK}
		HDTRACE_MPI_HOST=host$((rank % 2)) exec "$@"' - \
		"$hdmpirun" -p ring -r 20 "$scratch/ring-$library" &&
		is_complete "$run/ring" || return 1
	for file in host0_0_0.trc host1_1_0.trc host0_2_0.trc \
		host0_Utilization.stat host1_Utilization.stat; do
		[ -f "$run/ring_$file" ] || { echo "no $file"; return 1; }
	done
	# Each rank has its CPU time, too.
	[ "$(find "$run" -name '*.stat' | wc -l)" -eq $((2 + ranks)) ] &&
		[ "$(find "$run" -name '*_Cpu.stat' | wc -l)" -eq "$ranks" ]
}

# A program that ends badly leaves what was recorded: END. What mpiexec says of
# it is its matter.
ends_badly() {
	HDTRACE_FORCE_FLUSH=1 ring "$hdmpirun" -p ring \
		"$scratch/ring-$library" "$1"
	[ -f "$run/ring.proj" ] || "$hdtrace" merge "$run/ring" || return 1
	"$hdtrace" check "$run/ring"
	[ $? -le 1 ] || return 1
	[ "$(count "$run/ring" Send)" -eq "$((10 * ranks))" ]
}

# The power of the host, simulated.
power() {
	power_config >"$scratch/pt.cfg"
	HDTRACE_PT_CFG=$scratch/pt.cfg ring "$hdmpirun" -p ring \
		"$scratch/ring-$library" && is_complete "$run/ring" &&
		[ "$(find "$run" -name "ring_$(host_label)_*.stat" | wc -l)" -eq 1 ] ||
		return 1
	# What the sends of all ranks have cost.
	has_energy "$run/ring" Send "$((10 * ranks))"
}

# A program in C with the interface switched off has nothing of it, and runs.
is_switched_off() {
	cat >"$scratch/off.c" <<'END'
#include <hdMPI.h>

int main(void)
{
	/* Nothing is recorded, each of them says. */
	return hdMPI_disable() + hdMPI_enable() + hdMPI_regionStart("A") +
		       hdMPI_event("B") + hdMPI_attributeInt("a", 1) +
		       hdMPI_attributeDouble("b", 2) +
		       hdMPI_attributeString("c", "3") + hdMPI_regionEnd() !=
	       8;
}
END
	# These are lists.
	# shellcheck disable=SC2086
	set -- ${CC:-cc} ${HD_SANITIZE-} -Wall -Wextra -Werror \
		-I"$HDMPI_INCLUDEDIR" "$scratch/off.c"
	"$@" -c -o "$scratch/on.o" &&
		${NM:-nm} "$scratch/on.o" | grep -q 'U hdMPI_regionStart' &&
		"$@" -DHDMPI_OFF -o "$scratch/off" || return 1
	! ${NM:-nm} "$scratch/off" | grep 'U hdMPI_' && "$scratch/off"
}

# Without being asked libhdMPI says nothing of variables that make no sense; with
# -v it says of each what, and records all the same: VARIABLE=VALUE... What else may be
# wrong, and what counts then, is in test-options.c.
says_wrong() {
	HDTRACE_MPI_VERBOSITY='' says_nothing "$@" || return 1
	ring env "$@" "$hdmpirun" -v -p ring "$scratch/ring-$library" &&
		is_complete "$run/ring" || return 1
	for setting; do
		grep -F "libhdMPI: ${setting%%=*}=\"${setting#*=}\": " \
			"$run/out" || return 1
	done
}

# What was asked for and is not there is said: in one line for the host, the
# first thing.
says_once() {
	ring env RUT_BACKEND=none HDTRACE_MPI_RUT=20 \
		HDTRACE_PT_CFG=/nonexistent HDTRACE_BUFFER_SIZE_KB=many \
		"$hdmpirun" -p ring "$scratch/ring-$library" &&
		is_complete "$run/ring" && [ "$(wc -l <"$run/out")" -eq 2 ] &&
		grep 'libhdMPI: .*: not everything is recorded: ' "$run/out"
}

# SETTING...
says_nothing() {
	ring env "$@" "$hdmpirun" -p ring "$scratch/ring-$library" &&
		[ "$(cat "$run/out")" = "ring: $((10 * ranks))" ] &&
		is_complete "$run/ring"
}

# What cannot be written is the tracer's matter, and it says which file.
no_directory() {
	mkdir -p "$scratch/file" && : >"$scratch/file/none"
	ring env HDTRACE_MPI_DIR="$scratch/file/none" "$hdmpirun" -v \
		"$scratch/ring-$library" &&
		grep -q 'file/none.*: Not a directory' "$run/out" &&
		grep -q "^ring: $((10 * ranks))\$" "$run/out" || return 1
	ring env HDTRACE_MPI_HDTRACE=/nonexistent "$hdmpirun" -v -p ring \
		"$scratch/ring-$library" &&
		grep -q 'no project file: /nonexistent' "$run/out" ||
		return 1
	"$hdtrace" merge "$run/ring" && is_complete "$run/ring"
}

# A file that cannot grow (as where a disk is full) harms nobody: one message
# names it and the cause, and all that was recorded is readable.
no_room() {
	ring env HDTRACE_BUFFER_SIZE_KB=4 "$hdmpirun" -v -p ring \
		"$scratch/ring-$library" full &&
		grep -q "^ring: $((10 * ranks))\$" "$run/out" || return 1
	[ "$(grep -c "ring_$(host_label)_1_0.trc.*File too large" \
		"$run/out")" -eq 1 ] || return 1
	[ -f "$run/ring.proj" ] || "$hdtrace" merge "$run/ring" || return 1
	"$hdtrace" check "$run/ring"
	[ $? -le 1 ] && [ "$(count "$run/ring" Recv)" -gt 1030 ] &&
		[ "$(count "$run/ring" Recv)" -lt 2000 ]
}

# The program's own children are not recorded, and do not disturb.
with_child() {
	ring "$hdmpirun" -p ring "$scratch/ring-$library" fork &&
		is_complete "$run/ring"
}

# A program that has nothing to do with MPI runs as if it was alone.
no_mpi() {
	mkdir -p "$run.none" && cd "$run.none" || return 1
	[ "$("$hdmpirun" -m "$library" echo a 'b  c' 2>/dev/null)" = 'a b  c' ] ||
		return 1
	"$hdmpirun" -m "$library" sh -c 'exit 7'
	[ $? -eq 7 ] && [ -z "$(ls)" ]
}

helps() {
	"$hdmpirun" -h | grep -q '^Usage'
}

# hdmpirun ARGUMENT... says why it does not run anything: STATUS ARGUMENT...
refuses() {
	expected=$1
	shift
	"$hdmpirun" "$@" 2>"$scratch/error"
	[ $? -eq "$expected" ] && grep -q '^hdmpirun: ' "$scratch/error"
}

# A long option and its letter are the same, in all forms; what comes of it is in
# the environment.
same_options() {
	for form in "-p N -d D -aN -n 2 -r 5 -s cpu -t 1/2 -x" \
		"-pN -dD -a -N -n2 -r5 -scpu -t1/2 -x --" \
		"--project=N --directory=D --polls --number --nesting=2 \
		--interval=5 --sources=cpu --throttle=1/2 --disabled" \
		"--project N --directory D --polls --number --nesting 2 \
		--interval 5 --sources cpu --throttle 1/2 --disabled --"; do
		# Words.
		# shellcheck disable=SC2086
		env -u HDTRACE_MPI_HDTRACE -u HDTRACE_MPI_VERBOSITY \
			"$hdmpirun" -m "$library" $form env |
			grep '^HDTRACE_MPI_[A-Z_]*=' |
			grep -v 'HDTRACE_MPI_\(HDTRACE\|LAUNCHED\)' |
			sort >"$scratch/set"
		cat "$scratch/set"
		echo 'HDTRACE_MPI_DIR=D HDTRACE_MPI_NESTED=2 HDTRACE_MPI_NUMBER=1
			HDTRACE_MPI_POLLS=1 HDTRACE_MPI_PROJECT=N
			HDTRACE_MPI_RUT=5 HDTRACE_MPI_RUT_SOURCES=cpu
			HDTRACE_MPI_START=0 HDTRACE_MPI_THROTTLE=1/2' |
			tr -s ' \t' '\n' | diff - "$scratch/set" || return 1
	done
}

# What -f says: VARIABLE=VALUE ARGUMENT...
force_says() {
	wanted=$1
	shift
	"$hdmpirun" -m "$library" "$@" printenv 2>&1 | grep -F "$wanted"
}

# -f replaces; with classes behind it, it is --classes as it was once.
force_letter() {
	for form in -f "-f --" -fv -vf --force; do
		# shellcheck disable=SC2086
		force_says HDTRACE_OVERWRITE_EXISTING_FILES=1 $form || return 1
	done
	for form in "-f coll,io" "-fcoll,io" "--classes=coll,io" \
		"--classes coll,io"; do
		# shellcheck disable=SC2086
		force_says HDTRACE_MPI_FUNCTIONS=coll,io $form || return 1
	done
}

# The program of doc/guides/trace-mpi.md stays inside its arrays: they end where
# memory cannot be accessed. RANKS...
stays_inside() {
	cat >"$scratch/guarded.h" <<'END'
#include <stdlib.h>
#include <sys/mman.h>
#define PAGE 65536
static void *guarded(size_t count, size_t size)
{
	size_t length = (count * size + PAGE - 1) / PAGE * PAGE;
	char *all = mmap(NULL, length + PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (all == MAP_FAILED || mprotect(all + length, PAGE, PROT_NONE) < 0)
		abort();
	return all + length - count * size;
}
#define calloc guarded
END
	sed -n "/cat >work.c/,/^    END/p" "$abs_top_srcdir/doc/guides/trace-mpi.md" |
		sed '1d; $d; s/^    //' >"$scratch/work.c"
	"$compiler" -D_DEFAULT_SOURCE -O2 -include "$scratch/guarded.h" \
		-o "$scratch/work-$library" "$scratch/work.c" || return 1
	for count; do
		launch "$library" "$count" "$scratch/work-$library" || return 1
	done
}

ok "functions of the API succeed when the API is disabled" is_switched_off
ok "hdmpirun -h prints the help" helps
ok "hdmpirun without a program fails" refuses 125
ok "hdmpirun fails for a missing program" refuses 127 /nonexistent
ok "hdmpirun fails for a file that is not a program" refuses 126 /etc/passwd
ok "hdmpirun without an MPI library fails" refuses 125 -m nothing true
for wrong in "--classes p2p,cool" "--classes p2p," "-n deep" "-n" "-r -1" \
	"-s tape" "-t 1" "-t 1/x" -q --project --force=1 --quick "-f -N" \
	"--depth="; do
	# Unquoted: two words.
	# shellcheck disable=SC2086
	ok "hdmpirun $wrong fails" refuses 125 $wrong true
done
library=$(built_libraries | head -n 1)
if [ -n "$library" ] && [ -z "${HD_SANITIZE-}" ]; then
	ok "hdmpirun: long options and letters are equivalent" same_options
	ok "hdmpirun: -f is --force, and was --classes" force_letter
fi
for library in $(built_libraries); do
	can_launch "$library" || {
		skip "$library" "mpiexec does not work here"
		continue
	}
	case $library in
	openmpi) compiler=$MPICC_OPENMPI ;;
	mpich) compiler=$MPICC_MPICH ;;
	esac
	run=$scratch/$library
	# Sanitizers cannot be preloaded.
	if [ -z "$compiler" ] || [ -n "${HD_SANITIZE-}" ]; then
		skip "$library" "there is no mpicc, or a sanitizer"
		continue
	fi
	ok "$library: the program compiles" \
		"$compiler" -I"$abs_top_srcdir" -o "$scratch/ring-$library" "$ring_c" -lpthread
	ok "$library: the program compiles with hdmpicc" env HDMPI_CC="$compiler" \
		"$abs_top_builddir/hdmpicc" -I"$abs_top_srcdir" -o "$scratch/linked-$library" \
		"$ring_c" -lpthread
	ok "$library: the guide's program runs with 4, 5 and 8 ranks" stays_inside 4 5 8
	ok "$library: hdmpirun preloads the library" preloaded
	ok "$library: hdmpirun in PATH finds the library" found
	ok "$library: a linked program records without hdmpirun" linked
	ok "$library: a thread calls MPI_Init" in_thread
	ok "$library: no environment and no standard files" bare
	ok "$library: the program changes its directory" away
	ok "$library: a project name that looks like an option" named_as_option
	ok "$library: the project has the name of the program" named
	ok "$library: -p sets the name of the project" numbered
	ok "$library: --directory sets the directory" in_directory
	ok "$library: --classes selects one class of functions" only_collective
	ok "$library: --classes excludes one class" all_but_messages
	ok "$library: --disabled records only after the program enables it" start_disabled
	ok "$library: --throttle records part of the time" throttled
	ok "$library: --throttle accepts intervals below 1 ms" throttled_a_little
	ok "$library: HDTRACE_MPI=0 records nothing" switched_off
	ok "$library: existing files are kept" kept
	ok "$library: ranks on two hosts are recorded" two_hosts
	ok "$library: a meter adds power and energy of sends" power
	ok "$library: invalid environment variables are reported" says_wrong \
		HDTRACE_MPI_FUNCTIONS=p2p,cool HDTRACE_MPI_NESTED=deep \
		HDTRACE_MPI_RUT=-1 HDTRACE_MPI_RUT_SOURCES=tape \
		HDTRACE_MPI_THROTTLE=2/1 HDTRACE_MPI_START=no \
		HDTRACE_MPI_CLOCK_INTERVAL=often HDTRACE_MPI=yes \
		HDTRACE_MPI_PROJ=2 HDTRACE_MPI_TEST_CLOCK=late
	ok "$library: a missing file is reported once" says_once
	ok "$library: an invalid directory and a missing hdtrace are reported" no_directory
	ok "$library: a file at its size limit is reported" no_room
	ok "$library: a child process leaves the trace complete" with_child
	ok "$library: a program without MPI keeps its output and status" no_mpi
	for end in exit abort kill; do
		ok "$library: $end" ends_badly $end
	done
done
done_testing
