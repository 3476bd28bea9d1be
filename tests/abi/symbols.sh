#!/bin/sh
# The libraries export what tests/abi/LIBRARY.symbols lists, no more, no less.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain optional smoke
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
cd "${abs_top_builddir:?}" || exit 99
export LC_ALL=C

# Print the global symbols that a library file defines.
symbols_of() {
	case $1 in
	*.a) ${NM:-nm} -g --defined-only "$1" ;;
	*) ${NM:-nm} -D --defined-only "$1" ;;
	esac | awk 'NF == 3 && $2 !~ /[AWw]/ { sub(/@.*/, "", $3); print $3 }' | sort -u
}

# A static library exports what has a public prefix; a shared one all it has.
exports_match() {
	case $1 in
	*.a) symbols_of "$1" | grep -E '^(hdT|hdS|hdR|hdI|hdP|hdNode|hdPower|hdProbe|rut|pt|pm)_' ;;
	*) symbols_of "$1" ;;
	esac >"$scratch/found"
	awk '{ print $1 }' "$2" | sort -u | diff -u - "$scratch/found"
}

# A shared library has the versions that its list has: LIBRARY LIST
versions_match() {
	${NM:-nm} -D --defined-only "$1" | awk '$2 !~ /[AWw]/ { print $3 }' |
		sort -u >"$scratch/found"
	awk '{ print $1 "@@HDTRACE_" (NF > 1 ? $2 : "0.1") }' "$2" | sort -u |
		diff -u - "$scratch/found"
}

# Functions of later releases are in versions that include the earlier ones.
maps_versions() {
	printf 'c 0.10\na\nb 0.2\n' >"$scratch/list"
	awk -f "$abs_top_srcdir/tests/abi/map.awk" "$scratch/list" | tr -d '\n\t' >"$scratch/map"
	[ "$(cat "$scratch/map")" = 'HDTRACE_0.1 {global:a;local:*;};HDTRACE_0.2 {global:b;} HDTRACE_0.1;HDTRACE_0.10 {global:c;} HDTRACE_0.2;' ]
}

# What is not exported cannot clash with names of the program: a static library
# has no symbol without our prefix.
names_are_ours() {
	symbols_of "$1" | grep -vE '^(hd|rut|pt|pm|__asan|__odr_asan)' >"$details.2"
	[ ! -s "$details.2" ] || { cat "$details.2"; return 1; }
}

for list in "$abs_top_srcdir"/tests/abi/*.symbols; do
	library=$(basename "$list" .symbols)
	static=.libs/$library.a
	shared=.libs/$library.so
	[ -f "$static" ] || [ -f "$shared" ] || {
		if [ "$library" = libhdNode ] && [ ! -e hdnode ]; then
			skip "$library was built" "no libjansson-dev"
			continue
		fi
		ok "$library was built" false
		continue
	}
	if [ -f "$static" ]; then
		ok "$library.a exports the listed symbols" \
			exports_match "$static" "$list"
		ok "$library.a exports only names with our prefixes" names_are_ours "$static"
	fi
	# A sanitizer adds symbols of its own.
	if [ -f "$shared" ] && [ -z "${HD_SANITIZE-}" ]; then
		ok "$library.so exports the listed symbols" \
			exports_match "$shared" "$list"
		ok "$library.so has versions of symbols" \
			versions_match "$shared" "$list"
	fi
done
ok "new functions get a version of their own" maps_versions
done_testing
