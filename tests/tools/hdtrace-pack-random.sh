#!/bin/sh
# Random projects come back from archives and compressed files, byte for byte, and other
# programs read both. HDTRACE_TEST_PROJECTS says how many; make verify-compress takes 1,000.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
command -v zstd >/dev/null || skip_all "zstd is missing"
command -v python3 >/dev/null || skip_all "no python3"
readers=$abs_top_srcdir/tests/tools/readers
cd "$scratch" || exit 99

make_projects() {
	mkdir made work && (
		cd work || exit 99
		HDTRACE_TEST_KEEP=$scratch/made \
			HDTRACE_TEST_PROJECTS=${HDTRACE_TEST_PROJECTS:-6} \
			"$abs_top_builddir/tests/python/random-projects"
	) >/dev/null
}

# Two directories have the same files: DIRECTORY DIRECTORY
same_files() {
	diff -rq "$1" "$2" || {
		echo "$project"
		return 1
	}
}

# One project, as an archive and as compressed files: DIRECTORY
trip() {
	project=$1
	rm -rf packed.hdz plain zst back
	"$hdtrace" pack -q -o packed.hdz "$project/trip.proj" 2>/dev/null
	[ $? -le 1 ] || return 1
	"$hdtrace" unpack -q -o plain packed.hdz 2>/dev/null
	[ $? -le 1 ] && same_files "$project" plain || return 1
	cp -R "$project" zst
	find zst -name '*.trc' -o -name '*.stat' -o -name '*.rel' >list
	[ ! -s list ] || xargs zstd -q --rm <list || return 1
	"$hdtrace" unpack -q -o back zst/trip.proj 2>/dev/null
	[ $? -le 1 ] && same_files "$project" back
}

trips() {
	count=0
	for directory in made/*; do
		trip "$directory" || return 1
		count=$((count + 1))
		# The last archives are also read by others.
		[ $((count % 50)) -ne 1 ] || others || return 1
	done
	echo "$count projects"
	[ "$count" -gt 0 ]
}

# Python's zipfile checks the CRC of each entry, unzip the whole file, and zstd each entry.
others() {
	python3 "$readers/archive.py" packed.hdz || return 1
	! command -v unzip >/dev/null || unzip -tqq packed.hdz || return 1
	rm -rf entries
	mkdir entries
	python3 "$readers/archive.py" --extract entries packed.hdz || return 1
	find entries -name '*.zst' >list
	[ ! -s list ] || xargs zstd -qt <list
}

ok "random projects are made" make_projects
ok "random projects come back byte for byte, and others read them" trips
done_testing
