#!/bin/sh
# hdtrace export --to simgrid: lines of each rank that were made by hand from the
# states, and runs that cannot be replayed. tests/mpi/simgrid.sh replays programs.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: smoke
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
cd "$scratch" || exit 99

# A project of two ranks: NAME; the states of rank 0 are in the file rank0, of rank 1 in
# rank1, and times are in microseconds: STATE ATTRIBUTES START END [ELEMENTS]
project() {
	rm -rf ti "$1".proj "$1"_*.trc
	cat >"$1.proj" <<-XML
	<Application name="$1"><Topology><Level type="Host"><Level type="Rank">
	<Level type="Thread"/></Level></Level>
	<Node name="${host-a}"><Node name="0"><Node name="0"/></Node></Node>
	<Node name="b"><Node name="1"><Node name="0"/></Node></Node></Topology>
	<CommunicatorList><Communicator name="WORLD">
	<Rank global="0" local="0" cid="0"/><Rank global="1" local="1" cid="0"/>
	</Communicator><Communicator name="turned">
	<Rank global="0" local="1" cid="1"/><Rank global="1" local="0" cid="1"/>
	</Communicator></CommunicatorList></Application>
	XML
	for rank in 0 1; do
		[ "$rank" = 0 ] && node=${host-a} || node=b
		{
			echo "<Program timeAdjustment='0'>"
			while IFS='|' read -r name attributes start end inner; do
				[ -n "$name" ] || continue
				printf "<%s %s time='%d.%06d' end='%d.%06d'>%s</%s>\n" \
					"$name" "$attributes" \
					$((start / 1000000)) $((start % 1000000)) \
					$((end / 1000000)) $((end % 1000000)) \
					"$inner" "$name"
			done <"rank$rank"
			echo "</Program>"
		} >"$1_${node}_${rank}_0.trc"
	done
}

# The lines of a rank without those that only name a function: RANK
lines() {
	grep -v '^#' "ti/rank-$1.ti" | tr -s ' '
}

# The lines of both ranks are those on stdin, in turn: "0 ...", "1 ...".
gives() {
	cat >expected
	status 0 export --to simgrid -o ti p || return 1
	{
		lines 0
		lines 1
	} | diff expected -
}

messages_are_mapped() {
	cat >rank0 <<-END
	Init||0|1000
	Tracer|class='tracer'|1000|1300
	Send|size='10' toRank='1' toTag='5' cid='0'|2000|2100
	Isend|size='20' toRank='0' toTag='6' cid='1' rid='1'|2100|2110
	Ssend|size='30' toRank='1' toTag='7' cid='0'|2110|2120
	Send|size='3' toRank='-2' toTag='7' cid='0'|2110|2120
	Test|rid='-1' flag='0'|2120|2220
	Test|flag='1' rid='1'|2420|2430
	Sendrecv|size='40' toRank='1' toTag='8' cid='0' fromRank='1' fromTag='9' recvSize='50'|2430|2440
	Finalize||2440|3000
	END
	cat >rank1 <<-END
	Init||0|1000
	Irecv|size='1000' fromRank='-1' fromTag='-1' cid='0' rid='1'|1500|1510
	Irecv|size='1000' fromRank='1' fromTag='6' cid='1' rid='2'|1510|1520
	Irecv|size='1000' fromRank='-1' fromTag='7' cid='0' rid='3'|1520|1530
	Irecv|size='1000' fromRank='-1' fromTag='99' cid='0' rid='4'|1530|1540
	Waitall|count='3' completed='3'|1540|2450|<Request rid='1' fromRank='0' fromTag='5' size='10' cid='0'/><Request rid='2' fromRank='1' fromTag='6' size='20' cid='1'/><Request rid='3' fromRank='0' fromTag='7' size='30' cid='0'/>
	Cancel|rid='4'|2450|2451
	Wait|rid='4' fromRank='-2' fromTag='-1' size='0' cid='0'|2451|2460
	Recv|size='40' fromRank='0' fromTag='8' cid='0'|2460|2470
	Send|size='50' toRank='0' toTag='9' cid='0'|2470|2480
	Finalize||2480|3000
	END
	project p
	# 700 us: 1 ms less what the tracer took; the failed test is no computation.
	gives <<-END || return 1
	0 init
	0 compute 700000
	0 send 1 5 10
	0 isend 1 1048582 20
	0 send 1 7 30
	0 compute 200000
	0 wait 0 1 1048582
	0 isend 1 8 40
	0 irecv 1 9 50
	0 wait 0 1 8
	0 wait 1 0 9
	0 finalize
	1 init
	1 compute 500000
	1 irecv 0 5 10
	1 irecv 0 1048582 20
	1 irecv 0 7 30
	1 wait 0 1 5
	1 wait 0 1 1048582
	1 wait 0 1 7
	1 recv 0 8 40
	1 send 0 9 50
	1 finalize
	END
	grep -q '"synchronous_lost": 1' ti/export.json &&
		grep -q '"compute_from": "wall_time"' ti/export.json &&
		[ "$(cat ti/hostfile)" = "$(printf 'a\nb')" ] &&
		[ "$(cat ti/ti.list)" = "$(printf 'rank-0.ti\nrank-1.ti')" ] ||
		return 1
	rm -rf ti
	status 0 export --to simgrid --speed=2e9 -o ti p &&
		grep -q '^0 compute 1400000$' ti/rank-0.ti
}

