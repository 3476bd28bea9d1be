#!/bin/sh
# hdpower and hdpowerd on fake trees (hdpower.py): journal, leases, kills, forged journals,
# permissions and policies. HDTRACE_TEST_LONG: 200 kills instead of 20.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: both waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
build=${abs_top_builddir:?}
cd "$scratch" || exit 99
python3 -c '' 2>/dev/null || skip_all "there is no python3"
# Paths of sockets are short.
[ "${#scratch}" -lt 60 ] || skip_all "the path of the temporary directory is too long"

saving() {
	python3 "$abs_top_srcdir/tests/saving/hdpower.py" "$build" "$1"
}
errors() {
	exits 125 "$build/hdpower" run --set=max_freq=1GHz &&
		grep -q 'missing argument: COMMAND' err &&
		exits 125 "$build/hdpower" run -- true && grep -q 'missing option: --set' err &&
		exits 125 "$build/hdpower" run --set=max_freq=1200 -- true &&
		grep -q 'expected a clock with a unit' err &&
		exits 125 "$build/hdpower" run --set=colour=1 -- true &&
		exits 125 "$build/hdpower" run --set=governor=fast -- true &&
		exits 125 "$build/hdpower" run --policy=none -- true &&
		exits 125 "$build/hdpower" run --policy=min-energy -- true &&
		grep -q -- '--policy: requires --usage' err &&
		exits 125 "$build/hdpower" run --policy=min-time --usage=x -- true &&
		grep -q -- 'missing option: --limit' err &&
		exits 125 "$build/hdpower" run --policy=min-energy --slowdown=x --usage=x -- true &&
		exits 125 "$build/hdpower" run --policy=min-energy --usage=none -- true &&
		grep -q 'none: cannot read: No such file' err &&
		exits 127 "$build/hdpower" run --set=max_freq=1GHz -- ./none &&
		exits 125 "$build/hdpower" run --apply --root="$scratch/x" --set=max_freq=1GHz -- true &&
		grep -q 'hdpowerd is not running' err &&
		exits 2 "$build/hdpower" none && exits 2 "$build/hdpowerd" x &&
		exits 0 "$build/hdpower" status --root="$scratch/x" && grep -q 'not running' out
}
usage_errors() {
	while read -r text error; do
		printf '%b' "$text" | tr '~' ' ' >bad.usage
		exits 125 "$build/hdpower" run --policy=min-energy --usage=bad.usage -- true &&
			grep -q "$(echo "$error" | tr _ ' ')" err || return 1
	done <<-'LINES'
		\n missing_section
		[usage]\nversion=2\n[phase~a]\nclock_mhz=1\ntime_s=1\npower_w=1\n version:_expected_1
		[usage]\nversion=1\n[phase~a]\nclock_mhz=2~1\ntime_s=1~2\npower_w=1~2\n increasing
		[usage]\nversion=1\n[phase~a]\nclock_mhz=1~2\ntime_s=1\npower_w=1~2\n the_same_count
		[usage]\nversion=1\n[phase~a]\nclock_mhz=x\ntime_s=1\npower_w=1\n expected_positive_numbers
		[usage]\nversion=1\n[phases]\n unknown_section
		[usage]\nversion=1\n[phase~a]\nclock_mhz=1~2\ntime_s=2~1\npower_w=1~2\n[phase~b]\nclock_mhz=3~4\ntime_s=2~1\npower_w=1~2\n bad.usage:_phases_a_and_b_have_no_common_clock
		[usage]\nversion=1\n[phase~a]\nclock_mhz=1\ntime_s=1\npower_w=1\n[phase~a]\nclock_mhz=1\ntime_s=1\npower_w=1\n duplicate_section
	LINES
}
decisions() {
	mkdir -p d/sys/devices/system/cpu/cpu0/cpufreq &&
		echo 2000000 >d/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq &&
		exits 3 "$build/hdpower" run -q --root="$scratch/d" -p dec --set=max_freq=1.2GHz -- \
			sh -c 'exit 3' && cat dec_*.trc &&
		grep -q "<Decision path='/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq' old='2000000' new='1200000' policy='fixed' applied='no'" dec_*.trc &&
		"$build/hdtrace" check dec.proj &&
		exits 125 "$build/hdpower" run -q --root="$scratch/d" -p dec --set=max_freq=1.2GHz -- true
}

# systemd removes the directory of one that stops, and changes its owner.
own_directories() {
	grep -h '^RuntimeDirectory=' "$abs_top_srcdir"/contrib/*.service.in | sort >all &&
		[ -s all ] && [ -z "$(uniq -d all)" ]
}

ok "errors in command lines" errors
ok "errors in usage files" usage_errors
ok "decisions as states of a project" decisions
ok "a dry run prints decisions and changes nothing" saving dry_run
ok "journal: one line for each change, and empty afterwards" saving journal
ok "two leases: the less restrictive value" saving two_leases
ok "random kills of command, program and service" saving kills
ok "a program goes on when hdpower is killed, or settings are restored" saving goes_on
ok "forged journals, and journals of another boot" saving forged
ok "settings come back although hdpower.conf has an error" saving recover
ok "no room for the journal" saving full
ok "a journal that does not grow with phases" saving phases
ok "limits that depend on each other, and the governor userspace" saving limits
ok "limits of packages only" saving zones
ok "units have runtime directories of their own" own_directories
ok "a journal that is removed while the service runs" saving removed
ok "a CPU that goes offline" saving vanishing
ok "leases do not fail because a CPU is offline" saving offline
ok "a restoration that fails is named and tried again" saving late
ok "no lease for a program after hdpower restore" saving revoked
ok "values that the kernel refuses" saving refused
ok "hostile clients, and a connection that outlives its owner" saving hostile
ok "min-energy and min-time: as a search, and a run that saves 15 %" saving policies
ok "two runs, usage, and runs that save 15 %: compare names it" saving learning
ok "phases that are recognized by their utilization" saving recognition
ok "phases of unknown utilization are not recognized" saving unknown
ok "status as JSON" saving status
if [ "$(id -u)" -eq 0 ] && python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))'; then
	chmod 755 "$scratch"
	ok "users and hdpower.conf" saving users
else
	skip "users and hdpower.conf" "only root can be other users"
fi
if [ -d /sys/devices/system/cpu/cpufreq/policy0 ] && [ "$(id -u)" -eq 0 ]; then
	ok "a dry run on this machine" exits 0 "$build/hdpower" run --set=max_freq=1GHz -- true
else
	skip "settings of this machine" "it has no cpufreq, or this is not root"
fi
if command -v cpupower >/dev/null && [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
	ok "cpupower reads the same values" saving reader
else
	skip "cpupower reads the same values" "no linux-cpupower, or no name spaces"
fi
done_testing
