#!/bin/sh
# A layer below MPI-IO relates what it does to the MPI call that it is done for.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"

# Run the program in a new directory: LIBRARY ask|silent
run() {
	rm -rf "$scratch/run" && mkdir "$scratch/run" && cd "$scratch/run" ||
		return 1
	HDTRACE_MPI_PROJECT=p launch "$1" 2 \
		"$abs_top_builddir/tests/mpi/below-$1" p data "$2" >out 2>&1
	status=$?
	cat out
	[ "$status" -eq 0 ]
}

# Each write of the layer has a cause, which is a call of that function on a node
# of a rank; every byte was written for a call.
related() {
	"$hdtrace" merge -f p && "$hdtrace" check p.proj &&
		"$hdtrace" relations --format=json p.proj >json || return 1
	python3 - <<'END'
import json
relations = json.load(open("json"))["relations"]
by = {i["token"]: i for i in relations}
writes = [i for i in relations if i["name"] == "write"]
calls = [i for i in relations if i["name"] != "write"]
assert writes and calls
for i in writes:
    assert i["layer"] == "DISK" and i["parent_found"], i
    call = by[i["parent"]]
    assert call["start_s"] <= i["start_s"] and i["end_s"] <= call["end_s"], i
    assert len(call["states"]) == 1 and call["parent"] is None, call
names = sorted(i["name"] for i in calls)
assert names.count("File_write_at") == 6, names
assert names.count("Comm_dup") == 2, names
assert set(names) <= {"File_write_at", "File_write_at_all", "Comm_dup"}, names
size = sum(int(s["attributes"]["size"]) for i in writes for s in i["states"])
assert size == 800000, size
nodes = {i["node"].split("_", 1)[1] for i in calls}
assert nodes <= {"0_0", "1_0"} or nodes <= {"0/0", "1/0"}, nodes
END
}

# Nobody has asked: there are no relations.
none() {
	"$hdtrace" check p.proj && [ -z "$(find . -name '*.rel')" ]
}

switched_off() {
	HDTRACE_RELATION=0
	export HDTRACE_RELATION
	run "$1" ask
	result=$?
	unset HDTRACE_RELATION
	[ "$result" -eq 0 ] && none
}

for library in $(built_libraries); do
	can_launch "$library" || {
		skip "$library" "its programs cannot be run"
		continue
	}
	ok "$library: a program with a layer below MPI-IO runs" run "$library" ask
	ok "$library: states of the layer are related to MPI calls" related
	ok "$library: a program that requests no relations runs" run "$library" silent
	ok "$library: no relations are recorded without a request" none
	ok "$library: HDTRACE_RELATION=0 disables relations" switched_off "$library"
done
done_testing
