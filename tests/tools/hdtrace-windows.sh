#!/bin/sh
# Findings of waits for windows and in collective calls of files, worked by hand.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
command -v python3 >/dev/null || skip_all "no python3"
cd "$scratch" || exit 99

make_run() {
	rm -f run_* run.proj
	python3 "$abs_top_srcdir/tests/tools/readers/states.py"
}
# What is found: KIND PART_OF COUNT TIME WAITING CAUSING; and WAITING+IO SECONDS.
finds() {
	status 0 report --format=json run || return 1
	python3 - "$@" <<-'END'
	import json, sys
	report = json.load(open("out"))
	found = [" ".join([f["kind"], f["part_of"] or "-", str(f["count"]),
	                   f"{f['time_s']:g}",
	                   ",".join(map(str, f["waiting"])) or "-",
	                   ",".join(map(str, f["causing"])) or "-"])
	         for f in report["findings"] if f["kind"] not in ("imbalance", "io-one-rank")]
	account = report["account"]
	parts = sum(v for k, v in account.items() if k != "total_s")
	print(found, account)
	assert found == sys.argv[1:], sys.argv[1:]
	assert abs(parts - account["total_s"]) < 1e-9
	whole = sum(f["time_s"] for f in report["findings"]
	            if not f["part_of"] and f["kind"].startswith(
	                ("late", "early", "wait", "rma", "io-w")))
	assert abs(account["waiting_s"] - whole) < 1e-9
	END
}

# A window of all ranks, whose numbers differ: rank 0 has made another one by itself.
windows() {
	make_run <<-END
	ranks += [[("Win_create", 1, 2, f"wid='{rank or 7}'")] for rank in range(3)]
	def at(rank, name, start, end, attributes=""):
	    ranks[rank].append((name, start, end,
	                        f"wid='{rank or 7}' " + attributes))
	$1
	for rank in range(3):
	    at(rank, "Win_free", 900, 900)
	END
}

# From 10 to 40 and from 20 to 40; rank 1 put something into the window of rank 0 until 25,
# and into its own.
windows 'at(1, "Put", 15, 18, "toRank=\"1\"")
at(1, "Put", 19, 25, "toRank=\"0\"")
at(0, "Win_fence", 10, 41)
at(1, "Win_fence", 30, 41)
at(2, "Win_fence", 40, 41)'
ok "fence: until the last enter; and of that until the last access to the own window" \
	finds "wait-at-fence - 2 4 0,1 2" "early-fence wait-at-fence 1 1.5 0 1"
windows 'at(0, "Win_fence", 10, 12)
at(1, "Win_fence", 30, 41)
at(2, "Win_fence", 40, 41)'
ok "fence that one left before the last one came: nobody waits" finds
windows 'at(0, "Put", 5, 6, "toRank=\"1\"")
at(0, "Win_fence", 10, 20)
at(1, "Win_fence", 10, 20)
at(2, "Win_fence", 10, 20)
at(0, "Put", 21, 22, "toRank=\"1\"")
at(0, "Win_fence", 40, 41)
at(1, "Win_fence", 20, 41)
at(2, "Win_fence", 40, 41)'
ok "fence: accesses before another fence do not count" \
	finds "wait-at-fence - 1 2 1 0" "early-fence wait-at-fence 1 0.2 1 0"
windows 'at(0, "Win_fence", 10, 41)
at(1, "Win_fence", 10, 41)'
ok "fence that one rank lacks: nobody knows" finds

# The origin waits from 10 to 30 for a window, and the target from 40 to 70 until the
# origin is ready, whose last access ended at 50.
windows 'at(0, "Win_start", 10, 31, "ranks=\"1\"")
at(0, "Put", 31, 50, "toRank=\"1\"")
at(0, "Win_complete", 70, 71)
at(1, "Win_post", 30, 31, "ranks=\"0\"")
at(1, "Win_wait", 40, 72)'
ok "post and start: late post, early wait, late complete" \
	finds "early-wait - 1 3 1 0" "late-post - 1 2 0 1" \
	"late-complete early-wait 1 2 1 0"
windows 'at(0, "Win_start", 10, 11, "ranks=\"1 2\"")
at(0, "Put", 12, 13, "toRank=\"1\"")
at(0, "Win_complete", 20, 61)
at(1, "Win_post", 60, 61, "ranks=\"0\"")
at(1, "Win_wait", 62, 63)
at(2, "Win_post", 30, 31, "ranks=\"0\"")
at(2, "Win_wait", 62, 63)'
ok "late post: of several targets the last one, in the call that waits" \
	finds "late-post - 2 4.1 0 1"
windows 'at(0, "Win_start", 10, 11, "ranks=\"2\"")
at(0, "Win_complete", 20, 21)
at(1, "Win_start", 10, 11, "ranks=\"2\"")
at(1, "Put", 12, 13, "toRank=\"2\"")
at(1, "Win_complete", 50, 51)
at(2, "Win_post", 5, 6, "ranks=\"0 1\"")
at(2, "Win_wait", 15, 52)'
ok "early wait: of several origins the last one" \
	finds "early-wait - 1 3.5 2 1" "late-complete early-wait 1 3.5 2 1"
