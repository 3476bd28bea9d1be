#!/bin/sh
# Calls that ask and find nothing: that they do not read the clock where the time
# stamp counter may be trusted, and that their times are true nevertheless.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
command -v python3 >/dev/null || skip_all "there is no python3"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"
# One rank has its processor for itself.
unset OMPI_MCA_mpi_yield_when_idle

# Compile the program: LIBRARY.
compile() {
	# CC, and what pkg-config says, may hold several words.
	# shellcheck disable=SC2046,SC2086
	${CC:-cc} -O1 -o "$scratch/polls-$1" -Wl,--export-dynamic \
		"$abs_top_srcdir/tests/mpi/polls.c" -ldl \
		$("${PKG_CONFIG:-pkg-config}" --cflags --libs "$(package "$1")")
}

# Run it: LIBRARY NAME=VALUE...
run() {
	library=$1
	shift
	rm -rf "$scratch/run" && mkdir "$scratch/run" && cd "$scratch/run" || return 1
	launch "$library" 1 env HDTRACE_MPI_PROJECT=p "$@" \
		LD_PRELOAD="$abs_top_builddir/libhdMPI-$library.so" \
		"$scratch/polls-$library" >said || return 1
	cat said
	[ "$(wc -l <said)" -eq 8 ] && "$hdtrace" check p
}

# Whether the counter of this machine may be trusted, as common/tsc.h says.
is_trusted() {
	grep -qw nonstop_tsc /proc/cpuinfo && grep -qw constant_tsc /proc/cpuinfo &&
		grep -qw tsc /sys/devices/system/clocksource/clocksource0/available_clocksource
}

# Whether a reading of the clock takes so little that it may be compared with the
# counter, which is not done where it takes more than 1 us: LIBRARY
is_quick() {
	[ "$("$scratch/polls-$1" cost)" -le 500 ]
}

# Less than a reading for each second call; those that there are begin and end
# states, of which a busy machine makes more. It was two a call.
few_readings() {
	awk '$1 != "found" && $3 * 2 >= $2 { print "too many:", $0; bad = 1 }
		END { exit bad }' said
}

# Functions that ask in turn share states: there was one for each call. A busy machine
# makes more states, where the program does not run for a while.
few_states() {
	[ "$(grep -c '^<Polls ' p_*.trc)" -gt 0 ] &&
		[ "$(grep -cE '^<(Polls|Iprobe|Testall) ' p_*.trc)" -lt 3000 ]
}

# What the tracer takes of each call was measured: some nanoseconds of each.
own_part() {
	sed -n "s/^<Test flag='0' calls='\([0-9]*\)' .*tracerNs='\([0-9]*\)'.*/\1 \2/p" \
		p_*.trc >parts
	cat parts
	awk '{ calls += $1; ns += $2 } END {
		exit !(calls > 1000 && ns > calls && ns < 2000 * calls) }' parts
}

# With each poll a state of its own there are as many as ever, which says that
# readings are counted.
many_readings() {
	run "$1" HDTRACE_MPI_POLLS=1 &&
		awk '$1 != "found" && $3 < 2 * $2 { print "too few:", $0; bad = 1 }
			END { exit bad }' said
}

# All calls are there; states lie where their calls were, one after the other,
# and what was inside of calls is not more than that.
true_times() {
	python3 - p_*.trc said <<'END'
import re, sys
from decimal import Decimal
text = open(sys.argv[1]).read()
epoch = int(re.search(r"timeAdjustment='(\d+)'", text)[1]) * 10**9
def ns(seconds):
    return epoch + int(Decimal(seconds) * 10**9)
states = []
for name, attributes in re.findall(r"<(\w+) ([^<>]*end='[^<>]*)/?>", text):
    a = dict(re.findall(r"(\w+)='([^']*)'", attributes))
    if name != "Tracer":
        states.append((name, a, ns(a["time"]), ns(a["end"])))
last = 0
for name, a, begin, end in states:
    assert last <= begin <= end, (name, a, last)
    last = end
for line in open(sys.argv[2]):
    name, calls, _, begin, end = line.split()
    calls, begin, end = int(calls), int(begin), int(end)
    inside = [s for s in states if begin <= s[2] and s[3] <= end]
    names = {s[0] for s in inside}
    total = 0
    if name == "found":
        assert names == {"Test", "Send"}, names
        found = [s for s in inside if s[1].get("flag") == "1"]
        assert len(found) == 1 and found[0] is inside[-1], found
        inside = [s for s in inside if s[1].get("flag") == "0"]
    elif name == "Polls":
        assert names <= {"Polls", "Iprobe", "Testall"}, names
        total = {"Iprobe": 0, "Testall": 0}
    else:
        assert names == {name}, (name, names)
    for state, a, start, stop in inside:
        n = int(a.get("calls", 1))
        if state == "Polls":
            assert "calls" not in a and "cid" not in a and "count" not in a, a
            n = sum(int(a[f"{function}Calls"]) for function in total)
            spent = sum(int(a[f"{function}InsideNs"]) for function in total)
            for function in total:
                total[function] += int(a[f"{function}Calls"])
        elif name == "Polls":
            total[state] += n
        else:
            total += n
        if n == 1:
            continue
        if state != "Polls":
            spent = int(a["insideNs"])
        assert 0 <= int(a.get("tracerNs", 0)) < spent, a
        # No more than 10 us between two, and nothing counted twice.
        assert 0 < spent <= stop - start + 100, (a, start, stop)
        assert stop - start - spent <= (n - 1) * 10000 + 100, (a, start, stop)
    if name == "Polls":
        assert total == {"Iprobe": calls / 2, "Testall": calls / 2}, total
        continue
    assert total == calls, (name, total, calls)
print(len(states), "states")
END
}

for library in $(built_libraries); do
	can_launch "$library" || {
		skip "$library" "no program of it can be run"
		continue
	}
	ok "$library: the program compiles" compile "$library"
	ok "$library: the program runs" run "$library"
	ok "$library: states of polls have the true times" true_times
	ok "$library: functions that poll in turn share states" few_states
	ok "$library: the tracer's part is recorded" own_part
	if ! is_quick "$library"; then
		skip "$library: polls read the clock rarely" \
			"reading the clock takes long here"
	elif is_trusted; then
		ok "$library: polls read the clock rarely" few_readings
	else
		skip "$library: polls read the clock rarely" \
			"the time stamp counter may not be trusted here"
	fi
	ok "$library: --polls records each poll" many_readings "$library"
	ok "$library: each poll has its time" true_times
	ok "$library: polls survive a drifting clock" \
		run "$library" HDTRACE_MPI_TEST_CLOCK="0 900000"
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
