# shellcheck shell=sh
# For tests with two hosts, hda and hdb: network namespaces with a cable between
# them, host names and memory of their own. Source it after tap.sh; what follows
# runs in namespaces of its own, which end with it, however it ends; so names and
# addresses are its own, too. That takes the right to make namespaces: root, or a
# kernel that lets users do it.
# shellcheck disable=SC2154 # scratch and run are of who sources it
# SPDX-License-Identifier: LGPL-2.1-or-later
namespaces='--mount --net --uts --ipc --pid --fork --kill-child --mount-proc'
as=
# Whether a command can make what we need; with the options for unshare.
may_unshare() {
	# Unquoted: options.
	# shellcheck disable=SC2086
	unshare "$@" $namespaces sh -c 'hostname hda &&
		mount -t tmpfs none /mnt &&
		ip link add v0 type veth peer name v1' >"$scratch/log" 2>&1
}
# Whether that can be made, as $as says.
may_have_hosts() {
	may_unshare || as=-r
	[ -z "$as" ] || may_unshare $as
}
# Go on in namespaces, as the same script with other arguments.
enter_hosts() {
	rm -rf "$scratch"
	# shellcheck disable=SC2086
	exec unshare $as $namespaces sh "$0" "$@"
}

on_hdb() {
	nsenter --target "$hdb" --net --uts --mount --ipc -- "$@"
}

start_hosts() {
	hostname hda
	printf '127.0.0.1 localhost\n192.0.2.1 hda\n192.0.2.2 hdb\n' \
		>"$scratch/hosts"
	mount --bind "$scratch/hosts" /etc/hosts || return 1
	# UCX looks there for network interfaces.
	mount -t sysfs none /sys
	mkdir "$run"
	# It lives as long as we do.
	# shellcheck disable=SC2016 # the shell there expands it
	unshare --net --uts --mount --ipc sh -c 'hostname hdb
		mount -t tmpfs none /dev/shm
		mount -t sysfs none /sys
		: >"$1"; exec sleep infinity' - "$scratch/ready" &
	hdb=$!
	while [ ! -e "$scratch/ready" ] && kill -0 "$hdb"; do
		sleep 0.05
	done
	ip link add v0 type veth peer name v1 &&
		ip link set v1 netns "$hdb" &&
		ip address add 192.0.2.1/24 dev v0 && ip link set v0 up &&
		ip link set lo up &&
		on_hdb ip address add 192.0.2.2/24 dev v1 &&
		on_hdb ip link set v1 up && on_hdb ip link set lo up
}

# What launchers call instead of ssh: [OPTION...] HOST COMMAND... Like ssh it
# passes no variables on.
write_shell() {
	cat >"$scratch/shell" <<END
#!/bin/sh
while :; do
	case \$1 in
	-*) shift ;;
	*) break ;;
	esac
done
[ "\$1" = hdb ] || { echo "\$1: unknown" >&2; exit 255; }
shift
exec nsenter --target $hdb --net --uts --mount --ipc -- \\
	env -i PATH="$PATH" HOME="$HOME" sh -c "\$*"
END
	chmod +x "$scratch/shell"
}
