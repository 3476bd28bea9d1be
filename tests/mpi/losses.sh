#!/bin/sh
# hdmpirun where nothing, or not everything, is recorded: one line a host says
# why, and what helps; the program runs all the same. And --force: the old project
# goes when all ranks record, and not before.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"
hdmpirun=${abs_top_builddir:?}/hdmpirun
unset HDTRACE_MPI_VERBOSITY HDTRACE_OVERWRITE_EXISTING_FILES
host=$(host_label)
ranks=2

# Run something with hdmpirun ARGUMENT...; all that is printed is in out.
run() {
	launch "$library" "$ranks" "$hdmpirun" "$@" >out 2>&1
	status=$?
	cat out
	return "$status"
}

# The program has run, and hdmpirun or libhdMPI said what TEXT matches, once; all
# else that was said is the program's: TEXT
said() {
	grep -q "^ring: $((10 * ranks))\$" out && only "$1"
}

only() {
	[ "$(grep -c "^hdmpirun: \|^libhdMPI: \|^hdtrace: \|^libRUT: \|^pt: " \
		out)" -eq 1 ] && grep -E "$1" out
}

# Nobody said anything.
nothing_said() {
	! grep "^hdmpirun: \|^libhdMPI: \|^hdtrace: \|^libRUT: \|^pt: " out
}

# What there is of a project, with its bytes.
state() {
	cksum ring.proj ring_* | grep -v '^0 0 '
}

# A project, and its state, are there.
begun() {
	rm -rf ring.* ring_*
	run -p ring "./ring-$library" && nothing_said && state >before
}

kept() {
	state >after
	diff before after
}

exists() {
	begun && run -p ring "./ring-$library" && kept || return 1
	said "^libhdMPI: $host: nothing is recorded: ring_.*: it exists; \
HDTRACE_OVERWRITE_EXISTING_FILES=1 .*use --force or --number of hdmpirun" &&
		HDTRACE_MPI_VERBOSITY=-1 run -p ring "./ring-$library" &&
		nothing_said && kept
}

# /sys lets nobody make files.
not_writable() {
	run --directory /sys/kernel -p ring "./ring-$library" &&
		said "^libhdMPI: $host: nothing is recorded: \
/sys/kernel/ring_.*: not recorded: cannot create the file: "
}

# What has nothing of MPI, also where it is a shell, which ends in another way.
no_init() {
	printf '#!/bin/sh\ntrue\ntrue\n' >none.sh
	chmod +x none.sh
	run --mpi "$library" true && only \
		"^libhdMPI: nothing is recorded: true has not called MPI_Init; .* --mpi" &&
		run --mpi "$library" ./none.sh && only \
		"^libhdMPI: nothing is recorded: ./none.sh has not called MPI_Init" ||
		return 1
	HDTRACE_MPI=0 run --mpi "$library" true && nothing_said &&
		HDTRACE_MPI_VERBOSITY=-1 run --mpi "$library" true && nothing_said
}

# A script that starts one that has.
script() {
	printf '#!/bin/sh\n./ring-%s\ntrue\n' "$library" >"script-$library"
	chmod +x "script-$library"
	rm -rf ring.* ring_*
	run --mpi "$library" -p ring "./script-$library" && nothing_said &&
		"$hdtrace" check ring
}

# The other one is asked for: of the program itself, and of a script.
other() {
	case $library in
	openmpi) name=mpich ;;
	*) name=openmpi ;;
	esac
	rm -rf ring.* ring_*
	run --mpi "$name" -p ring "./ring-$library" && said \
		"^hdmpirun: nothing is recorded: .*uses $library, but --mpi is $name; omit --mpi" &&
		run --mpi "$name" -p ring "./script-$library" && said \
		"^libhdMPI: nothing is recorded: ./ring-$library uses another MPI library than $name; omit --mpi" &&
		[ ! -e ring.proj ]
}

static_program() {
	echo 'int main(void) { return 0; }' >static.c
	${CC:-cc} -static -o static static.c || return 1
	run --mpi "$library" ./static && only \
		"^hdmpirun: nothing is recorded: ./static is linked statically; .*hdmpicc"
}

set_uid() {
	cp /bin/true set-uid && chown 65534 set-uid && chmod 4755 set-uid ||
		return 1
	run --mpi "$library" ./set-uid && only \
		"^hdmpirun: nothing is recorded: ./set-uid is set-uid .*; run a copy"
}

# A program with capabilities, as another user runs it.
as_nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}
capable() {
	cp /bin/true capable && setcap cap_net_raw+ep capable && chmod 711 "$scratch" . ||
		return 1
	as_nobody "$hdmpirun" --mpi "$library" ./capable >out 2>&1 || return 1
	cat out
	grep "^hdmpirun: nothing is recorded: ./capable has capabilities, .*; run a copy" out
}

# The calls are there, and the utilization is not.
in_part() {
	rm -rf ring.* ring_*
	HDTRACE_MPI_RUT=20 RUT_BACKEND=none run -p ring "./ring-$library" && said \
		"^libhdMPI: $host: not everything is recorded: RUT_BACKEND" &&
		"$hdtrace" check ring
}

