#!/bin/sh
# rut beside an independent reader of the kernel's files, while interfaces are
# renamed, removed and added again.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
rut=${abs_top_builddir:?}/rut
hdtrace=$abs_top_builddir/hdtrace
command -v python3 >/dev/null || skip_all "no python3"
cd "$scratch" || exit 99
LC_ALL=C
export LC_ALL

# Sum of a value of a project: PROJECT VALUE
total() {
	"$hdtrace" dump -q --only=stats --value "$2" "$1" |
		awk '/^  [0-9]/ && $3 != "NaN" { s += $3 } END { printf "%.0f\n", s }'
}

# The shares of /proc/stat over a command, by another program: user and nice,
# system with interrupts, idle and waiting, stolen, in percent.
cat >ticks.py <<'END'
import time
def read():
    with open("/proc/stat", encoding="ascii") as file:
        return [int(word) for word in file.readline().split()[1:9]]
first, end = read(), time.monotonic() + 1.5
while time.monotonic() < end:
    sum(range(10000))
    time.sleep(0.001)
passed = [b - a for a, b in zip(first, read())]
parts = [passed[0] + passed[1], passed[2] + passed[5] + passed[6],
         passed[3] + passed[4], passed[7]]
print(*(100 * part / sum(passed) for part in parts))
END
states_agree() {
	"$rut" -q -p ticks -s state -i 50ms -- python3 ticks.py >other || return 1
	"$hdtrace" stat -q --format=json --group Utilization ticks >found.json || return 1
	python3 - <<'END'
import json, sys
rows = {row["value"]: row["mean"] for row in json.load(open("found.json"))["rows"]}
found = [sum(rows["CPU_STATE_" + name] for name in names) for names in
         (("USER", "NICE"), ("SYSTEM",), ("IDLE", "IOWAIT"), ("STEAL",))]
other = [float(word) for word in open("other").read().split()]
print("rut:", *found, "other:", *other)
# Neither begins or ends with the other one: a twentieth of the time.
sys.exit(max(abs(a - b) for a, b in zip(found, other)) > 5)
END
}
if [ -r /proc/stat ] && grep -q '^cpu .* [1-9]' /proc/stat; then
	ok "states of CPUs are those of another reader" states_agree
else
	skip "states of CPUs are those of another reader" "no ticks in /proc/stat"
fi

if ! unshare -rn true 2>/dev/null || ! command -v ip >/dev/null; then
	skip "bytes of interfaces that change" "no network namespaces"
	done_testing
	exit
fi

# Sends over interfaces that change, and counts by the files of sysfs: bytes that
# were sent while an interface was there for a quarter of a second on both sides.
cat >sends.py <<'END'
import os, socket, subprocess, time
def ip(*words):
    subprocess.run(("ip", "link") + words, check=True)
def add(peer):
    ip("add", "v0", "type", "veth", "peer", "name", peer)
    for name in ("v0", peer):
        ip("set", name, "up")
def sent(name):
    with open(f"/sys/class/net/{name}/statistics/tx_bytes") as file:
        return int(file.read())
def send(name, size):
    time.sleep(0.25)
    before = sent(name)
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as raw:
        raw.bind((name, 0))
        for _ in range(size // 1000):
            raw.send(b"\xff" * 12 + b"\x88\xb5" + b"x" * 986)
    after = sent(name)
    time.sleep(0.25)
    return after - before
total = send("v0", 400000)
ip("set", "v0", "down")
ip("set", "v0", "name", "w0")
ip("set", "w0", "up")
total += send("w0", 300000)
ip("del", "w0")
add("v1")
total += send("v0", 200000)
ip("set", "v0", "down")
ip("set", "v0", "name", "x0")
ip("set", "x0", "up")
add("v2")
total += send("v0", 100000) + send("x0", 50000)
print(total)
END
cat >inside.sh <<'END'
mount -t sysfs s /sys 2>/dev/null
ip link set lo up
ip link add v0 type veth peer name v1 || exit 99
ip link set v0 up
ip link set v1 up
"$1" -q -p net -s net -i 50ms -- python3 sends.py >sent
END
# A few packets of the kernel's own are sent, too; what it counted before a
# change is 100 kB at least.
bytes_agree() {
	unshare -rnm sh inside.sh "$rut" || return 1
	other=$(cat sent)
	echo "rut: $(total net NET_OUT), other: $other"
	[ "$(total net NET_OUT)" -ge "$other" ] &&
		[ "$(total net NET_OUT)" -le $((other + 20000)) ]
}
ok "bytes of interfaces that change are those of another reader" bytes_agree
done_testing
