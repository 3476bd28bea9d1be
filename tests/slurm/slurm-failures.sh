#!/bin/bash
# What goes wrong in jobs, and with the plugin: the status of a job is what it would
# be without, and what can be recorded is. make verify-slurm runs it.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What shells of jobs are to expand is in single quotes.
# shellcheck disable=SC2016
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/slurm.sh"
. "$abs_top_srcdir/tests/slurm/jobs.sh"
plugin=$abs_top_builddir/NodeStatus/slurm/hdtrace.so
usual="required $plugin from=$abs_top_builddir power=sim interval=20"
slurm_plugins "$usual"
ok "Slurm starts with the plugin required" slurm_start
slurm_nodes 4 idle || done_testing

# The status of a job without the plugin, and with it: PROJECT ARGUMENT... of srun
same_status() {
	local project=$1 without with

	shift
	slurm_plugins
	timeout -k 5 60 srun "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	without=$?
	slurm_plugins "${configured:-$usual}"
	timeout -k 5 60 srun --hdtrace="project=$project,directory=$where" "$@" \
		>"$scratch/out" 2>"$scratch/err" </dev/null
	with=$?
	tail -n 20 "$scratch/out" "$scratch/err"
	echo "without: $without, with: $with"
	[ "$without" -eq "$with" ]
}
where=$work

# ---- Jobs that fail ----------------------------------------------------------

failing() {
	same_status "$@" && is_whole "$where/$1"
}
ok "a task that kills itself keeps its status and trace" failing killed -N 2 sh -c 'kill -KILL $$'
ok "tasks with different statuses keep the status of the job" failing different -N 4 \
	sh -c 'exit $((SLURM_PROCID + 3))'
ok "a signal in one task keeps the traces of other tasks" failing first -N 2 \
	sh -c 'if [ $SLURM_PROCID = 0 ]; then kill -SEGV $$; else sleep 1; fi'
ok "processes left by a task are not waited for" failing left -N 2 \
	sh -c 'setsid sleep 30 >/dev/null 2>&1 </dev/null & exit 4'
no_program() {
	same_status none -N 2 /nowhere/program
}
ok "a missing program returns the same status as without recording" no_program

# ---- Jobs that are ended -----------------------------------------------------

# Cancel a step that runs, and print the status of srun: WAY ARGUMENT... of srun
cancelled() {
	local way=$1 pid limit=10

	shift
	[ "$way" != limit ] || limit=1
	rm -f "$work/begun"
	timeout -k 5 300 srun "$@" -t "$limit" -N 2 \
		sh -c ": >$work/begun; exec sleep 280" \
		>"$scratch/out" 2>"$scratch/err" </dev/null &
	pid=$!
	until_done test -e "$work/begun"
	case $way in
	job) scancel -n sh ;;
	kill) scancel -s KILL -n sh ;;
	esac
	wait "$pid"
	echo $?
}
ended() {
	local with without

	slurm_plugins
	without=$(cancelled "$1")
	slurm_plugins "$usual"
	with=$(cancelled "$1" --hdtrace="project=$1,directory=$work")
	cat "$scratch/err"
	echo "without: $without, with: $with"
	[ "$1" != limit ] || grep 'DUE TO TIME LIMIT' "$scratch/err" || return 1
	[ "$without" = "$with" ] && is_whole "$work/$1"
}
ok "a cancelled job leaves complete files" ended job
ok "a killed job leaves complete files" ended kill
ok "a job beyond its time limit leaves complete files" ended limit

# srun itself is killed: slurmstepd ends the files, and the rest is done by hand.
srun_killed() {
	local pid

	rm -f "$work/begun"
	srun --hdtrace="project=gone,directory=$work" -N 2 \
		sh -c ": >$work/begun; exec sleep 30" >/dev/null 2>&1 &
	pid=$!
	until_done test -e "$work/begun"
	kill -KILL "$pid"
	wait "$pid"
	scancel -n sh
	until_done both_said || { cat "$work/gone.slurm"; squeue; return 1; }
	"$hdtrace" merge "$work/gone" && "$hdtrace" check "$work/gone"
}
both_said() {
	[ "$(grep -c ^node "$work/gone.slurm")" -eq 2 ]
}
ok "after srun is killed, the files can be merged" srun_killed

# ---- The plugin fails --------------------------------------------------------

# The recorder is killed on a node.
recorder_killed() {
	local pid

	rm -f "$work/begun"
	srun --hdtrace="project=dead,directory=$work" -N 2 \
		sh -c ": >$work/begun; sleep 2; exit 9" >"$scratch/out" \
		2>"$scratch/err" </dev/null &
	pid=$!
	until_done test -e "$work/begun"
	kill -KILL "$(pgrep -o -f "hdtrace-slurm-record $work/dead n")"
	wait "$pid"
	[ $? -eq 9 ] || return 1
	cat "$scratch/err"
	grep '1 of 2 nodes did not report complete files' "$scratch/err" &&
		[ -f "$work/dead.proj" ]
}
ok "a killed recorder is reported" recorder_killed

