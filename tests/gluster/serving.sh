#!/bin/sh
# What happens to recording while a volume serves: volume files are changed under a
# client that runs, locks are waited for when it is switched off and on, clients go.
# shellcheck disable=SC2016,SC2034,SC2094,SC2154 # names are of lib/gluster.sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain slow waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/gluster.sh"
gluster_apart "$0"
HDTRACE_VERBOSITY=-1
export HDTRACE_VERBOSITY

# ---- A graph that follows another one ----------------------------------------

# Two bricks, and a client that can be told another volume file.
served() {
	brick && brick && client_file || return 1
	python3 "$abs_top_srcdir/tests/gluster/volserver.py" client.vol >port &
	gluster_pids="$gluster_pids $!"
	until_done test -s port || return 1
	mkdir m0
	glusterfs --no-daemon -s 127.0.0.1 --volfile-server-port="$(cat port)" \
		--volfile-id=v -l "$here/client.log" "$here/m0" >/dev/null 2>&1 &
	last=$!
	client=$last
	gluster_pids="$gluster_pids $client"
	gluster_mounts="$gluster_mounts $here/m0"
	until_done is_mounted "$here/m0" && ls m0
}
# Every layer is on, in this project; of the client as of the bricks: WHAT PROJECT
all_are() {
	"$hdgluster" status m0 >status || return 1
	cat status
	[ "$(tail -n +2 status | wc -l)" -eq 10 ] &&
		! tail -n +2 status | awk '{ print $4, $5, $6 }' |
		grep -vx "$1 all .*$2"
}
gauges_of_flow() {
	"$hdgluster" status --layers=FLOW m0 >status
	cat status
	tail -n +2 status | grep -q ' on  *gauges  *all  */.*/t/p$'
}
# No file of traces is open in the client.
has_closed() {
	! find "/proc/$client/fd" -lname "$here/t/*" -exec readlink '{}' + | grep .
}
# The client asks for its volume file again, and takes it: TEXT OF ITS LOG
asked_again() {
	kill -HUP "$client"
	# Graphs are changed by whoever comes next.
	until_done sh -c 'ls m0 >/dev/null; grep -q "$1" client.log' sh "$1"
}
set_option() {
	sed -i "/$1/a\\  option $2 $3" client.vol
	asked_again "option $2 using set value $3"
}
# A translator more: the graph is another one.
grows() {
	sed -i 's/subvolumes shard$/subvolumes cache/
		/^volume shard-hdtrace-client/i\
volume cache\
  type performance/md-cache\
  subvolumes shard\
end-volume' client.vol
	asked_again 'switched to graph [1-9]'
}
disabled() {
	"$hdgluster" disable m0 && until_done has_closed
}
# Each layer has recorded what was written before the graph was another one, and
# after; all files are complete.
goes_on() {
	python3 "$gluster_py" orphans t/q writev mkdir &&
		for layer in CLIENT FLOW BMI REQ TROVE; do
			cat t/q_*_"$layer".rel | grep -o 'name="writev"' >all
			[ "$(wc -l <all)" -eq 2 ] || { echo "$layer"; return 1; }
		done && python3 "$gluster_py" g1 t/q
}
scene graphs
ok "a client fetches its volume file" served
"$hdgluster" enable --project=q m0 || echo "not ok - enable"
echo one >m0/one
ok "an option of another translator is set" \
	set_option type.cluster.distribute lookup-optimize off
