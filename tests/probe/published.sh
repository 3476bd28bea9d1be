#!/bin/sh
# Of the tables that were published of K-means and motion JPEG, hdprobe finds what was
# said of them there: the first has tasks that are too small, the other has none.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
hdprobe=${abs_top_builddir:?}/hdprobe
published=$abs_top_builddir/tests/probe/published
command -v python3 >/dev/null || skip_all "there is no python3"
cd "$scratch" || exit 99

# What hdprobe says of a table: TABLE PYTHON, which has the JSON in d, and its probes
# by name in p.
says() {
	mkfifo "in-$1" "out-$1"
	"$published" "$1" <"in-$1" >"out-$1" &
	child=$!
	exec 3>"in-$1" 4<"out-$1"
	read -r pid <&4
	"$hdprobe" --format=json "$pid" >json
	status=$?
	exec 3>&- 4<&-
	wait "$child" || return 1
	cat json
	[ "$status" -eq 0 ] && python3 -c '
import json
d = json.load(open("json"))
p = {x["name"]: x for x in d["probes"]}
def near(a, b): return abs(a - b) <= 1e-6 * abs(b)
'"$2"
}

# By hand: 4.07 x 0.95 / (0.05 x 6.95) = 11.13, so 12 at once; dispatch has 4.07 /
# 11.02 = 36.9 %, then 4.07 / (4.07 + 12 x 6.95) = 4.65 %; 2024251 x 4.07 us x 11/12
# are 7.552 s. Sums are those of the table: 8.24 s and 14.07 s.
kmeans() {
	says kmeans '
assert [x["name"] for x in d["advice"]] == ["assign"]
a = d["advice"][0]
assert a["batch"] == 12 and not a["limited"]
assert abs(a["share"] - 0.3693) < 1e-4 and abs(a["share_then"] - 0.0465) < 1e-4
assert abs(a["saved_s"] - 7.552) < 1e-3
assert p["assign"]["instances"] == 2024251
assert near(p["assign"]["dispatch_s"], 2024251 * 4.07e-6)
assert near(p["assign"]["body_s"], 2024251 * 6.95e-6)
assert near(p["refine"]["mean_s"], 92.91e-6) and p["print"]["instances"] == 11
'
}

mjpeg() {
	says mjpeg '
assert d["advice"] == []
assert p["yDCT"]["instances"] == 80784 and near(p["yDCT"]["mean_s"], 170.30e-6)
assert abs(sum(x["dispatch_s"] for x in p.values()) - 0.377) < 0.001
assert abs(sum(x["body_s"] for x in p.values()) - 20.834) < 0.01
'
}

ok "K-means: only assign gets advice" kmeans
ok "Motion JPEG: no kernel gets advice" mjpeg
done_testing
