#!/bin/bash
# hdload on this machine, which need not be quiet: what it records and prints, and
# what it says of levels that it does not reach. On a quiet machine, an independent
# reader of /proc/stat sees the levels, too.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
build=${abs_top_builddir:?}
hdload=$build/hdload
cd "$scratch" || exit 99
host=$(uname -n | tr -c 'A-Za-z0-9.\n' -)
cpu=$(taskset -cp $$ 2>/dev/null | sed 's/.*: *//; s/[,-].*//')
[ -n "$cpu" ] || cpu=0

# The attributes of states Level, one state a line: PROJECT ATTRIBUTE...
levels() {
	local project=$1
	shift
	tr -d '\n' <"${project}_$host.trc" | sed 's/<Level/\n<Level/g' | grep '^<Level' |
		while read -r line; do
			for key; do
				case $line in
				*" $key='"*)
					line_value=${line#*" $key='"}
					printf '%s ' "${line_value%%"'"*}"
					;;
				*) printf -- '- ' ;;
				esac
			done
			echo
		done
}

# Three calibrations, levels from 100 to 0 %, and pauses between them.
staircase() {
	"$hdload" -q --cpus="$cpu" --staircase=cpu-int --levels=5 --level-time=200ms \
		--pause=50ms -p s || return 1
	"$hdtrace" check s || return 1
	levels s component target calibration | tee found
	cat >expected <<'END'
cpu-int 100 1 
cpu-int 100 1 
cpu-int 100 1 
cpu-int 100 - 
cpu-int 80 - 
cpu-int 60 - 
cpu-int 40 - 
cpu-int 20 - 
cpu-int 0 - 
END
	diff expected found
}
ok "staircase records calibrations and levels" staircase

# hdtrace loads reads what hdload wrote.
table() {
	"$hdtrace" loads --format=json s >loads.json || return 1
	python3 - <<'END'
import json
found = json.load(open("loads.json"))
assert [i["target_percent"] for i in found["levels"]] == [100, 80, 60, 40, 20, 0], found
assert len(found["calibrations"]) == 3
for level in found["levels"]:
    assert level["component"] == "cpu-int" and level["reached_percent"] is not None
    assert level["own_percent"] is not None and abs(level["duration_s"] - 0.2) < 0.15
    assert level["operations"] == 0 or level["target_percent"] > 0
assert found["levels"][0]["scaled_percent"] == 100
assert found["valid"] is False
END
}
ok "hdtrace loads reads the levels" table

upwards() {
	"$hdload" -q --cpus="$cpu" --staircase=cpu-vector:up --levels=2 \
		--level-time=50ms --pause=0 --calibrate=0 -p u || return 1
	levels u component target | tee found
	[ "$(tr '\n' ' ' <found)" = 'cpu-vector 0  cpu-vector 50  cpu-vector 100  ' ]
}
ok "staircase goes up" upwards

# With a rate, 100 % is known: no calibration replaces it, and no more than the rate is
# sent: 300 KB in operations of 16 datagrams of 1442 bytes are 13.
rated() {
	"$hdload" -q --cpus="$cpu" --component=network --staircase=network --rate=1000000 \
		--levels=1 --level-time=200ms --pause=0 -p w 2>/dev/null && return 1
	"$hdload" -q --cpus="$cpu" --staircase=network --rate=1000000 --levels=1 \
		--level-time=300ms --pause=0 -p w || return 1
	levels w target calibration operations | tee found
	[ "$(wc -l <found)" -eq 2 ] && read -r target calibration operations <found &&
		[ "$target $calibration" = '100 -' ] && [ "$operations" -le 30 ]
}

square() {
	"$hdload" -q --cpus="$cpu" --square --load=0.6 --level-time=50ms -d 200ms \
		-p q || return 1
	[ "$(levels q target | tr '\n' ' ')" = '60  0  60  0  ' ]
}
ok "a rate needs no calibration" rated
ok "square alternates" square

random() {
	for n in 1 2 3; do
		"$hdload" -q --cpus="$cpu" --random --seed=$((n / 2)) \
			--level-time=20ms -d 200ms -p "r$n" || return 1
		levels "r$n" target | tr '\n' ' ' | tee "r$n"
	done
	! cmp r1 r2 >/dev/null || ! cmp r2 r3 >/dev/null || return 1
	cmp r2 r3 || [ "$(wc -w <r2)" -eq 10 ]
}
ok "random levels depend on the seed only" random

# One state for each component, one within the other.
several() {
	"$hdload" -q --cpus="$cpu" --component=cpu-float,memory --memory=8 --load=0.5 \
		-d 300ms -p v || return 1
	"$hdtrace" check v || return 1
	levels v component target | sort | tee found
	[ "$(tr '\n' ' ' <found)" = 'cpu-float 50  memory 50  ' ]
}
ok "several components at the same time" several

