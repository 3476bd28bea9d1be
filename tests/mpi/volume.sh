#!/bin/sh
# Bytes and message sizes of messages, one-sided calls, files and neighborhood
# collectives are those of a table that was worked out by hand, in hdtrace stat --volume
# and in OTF2.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"

compiles() {
	"$compiler" -g -o moves "$abs_top_srcdir/tests/mpi/moves.c"
}

runs() {
	launch "$library" 3 "${abs_top_builddir:?}/hdmpirun" --call-sites \
		-p p ./moves "$PWD/file" &&
		"$hdtrace" check p
}

# Of each function: direction, messages, bytes, least, median, most, and bins.
table() {
	cat <<'END'
Accumulate,sent,3,12,4,4,4,4:3
Fetch_and_op,received,3,12,4,4,4,4:3
Fetch_and_op,sent,3,12,4,4,4,4:3
File_iread_at,read,3,12,4,4,4,4:3
File_read_at_all_end,read,3,36,12,12,12,8:3
File_write_at,written,3,24,4,8,12,4:1 8:2
File_write_at_all,written,3,24,8,8,8,8:3
Get,received,3,36,12,12,12,8:3
Ineighbor_allgather,received,3,16,4,4,8,4:2 8:1
Ineighbor_allgather,sent,3,12,4,4,4,4:3
Ineighbor_alltoall,received,3,24,8,8,8,8:3
Ineighbor_alltoall,sent,3,24,8,8,8,8:3
Isend,sent,3,192,64,64,64,64:3
Neighbor_allgather,received,3,48,16,16,16,16:3
Neighbor_allgather,sent,3,24,8,8,8,8:3
Neighbor_alltoall,received,3,72,24,24,24,16:3
Neighbor_alltoall,sent,3,72,24,24,24,16:3
Neighbor_alltoallv,received,3,24,4,8,12,4:1 8:2
Neighbor_alltoallv,sent,3,24,4,8,12,4:1 8:2
Neighbor_alltoallw,received,3,24,4,8,12,4:1 8:2
Neighbor_alltoallw,sent,3,24,4,8,12,4:1 8:2
Put,sent,3,24,8,8,8,8:3
Recv,received,11,1054,0,8,1000,0:1 1:1 2:2 8:6 512:1
Rput,sent,3,60,20,20,20,16:3
Send,sent,5,1006,0,2,1000,0:1 1:1 2:2 512:1
Start,sent,6,48,8,8,8,8:6
Waitall,received,3,192,64,64,64,64:3
END
}

stat_csv() {
	"$hdtrace" stat --volume --format=csv p >csv && cat csv &&
		head -n 1 csv | tr ',' '\n' | grep -n . >names
}

# Columns of rows of a kind: KIND NAME...
columns_of() {
	python3 - "$@" <<'END'
import csv, sys
rows = csv.DictReader(open("csv", encoding="utf-8"))
print("\n".join(sorted(",".join(row[name] for name in sys.argv[2:])
                       for row in rows if row["by"] == sys.argv[1])))
END
}

by_function() {
	columns_of function region direction count sum_bytes min_bytes median_bytes \
		max_bytes histogram >found
	cat found
	table | LC_ALL=C sort | diff - found
}

# The first rank sends 5 messages, and as the others 1 and twice 1 in a ring; Put,
# Accumulate and Rput (to the first rank), and the answers.
by_peer() {
	columns_of peer rank peer direction count sum_bytes >found
	cat found
	diff - found <<'END'
0,0,received,1,4
0,0,sent,2,24
0,1,received,1,12
0,1,sent,10,1098
0,2,received,3,80
1,0,received,9,1090
1,0,sent,2,24
1,2,received,1,12
1,2,sent,5,92
2,0,received,2,16
2,0,sent,7,116
2,1,received,3,80
END
}

by_communicator() {
	columns_of communicator communicator direction >found
	cat found
	[ "$(grep -c '^WORLD,' found)" -eq 4 ] && [ "$(wc -l <found)" -eq 8 ]
}

by_site() {
	columns_of site site region sum_bytes | grep 'moves\.c:.*,Isend,192$'
}

json() {
	"$hdtrace" stat --volume --format=json p >json && python3 - <<'END'
import json
rows = json.load(open("json", encoding="utf-8"))["rows"]
send = [r for r in rows if r["by"] == "function" and r["region"] == "Send"]
assert len(send) == 1, send
assert send[0]["median_bytes"] == 2 and send[0]["sum_bytes"] == 1006
assert send[0]["histogram"] == [
    {"from_bytes": 0, "count": 1}, {"from_bytes": 1, "count": 1},
    {"from_bytes": 2, "count": 2}, {"from_bytes": 512, "count": 1}]
END
}

text() {
	"$hdtrace" stat --volume p >text && cat text &&
		grep -q '^Pairs of ranks$' text && grep -q '^Call sites$' text &&
		grep -q 'Send .* sent ' text
}

# Of a trace that does not have all calls, this is said.
interrupted() {
	sed -i "0,/<Put /s//<Put part='1' /" p_*_0_0.trc
	"$hdtrace" stat --volume p 2>&1 >text | tee said &&
		grep -q '_0_0\.trc: note: recording was interrupted, .*\[trc\.part\]$' said &&
		[ "$(wc -l <said)" -eq 1 ]
}

# ---- OTF2 --------------------------------------------------------------------

