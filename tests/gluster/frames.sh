#!/bin/sh
# Which translators hand on operations in the frames in which they came: what instance.c
# trusts is tried with each of them, in graphs with one of our places above and one
# below it, which say what they see (frames.c).
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/gluster.sh"
gluster_apart "$0"
HDTRACE_VERBOSITY=-1
HDTRACE_FRAMES=$scratch/lines
export HDTRACE_VERBOSITY HDTRACE_FRAMES
cp "$abs_top_builddir/tests/gluster/frames/hdtrace.so" "$scratch/debug" || exit 99

# One of our places, whose layer is its name: NAME BELOW
witness() {
	printf 'volume %s\n  type debug/hdtrace\n  option layer %s\n' "$1" "$1"
	printf '  option project p\n  option directory %s\n' "$here/t"
	printf '  option utilization 0\n  subvolumes %s\nend-volume\n' "$2"
}
# A translator with a place of ours above it: NAME TYPE BELOW [OPTION...]
watched() {
	printf 'volume %s-it\n  type %s\n  subvolumes %s\n' "$1" "$2" "$3"
	name=$1
	shift 3
	for option; do
		printf '  option %s\n' "$option"
	done
	printf 'end-volume\n'
	witness "$name" "$name-it"
}
watched_brick() {
	port=$((20000 + $1))
	gluster_directory "b$1" || return 1
	{
		printf 'volume posix\n  type storage/posix\n  option directory %s\n' \
			"$here/b$1"
		printf '  option volume-id %s\nend-volume\n' "$uuid"
		witness posix-above posix
		watched access features/access-control posix-above
		watched locks features/locks access
		watched error debug/error-gen locks 'failure 0'
		watched delay debug/delay-gen error 'delay-percentage 20' \
			'delay-duration 10'
		watched threads performance/io-threads delay
		watched stats debug/io-stats threads
		printf 'volume server\n  type protocol/server\n'
		printf '  option transport-type tcp\n'
		printf '  option transport.socket.bind-address 127.0.0.1\n'
		printf '  option transport.socket.listen-port %s\n' "$port"
		printf '  option auth.addr.stats.allow *\n  subvolumes stats\n'
		printf 'end-volume\n'
	} >"b$1.vol"
	brick_again "$1" "$port" && ports="$ports $port"
}
watched_client() {
	below=
	for port in $ports; do
		printf 'volume c%s-it\n  type protocol/client\n' "$port"
		printf '  option transport-type tcp\n  option remote-host 127.0.0.1\n'
		printf '  option remote-port %s\n' "$port"
		printf '  option remote-subvolume stats\nend-volume\n'
		witness "c$port" "c$port-it"
		below="$below c$port"
	done
	watched distribute cluster/distribute "$below"
	watched shard features/shard distribute 'shard-block-size 4MB'
	watched behind performance/write-behind shard
}
all_kinds() {
	watched_brick 0 && watched_brick 1 && watched_client >client.vol && mounts &&
		timeout -k 5 60 python3 "$abs_top_srcdir/tests/gluster/frames.py" m0 &&
		ends
}
scene frames
ok "operations of all kinds are recorded" all_kinds
sort -u "$HDTRACE_FRAMES" >seen

# Each one that is trusted has kept what came: TYPE
keeps() {
	grep "^$1 " seen | awk '{ print $2, $3, $4 }' | sort >of
	echo "kept: $(awk '/kept trusted/ { print $1 }' of | xargs)"
	echo "lost: $(awk '/lost/ { print $1 }' of | xargs)"
	grep -q 'kept trusted' of && ! grep 'lost trusted' of
}
for type in cluster/distribute debug/delay-gen debug/error-gen debug/io-stats \
	features/access-control features/locks features/shard performance/io-threads; do
	ok "$type keeps the frames that it is trusted to keep" keeps "$type"
	sed 's/^/# /' "$details"
done
# The test of the test: frames that are lost are seen to be.
loses() {
	cat seen
	grep -q '^performance/write-behind writev lost not-trusted' seen &&
		grep -q '^features/shard .* lost not-trusted' seen
}
ok "other translators lose frames and are not trusted" loses
done_testing