persistent_requests() {
	cat >rank0 <<-END
	Init||0|1
	Ssend_init|size='10' toRank='1' toTag='5' cid='0' rid='1'|1|2
	Start|rid='1'|2|3
	Wait|rid='1'|3|4
	Start|rid='1'|4|5
	Wait|rid='1'|5|6
	Request_free|rid='1'|6|7
	Finalize||7|8
	END
	cat >rank1 <<-END
	Init||0|1
	Recv_init|size='100' fromRank='-1' fromTag='5' cid='0' rid='1'|1|2
	Startall|count='1' rid='1'|2|3
	Wait|rid='1' fromRank='0' fromTag='5' size='10' cid='0'|3|4
	Startall|count='1'|4|5|<Request rid='1'/>
	Waitany|flag='1' rid='1' fromRank='0' fromTag='5' size='10' cid='0'|5|6
	Finalize||7|8
	END
	project p
	gives <<-END
	0 init
	0 isend 1 5 10
	0 wait 0 1 5
	0 isend 1 5 10
	0 wait 0 1 5
	0 finalize
	1 init
	1 irecv 0 5 10
	1 wait 0 1 5
	1 irecv 0 5 10
	1 wait 0 1 5
	1 compute 1000
	1 finalize
	END
}

# A message that came before MPI_Cancel is received; without one, completion has no
# sender, and a request that is freed gets none.
late_cancels() {
	cat >rank0 <<-END
	Init||0|1
	Send|size='10' toRank='1' toTag='5' cid='0'|1|2
	Finalize||7|8
	END
	cat >rank1 <<-END
	Init||0|1
	Irecv|size='100' fromRank='0' fromTag='5' cid='0' rid='1'|1|2
	Irecv|size='100' fromRank='0' fromTag='6' cid='0' rid='2'|2|3
	Irecv|size='100' fromRank='0' fromTag='7' cid='0' rid='3'|3|4
	Cancel|rid='1'|4|4
	Cancel|rid='2'|4|4
	Cancel|rid='3'|4|4
	Wait|rid='1' fromRank='0' fromTag='5' size='10' cid='0'|4|5
	Wait|rid='2'|5|6
	Request_free|rid='3'|6|7
	Finalize||7|8
	END
	project p
	gives <<-END
	0 init
	0 send 1 5 10
	0 compute 5000
	0 finalize
	1 init
	1 irecv 0 5 10
	1 wait 0 1 5
	1 finalize
	END
}

