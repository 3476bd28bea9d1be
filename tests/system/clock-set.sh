#!/bin/sh
# The system clock is set, or the machine sleeps, while a program records power, utilization,
# a gauge, relations, states of Python, levels of a load or tasks of a graph: no joule and no
# second comes of it, and it is said.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "a library before those of sanitizers"
command -v python3 >/dev/null || skip_all "no python3"
pt=${abs_top_builddir:?}/pt
rut=$abs_top_builddir/rut
hdtrace=$abs_top_builddir/hdtrace
preload=$abs_top_builddir/tests/system/stepclock.so
cd "$scratch" || exit 99
mkdir -p sys/class/powercap/intel-rapl:0
grower=
# shellcheck disable=SC2086
trap 'kill $grower 2>/dev/null; rm -rf "$scratch"' EXIT

# A meter that counts 100 W, by a clock that is not set.
cat >grow.py <<'END'
import os, time
d = "sys/class/powercap/intel-rapl:0/"
open(d + "name", "w").write("package-0\n")
open(d + "max_energy_range_uj", "w").write("99999999999999\n")
open(d + "energy_uj", "w").write("%020d\n" % 0)
f = os.open(d + "energy_uj", os.O_WRONLY)
open("ready", "w").write("1")
begin, parent = time.monotonic(), os.getppid()
last, longest = begin, 0
while os.getppid() == parent:
    now = time.monotonic()
    os.pwrite(f, b"%020d\n" % int((now - begin) * 100e6), 0)
    # How old a reading may be: others may keep this from running.
    if now - last > longest:
        longest = now - last
        open("lag.new", "w").write("%f" % longest)
        os.rename("lag.new", "lag")
    last = now
    time.sleep(0.001)
END
python3 grow.py &
grower=$!
until_done test -e ready || { echo "Bail out! no meter"; exit 1; }

cat >judge.py <<'END'
"""PROJECT REPORT.json SECONDS COUNT SUM: power and times of a project."""
import json, sys
project, seconds, count, total = sys.argv[1], *map(float, sys.argv[3:6])
d = json.load(open(sys.argv[2]))
values = {v["name"]: v for g in d["groups"] for v in g["values"]}
print(project, d["duration_s"], values)
known = values["E"]["known_s"]
# The meter counts 100 W; the first and the last of its readings may be that old.
most = 1 + 100 * float(open("lag").read())
print("within %.2f %%" % most)
assert abs(values["E"]["total"] / known - 100) < most, (values["E"], known)
assert abs(values["P"]["total"] / values["P"]["known_s"] - 100) < most
assert abs(known - 2) < 0.25, known
assert abs(d["duration_s"] - seconds) < 0.25, d["duration_s"]
steps = d.get("clock_steps", [])
assert sum(s["count"] for s in steps) == count, steps
assert abs(sum(s["sum_s"] for s in steps) - total) < 1e-3, steps
END

cat >law.py <<'END'
"""PROJECT REPORT.json: power and energy are those of a law that knows no clock but
that of the readings: within a thousandth, whoever uses this machine."""
import json, sys
d = json.load(open(sys.argv[2]))
values = {v["name"]: v for g in d["groups"] for v in g["values"]}
print(sys.argv[1], d["duration_s"], values)
for name in "E", "P":
    mean = values[name]["total"] / values[name]["known_s"]
    assert abs(mean - 100) <= 0.1, (name, mean)
END

# Record with pt while the clock is set: NAME BY SLEEP
records() {
	printf '[General]\ndevice=sim\nlaw=idle:100,busy:100\ncycle=50\nproject=law-%s\ntopology=Host\n[Trace]\ntype=HDSTATS\nnode=n\ninput=host\nvalues=P,E\n' \
		"$1" >"law-$1.cfg"
	HD_STEP_AT=1 HD_STEP_BY=$2 HD_SLEEP_BY=$3 LD_PRELOAD=$preload \
		"$pt" -c "law-$1.cfg" -d 2 -q &
	printf '[General]\ndevice=powercap\ncycle=50\nproject=%s\ntopology=Host\n[Trace]\ntype=HDSTATS\nnode=n\ninput=*\nvalues=P,E\n' \
		"$1" >"$1.cfg"
	HD_STEP_AT=1 HD_STEP_BY=$2 HD_SLEEP_BY=$3 LD_PRELOAD=$preload \
		"$pt" --root="$scratch" -c "$1.cfg" -d 2 -q
	wait
}

# All at once: they wait more than they do. NAME BY SLEEP
steps='none 0 0
back -3 0
little 0.002 0
hour 3600 0
decade -315360000 0
ahead 315360000 0
asleep 0 500
both -7200 500'
echo "$steps" | {
	while read -r name by slept; do
		records "$name" "$by" "$slept" &
	done
	wait
}

