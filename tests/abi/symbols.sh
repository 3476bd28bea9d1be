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
	esac | awk 'NF == 3 && $2 !~ /[Ww]/ { print $3 }' | sort -u
}

# A static library exports what has a public prefix; a shared one all it has.
exports_match() {
	case $1 in
	*.a) symbols_of "$1" | grep -E '^(hdT|hdS|hdR|hdI|hdP|hdNode|hdPower|hdProbe|rut|pt|pm)_' ;;
	*) symbols_of "$1" ;;
	esac >"$scratch/found"
	sort -u "$2" | diff -u - "$scratch/found"
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
	fi
done
done_testing
