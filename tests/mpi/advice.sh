#!/bin/sh
# What hdmpirun and libhdMPI say where users do what everybody tries first, and of
# programs that they do not expect: one line, that is true.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"
hdmpirun=${abs_top_builddir:?}/hdmpirun
unset HDTRACE_MPI_VERBOSITY HDTRACE_OVERWRITE_EXISTING_FILES \
	OMPI_COMM_WORLD_SIZE PMI_SIZE

# hdmpirun says one thing and runs nothing: TEXT ARGUMENT...
refuses() {
	text=$1
	shift
	"$hdmpirun" "$@" >out 2>&1
	status=$?
	cat out
	[ "$status" -eq 125 ] && [ "$(grep -c '^hdmpirun: ' out)" -eq 1 ] &&
		grep -E "^hdmpirun: $text" out
}

# So it does of each command that starts processes: ARGUMENT...
refuses_launchers() {
	for launcher in mpiexec mpirun orterun prterun srun mpiexec.hydra; do
		printf '#!/bin/sh\necho started\n' >"$launcher"
		chmod +x "$launcher"
		refuses "./$launcher: starts processes itself; put hdmpirun after its options: $launcher \.\.\. hdmpirun PROGRAM" \
			"$@" "./$launcher" -n 2 ./app || return 1
	done
}

# Of programs that cannot be recorded, too, a dry run says why and runs none.
compiles_plain() {
	printf '#include <stdio.h>\nint main(void) { return puts("ran") < 0; }\n' >plain.c
	${CC:-cc} -static -o plain plain.c
}
dry_run_static() {
	"$hdmpirun" --dry-run ./plain >out 2>&1
	status=$?
	cat out
	[ "$status" -eq 0 ] && [ "$(wc -l <out)" -eq 1 ] &&
		grep '^hdmpirun: nothing would be recorded: ./plain is linked statically' out
}
dry_run_other() {
	case $library in
	openmpi) other=mpich ;;
	*) other=openmpi ;;
	esac
	"$hdmpirun" --dry-run --mpi="$other" -p dry ./moves >out 2>&1
	status=$?
	cat out
	[ "$status" -eq 0 ] && [ "$(wc -l <out)" -eq 1 ] &&
		grep "^hdmpirun: nothing would be recorded: ./moves uses $library, but --mpi is $other" out
}
dry_run_off() {
	HDTRACE_MPI=0 "$hdmpirun" --dry-run -p dry ./moves >out 2>&1 &&
		grep -x 'hdmpirun: nothing would be recorded: HDTRACE_MPI is 0' out
}

# Programs that make a project in the directory where they start.
compiles() {
	cat >moves.c <<'END'
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int ret;

	MPI_Init(&argc, &argv);
	ret = chdir("/");
	MPI_Finalize();
	return ret;
}
END
	"$compiler" -o moves moves.c
}

# Run it with two ranks; all that is said is in out.
run() {
	launch "$library" 2 "$hdmpirun" "$@" >out 2>&1
	status=$?
	cat out
	return "$status"
}

moves() {
	run -p moves ./moves && [ ! -s out ] && "$hdtrace" check moves.proj
}

moves_to_directory() {
	run --directory=new/place -p moves ./moves && [ ! -s out ] &&
		"$hdtrace" check new/place/moves.proj
}

# Utilization has files of its own: nothing more is said at the end.
exists() {
	HDTRACE_MPI_RUT=100 run -p once ./moves && [ ! -s out ] &&
		HDTRACE_MPI_RUT=100 run -p once ./moves &&
		[ "$(wc -l <out)" -eq 1 ] &&
		grep "^libhdMPI: $(host_label): nothing is recorded: once_.* it exists" out
}

compiles_sessions() {
	cat >sessions.c <<'END'
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Session session;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
#ifdef MIXED
	MPI_Init(&argc, &argv);
	MPI_Finalize();
#else
	(void)argc;
	(void)argv;
#endif
	MPI_Session_finalize(&session);
	return 0;
}
END
	"$compiler" -o sessions sessions.c &&
		"$compiler" -DMIXED -o mixed sessions.c
}

