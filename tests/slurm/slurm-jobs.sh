#!/bin/bash
# Jobs of a real Slurm, recorded by the plugin: four virtual nodes, MPICH and Open
# MPI, other users, scripts with several steps, and names that are taken.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/slurm.sh"
. "$abs_top_srcdir/tests/slurm/jobs.sh"

slurm_plugins "required $abs_top_builddir/NodeStatus/slurm/hdtrace.so from=$abs_top_builddir power=sim interval=20"
ok "Slurm starts with the plugin required" slurm_start
[ "$(sinfo -h -o %T 2>/dev/null)" = idle ] || done_testing

# ---- MPI ---------------------------------------------------------------------

# A job of 8 ranks on 4 nodes: LIBRARY PMI
mpi_job() {
	local library=$1

	build "$library" || return 1
	mkdir -p "$work/counted"
	COUNTER_DIR=$work/counted job 7 --mpi="$2" -N 4 -n 8 \
		--hdtrace="project=$library,directory=$work" \
		"$work/calls-$library" 9 7
}

# What is in its project: LIBRARY
mpi_project() {
	local project=$work/$1 node rank

	is_whole "$project" || return 1
	for node in 0 1 2 3; do
		has "${project}_n${node}_Utilization.stat" \
			"${project}_n${node}_Energy.stat" || return 1
		for rank in $((2 * node)) $((2 * node + 1)); do
			has "${project}_n${node}_${rank}_0.trc" \
				"${project}_n${node}_${rank}_Cpu.stat" ||
				return 1
			agrees "${project}_n${node}_${rank}_0.trc" \
				"$work/counted/0.$rank.counted" || return 1
		done
	done
	[ "$(find "$work" -name "$1_*.trc" | wc -l)" -eq 8 ]
}

# Whether the trace of a rank has the calls that a counter without any code of ours
# has counted: TRACE COUNTED
agrees() {
	local call counted recorded

	for call in Send Recv Sendrecv Allreduce; do
		counted=$(grep -c "^$call " "$2")
		recorded=$(grep -o "<${call}[ >]" "$1" | wc -l)
		echo "$1: $call: $recorded, counted $counted"
		[ "$recorded" -eq "$counted" ] || return 1
	done
	grep -q '^Sendrecv ' "$2"
}

for pair in mpich:pmi2 openmpi:pmix; do
	if [ -f "$abs_top_builddir/libhdMPI-${pair%:*}.so" ]; then
		ok "a job of $pair on four nodes keeps its exit status" \
			mpi_job "${pair%:*}" "${pair#*:}"
		ok "the project has every node, rank and call" \
			mpi_project "${pair%:*}"
	else
		skip "a job of $pair" "built without this MPI library"
	fi
done

# ---- Joules ------------------------------------------------------------------

# The job's comment has what the report says, and for how long that is known.
joules() {
	job 0 -N 4 --exclusive --comment="my own" \
		--hdtrace="project=joules,directory=$work" sleep 1 || return 1
	comment_of_last
	"$hdtrace" report --format=json "$work/joules" >"$work/joules.json"
	python3 - "$comment" "$work/joules.json" <<'END'
import json, re, sys
found = re.fullmatch(r"my own; hdtrace: step 0: (>=)?([0-9.]+) J \(simulated\), "
                     r"known_s=([0-9.]+) duration_s=([0-9.]+) nodes=4 from=(\S+)",
                     sys.argv[1])
report = json.load(open(sys.argv[2]))
energy = report["energy"]
assert found[5].split(",") == next(group["energy_from"] for group in report["groups"]
                                   if group.get("energy_from"))
joules, known, duration = (float(found[i]) for i in (2, 3, 4))
print(energy, found[0])
assert abs(joules - energy["energy_j"]) < 0.01
assert 0.9 < known <= duration
assert (found[1] is not None) == (known < 0.995 * duration)
END
}
ok "the comment of the job has the energy and its known time" joules

running() {
	[ "$(squeue -h -t R -o %A | wc -l)" -eq "$1" ]
}

