#!/bin/sh
# hdgluster try: a command in a whole volume of GlusterFS on this machine, of which
# nothing stays.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain slow waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/gluster.sh"
gluster_needed
hdgluster=${abs_top_builddir:?}/hdgluster
cd "$scratch" || exit 99

# Trials run side by side, each in a directory of its own: they wait more than they
# compute. Begin one: NAME BRICKS COMMAND...
begin() {
	mkdir -p "$1/tmp"
	(
		cd "$1" && bricks=$2 && shift 2 && TMPDIR=$PWD/tmp \
			timeout 300 "$hdgluster" try --no-trace \
			--bricks="$bricks" -- "$@" >out 2>err
		echo $? >status
	) &
	eval "pid_$1=$!"
}

# Wait for it, and expect an exit status: NAME STATUS
status_of() {
	eval "wait \$pid_$1"
	cat "$1/err" "$1/status"
	[ "$(cat "$1/status")" -eq "$2" ]
}

# Nothing of trials is there; their processes name their directories: NAME...
is_gone() {
	! grep -qsaFf places /proc/[0-9]*/cmdline &&
		! grep -Ff places /proc/self/mounts &&
		for name; do
			[ -z "$(ls "$name/tmp")" ] || return 1
		done
}
goes() {
	printf "$scratch/%s/tmp/hdgluster-\n" "$@" >places
	until_done is_gone "$@"
}

# A piece has 4 MiB; where each goes is chance, so there are many, nearly empty.
# Print what is in them.
make_pieces() {
	for i in $(seq 0 23); do
		printf '%s\n' "$i"
		head -c 1000000 /dev/zero | tr '\0' x
		head -c $((4194304 - 1000001 - ${#i})) /dev/zero
	done | head -c 97500000
}
make_pieces >pieces || exit 99

# $$, $1 and $2 are of the inner shells.
# shellcheck disable=SC2016
begin spread 2 sh -c 'cp --sparse=always "$2" f && pwd && cksum <f &&
	for brick in ../brick1 ../brick2; do
		find "$brick/.shard" -type f -name "*.*" | wc -l
	done >"$1"' - "$scratch/sizes" "$scratch/pieces"
begin seven 1 sh -c 'exit 7'
begin absent 1 ./no-such-command
# shellcheck disable=SC2016
begin killed 1 sh -c 'kill -9 $$'
begin INT 1 sh -c 'echo runs; exec sleep 300'
begin KILL 1 sh -c 'echo runs; exec sleep 300'

spreads() {
	status_of spread 0 || return 1
	cat spread/out sizes
	grep -q "^$scratch/spread/tmp/hdgluster-.*/mount\$" spread/out &&
		cksum <pieces >expected &&
		tail -n 1 spread/out | cmp - expected &&
		[ "$(awk '$1 > 0 { n += $1 } END { print n, NR }' sizes)" = "23 2" ] &&
		! grep -qx 0 sizes
}
ok "a file is distributed over the bricks and read back" spreads
ok "the exit status is the status of the command" status_of seven 7
ok "a missing command returns 127" status_of absent 127
ok "a killed command returns 137" status_of killed 137
ok "trials with these exit statuses leave no files" goes spread seven absent killed

# The child of a process goes to $child: PID
child_of() {
	read -r child _ <"/proc/$1/task/$1/children"
	[ -n "$child" ]
}

# End it by a signal while the command runs: SIGNAL STATUS
ends() {
	until_done grep -qs runs "$1/out" || return 1
	# It is of the subshell; what that runs is timeout, and that our command.
	eval "child_of \$pid_$1" && child_of "$child" && kill "-$1" "$child" &&
		status_of "$1" "$2"
}
ok "SIGINT ends the trial" ends INT 130
ok "no files remain after SIGINT" goes INT
ok "SIGKILL ends the trial" ends KILL 137
ok "no files remain after SIGKILL" goes KILL

# A trial that must not begin: [OPTION...] -- COMMAND...
trial() {
	timeout 200 "$hdgluster" try --no-trace --bricks=1 "$@" >out 2>err
}
no_bricks() {
	trial --bricks=0 -- true
	[ $? -eq 125 ] && trial --slow=3 -- true
	[ $? -eq 125 ] && TMPDIR=/proc trial -- true
	[ $? -eq 125 ] && mkdir -p 'a b' && TMPDIR=$PWD/'a b' trial -- true
	[ $? -eq 125 ] && grep 'a b/.*TMPDIR' err &&
		trial --directory='a b' -- true
	[ $? -eq 125 ] && grep 'a b: .*--directory' err
}
ok "invalid options and directories are errors" no_bricks
nobody() {
	setpriv --reuid=65534 --clear-groups "$hdgluster" try -- true 2>err
	[ $? -eq 125 ] && grep -q 'run this command as root' err
}
if setpriv --reuid=65534 --clear-groups test -x "$hdgluster" 2>/dev/null; then
	ok "other users are told that root is required" nobody
else
	skip "other users are told that root is required" "they may not run it here"
fi

if ! gluster_translator; then
	skip "a trial with a slow brick" "the translator is not in this build"
	done_testing
fi

# Which brick has a file is a matter of its name: two write until the slow one has
# got 8 MiB.
slow() {
	mkdir -p slow/tmp
	# $i is of the inner shell.
	# shellcheck disable=SC2016
	TMPDIR=$scratch/slow/tmp timeout 200 "$hdgluster" try --bricks=4 --slow=2 \
		--directory=traces -- sh -c 'for i in $(seq 40); do
			dd if=/dev/zero of=a$i bs=4M count=1 2>/dev/null &
			dd if=/dev/zero of=b$i bs=4M count=1 2>/dev/null &&
				wait $! || exit
			kib=$(du -sk --apparent-size ../brick2 | cut -f 1)
			[ "$kib" -lt 8192 ] || exit 0
		done; exit 1' >out 2>err
	result=$?
	cat out err
	[ "$result" -eq 0 ] && [ -f traces/try.proj ]
}
ok "a trial with a slow brick succeeds" slow
ok "only the project of the trial remains" goes slow
checked() {
	"$abs_top_builddir/hdtrace" check traces/try
}
ok "the project has no errors" checked
slowest() {
	python3 "$abs_top_srcdir/tests/gluster/gluster.py" slowest traces/try \
		TROVE brick2 3
}
ok "diagnose names the storage of brick 2" slowest

# What merges takes long: it is a script that is found beside hdgluster.
merging() {
	mkdir bin merging && cp "$hdgluster" bin/ &&
		ln -s "$abs_top_builddir/GlusterFSTracing" bin/ || return 1
	printf '#!/bin/sh\necho $$ >"%s/pid"\nexec sleep 300\n' "$PWD/merging" \
		>bin/hdtrace && chmod 755 bin/hdtrace
	bin/hdgluster try --bricks=1 --directory=merging -- true >out 2>err &
	trial=$!
	until_done test -s merging/pid || return 1
	read -r merge <merging/pid
	kill "$trial"
	wait "$trial"
	[ $? -eq 143 ] && until_done is_dead "$merge" && cat err &&
		grep -q "the project is .*/merging/try.proj" err
}
is_dead() {
	! kill -0 "$1" 2>/dev/null
}
unmerged() {
	printf '#!/bin/sh\necho "there is no room" >&2\nexit 2\n' >bin/hdtrace
	bin/hdgluster try --bricks=1 --directory=unmerged -- true >out 2>err || return 1
	cat err
	grep -q '^there is no room' err && grep -q 'hdtrace merge failed' err
}
ok "a signal ends the merge, and the project is named" merging
ok "a failed merge is reported with its reason" unmerged
done_testing
