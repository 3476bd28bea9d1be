#!/bin/sh
# What hdtrace does with a large project, in time and memory: verify-size.sh
# [BUILD-DIRECTORY]. SIZE_NODES, SIZE_RANKS (on each), SIZE_RECORDS and
# SIZE_VALUES change the size; TMPDIR must have room for it (3 GB). The exit
# status is 1 if a limit was passed.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -u
build=$(cd "${1:-.}" && pwd) || exit 2
measure=$build/tests/bench/measure
directory=$(mktemp -d "${TMPDIR:-/tmp}/hdtrace-size.XXXXXX") || exit 2
trap 'rm -rf "$directory"' EXIT
trap 'exit 2' HUP INT TERM
status=0

# Run a command, and say what it took: TITLE LIMIT... -- COMMAND...
size_of() {
	echo "$1" >&2
	shift
	"$measure" "$@" || status=1
}

cd "$directory" || exit 2
"$build/tests/bench/make-project" --nodes="${SIZE_NODES:-64}" \
	--ranks="${SIZE_RANKS:-8}" --records="${SIZE_RECORDS:-20000000}" \
	--values="${SIZE_VALUES:-100000000}" big || exit 2
echo "A project of $(du -sm . | cut -f1) MiB in $(find . -type f | wc -l) files," \
	"on $(nproc) processors"
# Reading files that are not in memory would measure the disk.
cat ./* >/dev/null
size_of "hdtrace report" -s 60 -m 300 "$build/hdtrace" report big \
	>report.text
size_of "hdtrace report, with phases" -s 60 -m 300 "$build/hdtrace" report \
	--phases-from node001_0_0 big >phases.text
size_of "hdtrace plot, power above states" -m 300 "$build/hdtrace" plot \
	--value P --states=above -o picture.svg big >plot.text
head -n 6 report.text
exit $status