# Without hdtrace, the traces have no project file.
no_hdtrace() {
	rm -rf ring.* ring_*
	HDTRACE_MPI_HDTRACE=$scratch/missing run -p ring "./ring-$library" && said \
		"^libhdMPI: no project file: $scratch/missing: No such file .*; run 'hdtrace merge .*ring'" &&
		[ ! -e ring.proj ] && "$hdtrace" merge ring && "$hdtrace" check ring || return 1
	rm -rf ring.* ring_*
	HDTRACE_MPI_HDTRACE=/bin/false run -p ring "./ring-$library" && said \
		"^libhdMPI: no project file: hdtrace merge failed; run 'hdtrace merge .*ring' to see why"
}

# %h is the host by the name that it has in the project.
power_here() {
	rm -rf ring.* ring_*
	power_config | sed 's/^node=.*/node=%h/' >pt.cfg
	HDTRACE_MPI_HOST=big.example.org HDTRACE_PT_CFG=pt.cfg run -p ring "./ring-$library" &&
		nothing_said && [ -e ring_big.example.org_Energy.stat ] &&
		"$hdtrace" check ring
}

# The meter measures a node that is no host of the run.
power_elsewhere() {
	rm -rf ring.* ring_*
	power_config | sed 's/^node=.*/node=elsewhere/' >pt.cfg
	HDTRACE_PT_CFG=pt.cfg run -p ring "./ring-$library" && said \
		"^libhdMPI: $host: not everything is recorded: pt.cfg: node=elsewhere: not a host of this run, .*use a name like $host" ||
		return 1
	rm -rf ring.* ring_*
	power_config >pt.cfg
	HDTRACE_PT_CFG=pt.cfg run -p ring "./ring-$library" && nothing_said
}

# ---- --force -----------------------------------------------------------------

# Of an old project with more ranks nothing is left.
replaces() {
	ranks=3
	begun
	set -- $?
	ranks=2
	[ "$1" -eq 0 ] && [ -e "ring_${host}_2_0.trc" ] || return 1
	# What a rank has besides its trace.
	touch "ring_${host}_2_Cpu.stat" "ring_${host}_2_0_Probes.stat" "ring_${host}_2_0.rel"
	run -f -p ring "./ring-$library" && nothing_said || return 1
	state >after
	[ ! -e "ring_${host}_2_0.trc" ] && [ ! -e "ring_${host}_2_Cpu.stat" ] &&
		[ ! -e "ring_${host}_2_0_Probes.stat" ] &&
		[ ! -e "ring_${host}_2_0.rel" ] && [ ! -e ring.new ] &&
		! cmp -s before after && "$hdtrace" check ring &&
		[ "$("$hdtrace" dump ring | grep -cE ' Finalize( |$)')" -ge "$ranks" ]
}

# Those that did not come to record: a program that is not there, one that has no
# MPI_Init, and where there is no place for the new one.
keeps() {
	begun || return 1
	! run -f -p ring ./none && kept &&
		run -f -p ring --mpi "$library" true && kept || return 1
	: >ring.new
	run -f -p ring "./ring-$library" && kept && said \
		'^libhdMPI: nothing is recorded: ring.proj: cannot replace: '
	set -- $?
	rm -f ring.new
	return "$1"
}

# One rank cannot write, as it sees another directory: the old project stays, and
# what the others recorded is beside it.
one_fails() {
	begun && mkdir away || return 1
	# The shell there expands it.
	# shellcheck disable=SC2016
	launch "$library" "$ranks" sh -c '
		[ "${OMPI_COMM_WORLD_RANK-$PMI_RANK}" = 0 ] || cd away
		exec "$@"' - "$hdmpirun" -f -p ring "$PWD/ring-$library" >out 2>&1
	cat out
	kept && grep "^libhdMPI: $host: 1 of 2 ranks are not recorded: " out &&
		grep "^libhdMPI: ring: the old project is kept; .* ring.new/ring" out &&
		[ -e "ring.new/ring_${host}_0_0.trc" ]
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
	mkdir "$scratch/$library" && cd "$scratch/$library" || exit 99
	if [ -z "$compiler" ]; then
		skip "$library" "there is no mpicc"
		continue
	fi
	ok "$library: the program compiles" "$compiler" -I"$abs_top_srcdir" \
		-o "ring-$library" "$abs_top_srcdir/tests/mpi/ring.c" -lpthread
	ok "$library: an existing project is reported" exists
	ok "$library: a read-only directory is reported" not_writable
	ok "$library: a program without MPI_Init is reported" no_init
	ok "$library: a script is reported" script
	if [ "$(built_libraries | wc -l)" -gt 1 ]; then
		ok "$library: a program of another MPI library is reported" other
	else
		skip "$library: a program of another MPI library is reported" "there is only one"
	fi
	ok "$library: a static program is reported" static_program
	if [ "$(id -u)" -eq 0 ]; then
		ok "$library: a set-uid program is reported" set_uid
	else
		skip "$library: a set-uid program is reported" "only root can make one"
	fi
	if [ "$(id -u)" -eq 0 ] && command -v setcap >/dev/null &&
		as_nobody test -x "$hdmpirun" 2>/dev/null; then
		ok "$library: a program with capabilities is reported" capable
	else
		skip "$library: a program with capabilities is reported" \
			"it needs root, setcap and a build that others can read"
	fi
	ok "$library: missing utilization is reported" in_part
	ok "$library: power of another node than the hosts is reported" power_elsewhere
	ok "$library: %h is the name of the host in the project" power_here
	ok "$library: a missing project file is reported" no_hdtrace
	ok "$library: --force replaces the project" replaces
	ok "$library: --force keeps the project if no rank records" keeps
	ok "$library: --force keeps the project if one rank fails" one_fails
done
done_testing
