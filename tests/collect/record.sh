#!/bin/sh
# hdnode collect --project: what nodes say over time; nodes that are silent, booted
# and set their clocks, a daemon of this host, and a disk that is full.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: both slow waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/node.sh"
command -v python3 >/dev/null || skip_all "no python3"
cd "$scratch" || exit 99
here=$abs_top_srcdir/tests/collect
hdtrace=${abs_top_builddir:?}/hdtrace
rut=$abs_top_builddir/rut

is_good() {
	if [ ! -x "$hdtrace" ]; then
		echo "hdtrace was not built"
	else
		exits 0 "$hdtrace" check "$1" && grep -q ' 0 errors, 0 warnings' out
	fi
}

ok "silent and rebooted nodes and set clocks are recorded" \
	timeout 100 python3 "$here/record.py" "$hdnode" soft
ok "the project of the simulated nodes has no warnings" is_good soft

begin_node real || { echo "Bail out! no daemon"; exit 1; }
ok "the data of a real daemon is recorded" \
	timeout 100 python3 "$here/record.py" "$hdnode" real "$port"
ok "the project of the real daemon has no warnings" is_good real

# Values of a file: name, unit, grouping and kind of each.
values_of() {
	sed -n '/^<.Statistics>/q
		s/ \(source\|resolution\)="[^"]*"//g
		s/^ *<Value name="\([^"]*\)" type="[A-Z0-9]*"/\1/p' "$1" |
		LC_ALL=C sort
}
as_rut() {
	"$rut" -q -s cpu,mem,net,dev,packets,state,load,swap,storage -d 0.2 -p rut || return 1
	values_of real_real_Utilization.stat >ours
	values_of rut_*_Utilization.stat >its
	# Interfaces and disks may have come between.
	LC_ALL=C comm -12 ours its >both
	cut -d ' ' -f 1 ours >our.names
	cut -d ' ' -f 1 its | LC_ALL=C join - our.names >common
	wc -l both common
	[ "$(wc -l <both)" -gt 15 ] &&
		[ "$(wc -l <both)" -eq "$(wc -l <common)" ]
}
if [ -x "$rut" ]; then
	ok "names, units and kinds are the same as in rut" as_rut
else
	skip "names, units and kinds are the same as in rut" "rut was not built"
fi

# Our clock is set back by an hour, and by two more: all is recorded, and times go on.
set_back() {
	rm -f seconds
	HD_SET_CLOCK=$scratch/seconds LD_PRELOAD=$setclock "$hdnode" collect \
		--project=setback --format=json --interval=0.1 "127.0.0.1:$port" \
		>watched &
	watcher=$!
	daemons="$daemons $watcher"
	for seconds in 0 -3600 -10800; do
		lines=$(wc -l <watched)
		echo "$seconds" >seconds.new && mv seconds.new seconds &&
			until_done sampled $((lines + 1)) || return 1
	done
	kill "$watcher"
	wait "$watcher"
	python3 "$here/record.py" watched setback
}
# Whether there are two samples more than in the first so many lines.
sampled() {
	python3 - "$1" <<-'END'
		import json, sys
		lines = open("watched").read().splitlines()
		def stamps(some):
		    return {json.loads(l)["nodes"][0]["status"]["stamp_s"] for l in some}
		sys.exit(len(stamps(lines[:-1]) - stamps(lines[:int(sys.argv[1])])) < 2)
	END
}
setclock=$abs_top_builddir/tests/collect/setclock.so
if [ -n "${HD_SANITIZE-}" ]; then
	skip "recording continues when the local clock is set back" "a library before those of sanitizers"
else
	ok "recording continues when the local clock is set back" set_back
	ok "the project of the set clock has no warnings" is_good setback
fi

is_kept() {
	cksum real* >before && exits 2 "$hdnode" collect --project=real -N 1 \
		"127.0.0.1:$port" && grep -q 'real.proj: exists; choose another name' err &&
		cksum real* | diff before -
}
ok "an existing project is kept" is_kept
nobody_there() {
	exits 1 "$hdnode" collect --project=none -N 1 127.0.0.1:1 &&
		grep -q '127.0.0.1:1: unreachable' err &&
		grep -q 'none: no project was written' err && [ ! -e none.proj ]
}
ok "without any answer no project is written" nobody_there

# ---- A full disk -------------------------------------------------------------

# 32 kB for what is more: the nodes' first entries fit.
cat >on-full <<'END'
mount -t tmpfs -o size=40k none full || exit 77
"$1" collect --project=full/p --interval=0.02 "127.0.0.1:$2" 2>err &
watcher=$!
i=0
until grep -q 'No space left' err || [ "$i" -gt 3000 ]; do
	sleep 0.02
	i=$((i + 1))
done
kill "$watcher"
wait "$watcher"
echo "$?" >status
cp full/p* .
END
is_full() {
	cat err status
	grep -q 'full/p.*No space left on device' err &&
		[ "$(cat status)" -eq 2 ] && [ "$(wc -l <err)" -le 3 ] &&
		[ -s p_soft_Utilization.stat ] || return 1
	[ ! -x "$hdtrace" ] || { exits 0 "$hdtrace" stat p.proj &&
		grep -q 'CPU_TOTAL .* [1-9][0-9]' out; }
}
mkdir full
full="a full disk is reported, and the recorded data is readable"
begin_as soft python3 "$here/record.py" "$hdnode" serve || exit 99
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
	unshare -m sh on-full "$hdnode" "$port"
	if [ "$?" -eq 77 ]; then
		skip "$full" "no tmpfs can be mounted"
	else
		ok "$full" is_full
	fi
else
	skip "$full" "only root may mount a small file system"
fi
done_testing