exports() {
	rm -rf otf2
	"$hdtrace" export --to=otf2 -o otf2 p >said 2>&1
	status=$?
	cat said
	otf2-print otf2/traces.otf2 >events && otf2-print -G otf2/traces.otf2 >defs &&
		[ "$status" -eq 0 ]
}

# Sums of a field of events, by location: EVENT FIELD
sums() {
	sed -n "s/^$1  *\\([0-9]*\\) .*[ ,]$2: \\([0-9]*\\).*/\\1 \\2/p" events |
		awk '{ n[$1]++; sum[$1] += $2 } END { for (i in n) print i, n[i], sum[i] }' |
		sort
}

# EVENT FIELD COUNT SUM of each of the three ranks
is_alike() {
	sums "$1" "$2" >found
	printf '0 %s %s\n1 %s %s\n2 %s %s\n' "$3" "$4" "$3" "$4" "$3" "$4" | diff - found
}

one_sided() {
	grep '^RMA_' events | head -n 40
	is_alike RMA_PUT Bytes 2 28 && is_alike RMA_GET Bytes 1 12 &&
		is_alike RMA_ATOMIC Sent 2 8 &&
		is_alike RMA_ATOMIC Received 2 4 &&
		[ "$(grep -c '^RMA_WIN_CREATE' events)" -eq 3 ] &&
		[ "$(grep -c '^RMA_WIN_DESTROY' events)" -eq 3 ] &&
		[ "$(grep -c '^RMA_ACQUIRE_LOCK' events)" -eq 3 ] &&
		[ "$(grep -c '^RMA_RELEASE_LOCK' events)" -eq 3 ] &&
		[ "$(grep -c '^RMA_COLLECTIVE_END' events)" -eq 12 ] &&
		[ "$(grep -c '^RMA_WIN ' defs)" -eq 1 ]
}

# Every operation is complete: those that share a number at once.
operations_end() {
	python3 - <<'END'
import re
begun, ended = set(), set()
for line in open("events", encoding="utf-8"):
    kind = line.split(" ")[0]
    number = re.search(r"Matching: (\d+)", line)
    if kind in ("RMA_PUT", "RMA_GET", "RMA_ATOMIC"):
        begun.add((line.split()[1], number[1]))
    elif kind.startswith("RMA_OP_COMPLETE"):
        ended.add((line.split()[1], number[1]))
print(begun, ended)
assert begun and begun == ended
END
}

file_accesses() {
	grep '^IO_' events
	sums IO_OPERATION_COMPLETE 'Bytes Result' >found
	diff - found <<'END' || return 1
0 5 28
1 5 32
2 5 36
END
	[ "$(grep -c '^IO_CREATE_HANDLE' events)" -eq 3 ] &&
		[ "$(grep -c '^IO_DESTROY_HANDLE' events)" -eq 3 ] &&
		[ "$(grep -c '^IO_DELETE_FILE' events)" -eq 1 ] &&
		[ "$(grep -c '^IO_OPERATION_ISSUED' events)" -eq 6 ] &&
		[ "$(grep -c '^IO_HANDLE ' defs)" -eq 1 ] &&
		grep '^IO_REGULAR_FILE .*/file"' defs
}

neighbor_bytes() {
	grep -A 1 'ENTER.*Neighbor_alltoall"' events >found
	cat found
	[ "$(grep -c '"bytes sent" <[0-9]*>; INT64; 24' found)" -eq 3 ] &&
		[ "$(grep -c '"bytes received" <[0-9]*>; INT64; 24' found)" -eq 3 ] &&
		grep 'neighborhood collectives' said
}

command -v python3 >/dev/null || skip_all "there is no python3"
for library in $(built_libraries); do
	can_launch "$library" || {
		skip "$library" "mpiexec does not work here"
		continue
	}
	case $library in
	openmpi) compiler=$MPICC_OPENMPI ;;
	mpich) compiler=$MPICC_MPICH ;;
	esac
	if [ -z "$compiler" ]; then
		skip "$library" "there is no mpicc"
		continue
	fi
	mkdir "$scratch/$library" && cd "$scratch/$library" || exit 99
	ok "$library: the program compiles" compiles
	ok "$library: the program runs" runs
	ok "$library: volume is printed as CSV" stat_csv
	ok "$library: volume of functions agrees with a table by hand" by_function
	ok "$library: volume of pairs of ranks is correct" by_peer
	ok "$library: volume of communicators is printed" by_communicator
	ok "$library: JSON has median and histogram" json
	ok "$library: volume is printed as text" text
	if "$hdtrace" report --all p | grep -q 'moves\.c:'; then
		ok "$library: volume of call sites is printed" by_site
	else
		skip "$library: volume of call sites is printed" "there is no libdw"
	fi
	cp p_*_0_0.trc whole
	ok "$library: volume of interrupted recordings is reported" interrupted
	cp whole p_*_0_0.trc
	if "$hdtrace" export --to=otf2 -o none p 2>&1 | grep -q "built without"; then
		skip "$library: OTF2" "hdtrace was built without OTF2"
		continue
	fi
	command -v otf2-print >/dev/null || {
		skip "$library: OTF2" "there is no otf2-print"
		continue
	}
	ok "$library: OTF2 is written" exports
	ok "$library: OTF2 has one-sided calls" one_sided
	ok "$library: one-sided operations in OTF2 complete" operations_end
	ok "$library: OTF2 has file accesses" file_accesses
	ok "$library: OTF2 has bytes of neighborhood collectives" neighbor_bytes
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
