#!/bin/sh
# Programs of C++ and Fortran record by hdTracing.hpp and hdtrace.f90, and what they
# record is the same.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
include=$abs_top_srcdir/HDTraceWritingCLibrary/include
programs=$abs_top_srcdir/tests/system/languages
library=${abs_top_builddir:?}/.libs/libhdTracing.a
hdtrace=$abs_top_builddir/hdtrace

# Build and run a program in a directory of its own: DIRECTORY COMMAND...
records() {
	mkdir "$scratch/$1" && cd "$scratch/$1" || return 1
	shift
	"$@" -I"$include" -o program "$library" -lpthread -lm && ./program
}

# The names, attributes and values of a trace or group, without times.
content() {
	"$hdtrace" dump "$1" | sed -n 's/^  [0-9.]* [0-9.]* *//p'
}

cpp() {
	records "$1" "$2" -std=c++11 -Wall -Wextra -Wshadow -pedantic -Werror \
		"$programs/program.cpp"
}

same() {
	content "$scratch/$1/$2" >"$scratch/is"
	printf '%s\n' "$3" | diff - "$scratch/is"
}

[ -f "$library" ] || skip_all "no static library was built"
if command -v "${CXX:-g++}" >/dev/null; then
	ok "a C++11 program records" cpp cpp "${CXX:-g++}"
	ok "C++ states, attributes and events" same cpp run_host0_0.trc \
		'inner
solve n="3" big="18446744073709551615" x="0.5" t="a b"
event "tick"'
	ok "C++ values" same cpp run_host0_Losses.stat "0.5 7"
else
	skip "C++ programs" "there is no C++ compiler"
fi
if command -v clang++ >/dev/null; then
	ok "clang++ accepts the header" cpp clang clang++
else
	skip "clang++" "it is not installed"
fi
if command -v gfortran >/dev/null; then
	ok "a Fortran program records" records fortran gfortran -std=f2008 -Wall \
		-Wextra "$include/hdtrace.f90" "$programs/program.f90"
	ok "Fortran states, attributes and events" same fortran run_host0_0.trc \
		'solve n="3" x="0.5" t="a b"
event "tick"'
	ok "Fortran values" same fortran run_host0_Losses.stat "0.5"
else
	skip "Fortran programs" "there is no gfortran"
fi
done_testing