# The controller keeps rates of memory, network and disk, whatever else runs.
rates() {
	"$hdload" --cpus="$cpu" --component=network --rate=2000000 --load=0.5 -d 4s \
		-p n 2>err
	cat err
	reached=$(levels n own | cut -d . -f 1)
	echo "own $reached"
	[ "$reached" -ge 45 ] && [ "$reached" -le 55 ]
}
ok "rate of datagrams" rates

# As many operations as arrive, half of the rate; never more. Where other programs
# keep the worker from its CPU, the next try may succeed.
operations() {
	for _ in 1 2 3 4 5; do
		"$hdload" -q --cpus="$cpu" --operations=fixed --rate=500 --load=0.5 \
			-d 2s -f -p o || return 1
		count=$(levels o operations)
		echo "operations $count"
		[ "$count" -le 510 ] || return 1
		[ "$count" -lt 440 ] || return 0
	done
	return 1
}
ok "operations arrive at the rate of the level" operations

# Half a second of a quota that ends at 20 %: no level of 90 %.
quota() {
	local group status

	if [ -d /sys/fs/cgroup/cpu ]; then
		group=/sys/fs/cgroup/cpu/hdload-test-$$
		mkdir "$group" || return 1
		echo 100000 >"$group/cpu.cfs_period_us"
		echo 20000 >"$group/cpu.cfs_quota_us"
	else
		group=/sys/fs/cgroup/hdload-test-$$
		mkdir "$group" && echo '20000 100000' >"$group/cpu.max" || return 1
	fi
	sh -c 'echo $$ >"$1/cgroup.procs"; exec "$2" --cpus="$3" --load=0.9 -d 4s -p l' \
		x "$group" "$hdload" "$cpu" 2>err
	status=$?
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		rmdir "$group" 2>/dev/null && break
		sleep 0.1
	done
	cat err
	[ "$status" -eq 1 ] && [ "$(levels l target)" = '90 ' ] &&
		grep -q 'cpu-int: level not reached: target 90\.0 %, reached .* %, own [0-9.]* %; CPU quota of the control group: 0\.20 CPUs$' err &&
		own=$(levels l own | cut -d . -f 1) && [ "$own" -le 25 ]
}
if [ "$(id -u)" -eq 0 ] && { [ -w /sys/fs/cgroup/cpu ] || [ -w /sys/fs/cgroup/cgroup.procs ]; }; then
	ok "CPU quota is named, with exit status 1" quota
else
	skip "CPU quota is named, with exit status 1" "needs root and control groups"
fi

# The same CPU is busy with a nice competitor: 30 % cannot be all that is used.
competitor() {
	nice -n 19 taskset -c "$cpu" sh -c 'while :; do :; done' &
	local pid=$! status
	"$hdload" --cpus="$cpu" --load=0.3 -d 4s 2>err
	status=$?
	kill "$pid"
	wait "$pid" 2>/dev/null
	cat err
	[ "$status" -eq 1 ] && grep -q 'target 30\.0 %.*; other processes use the component$' err
}
ok "a competitor is named, with exit status 1" competitor

# /proc/stat by an independent reader; only where nothing else runs.
independent() {
	python3 - "$hdload" "$cpu" <<'END'
import subprocess, sys, time

def busy(cpu):
    for line in open("/proc/stat"):
        if line.startswith(f"cpu{cpu} "):
            t = [int(i) for i in line.split()[1:9]]
            return sum(t[:3]) + t[5] + t[6], sum(t)

hdload, cpu = sys.argv[1:]
a = busy(cpu)
time.sleep(1)
b = busy(cpu)
if b[0] - a[0] > 0.02 * (b[1] - a[1]):
    print("not quiet")
    sys.exit(77)
for target in 30, 70:
    child = subprocess.Popen([hdload, "-q", f"--cpus={cpu}", f"--load={target / 100}",
                              "-d", "7.2s"], stderr=subprocess.DEVNULL)
    time.sleep(2.1)
    a = busy(cpu)
    time.sleep(5)
    b = busy(cpu)
    child.wait()
    share = 100 * (b[0] - a[0]) / (b[1] - a[1])
    print(target, share)
    if abs(share - target) > 1:
        sys.exit(1)
END
}
independent >independent.log 2>&1
case $? in
77) skip "a reader of /proc/stat sees the levels" "other programs use the CPU" ;;
0) ok "a reader of /proc/stat sees the levels" true ;;
*) ok "a reader of /proc/stat sees the levels" sh -c 'cat independent.log; false' ;;
esac

