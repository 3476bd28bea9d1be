#!/bin/sh
# The house: every line has a room, and everything is said once.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: text
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers are no matter of rooms"
cd "$abs_top_srcdir" || exit 99
components=$(sed -n 's/^component \([^:]*\):.*/\1/p' tests/rooms.list)

# Print where sources match: PATTERN [GREP-OPTION...], but for the files that a
# list of patterns names in $but. What is generated is not ours.
matches() {
	pattern=$1
	shift
	# A list of folders.
	# shellcheck disable=SC2086
	grep -rnE --include='*.[ch]' --exclude=viewerpage.c "$@" -- "$pattern" \
		$components | sort -u | grep -vE "^(${but:-nothing})[:/]"
	but=
}

# Nothing matches.
never() {
	matches "$@" >"$scratch/found"
	[ ! -s "$scratch/found" ] || { cat "$scratch/found"; return 1; }
}

# The folders with C sources.
folders() {
	# shellcheck disable=SC2086
	find $components -name '*.c' | sed 's|/[^/]*$||' | sort -u
}

at_most() {
	set -- "$1" "$2"/*.c
	[ $# -le $(($1 + 1)) ] || { shift; echo "$@"; return 1; }
}

no_heap() {
	folders | while read -r folder; do
		at_most 20 "$folder"
	done | grep . && return 1
	return 0
}

# headers that are made: config.h in the build tree, and tables of functions; and
# those of examples, which are installed as source.
qualified() {
	never '#[ 	]*include "[A-Za-z0-9_]+\.h"' | grep -v 'include "config\.h"' \
		>"$scratch/bare"
	grep -rnE --include='*.[ch]' '#[ 	]*include "[A-Za-z0-9_]+\.h"' tests doc |
		grep -v 'include "\(config\|kernels\|dispatcher\|jpeg\)\.h"' |
		grep -v '^doc/examples/relay/' >>"$scratch/bare"
	[ ! -s "$scratch/bare" ] || { cat "$scratch/bare"; return 1; }
}

# doc/dev/folders.md has a line for every folder of sources, and for no other.
mapped() {
	awk -v list=1 -f doc/folders.awk doc/dev/folders.md | sort >"$scratch/listed"
	{
		folders
		find HDTraceTools/viewer -name node_modules -prune -o \
			\( -name '*.js' -o -name '*.mjs' \) -print |
			sed 's|/[^/]*$||'
		echo doc
		echo tests
		for folder in ./*/include ./*/*/include; do
			[ ! -d "$folder" ] || echo "${folder#./}"
		done
	} | sort -u | comm -3 "$scratch/listed" - >"$scratch/unmapped"
	[ ! -s "$scratch/unmapped" ] || { cat "$scratch/unmapped"; return 1; }
}

# So it has for every target that measures or compares, and for no other.
measured() {
	grep -rhoE --include=Makemodule.am \
		'^(bench|soak|utilization|verify)(-[a-z-]+)?:' tests |
		tr -d : | sort -u >"$scratch/targets"
	grep -oE '\b(bench|soak|utilization|verify)(-[a-z-]+)?' \
		doc/dev/benchmarks.md | sort -u | comm -3 "$scratch/targets" - >"$scratch/unmeasured"
	[ ! -s "$scratch/unmeasured" ] || { cat "$scratch/unmeasured"; return 1; }
}

# Files with one subject have at most 700 lines; public headers may be longer. Print
# those that have more: DIRECTORY. Other work splits the few that are named below.
too_long() {
	(
		cd "$1" || exit 99
		# shellcheck disable=SC2086
		find $components HDTraceTools/viewer/src common/mpi \
			\( -name include -o -name node_modules \) -prune -o \
			\( -name '*.[ch]' -o -name '*.js' -o -name '*.mjs' -o -name '*.css' \
			-o -name '*.table' \) -print |
			grep -vxE 'HDTraceTools/viewer/viewerpage.c|NodeStatus/collect/peer.c' |
			sort -u | xargs wc -l | awk '$1 > 700 && $2 != "total"'
	) >"$scratch/too_long"
	cat "$scratch/too_long"
	[ ! -s "$scratch/too_long" ]
}