ok "the request stays in effect" all_are gauges,relations,states q
ok "the client loads a new graph" grows
ok "the request stays in effect in the new graph" all_are gauges,relations,states q
mkdir m0/two || echo "not ok - mkdir"
echo two >m0/two/two
ok "after disable, the old graph has no open file" disabled
ok "one project contains the operations of both graphs" goes_on
ok "an option of the translator is set" set_option 'option layer FLOW' enable gauges
ok "the later option overrides the request" gauges_of_flow
# Of a gauge that is throttled there are the least and the most of each interval.
throttled() {
	for i in 1 2 3; do
		mkdir "m0/throttled$i" || return 1
	done
	grep -lsa PendingMax t/*.stat && return 1
	set_option 'option layer FLOW' throttle 60000 || return 1
	for i in 4 5 6; do
		mkdir "m0/throttled$i" || return 1
	done
	"$hdgluster" disable m0 && until_done has_closed &&
		grep -la PendingMax t/*.stat >throttled && cat throttled &&
		[ "$(wc -l <throttled)" -eq 1 ] && grep '_FLOW.stat$' throttled &&
		"$hdtrace" merge -q -f t/p && "$hdtrace" check t/p
}
ok "a throttle applies from its change on" throttled
gluster_clear

# ---- What is done by nobody's request ----------------------------------------

# Locks take their time: rm has its answer before distribution has given up its own,
# and the mount may be gone.
removed() {
	edit='s/subvolumes locks$/subvolumes slow/
		/^volume brick-hdtrace-breq-leave/i\
volume slow\
  type debug/delay-gen\
  option delay-percentage 100\
  option delay-duration 20000\
  option enable INODELK,ENTRYLK\
  subvolumes locks\
end-volume'
	volume 2
	result=$?
	unset edit
	[ "$result" -eq 0 ] && mkdir -p m0/a/b m0/a/c && rm -r m0/a && ends
}
scene removed
ok "directories are removed just before unmount" removed
ok "operations of distribute have a cause or an origin" \
	written by_itself REQ entrylk

# A client that ends in order, with a file open.
went() {
	volume 1 && exec 5>m0/f && echo text >&5 && kill "$last" || return 1
	wait "$last"
	exec 5>&-
	! grep -q " $at fuse" /proc/self/mounts || umount -l m0
	gluster_mounts=
	until_done grep -qi "shutting down connection" b0.log && ends
}
scene went
ok "a client disconnects with an open file" went
ok "operations of the server have an origin" written closed

# ---- Locks that are waited for -----------------------------------------------

# The gate above the locks says by a FIFO that a program has asked for one.
cat >"$scratch/wait.py" <<'END'
import fcntl, os, subprocess, sys, time
ask = """import fcntl
with open("m0/f", "r+") as file:
    fcntl.lockf(file, fcntl.LOCK_EX)"""
asked = os.open("shut.in", os.O_RDWR)
with open("m0/f", "r+") as file:
    fcntl.lockf(file, fcntl.LOCK_EX)
    os.read(asked, 1)
    others = [subprocess.Popen([sys.executable, "-c", ask]) for _ in range(3)]
    for _ in others:
        os.read(asked, 1)
    open("waits", "w").close()
    while not os.path.exists("go"):
        time.sleep(0.02)
    fcntl.lockf(file, fcntl.LOCK_UN)
sys.exit(any(i.wait() for i in others))
END
switched() {
	mkfifo shut.in && gated_brick brick-hdtrace-breq-leave locks && mounts &&
		: >m0/f || return 1
	python3 "$scratch/wait.py" &
	waiting=$!
	until_done test -e waits && "$hdgluster" disable m0 &&
		"$hdgluster" enable --project=q m0 && mkdir m0/d && : >go &&
		wait "$waiting" && "$hdgluster" disable m0 || return 1
	client=$last
	has_closed && ends
}
scene locks
ok "recording is switched while three operations wait for a lock" switched
ok "the waits are complete in the first project" written locks 3
ok "gauges of the first project end at 0" written g1
ok "the second project does not contain the waits" python3 "$gluster_py" g1 t/q

# ---- A brick that hangs ------------------------------------------------------

# So that it need not be waited for as long as otherwise.
impatient() {
	${CC:-cc} -shared -fPIC -o "$scratch/soon.so" -x c - <<'END' -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

void *gf_timer_call_after(void *context, struct timespec delta,
			  void (*call)(void *), void *data)
{
	const struct timespec soon = { 0, 300000000 };
	void *(*theirs)(void *, struct timespec, void (*)(void *), void *);

	*(void **)&theirs = dlsym(RTLD_NEXT, "gf_timer_call_after");
	return theirs(context, delta.tv_sec == 20 ? soon : delta, call, data);
}
END
}
hangs() {
	impatient && brick && brick && with="env LD_PRELOAD=$scratch/soon.so" &&
		mounts
	result=$?
	unset with
	[ "$result" -eq 0 ] && kill -STOP "$brick1" || return 1
	for _ in 1 2; do
		"$hdgluster" status m0 >states 2>said
		result=$?
		cat states said
		[ "$result" -eq 1 ] || break
	done
	kill -CONT "$brick1"
	[ "$result" -eq 1 ] && grep '^hdgluster: c1 (.*): no answer' said
}
goes_again() {
	until_done "$hdgluster" status m0 && mkdir m0/d && ends
}
scene hanging
ok "a hanging brick is named after a timeout" hangs
ok "the brick obeys when it continues" goes_again

# ---- A meter that does not answer --------------------------------------------

# It takes connections, and says who comes and goes: come.1, gone.1 and so on.
cat >"$scratch/meter.py" <<'END'
import itertools, socket
server = socket.create_server(("127.0.0.1", 15000))
for number in itertools.count(1):
    connection, _ = server.accept()
    open(f"come.{number}", "w").close()
    try:
        while connection.recv(4096):
            pass
    except ConnectionError:
        pass
    open(f"gone.{number}", "w").close()
END
metered() {
	python3 "$scratch/meter.py" &
	gluster_pids="$gluster_pids $!"
	until_done grep -q ':3A98 0*:0000 0A ' /proc/net/tcp || return 1
	printf '%s\n' '[General]' 'device=LMG450' \
		"port=$(uname -n):tcp://127.0.0.1:15000" 'cycle=100' '[Trace]' \
		'type=HDSTATS' "node=$(uname -n)" 'channel=1' 'values=P' >meter.conf
	edit="/type debug.hdtrace/a\\    option power $here/meter.conf"
	brick
	result=$?
	unset edit
	# The host is the brick's.
	[ "$result" -eq 0 ] && client_file &&
		sed -i '/type debug.hdtrace/a\    option utilization 0' client.vol &&
		mounts && until_done test -e gone.1
}
# Switched on and off while the meter is asked, which takes a second: NUMBER
unhindered() {
	"$hdgluster" enable --project="q$1" m0 && until_done test -e "come.$1" &&
		"$hdgluster" disable m0 && mkdir "m0/$1" &&
		! [ -e "gone.$1" ] && return 0
	until_done test -e "gone.$1"
	return 1
}
# On a busy machine that may take a second, too.
sometimes() {
	for number in $(seq 2 9); do
		unhindered "$number" && return 0
	done
	return 1
}
# All that was recorded of the host can be read.
completed() {
	ends && "$hdtrace" merge -q -f t/q2 && "$hdtrace" check t/q2
}
scene meter
ok "a brick starts with a silent meter" metered
ok "disable and the brick do not wait for the meter" sometimes
ok "the files of the host are complete" completed

# ---- Files -------------------------------------------------------------------

# Rights that files get when they are there already: too late. And there is no
# memory for a name.
late_rights() {
	${CC:-cc} -shared -fPIC -o "$scratch/late.so" -x c - <<'END' -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int chmod(const char *path, mode_t mode)
{
	int (*real)(const char *, mode_t) = dlsym(RTLD_NEXT, "chmod");
	char file[4096] = "";

	/* A path of a descriptor: the file that it names. */
	if (readlink(path, file, sizeof(file) - 1) < 0)
		strncpy(file, path, sizeof(file) - 1);
	if (!strstr(file, "/t/p_"))
		return real(path, mode);
	errno = EPERM;
	return -1;
}

