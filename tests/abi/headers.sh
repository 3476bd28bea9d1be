#!/bin/sh
# Every public header can be the first one of a C or C++ file, without warnings.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain smoke
. "${abs_top_srcdir:?}/tests/lib/tap.sh"

case ${CC:-cc} in
*clang*) cxx=clang++ ;;
*) cxx=g++ ;;
esac

# Compile a file that includes the header twice: HEADER COMMAND...
compiles() {
	header=$1
	shift
	printf '#include "%s"\n#include "%s"\nint unused;\n' \
		"$header" "$header" >"$scratch/test.c"
	"$@" -Wall -Wextra -pedantic -Werror -I"$(dirname "$header")" \
		-I"$(dirname "$header")/.." \
		-I"$abs_top_srcdir/HDTraceWritingCLibrary/include" -c \
		-o "$scratch/test.o" "$scratch/test.c"
}

for header in "$abs_top_srcdir"/*/include/*.h \
	"$abs_top_srcdir"/*/*/include/*.h "$abs_top_srcdir"/*/include/lower/*.h; do
	name=$(basename "$header")
	# Unquoted: CC may hold options.
	# shellcheck disable=SC2086
	for standard in c99 c11 gnu17; do
		ok "$name as $standard" compiles "$header" ${CC:-cc} \
			-std=$standard
	done
	if command -v $cxx >/dev/null; then
		for standard in c++11 c++17; do
			ok "$name as $standard" compiles "$header" $cxx -x c++ \
				-std=$standard
		done
	else
		skip "$name as C++" "there is no $cxx"
	fi
done
done_testing
