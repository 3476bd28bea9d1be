#!/bin/sh
# Findings of CPUs that are too few, and of habits: worked by hand, and random traces that a
# second analyser reads, too. HDTRACE_TEST_LONG=1 makes 500 of these.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
command -v python3 >/dev/null || skip_all "no python3"
# The same traces each time; the long form tries others.
[ -z "${HDTRACE_TEST_LONG-}" ] || : "${HDTRACE_TEST_SEED:=$(date +%s)}"
seed=${HDTRACE_TEST_SEED:-1}
cd "$scratch" || exit 99

for python in python3 /usr/bin/python3; do
	"$python" -c "import otf2" 2>/dev/null && break
	python=
done
mkdir made
count=24
[ -z "${HDTRACE_TEST_LONG-}" ] || count=500
made_by_chance() {
	(cd made && PYTHONDONTWRITEBYTECODE=1 "$python" \
		"$abs_top_srcdir/tests/tools/readers/habits.py" "$hdtrace" "$count" "$seed")
}
if [ -z "$python" ]; then
	skip "habits in random traces" "no python3-otf2"
elif "$hdtrace" export --to otf2 made 2>&1 | grep -q "built without"; then
	skip "habits in random traces" "built without OTF2"
else
	ok "imbalance and habits agree with a second analyser" made_by_chance
fi

make_run() {
	rm -f run_* run.proj
	python3 "$abs_top_srcdir/tests/tools/readers/states.py"
}
# What is found, but for waits and imbalance: KIND COUNT TIME WAITING CAUSING
finds() {
	status 0 report --format=json run || return 1
	python3 - "$@" <<-'END'
	import json, sys
	found = [" ".join([f["kind"], str(f["count"]), f"{f['time_s']:g}",
	                   ",".join(map(str, f["waiting"])) or "-",
	                   ",".join(map(str, f["causing"])) or "-"])
	         for f in json.load(open("out"))["findings"]]
	print(found)
	kinds = ("oversubscription", "steal", "polling", "small-messages", "placement",
	         "io-one-rank", "tiny-collectives", "io-small", "io-reopen")
	assert [f for f in found if f.startswith(kinds)] == sys.argv[1:], sys.argv[1:]
	END
}
external() {
	sed -i "s/<ExternalStatistics\/>/<ExternalStatistics>$1<\/ExternalStatistics>/" run.proj
}
# From 1 s to 11 s two CPUs of the host, or CPUS, are busy for BUSY percent, and others steal
# STOLEN.
utilization() {
	cpus=${3:-2}
	set -- "$1" "$2" 'name="CPU_TOTAL" type="FLOAT" unit="%"'
	for cpu in $(seq 0 $((cpus - 1))); do
		set -- "$@" "name=\"CPU_TOTAL_$cpu\" type=\"FLOAT\" unit=\"%\""
	done
	busy=$1
	stolen=$2
	shift 2
	{
		stat_header h Utilization "$@" \
			'name="CPU_STATE_STEAL" type="FLOAT" unit="%"'
		stamp 1
		stamp 11
		hex "$(python3 -c "import struct
print(struct.pack('>${cpus}f2f', *[$busy] * ($cpus + 1), $stolen).hex())")"
	} >run_h_Utilization.stat
}
# A node below the host has a CPU time, in seconds: that of a rank, or RANK_THREAD.
cpu_time() {
	python3 - "$@" <<-'END'
	import struct, sys
	node, seconds = sys.argv[1], float(sys.argv[2])
	labels = node.split("_")
	path = "".join(f'<Label value="{label}">' for label in labels)
	path += "</Label>" * len(labels)
	head = f"""<Statistics>
	<TopologyNode><Label value="h">{path}</Label></TopologyNode>
	<Group name="Cpu" timestampDatatype="EPOCH" timeAdjustment="0">
	<Value name="CPU_TIME" type="DOUBLE" unit="s" kind="delta"/>
	</Group></Statistics>
	""".encode()
	with open(f"run_h_{node}_Cpu.stat", "wb") as out:
	    out.write(b"%05d\n" % len(head) + head)
	    out.write(struct.pack(">IIIId", 1, 0, 11, 0, seconds))
	END
}
# Ranks from 0 on have CPU times.
cpu_times() {
	rank=0
	for seconds; do
		cpu_time "$rank" "$seconds"
		rank=$((rank + 1))
	done
}
busy_ranks() {
	make_run <<-END
	for rank in range($1):
	    ranks.append([("Work", 10, 100, ""), ("Barrier", 100, 110, "")])
	END
}

