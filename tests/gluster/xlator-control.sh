#!/bin/bash
# hdgluster enable, disable and status: a volume that serves is told what to record.
# HDTRACE_TEST_LONG: a hundred times under load, not eight.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain slow waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/gluster/xlator-lib.sh"
gluster_memory
cd "$scratch" || exit 99
traces=$scratch/traces
cycles=8
[ -z "${HDTRACE_TEST_LONG-}" ] || cycles=100

written() {
	local check=$1 prefix=$2

	shift 2
	python3 "$abs_top_srcdir/tests/gluster/xlator.py" "$check" \
		"$traces/$prefix" "$@"
}

extra_options="    option enable none"
start_bricks 2
mount_volume || skip_all "there is no FUSE here"

# Descriptors of all processes of the volume.
descriptors() {
	local pid

	for pid in "${volume_pids[@]}"; do
		find "/proc/$pid/fd" -type l
	done | wc -l
}

# KiB of memory that are theirs alone.
memory() {
	local pid

	for pid in "${volume_pids[@]}"; do
		grep RssAnon "/proc/$pid/status"
	done | awk '{ sum += $2 } END { print sum }'
}

# Every layer of every process is in this state: STATE
all_are() {
	"$hdgluster" status "$mount" >status.out || return 1
	cat status.out
	[ "$(tail -n +2 status.out | wc -l)" = 10 ] &&
		! tail -n +2 status.out | awk '{ print $3 }' | grep -vx "$1"
}

ok "nothing is recorded at first" all_are off
ok "the table has headings" grep -qx \
	'Node  *Layer  *Recording  *What  *Operations  *Project *' status.out
# shellcheck disable=SC2016
ok "no file exists at first" bash -c '! ls "$1"/* 2>/dev/null' sh "$traces"
ok "an unknown operation is an error" exits 2 "$hdgluster" enable --fops=fly \
	"$mount"
ok "a project with a path is an error" exits 2 "$hdgluster" enable --project=../x \
	"$mount"
ok "a project with an underscore is an error" exits 2 "$hdgluster" enable --project=a_b "$mount"
ok "the error describes valid project names" grep -qF 'a name of at most 127 bytes without "/", "_"' \
	err
ok "an unknown layer is an error" exits 1 "$hdgluster" enable \
	--layers=TROVES "$mount"
ok "the error names the layer" grep -q 'TROVES: no process has this layer' err
ok "another mount is an error" exits 2 "$hdgluster" status "$scratch"
ok "the error names the missing translator" grep -q 'no GlusterFS client with the translator' err
stores_nothing() {
	getfattr -d -m hdtrace.control --absolute-names "$@" >stored || return 1
	cat stored
	[ ! -s stored ]
}
ok "no attribute is set on another mount" stores_nothing "$scratch"
# A client that has none, of bricks that have.
untold() {
	local top=$type

	mkdir plain && sed "s,type $top\$,type debug/io-stats,
		/option layer/d; /option project/d; /option directory/d
		/option enable/d" client.vol >plain.vol || return 1
	glusterfs -f plain.vol -l "$scratch/plain.log" --no-daemon "$scratch/plain" &
	volume_pids+=($!)
	volume_mounts+=("$scratch/plain")
	last=$!
	until_done is_mounted "$scratch/plain" && until_done stat plain &&
		exits 2 "$hdgluster" status plain
}
ok "a client without the translator is an error" untold
ok "no attribute is set in the bricks" stores_nothing brick0 brick1
umount plain
unset "volume_mounts[-1]"
wait "${volume_pids[-1]}"
unset "volume_pids[-1]"

ok "gauges of two layers are enabled" exits 0 "$hdgluster" enable --layers=REQ,TROVE \
	--what=gauges --project=few "$mount"
echo text >"$mount/few"
mkdir "$mount/few.d" || echo "not ok - mkdir"
ok "recording of the two layers is disabled" exits 0 "$hdgluster" disable "$mount"
ok "no other layer and no relation is recorded" written only_gauges few REQ TROVE
ok "recording is off again" all_are off

ok "only writes are enabled" exits 0 "$hdgluster" enable --fops=writev --project=writes \
	"$mount"
operations() {
	"$hdgluster" status "$mount" >status.out || return 1
	cat status.out
	! tail -n +2 status.out | awk '{ print $5 }' | grep -vx "$1"
}
ok "status shows the selected operations" operations writev
echo text >"$mount/writes"
mkdir "$mount/writes.d" || echo "not ok - mkdir"
"$hdgluster" disable "$mount"
ok "one write is recorded" written has writes TROVE writev 1
ok "other operations are not recorded" written has writes TROVE mkdir 0
ok "recording again into the same project uses new files" exits 0 "$hdgluster" enable \
	--project=writes --fops=all "$mount"
echo text >"$mount/again"
ok "recording is on" all_are on
"$hdgluster" disable "$mount"
ok "both writes are recorded" written has writes TROVE writev 2

ok "all operations are enabled" exits 0 "$hdgluster" enable --project=but "$mount"
ok "two operations are disabled" exits 0 "$hdgluster" disable --fops=mkdir,MKNOD "$mount"
ok "the other operations stay enabled" operations \
	'stat,readlink,unlink,.*,symlink,.*readv,writev,.*'
