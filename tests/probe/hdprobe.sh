#!/bin/sh
# hdprobe shows what a running process has counted: its numbers are those of the
# process, add up, begin at zero after a reset, and only its user may look.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: smoke
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
hdprobe=${abs_top_builddir:?}/hdprobe
probed=$abs_top_builddir/tests/probe/probed
command -v python3 >/dev/null || skip_all "there is no python3"
cd "$scratch" || exit 99

# The process prints its pid, has counted, and goes on when it is told: it reads
# a line, counts as before, and prints one.
mkfifo orders said
"$probed" <orders >said 2>probed.err &
child=$!
exec 3>orders 4<said
trap 'exec 3>&- 4<&-; wait $child; rm -rf "$scratch"' EXIT
read -r pid <&4

# Run Python with the JSON of the process in d, its probes by name in p.
says() {
	"$hdprobe" --format=json "$pid" >json || return 1
	cat json
	python3 -c '
import json, math, sys
d = json.load(open("json"))
p = {x["name"]: x for x in d["probes"]}
def near(a, b): return abs(a - b) <= 1e-9 * abs(b)
'"$1"
}

keys() {
	says '
assert d["schema"] == "hdprobe" and d["version"] == 2
assert d["pid"] == '"$pid"' and d["complete"]
for x in d["probes"]:
    for key in "name instances dispatch_s body_s mean_s min_s max_s p50_s p99_s per_thread".split():
        assert key in x, key
'
}

# The clock of the process is made, so that times are known: tests/probe/probed.c.
numbers() {
	says '
a = p["assign"]
assert a["instances"] == 4000 * '"$1"'
assert near(a["dispatch_s"], 4000 * '"$1"' * 4e-6)
assert near(a["body_s"], 4000 * '"$1"' * 7e-6)
assert near(a["mean_s"], 7e-6) and near(a["min_s"], 7e-6)
assert near(a["p50_s"], 7e-6) and near(a["p99_s"], 7e-6)
assert a["variance_s2"] == 0
assert p["DCT"]["instances"] == 100 * '"$1"'
assert p["total"]["dispatch_s"] is None
assert d["transfers"] == [{"from": "assign", "to": "refine", "instances": 100 * '"$1"', "bytes": 409600 * '"$1"'}]
assert d["counters"] == [{"name": "points", "instances": 100 * '"$1"', "sum": 4200 * '"$1"'}]
'
}

adds_up() {
	says '
for x in d["probes"]:
    assert sum(t["instances"] for t in x["per_thread"]) == x["instances"]
    assert near(sum(t["body_s"] for t in x["per_thread"]), x["body_s"])
assert sum(t["threads"] for t in p["assign"]["per_thread"]) >= 4
'
}

# By hand: 4 us of 11 us are 36.4 %; 4 x 0.95 / (0.05 x 7) = 10.86, so 11 at once:
# 4 / (4 + 77) = 4.9 %; 4000 x 4 us x 10/11 = 14.5 ms.
advice() {
	says '
assert [x["name"] for x in d["advice"]] == ["assign"]
a = d["advice"][0]
assert a["batch"] == 11 and not a["limited"]
assert near(a["share"], 4 / 11) and near(a["share_then"], 4 / 81)
assert near(a["saved_s"], 4000 * 4e-6 * 10 / 11)
' && "$hdprobe" --advice "$pid" >out && cat out &&
		grep -q '^assign: dispatch 11 instances at once' out &&
		! grep -q '^DCT: dispatch' out &&
		grep -qF '4.00 / (4.00 + 11 x 7.00) = 4.9 %' out &&
		"$hdprobe" --advice --share=50 "$pid" >out &&
		grep -q 'No kernel is dominated' out
}

table() {
	"$hdprobe" "$pid" >out && cat out &&
		grep -qE '^assign +4000 +4 +7 +0 ' out &&
		grep -qE '^DCT +100 +3 +170 ' out &&
		grep -qE '^assign -> refine +100 +409600 ' out &&
		! grep -q '  thread ' out &&
		"$hdprobe" --threads "$pid" >out && grep -q '^  thread ' out
}

csv() {
	"$hdprobe" --format=csv "$pid" >out && cat out && python3 -c '
import csv
rows = {r["name"] + r["to"]: r for r in csv.DictReader(open("out"))}
assert float(rows["assign"]["dispatch_s"]) - 0.016 < 1e-12
assert rows["points"]["amount"] == "4200" and rows["points"]["body_s"] == ""
'
}

graph() {
	"$hdprobe" --format=dot "$pid" >out && cat out &&
		grep -qF '"assign" -> "refine" [label="409600 B", weight=409600' out &&
		grep -qE '"assign" \[instances=4000, .*mean_s=.*variance=0' out &&
		grep -qF '"a \"quoted\" one"' out || return 1
	if command -v dot >/dev/null; then
		dot -Tplain out >/dev/null
	fi
}

# Vertices are kernels by name; edges are bytes, with the kernels that only receive.
metis() {
	"$hdprobe" --format=metis "$pid" >out && cat out && python3 -c '
lines = open("out").read().splitlines()
names = {l.split(" ", 2)[2]: int(l.split()[1]) for l in lines if l[0] == "%" and l.split()[1].isdigit()}
count, edges, form = [l for l in lines if l[0] != "%"][0].split()
rows = [[int(x) for x in l.split()] for l in lines if l[0] != "%"][1:]
assert int(count) == len(names) == len(rows) and form == "011"
ends = {(i + 1, r[k]): r[k + 1] for i, r in enumerate(rows) for k in range(1, len(r), 2)}
assert len(ends) == 2 * int(edges) and all(ends[b, a] == w for (a, b), w in ends.items())
assert ends[names["assign"], names["refine"]] == 409600
assert rows[names["assign"] - 1][0] > 0
assert "points" not in names and "a \"quoted\" one" in names
' || return 1
	if command -v gpmetis >/dev/null; then
		gpmetis out 2
	fi
}

