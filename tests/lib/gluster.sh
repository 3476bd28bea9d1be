# shellcheck shell=sh
# For tests with volumes of GlusterFS. Source it after tap.sh; a test that starts
# volumes by itself calls gluster_apart first, or gluster_enter.
# shellcheck disable=SC2154,SC2034 # scratch is in tap.sh; names are for tests
# SPDX-License-Identifier: LGPL-2.1-or-later
gluster_py=${abs_top_srcdir:?}/tests/gluster/gluster.py
hdgluster=${abs_top_builddir:?}/hdgluster
hdtrace=$abs_top_builddir/hdtrace

# Whether our translator is there, as a file: $gluster_so.
gluster_translator() {
	gluster_so=${abs_top_builddir:?}/GlusterFSTracing/hdtrace.so
	[ -f "$gluster_so" ]
}

# Skip where there is no GlusterFS, or it cannot be run: with sanitizers, since
# glusterfsd would have to be built with them.
gluster_needed() {
	[ -z "${HD_SANITIZE-}" ] || skip_all "GlusterFS has no sanitizers"
	[ "$(id -u)" -eq 0 ] || skip_all "bricks need root"
	for program in glusterfsd glusterfs python3 setfattr; do
		command -v "$program" >/dev/null ||
			skip_all "there is no $program (Debian: glusterfs-server attr)"
	done
	{ [ -r /dev/fuse ] && [ -w /dev/fuse ]; } || skip_all "there is no FUSE"
	unshare -m -p -f true 2>/dev/null || skip_all "there are no namespaces"
	gluster_attributes || skip_all "files have no trusted attributes here"
}

# Whether directories for bricks can be in $scratch.
gluster_attributes() {
	setfattr -n trusted.hdtrace -v 1 "$scratch" 2>/dev/null
}

# Run this test again in namespaces of its own; what it starts ends with it. In a
# network of its own nobody else takes its ports: SHELL "$0" [ARGUMENT...]
gluster_enter() {
	if [ -z "${GLUSTER_APART-}" ]; then
		gluster_needed
		gluster_translator ||
			skip_all "the translator is not in this build"
		unshare -n ip link set lo up 2>/dev/null ||
			skip_all "there is no ip (Debian: iproute2)"
		rm -rf "${scratch:?}"
		GLUSTER_APART=yes exec unshare -n -m -p -f \
			--mount-proc --kill-child "$@"
	fi
	ip link set lo up || exit 99
	gluster_translator
}

# Let $scratch be memory, if bricks can be there: the disk has others' work to do.
gluster_memory() {
	mount -t tmpfs -o mode=700 none "$scratch" || exit 99
	gluster_attributes || umount "$scratch"
}

