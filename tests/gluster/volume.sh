#!/bin/sh
# tags: plain slow waits
# What is promised of causes and gauges, in volumes of GlusterFS: clients and bricks
# with our translators. gluster.py reads what they have written, without any code of
# ours. The promises are those of tests/relay/relay.sh, by the same names:
#
#     C1  requests have causes            G1  0, never negative, 0
#     C2  sizes, ranges, contents         G2  gated: 9, 18, 18, 18, 15, 3
#     C3  a client that is not traced     G3  BREQ + TROVE <= REQ
#     C5  clocks 5 s apart                G5  gauges agree with relations
#     C6  small writes are one part       K4  the project has all files
#
# Longer ones are in make verify-gluster.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/gluster.sh"
gluster_apart "$0"
HDTRACE_VERBOSITY=-1
export HDTRACE_VERBOSITY
mib=1048576

# Bytes that tell where they are: NUMBER OF MIB
pattern() {
	seq -f '%015.0f' $(($1 * mib / 16))
}

# ---- Three writers and two bricks --------------------------------------------

three_write() {
	volume 2 || return 1
	for i in 0 1 2; do
		pattern 6 | dd of="m0/f$i" bs=1M iflag=fullblock 2>/dev/null &
		writers="$writers $!"
	done
	for pid in $writers; do
		wait "$pid" || return 1
	done
	ends
}
checks() {
	"$hdtrace" merge -q -f t/p && "$hdtrace" check --format=csv t/p >check.csv
	result=$?
	cat check.csv
	# Operations may fail: a lookup of what is not there.
	[ "$result" -eq 0 ] && ! grep -vE '^(severity|note,rel.failed),' check.csv
}
scene three
ok "three programs write files of 6 MiB, in blocks of 4 MB, to two bricks" three_write
ok "hdtrace check finds no problem" checks
promises "$gluster_py" t/p <<END
C1: each call has its parts, each part its request; no orphans | c1
C2: sizes add up, ranges tile | c2 $((18 * mib))
G1: gauges begin and end at 0 | g1
G3: BREQ + TROVE <= REQ | g3
K4: the project has all files | k4
END
untraced_reader() {
	untraced=yes
	rm client.vol && bricks=0 && ports= && mv t t-of-writers && mkdir t &&
		volume 2
	unset untraced
	for i in 0 1 2; do
		pattern 6 | cmp - "$at/f$i" || return 1
	done
	ends && [ -z "$(ls t)" ]
}
ok "contents are correct when read without the translator" untraced_reader

# ---- Other clients -----------------------------------------------------------

not_traced() {
	brick && untraced=yes && mounts
	unset untraced
	pattern 1 >m0/f && ends
}
scene untraced
ok "a client without the translator is served" not_traced
ok "requests of such a client are top-level relations" written c3

late() {
	${CC:-cc} -shared -fPIC -o ahead.so "$abs_top_srcdir/tests/gluster/ahead.c" &&
		with="env AHEAD=-5 LD_PRELOAD=./ahead.so" && brick
	result=$?
	unset with
	[ "$result" -eq 0 ] && mounts && pattern 1 >m0/f && ends
}
scene late
ok "the clock of a brick is 5 s behind" late
ok "causes are found in spite of the clock offset" written skewed 5

small() {
	volume 1 && dd if=/dev/zero of=m0/f bs=4k count=20 2>&1 && ends
}
scene small
ok "small writes succeed" small
ok "a small write has one relation in each layer" written c6 4096

# ---- Gauges ------------------------------------------------------------------

# Whether so many writes have come to the brick, and into its storage since: ALL
# NUMBER
have_come() {
	[ "$(grep -o '<s name="writev"' t/p_*_b0_REQ.rel | wc -l)" -eq "$1" ] &&
		[ "$(wc -c <shut.in)" -eq "$2" ]
}
# So many calls write two blocks each, of files that are there: NUMBER
gated() {
	HDTRACE_FLUSH_MS=20
	export HDTRACE_FLUSH_MS
	gated_brick posix-hdtrace-trove posix && client_file || return 1
	# shellcheck disable=SC2086,SC2046 # compilers and their options
	${CC:-cc} -o writer "$abs_top_srcdir/tests/gluster/writer.c" \
		"$abs_top_srcdir/tests/gluster/gfapi.c" -pthread \
		$(${PKG_CONFIG:-pkg-config} --cflags --libs glusterfs-api) ||
		return 1
	./writer client.vol "$1" 8388608 go >out &
	writer=$!
	until_done grep -q ready out || return 1
	# Of each file two blocks were written before; three go into the storage.
	touch shut && rm shut.in && touch shut.in go
	until_done have_come $((4 * $1)) 3
	result=$?
	rm shut
	wait "$writer" || return 1
	unset HDTRACE_FLUSH_MS
	ends && [ "$result" -eq 0 ]
}
for number in 9 3; do
	scene "gated-$number"
	ok "$number calls wait for a closed storage" \
		gated "$number"
	twice=$((2 * number))
	promises "$gluster_py" t/p <<END
