#!/bin/sh
# Where not all ranks of a run have libhdMPI nobody waits for them: the program runs,
# the others are recorded, and one line says which are missing. And programs with a sanitizer, which insists on
# being the first library, start and are recorded.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"
hdmpirun=${abs_top_builddir:?}/hdmpirun
unset HDTRACE_MPI_VERBOSITY

compiles() {
	cat >meet.c <<'END'
#include <mpi.h>

int main(int argc, char **argv)
{
	int rank, size, got;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT,
		     (rank + size - 1) % size, 0, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	MPI_Finalize();
	return got != (rank + size - 1) % size;
}
END
	"$compiler" -o meet meet.c
}

# A program that one rank cannot announce itself in: bind() fails there.
compiles_bind() {
	cat >nobind.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <sys/socket.h>
#include <string.h>
#include <sys/un.h>
#include <sys/syscall.h>
#include <unistd.h>

int bind(int fd, const struct sockaddr *address, socklen_t size)
{
	const struct sockaddr_un *name = (const void *)address;

	if (address->sa_family == AF_UNIX &&
	    strncmp(name->sun_path + 1, "hdtrace-rank", 12) == 0) {
		errno = EACCES;
		return -1;
	}
	return (int)syscall(SYS_bind, fd, address, size);
}
END
	"$compiler" -shared -fPIC -o nobind.so nobind.c
}

# So many ranks are missing, the first of which is that; of the recorded ones, ranks of a
# pair have a message: COUNT FIRST RANK PEER RANKS COMMAND...
missing() {
	count=$1
	first=$2
	pair="$3 +$4"
	shift 4
	rm -rf p.* p_*
	launch "$library" "$@" >out 2>&1
	status=$?
	cat out
	[ "$status" -eq 0 ] && [ "$(wc -l <out)" -eq 1 ] &&
		grep "^libhdMPI: $count of 3 ranks are not recorded: they run without libhdMPI, the first is rank $first; " out &&
		"$hdtrace" check p && "$hdtrace" dump p >dumped &&
		[ "$(grep -c ' Barrier ' dumped)" -eq $((3 - count)) ] &&
		! grep "trace node \"[^\"]*_${first}_0\"" dumped &&
		"$hdtrace" report p >/dev/null &&
		"$hdtrace" stat --volume p >volume && grep -E "^ +$pair  sent  +1 " volume
}

# Nobody is: COMMAND...
complete() {
	rm -rf p.* p_*
	launch "$library" "$@" >out 2>&1
	status=$?
	cat out
	[ "$status" -eq 0 ] && [ ! -s out ] && "$hdtrace" check p &&
		[ "$("$hdtrace" dump p | grep -c ' Barrier ')" -eq 3 ]
}

# Programs have what the compiler has for it: SANITIZER
sanitized() {
	rm -rf p.* p_*
	ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=report_bugs=0 \
		launch "$library" 2 "$hdmpirun" -p p "./$1" >out 2>&1
	status=$?
	cat out
	[ "$status" -eq 0 ] && "$hdtrace" check p &&
		[ "$("$hdtrace" dump p | grep -c ' Barrier ')" -eq 2 ]
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
	ok "$library: a last rank of another program is reported" missing 1 2 0 1 \
		2 "$hdmpirun" -p p ./meet : -n 1 ./meet
	ok "$library: first ranks of another program are reported" missing 2 0 2 - \
		2 ./meet : -n 1 "$hdmpirun" -p p ./meet
	ok "$library: a rank without preloading is reported" missing 1 1 2 0 \
		1 "$hdmpirun" -p p ./meet : \
		-n 1 "$hdmpirun" -p p env -u LD_PRELOAD ./meet : \
		-n 1 "$hdmpirun" -p p ./meet
	ok "$library: the library for failures compiles" compiles_bind
	# The shell that mpiexec starts expands it.
	# shellcheck disable=SC2016
	ok "$library: a rank that cannot announce itself delays no other" \
		missing 1 1 2 0 1 "$hdmpirun" -p p ./meet : \
		-n 1 "$hdmpirun" -p p sh -c 'LD_PRELOAD=$LD_PRELOAD:./nobind.so exec ./meet' : \
		-n 1 "$hdmpirun" -p p ./meet
	ok "$library: several recorded programs cause no report" complete \
		1 "$hdmpirun" -p p ./meet : -n 2 "$hdmpirun" -p p ./meet
	for sanitizer in address thread; do
		if "$compiler" -fsanitize=$sanitizer -o $sanitizer meet.c \
			2>/dev/null && launch "$library" 2 env \
			ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=report_bugs=0 \
			./$sanitizer >/dev/null 2>&1; then
			ok "$library: a program with -fsanitize=$sanitizer is recorded" \
				sanitized $sanitizer
		else
			skip "$library: $sanitizer" "such programs do not run here"
		fi
	done
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