# Two jobs of one processor each on one node.
shared() {
	local other

	other=$(sbatch --parsable -n 1 -w n0 -o /dev/null \
		--wrap 'exec sleep 300') || return 1
	until_done running 1 || return 1
	job 0 -n 1 -w n0 --hdtrace="project=shared,directory=$work" sleep 0.5
	scancel "$other"
	comment_of_last
	case $comment in
	"hdtrace: step 0: no joules, nodes shared with job "*) ;;
	*) return 1 ;;
	esac
	is_whole "$work/shared"
}
ok "a shared node gives no energy, and the comment says so" shared

# Set comment to that of a job by its name: NAME
comment_of() {
	comment=$(scontrol -o show job "$1" |
		sed -n 's/.* Comment=\(.*\)  *StdErr=.*/\1/p' | sed 's/ *$//')
	echo "$1: $comment"
}

# Of an array one task has the number of the array, too. One after the other; each
# has its own, and what the user has written is as it was.
array() {
	local id task

	id=$(timeout 120 sbatch --parsable --wait -a 0-1%1 -N 1 --exclusive \
		-o /dev/null --comment='my\nown\c' \
		--hdtrace="project=array,directory=$work" \
		--wrap 'srun sleep 0.3') || return 1
	for task in 0 1; do
		is_whole "$work/array-$task-0" || return 1
		comment_of "${id}_$task"
		case $comment in
		*"step 0: "*"step 0: "*) return 1 ;;
		'my\nown\c; hdtrace: step 0: '*" J (simulated), "*) ;;
		*) return 1 ;;
		esac
	done
}
ok "each task of an array has its own energy" array

# The number and the comment of each component of the last heterogeneous job.
components() {
	scontrol -o show job | sort -t= -k2n | tail -n 2 | sed -n \
		-e 's/^JobId=\([0-9]*\) .* Comment=\(.*\) Power=.*/\1 \2/p' \
		-e t -e 's/^JobId=\([0-9]*\) .*/\1/p'
}

# One component of a heterogeneous job is recorded, which one is srun's business;
# it is said, and the other component has no joules.
heterogeneous() {
	local said="hdtrace: the job is heterogeneous; only the component of job"
	local recorded number comment

	job 3 -N 1 --exclusive --hdtrace="project=het,directory=$work" \
		sh -c 'sleep 0.3; exit 3' : -N 1 --exclusive sleep 0.3 ||
		return 1
	is_whole "$work/het" || return 1
	recorded=$(sed -n "s/^$said \([0-9]*\) is recorded$/\1/p" "$scratch/err")
	components >"$scratch/components"
	cat "$scratch/components"
	grep "^$recorded hdtrace: " "$scratch/components" || return 1
	while read -r number comment; do
		case $comment in
		*"hdtrace: step 0: "*" J (simulated)"*)
			[ "$number" = "$recorded" ] || return 1
			;;
		"" | "(null)") [ "$number" != "$recorded" ] || return 1 ;;
		*) return 1 ;;
		esac
	done <"$scratch/components"
	[ "$(wc -l <"$scratch/components")" -eq 2 ]
}
ok "one component of a heterogeneous job is recorded and named" \
	heterogeneous

# A variable of the user that is too long to be added to stays as it is.
# shellcheck disable=SC2016 # the shell of the job expands it
long_preload() {
	local library

	for library in mpich openmpi; do
		[ -f "$abs_top_builddir/libhdMPI-$library.so" ] || continue
		job 0 -N 1 --hdtrace="project=long,directory=$work,mpi=$library" \
			--export="ALL,LD_PRELOAD=/$(printf '%05000d' 1)" \
			sh -c '[ ${#LD_PRELOAD} -eq 5001 ]' || return 1
		grep 'hdtrace: MPI calls are not recorded: LD_PRELOAD is too' \
			"$scratch/err" || return 1
	done
}
ok "an overlong LD_PRELOAD is kept and reported" long_preload

# ---- Users, scripts, names ---------------------------------------------------

# Files of a job belong to who has it.
other_user() {
	local other=$work/other

	mkdir "$other" && chown nobody "$other" || return 1
	cd "$other" || return 1
	setpriv --reuid nobody --regid nogroup --clear-groups \
		timeout 60 srun -N 2 --hdtrace=project=own true >out 2>err
	status=$?
	cat err
	ls -l
	cd / || return 1
	[ "$status" -eq 0 ] && is_whole "$other/own" &&
		[ -z "$(find "$other" ! -user nobody ! -name out ! -name err)" ]
}
if others_can_read "$abs_top_builddir/NodeStatus/slurm/hdtrace.so"; then
	ok "another user's files belong to that user" other_user