G2: $number, $twice, $twice, $twice, $((twice - 3)), 3 | g2 $number 2 3
G1: gauges of these | g1
C1: calls by gfapi | c1
END
done

# Long enough for what lies between a gauge and a relation; where a thread is stopped
# just there, on a busy machine, by chance it takes longer.
slow_brick() {
	fault=slow writers=
	brick <<'END' && mounts || return 1
volume slow
  type debug/delay-gen
  option delay-percentage 100
  option delay-duration 100000
  option enable WRITE
  subvolumes posix
end-volume
END
	unset fault
	for i in 0 1 2 3; do
		pattern 1 | dd of="m0/f$i" bs=1M iflag=fullblock 2>&1 &
		writers="$writers $!"
	done
	for pid in $writers; do
		wait "$pid" || return 1
	done
	ends
}
agreeing() {
	for _ in $(seq 5); do
		scene agreeing
		slow_brick || return 1
		for layer in TROVE REQ BMI FLOW CLIENT; do
			written g5 "$layer" || continue 2
		done
		return 0
	done
	return 1
}
ok "gauges of a slow storage agree with its relations" agreeing

# The gate above the locks says by a FIFO that a program has asked for one.
locking() {
	mkfifo shut.in && gated_brick brick-hdtrace-breq-leave locks && mounts &&
		: >m0/f && python3 - shut.in <<'END' && ends
import fcntl, os, subprocess, sys
ask = """import fcntl
with open("m0/f", "r+") as file:
    fcntl.lockf(file, fcntl.LOCK_EX)"""
asked = os.open(sys.argv[1], os.O_RDWR)
with open("m0/f", "r+") as file:
    fcntl.lockf(file, fcntl.LOCK_EX)
    os.read(asked, 1)
    others = [subprocess.Popen([sys.executable, "-c", ask]) for _ in range(4)]
    for _ in others:
        os.read(asked, 1)
    fcntl.lockf(file, fcntl.LOCK_UN)
sys.exit(any(i.wait() for i in others))
END
}
scene locking
ok "four programs wait for a lock that a fifth program holds" locking
ok "all but the holder of the lock wait" written locks 4

# ---- Failures ----------------------------------------------------------------

again() {
	pattern 1 >m0/h 2>/dev/null && pattern 1 | cmp - m0/h 2>/dev/null
}
killed() {
	volume 2 && pattern 1 >m0/f || return 1
	for i in $(seq 40); do
		pattern 1 >"m0/g$i" 2>/dev/null || true
	done &
	writer=$!
	# The first brick is killed while it is written to, and comes again.
	# shellcheck disable=SC2154 # brick0 is set by name
	kill -9 "$brick0" && wait "$brick0"
	brick_again 0 "$(echo "$ports" | awk '{ print $1 }')" || return 1
	wait "$writer"
	until_done again && ends
}
scene killed
ok "a killed brick is restarted" killed
readable() {
	"$hdtrace" merge -q -f t/p
	"$hdtrace" relations --format=csv t/p >relations.csv
	head relations.csv
	grep -q writev relations.csv
}
ok "the records of the killed brick are readable" readable

full() {
	mount -t tmpfs -o size=256k none t && volume 2 &&
		pattern 2 | dd of=m0/f bs=4k iflag=fullblock 2>/dev/null &&
		pattern 2 | cmp - m0/f && until_done lost && ends &&
		! head -c 65536 /dev/zero >t/x
	result=$?
	ls -la t
	rm -f t/x
	cp -a t kept && umount t && return "$result"
}
# Those that have lost something are named.
lost() {
	"$hdgluster" status m0 >states 2>said
	[ $? -eq 1 ] && grep "lost .* records of .*/t/p; the disk may be full" said
}
# Nothing is known of the end of most, which is told.
is_read() {
	"$hdtrace" merge -q -f kept/p && "$hdtrace" diagnose kept/p >diagnosis
	[ $? -le 1 ] && cat diagnosis && grep -q 'CLIENT' diagnosis &&
		"$hdtrace" relations -q --name=writev --format=csv kept/p >relations.csv
	[ $? -le 1 ] && head -n 3 relations.csv && [ "$(wc -l <relations.csv)" -gt 1 ]
}
scene full
ok "with a full disk for traces, GlusterFS works and logs it" full
ok "records before the full disk are readable" is_read
done_testing