char *strdup(const char *text)
{
	char *copy = strcmp(text, "forgotten") ? malloc(strlen(text) + 1) : NULL;

	if (!copy)
		errno = ENOMEM;
	return copy ? strcpy(copy, text) : NULL;
}
END
}
named() {
	late_rights && brick && sed -i '/type debug.hdtrace/a\    option paths on' b0.vol &&
		kill "$last" && wait "$last"
	with="env LD_PRELOAD=$scratch/late.so"
	rm t/* && brick_again 0 "${ports# }" && client_file &&
		sed -i '/type debug.hdtrace/a\    option paths on' client.vol &&
		mounts && mkdir m0/secret && forgets && ends
	result=$?
	unset with
	return "$result"
}
# Who has no memory for what is asked says that it did not obey, and goes on.
forgets() {
	! "$hdgluster" enable --project=forgotten m0 >forgotten 2>&1 || return 1
	cat forgotten
	[ "$(grep -c 'out of memory' forgotten)" -ge 5 ] &&
		"$hdgluster" status m0 | grep ' on .*/t/p$'
}
# But for the host's utilization, which names nothing.
hidden() {
	grep -q 'path="/secret"' t/p_*_CLIENT.rel t/p_*_TROVE.rel || return 1
	! find t -name '*_*_*_*' -perm /077 -ls | grep .
}
scene named
ok "file names are recorded, and failures are reported" named
ok "other users cannot read files with names" hidden

