#!/bin/sh
# pt energy without a service: by the meters of this machine, which here is a tree
# of files whose counters a loop makes grow.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/service.sh"
trap 'kill ${loop-} $pid 2>/dev/null; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
# No service is at the usual places.
XDG_RUNTIME_DIR=$scratch/run
export XDG_RUNTIME_DIR
mkdir run
unset HDTRACE_PT_SERVER
LC_ALL=C
export LC_ALL
zones=$scratch/tree/sys/class/powercap
hdtrace=${abs_top_builddir:?}/hdtrace

# A zone that draws so many watts: DIRECTORY NAME WATTS.
zone() {
	mkdir -p "$zones/$1"
	echo "$2" >"$zones/$1/name"
	echo 99999999999999 >"$zones/$1/max_energy_range_uj"
	echo 00000000000000000000 >"$zones/$1/energy_uj"
	echo "$3" >"$zones/$1/watts"
}

# Let the counters grow with the time, until killed.
grow() {
	while :; do
		now=$(date +%s%N)
		for zone in "$zones"/*; do
			read -r watts <"$zone/watts"
			# In place: nobody sees it empty.
			printf '%020d\n' $(((now / 1000 - first) * watts)) \
				1<>"$zone/energy_uj"
		done
		sleep 0.01
	done
}

begin_growing() {
	first=$(($(date +%s%N) / 1000))
	grow &
	loop=$!
	until_done grep -q '[1-9]' "$zones"/*/energy_uj
}

end_growing() {
	kill "$loop"
	wait "$loop" 2>/dev/null
	loop=
	rm -rf "$zones"
}

# It prints a mean near the watts, and the meters: WATTS NAME
measures() {
	"$pt" energy --root="$scratch/tree" -- sleep 2 >out 2>err
	found=$?
	cat out err
	[ "$found" -eq 0 ] && [ ! -s out ] && grep -qF "($2)" err || return 1
	awk -v watts="$1" '
		{ for (i = 1; i < NF; i++) if ($i == "mean") mean = $(i + 1) }
		END { print mean; exit !(mean > watts * 0.7 && mean < watts * 1.3) }
	' err
}

refuses() {
	exits 125 "$@"
	found=$?
	[ "$found" -eq 0 ] && [ ! -f ran ]
}

ok "a machine without a meter is reported" refuses \
	"$pt" energy --root="$scratch/tree" -- touch ran
for word in powercap perf nvml hwmon 'pt energy --meter=sim'; do
	ok "the reason for $word is printed" grep -q -- "^ *$word" err
done

zone intel-rapl:0 package-0 50
zone intel-rapl:0:0 core 700
zone intel-rapl:0:1 dram 10
zone intel-rapl-mmio:0 package-0 800
begin_growing
ok "package and memory are counted once" measures 60 "powercap package-0, package-0-dram"
ok "pt energy returns the exit status of the command" \
	exits 7 "$pt" energy --root="$scratch/tree" -- sh -c 'exit 7'
ok "a missing command returns 127" \
	exits 127 "$pt" energy --root="$scratch/tree" -- ./nothing
end_growing
zone intel-rapl:0 package-0 30
zone intel-rapl:1 package-1 40
zone intel-rapl:2 psys 90
begin_growing
ok "platform replaces packages" measures 90 "powercap psys"
end_growing

# Which zones count, and what is said of the others: WATTS NAMES PATTERN
leaves_out() {
	"$pt" energy --verbose --root="$scratch/tree" -d 2 >out 2>err || return 1
	cat err
	grep -qF "($2)" err && grep -q "$3" err || return 1
	awk -v watts="$1" '
		{ for (i = 1; i < NF; i++) if ($i == "mean") mean = $(i + 1) }
		END { exit !(mean > watts * 0.7 && mean < watts * 1.3) }
	' err
}
zone intel-rapl:0 package-0-die-0 60
zone intel-rapl:0:0 dram 5
zone intel-rapl:1 package-0-die-1 40
begin_growing
ok "dies of a package add up" leaves_out 105 \
	"powercap package-0-die-0, package-0-die-0-dram, package-0-die-1" mean
end_growing
zone intel-rapl:0 package-0-die-0 60
zone intel-rapl:1 package-0-die-1 60
begin_growing
ok "mirrored dies count once" leaves_out 60 "powercap package-0-die-0" \
	"package-0-die-1: left out: a mirror of another die"
end_growing
zone intel-rapl:0 package-0 50
zone intel-rapl:0:0 core 30
zone intel-rapl:1 psys 0
begin_growing
ok "a platform zone that never advances is replaced" \
	leaves_out 50 "powercap package-0" "psys: left out: its counter does not advance"
ok "--verbose names omitted zones" grep -q \
	"package-0-core: left out: part of package-0" err
ok "a zone with a fault is omitted" measures 50 "powercap package-0"
ok "a fault is reported without --verbose" grep -q \
	"psys: left out: its counter does not advance" err
ok "other omitted zones are reported only with --verbose" sh -c '! grep package-0-core err'
end_growing
zone intel-rapl:0 package-0 50
zone intel-rapl:1 psys 20
begin_growing
ok "a platform zone below its packages is replaced" leaves_out 50 \
	"powercap package-0" "psys: left out: its counter advances by less than its parts"
