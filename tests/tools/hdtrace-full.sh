#!/bin/sh
# A disk that is full, for one write or from one on, ends commands with a message and
# status 2, whichever write it is. HDTRACE_TEST_LONG tries each write of each command.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain slow
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
cd "$scratch" || exit 99
mkdir tmp
TMPDIR=$scratch/tmp
export TMPDIR
failing=${abs_top_builddir:?}/tests/tools/failing-write
"$abs_top_builddir/tests/bench/make-project" --nodes=2 --ranks=2 \
	--records=40000 --values=40000 run >/dev/null || exit 99
"$failing" count 0 once true
[ $? -ne 77 ] || skip_all "the kernel does not notify of system calls"

# Which writes of so many fail: NUMBER
writes() {
	if [ -n "${HDTRACE_TEST_LONG-}" ]; then
		seq 1 "$1"
	else
		printf '%s\n' 1 2 $(($1 / 3)) $(($1 * 2 / 3)) $(($1 - 1)) "$1" | awk '$1 > 0 && !seen[$1]++'
	fi
}

# One write fails, or all from it on: FIRST once|on ARGUMENT...
fails() {
	rm -rf out*
	first=$1
	how=$2
	shift 2
	"$failing" count "$first" "$how" "$hdtrace" "$@" >printed 2>said
	found=$?
	# With threads, runs differ: it may have ended before.
	[ "$(cat count)" -ge "$first" ] || return 0
	if [ "$found" -ne 2 ]; then
		echo "status $found, write $first of $(cat count) $how: $*"
	elif ! grep -Eq 'No space left|Input/output error' said; then
		echo "no message, write $first of $(cat count) $how: $*"
	elif [ -n "$(ls tmp)" ] || ls out*.?????? >/dev/null 2>&1; then
		echo "files are left, write $first of $(cat count) $how: $*"
	else
		return 0
	fi
	tail -n 3 said
	return 1
}

# Each write in turn: STATUS-WITHOUT-ERRORS ARGUMENT...
survives() {
	status=$1
	shift
	rm -rf out*
	"$failing" count 0 once "$hdtrace" "$@" >printed 2>said
	[ $? -eq "$status" ] || { cat said; return 1; }
	total=$(cat count)
	echo "$total writes"
	[ "$total" -gt 0 ] || return 1
	for write in $(writes "$total"); do
		fails "$write" once "$@" || return 1
	done
	fails $((total / 2 + 1)) on "$@" && fails 1 on "$@"
}

for command in report 'report --format=json' 'report --html=out.html' check stat dump \
	'plot -o out.svg' 'pack -o out.hdz' 'recover -o out' \
	'cut --ranks=0 -o out.cut' 'pack --ranks=0 --from=0.001 -o out.hdz'; do
	# shellcheck disable=SC2086 # options
	ok "$command survives a full disk" survives 0 $command run
done
ok "compare survives a full disk" survives 0 compare run run
if "$hdtrace" pack -q -o packed.hdz run 2>/dev/null; then
	ok "unpack survives a full disk" survives 0 unpack -o out packed.hdz
else
	skip "unpack survives a full disk" "zstd is missing"
fi
cp run.proj other.proj
for file in run_*; do cp "$file" "other${file#run}"; done
ok "merge survives a full disk" survives 1 merge --into out run other
for format in arrow openmetrics paraver ctf perfetto csv-wide csv otlp; do
	ok "export to $format survives a full disk" survives 0 export --to="$format" -o "out.$format" run
done
if "$hdtrace" export --to=otf2 -o probe run >/dev/null 2>&1; then
	ok "export to otf2 survives a full disk" survives 0 export --to=otf2 -o out.otf2 run
else
	skip "export to otf2 survives a full disk" "built without OTF2"
fi
says_once() {
	"$failing" count 1 on "$hdtrace" report run 2>said >printed
	cat said
	[ "$(grep -c 'temporary file' said)" -eq 1 ]
}
ok "the full disk is reported once" says_once
done_testing
