#!/bin/sh
# Each parser of untrusted input has a fuzz target with seeds, and each target a parser.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: text
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
here=$abs_top_srcdir/tests/fuzz

# What is wrong with a list, a line each: LIST
wrong() {
	grep -v '^#' "$1" | while read -r parser target path; do
		[ -n "$parser" ] || continue
		[ -e "$abs_top_srcdir/$path" ] || echo "$parser: no $path"
		[ -f "$here/fuzz-$target.c" ] || echo "$parser: no target $target"
		[ -n "$(ls -A "$here/seeds/$target" 2>/dev/null)" ] ||
			echo "$parser: target $target has no seeds"
	done
	for file in "$here"/fuzz-*.c; do
		target=${file##*/fuzz-}
		target=${target%.c}
		awk -v target="$target" '!/^#/ && $2 == target { found = 1 } END { exit !found }' "$1" ||
			echo "target $target: no parser"
	done
}

are_listed() {
	wrong "$here/parsers.list" >found
	cat found
	[ ! -s found ]
}

is_found() {
	{
		grep -v '^trace ' "$here/parsers.list"
		echo "new nothing no/such/file"
	} >other
	wrong other >found
	cat found
	[ "$(wc -l <found)" -eq 4 ] && grep -q '^target trc: no parser$' found
}

cd "$scratch" || exit 99
ok "each parser has a fuzz target with seeds" are_listed
ok "a parser without a target is found" is_found
done_testing
