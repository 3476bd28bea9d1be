#!/bin/sh
# Samples of the program between its MPI calls: functions whose shares are known are within
# the stated error, which is doubled here so that one run in 10000 fails; calls that wait are
# not interrupted. perf_event_open and the timer say the same, of deep stacks too.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"
command -v python3 >/dev/null || skip_all "there is no python3"
hdmpirun=${abs_top_builddir:?}/hdmpirun

compiles() {
	"$compiler" -g -O1 -o sampled "$abs_top_srcdir/tests/mpi/sampled.c" &&
		"$compiler" -g -O1 -pthread -o storm "$abs_top_srcdir/tests/mpi/storm.c"
}

samples() {
	rm -rf p.proj p_*
	launch "$library" 1 "$hdmpirun" --sample=250 -p p ./sampled &&
		"$hdtrace" check p && "$hdtrace" stat --samples --format=json p >json
}

# 90, 9 and 1 %; of all that was sampled, which has but for that some loops.
shares() {
	python3 - <<'END'
import json, math
said = json.load(open("json", encoding="utf-8"))
rows = {row["function"]: row for row in said["rows"]}
total = said["count"]
assert total > 50 and said["lost"] == 0, said
for name, share in (("spendsMost", .9), ("spendsSome", .09), ("spendsLittle", .01)):
    count = rows[name]["count"] if name in rows else 0
    error = 2 * 1.96 * math.sqrt(total * share * (1 - share)) + 1
    print(name, count, "of", total, "expected", total * share, "+-", error)
    assert abs(count - total * share) <= error
    if count:
        told = 1.96 * math.sqrt(count * (1 - count / total)) * said["cycle_s"]
        assert abs(rows[name]["exclusive_error_s"] - told) < 1e-6
main = rows["main"]
assert main["inclusive_count"] == total and main["count"] == 0, main
assert rows["computes"]["inclusive_count"] >= total - 3
END
}

# What took the samples; the first argument is what may have.
taken_by() {
	grep -E "\"source\": \"($1)\"" json
}

timer() {
	HDTRACE_MPI_SAMPLE_TIMER=1
	export HDTRACE_MPI_SAMPLE_TIMER
	samples
	status=$?
	unset HDTRACE_MPI_SAMPLE_TIMER
	[ "$status" -eq 0 ] && taken_by timer
}

# Of 40 functions inside each other, as many as the deepest stack has, in a time that
# fills the kernel's buffer several times: no sample is lost, none is in MPI. A child of
# fork() has none.
deep() {
	rm -rf p.proj p_*
	launch "$library" 1 "$hdmpirun" --sample=2000 -p p ./sampled 40 &&
		"$hdtrace" check p && "$hdtrace" stat --samples --format=json p >json &&
		python3 - <<'END'
import json
said = json.load(open("json", encoding="utf-8"))
rows = {row["function"]: row for row in said["rows"]}
print(said["source"], said["count"], said["lost"], rows.get("deepens"))
assert said["count"] > 50 and said["lost"] == 0
inner = rows["spendsSome"]["count"]
assert inner > 0.9 * said["count"]
assert rows["deepens"]["inclusive_count"] >= 0.99 * inner
assert not any(name.startswith(("MPI_", "PMPI_")) for name in rows)
END
}

# Samples of a region are written in it, not by the next MPI call.
in_region() {
	awk '/<Sample/ { n++ } /<Deep / { found = n >= 50 } END { print n, found; exit !found }' p_*_0_0.trc
}

# Samples of the tracer, as it starts, do not shorten the state of MPI_Init.
init_is_whole() {
	cat p_*_0_0.trc | tr '<' '\n' | grep '^Init ' |
		sed "s/.* time='\([0-9.]*\)' end='\([0-9.]*\)'.*/\1 \2/" |
		awk '{ print; found = $2 - $1 > 0.001 } END { exit !found }'
}

# Samples of calls that are not recorded are of the MPI library, or of the tracer, whose
# samples are left out. Recording is disabled at first.
none_of_tracer() {
	rm -rf s.proj s_*
	HDTRACE_MPI_SAMPLE_TIMER=1 OMPI_MCA_mpi_yield_when_idle=0 launch "$library" 1 \
		"$hdmpirun" --sample=100 --disabled --classes=env -p s ./storm &&
		"$hdtrace" check s && "$hdtrace" stat --samples s >/dev/null && python3 - s_*_0_0.trc <<'END'
import collections, os, re, sys
text = open(sys.argv[1], encoding="utf-8").read()
def attributes(tag):
    return dict(re.findall(r"(\w+)='([^']*)'", tag))
objects, places, found = {}, {}, collections.Counter()
for tag in re.findall(r"<Object ([^>]*)/>", text):
    row = attributes(tag)
    objects[row["id"]] = os.path.basename(row["path"])
for tag in re.findall(r"<Site ([^>]*)/>", text):
    row = attributes(tag)
    places[row["id"]] = (objects[row["object"]], row.get("caller"))
for tag in re.findall(r"<Sample ([^>]*)>", text):
    at = attributes(tag)["site"]
    while at and not places[at][0].startswith(("libmpi", "libhdMPI-", "libopen-", "mca_")):
        at = places[at][1]
    found[places[at][0] if at else "the program"] += 1
print(found)
assert not any(name.startswith("libhdMPI-") for name in found)
assert sum(found.values()) > 100 and len(found) > 1
END
}

has_inclusive() {
	"$hdtrace" stat --samples p >text && cat text && grep -q 'statistical error' text
}

none() {
	rm -rf q.proj q_*
	launch "$library" 1 "$hdmpirun" -p q ./sampled && "$hdtrace" stat --samples q 2>err
	status=$?
	cat err
	[ "$status" -eq 2 ] && grep 'no samples; record with hdmpirun --sample' err
}

for library in $(built_libraries); do
	case $library in
	openmpi) compiler=$MPICC_OPENMPI ;;
	mpich) compiler=$MPICC_MPICH ;;
	esac
	if ! can_launch "$library" || [ -z "$compiler" ]; then
		skip "$library" "mpiexec or mpicc does not work here"
		continue
	fi
	mkdir "$scratch/$library" && cd "$scratch/$library" || exit 99
	ok "$library: the program compiles" compiles
	ok "$library: a sampled program runs, and its waits are not interrupted" samples
	if grep -q '"function": "main"' json; then
		ok "$library: functions have their shares" shares
	else
		skip "$library: functions have their shares" "there is no libdw"
	fi
	ok "$library: samples are taken without a signal, where the kernel allows it" \
		taken_by 'perf_event|timer'
	ok "$library: samples are printed as text" has_inclusive
	ok "$library: a timer takes samples on request" timer
	if grep -q '"function": "main"' json; then
		ok "$library: functions have their shares by a timer" shares
		ok "$library: deep stacks are sampled during a long computation" deep
		ok "$library: samples of a region are in the region" in_region
		ok "$library: no sample shows the tracer's own work" none_of_tracer
		ok "$library: MPI_Init has its whole length" init_is_whole
	else
		skip "$library: functions have their shares by a timer" "there is no libdw"
		skip "$library: deep stacks are sampled" "there is no libdw"
		skip "$library: samples of a region" "there is no libdw"
	fi
	ok "$library: a project without samples is reported" none
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
