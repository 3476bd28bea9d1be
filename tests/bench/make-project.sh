#!/bin/sh
# make-project: its projects are correct, and always the same.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
make=${abs_top_builddir:?}/tests/bench/make-project
cd "$scratch" || exit 99
mkdir one two

# Make a project in a directory: DIRECTORY OPTION...
make_in() {
	directory=$1
	shift
	(cd "$directory" && "$make" --nodes=3 --ranks=2 --records=6007 \
		--values=48000 "$@" run)
}

same() {
	diff -r one two
}

# Numbers of the report: STATES-AND-EVENTS ENTRIES-OF-EACH-GROUP.
counts() {
	status 0 report -q --format=json one/run || return 1
	awk -v records="$1" -v entries="$2" '
		/"state_count"|"event_count"/ { n += $2 + 0 }
		/"entries"/ { groups++; if ($2 + 0 != entries) bad++ }
		END { print n, groups, bad + 0
			exit n != records || groups != 6 || bad }
	' "$scratch/out"
}

# Every message has both ends: two a step and rank.
messages() {
	status 0 export --to perfetto --format=json -o run.pt one/run &&
		! grep -q "one end" "$scratch/err" &&
		grep -q '"messages": 1068,' "$scratch/out"
}

refuses() {
	"$make" "$@"
	[ $? -eq 2 ]
}

ok "make-project creates a project" make_in one
ok "the same seed creates the project again" make_in two
ok "projects of the same seed are identical" same
ok "the project passes check" status 0 check one/run
ok "the project has the requested number of records and entries" counts 6007 1000
ok "each sent message is received" messages
rm -rf two/*
ok "make-project accepts another seed" make_in two --seed=2
ok "another seed creates another project" eval '! diff -r one two >different'
rm -rf two/*
ok "a project of traces only is created" make_in two --values=0
ok "a project of traces only passes check" status 0 check two/run
rm -rf two/*
ok "a project of statistics only is created" make_in two --records=0
ok "a project of statistics only passes check" status 0 check two/run
ok "existing files are kept" eval '! make_in two'
ok "an argument that is not a number is refused" refuses --nodes=x p
ok "a missing name is refused" refuses
done_testing
