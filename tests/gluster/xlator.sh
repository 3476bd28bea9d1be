#!/bin/bash
# The translator in a volume of two bricks that is mounted: what it records, and
# what it does not change.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain slow waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/gluster/xlator-lib.sh"
gluster_memory
cd "$scratch" || exit 99
traces=$scratch/traces

# What was written, by a reader of its own: CHECK [ARGUMENT...]
written() {
	local check=$1

	shift
	python3 "$abs_top_srcdir/tests/gluster/xlator.py" "$check" \
		"$traces/${project:-test}" "$@"
}

# The tools find nothing wrong.
checks() {
	"$hdtrace" merge -f "$traces/test" || return 1
	"$hdtrace" check "$traces/test" >check.out || { cat check.out; return 1; }
	cat check.out
	grep -q ': 0 errors, 0 warnings' check.out
}

# The reader says at which place the token was not handed on.
finds_mutant() {
	written causes >mutant.out 2>&1 && return 1
	cat mutant.out
	grep -qE "of REQ (is caused by FLOW|has neither cause)" mutant.out
}

# ---- Options -----------------------------------------------------------------

# Write options.vol, a brick with an option: OPTION VALUE...
options_file() {
	{
		printf 'volume b\n    type debug/delay-gen\n'
		printf '    subvolumes a\nend-volume\n\n'
		place p TROVE b "$@"
	} >options.part
	{
		mkdir -p a
		printf 'volume a\n    type storage/posix\n'
		printf '    option directory %s\nend-volume\n\n' "$scratch/a"
		cat options.part
	} >options.vol
	: >"$scratch/options.log"
}

# A brick with this option does not start, and says why: TEXT OPTION VALUE...
refuses() {
	local text=$1 said

	shift
	options_file "$@"
	timeout 60 glusterfsd -f options.vol -l "$scratch/options.log" \
		--no-daemon && return 1
	said=$(grep 'hdtrace.* E \| E .*option' options.log)
	grep -qF -- "$text" options.log || { echo "$said"; cat options.log; return 1; }
}

ok "an invalid layer is refused" refuses 'option layer: "a_b"' layer a_b
ok "an unknown side is refused" refuses 'option side: "up"' side up
ok "an unknown kind of data is refused" \
	refuses 'option enable: "gauge" is invalid' enable states,gauge
ok "an unknown operation is refused" \
	refuses 'option fops: "fly" is not a GlusterFS operation' fops writev,fly
ok "a project with a slash is refused" refuses \
	'option project: "a/b" is invalid; expected a name of at most 127 bytes' project a/b
ok "a project with an underscore is refused" refuses 'option project: "a_b"' project a_b
ok "a relative directory is refused" \
	refuses 'option directory: "traces"' directory traces
ok "a too long throttle is refused" refuses 'throttle' throttle 60001

# Where others could put links in the place of files, nothing is recorded; the brick
# starts all the same.
foreign_directory() {
	local brick

	mkdir -p foreign && chmod 777 foreign || return 1
	options_file directory "$scratch/foreign/run"
	glusterfsd -f options.vol -l "$scratch/options.log" --no-daemon &
	brick=$!
	volume_pids+=("$brick")
	until_done grep -q 'another user can change this directory' options.log
	sleep 0.2
	cat options.log
	kill "$brick" && [ ! -e foreign/run ] &&
		grep 'nothing is recorded.*use one that only root and uid' options.log
}
ok "a directory that others can change is not used" foreign_directory

# ---- A volume ----------------------------------------------------------------

extra_options="    option paths on"
start_bricks 2
if mount_volume; then
	# shellcheck disable=SC2016
	ok "written data is read back" bash -ec '
		cd "$1"
		dd if=/dev/urandom of="$2/data" bs=64k count=160
		dd if="$2/data" of=file bs=64k
		cmp "$2/data" file
		truncate -s 12345678 file
		mkdir -p a/b
		echo text >a/b/c
		ln a/b/c a/d
		ln -s a/d e
		mv a/b/c a/f
		mknod p p
		setfattr -n user.key -v value a/f
		getfattr -n user.key a/f
		getfattr -n user.none a/f && exit 1
		chmod 600 a/f
		touch -d yesterday a/f
		fallocate -l 1M a/g
		sync a/g
		rm -r a/d a/b a/g
		test "$(cat a/f)" = text
		ls -laR
		df .
		flock file true
	' sh "$mount" "$scratch"
	# shellcheck disable=SC2016
	ok "bricks contain no attribute of the translator" bash -ec '
		attributes=$(getfattr -hRd -m . "$@")
		grep -q trusted.gfid <<<"$attributes"
		! grep -i hdtrace <<<"$attributes"
	' sh brick0 brick1
	stop_volume
	promises "$abs_top_srcdir/tests/gluster/xlator.py" "$traces/test" <<-'END'
		each operation has a cause of the layer above | causes
		what was caused is within its cause | within
		gauges agree with relations | counted
		bytes are those of the file | moved CLIENT writev 10485765
		bytes of the disks are, too | moved TROVE writev 10485765
		states have attributes | names TROVE gfid path offset size result errno
		calls have their process | names CLIENT pid
	END
	# shellcheck disable=SC2016
	ok "one process records the host's utilization" bash -c '
		[ "$(ls "$1"/*_Utilization.stat | wc -l)" = 1 ] &&
			[ -s "$1/test_$(hostname)_Utilization.stat" ]
	' sh "$traces"
	ok "hdtrace check finds no problem" checks
	# shellcheck disable=SC2016
	ok "other users can only read the files" bash -c '
		! find "$1" -perm /022 -ls | grep .
	' sh "$traces"

	# The test of the test.
	project=mutant
	type=${type%GlusterFSTracing/hdtrace}tests/gluster/hdtrace
	start_bricks 2
	mount_volume
	echo text >"$mount/mutant"
	stop_volume
	ok "a lost token is detected" finds_mutant
else
	skip "written data is read back" "there is no FUSE here"
fi

done_testing