end_growing
# A recorded node has the power that "energy" prints of it: WATTS
cat >own.cfg <<END
[General]
device=powercap
cycle=50
project=$scratch/p
topology=Host
[Trace]
type=HDSTATS
node=n
input=*
values=P,E
END
agrees() {
	"$pt" --root="$scratch/tree" -c own.cfg -d 2 -f -q &
	recording=$!
	"$pt" energy --root="$scratch/tree" -d 2 2>err
	wait "$recording" || return 1
	cat err
	"$hdtrace" report p >summary || return 1
	grep Energy summary
	awk -v watts="$1" '
		FNR == NR { for (i = 1; i < NF; i++) if ($i == "mean") energy = $(i + 1); next }
		/^  Energy  .*on average/ { for (i = 1; i < NF; i++) if ($(i + 1) ~ /^W/) report = $i }
		END {
			print energy, report
			exit !(energy > watts * 0.8 && energy < watts * 1.2 &&
				report > energy * 0.9 && report < energy * 1.1)
		}
	' err summary
}
zone intel-rapl-mmio:0 package-0 3
zone intel-rapl:0 package-0 100
zone intel-rapl:0:0 dram 20
zone dtpm:0 cpu 5
begin_growing
ok "report and energy agree" agrees 120
end_growing
zone intel-rapl:0 package-0 100
zone intel-rapl:1 psys 130
begin_growing
ok "report and energy agree on a platform" agrees 130
end_growing

# What there is and why it counts, without measuring.
explains() {
	"$pt" list --explain --root="$scratch/tree" >out 2>err || return 1
	cat out err
	sed -n '/^powercap/,/^perf/p; /^Power/p' out | grep -v '^perf' |
		tr -s ' ' >found
	diff - found
}
zone intel-rapl:0 package-0 50
zone intel-rapl:0:0 core 30
zone intel-rapl:0:1 dram 5
zone intel-rapl-mmio:0 package-0 50
mkdir -p "${zones%/*}/hwmon/hwmon0"
echo ina226 >"${zones%/*}/hwmon/hwmon0/name"
echo 1000000 >"${zones%/*}/hwmon/hwmon0/power1_input"
ok "--explain explains packages" explains <<END
powercap
 mmio-package-0 copy left out: the same as package-0
 package-0 package counts
 package-0-core core left out: part of package-0
 package-0-dram dram counts
Power of the node: powercap package-0 + powercap package-0-dram
END
hwmon_is_left_out() {
	tr -s ' ' <out | grep -qx ' ina226-power1 unknown left out: unknown role'
}
ok "--explain explains a sensor of unknown role" hwmon_is_left_out
names_sensor() {
	"$pt" energy --verbose --root="$scratch/tree" -d 0.2 >out 2>err || return 1
	cat err
	grep -q 'ina226-power1: left out: unknown role' err
}
ok "--verbose names a sensor of unknown role" names_sensor
zone intel-rapl:1 psys 90
ok "--explain explains a platform" explains <<END
powercap
 mmio-package-0 copy left out: the same as package-0
 package-0 package left out: measured by psys
 package-0-core core left out: part of package-0
 package-0-dram dram left out: measured by psys
 psys platform counts
Power of the node: powercap psys
END
rm -rf "$zones" "${zones%/*}/hwmon"
explains_nothing() {
	"$pt" list --explain --root="$scratch/tree" >out && cat out &&
		grep -q '^  none: no zones in /sys/class/powercap' out &&
		grep -qx 'Power of the node: not measured' out
}
ok "--explain explains a machine without a meter" explains_nothing
zone intel-rapl:0 package-0 50
zone intel-rapl:1 psys 70
zone intel-rapl:2 psys-1 80
begin_growing
ok "packages replace several platform zones" leaves_out 50 "powercap package-0" \
	"psys-1: left out: one of several platform zones"
end_growing

is_simulated() {
	"$pt" energy --meter=sim -- sleep 1 >out 2>err
	found=$?
	cat out err
	[ "$found" -eq 0 ] && grep -q '(simulated)$' err
}
ok "--meter=sim uses the simulated meter" is_simulated
ok "an unknown meter is refused" refuses "$pt" energy --meter=best -- touch ran
ok "the error for an unknown meter lists the meters" grep -q 'powercap, perf, nvml, hwmon, power_supply or sim' err

# A service of this user that is there is asked.
cat >site.cfg <<END
[Server]
listen=unix:$scratch/run/pt.socket
[Device]
name=rack
driver=sim
cycle=50
law=idle:33,busy:33
[Line]
device=rack
node=$(uname -n)
channel=1
END
asks_service() {
	"$pt" energy -- sleep 1 >out 2>err
	found=$?
	cat out err
	[ "$found" -eq 0 ] && grep -q 'mean 33\(.00\)\? W' err
}
ok "start of a service" begin -c site.cfg
ok "a running service is used" asks_service
ok "--meter overrides the service" is_simulated
ok "end of the service" end
done_testing