# Four ranks of 10 s each on two CPUs: half of the time.
busy_ranks 4
utilization 99 0
external "<Utilization\/>"
ok "more ranks than CPUs" finds "oversubscription 1 20 0,1,2,3 -"
comes_first() {
	status 0 report run && sed -n '/^Findings/,$p' out | sed -n 2p |
		grep "^  1. More threads run than there are CPUs, .*: 20.000* s (50 %)$" &&
		status 3 report --fail='oversubscription>19s' run
}
ok "it comes first, and is a limit" comes_first
cpu_times 4.8 4.8 4.8 4.8
sed -i 's/<Utilization\/>/<Utilization\/><Cpu\/>/' run.proj
ok "CPU times tell it exactly" finds "oversubscription 1 20.8 0,1,2,3 -"
utilization 60 0
ok "ranks that sleep have CPUs enough" finds
busy_ranks 2
utilization 99 0
external "<Utilization\/>"
ok "as many ranks as CPUs" finds
cpu_times 6 7
sed -i 's/<Utilization\/>/<Utilization\/><Cpu\/>/' run.proj
ok "other programs on the same CPUs" finds "steal 1 6.8 0,1 -"
cpu_times 9.8 9.8
ok "all CPUs for the ranks" finds
cpu_times 7.9 7.9
utilization 99 20
ok "stolen time is part of busy time" finds "steal 1 4 0,1 -"
utilization 99 5.5
ok "stolen time or time of other programs, the larger one" finds "steal 1 4 0,1 -"
cpu_times 9.4 9.4
utilization 99 20
ok "no more than the ranks lacked" finds "steal 1 1.2 0,1 -"
rm run_h_1_Cpu.stat
cpu_times 7.9
ok "all time of a rank that does not tell its CPU time" finds "steal 1 4 0,1 -"
# Each rank waits 1 s for the other one: without these waits the run takes less time. They are
# active for 9 s and 8 s, of 18 s of CPUs.
make_run <<'END'
for late in 0, 1:
    ranks.append([("Barrier", 20 + 10 * late, 30, ""), ("Work", 30, 90, ""),
                  ("Barrier", 100 - 10 * late, 100, ""), ("Work", 100, 110, "")])
END
utilization 99 0
external "<Utilization\/><Cpu\/>"
cpu_times 3 3
# The kinds that come before others: FIRST SECOND
comes_before() {
	status 0 report --format=json run && python3 - "$@" <<-'END'
	import json, sys
	kinds = [f["kind"] for f in json.load(open("out"))["findings"]]
	print(kinds)
	assert kinds[0] == sys.argv[1] and sys.argv[2] in kinds, sys.argv
	END
}
ok "other programs: all that ranks lacked" finds "steal 1 11 0,1 -"
ok "other programs come before waits that save time" comes_before steal wait-at-barrier
cpu_times 7.9 7.9
ok "ranks lacked 1.1 s and 0.1 s" finds "steal 1 1.2 0,1 -"
ok "they come after 2 s of waits" comes_before wait-at-barrier steal
cpu_times 7 7
ok "ranks lacked 2 s and 1 s" finds "steal 1 3 0,1 -"
ok "they come before 2 s of waits" comes_before steal wait-at-barrier
utilization 99 0 4
cpu_times 9 8
ok "ranks with own CPUs on a busy host" finds
cpu_times 7.9 7.9
ok "less than 5 % of four CPUs" finds
utilization 99 0 3
cpu_times 7.5 7.5
ok "CPU time that ranks lacked, of three CPUs" finds "steal 1 2 0,1 -"

# A process with two threads on two CPUs, 10 s each: its CPU time is that of the threads.
make_run <<'END'
ranks.append([[("Work", 10, 110, "")], [("Work", 10, 110, "")]])
END
utilization 99 0
external "<Utilization\/><Cpu\/>"
cpu_time 0 12
cpu_time 0_0 7
cpu_time 0_1 5
ok "CPU times of threads count once" finds "steal 1 7.8 0,0 -"
cpu_time 0 13
cpu_time 0_0 9.8
cpu_time 0_1 3.2
ok "CPU time that threads lacked" finds "steal 1 6.8 0,0 -"
rm run_h_0_[01]_Cpu.stat
ok "threads that tell nothing lack nothing" finds
busy_ranks 2
external "<Utilization\/>"
rm -f run_h_*_Cpu.stat
sed -i 's/<Cpu\/>//' run.proj
utilization 50 20
ok "other virtual machines on the same CPUs" finds "steal 1 4 0,1 -"

make_run <<'END'
ranks.append([("Test", 10 + i / 100, 10 + (i + 0.5) / 100, "") for i in range(2000)] +
             [("Barrier", 100, 110, "")])
ranks.append([("Test", 10 + i / 100, 10 + (i + 0.5) / 100, "") for i in range(10)] +
             [("Barrier", 100, 110, "")])
END
ok "polling" finds "polling 2010 1.005 - -"

