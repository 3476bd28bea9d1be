# shellcheck shell=bash
# A Slurm of our own: four virtual nodes n0 to n3 on this host, with two processors
# each, and everything in $scratch, at free ports. Source it after tap.sh; the file
# that does so runs once more in a PID namespace, if there can be one: so whatever
# it starts ends with it.
# shellcheck disable=SC2154 # scratch is in tap.sh
# SPDX-License-Identifier: LGPL-2.1-or-later
[ -f "${abs_top_builddir:?}/NodeStatus/slurm/hdtrace.so" ] ||
	skip_all "HDTrace was built without the Slurm plugin; install libslurm-dev (Debian), run ./configure --with-slurm and build again"
for slurm_command in slurmctld slurmd srun munged unshare python3; do
	PATH=$PATH:/usr/sbin command -v "$slurm_command" >/dev/null ||
		skip_all "$slurm_command is missing (Debian: slurmctld slurmd slurm-client munge)"
done
PATH=$PATH:/usr/sbin
[ "$(id -u)" -eq 0 ] || skip_all "Slurm's daemons run as root only"
[ -z "${HD_SANITIZE-}" ] || skip_all "a sanitizer cannot be loaded into slurmstepd"
[ "$(head -c 2 "$abs_top_builddir/hdtrace-slurm-record")" != "#!" ] ||
	skip_all "with shared libraries programs that are not installed are scripts"
if [ -z "${HD_TEST_SLURM-}" ] && unshare --mount --pid --fork --kill-child \
	--mount-proc true 2>/dev/null; then
	rm -rf "$scratch"
	HD_TEST_SLURM=1 exec unshare --mount --pid --fork --kill-child \
		--mount-proc bash "$0" "$@"
fi

# Others look for their sockets, programs and directories below.
chmod 755 "$scratch"
if ! setpriv --reuid nobody --clear-groups test -x "$scratch"; then
	rm -rf "$scratch"
	scratch=$(mktemp -d /tmp/hdtrace-test.XXXXXX) || exit 99
	# shellcheck disable=SC2034 # tap.sh writes it
	details=$scratch/details
	chmod 755 "$scratch"
fi

slurm=$scratch/slurm
mkdir "$slurm"
slurm_pids=()
export SLURM_CONF=$slurm/slurm.conf
# What a job of somebody around us says is not ours.
for slurm_variable in $(compgen -v SLURM_); do
	[ "$slurm_variable" = SLURM_CONF ] || unset "$slurm_variable"
done

slurm_ports() {
	python3 - "$1" <<'END'
import socket, sys
kept = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in kept:
    one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in kept])
END
}

# Write slurm.conf: [LINE...] of it, which hold besides.
slurm_configure() {
	local host port n line
	local -a ports

	host=$(hostname -s)
	read -ra ports <<<"$(slurm_ports 6)"
	cat <<END
ClusterName=hdtrace
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmdPort=${ports[1]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$slurm/munge/socket
CredType=cred/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool.%n
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.%n.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd.%n.log
TmpFS=$slurm/tmp.%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
PlugStackConfig=$slurm/plugstack.conf
SchedulerParameters=sched_interval=1,bf_interval=1
KillWait=2
END
	for line; do
		echo "$line"
	done
	for n in 0 1 2 3; do
		port=${ports[$((n + 2))]}
		echo "NodeName=n$n NodeHostname=$host NodeAddr=127.0.0.1" \
			"Port=$port CPUs=2 RealMemory=100"
	done
	echo "PartitionName=all Nodes=n[0-3] Default=YES MaxTime=10 State=UP"
}

# Say what plugstack.conf says: LINE...
slurm_plugins() {
	printf '%s\n' "$@" >"$slurm/plugstack.conf"
}

slurm_run() {
	"$@" >>"$slurm/out" 2>&1 &
	slurm_pids+=($!)
}

# Whether so many nodes are in a state: NUMBER STATE
slurm_nodes() {
	[ "$(sinfo -h -N -o '%N %t' 2>/dev/null | grep -c " $2\$")" -eq "$1" ]
}

# Start all of it: [LINE...] of slurm.conf.
slurm_start() {
	local n as=munge

	mkdir "$slurm/munge" "$slurm/state"
	for n in 0 1 2 3; do
		mkdir "$slurm/tmp.n$n"
		chmod 1777 "$slurm/tmp.n$n"
	done
	slurm_configure "$@" >"$SLURM_CONF"
	[ -f "$slurm/plugstack.conf" ] || : >"$slurm/plugstack.conf"
	head -c 1024 /dev/urandom >"$slurm/munge/key"
	id "$as" >/dev/null 2>&1 || as=root
	chown -R "$as" "$slurm/munge"
	chmod 711 "$slurm/munge"
	chmod 400 "$slurm/munge/key"
	slurm_run setpriv --reuid "$as" --clear-groups munged --foreground \
		--key-file="$slurm/munge/key" --socket="$slurm/munge/socket" \
		--pid-file="$slurm/munge/pid" --log-file="$slurm/munge/log" \
		--seed-file="$slurm/munge/seed"
	until_done test -S "$slurm/munge/socket" || {
		cat "$slurm/out"
		return 1
	}
	slurm_run slurmctld -D
	for n in 0 1 2 3; do
		slurm_run slurmd -D -N "n$n"
	done
	until_done slurm_nodes 4 idle && return
	tail -n 5 "$slurm/out" "$slurm"/*.log
	return 1
}

no_jobs() {
	[ -z "$(timeout 10 squeue -h -t running,completing 2>/dev/null)" ]
}

slurm_stop() {
	timeout 10 scancel --signal=KILL --state=RUNNING >/dev/null 2>&1
	# Outside a PID namespace what slurmd does not end would stay.
	[ -n "${HD_TEST_SLURM-}" ] || until_done no_jobs
	[ ${#slurm_pids[@]} -eq 0 ] || kill "${slurm_pids[@]}" 2>/dev/null
	wait
}
trap 'slurm_stop; rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM
