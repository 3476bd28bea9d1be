#!/bin/sh
# Commands that take longer than a second show their progress on a terminal, and
# only there.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain slow
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers have to be loaded first"
command -v python3 >/dev/null || skip_all "no python3"
build=${abs_top_builddir:?}
cd "$scratch" || exit 99
"$build/tests/bench/make-project" --nodes=2 --ranks=2 --records=40000 \
	--values=40000 run || exit 99
mkdir there && "$build/tests/bench/make-project" --nodes=1 --ranks=1 \
	--records=4000 --values=4000 there/other || exit 99
"$build/hdpredict" generate cholesky --tiles 20 -o graph.xml &&
	"$build/hdpredict" generate cholesky --tiles 4 -o small.xml || exit 99

# Where time flies: HOW STATUS PROGRAM ARGUMENT...
bar() {
	how=$1 status=$2 program=$3
	shift 3
	python3 "$abs_top_srcdir/tests/system/progress.py" "$how" "$status" \
		env "LD_PRELOAD=$build/tests/system/later.so" \
		"$build/$program" "$@" >stdout
}

# The same on a terminal: PROGRAM ARGUMENT...
shown() {
	ok "$*" bar shown 0 "$@"
}

for command in info dump stat report check; do
	shown hdtrace $command run
done
shown hdtrace stat --regions='*' run
shown hdtrace stat --shares run
shown hdtrace compare run run
if "$build/hdtrace" report --html page.html run 2>&1 |
	grep -q 'without the viewer'; then
	skip "hdtrace report --html" "built without the viewer"
else
	shown hdtrace report -f --html page.html run
fi
for format in csv ctf json openmetrics otlp paraver perfetto; do
	shown hdtrace export --to $format -o exported-$format run
done
shown hdtrace plot -o run.svg run
shown hdtrace plot -o both.svg run there/other.proj
shown hdtrace recover -o recovered run
shown hdtrace merge --force --time-adjust node001=0.25 run
shown hdtrace merge other there
shown hdtrace merge --into joined run
shown hdpredict validate graph.xml
shown hdpredict convert -o graph.bin graph.xml
shown hdpredict simulate --platform thesis --resources thesis --map eft \
	graph.xml
shown hdpredict simulate --platform thesis --resources thesis --map eft \
	--mc 4000 small.xml
measured() {
	python3 "$abs_top_srcdir/tests/system/progress.py" shown 0 \
		"$build/hdpredict" measure --alone --pes=1 --batches=1 \
		--batch=0.1 --pause=1.5 -o measured tiny.xml >stdout
}
"$build/hdpredict" generate cholesky --tiles 1 --tile-size 8 -o tiny.xml
ok "hdpredict measure shows progress" measured
ok "no progress is printed into a pipe" bar pipe 0 hdtrace stat run
ok "no progress is printed on a terminal without cursor movement" bar dumb 0 hdtrace stat run
quick() {
	python3 "$abs_top_srcdir/tests/system/progress.py" hidden 0 \
		"$build/hdtrace" info run >stdout
}
ok "no progress is printed for short operations" quick
recorded() {
	python3 "$abs_top_srcdir/tests/system/progress.py" shown 0 \
		"$build/rut" -d 3 -p recorded >stdout
}
ok "a recording with a duration shows progress" recorded
done_testing