# The test itself must be able to fail.
finds_long_file() {
	for component in $components HDTraceTools/viewer/src common/mpi; do
		mkdir -p "$scratch/short/$component"
	done
	seq 700 >"$scratch/short/common/good.c"
	seq 701 >"$scratch/short/common/mutant.c"
	! too_long "$scratch/short" && grep -q '^ *701 common/mutant.c$' "$scratch/too_long" &&
		[ "$(wc -l <"$scratch/too_long")" -eq 1 ]
}

# The manual begins with every public header, but for second names of others.
headed() {
	find . \( -path ./tests -o -path './build*' \) -prune -o -path '*/include/*.h' -print |
		sed 's|.*/||' | grep -vxE 'hdTopo\.h|line\.h|pt\.h' |
		sort >"$scratch/headers"
	sed -n 's/^| \([A-Za-z]*\.h\) |.*/\1/p' doc/main.md | sort |
		comm -3 "$scratch/headers" - >"$scratch/unheaded"
	[ ! -s "$scratch/unheaded" ] || { cat "$scratch/unheaded"; return 1; }
}

# README says what every command is.
introduced() {
	sed -n 's/^bin_[A-Z]* += //p' ./*/Makemodule.am | tr ' ' '\n' |
		while read -r command; do
			grep -q "^|.*\b$command\b.*|.*|\$" README ||
				echo "$command"
		done | grep . && return 1
	return 0
}

decisions() {
	number=$(grep -c '^- ' doc/dev/decisions.md)
	[ "$number" -le 18 ] || { echo "$number decisions"; return 1; }
}

# HACKING is one page, and names the chapters: DIRECTORY. The list of folders is as
# long as they are many.
chapters_are_short() {
	(
		cd "$1" || exit 99
		sed -n 's/^    \([a-z]*\.md\) .*/\1/p' HACKING | sort >"$scratch/named"
		find doc/dev -name '*.md' | sed 's|.*/||' | sort |
			comm -3 "$scratch/named" -
		wc -l HACKING doc/dev/*.md | awk '
			$2 == "HACKING" && $1 > 100 { print $2 ": " $1 " lines" }
			$2 ~ /md$/ && $2 !~ /folders/ && $1 >= 150 { print $2 ": " $1 " lines" }'
	) >"$scratch/long"
	[ ! -s "$scratch/long" ] || { cat "$scratch/long"; return 1; }
}

# The test itself must be able to fail.
finds_long_chapter() {
	mkdir "$scratch/doc" "$scratch/doc/doc"
	cp HACKING "$scratch/doc"
	cp -r doc/dev "$scratch/doc/doc"
	seq 150 >"$scratch/doc/doc/dev/style.md"
	echo >"$scratch/doc/doc/dev/attic.md"
	! chapters_are_short "$scratch/doc" >/dev/null &&
		grep -q 'style.md: 150 lines' "$scratch/long" &&
		grep -q 'attic.md' "$scratch/long"
}

# ---- Said once, by the rows of what was said in several places --------------

# Time stamps, sizes, names, XML, levels, project files, headers of statistics.
format_once() {
	but='common/format|HDTraceReadingCLibrary' \
		never '"&lt;|"(Host|Rank|Thread)"[^)]|"<Statistics>|timestampDatatype=' \
			--exclude-dir=include &&
		but='common/format|HDTraceReadingCLibrary' never 'Application name=|<Node name=' &&
		but='common/format|HDTraceReadingCLibrary|common/number.c' \
			never '/ 1000000000\b|% 1000000000\b|>> shift & 0xff'
}

# Kinds of values; those of the power service are numbers of its protocol.
kinds_once() {
	but='common/kind.h|InstrumentationLibrary/include/hdProbe.h' \
		never '^	[A-Z_]*KIND_(GAUGE|COUNTER|DELTA),?( |$)'
}

# The test itself must be able to fail.
finds_kind() (
	mkdir "$scratch/kinds"
	printf 'enum mutant {\n\tMUTANT_KIND_GAUGE, /* A level. */\n};\n' >"$scratch/kinds/mutant.h"
	components=$scratch/kinds
	! kinds_once && grep -q MUTANT_KIND_GAUGE "$scratch/found"
)

