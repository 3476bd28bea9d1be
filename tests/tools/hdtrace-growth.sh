#!/bin/sh
# The time that hdtrace takes for many files grows as their number does.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
command -v python3 >/dev/null || skip_all "python3 is missing"
cd "$scratch" || exit 99

fresh() {
	cd "$scratch" && rm -rf work && mkdir work && cd work || exit 99
}

empty_proj() {
	cat >p.proj <<'END'
<Application name="p"><Topology><Level type="Host"><Level type="Rank"/></Level>
</Topology></Application>
END
}

# So many files of four kinds, and projects with longer names: COUNT
many_files() {
	fresh
	empty_proj
	stat_header a G 'name="V" type="INT32"' >model.stat
	stamp 1000000000 >>model.stat
	awk -v count="$1" 'BEGIN {
		while ((getline line <"model.stat") > 0)
			header = header line "\n"
		for (i = 0; i < count; i++) {
			file = sprintf("p_a_G%d.stat", i)
			printf "%s", header >file
			close(file)
			file = sprintf("p_h%d_0.trc", i)
			printf "<Program timeAdjustment=\"0\"/>" >file
			close(file)
			file = sprintf("p_h%d_0.info", i)
			printf "" >file
			close(file)
			file = sprintf("p_x%d.proj", i)
			printf "<Application/>" >file
			close(file)
		}
	}'
	rm model.stat
}

# CPU time of so many runs of a command in ms, the least of three: COMMAND RUNS
cpu_ms() {
	python3 - "$hdtrace" "$1" "$2" <<'END'
import resource, subprocess, sys
best = 1e9
for _ in range(3):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    arguments = ["-o", "/dev/null", "p"] if sys.argv[2] == "merge" else ["p"]
    for _ in range(int(sys.argv[3])):
        subprocess.run([*sys.argv[1:3], *arguments], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    best = min(best, after.ru_utime - before.ru_utime)
print(int(best * 1000) + 1)
END
}

# Eight times as many take eight times as long as eight runs together where time
# grows by the square. One run alone is too short to be measured.
grows() {
	small=$(sed -n "s/^$1 //p" "$scratch/small")
	large=$(cpu_ms "$1" 1)
	echo "$1: 8 runs $small ms, with 8 times the files $large ms"
	[ "$large" -lt $((small * 4)) ]
}

many_files 500
for command in info check merge; do
	echo "$command $(cpu_ms $command 8)"
done >"$scratch/small"
many_files 4000
for command in info check merge; do
	ok "$command: the time is linear in the size of the files" grows $command
done
done_testing

