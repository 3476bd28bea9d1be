#!/bin/sh
# Loads of all kinds on volumes of GlusterFS: contents are right, nothing lacks its
# cause; caches, faults, glusterd. Takes some minutes: make verify-gluster-loads.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/gluster.sh"
# In a network of its own: glusterd has a port that nobody else may have.
gluster_apart "$0"
command -v fio >/dev/null || skip_all "there is no fio"
HDTRACE_VERBOSITY=-1
export HDTRACE_VERBOSITY
small="--size=${HDTRACE_GLUSTER_SIZE:-8}M --group_reporting"

checks() {
	"$hdtrace" merge -q -f t/p && "$hdtrace" check --format=csv t/p >check.csv
	result=$?
	cat check.csv
	[ "$result" -eq 0 ] && ! grep -vE '^(severity|note,rel.failed),' check.csv
}

# ---- Loads without caches ----------------------------------------------------

# fio in the mount: NAME OPTION...
by_fuse() {
	volume 2 || return 1
	name=$1
	shift
	# shellcheck disable=SC2086 # options
	(cd m0 && timeout 200 fio --name="$name" $small "$@") && ends
}
# And by gfapi.
by_gfapi() {
	for _ in 1 2; do
		brick || return 1
	done
	gfapi_prepare || return 1
	name=$1
	shift
	# shellcheck disable=SC2086 # options
	gfapi --name="$name" $small "$@" && ends
}
# fio compares what it has written; what it reads among writes it does not know,
# with our translators or without.
for way in by_fuse by_gfapi; do
	for load in write randwrite read randrw; do
		case $load in
		*write) verify=crc32c ;;
		*) verify=0 ;;
		esac
		for block in 4k 128k 1M; do
			scene load
			ok "$way: $load of $block" $way f --rw="$load" \
				--bs="$block" --numjobs=2 --verify="$verify"
			ok "no relation lacks its cause" written orphans
			ok "gauges are 0 at the end" written g1
			ok "hdtrace check finds no problem" checks
		done
	done
	scene sync
	ok "$way: each write is synchronized" $way f --rw=randwrite --bs=16k \
		--fsync=1 --size=1M
	ok "no relation lacks its cause" written orphans writev fsync
done
scene async
ok "many concurrent operations by libaio succeed" by_fuse f --rw=randrw --bs=16k --ioengine=libaio \
	--iodepth=16 --direct=1
ok "no relation lacks its cause" written orphans writev readv
scene eight
ok "eight programs write by gfapi" by_gfapi f --rw=write --bs=256k --numjobs=8
ok "each part has a complete chain of causes" written c1

# fio says the same with and without us.
verified() {
	scene verified
	untraced=$1
	# shellcheck disable=SC2086 # options
	volume 2 && (cd m0 && timeout 200 fio --name=f $small --rw=randwrite \
		--bs=16k --numjobs=2 --verify=crc32c --output-format=json >../said)
	result=$?
	unset untraced
	python3 - said <<'END'
import json, sys
for job in json.load(open(sys.argv[1]))["jobs"]:
    print(job["error"], *[job[i][k] for i in ("read", "write")
                          for k in ("io_bytes", "total_ios")])
END
	echo "$result"
	ends >/dev/null 2>&1
}
same() {
	verified yes >"$scratch/without" && verified '' >"$scratch/with"
	cat "$scratch/without" "$scratch/with"
	[ "$(cat "$scratch/with")" = "$(printf '0 16777216 1024 16777216 1024\n0')" ] &&
		cmp "$scratch/without" "$scratch/with"
}
small_of=$small
small="--size=8M --group_reporting"
ok "fio reports the same without the translator" same
small=$small_of

tree() {
	volume 2 && tar -C "$abs_top_srcdir" -cf - common cli | tar -C m0 -xf - &&
		diff -r "$abs_top_srcdir/common" m0/common &&
		for file in m0/common/wallclock.c m0/common/net.c m0/common/ini.c; do
			${CC:-cc} -D_GNU_SOURCE -Im0 -I"$abs_top_builddir" -c \
				-o "${file%.c}.o" "$file" || return 1
		done && rm -r m0/cli && ends
}
scene tree
ok "a source tree is unpacked and built" tree
ok "no relation lacks its cause" written orphans create mkdir unlink

fsx() {
	volume 2 && for seed in 1 2 3 4; do
		python3 "$abs_top_srcdir/tests/gluster/fsx.py" "m0/f$seed" 150 \
			"$seed" &
		writers="$writers $!"
	done
	for pid in $writers; do
		wait "$pid" || return 1
	done
	ends
}
writers=
scene fsx
ok "results of random operations agree with memory" fsx
ok "no relation lacks its cause" written orphans ftruncate rename
ok "the project has no errors" checks

# ---- With caches -------------------------------------------------------------