energy() {
	seconds=2 count=1
	[ "$2" != 0 ] || count=0
	[ "$3" = 0 ] || seconds=$((2 + $3))
	"$hdtrace" report --format=json "$1" >"$1.json" &&
		python3 judge.py "$1" "$1.json" "$seconds" "$count" "$2" &&
		"$hdtrace" report --format=json "law-$1" >"law-$1.json" &&
		python3 law.py "law-$1" "law-$1.json"
}
echo "$steps" >steps
while read -r name by slept; do
	ok "pt: energy is correct with the clock set by $by s and $slept s of sleep" energy "$name" "$by" "$slept"
done <steps

is_said() {
	"$hdtrace" check hour >out && cat out && grep -q 'clock.*3600.*\[clock.stepped\]' out &&
		"$hdtrace" report hour >out && grep '^  Clock .*by +3600' out &&
		"$hdtrace" check none >out && ! grep clock out
}
ok "check and report note that the clock was set" is_said

# Intervals of a dump lie within those that a program has printed by a clock that is not
# set, and begin as far from each other, but for SLEEP: SAID SLEEP BEGIN-END...
cat >intervals.py <<'END'
import sys
said = [tuple(map(float, line.split())) for line in open(sys.argv[1])]
slept = float(sys.argv[2])
found = [tuple(map(float, line.split())) for line in sys.stdin]
assert len(found) == len(said) > 2, (len(found), len(said))
for (begin, end), (start, stop) in zip(said, found):
    print("%.6f s of at most %.6f s" % (stop - start, end - begin))
longer = [i for i, ((begin, end), (start, stop)) in enumerate(zip(said, found))
          if stop - start > end - begin + 1e-4]
assert len(longer) == (1 if slept else 0), longer
for i in longer:
    lasted = found[i][1] - found[i][0] - (said[i][1] - said[i][0])
    assert abs(lasted - slept) < 1, lasted
assert all(stop - start > 0.0399 for start, stop in found)
moved = found[-1][0] - found[0][0] - (said[-1][0] - said[0][0])
assert abs(moved - slept) < 1, moved
END

# The project is sound, and says that the clock was set: PROJECT BY
says_step() {
	"$hdtrace" check "$1" >out
	cat out
	grep -q '0 errors, 0 warnings' out && grep -q "clock was set.*$2.*\[clock.stepped\]" out
}

# Record a gauge and relations: BY SLEEP
gauges() {
	rm -rf stepped gauge.proj gauge_*
	HD_STEP_FILE=$scratch/stepped HD_STEP_BY=$1 HD_SLEEP_BY=$2 LD_PRELOAD=$preload \
		./clockset >said || return 1
	"$hdtrace" merge -q gauge && says_step gauge "$1" && "$hdtrace" dump gauge >dumped ||
		return 1
	awk '$3 == 1 && $4 == 4096 { print $1, $2 }' dumped | python3 intervals.py said "$2" &&
		awk '$2 == "state" { begin = $1 } $2 == "state-end" { print begin, $1 }' dumped |
		python3 intervals.py said "$2"
}

# Record states of Python: BY SLEEP
cat >states.py <<'END'
import time
import hdtrace
hdtrace.record("states", host="h")
for i in range(10):
    begin = time.monotonic()
    with hdtrace.state("work"):
        time.sleep(0.02)
        if i == 4:
            open("stepped", "w").close()
        time.sleep(0.02)
    print("%.9f %.9f" % (begin, time.monotonic()))
    time.sleep(0.02)
hdtrace.finish()
END
states() {
	rm -rf stepped states.proj states_*
	HD_STEP_FILE=$scratch/stepped HD_STEP_BY=$1 HD_SLEEP_BY=$2 LD_PRELOAD=$preload \
		PYTHONPATH=$abs_top_builddir/PythonModule python3 states.py >said || return 1
	"$hdtrace" merge -q states && says_step states "$1" && "$hdtrace" dump states >dumped &&
		awk '$3 == "work" { print $1, $2 }' dumped | python3 intervals.py said "$2"
}
if ${CC:-cc} -std=gnu11 -I"$abs_top_srcdir/HDTraceWritingCLibrary/include" -o clockset \
	"$abs_top_srcdir/tests/system/clockset.c" "$abs_top_builddir/.libs/libhdTracing.a" \
	-lpthread -lm 2>err; then
	ok "gauges and relations are correct with the clock set by an hour" gauges 3600 0
	ok "gauges and relations are correct with the clock set back and 500 s of sleep" \
		gauges -7200 500
else
	skip "gauges and relations" "they cannot be linked: $(head -n 1 err)"
fi
if [ -e "$abs_top_builddir/PythonModule/hdtrace/_native.abi3.so" ] &&
	python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
	ok "Python: states are correct with the clock set by an hour" states 3600 0
	ok "Python: states are correct with the clock set back and 500 s of sleep" \
		states -7200 500
else
	skip "Python: states" "built without the package of Python"
fi

