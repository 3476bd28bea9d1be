#!/bin/sh
# A rank without libhdMPI on another host: nobody waits for it, the others are recorded,
# and one line names it.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/twohosts.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"
if [ "${1-}" != inside ]; then
	may_have_hosts || skip_all "no namespaces: $(tail -n 1 "$scratch/log")"
	enter_hosts inside
fi
. "$abs_top_srcdir/tests/mpi/mpi.sh"
run=$scratch/run
unset HDTRACE_MPI_VERBOSITY

compiles() {
	cat >"$scratch/meet.c" <<'END'
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
END
	"$compiler" -o "$scratch/meet" "$scratch/meet.c"
}

# What every rank runs; one of them, if any, without libhdMPI.
write_rank() {
	cat >"$scratch/rank" <<END
#!/bin/sh
cd "$run" || exit 1
[ "\${OMPI_COMM_WORLD_RANK-\$PMI_RANK}" = "$1" ] || export LD_PRELOAD="$abs_top_builddir/libhdMPI-$library.so"
export HDTRACE_MPI_HDTRACE="$hdtrace"
HDTRACE_MPI_PROJECT=p HDTRACE_MPI_RUT=0 exec "$scratch/meet"
END
	chmod +x "$scratch/rank"
}

# Run the ranks, which alternate between the hosts. With more ranks MPICH hangs more
# often, also without libhdMPI (hosts.sh): then once more.
launch_ranks() {
	case $library in
	openmpi) launch openmpi "$ranks" --host hda:2,hdb:2 --map-by node \
		--mca plm rsh --mca plm_rsh_agent "$scratch/shell" --mca pml ob1 \
		--mca btl tcp,self,vader --mca oob_tcp_if_include 192.0.2.0/24 \
		--mca btl_tcp_if_include 192.0.2.0/24 "$scratch/rank" ;;
	mpich) timeout -k 5 30 "$MPIEXEC_MPICH" -n "$ranks" -hosts hda,hdb -ppn 1 \
		-launcher ssh -launcher-exec "$scratch/shell" "$scratch/rank" \
		</dev/null ;;
	esac
}

runs() {
	write_rank "$1"
	for _ in 1 2 3; do
		rm -rf "${run:?}"/*
		launch_ranks >"$scratch/out" 2>&1
		status=$?
		cat "$scratch/out"
		[ "$status" -eq 124 ] || return "$status"
	done
	return 1
}

says() {
	runs "$1" && [ "$(grep -c '^libhdMPI:' "$scratch/out")" -eq 1 ] &&
		grep "^libhdMPI: 1 of $ranks ranks are not recorded: they run without libhdMPI, the first is rank $1; " "$scratch/out" &&
		"$hdtrace" check "$run/p" &&
		[ "$("$hdtrace" dump "$run/p" | grep -c ' Barrier ')" -eq $((ranks - 1)) ]
}

complete() {
	runs none && ! grep '^libhdMPI:' "$scratch/out" &&
		"$hdtrace" check "$run/p" &&
		[ "$("$hdtrace" dump "$run/p" | grep -c ' Barrier ')" -eq "$ranks" ]
}

start_hosts >"$scratch/log" 2>&1 || skip_all "no hosts: $(tail -n 1 "$scratch/log")"
write_shell
for library in $(built_libraries); do
	case $library in
	openmpi) compiler=$MPICC_OPENMPI ranks=4 ;;
	mpich) compiler=$MPICC_MPICH ranks=2 ;;
	esac
	if [ -z "$compiler" ] || ! can_launch "$library"; then
		skip "$library" "mpicc or mpiexec does not work here"
		continue
	fi
	ok "$library: the program compiles" compiles
	ok "$library: ranks of two hosts are recorded" complete
	ok "$library: a missing rank on the other host is reported" says $((ranks - 1))
	ok "$library: a missing first rank is reported" says 0
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