windows 'at(0, "Win_start", 30, 31, "ranks=\"1\"")
at(0, "Win_complete", 40, 41)
at(1, "Win_post", 10, 11, "ranks=\"0\"")
at(1, "Win_wait", 50, 51)'
ok "post before start, and wait after complete: nobody waits" finds

# Rank 0 has the lock from 10 to 40; rank 1 wants it from 20 on, and rank 2 reads.
windows 'at(0, "Win_lock", 10, 11, "exclusive=\"1\" toRank=\"2\"")
at(0, "Win_unlock", 39, 40, "toRank=\"2\"")
at(1, "Win_lock", 20, 41, "exclusive=\"1\" toRank=\"2\"")
at(1, "Win_unlock", 60, 61, "toRank=\"2\"")'
ok "lock: until the rank that holds it leaves its unlock" finds "rma-lock - 1 2 1 0"
windows 'at(0, "Win_lock", 10, 11, "exclusive=\"1\" toRank=\"2\"")
for i in range(100): at(0, "Win_flush", 11, 11, "toRank=\"2\"")
at(0, "Win_unlock", 39, 40, "toRank=\"2\"")
at(1, "Win_lock", 20, 41, "exclusive=\"1\" toRank=\"2\"")
at(1, "Win_unlock", 60, 61, "toRank=\"2\"")'
ok "lock with many flushes: released by its unlock" finds "rma-lock - 1 2 1 0"
windows 'at(0, "Win_lock", 10, 11, "exclusive=\"1\" toRank=\"2\"")
at(0, "Win_unlock", 39, 40, "toRank=\"2\"")
at(1, "Win_lock", 20, 21, "exclusive=\"0\" toRank=\"2\"")
at(1, "Win_flush", 25, 41, "toRank=\"2\"")
at(1, "Win_unlock", 60, 61, "toRank=\"2\"")'
ok "lock that is taken later: in the calls that need it" finds "rma-lock - 2 1.6 1 0"
windows 'at(0, "Win_lock", 10, 11, "exclusive=\"0\" toRank=\"2\"")
at(0, "Win_unlock", 39, 40, "toRank=\"2\"")
at(1, "Win_lock", 20, 41, "exclusive=\"0\" toRank=\"2\"")
at(1, "Win_unlock", 60, 61, "toRank=\"2\"")
at(2, "Win_lock", 20, 41, "exclusive=\"1\" toRank=\"1\"")
at(2, "Win_unlock", 60, 61, "toRank=\"1\"")'
ok "shared locks, and locks of other targets: nobody waits" finds
windows 'at(0, "Win_lock", 10, 11, "exclusive=\"1\" toRank=\"2\"")
at(0, "Win_unlock", 19, 20, "toRank=\"2\"")
at(1, "Win_lock", 20, 41, "exclusive=\"1\" toRank=\"2\"")
at(1, "Win_unlock", 60, 61, "toRank=\"2\"")'
ok "lock after the other one: nobody waits" finds
# Rank 1 has a lock of all, but needs the one of rank 2 only: from 20 on.
windows 'at(0, "Win_lock", 10, 11, "exclusive=\"1\" toRank=\"2\"")
at(0, "Win_unlock", 39, 40, "toRank=\"2\"")
at(1, "Win_lock_all", 15, 16)
at(1, "Put", 20, 41, "toRank=\"2\"")
at(1, "Win_unlock_all", 60, 61)'
ok "lock of all: in the calls that may need the lock of the accessed rank" \
	finds "rma-lock - 2 2.1 1 0"
windows 'at(1, "Win_lock_all", 10, 11)
at(1, "Put", 12, 13, "toRank=\"2\"")
at(1, "Win_unlock_all", 39, 40)
at(0, "Win_lock", 20, 41, "exclusive=\"1\" toRank=\"2\"")
at(0, "Win_unlock", 60, 61, "toRank=\"2\"")
at(2, "Win_lock", 20, 41, "exclusive=\"1\" toRank=\"0\"")
at(2, "Win_unlock", 60, 61, "toRank=\"0\"")'
ok "lock of all: others wait for it if it was used for the same rank" \
	finds "rma-lock - 1 2 0 1"

files() {
	make_run <<-END
	ranks += [[("File_open", 1, 2, f"fid='{rank + 3}'")] for rank in range(3)]
	def at(rank, name, start, end):
	    ranks[rank].append((name, start, end, f"fid='{rank + 3}'"))
	$1
	END
}
files 'at(0, "File_write_all", 10, 45)
at(1, "File_write_all", 20, 45)
at(2, "File_write_all", 40, 45)'
ok "collective write: until the last enter" finds "io-wait - 2 5 0,1 2"
files 'at(0, "File_write_all", 10, 12)
at(1, "File_write_all", 20, 45)
at(2, "File_write_all", 40, 45)'
ok "collective write that one left early: nobody waits" finds
files 'at(0, "File_write", 10, 45)
at(1, "File_write", 20, 45)
at(2, "File_write", 40, 45)'
ok "writes that are not collective: nobody waits" finds

shifted() {
	mkdir shifts && (cd shifts && python3 "$abs_top_srcdir/tests/tools/readers/shifts.py" \
		"$hdtrace")
}
ok "clocks that are wrong by 5 ms change no kind of waits of 20 ms" shifted

done_testing
