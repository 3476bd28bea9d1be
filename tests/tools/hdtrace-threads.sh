#!/bin/sh
# Which thread waited for which, and the critical path through them, of traces
# made by hand as libhdOmp writes them; what is expected was found on paper.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: threads
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
printer=${abs_top_builddir:?}/tests/tools/print-dependencies
cd "$scratch" || exit 99

# Make a project of so many ranks with so many threads each: NAME RANKS THREADS
project() {
	{
		echo "<Application name='$1'><Description/><Topology>"
		echo "<Level type='Host'><Level type='Rank'><Level type='Thread'/>"
		echo "</Level></Level><Node name='a'>"
		for rank in $(seq 0 $(($2 - 1))); do
			echo "<Node name='$rank'>"
			for thread in $(seq 0 $(($3 - 1))); do
				echo "<Node name='$thread'/>"
			done
			echo "</Node>"
		done
		echo "</Node></Topology><CommunicatorList>"
		echo "<Communicator name='WORLD'>"
		for rank in $(seq 0 $(($2 - 1))); do
			echo "<Rank global='$rank' local='$rank' cid='0'/>"
		done
		echo "</Communicator></CommunicatorList><Datatypes/>"
		echo "<ExternalStatistics/></Application>"
	} >"$1.proj"
}

# Make a trace of what is read, lines "STATE ATTRIBUTES START END", where "(" and
# ")" are around what lies in the next one: NAME RANK THREAD
trace() {
	{
		echo "<Program timeAdjustment='0' levels='Host Rank Thread'>"
		while read -r state rest; do
			case $state in
			"(") echo "<Nested>" ;;
			")") echo "</Nested>" ;;
			*)
				end=${rest##* }
				rest=${rest% *}
				case $rest in
				*" "*) attributes=${rest% *} ;;
				*) attributes= ;;
				esac
				echo "<$state $attributes" \
					"time='${rest##* }' end='$end'/>"
				;;
			esac
		done
		echo "</Program>"
	} >"$1_a_$2_$3.trc"
}

# The edges of these kinds, in tenths of seconds: NAME KIND... and lines of them.
edges() {
	made=$1
	shift
	"$printer" "$made.proj" >edges || return 1
	cat edges
	awk -v kinds=" $* " '
		index(kinds, " " $1 " ") {
			print $1, $3, $4 / 1e8, $5, $6 / 1e8, $7 / 1e8 }
	' edges | sort >found
	sort | diff - found
}

# The parts of the critical path, TRACE START END, and how long it is: NAME LENGTH
path() {
	status 0 report --format=json "$1" || return 1
	sed -n 's/.*"trace": \([0-9]*\), "start_s": \([0-9.]*\), "end_s": \([0-9.]*\) .*/\1 \2 \3/p' \
		out | awk '{ print $1, $2 + 0, $3 + 0 }' >found
	cat found
	diff - found && grep "\"length_s\": $2," out
}

# Three threads in two regions: who is last differs.
project teams 1 3
trace teams 0 0 <<'END'
Serial 0 1
(
omp.for 1 3
omp.barrier team='1' barrier='0' 3 6
omp.for 6 8
omp.barrier team='1' barrier='1' 8 10
)
omp.parallel team='1' thread='0' requested='3' threads='3' 1 10
Serial 10 12
(
omp.barrier team='2' barrier='0' 13 14
)
omp.parallel team='2' thread='0' requested='3' threads='3' 12 14
END
trace teams 0 1 <<'END'
(
omp.barrier team='1' barrier='0' 5.9 6
omp.barrier team='1' barrier='1' 7 10
)
omp.parallel team='1' thread='1' threads='3' 1.1 10
(
omp.barrier team='2' barrier='0' 12.5 14
)
omp.parallel team='2' thread='1' threads='3' 12.2 14
END
trace teams 0 2 <<'END'
(
omp.barrier team='1' barrier='0' 2 6
omp.barrier team='1' barrier='1' 9.5 10
)
omp.parallel team='1' thread='2' threads='3' 1.2 10
(
omp.barrier team='2' barrier='0' 13.8 14
)
omp.parallel team='2' thread='2' threads='3' 12.1 14
END
teams() {
	edges teams fork team <<-'END'
	fork 0 10 1 10 11
	fork 0 10 2 10 12
	fork 0 120 1 100 122
	fork 0 120 2 100 121
	team 1 59 0 30 60
	team 0 30 1 59 60
	team 1 59 2 20 60
	team 2 95 0 80 100
	team 2 95 1 70 100
	team 0 80 2 95 100
	team 2 138 0 130 140
	team 2 138 1 125 140
	team 0 130 2 138 140
	END
}
ok "regions and barriers are edges" teams
teams_path() {
	path teams 14.000000000 <<-'END'
	0 0 1
	1 1 5.9
	2 5.9 9.5
	0 9.5 12
	2 12 13.8
	0 13.8 14
	END
}
ok "the path contains the last thread" teams_path
# Between the regions the others are idle: in barriers they waited 2.9 + 3.9, 1.5 +
# 2.5 and 0.8 + 1.3 s.
beside() {
	grep '"beside_s": 16.900000000' out
}
ok "waiting threads are off the path" beside