mkdir "$mount/but.d" || echo "not ok - mkdir"
echo text >"$mount/but"
ok "the remaining operations are disabled" exits 0 "$hdgluster" disable --fops=all "$mount"
ok "recording is off after the last operation" all_are off
ok "enabled operations were recorded" written has but TROVE writev 1
ok "disabled operations were not recorded" written has but TROVE mkdir 0

# One layer alone is completed, and begins again in the same project.
"$hdgluster" enable --project=one "$mount"
echo text >"$mount/one"
"$hdgluster" disable --layers=REQ "$mount"
ok "a layer restarts while others record" exits 0 "$hdgluster" enable \
	--layers=REQ --project=one "$mount"
echo text >"$mount/one.again"
ok "all layers are on after the restart" all_are on
"$hdgluster" disable "$mount"
ok "the layer recorded before and after the restart" written has one REQ writev 2

# Whoever can read the directory can lock it.
locked() {
	exec {held}<"$traces" && flock "$held" || return 1
	"$hdgluster" enable --project=locked "$mount" && all_are on &&
		"$hdgluster" disable "$mount" &&
		"$hdgluster" enable --project=held "$mount" && all_are on
}
ok "another process holds the lock of the directory" locked
exec {held}<&-
"$hdgluster" disable "$mount"
said_once() {
	local log

	for log in brick0.log brick1.log client.log; do
		grep "$traces/: cannot lock" "$log"
		[ "$(grep -c "$traces/: cannot lock" "$log")" = 1 ] || return 1
	done
}
ok "each process logs the lock once" said_once

# Under load: a program that writes and verifies until it is told to end.
cat >load.py <<'END'
import os, random, sys
place, stop = sys.argv[1:]
count = 0
while not os.path.exists(stop):
    name = f"{place}/load{count % 20}"
    data = os.urandom(random.randrange(1, 30000))
    with open(name, "wb") as file:
        file.write(data)
    with open(name, "rb") as file:
        assert file.read() == data
    os.mkdir(name + ".d")
    os.rename(name + ".d", name + ".e")
    os.rmdir(name + ".e")
    count += 1
print(count)
END
python3 load.py "$mount" "$scratch/stop" >load.out 2>load.err &
load=$!
again() {
	local i before middle=0

	for ((i = 1; i <= cycles; i++)); do
		"$hdgluster" enable --project="run$i" "$mount" || return 1
		# On a busy machine the load may do nothing meanwhile.
		echo text >"$mount/run$i" || return 1
		"$hdgluster" disable "$mount" || return 1
		[ "$i" != 1 ] || before=$(descriptors)
		[ "$i" != $((cycles / 2)) ] || middle=$(memory)
	done
	# The load has a few open itself.
	echo "$before descriptors, $(descriptors) in the end"
	echo "$middle KiB in the middle, $(memory) in the end"
	# The files that were written are known, too: of a hundred cycles half take
	# less than 60 KiB each, all processes together.
	[ "$(descriptors)" -le $((before + 4)) ] &&
		{ [ "$cycles" -lt 100 ] ||
			[ $(($(memory) - middle)) -lt 3000 ]; }
}
ok "recording is switched on and off under load" again
touch stop
wait $load
status=$?
ok "no request failed" test $status = 0
cat load.err
"$hdgluster" enable --project=last "$mount"
stop_under_load() {
	! ls "$traces"/run*.proj 2>/dev/null || return 1
	python3 - "$traces" "$cycles" <<-'END'
		import glob, sys
		for run in range(1, int(sys.argv[2]) + 1):
		    names = glob.glob(f"{sys.argv[1]}/run{run}_*.rel")
		    if not names:
		        sys.exit(f"nothing was recorded of run{run}")
		    for name in names:
		        with open(name) as file:
		            text = file.read()
		        if not text.rstrip().endswith("</relation>"):
		            sys.exit(name + " has no end")
		        if text.count("<rel ") != text.count("<un "):
		            sys.exit(name + " has relations without an end")
	END
}
ok "files are complete after each switch" stop_under_load

# One that does not obey.
kill -KILL "${volume_pids[1]}"
wait "${volume_pids[1]}" 2>/dev/null
disobeys() {
	"$hdgluster" disable "$mount" 2>err
	[ $? = 1 ] && grep 'client1 (.*:b1-req): ' err
}
ok "a dead brick is named" until_done disobeys
stop_volume

# More than an attribute can hold: of each layer a line with nearly all operations.
deep=160
start_bricks 1
mount_volume || echo "not ok - mount"
"$hdgluster" enable --what=gauges --project=deep "$mount" || echo "not ok - enable"
too_long() {
	exits 2 "$hdgluster" "$@" "$mount" &&
		grep 'reply exceeds the size limit; .*--layers' err
}
ok "a too long report of a change is an error" too_long disable --fops=mkdir
ok "a too long report of the status is an error" too_long status
layers() {
	"$hdgluster" status --layers="$1" "$mount" >status.out || return 1
	cat status.out
	[ "$(tail -n +2 status.out | awk '{ print $2 }' | sort)" = \
		"$(tr , '\n' <<<"$1" | sort)" ]
}
ok "a report below the size limit is readable" layers REQ
ok "the answer of a brick is not truncated" layers \
	"$(seq -s, -f DEEP%g $((deep / 4)))"
stop_volume
done_testing