# A thousand messages of 8 bytes: the sender takes 1 ms of each, the receiver 2 ms after the
# send began.
small() {
	make_run <<-END
	one, other = [], []
	for i in range($1):
	    time = 10 + i / 10
	    one.append(("Send", time, time + 0.01, "toRank='1' toTag='1'"))
	    other.append(("Recv", time, time + 0.02, "fromRank='0' fromTag='1'"))
	ranks += [one, other]
	END
}
small 1000
ok "small messages" finds "small-messages 1000 3 1,0 -"
small 999
ok "few small messages" finds
small 1000
sed -i "s/<Send \(.*\)\/>/<Sendrecv \1 fromRank='-2' fromTag='1'\/>/" run_h_0.trc
ok "MPI_Sendrecv that receives from no rank is a send" \
	finds "small-messages 1000 3 1,0 -"
# Each takes 2 ms, of which none is a wait.
make_run <<-'END'
for rank in range(2):
    ranks.append([("Sendrecv", 10 + i / 10, 10.02 + i / 10, f"toRank='{1 - rank}' toTag='1' "
                   f"fromRank='{1 - rank}' fromTag='1'") for i in range(1000)])
END
ok "MPI_Sendrecv counts once" finds "small-messages 2000 4 0,1 -"

one_writes() {
	make_run <<-END
	ranks.append([("Barrier", 10, 11, ""), ("File_write", 20, 60, "fid='0'"),
	              ("Barrier", 60, 61, "")])
	ranks.append([("Barrier", 10, 11, ""), ("File_write", 20, 2$1, "fid='0'"),
	              ("Barrier", 60, 61, "")])
	END
}
one_writes 1
ok "one rank writes for all" finds "io-one-rank 1 4 - 0"
one_writes 9
ok "all ranks write" finds

# A thousand sums of one element: 2 ms of each rank, after the last one came and until the
# first one left.
sums() {
	make_run <<-END
	one, other = [], []
	for i in range($1):
	    time = 10 + i / 10
	    one.append(("Allreduce", time, time + 0.03, ""))
	    other.append(("Allreduce", time + 0.01, time + 0.04, ""))
	ranks += [one, other]
	END
}
sums 1000
ok "sums of one element" finds "tiny-collectives 1000 4 0,1 -"
sums 999
ok "few sums of one element" finds
sums 1000
sed -i "s/size='8'/size='800'/" run_*.trc
ok "sums of many elements" finds
sums 1000
sed -i "s/Allreduce/Barrier/" run_*.trc
ok "barriers move no element" finds

# A thousand accesses of 5 ms in each of two ranks: NAME SIZE OFFSET
accesses() {
	make_run <<-END
	for rank in range(2):
	    ranks.append([("$1", 10 + i / 10, 10 + (i + 0.5) / 10, "fid='0' offset='$3'")
	                  for i in range(1000)])
	END
	sed -i "s/size='8'/size='$2'/" run_*.trc
}
accesses File_write_at 8 4096
ok "small accesses" finds "io-small 2000 10 0,1 -"
accesses File_read 100000 5
ok "accesses that are not at the start of a page" finds "io-small 2000 10 0,1 -"
accesses File_write_at 65536 8192
ok "large aligned accesses" finds
accesses File_write_all 8 5
ok "small collective accesses" finds

# A file that two ranks open so often; rank 0 waits 0.1 s for the other one each time.
openings() {
	make_run <<-END
	ranks += [[], []]
	for i in range($1):
	    time = 10 + 10 * i
	    name = "$2" or i
	    for rank in range(2):
	        ranks[rank].append(("File_open", time + rank, time + 3,
	                            f"fid='{i}' name='{name}'"))
	        ranks[rank].append(("File_close", time + 3, time + 4, f"fid='{i}'"))
	END
}
openings 11 data
ok "a file that is opened again and again" finds "io-reopen 20 6 0,1 -"
openings 10 data
ok "a file that is opened less often" finds
openings 11
ok "many files" finds

# Ranks 0 and 1, and 2 and 3, exchange 1000 bytes; rank 3 and 0 100 bytes.
pairs() {
	make_run <<-END
	hosts += list("$1")
	ranks += [[], [], [], []]
	for i in range(10):
	    for one, other, size in ((0, 1, 1000), (2, 3, 1000), (3, 0, 100)):
	        time = 10 + 10 * i + one
	        ranks[one].append(("Send", time, time + 0.5,
	                           f"toRank='{other}' toTag='1'"))
	        ranks[other].append(("Recv", time, time + 1,
	                             f"fromRank='{one}' fromTag='1'"))
	END
	for rank in 0 1 2 3; do
		sed -i "/^<Send.*toRank='[13]'/s/size='8'/size='1000'/;
			/^<Send.*toRank='0'/s/size='8'/size='100'/" run_?_"$rank".trc
	done
}
# Received between hosts: 2 s; of 20000 and 1000 bytes only the last ones would be.
pairs abab
ok "cyclic placement where pairs exchange bytes" finds "placement 3 2.85714 - -"
advised() {
	status 0 report --all run && grep -q -- "--map-by slot" out
}
ok "the better placement is named" advised
pairs aabb
ok "placement by pairs" finds
done_testing