# Whether the library has sessions.
has_sessions() {
	echo '#include <mpi.h>' >has.c
	echo 'int (*f)(MPI_Session *) = MPI_Session_finalize;' >>has.c
	"$compiler" -c has.c 2>/dev/null
}

says_sessions() {
	run -p s ./sessions && [ "$(wc -l <out)" -eq 1 ] &&
		grep '^libhdMPI: nothing is recorded: .*sessions uses sessions of MPI without a communicator of all processes' out ||
		return 1
	printf '#!/bin/sh\n./sessions\ntrue\n' >script
	chmod +x script
	run --mpi="$library" -p s ./script && [ "$(wc -l <out)" -eq 1 ] &&
		grep 'sessions uses sessions of MPI' out &&
		HDTRACE_MPI_VERBOSITY=-1 run -p s ./sessions && [ ! -s out ]
}

# A program that starts such a command is told the same: env mpiexec ...
refuses_inner_launcher() {
	launcher=mpiexec.hydra
	refuses "$launcher: starts processes itself; put hdmpirun after its options: $launcher \.\.\. hdmpirun PROGRAM" \
		env A=1 "$launcher" -n 2 ./app
}

# With --mpi the processes of a shell's mpiexec are recorded, and that is all: Open MPI
# closes the descriptors that they would have had.
records_below_shell() {
	# The shell is to see them.
	# shellcheck disable=SC2016
	timeout -k 10 300 "$hdmpirun" --mpi="$library" -p below \
		sh -c '"$1" -n 2 ./moves; exit $?' sh "$launcher" >out 2>&1 </dev/null
	status=$?
	cat out
	[ "$status" -eq 0 ] && [ ! -s out ] && "$hdtrace" check below
}

mixed() {
	run -p mixed ./mixed && [ ! -s out ] && "$hdtrace" check mixed
}

cd "$scratch" || exit 99
library=$(built_libraries | head -n 1)
[ -n "$library" ] || skip_all "no MPI library was built"
ok "commands that start processes are refused" refuses_launchers
ok "commands that start processes are refused with --mpi" \
	refuses_launchers --mpi="$library"
ok "a command that starts processes is refused as an argument" refuses_inner_launcher
ok "a program without MPI is reported" refuses \
	"ls: not linked with MPI; .*--mpi=openmpi or --mpi=mpich" ls
ok "an unknown MPI library is refused" refuses \
	'--mpi: invalid value "nonsense"; expected openmpi or mpich' \
	--mpi=nonsense ls
ok "an unknown MPI library is refused before a missing program" refuses \
	'--mpi: invalid value "nonsense"; expected openmpi or mpich' \
	--mpi nonsense /nonexistent
if compiles_plain >log 2>&1; then
	ok "a dry run does not run a static program" dry_run_static
else
	skip "a dry run of a static program" "there is no static libc"
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
	if [ -z "$compiler" ]; then
		skip "$library" "there is no mpicc"
		continue
	fi
	mkdir "$scratch/$library" && cd "$scratch/$library" || exit 99
	ok "$library: the program compiles" compiles
	ok "$library: a dry run with another MPI library runs nothing" dry_run_other
	ok "$library: a dry run knows that recording is disabled" dry_run_off
	ok "$library: a changed directory does not affect the project" moves
	ok "$library: a changed directory does not affect --directory" moves_to_directory
	ok "$library: an existing project is reported" exists
	ok "$library: processes that a shell starts are recorded" records_below_shell
	if has_sessions; then
		ok "$library: a program with sessions compiles" compiles_sessions
		ok "$library: sessions without MPI_Init are reported" says_sessions
		ok "$library: sessions with MPI_Init are recorded" mixed
	else
		skip "$library: sessions without MPI_Init are reported" "this library has none"
	fi
done
done_testing