broken() {
	configured=$1
	same_status "$2" -N 2 sh -c 'exit 3'
	result=$?
	configured=
	return "$result"
}
ok "missing programs in plugstack.conf are reported" \
	broken "required $plugin from=/nowhere" programs
said_site() {
	broken "$usual bogus=1 interval=x" nonsense || return 1
	grep 'hdtrace: plugstack.conf: bogus=1: ' "$scratch/err" &&
		grep 'hdtrace: plugstack.conf: interval=x: ' "$scratch/err" &&
		is_whole "$work/nonsense"
}
ok "invalid options in plugstack.conf are reported" said_site
said_power() {
	broken "required $plugin from=$abs_top_builddir power=/nowhere/%n.cfg" \
		power || return 1
	grep '\(n[0-3]\): no power is recorded: /nowhere/\1\.cfg' "$scratch/err" &&
		is_whole "$work/power" || return 1
	comment_of_last
	[[ $comment = "hdtrace: step 0: joules unknown, no power was recorded, "* ]]
}
ok "a missing meter is reported" said_power

# ---- A power service ---------------------------------------------------------

# A service that knows n0 and n1, with 50 W each, serves the users of jobs.
by_service() {
	local node

	{
		echo "[Server]"
		echo "listen=unix:$work/power"
		echo "[Device]"
		printf 'name=pdu\ndriver=sim\ncycle=20\nlaw=idle:50,busy:50\n'
		for node in 0 1; do
			printf '[Line]\ndevice=pdu\nnode=n%s\nchannel=%s\n' \
				"$node" "$((node + 1))"
		done
	} >"$work/site.cfg"
	PT_VERBOSITY=2 "$abs_top_builddir/pt" -c "$work/site.cfg" \
		>"$work/pt.log" 2>&1 &
	slurm_pids+=($!)
	until_done grep -q 'serving at unix' "$work/pt.log" || {
		cat "$work/pt.log"
		return 1
	}
	slurm_plugins "required $plugin from=$abs_top_builddir power=service:unix:$work/power"
	job 0 -w 'n[0-1]' -N 2 --exclusive \
		--hdtrace="project=served,directory=$work" sleep 2 || return 1
	comment_of_last
	is_whole "$work/served" &&
		has "$work/served_n0_Energy.stat" "$work/served_n1_Energy.stat" ||
		return 1
	[ -z "$(find "$work" -name 'served-*')" ] || return 1
	# Twice 50 W for the known time.
	python3 - "$comment" <<'END'
import re, sys
found = re.fullmatch(r"hdtrace: step 0: (?:>=)?([0-9.]+) J \(simulated\), "
                     r"known_s=([0-9.]+) duration_s=([0-9.]+) nodes=2 from=P",
                     sys.argv[1])
joules, known, duration = map(float, found.groups())
assert abs(joules - 100 * known) < 0.2, found[0]
assert 1.5 < known, found[0]
END
}
ok "a power service measures the nodes" by_service
no_service() {
	broken "required $plugin from=$abs_top_builddir power=service:unix:$work/none" \
		unserved || return 1
	grep 'no power is recorded: the power service has no values' "$scratch/err" &&
		is_whole "$work/unserved"
}
ok "a missing power service is reported" no_service

# ---- The disk ----------------------------------------------------------------

full() {
	mkdir "$scratch/full" && mount -t tmpfs -o size=64k none "$scratch/full" ||
		return 77
	where=$scratch/full
	same_status full -N 4 sh -c 'sleep 1.5; exit 5'
	result=$?
	where=$work
	ls -l "$scratch/full"
	umount -l "$scratch/full"
	[ "$result" -eq 0 ] && grep 'hdtrace: ' "$scratch/err"
}
if [ -n "${HD_TEST_SLURM-}" ]; then
	ok "a full disk is reported" full
else
	skip "a full disk is reported" "no namespace in which one could be mounted"
fi

vanishing() {
	where=$work/vanish
	mkdir "$where"
	same_status v -N 2 sh -c "rm -rf $where; exit 6"
	result=$?
	where=$work
	return "$result"
}
ok "the directory is removed while the job runs" vanishing

read_only() {
	setpriv --reuid nobody --regid nogroup --clear-groups timeout 60 srun \
		-N 2 --hdtrace="project=x,directory=/" sh -c 'exit 2' \
		>"$scratch/out" 2>"$scratch/err"
	[ $? -eq 2 ] &&
		grep 'hdtrace: nothing is recorded: //*x: ' "$scratch/err"
}
if others_can_read "$plugin"; then
	ok "a read-only directory is reported" read_only
else
	skip "a read-only directory is reported" \
		"no user but root can read the build"
fi

none_drained() {
	until_done slurm_nodes 4 idle && return
	sinfo -N -o '%N %t %E'
	return 1
}
ok "no node was drained" none_drained
done_testing