# With a processor that is made: of each assign 1000 cycles, 2000 instructions and
# 4000 cache misses (tests/lib/fakeperf.h).
events() {
	HDPROBE_COUNTERS=usual "$probed" events <fifo >counted &
	other=$!
	exec 5>fifo
	until_done test -s counted || return 1
	pid=$other says '
a = p["assign"]
assert a["cycles"] == 4000 * 1000 and a["instructions"] == 4000 * 2000
assert a["cache_misses"] == 4000 * 4000 and a["branches"] is None
assert a["instructions_per_cycle"] == 2 and a["per_thread"][0]["instructions_per_cycle"] == 2
assert near(a["body_s"], 4000 * 7e-6) and near(a["dispatch_s"], 4000 * 4e-6)
assert p["total"]["instructions"] is not None
' && "$hdprobe" "$other" >out && cat out &&
		grep -qE '^Kernel.* Instructions +IPC +Cache misses' out &&
		grep -qE '^assign .* 2000 +2 +4000$' out &&
		"$hdprobe" --format=csv "$other" >out && python3 -c '
import csv
rows = {r["name"] + r["to"]: r for r in csv.DictReader(open("out"))}
assert float(rows["assign"]["instructions"]) == 8e6 and rows["assign"]["page_faults"] == ""
assert rows["points"]["instructions"] == ""
'
}

without_events() {
	"$hdprobe" "$pid" >out && ! grep -qE 'IPC|Instructions|misses' out &&
		says '
assert p["assign"]["instructions"] is None and p["assign"]["instructions_per_cycle"] is None
'
}

again() {
	echo go >&3 && read -r _ <&4
}

# What is read with a reset, and what comes then, are all.
resets() {
	"$hdprobe" --reset --format=json "$pid" >before || return 1
	grep -q '"instances": 8000' before && says '
assert p["assign"]["instances"] == 0 and p["assign"]["mean_s"] is None
assert d["advice"] == []
' && again && numbers 1
}

interval() {
	"$hdprobe" -i 0.05 -N 3 --format=csv "$pid" >out &&
		[ "$(grep -c '^name,' out)" -eq 3 ]
}

# A process of the same user, without probes; none; and nonsense.
refused() {
	exits 2 "$hdprobe" $$ && grep -q 'no probes; the process is not linked' err &&
		exits 2 "$hdprobe" 4194304 && grep -q 'no such process' err &&
		exits 2 "$hdprobe" 0 && exits 2 "$hdprobe" x &&
		exits 2 "$hdprobe" && grep -q 'missing argument: PID' err &&
		exits 2 "$hdprobe" --share=0 "$pid" &&
		exits 2 "$hdprobe" -i -1 "$pid" &&
		exits 2 "$hdprobe" --format=xml "$pid" && [ ! -s out ]
}

full() {
	"$hdprobe" "$pid" >/dev/full 2>err
	[ $? -eq 2 ] && grep -q 'cannot write' err
}

others() {
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$hdprobe" "$pid" >out 2>err
	[ $? -eq 2 ] && cat err && grep -q 'permission denied; the process belongs' err &&
		[ ! -s out ]
}

# A name that a spreadsheet takes for a formula.
formula() {
	mkfifo formula.in
	"$abs_top_builddir/tests/probe/hostile-page" 1 1 even - =1+1 <formula.in >made &
	exec 6>formula.in
	until_done test -s made || return 1
	made=$(ps -o pid= --ppid "$(cat made)" | tr -d ' ')
	"$hdprobe" --format=csv "$made" >plain && "$hdprobe" --csv-safe --format=csv "$made" >safe
	set -- $?
	exec 6>&-
	cat plain safe
	[ "$1" -eq 0 ] && grep -q '^=1+1,' plain && grep -q "^\"'=1+1\"," safe
}

# hdprobe that watches ends with the process.
ends() {
	"$hdprobe" -i 0.05 --format=csv "$pid" >out 2>err 3>&- 4<&- &
	watcher=$!
	until_done test -s out || return 1
	exec 3>&-
	wait "$child"
	wait "$watcher"
}

ok "JSON has the documented keys" keys
ok "numbers agree with the process" numbers 1
ok "running and ended threads add up" adds_up
ok "advice names assign but not the DCT" advice
ok "the table shows kernels and transfers" table
ok "CSV has a row for each probe" csv
ok "--csv-safe puts an apostrophe before a formula" formula
mkfifo fifo
ok "hdprobe shows events" events
exec 5>&-
[ -z "${other-}" ] || wait "$other"
ok "columns without values are hidden" without_events
ok "the graph has weights for a partitioner" graph
ok "the graph for METIS has the same weights" metis
ok "the process continues" again
ok "a second reading has higher counts" numbers 2
ok "a reset loses nothing" resets
ok "the output repeats at the interval" interval
ok "wrong arguments are errors" refused
ok "a full disk is an error" full
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null &&
	setpriv --reuid=65534 --regid=65534 --clear-groups "$hdprobe" --version \
		>/dev/null 2>&1; then
	ok "other users have no access" others
else
	skip "other users have no access" "this needs another user"
fi
ok "hdprobe ends with the process" ends
done_testing
