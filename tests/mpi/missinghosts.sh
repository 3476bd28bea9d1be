#!/bin/sh
# A rank without libhdMPI on another host: nobody waits for it, and one line names it.
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
	"$MPICC_OPENMPI" -o "$scratch/meet" "$scratch/meet.c"
}

# What every rank runs; one of them, if any, without libhdMPI.
write_rank() {
	cat >"$scratch/rank" <<END
#!/bin/sh
cd "$run" || exit 1
[ "\$OMPI_COMM_WORLD_RANK" = "$1" ] || export LD_PRELOAD="$abs_top_builddir/libhdMPI-openmpi.so"
HDTRACE_MPI_PROJECT=p HDTRACE_MPI_RUT=0 exec "$scratch/meet"
END
	chmod +x "$scratch/rank"
}

# Run two ranks on each host; the other library has no mpiexec for that here.
runs() {
	write_rank "$1"
	rm -rf "${run:?}"/*
	launch openmpi 4 --host hda:2,hdb:2 --map-by node --mca plm rsh \
		--mca plm_rsh_agent "$scratch/shell" --mca pml ob1 \
		--mca btl tcp,self,vader --mca oob_tcp_if_include 192.0.2.0/24 \
		--mca btl_tcp_if_include 192.0.2.0/24 "$scratch/rank" \
		>"$scratch/out" 2>&1
	status=$?
	cat "$scratch/out"
	return "$status"
}

says() {
	runs "$1" && [ "$(grep -c '^libhdMPI:' "$scratch/out")" -eq 1 ] &&
		grep "^libhdMPI: nothing is recorded: 1 of 4 ranks run without libhdMPI, the first is rank $1; " "$scratch/out" &&
		[ -z "$(ls "$run")" ]
}

complete() {
	runs none && ! grep '^libhdMPI:' "$scratch/out" &&
		"$hdtrace" check "$run/p" &&
		[ "$("$hdtrace" dump "$run/p" | grep -c ' Barrier ')" -eq 4 ]
}

built_libraries | grep -qx openmpi || skip_all "there is no Open MPI"
[ -n "$MPICC_OPENMPI" ] || skip_all "there is no mpicc"
start_hosts >"$scratch/log" 2>&1 || skip_all "no hosts: $(tail -n 1 "$scratch/log")"
write_shell
ok "the program compiles" compiles
ok "ranks of two hosts are recorded" complete
ok "a missing rank on the other host is reported" says 3
ok "a missing first rank is reported" says 0
done_testing