has_files() {
	ls t/p_*"$1" >/dev/null 2>&1
}
# Two places of one layer: the lower one has names, and the upper one's file is there.
refused() {
	printf '%s\n' '[General]' device=sim law=idle:60,busy:160 cycle=100 \
		topology=Host '[Trace]' type=HDSTATS "node=$(uname -n)" input=1 \
		values=P >meter.conf
	edit="s/option layer TROVE/option layer REQ\n    option paths on/
		/type debug.hdtrace/a\\    option power $here/meter.conf"
	with="env LD_PRELOAD=$scratch/late.so"
	brick && mounts && mkdir m0/secret && until_done has_files _Energy.stat && ends
	result=$?
	unset edit with
	[ "$result" -eq 0 ] && grep 'file names are not recorded in REQ' b0.log
}
no_names() {
	grep -q 'name="mkdir"' t/p_*_b0_REQ.rel && ! grep -l secret t/p_*
}
own_files() {
	ls -l t
	! find t -type f -perm /022 | grep .
}
scene refused
ok "file names are not recorded into readable files" refused
ok "without file names, all other data is recorded" no_names
ok "other users cannot write to any file" own_files

# Two bricks of one name that begin at the same time: before it makes its first file
# each waits for the other to be there, for half a second at most.
meeting() {
	${CC:-cc} -shared -fPIC -o "$scratch/meet.so" -x c - <<'END' -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int (*opens)(const char *path, int flags, ...);

static void meet(void)
{
	static int met;
	char path[4096];
	int rank = atoi(getenv("RANK"));

	if (met++)
		return;
	snprintf(path, sizeof(path), "come.%d", rank);
	close(opens(path, O_CREAT | O_WRONLY, 0600));
	snprintf(path, sizeof(path), "come.%d", 1 - rank);
	for (int i = 0; i < 50 && access(path, F_OK) != 0; i++)
		usleep(10000);
}

int open(const char *path, int flags, ...)
{
	va_list list;
	mode_t mode;

	va_start(list, flags);
	mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
	va_end(list);
	*(void **)&opens = dlsym(RTLD_NEXT, "open");
	if (flags & O_CREAT && strstr(path, "/t/p_") && strstr(path, "_b0_"))
		meet();
	return opens(path, flags, mode);
}
END
}
meets() {
	meeting && brick && kill "$last" && wait "$last"
	rm -f t/* b0.log
	gluster_directory b1 &&
		sed 's,/b0$,/b1,; s/port 20000/port 20001/' b0.vol >b1.vol || return 1
	for i in 0 1; do
		RANK=$i LD_PRELOAD=$scratch/meet.so glusterfsd --no-daemon \
			-f "$here/b$i.vol" -l "$here/b$i.log" >/dev/null 2>&1 &
		last=$!
		gluster_pids="$gluster_pids $last"
	done
	# They listen before all translators have begun.
	for i in 0 1; do
		until_done grep -qs '^Final graph' "b$i.log" || return 1
	done
	ends
}
own_labels() {
	ls t
	grep 'not recorded' b0.log b1.log && return 1
	for label in b0 b0-2; do
		[ "$(find t -name "p_*_${label}_*.stat" | wc -l)" -eq 3 ] || return 1
	done
}
scene meeting
ok "two bricks of the same name start at the same time" meets
ok "each brick has its own label and all layers" own_labels

# Another brick in a network of its own.
elsewhere() {
	volume 2 || return 1
	gluster_directory b2 || return 1
	sed 's,/b0$,/b2,; s/node b0/node b2/' b0.vol >b2.vol
	unshare -n sh -c 'ip link set lo up && exec glusterfsd --no-daemon \
		-f "$0/b2.vol" -l "$0/b2.log"' "$here" >/dev/null 2>&1 &
	gluster_pids="$gluster_pids $!"
	until_done has_files _b2_REQ.rel && ends
}
host_files() {
	ls t
	[ "$(find t -name "$1_Utilization.stat" | wc -l)" -eq 1 ]
}
scene elsewhere
ok "two bricks start, one of them in another network" elsewhere
ok "the host's utilization is recorded once" host_files "p_$(uname -n)"
ok "the utilization of the other network is recorded once" host_files "p_$(uname -n)-net*"
done_testing