# Columns, gaps and clocks of what is recorded, and value times time.
recording_once() {
	but='recording|HDTraceWritingCLibrary|PredictionLibrary/output/series.c' \
		never 'hdS_(addValue|writeEntryAt|createGroup)\(' \
			--exclude-dir=include &&
		but='recording|PredictionLibrary/output/series.c' \
		never 'clockNode"|"simulated", "' \
			--exclude-dir=HDTraceTools --exclude-dir=HDTraceReadingCLibrary
}

# A value times time: of what is recorded, and of what is read.
integral_once() {
	but='recording/integral.h|HDTraceTools/model/(moments|powerseries).[ch]' \
		never '\b(value|power|watts|mean)[a-zA-Z]* \* (\(double\))?\(?(length|seconds|part->)'
}

# Files are opened by those who go through all, and by who needs a certain one.
scan_once() {
	but='HDTraceReadingCLibrary|HDTraceTools/model/diagnostics.[ch]|HDTraceTools/recover/recover(stats)?.c|HDTraceTools/command/phaseoptions.c|HDTraceTools/model/clocksteps.c|HDTraceTools/merge/find.c|LoadLevels/command/replay.c' \
		never 'hdI_open(Stat|Trace)(With)?\('
}

# Rows are printed by cli/rows; CSV of data of any size by export, dump and power-model.
rows_once() {
	but='cli|HDTraceTools/export|HDTraceTools/dump|HDTraceTools/powermodel/residuals.c' never 'outCsv[A-Z][a-z]*\('
}

# What MPI functions do is in common/mpi.
roles_once() {
	but='PredictionLibrary/output/traces.c|PredictionLibrary/execution/executionrecord.c' \
		never '"(Sendrecv|Waitall|Testsome|Allreduce|Exscan|Bcast)"'
}

# Clocks, threads without signals, waiting for a retry.
clocks_once() {
	[ "$(matches 'define [A-Z_]*NS_PER_S\b' | wc -l)" -eq 2 ] &&
		but='common/thread.h|HDTraceTools/view/view.c|cli/command.c|PowerTracingLibrary/pt/daemon/serve.c|PowerTracingLibrary/pt/client/watch.c' \
			never 'pthread_sigmask\(' &&
		but='common/thread.h|HDTraceTools/base/tasks.c|HDTraceWritingCLibrary/src/outfile(loop)?.c' \
			never 'pthread_create\(&' &&
		but='common' never 'clock_gettime\(CLOCK_MONOTONIC|BACKOFF_M' \
			--exclude-dir=pm
}

# ThreadSanitizer does not see what glib's locks order.
locks_once() {
	never '\bG(Mutex|RecMutex|RWLock|Cond)\b|g_(mutex|cond|rw_lock)_|g_async_queue'
}

# The network is net/'s, but for clients of all kinds, which are common/net's.
network_once() {
	but='net' never 'epoll_(create|ctl|wait)|accept4?\(|MHD_start|gnutls_init' \
		--exclude-dir=view
}

ok "HDTraceTools keeps its C files in folders" at_most 3 HDTraceTools
ok "libPT keeps its C files in folders" at_most 6 PowerTracingLibrary/src
ok "no folder has more than 20 C files" no_heap
ok "no file has more than 700 lines" too_long .
ok "a file of 701 lines is found" finds_long_file
ok "includes are qualified" qualified
ok "doc/dev/folders.md lists the folders" mapped
ok "doc/dev/benchmarks.md lists the targets" measured
ok "doc/dev/decisions.md lists at most 18 decisions" decisions
ok "HACKING is one page, and each chapter is below 150 lines" chapters_are_short .
ok "a chapter that is long or not listed is found" finds_long_chapter
ok "the manual contains all public headers" headed
ok "README lists all commands" introduced
ok "the file format has one implementation" format_once
ok "kinds of values have one enumeration" kinds_once
ok "another enumeration of kinds is found" finds_kind
ok "recording has one implementation" recording_once
ok "integrals have one implementation" integral_once
ok "iteration over files has one implementation" scan_once
ok "CSV rows have one implementation" rows_once
ok "roles of MPI functions have one table" roles_once
ok "clocks and threads have one implementation" clocks_once
ok "only locks of pthreads are used" locks_once
ok "only one folder contains network code" network_once
done_testing
