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

ok "a project" make_in one
ok "the same again" make_in two
ok "byte by byte" same
ok "is as the format wants it" status 0 check one/run
ok "as many records and entries as were asked for" counts 6007 1000
ok "messages are sent and received" messages
rm -rf two/*
ok "another seed" make_in two --seed=2
ok "gives another project" eval '! diff -r one two >different'
rm -rf two/*
ok "only traces" make_in two --values=0
ok "are as the format wants them" status 0 check two/run
rm -rf two/*
ok "only statistics" make_in two --records=0
ok "are as the format wants them" status 0 check two/run
ok "keeps existing files" eval '! make_in two'
ok "wants numbers" refuses --nodes=x p
ok "wants a name" refuses
done_testing