# Datagrams over a pair of interfaces, as an independent reader of /proc/net/dev counts
# them: within 3 points of the target.
datagrams() {
	local name=hdl$$ status
	ip netns add "${name}a" && ip netns add "${name}b" &&
		ip link add v0 netns "${name}a" type veth peer name v1 netns "${name}b" &&
		ip -n "${name}a" addr add 10.9.9.1/24 dev v0 &&
		ip -n "${name}b" addr add 10.9.9.2/24 dev v1 &&
		ip -n "${name}a" link set v0 up && ip -n "${name}b" link set v1 up &&
		ip netns exec "${name}a" python3 - "$hdload" "$cpu" <<'END'
import subprocess, sys, time

def sent():
    for line in open("/proc/net/dev"):
        if "v0:" in line:
            return int(line.split(":")[1].split()[8]), time.monotonic()

for attempt in range(3):
    child = subprocess.Popen([sys.argv[1], "-q", "--component=network", "--peer=10.9.9.2",
                              "--rate=10e6", "--load=0.4", "-d", "5s",
                              f"--cpus={sys.argv[2]}"])
    time.sleep(2.1)
    a = sent()
    time.sleep(2.7)
    b = sent()
    status = child.wait()
    share = (b[0] - a[0]) / (b[1] - a[1]) / 10e6 * 100
    print("target 40, counted", share, "exit status", status)
    if abs(share - 40) < 3 and status == 0:
        sys.exit(0)
sys.exit(1)
END
	status=$?
	ip netns del "${name}a"
	ip netns del "${name}b"
	return "$status"
}
if [ "$(id -u)" -eq 0 ] && ip netns add "hdl$$" 2>/dev/null; then
	ip netns del "hdl$$"
	ok "a reader of /proc/net/dev counts the datagrams" datagrams
else
	skip "a reader of /proc/net/dev counts the datagrams" "needs root and network namespaces"
fi

# A project with a known utilization: CPU_TOTAL and NET_OUT of one or two nodes, in
# entries of 100 ms; one is missing.
utilization() {
	python3 - "$@" <<'END'
import struct, sys
name, *nodes = sys.argv[1:]
BASE, MS = 10 ** 9, 10 ** 6
with open(f"{name}.proj", "w") as file:
    file.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<Application name="{name}">\n'
               ' <Topology>\n  <Level type="Host" />\n'
               + "".join(f'  <Node name="{n}" />\n' for n in nodes)
               + " </Topology>\n <ExternalStatistics>\n  <Utilization />\n"
               " </ExternalStatistics>\n</Application>\n")
for node in nodes:
    header = (f'<Statistics>\n<TopologyNode>\n  <Label value="{node}" />\n</TopologyNode>\n'
              '<Group name="Utilization" timestampDatatype="EPOCH"'
              ' timeAdjustment="-0000000000.000000000">\n'
              '  <Value name="CPU_TOTAL" type="FLOAT" unit="%" />\n'
              '  <Value name="NET_OUT" type="INT64" unit="B" missing="-1" />\n'
              '</Group>\n</Statistics>\n')
    data = b"%05d\n" % len(header) + header.encode() + struct.pack(">II", BASE, 0)
    for i, (busy, out) in enumerate([(10, 20000), (30, 40000), (80, 100000), (100, 300000),
                                     (float("nan"), -1), (float("nan"), -1), (0, 0)]):
        data += struct.pack(">IIfq", BASE, (i + 1) * 100 * MS, busy, out)
    with open(f"{name}_{node}_Utilization.stat", "wb") as file:
        file.write(data)
END
}

# Windows of 200 ms: means, what is unknown goes on, and a short one at the end.
replay() {
	utilization run node1 || return 1
	"$hdload" --cpus="$cpu" --replay=run --level-time=200ms -p again 2>err
	status=$?
	cat err
	[ "$status" -eq 0 ] && grep -q 'run: 0\.200 s of the utilization are unknown' err &&
		grep -q 'cpu-int: replay: target 57\.1 %, reached .* in 0\.7 s$' err || return 1
	# (20 + 90 + 90) x 200 ms + 0 x 100 ms, by 700 ms: 57.1 %.
	levels again target | tee found
	[ "$(tr '\n' ' ' <found)" = '20  90  90  0  ' ]
}
ok "replay of a measured utilization" replay

# Bytes of 100 ms, by a rate of 1 MB/s; more than 100 % is 100 %.
replay_bytes() {
	"$hdload" -q --cpus="$cpu" --component=network --rate=1000000 --replay=run.proj \
		--level-time=100ms -p bytes || return 1
	levels bytes target | tee found
	[ "$(tr '\n' ' ' <found)" = '20  40  100  100  100  100  0  ' ]
}
ok "replay of measured traffic" replay_bytes

replay_node() {
	utilization two node1 node2 || return 1
	"$hdload" --replay=two --level-time=100ms 2>err
	[ $? -eq 2 ] && grep -q 'two: several nodes have a utilization: node1, node2; use --node' err ||
		return 1
	"$hdload" -q --cpus="$cpu" --replay=two -n node2 --level-time=700ms -p one || return 1
	# Of known time: (10 + 30 + 80 + 100 + 0) / 5.
	[ "$(levels one target)" = '44 ' ]
}
ok "replay of one of several nodes" replay_node