# Levels of half a second, one behind the other: BY. Their ends are planned; what others use
# of this machine makes one begin late, and it is shorter then.
levels() {
	rm -f levels.proj levels_*
	HD_STEP_AT=0.75 HD_STEP_BY=$1 HD_SLEEP_BY=0 LD_PRELOAD=$preload "$hdload" -q --cpus=0 \
		--loads=0.5:0,0.5:0.1,0.5:0 -p levels || return 1
	says_step levels "$1" && "$hdtrace" dump levels >dumped &&
		awk '$3 == "Level" { print $1, $2 }' dumped | python3 -c '
import sys
found = [tuple(map(float, line.split())) for line in sys.stdin]
print(found)
assert len(found) == 3
assert all(0 < end - begin < 5 for begin, end in found)
assert 1 < found[2][1] - found[0][0] < 6
assert all(0 <= after[0] - before[1] < 5 for before, after in zip(found, found[1:]))
'
}
hdload=$abs_top_builddir/hdload
if [ -x "$hdload" ]; then
	ok "hdload: levels are correct with the clock set by an hour" levels 3600
	ok "hdload: levels are correct with the clock set back" levels -7200
else
	skip "hdload: levels" "no hdload"
fi

# Tasks, whose kernel prints its times by a clock that is not set, and during one of which
# the clock is set: a task takes as long as its kernel, and less than from the one before to
# the one behind. BY
cat >nap.c <<'END'
#include <fcntl.h>
#include <hdKernel.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
static int nap(const hdKernelCall *call)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	const double begin = now();
	static int count;
	FILE *said = fopen("said", "a");

	(void)call;
	nanosleep(&pause, NULL);
	if (++count == 5)
		close(open("stepped", O_CREAT | O_WRONLY, 0600));
	nanosleep(&pause, NULL);
	fprintf(said, "%.9f %.9f\n", begin, now());
	return fclose(said);
}
HDKERNELS({ "NAP", nap, 0 })
END
cat >tasks.py <<'END'
import sys
said = [tuple(map(float, line.split())) for line in open("said")]
found = [tuple(map(float, line.split())) for line in sys.stdin]
print(said, found)
assert len(found) == len(said) == 10
for i, (start, stop) in enumerate(found):
    assert stop - start > said[i][1] - said[i][0] - 1e-6, i
    if 0 < i < 9:
        assert stop - start < said[i + 1][0] - said[i - 1][1] + 1e-6, i
END
tasks() {
	rm -rf said stepped tasks.proj tasks_*
	HD_STEP_FILE=$scratch/stepped HD_STEP_BY=$1 HD_SLEEP_BY=0 LD_PRELOAD=$preload \
		OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$hdexecute" -q \
		--kernels=. --platform=nap-platform.xml -p tasks nap.xml || return 1
	says_step tasks "$1" && "$hdtrace" dump tasks >dumped &&
		awk '$3 == "NAP" { print $1, $2 }' dumped | python3 tasks.py
}
hdexecute=$abs_top_builddir/hdexecute
if [ -x "$hdexecute" ] && ${CC:-cc} -shared -fPIC -I"$abs_top_srcdir/PredictionLibrary/include" \
	-o NAP.so nap.c 2>err; then
	echo '<platform><node id="n"><main-memory id="n.m" size="1e9"/>
		<pe id="n.0" architecture="cpu"/></node></platform>' >nap-platform.xml
	{
		echo '<application><kernel id="NAP"/>'
		for task in 0 1 2 3 4 5 6 7 8 9; do
			echo "<task id=\"t$task\" kernel=\"NAP\">"
			echo "<map pe=\"n.0\" priority=\"$task\"/></task>"
		done
		echo '</application>'
	} >nap.xml
	ok "hdexecute: tasks are correct with the clock set by an hour" tasks 3600
	ok "hdexecute: tasks are correct with the clock set back" tasks -7200
else
	skip "hdexecute: tasks" "no hdexecute, or kernels cannot be built"
fi

# Time of a project of rut that is killed after the step: it is said as well.
killed() {
	HDTRACE_FLUSH_MS=20 HD_STEP_AT=0.5 HD_STEP_BY=3600 LD_PRELOAD=$preload \
		"$rut" -q -s load -i 50ms -d 60 -p killed &
	child=$!
	until_done has_line || return 1
	sleep 0.3
	kill -9 "$child"
	wait "$child"
	"$hdtrace" check killed >out
	cat out killed_*.info
	grep -q 'clock was set by +3600.*\[clock.stepped\]' out &&
		"$hdtrace" info --format=json killed >json && python3 -c '
import json
d = json.load(open("json"))
print(d)
assert 0.5 < d["end_s"] - d["start_s"] < 60
'
}
has_line() {
	cat killed_*.info 2>/dev/null | grep -q '^ClockStep '
}
if [ -x "$rut" ]; then
	ok "rut: clock steps of a killed process are known" killed
else
	skip "rut: clock steps of a killed process are known" "no rut"
fi
done_testing
