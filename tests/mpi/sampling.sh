#!/bin/sh
# Samples of the program between its MPI calls: functions whose shares are known are within
# the stated error, which is doubled here so that one run in 10000 fails; calls that wait are
# not interrupted.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"
command -v python3 >/dev/null || skip_all "there is no python3"
hdmpirun=${abs_top_builddir:?}/hdmpirun

compiles() {
	"$compiler" -g -O1 -o sampled "$abs_top_srcdir/tests/mpi/sampled.c"
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
	ok "$library: samples are printed as text" has_inclusive
	ok "$library: a project without samples is reported" none
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