# As gluster_enter, and GlusterFS finds our translator: "$0" [ARGUMENT...]
gluster_apart() {
	gluster_enter sh "$@"
	gluster_memory
	trap gluster_leave EXIT
	xlators=$(glusterfsd --print-xlatordir) && mkdir "$scratch/debug" &&
		cp "$xlators"/debug/*.so "$scratch/debug" &&
		cp "$gluster_so" "$scratch/debug" &&
		mount --bind "$scratch/debug" "$xlators/debug" || exit 99
}

gluster_leave() {
	gluster_clear
	cd /
	umount -l "$xlators/debug"
	umount -l "$scratch" 2>/dev/null
	rm -rf "${scratch:?}"
}

# ---- Volumes -----------------------------------------------------------------

gluster_pids=
gluster_mounts=

# End all that runs, at once.
gluster_clear() {
	for at in $gluster_mounts; do
		umount -l "$at" 2>/dev/null
	done
	for pid in $gluster_pids; do
		kill -9 "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	gluster_pids=
	gluster_mounts=
}

# Begin anew, in an empty directory with the name: NAME
here=
scene() {
	gluster_clear
	cd "$scratch" && rm -rf "${here:-$scratch/$1}" && mkdir "$1" "$1/t" &&
		cd "$1" || exit 99
	here=$scratch/$1
	bricks=0
	mounts=0
	ports=
}

# Put our translator into a file, if traces are wanted: FILE NODE
gluster_traced() {
	[ -n "${untraced-}" ] || {
		"$hdgluster" volfile -q --project p --directory "$here/t" \
			--node "$2" "$1" >"$1.new" && mv "$1.new" "$1"
	}
}

# Whether the process that was started last listens, or has ended: LOG PORT
is_there() {
	kill -0 "$last" 2>/dev/null || { cat "$1"; return 0; }
	grep -q ":$(printf %04X "$2") 0*:0000 0A " /proc/net/tcp
}

# Make a directory of a volume's brick: NAME
gluster_directory() {
	uuid=00112233-4455-6677-8899-aabbccddeeff
	mkdir -p "$1" && setfattr -n trusted.glusterfs.volume-id \
		-v "0x$(echo "$uuid" | tr -d -)" "$1"
}

# Start brick b0, b1 and so on, with further volumes above its storage from the
# input where $fault is the name of the topmost of these. What is run is $with
# glusterfsd; $edit is a script of sed for the file.
brick() {
	name=b$bricks
	# Below those that connections get.
	port=$((20000 + bricks))
	gluster_directory "$name" || return 1
	{
		printf 'volume posix\n  type storage/posix\n  option directory %s\n' \
			"$here/$name"
		printf '  option volume-id %s\nend-volume\n\n' "$uuid"
		[ -z "${fault-}" ] || cat
		printf 'volume locks\n  type features/locks\n  subvolumes %s\n' \
			"${fault:-posix}"
		printf 'end-volume\nvolume brick\n  type performance/io-threads\n'
		printf '  subvolumes locks\nend-volume\nvolume server\n'
		printf '  type protocol/server\n  option transport-type tcp\n'
		printf '  option transport.socket.bind-address 127.0.0.1\n'
		printf '  option transport.socket.listen-port %s\n' "$port"
		printf '  option auth.addr.brick.allow *\n  subvolumes brick\n'
		printf 'end-volume\n'
	} >"$name.vol"
	gluster_traced "$name.vol" "$name" &&
		if [ -n "${edit-}" ]; then sed -i "$edit" "$name.vol"; fi || return 1
	brick_again "$bricks" "$port" || return 1
	ports="$ports $port"
	bricks=$((bricks + 1))
}

# Start a brick that is there already: NUMBER PORT
brick_again() {
	# shellcheck disable=SC2086 # a command and its words, or nothing
	${with-} glusterfsd --no-daemon -f "$here/b$1.vol" -l "$here/b$1.log" \
		>/dev/null 2>&1 &
	last=$!
	gluster_pids="$gluster_pids $last"
	eval "brick$1=$last"
	until_done is_there "b$1.log" "$2" && kill -0 "$last"
}

# A brick with three threads, and a gate below one of our translators, above
# another: VOLUME VOLUME
gated_brick() {
	flags=$(${PKG_CONFIG:-pkg-config} --variable=includedir glusterfs-api) || return 1
	# shellcheck disable=SC2086 # compilers may have options
	${CC:-cc} -shared -fPIC -w -o "$scratch/debug/gate.so" \
		-D_FILE_OFFSET_BITS=64 -D_GNU_SOURCE -DGF_LINUX_HOST_OS \
		-DSIZEOF_LONG=8 -DHAVE_ATOMIC_BUILTINS \
		"-I$flags/glusterfs" "-I$flags/uuid" "-I$flags/tirpc" \
		"$abs_top_srcdir/tests/gluster/gate.c" -lglusterfs || return 1
	edit="/^volume $1/,/subvolumes/s/subvolumes $2/subvolumes gate/
		s,type performance/io-threads,&\n    option thread-count 3,
		/^volume $1/i\\
volume gate\\
    type debug/gate\\
    option file $here/shut\\
    subvolumes $2\\
end-volume\\
"
	brick
	result=$?
	unset edit
	return "$result"
}

# Write client.vol, for all bricks; $caches is put above shard.
client_file() {
	link=0
	below=
	for port in $ports; do
		printf 'volume c%s\n  type protocol/client\n' "$link"
		printf '  option transport-type tcp\n  option remote-host 127.0.0.1\n'
		printf '  option remote-port %s\n' "$port"
		printf '  option remote-subvolume brick\nend-volume\n'
		below="$below c$link"
		link=$((link + 1))
	done >client.vol
	{
		printf 'volume dht\n  type cluster/distribute\n  subvolumes%s\n' \
			"$below"
		printf 'end-volume\nvolume shard\n  type features/shard\n'
		printf '  option shard-block-size 4MB\n  subvolumes dht\n'
		printf 'end-volume\n'
		top=shard
		for type in ${caches-}; do
			printf 'volume %s\n  type performance/%s\n' "$type" "$type"
			printf '  subvolumes %s\nend-volume\n' "$top"
			top=$type
		done
	} >>client.vol
	gluster_traced client.vol client
}

is_mounted() {
	kill -0 "$last" 2>/dev/null || { cat client.log; return 0; }
	grep -q " $1 fuse" /proc/self/mounts
}

# Mount the volume at m0, m1 and so on.
mounts() {
	at=$here/m$mounts
	mkdir -p "$at"
	[ -f client.vol ] || client_file || return 1
	# shellcheck disable=SC2086
	${with-} glusterfs --no-daemon -f "$here/client.vol" \
		-l "$here/client.log" "$at" >/dev/null 2>&1 &
	last=$!
	gluster_pids="$gluster_pids $last"
	gluster_mounts="$gluster_mounts $at"
	mounts=$((mounts + 1))
	until_done is_mounted "$at" && kill -0 "$last" && ls "$at"
}

# Two bricks, or so many, and a mount: [COUNT]
volume() {
	for _ in $(seq "${1:-2}"); do
		brick || return 1
	done
	mounts
}

has_ended() {
	! kill -0 "$1" 2>/dev/null
}

# End a volume in good order: mounts, then bricks. What hangs is killed.
ends() {
	for at in $gluster_mounts; do
		until_done umount "$at" || return 1
	done
	gluster_mounts=
	for pid in $gluster_pids; do
		kill "$pid" 2>/dev/null
	done
	hanging=
	for pid in $gluster_pids; do
		until_done has_ended "$pid" || {
			hanging="$hanging $pid"
			kill -9 "$pid"
		}
		wait "$pid"
	done
	gluster_pids=
	[ -z "$hanging" ] || {
		echo "did not end:$hanging"
		return 1
	}
}

# Check what was written: CHECK [ARGUMENT...]
written() {
	check=$1
	shift
	python3 "$gluster_py" "$check" t/p "$@"
}

# Check what was written, which is read once; each line of the input is a test
# point, NAME | CHECK [ARGUMENT...]: PROGRAM PREFIX
promises() {
	rm -f point.*
	cat >points.in
	python3 "$1" points "$2" <points.in
	number=0
	while IFS='|' read -r name _; do
		number=$((number + 1))
		ok "${name% }" kept "point.$number"
	done <points.in
}
kept() {
	cat "$1" && [ -e "$1.kept" ]
}

# Prepare for gfapi.
gfapi_prepare() {
	${CC:-cc} -shared -fPIC -o "$scratch/gfapi.so" \
		"$abs_top_srcdir/tests/gluster/gfapi.c" && client_file
}

# fio by gfapi, which asks a server for the volume file; we hand it over: FIO...
gfapi() {
	HDGLUSTER_VOLFILE=$here/client.vol LD_PRELOAD=$scratch/gfapi.so \
		fio --ioengine=gfapi --volume=v --brick=127.0.0.1 "$@"
}