# Sizes of which only a total is recorded are those of the other ranks.
collective_calls_of_all() {
	for rank in 0 1; do
		root=$([ "$rank" = 1 ] && echo "recvSize='30'")
		parts=$([ "$rank" = 1 ] && echo "size='30'")
		cat >"rank$rank" <<-END
		Init||0|1
		Barrier|cid='0'|1|2
		Bcast|size='8' rootRank='1' cid='0'|2|3
		Allreduce_c|size='16' cid='0'|3|4
		Gatherv|size='$((rank * 10 + 10))' $root root='1' cid='0' inPlace='0'|4|5
		Scatterv|$parts recvSize='$((rank * 10 + 10))' root='1' cid='0' inPlace='0'|5|6
		Allgatherv|size='$((rank + 1))' recvSize='3' cid='0' inPlace='0'|6|7
		Alltoallv|size='9' recvSize='$((rank * 6 + 6))' cid='0' inPlace='0'|7|8
		Reduce_scatter|size='30' recvSize='$((rank * 10 + 10))' cid='0'|8|9
		Finalize||9|10
		END
	done
	project p
	gives <<-END
	0 init
	0 barrier
	0 bcast 8 1
	0 allreduce 16 0
	0 gatherv 10 10 20 1
	0 scatterv 10 20 10 1
	0 allgatherv 1 1 2
	0 alltoallv 9 3 6 6 3 3
	0 reducescatter 10 20 0
	0 finalize
	1 init
	1 barrier
	1 bcast 8 1
	1 allreduce 16 0
	1 gatherv 20 10 20 1
	1 scatterv 10 20 20 1
	1 allgatherv 2 1 2
	1 alltoallv 9 3 6 12 6 6
	1 reducescatter 10 20 0
	1 finalize
	END
}

# The communicator has the ranks in another order; those that a request completes
# begin all messages at once.
collective_calls_of_others() {
	for rank in 0 1; do
		cat >"rank$rank" <<-END
		Init||0|1
		Bcast|size='8' rootRank='0' cid='1'|1|2
		Ibarrier|cid='0' rid='7'|2|3
		Wait|rid='7'|3|4
		Finalize||4|5
		END
	done
	project p
	gives <<-END
	0 init
	0 recv 1 1073741885 8
	0 isend 1 1073741824 0
	0 irecv 1 1073741824 1
	0 wait 0 1 1073741824
	0 wait 1 0 1073741824
	0 finalize
	1 init
	1 send 0 1073741885 8
	1 isend 0 1073741824 0
	1 irecv 0 1073741824 1
	1 wait 1 0 1073741824
	1 wait 0 1 1073741824
	1 finalize
	END
}

# SMPI counts no more than 2 GiB.
large_messages_are_split() {
	cat >rank0 <<-END
	Init||0|1
	Send_c|size='3221225473' toRank='1' toTag='5' cid='0'|1|2
	Finalize||2|3
	END
	cat >rank1 <<-END
	Init||0|1
	Irecv_c|size='6000000000' fromRank='0' fromTag='5' cid='0' rid='1'|1|2
	Wait|rid='1' fromRank='0' fromTag='5' size='3221225473' cid='0'|2|3
	Finalize||3|4
	END
	project p
	gives <<-END
	0 init
	0 send 1 5 1073741824
	0 send 1 5 1073741824
	0 send 1 5 1073741824
	0 send 1 5 1
	0 finalize
	1 init
	1 irecv 0 5 1073741824
	1 irecv 0 5 1073741824
	1 irecv 0 5 1073741824
	1 irecv 0 5 1
	1 wait 0 1 5
	1 wait 0 1 5
	1 wait 0 1 5
	1 wait 0 1 5
	1 finalize
	END
}

files_sleep_and_windows_are_refused() {
	for rank in 0 1; do
		cat >"rank$rank" <<-END
		Init||0|1
		File_read|fid='1' size='3'|1|2001
		File_iread|fid='1' rid='4'|2001|2001
		Wait|rid='4' size='3' fid='1'|2001|2501
		Win_fence|wid='1'|2501|2502
		Put|wid='1' size='3' toRank='0'|2502|2503
		Win_fence|wid='1'|2503|2504
		Finalize||2504|2505
		END
	done
	project p
	gives <<-END || return 1
	0 init
	0 sleep 0.002000000
	0 sleep 0.000500000
	0 finalize
	1 init
	1 sleep 0.002000000
	1 sleep 0.000500000
	1 finalize
	END
	tr -d '\n' <ti/export.json | tr -s ' ' | grep -qF \
		'"refused": [ { "function": "Put", "count": 2 }, { "function": "Win_fence", "count": 4 } ]' &&
		grep -q 'cannot represent: Win_fence (4)' err
}

