#!/bin/sh
# MPI programs in Python under hdmpirun: states are in the traces of the ranks, with the
# same counts as those of a program in C.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/python.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
cd "$scratch" || exit 99
[ -f "${abs_top_builddir:?}/libhdMPI-openmpi.so" ] || skip_all "built without Open MPI"
with_mpi=
for candidate in $pythons; do
	[ -n "$with_mpi" ] || ! "$candidate" -c 'import mpi4py' 2>err || with_mpi=$candidate
done
[ -n "$with_mpi" ] || skip_all "Debian: python3-mpi4py"
"$with_mpi" -c 'from mpi4py import MPI; print(MPI.Get_library_version())' >version 2>&1
grep -q '^Open MPI' version || skip_all "mpi4py is not for Open MPI"

cat >ring.py <<'END'
import hdtrace
from mpi4py import MPI
comm = MPI.COMM_WORLD
token = bytearray(8)
losses = hdtrace.group("Losses", loss="J")
for i in range(10):
    with hdtrace.state("step", i=i, half=i / 2, text="t"):
        if comm.rank == 0:
            comm.Send(token, 1)
            comm.Recv(token, 1)
        else:
            comm.Recv(token, 0)
            comm.Send(token, 0)
    losses.write(loss=i)
hdtrace.event("done")
assert hdtrace.finish() is None
END
cat >ring.c <<'END'
#include <hdMPI.h>
#include <mpi.h>
int main(int argc, char **argv)
{
	char token[8] = "";
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 10; i++) {
		hdMPI_regionStart("step");
		hdMPI_attributeInt("i", i);
		if (rank == 0)
			MPI_Send(token, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
		MPI_Recv(token, 8, MPI_CHAR, !rank, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		if (rank == 1)
			MPI_Send(token, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
		hdMPI_regionEnd();
	}
	hdMPI_event("done");
	return MPI_Finalize();
}
END
run() {
	project=$1
	shift
	launch openmpi 2 "$abs_top_builddir/hdmpirun" -p "$project" "$@"
}
in_python() {
	run python "$with_mpi" ring.py
}
ok "a program in Python is recorded" in_python
in_c() {
	HDMPI_LINKDIR=$abs_top_builddir/.libs \
		HDMPI_INCLUDEDIR=$abs_top_srcdir/MPITracingLibrary/include \
		"$abs_top_builddir/hdmpicc" -o ring ring.c &&
		launch openmpi 2 env HDTRACE_MPI_PROJECT=c ./ring
}
ok "a program in C is recorded" in_c
equal() {
	"$with_mpi" - <<'END'
from collections import Counter
import hdtrace


def counts(name):
    result = {}
    for trace in hdtrace.open(name).traces:
        steps = [(i, depth) for state, i, depth in zip(
            trace.values("name"), trace.values("@i"), trace.values("depth"))
            if state == "step"]
        assert steps == [(i, 0) for i in range(10)], steps
        found = Counter(trace.values("name"))
        result[trace.node.parent.label] = {
            state: found[state] for state in ("step", "Send", "Recv")}
        assert list(trace.events.values("name")) == ["done"]
    return result


assert counts("python") == counts("c") == {
    rank: {"step": 10, "Send": 10, "Recv": 10} for rank in "01"}, counts("python")
project = hdtrace.open("python")
for rank in "01":
    group = project.group("Losses", f"{project.nodes[1]}_{rank}")
    assert list(group["loss"].values) == list(range(10))
trace = project.traces[0]
rows = [i for i, name in enumerate(trace.values("name")) if name == "step"]
assert [trace.values("@half")[i] for i in rows] == [i / 2 for i in range(10)]
assert trace.values("@text")[rows[0]] == "t"
END
}
ok "both have the same states" equal
no_name() {
	! launch openmpi 2 "$abs_top_builddir/hdmpirun" "$with_mpi" ring.py >out 2>&1 &&
		grep -q 'the project of hdmpirun is not known; give it a name (-p)' out
}
ok "a group without a name of the project is refused" no_name
done_testing