else
	skip "another user's files" "no user but root can read the build"
fi

# Three steps of a script.
script() {
	cat >"$work/script" <<END
#!/bin/bash
srun -N 2 true
srun -N 1 sh -c 'exit 5'
srun -N 1 sleep 0.3
exit 4
END
	timeout 60 sbatch -N 2 --wait -o "$work/script.out" \
		--hdtrace="project=script,directory=$work" "$work/script"
	status=$?
	cat "$work/script.out"
	comment_of_last
	[ "$status" -eq 4 ] && is_whole "$work/script-0" &&
		is_whole "$work/script-1" && is_whole "$work/script-2" &&
		[ "$(find "$work" -name 'script*.proj' | wc -l)" -eq 3 ] &&
		[[ $comment = *"step 0: "*"step 1: "*"step 2: "* ]]
}
ok "each step of a script has its own project" script

# What is there already stays, whoever asks for the name.
taken() {
	local before

	job 0 -N 1 --hdtrace="project=taken,directory=$work" true || return 1
	before=$(cat "$work"/taken[_.]* | cksum)
	job 0 -N 1 --hdtrace="project=taken,directory=$work" true || return 1
	grep 'hdtrace: .*taken.proj exists' "$scratch/err" || return 1
	[ "$before" = "$(cat "$work"/taken[_.]* | cksum)" ] &&
		is_whole "$work/taken-2"
}
ok "an existing project is not replaced" taken

# Steps of an allocation, at once, and one in it that is not recorded.
allocation() {
	cat >"$work/steps" <<END
srun -n 1 --overlap sleep 0.5 & srun -n 1 --overlap sleep 0.5 & wait
SLURM_HDTRACE= srun -n 1 sh -c 'echo "HDTRACE \$SLURM_HDTRACE"'
END
	timeout 60 salloc -N 1 --hdtrace="project=allocated,directory=$work" \
		bash "$work/steps" 2>&1
	[ "$(find "$work" -name 'allocated-*.proj' | wc -l)" -eq 3 ] &&
		is_whole "$work/allocated-0" && is_whole "$work/allocated-1" &&
		is_whole "$work/allocated-2"
}
ok "sequential and concurrent steps of an allocation have their own projects" allocation

# Without the option nothing is recorded, and nothing is in the environment.
silent() {
	cd "$work" || return 1
	job 0 -N 1 env || return 1
	! grep -E 'SLURM_HDTRACE|HDTRACE_MPI|LD_PRELOAD' "$scratch/out" && [ ! -s "$scratch/err" ] &&
		[ -z "$(find "$work" -name 'hdtrace-*')" ]
}
ok "a job without the option is not recorded" silent

# Nonsense is said, and the job runs with what makes sense.
nonsense() {
	local option

	cd "$work" || return 1
	for option in '=interval=0' '=bogus' '=project=a/b,mpi=none' '=,' '==' \
		'=interval=99999999999999999999' "=project=$(printf '%0300d' 1)"; do
		job 6 -N 1 --hdtrace"$option" sh -c 'exit 6' ||
			return 1
		[ "$option" = '=,' ] || grep 'hdtrace: --hdtrace=' "$scratch/err" ||
			return 1
	done
	timeout 60 sbatch --wait -o "$work/nonsense" -N 1 --hdtrace=interval=x \
		--wrap 'exit 3' >"$scratch/out" 2>"$scratch/err"
	[ $? -eq 3 ] && grep 'hdtrace: --hdtrace=interval=x: ' "$scratch/err"
}
ok "invalid options are reported and do not change the status" nonsense

# Where nothing can be written the job runs.
nowhere() {
	job 0 -N 2 --hdtrace="project=x,directory=/proc/nowhere" true || return 1
	grep 'hdtrace: nothing is recorded: /proc/nowhere/x: ' "$scratch/err"
}
ok "without a directory the job runs, with a warning" nowhere

# Those of the last job are free in a moment; one that was drained stays so.
ok "no node was drained" until_done slurm_nodes 4 idle
done_testing