# Several requests that one call completes take its time once.
files_sleep_once() {
	for rank in 0 1; do
		cat >"rank$rank" <<-END
		Init||0|1
		File_iread|fid='1' rid='4'|1|1
		File_iread|fid='1' rid='5'|1|1
		File_iread|fid='1' rid='6'|1|1
		Waitall|count='2' completed='2'|1|501|<Request rid='4' size='3' fid='1'/><Request rid='5' size='3' fid='1'/>
		Wait|rid='6' size='3' fid='1'|501|801
		Finalize||801|802
		END
	done
	project p
	gives <<-END
	0 init
	0 sleep 0.000500000
	0 sleep 0.000300000
	0 finalize
	1 init
	1 sleep 0.000500000
	1 sleep 0.000300000
	1 finalize
	END
}

# Of polls only the time inside of them belongs to MPI.
polls_are_no_computation() {
	for rank in 0 1; do
		cat >"rank$rank" <<-END
		Init||0|1000
		Test|flag='0' calls='5' insideNs='300000' tracerNs='100000'|1000|2000
		Polls|IprobeCalls='2' IprobeInsideNs='250000'|2000|3000
		Finalize||3000|3001
		END
	done
	project p
	gives <<-END
	0 init
	0 compute 1450000
	0 finalize
	1 init
	1 compute 1450000
	1 finalize
	END
}

counts_are_used() {
	for rank in 0 1; do
		cat >"rank$rank" <<-END
		Init||0|1000
		Barrier|outsideInstructions='500' outsideTaskClock='900000' cid='0'|2000|3000
		Barrier|outsideInstructions='700' outsideTaskClock='400000' cid='0'|3500|4000
		Finalize|outsideTaskClock='100000'|5500|6000
		END
	done
	project p
	# The last one has no count: 1.5 ms at 1200 in 1.5 ms.
	gives <<-END || return 1
	0 init
	0 compute 500
	0 barrier
	0 compute 700
	0 barrier
	0 compute 1200
	0 finalize
	1 init
	1 compute 500
	1 barrier
	1 compute 700
	1 barrier
	1 compute 1200
	1 finalize
	END
	grep -q '"compute_from": "instructions"' ti/export.json &&
		grep -q '"estimated": 2' ti/export.json || return 1
	sed -i "s/outsideInstructions='[0-9]*'//" rank1
	project p
	status 0 export --to simgrid --speed=1e6 -o ti p &&
		grep -q '"compute_from": "cpu_time"' ti/export.json &&
		grep -qx '1 compute 900' ti/rank-1.ti
}

# REASON: the run is refused with status 1, and leaves nothing.
is_refused() {
	project p
	says "$1" 1 export --to simgrid -o ti p && [ ! -e ti ]
}

refusals() {
	printf 'Init||0|1\nFinalize||5|6\n' >rank1
	cat >rank0 <<-END
	Init||0|1
	Send|size='10' toRank='1' toTag='5' cid='0'|2000000|2000001
	Finalize||2000002|2000003
	END
	is_refused "rank 0: 1 of 1 messages to rank 1 with tag 5 are not received, the last one at 2.000001 s" ||
		return 1
	cat >rank0 <<-END
	Init||0|1
	Recv|size='10' fromRank='1' fromTag='5' cid='0'|2000000|2500000
	Finalize||2500002|2500003
	END
	is_refused "rank 0: 1 of 1 messages from rank 1 with tag 5 were not sent, the last one at 2.5 s" ||
		return 1
	printf 'Init||0|1\nBarrier|cid="0"|2|1500000\n' | tr '"' "'" >rank0
	is_refused "rank 0: MPI_Finalize is missing; the trace ends at 1.5 s" ||
		return 1
	printf 'Finalize||5|6\n' >rank0
	is_refused "rank 0: MPI_Init is missing" || return 1
	printf "Init||0|1\nBarrier|cid='0'|2|3\nFinalize||5|6\n" >rank0
	is_refused "rank 1: 0 collective calls on communicator 0, but 1 of rank 0" ||
		return 1
	printf "Init||0|1\nBarrier|part='1' cid='0'|2|3\nFinalize||5|6\n" >rank0
	is_refused "rank 0: recording was interrupted before at 2e-06 s"
}

# A rank knows its part only, so that the call cannot become messages.
large_collective_calls() {
	for rank in 0 1; do
		cat >"rank$rank" <<-END
		Init||0|1
		Allgatherv|size='1073741823' recvSize='2147483646' cid='0' inPlace='0'|1|2
		Alltoallv|size='2147483647' recvSize='2147483647' cid='0'|2|3
		Finalize||3|4
		END
	done
	project p
	status 0 export --to simgrid -o ti p || return 1
	sed -i "s/'1073741823'/'1073741824'/" rank0 rank1
	is_refused "rank 0: allgatherv of 2 GiB or more in all; the run ends at 3e-06 s" ||
		return 1
	sed -i '/Allgatherv/d' rank0 rank1
	sed -i "s/size='2147483647'/size='2147483648'/" rank1
	is_refused "rank 0: alltoallv of 2 GiB or more in all"
}

