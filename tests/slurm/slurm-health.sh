#!/bin/bash
# A disk that fails takes its node out of service: a real Slurm, whose slurmd runs
# hdnode-health, with disks that are none.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/slurm.sh"
[ -x "$abs_top_builddir/hdnode-health" ] ||
	skip_all "HDTrace was built without jansson"
hdnode=$abs_top_builddir/hdnode
interval=2

# A machine with a disk, and a smartctl that says of it what is in a file.
mkdir -p "$scratch/root/sys/block/sda/device" "$scratch/root/proc"
cat >"$scratch/smartctl" <<'END'
#!/bin/sh
[ "$SLURMD_NODENAME" != n1 ] || : >"$0.seen"
[ ! -e "$0.$SLURMD_NODENAME" ] || {
	echo '{"smart_status": {"passed": false}}'
	exit 8
}
echo '{"smart_status": {"passed": true}}'
END
cat >"$scratch/health.conf" <<END
[Health]
address = none
drain = smart-failing
slurm_conf = $SLURM_CONF
smartctl = $scratch/smartctl
root = $scratch/root
END
cat >"$scratch/health" <<END
#!/bin/sh
exec "$abs_top_builddir/hdnode-health" --config="$scratch/health.conf"
END
chmod 755 "$scratch/smartctl" "$scratch/health"

fails() {
	: >"$scratch/smartctl.$1"
}

works() {
	rm "$scratch/smartctl.$1"
}

# The state of a node, and why: NODE
shown() {
	sinfo -h -n "$1" -N -o '%t %E'
}

is() {
	[ "$(shown "$1")" = "$2" ]
}

state_of_job() {
	[ "$(squeue -h -j "$1" -o %t)" = "$2" ]
}

ok "Slurm starts with hdnode-health" slurm_start \
	"HealthCheckProgram=$scratch/health" "HealthCheckInterval=$interval"
slurm_nodes 4 idle || done_testing

# All nodes are busy, a job waits, and the disk of n0 fails under its job.
queued() {
	local node jobs=() waiting

	for node in 0 1 2 3; do
		jobs+=("$(sbatch --parsable -w "n$node" --exclusive \
			-o /dev/null --wrap 'exec sleep 300')")
	done
	until_done slurm_nodes 4 alloc || return 1
	waiting=$(sbatch --parsable -N 1 --exclusive -o "$scratch/where" \
		--wrap "hostname; echo \$SLURMD_NODENAME")
	fails n0
	until_done is n0 "drng hdtrace: smart-failing" || return 1
	scancel "${jobs[0]}"
	until_done is n0 "drain hdtrace: smart-failing" || return 1
	state_of_job "$waiting" PD || return 1
	scancel "${jobs[2]}"
	until_done grep -s . "$scratch/where" || return 1
	until_done state_of_job "$waiting" ""
	scancel "${jobs[@]}"
	cat "$scratch/where"
	grep -x n2 "$scratch/where"
}
ok "a failing disk drains its node, and jobs go elsewhere" queued

again() {
	works n0
	until_done is n0 "idle none"
}
ok "the node is resumed when the disk recovers" again

# Wait until n1 was looked at so often: TIMES
checks() {
	local i

	for ((i = 0; i < $1; i++)); do
		rm -f "$scratch/smartctl.seen"
		until_done test -e "$scratch/smartctl.seen" || return 1
	done
}
others() {
	scontrol update nodename=n1 state=drain reason="the fan" || return 1
	fails n1
	checks 3 || return 1
	is n1 "drain the fan" || return 1
	works n1
	checks 3 && is n1 "drain the fan"
}

ok "a node drained by an administrator stays drained" others

# ---- The same by hdnode ------------------------------------------------------

# Start hdnode as a node: NAME; address is where it is.
start_hdnode() {
	"$hdnode" --listen=127.0.0.1:0 --name="$1" --root="$scratch/root" \
		--smartctl="$scratch/smartctl" --config="$scratch/hdnode.conf" \
		--power= >"$scratch/$1.out" 2>&1 &
	slurm_pids+=($!)
	until_done grep -q 'serving at ' "$scratch/$1.out" || return 1
	address=$(sed -n 's/.*serving at //p' "$scratch/$1.out")
}

# The daemon of n2 knows of a disk that fails, and all checks of n2 ask it.
by_hdnode() {
	cat >"$scratch/hdnode.conf" <<END
[Node]
interval = 0.5
health_interval = 1
[Alarm]
name = smart-failing
metric = smart_failing
comparator = above
threshold = 0
END
	export SLURMD_NODENAME=n2
	start_hdnode n2 || return 1
	unset SLURMD_NODENAME
	sed "s|^address.*|address = $address|; \$a hdnode = $hdnode" \
		"$scratch/health.conf" >"$scratch/health.n2"
	cat >"$scratch/health" <<END
#!/bin/sh
[ "\$SLURMD_NODENAME" = n2 ] || exit 0
exec "$abs_top_builddir/hdnode-health" --config="$scratch/health.n2"
END
	"$scratch/health" || return 1
	fails n2
	until_done is n2 "drain hdtrace: smart-failing" || return 1
	works n2
	until_done is n2 "idle none"
}
ok "an alarm of hdnode drains the node, its end resumes it" by_hdnode

# slurmctld takes what hdnode advise prints: features and weights are those.
advised() {
	local address

	: >"$scratch/hdnode.conf"
	"$hdnode" --listen=127.0.0.1:0 --name=n3 --power= --smartctl= \
		>"$scratch/n3.out" 2>&1 &
	slurm_pids+=($!)
	until_done grep -q 'serving at ' "$scratch/n3.out" || return 1
	address=$(sed -n 's/.*serving at //p' "$scratch/n3.out")
	"$hdnode" advise "$address" >"$scratch/advice" || return 1
	cat "$scratch/advice"
	# What it says of n3, where that is, and another slurmctld takes it up.
	awk -v line="$(cat "$scratch/advice")" '/^NodeName=n3 / {
		sub(/^NodeName=n3/, line)
		sub(/ CPUs=2 RealMemory=100$/, "")
	} { print }' "$SLURM_CONF" >"$SLURM_CONF.new"
	mv "$SLURM_CONF.new" "$SLURM_CONF"
	grep '^NodeName=n3' "$SLURM_CONF"
	kill "${slurm_pids[1]}"
	wait "${slurm_pids[1]}"
	slurm_run slurmctld -D
	until_done knows_features
}
knows_features() {
	local features weight

	features=$(sed 's/.* Feature=//; s/ .*//' "$scratch/advice")
	weight=$(sed 's/.* Weight=//' "$scratch/advice")
	[ "$(sinfo -h -n n3 -N -o '%f %w' 2>/dev/null)" = "$features $weight" ]
}
ok "slurmctld accepts the output of hdnode advise" advised
done_testing
