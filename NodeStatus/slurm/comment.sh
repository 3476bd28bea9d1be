#!/bin/sh
# hdtrace-slurm-comment: put the joules of a step into the comment of its job, and
# say for which part of the time they are known; of nodes that other jobs were on,
# too, there are none. Run by Slurm's plugin hdtrace.so:
#
#     hdtrace-slurm-comment JOB STEP NODES FROM TO JOULES KNOWN DURATION KIND INPUTS
#
# Times are in seconds, FROM and TO since the epoch; KIND is measured or simulated;
# INPUTS are those that make up the power of a node, ';', and those that do not.
# SPDX-License-Identifier: LGPL-2.1-or-later
[ $# -eq 10 ] || {
	echo "hdtrace-slurm-comment: only the Slurm plugin hdtrace.so can run this program" >&2
	exit 2
}
job=$1
step=$2
nodes=$3
from=$4
to=$5
joules=$6
known=$7
duration=$8
kind=$9
inputs=${10}
# A comment grows by each step, and shall stay readable.
longest=2000
export SLURM_TIME_FORMAT=%s LC_ALL=C

# Print what Slurm calls the job so that nothing else is meant: the number of a job
# can be that of an array or of a heterogeneous job, too, and then stands for all of
# its parts. Those are called 7_0 and 7+0.
find_name() {
	squeue -h -j "$job" -o '%A %i' | sed -n "s/^$job //p" | head -n 1
}

# Print what squeue says of the job: FORMAT. Asked for 7+0 it says all of 7.
of_job() {
	squeue -h -j "$name" -o "%A $1" | sed -n "s/^$job //p" | head -n 1
}

# Print the nodes of the step, as Slurm writes lists. Asked for 7+1.0 it says what
# 7+0.0 is.
step_nodes() {
	case $name in
	*+*) id=$job ;;
	*) id=$name ;;
	esac
	scontrol -o show step "$id.$step" 2>/dev/null |
		sed -n 's/.* NodeList=\([^ ]*\).*/\1/p' | head -n 1
}

# Whether the job has its nodes exclusively, or all processors of them.
has_all() {
	[ "$(of_job %h)" != NO ] || return 0
	own=$(of_job %C)
	[ -n "$own" ] && [ "$own" = "$(sinfo -h -N -n "$(of_job %N)" \
		-o '%N %c' | sort -u |
		awk '{ cpus += $2 } END { print cpus }')" ]
}

# Print why the nodes may have been shared: another job was there meanwhile, or
# that cannot be known any more.
shared_with() {
	list=$(step_nodes)
	[ -n "$list" ] || list=$(of_job %N)
	others=$(squeue -h -a -t all -w "$list" -o '%A %T %S %e') || {
		echo "possibly shared: Slurm does not list their jobs"
		return
	}
	printf '%s\n' "$others" |
		awk -v own="$job" -v from="$from" -v to="$to" '
		$1 == own || $2 == "PENDING" || $3 !~ /^[0-9]+$/ { next }
		# Running ones have an end, too: their limit.
		$3 < to && ($2 == "RUNNING" || $2 == "SUSPENDED" ||
			$2 == "COMPLETING" || $4 !~ /^[0-9]+$/ || $4 > from) {
			print "shared with job " $1; exit
		}' | grep . && return
	# Slurm forgets jobs that have ended. Where nobody else may have been there
	# that does not matter.
	! has_all || return 0
	kept=$(scontrol show config | sed -n 's/^MinJobAge *= *\([0-9]*\).*/\1/p')
	awk -v from="$from" -v to="$to" -v kept="${kept:-0}" 'BEGIN {
		if (to - from > kept)
			print "possibly shared: Slurm keeps ended jobs for " \
				"only " kept " s"
	}'
}

# Print what is said of the step.
words() {
	why=$(shared_with)
	awk -v step="$step" -v nodes="$nodes" -v joules="$joules" \
		-v known="$known" -v duration="$duration" -v kind="$kind" \
		-v why="$why" -v inputs="$inputs" 'BEGIN {
		what = "step " step ": "
		if (why != "")
			what = what "no joules, nodes " why
		else if (known <= 0)
			what = what "joules unknown, no power was recorded"
		else
			what = what (known < 0.995 * duration ? ">=" : "") \
				joules " J"
		if (why == "" && known > 0)
			what = what (kind == "simulated" ? " (simulated)" : "")
		split(inputs, part, ";")
		from = part[1] ~ /^-?$/ || why != "" ? "" : " from=" part[1]
		if (from != "" && part[2] != "")
			from = from " left_out=" part[2]
		printf "%s, known_s=%s duration_s=%s nodes=%d%s\n", what, known,
			duration, nodes, from
	}'
}

current() {
	of_job %k | sed 's/^(null)$//'
}

# Add TEXT to a COMMENT.
joined() {
	case $1 in
	"") printf 'hdtrace: %s\n' "$2" ;;
	*hdtrace:*) printf '%s; %s\n' "$1" "$2" ;;
	*) printf '%s; hdtrace: %s\n' "$1" "$2" ;;
	esac
}

# Another step may do the same at this moment; then ours is missing.
name=$(find_name)
[ -n "$name" ] || exit 1
text=$(words)
for _ in 1 2 3; do
	before=$(current)
	case $before in
	*"$text"*) exit ;;
	esac
	[ ${#before} -lt $longest ] || exit 0
	scontrol update jobid="$name" comment="$(joined "$before" "$text")" ||
		exit 1
done
