#!/bin/sh
# Prints what libRUT reads on this machine, as a tree that test-rut-replay
# understands (see tests/fixtures/rut/README). Look through it before you give
# it away: names of disks, interfaces and mount points are in it.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Arguments: seconds between the two looks at the counters (default: 1).

# Contents of files: NAME...
files() {
	for name; do
		[ -r "$name" ] || continue
		text=$(cat "$name" 2>/dev/null) || continue
		echo "file $name"
		printf '%s\n' "$text" | sed 's/^/|/'
	done
}

# That something is there: NAME...
marks() {
	for name; do
		[ -e "$name" ] || continue
		echo "file $name/exists"
	done
}

counters() {
	files /proc/stat /proc/loadavg /proc/meminfo /proc/vmstat /proc/net/dev /proc/schedstat \
		/proc/pressure/cpu /proc/pressure/memory /proc/pressure/io \
		/sys/fs/cgroup/*/cpuacct.usage_percpu \
		/sys/devices/system/cpu/cpu*/cpuidle/state*/time \
		/sys/devices/system/cpu/cpu*/cpufreq/scaling_cur_freq \
		/sys/class/block/*/stat /sys/dev/block/*/stat
}

echo "# Linux $(uname -r | cut -d. -f1,2)"
files /proc/self/mountinfo /sys/fs/cgroup/*/release_agent \
	/sys/fs/cgroup/cpu.stat \
	/sys/devices/system/cpu/present /sys/devices/system/cpu/possible \
	/sys/devices/system/cpu/online \
	/sys/devices/system/cpu/cpu*/cpuidle/state*/name \
	/sys/class/net/*/tun_flags /sys/block/*/hidden \
	/sys/block/*/loop/backing_file
marks /sys/class/net/*/device /sys/class/net/*/bridge \
	/sys/class/net/*/bonding /sys/class/net/*/master \
	/sys/class/net/*/lower_* /sys/block/*/device /sys/block/*/dm \
	/sys/fs/btrfs/*/devices/*
for link in /dev/mapper/*; do
	[ -L "$link" ] && echo "link $link $(readlink "$link")"
done
counters
sleep "${1:-1}"
echo later
counters
