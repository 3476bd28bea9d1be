# shellcheck shell=bash
# A small volume with the translator at all places of its graphs, for the tests of
# the translator. Sourced behind tap.sh; what is started is ended at exit.
# SPDX-License-Identifier: LGPL-2.1-or-later

. "${abs_top_srcdir:?}/tests/lib/gluster.sh"
command -v fio >/dev/null || skip_all "there is no fio"
gluster_enter bash "$0" "$@"
translator=${gluster_so:?}

# GlusterFS looks for TYPE.so in a directory of its own, from where a type may
# lead to where the translator was built.
xlators=$($PKG_CONFIG --variable=libdir glusterfs-api)/glusterfs/$(
	$PKG_CONFIG --modversion glusterfs-api | sed 's/^7\.//')/xlator
type=${translator#/}
for part in ${xlators//\// }; do
	type=${part:+../}$type
done
type=${type%.so}

volume_pids=()
volume_mounts=()

# End what was started: mounts first, which would wait for bricks else.
volume_end() {
	local at pid

	for at in "${volume_mounts[@]}"; do
		umount -l "$at" 2>/dev/null
	done
	for pid in "${volume_pids[@]}"; do
		kill "$pid" 2>/dev/null
	done
	for pid in "${volume_pids[@]}"; do
		wait "$pid" 2>/dev/null
	done
	volume_mounts=()
	volume_pids=()
}
# Of tap.sh.
: "${scratch:=}"
volume_leave() {
	volume_end
	cd /
	umount -l "$scratch" 2>/dev/null
	rm -rf "${scratch:?}"
}
trap volume_leave EXIT

# Print one of ours: NAME LAYER SUBVOLUME [OPTION VALUE]...
place() {
	printf 'volume %s\n    type %s\n    option layer %s\n' "$1" "$type" "$2"
	printf '    option project %s\n    option directory %s\n' \
		"${project:-test}" "${traces:?}"
	[ -z "${extra_options:-}" ] || printf '%s\n' "$extra_options"
	local subvolume=$3
	shift 3
	while [ $# -gt 1 ]; do
		printf '    option %s %s\n' "$1" "$2"
		shift 2
	done
	printf '    subvolumes %s\nend-volume\n\n' "$subvolume"
}

# Write the volume file of brick NUMBER, which listens at PORT; with $deep layers
# more, DEEP1 and so on.
brick_file() {
	local id=b$1 directory=$scratch/brick$1 layer

	mkdir -p "$directory"
	setfattr -n trusted.glusterfs.volume-id \
		-v 0x00112233445566778899aabbccddeef"$1" "$directory"
	cat <<END
volume $id
    type storage/posix
    option directory $directory
    option volume-id 00112233-4455-6677-8899-aabbccddeef$1
end-volume

END
	below=$id
	if [ -n "${fault:-}" ]; then
		printf 'volume %s-fault\n%s\n    subvolumes %s\nend-volume\n\n' \
			"$id" "$fault" "$id"
		below=$id-fault
	fi
	place "$id-trove" TROVE "$below"
	cat <<END
volume $id-locks
    type features/locks
    subvolumes $id-trove
end-volume

END
	place "$id-out" BREQ "$id-locks" side leave
	cat <<END
volume $id-threads
    type performance/io-threads
    subvolumes $id-out
end-volume

END
	place "$id-in" BREQ "$id-threads" side enter
	below=$id-in
	for ((layer = 1; layer <= ${deep:-0}; layer++)); do
		place "$id-deep$layer" "DEEP$layer" "$below"
		below=$id-deep$layer
	done
	place "$id-req" REQ "$below"
	cat <<END
volume $id-server
    type protocol/server
    option transport-type tcp
    option transport.socket.listen-port $2
    option transport.socket.bind-address 127.0.0.1
    option transport.address-family inet
    option auth.addr.$id-req.allow *
    subvolumes $id-req
end-volume
END
}

# Write the volume file of a client of bricks that listen at PORT...
client_file() {
	local port all="" id number=0

	for port; do
		id=client$number
		cat <<END
volume $id
    type protocol/client
    option remote-host 127.0.0.1
    option remote-port $port
    option transport-type tcp
    option transport.address-family inet
    option remote-subvolume b$number-req
end-volume

END
		place "$id-bmi" BMI "$id"
		all+=" $id-bmi"
		number=$((number + 1))
	done
	cat <<END
volume dht
    type cluster/distribute
    subvolumes$all
end-volume

END
	place flow FLOW dht
	cat <<END
volume shard
    type features/shard
    option shard-block-size 4MB
    subvolumes flow
end-volume

END
	place top CLIENT shard
}

# Start a brick: NUMBER PORT. Its process is in $brick_pid.
start_brick() {
	brick_file "$1" "$2" >"$scratch/brick$1.vol"
	glusterfsd -f "$scratch/brick$1.vol" -l "$scratch/brick$1.log" \
		-p "$scratch/brick$1.pid" --no-daemon &
	brick_pid=$!
	volume_pids+=("$brick_pid")
	last=$brick_pid
	until_done is_there "$scratch/brick$1.log" "$2" ||
		echo "# brick $1 does not listen"
}

# Start COUNT bricks, and write client.vol.
start_bricks() {
	local number
	ports=()

	for ((number = 0; number < $1; number++)); do
		ports+=($((20000 + number)))
		start_brick "$number" "${ports[number]}"
	done
	client_file "${ports[@]}" >"$scratch/client.vol"
}

# Mount the volume at $mount, by a client that $client_with runs, if that is set.
# Fails where there is no FUSE.
mount_volume() {
	mount=$scratch/mnt
	mkdir -p "$mount"
	# shellcheck disable=SC2086 # a command and its options
	${client_with:-} glusterfs -f "$scratch/client.vol" \
		-l "$scratch/client.log" --no-daemon "$mount" &
	client_pid=$!
	volume_pids+=("$client_pid")
	volume_mounts+=("$mount")
	last=$client_pid
	until_done is_mounted "$mount" && kill -0 "$last" &&
		until_done stat "$mount" >/dev/null 2>&1
}

# End all; the traces are complete then.
stop_volume() {
	local at

	for at in "${volume_mounts[@]}"; do
		umount "$at"
	done
	volume_mounts=()
	volume_end
}