caches="write-behind read-ahead io-cache open-behind quick-read md-cache"
scene caches
ok "random writes with caching translators" by_fuse f --rw=randwrite --bs=16k --verify=crc32c
ok "operations of caching translators have an origin" written orphans
# By another reader as by our own.
counted_apart() {
	"$hdtrace" merge -q -f t/p &&
		"$hdtrace" relations -q --format=json t/p >relations.json || return 1
	count=$(python3 -c 'import json
print(json.load(open("relations.json"))["inferred_links"])') &&
		[ "$count" -gt 0 ] && written inferred_are "$count"
}
ok "inferred causes are counted separately" counted_apart
unset caches

# ---- Faults ------------------------------------------------------------------

failing() {
	fault=failing
	brick <<'END' || return 1
volume failing
  type debug/error-gen
  option failure 5
  option error-no EIO
  option enable WRITE,READ
  subvolumes posix
end-volume
END
	unset fault
	mounts || return 1
	for i in $(seq 40); do
		dd if=/dev/zero of="m0/f$i" bs=64k count=4 2>/dev/null || failed=yes
	done
	ends && [ "$failed" = yes ]
}
failed=
scene failing
ok "a load finishes on a storage with occasional errors" failing
ok "gauges are 0 at the end" written g1
ok "no relation lacks its cause" written orphans writev

# ---- glusterd ----------------------------------------------------------------

# ---- The host of a brick (K5) ------------------------------------------------

in_other_network() {
	[ "$(readlink "/proc/$other/ns/net")" != "$(readlink /proc/self/ns/net)" ]
}
# A network for the client, behind a link of which the brick's host has one end.
network() {
	unshare -n sleep infinity &
	other=$!
	until_done in_other_network &&
		ip link add hd0 type veth peer name hd1 netns "$other" &&
		ip addr add 192.0.2.1/24 dev hd0 && ip link set hd0 up &&
		nsenter -t "$other" -n ip addr add 192.0.2.2/24 dev hd1 &&
		nsenter -t "$other" -n ip link set hd1 up &&
		nsenter -t "$other" -n ip link set lo up
}
# A brick on the disk writes what comes from there.
on_disk() {
	mkdir b0 && mount --bind "$disk" b0 && network || return 1
	edit='s/bind-address 127.0.0.1/bind-address 192.0.2.1/'
	brick || return 1
	unset edit
	client_file && sed -i 's/remote-host 127.0.0.1/remote-host 192.0.2.1/' \
		client.vol || return 1
	with="nsenter -t $other -n"
	mounts && (cd m0 && timeout 200 fio --name=f --rw=write --bs=1M \
		--size=64M --end_fsync=1)
	result=$?
	unset with
	[ "$result" -eq 0 ] && ends && umount b0 && kill "$other" && ls "$disk"
}
# The total of a value of the brick's host: VALUE [OPTION...]
total() {
	value=$1
	shift
	"$hdtrace" stat -q --format=csv -n "$(uname -n)" -g Utilization \
		--value "$value" "$@" t/p.proj | tee -a host.csv |
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
			NR == 2 { printf "%.0f\n", $at["total"] }'
}
# Its disks have got the bytes, and were asked for nearly none; they came by its
# network. Others use the disks as well: limits, not values.
host_figures() {
	"$hdtrace" merge -q -f t/p || return 1
	bytes=$((64 << 20))
	wrote=$(total HDD_WRITE)
	read=$(total HDD_READ)
	came=$(total NET_IN)
	cat host.csv
	echo "written $wrote, read $read, received $came"
	[ "$wrote" -ge "$bytes" ] && [ "$read" -lt $((bytes / 4)) ] &&
		[ "$came" -ge "$bytes" ] && [ "$came" -lt $((2 * bytes)) ]
}
# These have one time: while requests wrote, by the times of their relations, the
# bytes came.
host_times() {
	written span REQ writev >written.span || return 1
	read -r begin end <written.span
	came=$(total NET_IN --from="@$begin" --to="@$end")
	echo "from $begin to $end received $came"
	[ $((end - begin)) -lt 100 ] && [ "$came" -ge $((64 << 20)) ]
}
scene host
if disk=$(mktemp -d /var/tmp/hdtrace-gluster.XXXXXX) &&
	setfattr -n trusted.hdtrace -v 1 "$disk"; then
	ok "a client in another network writes to a brick on the disk" on_disk
	ok "disk and network counters of the host contain the bytes" host_figures
	ok "gauges, relations and utilization share one time" host_times
else
	skip "the host of a brick" "files of /var/tmp have no trusted attributes"
fi
gluster_clear
umount -l "$here/b0" 2>/dev/null
rm -rf "${disk:?}"

# The script in the folder: [OPTION]
filters() {
	# $1 is of the script.
	# shellcheck disable=SC2016
	printf '#!/bin/sh\nexec "%s" filter -q %s --directory "%s" "$1"\n' \
		"$hdgluster" "$*" "$here/t" >filter/hdtrace && chmod 755 filter/hdtrace
}
glusterd_volume() {
	mkdir gd run filter && mkdir -p "${xlators%/xlator}/filter" || return 1
	# What it writes elsewhere is to vanish with this namespace.
	for at in /var/log/glusterfs /var/run/gluster /var/lib/glusterd; do
		mkdir -p "$at" && mount -t tmpfs none "$at" || return 1
	done
	filters
	mount --bind filter "${xlators%/xlator}/filter" || return 1
	cat >gd.vol <<END
volume management
    type mgmt/glusterd
    option working-directory $here/gd
    option run-directory $here/run
    option transport-type socket
    option transport.socket.listen-port 24007
end-volume
END
	glusterd -f "$here/gd.vol" -l "$here/gd.log" -p "$here/gd.pid" -N &
	last=$!
	gluster_pids="$gluster_pids $last"
	until_done gluster --mode=script volume info >/dev/null 2>&1 &&
		gluster --mode=script volume create gv "$(uname -n):$here/b0" \
			"$(uname -n):$here/b1" force &&
		gluster --mode=script volume set gv features.shard on &&
		gluster --mode=script volume start gv && mkdir m0 &&
		glusterfs -s "$(uname -n)" --volfile-id=gv -l "$here/m.log" "$here/m0" ||
		return 1
	gluster_mounts=$here/m0
	dd if=/dev/urandom of=data bs=1M count=20 2>&1 && cp data m0/f &&
		cmp data m0/f
}
# Another project is asked for; then glusterd's volume gets another option, and the
# mount another graph: a translator less.
glusterd_switches() {
	"$hdgluster" enable --project=q m0 && mkdir m0/before &&
		gluster --mode=script volume set gv performance.stat-prefetch off &&
		until_done sh -c 'ls m0 >/dev/null
			grep -q "switched to graph [1-9]" m.log' &&
		"$hdgluster" status m0 >said && cat said &&
		[ "$(grep -c '/t/q$' said)" -gt 5 ] &&
		! tail -n +2 said | grep -v '/t/q$' &&
		mkdir m0/after && cp data m0/g && cmp data m0/g
}
# As hdgluster(1) says: the bricks first, then the mounts of a volume that serves;
# the bricks' storage never sees what is ours.
glusterd_steps() {
	filters --layers=REQ,BREQ,TROVE --option enable=none &&
		gluster --mode=script volume create gw "$(uname -n):$here/b2" \
			"$(uname -n):$here/b3" force &&
		gluster --mode=script volume start gw && mkdir m1 &&
		glusterfs -s "$(uname -n)" --volfile-id=gw -l "$here/m1.log" "$here/m1" ||
		return 1
	gluster_mounts="$gluster_mounts $here/m1"
	mkdir m1/before && ! "$hdgluster" status m1 && filters --option enable=none &&
		gluster --mode=script volume set gw diagnostics.count-fop-hits on &&
		until_done sh -c 'ls m1 >/dev/null
			grep -q "switched to graph [1-9]" m1.log' &&
		mkdir m1/after && "$hdgluster" status m1 >said && cat said &&
		[ "$(grep -c ' off ' said)" -eq 10 ] &&
		! grep -h 'hdtrace.relation' /var/log/glusterfs/bricks/*.log
	result=$?
	umount m1 && gluster --mode=script volume stop gw force || result=1
	gluster_mounts=$here/m0
	return "$result"
}
glusterd_ends() {
	umount m0 && gluster --mode=script volume stop gv force
	result=$?
	gluster_mounts=
	kill "$last"
	wait "$last"
	umount "${xlators%/xlator}/filter" && rmdir "${xlators%/xlator}/filter"
	return "$result"
}
# Of a project: NAME
layers_of() {
	ls t
	for layer in CLIENT FLOW BMI REQ BREQ TROVE; do
		ls t/"$1"_*_"$layer".rel >/dev/null || return 1
	done
	python3 "$gluster_py" orphans "t/$1"
}
# What was made with both graphs, in each layer.
both_graphs() {
	layers_of q || return 1
	for layer in CLIENT FLOW BMI REQ TROVE; do
		cat t/q_*_"$layer".rel | grep -o 'name="mkdir"' >all
		[ "$(wc -l <all)" -ge 2 ] || { echo "$layer"; return 1; }
	done
}
if command -v glusterd >/dev/null; then
	scene glusterd
	ok "a volume of glusterd is traced by its filter" glusterd_volume
	ok "the request stays in effect when glusterd changes the graph" \
		glusterd_switches
	ok "a running volume gets the translators, bricks first" glusterd_steps
	ok "the volume is stopped" glusterd_ends
	ok "all layers are recorded and all causes are found" layers_of gluster
	ok "both graphs are recorded in the requested project" both_graphs
else
	skip "a volume of glusterd's" "there is no glusterd"
fi

done_testing