# Ctrl-C leaves a complete project, and nothing else.
interrupted() {
	mkdir e
	(cd e && exec "$hdload" -q --cpus="$cpu" --component=cpu-int,disk-write \
		--calibrate=1 --file-size=1 --load=0.2 -d 60s -p i) &
	local pid=$!
	until_done [ -f "e/i_$host.trc" ] && sleep 0.3
	kill -INT "$pid"
	wait "$pid"
	ls e
	"$hdtrace" check e/i && [ -z "$(find e -type f ! -name 'i[._]*')" ]
}
ok "a complete project remains after SIGINT" interrupted

# A cpuset that loses the CPU while it is loaded.
cpuset() {
	local group=/sys/fs/cgroup/cpuset/hdload-test-$$ other status

	other=$(taskset -cp $$ | sed 's/.*: *//' | sed 's/.*[,-]//')
	mkdir "$group" && cat /sys/fs/cgroup/cpuset/cpuset.mems >"$group/cpuset.mems" &&
		echo "$cpu,$other" >"$group/cpuset.cpus" || return 1
	sh -c 'echo $$ >"$1/cgroup.procs"; exec "$2" --cpus="$3" -d 4s' \
		x "$group" "$hdload" "$cpu" 2>err &
	local pid=$!
	until_done grep -q "hdload-test-$$" "/proc/$pid/cgroup" && sleep 0.5
	echo "$other" >"$group/cpuset.cpus"
	# Where others keep the CPU busy, the level is reached without hdload.
	wait "$pid"
	status=$?
	cat err
	until_done rmdir "$group"
	[ "$status" -eq 0 ] || grep -q 'CPUs that the cpuset no longer has$' err
}
if [ "$(id -u)" -eq 0 ] && [ -w /sys/fs/cgroup/cpuset/cpuset.cpus ] && [ "$(nproc)" -ge 2 ]; then
	ok "a lost CPU is named" cpuset
else
	skip "a lost CPU is named" "needs root, cpusets and two CPUs"
fi

# Nothing remains of files, also after a kill.
killed() {
	mkdir d
	"$hdload" -q --component=disk-write --rate=1000000 --load=0.5 --directory=d \
		--file-size=1 -d 60s &
	local pid=$!
	until_done grep -q . "/proc/$pid/stat" && sleep 0.3
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	rmdir d
}
ok "no file remains after kill -9" killed

limit() {
	"$hdload" -q --min-free=999999999 -d 30s --cpus="$cpu" 2>err
	[ $? -eq 1 ] && grep -q 'stopped: less than 1e+09 MB free' err
}
ok "--min-free stops the load" limit

while IFS='|' read -r name arguments text; do
	# Words of a row.
	# shellcheck disable=SC2086
	"$hdload" $arguments >out 2>err </dev/null
	found=$?
	ok "$name" [ $found -eq 2 ]
	ok "$name: the text" grep -qF -- "$text" err
done <<'END'
unknown component|--component=gpu -d 1|--component: invalid value "gpu"
component twice|--component=cpu-int,cpu-int -d 1|--component: invalid value "cpu-int"
unknown staircase|--staircase=gpu|--staircase: invalid value "gpu"
unknown direction|--staircase=cpu-int:left|--staircase: invalid value "cpu-int:left"
staircase and duration|--staircase=cpu-int -d 1|--staircase: cannot be combined with --duration
replay and duration|--replay=x -d 1|--replay: cannot be combined with --duration
replay of nothing|--replay=none|none.proj: No such file
replay of copies|--component=memory-bandwidth --replay=x|--replay: memory-bandwidth: libRUT does not measure it
replay of what was not measured|--component=memory --memory=1 --replay=run|run: no node has the utilization MEM_USED
replay without a rate|--component=network --replay=x --calibrate=1|--replay: network: requires --rate
node without a replay|--node=x -d 1|--node: requires --replay
sequence of CPUs together|--sequence --together|--together: cannot be combined with --sequence
two plans|--square --random -d 1|only one of them is possible
unknown operations|--operations=often -d 1|--operations: invalid value "often"
rate of two components|--component=network,disk-read --rate=1 -d 1|--rate: requires a single component
rate and calibrations|--component=network --calibrate=1 --rate=1 -d 1|--rate: cannot be combined with --calibrate
no calibration|--component=network --calibrate=0 -d 1|--calibrate: 100 % is unknown
no directory|--component=disk-read --directory=none -d 1|disk-read: cannot be used: No such file
invalid peer|--component=network --peer=x -d 1|network: cannot be used: Invalid argument
END
done_testing
