#!/bin/sh
# Chapter 6.1 of the thesis, with our own load: three calibrations and eleven levels of
# 240 s, as SPECpower has them, and the table of hdtrace loads. Errors must be below 1
# point. HDTRACE_LEVEL_TIME is another length.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
build=${abs_top_builddir:?}
cd "$scratch" || exit 99
time=${HDTRACE_LEVEL_TIME:-240s}
host=$(uname -n | tr -c 'A-Za-z0-9.\n' -)

printf '[General]\ndevice=sim\ncycle=200\n[Trace]\ntype=HDSTATS\nnode=%s\ninput=1\nvalues=P\n' \
	"$host" >pt.cfg

staircase() {
	"$build/hdload" --staircase=cpu-int --level-time="$time" -c pt.cfg -p thesis
}

# The thesis: errors up to 4.09 points, 1.45 on average.
table() {
	"$hdtrace" loads thesis | sed 's/^/# /'
	"$hdtrace" loads --format=json --picture=load.svg thesis >loads.json || return 1
	python3 - <<'END'
import json
levels = json.load(open("loads.json"))["levels"]
errors = [abs(level["error_points"]) for level in levels]
print("largest error", max(errors), "mean", sum(errors) / len(errors))
assert len(levels) == 11 and max(errors) < 1
END
}

ok "all levels are reached" staircase
ok "errors of the table are below 1 point" table
done_testing