# A barrier of which a thread was not recorded: nothing is guessed.
sed '/barrier=.1/d' teams_a_0_1.trc >less && mv less teams_a_0_1.trc
not_whole() {
	edges teams team <<-'END' && grep "^# .* collectives 2 " edges
	team 1 59 0 30 60
	team 0 30 1 59 60
	team 1 59 2 20 60
	team 2 138 0 130 140
	team 2 138 1 125 140
	team 0 130 2 138 140
	END
}
ok "a barrier without one thread is incomplete" not_whole
# So do regions of which a thread has none.
rm teams_a_0_1.trc
no_region() {
	edges teams fork team <<-'END' && grep "^# .* collectives 6 " edges
	fork 0 10 1 10 12
	fork 0 120 1 100 121
	END
}
ok "a region without one thread is incomplete" no_region

# Tasks: 3 comes after 1 and 2, and is executed by who has executed 1.
project tasks 1 3
trace tasks 0 0 <<'END'
(
omp.create task='1' 1 1.1
omp.create task='2' 2 2.1
omp.create task='3' 3 3.1
omp.barrier team='1' barrier='0' 4 9
)
omp.parallel team='1' thread='0' threads='3' 0 9
END
trace tasks 0 1 <<'END'
(
(
omp.task task='1' 1.2 5
omp.task task='3' after='1 2' 8 8.5
)
omp.barrier team='1' barrier='0' 0.5 9
)
omp.parallel team='1' thread='1' threads='3' 0.1 9
END
trace tasks 0 2 <<'END'
(
(
omp.task task='2' 2.5 8
)
omp.barrier team='1' barrier='0' 0.6 9
)
omp.parallel team='1' thread='2' threads='3' 0.1 9
END
tasks() {
	edges tasks task team <<-'END'
	task 0 10 1 5 12
	task 0 20 2 6 25
	task 0 30 1 50 80
	task 1 50 1 50 80
	task 2 80 1 50 80
	team 1 85 0 40 90
	team 2 80 1 85 90
	team 1 85 2 80 90
	END
}
ok "tasks begin after their creation and dependencies" tasks
tasks_path() {
	path tasks 9.000000000 <<-'END'
	0 0 2
	2 2 8
	1 8 8.5
	0 8.5 9
	END
}
ok "the path contains tasks" tasks_path

# One task goes on on another thread, one is on its own thread, lists of what comes
# before are too long, and what is no number is none.
trace tasks 0 1 <<'END'
(
(
omp.task task='1' 1.2 2
omp.task task='2' after='1 ...' 6 7
)
omp.barrier team='1' barrier='0' 0.5 9
)
omp.parallel team='1' thread='1' threads='3' 0.1 9
END
trace tasks 0 2 <<'END'
(
(
omp.task task='1' 3 4
omp.task task='x' after='1' 5 5.5
)
omp.barrier team='1' barrier='0' 0.6 9
omp.task task='3' after='y' 9 9
)
omp.parallel team='1' thread='2' threads='3' 0.1 9
END
pieces() {
	edges tasks task <<-'END'
	task 0 10 1 5 12
	task 0 20 1 20 60
	task 2 40 1 20 60
	task 0 30 2 90 90
	END
}
ok "tasks in several pieces are joined" pieces

# Threads of two ranks, and a message between them.
project both 2 2
trace both 0 0 <<'END'
(
omp.barrier team='1' barrier='0' 1 5
)
omp.parallel team='1' thread='0' threads='2' 0 5
Send toRank='1' toTag='0' cid='0' size='8' 5 5.1
END
trace both 0 1 <<'END'
(
omp.barrier team='1' barrier='0' 4.9 5
)
omp.parallel team='1' thread='1' threads='2' 0.1 5
END
trace both 1 0 <<'END'
Recv fromRank='0' fromTag='0' cid='0' size='8' 0 5.2
(
omp.barrier team='1' barrier='0' 6 9
)
omp.parallel team='1' thread='0' threads='2' 5.2 9
END
trace both 1 1 <<'END'
(
omp.barrier team='1' barrier='0' 8.9 9
)
omp.parallel team='1' thread='1' threads='2' 5.3 9
END
both_path() {
	path both 9.000000000 <<-'END' &&
	1 0 4.9
	0 4.9 5
	2 5 5.2
	3 5.2 8.9
	2 8.9 9
	END
	grep '"rank": 0, "time_s": 5.000000000, "mpi_s": 0.000000000' out &&
		grep '"rank": 1, "time_s": 4.000000000, "mpi_s": 0.200000000' \
			out
}
ok "the path crosses MPI and OpenMP" both_path
done_testing
