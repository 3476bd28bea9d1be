#!/bin/sh
# Integers that say "no value": no command takes them for numbers.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
command -v python3 >/dev/null || skip_all "no python3"
cd "$scratch" || exit 99

# Entries of a second: a frequency and bytes, of which the second entry has none.
# MISSING: an attribute of the group.
none=8000000000000000
entries() {
	stat_header a Utilization 'name="CPU_FREQ_0" type="INT64" unit="Hz" kind="gauge"' \
		'name="NET_IN" type="INT64" unit="B" kind="delta"' |
		sed "s/<Group /<Group $1 /" >made
	# The length of the header has changed.
	{
		tail -n +2 made >rest
		printf '%05d\n' "$(wc -c <rest)"
		cat rest
	}
	stamp 1000000000
	second=0
	for pair in 0000000077359400:0000000000000064 $none:$none \
		00000000ee6b2800:000000000000012c; do
		second=$((second + 1))
		stamp $((1000000000 + second))
		hex "${pair%:*}" "${pair#*:}"
	done
}
entries 'missing="-9223372036854775808"' >a_a_Utilization.stat
status 0 dump --only=stats --value CPU_FREQ_0 a_a_Utilization.stat >/dev/null
shows_nan() { awk '/^  [0-9]/ { print $3 }' out | tr '\n' ' ' | grep -qx '2000000000 NaN 4000000000 '; }
ok "dump shows NaN" shows_nan
# JSON: counts, means and totals, by hand: 2 and 4 GHz in two of three seconds.
found() {
	status 0 "$1" -q --format=json a_a_Utilization.stat || return 1
	python3 - "$scratch/out" "$1" <<'END'
import json, sys
document = json.load(open(sys.argv[1]))
if sys.argv[2] == "dump":
    values = [entry["values"] for group in document["groups"]
              for entry in group["entries"]]
    print(values)
    sys.exit(values != [[2000000000, 100], [None, None], [4000000000, 300]])
rows = document["rows"] if sys.argv[2] == "stat" else document["groups"][0]["values"]
frequency, traffic = rows[:2]
print(frequency, traffic)
sys.exit([frequency["count"], frequency["nan"], frequency["mean"],
          frequency["min"], frequency["max"], traffic["nan"],
          traffic["sum" if "sum" in traffic else "total"]] !=
         [2, 1, 3000000000, 2000000000, 4000000000, 1, 400])
END
}
ok "dump has null for missing integers as JSON" found dump
ok "stat omits missing integers" found stat
ok "report omits missing integers" found report
status 0 export --to=csv-wide -o csv a_a_Utilization.stat >/dev/null
cat csv/*.csv csv* 2>/dev/null >out
ok "csv-wide has empty fields" grep -q ',0,,$' out
status 0 export --to=openmetrics -o metrics a_a_Utilization.stat >/dev/null
has_two() {
	cat metrics
	[ "$(grep -c '^hdtrace_.*cpu_freq.*} ' metrics)" -eq 2 ]
}
ok "OpenMetrics omits missing integers" has_two
status 0 export --to=paraver -o paraver a_a_Utilization.stat >/dev/null
paraver_leaves_out() {
	find . -name '*.prv' | grep . || return 1
	find . -name '*.prv' -exec cat {} + >records
	grep -q ':2000000000' records && grep -q ':4000000000' records &&
		! grep -q 9223372036854775808 records
}
ok "Paraver omits missing integers" paraver_leaves_out
if command -v babeltrace2 >/dev/null; then
	status 0 export --to=ctf -o ctf a_a_Utilization.stat >/dev/null
	ctf_leaves_out() {
		babeltrace2 ctf >decoded || return 1
		cat decoded
		[ "$(grep -c 'CPU_FREQ_0 = { [24]000000000 }' decoded)" -eq 2 ] &&
			[ "$(grep -c 'CPU_FREQ_0 = { { } }' decoded)" -eq 1 ]
	}
	ok "CTF omits missing integers" ctf_leaves_out
else
	skip "CTF omits missing integers" "no babeltrace2"
fi
if command -v otf2-print >/dev/null &&
	status 0 export --to=otf2 -o otf2 a_a_Utilization.stat >/dev/null; then
	otf2_leaves_out() {
		otf2-print otf2/traces.otf2 >decoded || return 1
		grep METRIC decoded
		[ "$(grep -c '"CPU_FREQ_0" <0>; INT64; [24]000000000' decoded)" -eq 2 ] &&
			[ "$(grep -c '^METRIC ' decoded)" -eq 4 ]
	}
	ok "OTF2 omits missing integers" otf2_leaves_out
	ok "OTF2 export reports missing integers" grep -q 'missing values.* (2)' err
else
	skip "OTF2 omits missing integers" "no OTF2"
fi
status 0 stat --window=1.5 --format=csv a_a_Utilization.stat >/dev/null
ok "windows omit missing integers" sh -c '! grep -q 9223372036854775808 out'

entries '' >a_a_Utilization.stat
status 0 dump --only=stats --value CPU_FREQ_0 a_a_Utilization.stat >/dev/null
ok "all integers are values without the attribute" \
	grep -q -- ' -9223372036854775808' out
entries 'missing="none"' >a_a_Utilization.stat
status 0 dump --only=stats --value CPU_FREQ_0 a_a_Utilization.stat >/dev/null
ok "all integers are values if the attribute is not a number" \
	grep -q -- ' -9223372036854775808' out
done_testing
