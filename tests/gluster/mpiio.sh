#!/bin/sh
# MPI programs that write to a volume: the call of MPI is the root of the tree, by
# libgfapi for certain, on a mount by whose process it was and when.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain slow waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/gluster.sh"
# One of the MPI libraries is enough.
library=mpich
[ -f "${abs_top_builddir:?}/libhdMPI-mpich.so" ] || library=openmpi
[ -f "$abs_top_builddir/libhdMPI-$library.so" ] || skip_all "there is no MPI library"
gluster_apart "$0"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
# Here, where there may be no network but this one.
can_launch "$library" || skip_all "programs of $library cannot be run"
HDMPI_LINKDIR=$abs_top_builddir/.libs
HDTRACE_VERBOSITY=-1
export HDMPI_LINKDIR HDTRACE_VERBOSITY
case $library in
mpich) mpicc=${MPICC_MPICH-mpicc.mpich} ;;
*) mpicc=${MPICC_OPENMPI-mpicc.openmpi} ;;
esac

# Run the program, with two ranks: FILE [VOLFILE]
run() {
	HDTRACE_PREFIX=$here/t/
	export HDTRACE_PREFIX
	launch "$library" 2 "$abs_top_builddir/hdmpirun" -p m "$scratch/mpiio" "$@"
	result=$?
	unset HDTRACE_PREFIX
	return "$result"
}
# One project of both programs, and its relations.
joined() {
	"$hdtrace" merge -q -f t/p && "$hdtrace" merge -q -f t/m &&
		"$hdtrace" merge -q --into t/all t/p t/m &&
		"$hdtrace" check t/all &&
		"$hdtrace" relations --format=json t/all >all.json
}
by_library() {
	brick && client_file && run stands client.vol && ends
}
by_mount() {
	volume 1 && run m0/shared && ends
}
# Every write of the storage, up to its root: how that is known, WHAT.
rooted() {
	python3 - "$1" "$hdtrace" <<'END'
import json, subprocess, sys
def tree(token):
    return json.loads(subprocess.check_output(
        [sys.argv[2], "relations", "--format=json", "--tree=" + token, "t/all"]))
relations = json.load(open("all.json"))["relations"]
by = {i["token"]: i for i in relations}
writes = [i for i in relations if (i["name"], i["layer"]) == ("writev", "TROVE")]
size = sum(int(s["attributes"]["size"]) for i in writes for s in i["states"])
assert size == 2 * 65536, size
ranks = set()
for i in writes:
    layers = []
    while i["parent"]:
        layers.append(i["layer"])
        i = by[i["parent"]]
    cause = tree(i["token"]).get("inferred_cause")
    if sys.argv[1] == "certain":
        assert i["name"] == "File_write_at" and not cause, (i, cause)
        assert layers == ["TROVE", "REQ", "BMI", "FLOW", "CLIENT"], layers
        ranks.add(i["node"])
    else:
        assert (i["name"], i["layer"]) == ("writev", "CLIENT"), i
        assert cause["state"] == "File_write_at", cause
        assert layers == ["TROVE", "REQ", "BMI", "FLOW"], layers
        ranks.add(cause["node"])
assert len(ranks) == 2, ranks
END
}
scene library
# shellcheck disable=SC2046 # lists of options
ok "the MPI-IO program is built" "$mpicc" -std=gnu11 -o "$scratch/mpiio" \
	"$abs_top_srcdir/tests/gluster/mpiio.c" -rdynamic -pthread -ldl \
	$(${PKG_CONFIG:-pkg-config} --cflags-only-I --libs glusterfs-api)
ok "$library: MPI-IO writes by libgfapi" by_library
ok "$library: projects of servers and libgfapi program are joined" joined
ok "$library: MPI calls are the roots of relations" rooted certain
scene mount
ok "$library: MPI-IO writes on a mount" by_mount
ok "$library: projects of servers and mount are joined" joined
ok "$library: MPI calls are inferred as causes" rooted inferred
done_testing