a_cut_trace() {
	printf 'Init||0|1\nFinalize||5|6\n' | tee rank0 >rank1
	project p
	head -n 2 p_b_1_0.trc >part
	mv part p_b_1_0.trc
	says "rank 1: MPI_Finalize is missing" 1 export --to simgrid -o ti p
}

names_of_hosts() {
	printf 'Init||0|1\nFinalize||5|6\n' | tee rank0 >rank1
	host="a:3" project p
	says 'SimGrid cannot read the host name "a:3"' 2 export --to simgrid -o ti p
}

wrong_options() {
	printf 'Init||0|1\nFinalize||5|6\n' | tee rank0 >rank1
	project p
	says "writes whole runs" 2 export --to simgrid --from 1 -o ti p &&
		says "--speed" 2 export --to simgrid --speed=0 -o ti p &&
		says "--speed" 2 export --to simgrid --speed=nan -o ti p &&
		says "--speed" 2 export --to csv --speed=1 -o ti p
}

# The sender of a receive that was posted at the start is known at the end, when the
# line went to a temporary file.
late_senders() {
	{
		printf "Init||0|1\n"
		printf "Irecv|size='100' fromRank='-1' fromTag='-1' cid='0' rid='1'|1|2\n"
		i=0
		while [ "$i" -lt 4000 ]; do
			echo "Barrier|cid='0'|$((i * 10 + 12))|$((i * 10 + 20))"
			i=$((i + 1))
		done
		printf "Wait|rid='1' fromRank='1' fromTag='77' size='9' cid='0'|99999|99999\n"
		printf "Finalize||100000|100000\n"
	} >rank0
	{
		sed '/Irecv/d;/Wait/d;/Finalize/d' rank0
		printf "Send|size='9' toRank='0' toTag='77' cid='0'|99998|99999\n"
		printf "Finalize||100000|100000\n"
	} >rank1
	project p
	status 0 export --to simgrid -o ti p &&
		[ "$(wc -c <ti/rank-0.ti)" -gt 70000 ] &&
		[ "$(lines 0 | sed -n 2p)" = "0 irecv 1 77 9" ] &&
		[ "$(lines 0 | grep -c barrier)" -eq 4000 ]
}

# No matter in how many threads.
is_deterministic() {
	status 0 export --to simgrid -o one p || return 1
	status 0 export --to simgrid -o two p && diff -r one two
}

# What is written of the run is as doc/json.schema.json has it.
is_described() {
	for python in python3 /usr/bin/python3; do
		"$python" -c 'import jsonschema' 2>/dev/null || continue
		"$python" -c 'import json, sys, jsonschema
schema, found = [json.load(open(name)) for name in sys.argv[1:]]
jsonschema.validate(found, schema)' "$abs_top_srcdir/doc/json.schema.json" \
			one/export.json
		return
	done
	grep -q hdtrace-simgrid one/export.json
}

ok "messages, requests and failed tests" messages_are_mapped
ok "persistent requests" persistent_requests
ok "messages that came before their request was cancelled" late_cancels
ok "collective calls of all ranks are SMPI's own" collective_calls_of_all
ok "others are messages" collective_calls_of_others
ok "messages of 2 GiB and more are split" large_messages_are_split
ok "file access sleeps, one-sided calls are refused" \
	files_sleep_and_windows_are_refused
ok "requests of files that complete together sleep once" files_sleep_once
ok "time of polls is not computation" polls_are_no_computation
ok "instructions, then CPU time" counts_are_used
ok "unmatched ends, missing ends and interruptions are refused" refusals
ok "collective calls of 2 GiB or more are refused" large_collective_calls
ok "cut trace is refused" a_cut_trace
ok "names of hosts that SimGrid cannot read" names_of_hosts
ok "wrong options" wrong_options
ok "senders that are known late" late_senders
ok "equal output every time" is_deterministic
ok "export.json conforms to the schema" is_described
done_testing
