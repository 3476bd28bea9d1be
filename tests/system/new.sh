#!/bin/sh
# scripts/new makes one part of each kind, which build, are in the tables, and pass
# their own tests.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "the parts have no sanitizers of their own"
command -v python3 >/dev/null || skip_all "no python3"
build=${abs_top_builddir:?}
rut=ResourcesUtilizationTracingLibrary
pt=PowerTracingLibrary
tools=HDTraceTools
tree=$scratch/tree
mkdir "$tree" && cd "$abs_top_srcdir" || exit 99
find . \( -name .git -o -name 'build*' -o -name node_modules -o -name '*.cache' \) -prune \
	-o \( -path './tests/fixtures' -o -path './tests/tools/golden' \) -prune \
	-o -type f -print | tar cf - -T - | (cd "$tree" && tar xf -)
cd "$scratch" || exit 99
# The tests of the parts use the copy, and the programs in bin.
mkdir bin
export CCACHE_DISABLE=1

new() {
	"$tree/scripts/new" "$@"
}

# Compile files of the copy: FILE...
compile() {
	for file; do
		# Unquoted: lists of options.
		# shellcheck disable=SC2046,SC2086
		${CC:-cc} -std=gnu11 -O0 -Wall -Wextra -Wno-missing-field-initializers \
			-Werror -D_GNU_SOURCE \
			-DTEST_SRCDIR="\"$abs_top_srcdir\"" -DTEST_BUILDDIR="\"$build\"" \
			-I"$tree" -I"$build" \
			-I"$tree/HDTraceWritingCLibrary/include" \
			-I"$tree/HDTraceReadingCLibrary/include" \
			-I"$tree/ResourcesUtilizationTracingLibrary/include" \
			-I"$tree/PowerTracingLibrary/include" \
			$(${PKG_CONFIG:-pkg-config} --cflags glib-2.0 libxml-2.0) \
			-c -o "$scratch/$(echo "$file" | tr / _).o" "$tree/$file" || return 1
	done
}

# Link objects of the copy with libraries of the build: PROGRAM OBJECT... -- LIBRARY...
link() {
	program=$1
	shift
	objects=
	while [ "$1" != -- ]; do
		objects="$objects $scratch/$(echo "$1" | tr / _).o"
		shift
	done
	shift
	# shellcheck disable=SC2046,SC2086
	(cd "$build" && ./libtool --silent --tag=CC --mode=link ${CC:-cc} -static \
		-o "$scratch/bin/$program" $objects "$@" \
		$(${PKG_CONFIG:-pkg-config} --libs glib-2.0 libxml-2.0) -lm)
}

# Rows, lists and pages name it: NAME FILE...
named() {
	name=$1
	shift
	for file; do
		grep -qi "$name" "$tree/$file" || { echo "$file"; return 1; }
	done
}

source_works() {
	new source newsource &&
		named newsource "$rut/src/core/source.h" "$rut/Makemodule.am" \
			tests/rut/Makemodule.am doc/man/rut.1 &&
		compile "$rut/src/sources/newsource.c" "$rut/src/sources/linux.c" \
			tests/rut/test-rut-newsource.c &&
		link source "$rut/src/sources/newsource.c" "$rut/src/sources/linux.c" \
			tests/rut/test-rut-newsource.c -- libhdTest.la libRUT-internal.la &&
		bin/source
}

driver_works() {
	new driver newdriver &&
		named newdriver "$pt/src/drivers/drivers.c" "$pt/Makemodule.am" \
			tests/pt/Makemodule.am doc/man/pt-drivers.7 &&
		compile "$pt/src/drivers/newdriver.c" "$pt/src/drivers/drivers.c" \
			tests/pt/softdriver.c tests/pt/test-pt-newdriver.c &&
		link driver "$pt/src/drivers/newdriver.c" "$pt/src/drivers/drivers.c" \
			tests/pt/softdriver.c tests/pt/test-pt-newdriver.c -- \
			libhdTest.la libPT-internal.la && bin/driver
}

# The tests of the copy run with its hdtrace.
passes() {
	abs_top_srcdir=$tree abs_top_builddir=$scratch/bin \
		sh "$tree/tests/tools/$1" >passed
	cat passed
	! grep -q '^not ok' passed && grep -q '^ok' passed
}

tools_work() {
	new subcommand newcommand && new exporter newformat &&
		named newcommand "$tools/command/core/tool.h" "$tools/Makemodule.am" \
			tests/rooms.list doc/dev/folders.md tests/tools/Makemodule.am \
			doc/Makemodule.am doc/man/hdtrace-newcommand.1 &&
		named newformat "$tools/export/export.h" "$tools/Makemodule.am" \
			tests/tools/Makemodule.am doc/man/hdtrace-export.1 &&
		compile "$tools/command/hdtrace.c" "$tools/newcommand/newcommand.c" \
			"$tools/export/export.c" "$tools/export/newformat.c" &&
		link hdtrace "$tools/command/hdtrace.c" "$tools/newcommand/newcommand.c" \
			"$tools/export/export.c" "$tools/export/newformat.c" -- \
			libhdtrace-internal.la libhdmodel.la &&
		bin/hdtrace --help | grep -q '^  newcommand ' &&
		passes hdtrace-newcommand.sh && passes export-newformat.sh
}

# What is made is as the house wants it.
is_at_home() {
	for test in layering names; do
		abs_top_srcdir=$tree sh "$tree/tests/$test.sh" >"$test.log"
		! grep -A5 '^not ok' "$test.log" || return 1
	done
}

ok "a new source is built and passes its test" source_works
ok "a new driver is built and passes its test" driver_works
ok "a new subcommand and a new exporter are built and pass their tests" tools_work
ok "new parts are in their rooms and have names of their own" is_at_home
ok "a name that exists is refused" exits 2 "$tree/scripts/new" source newsource
ok "a name with capital letters is refused" exits 2 "$tree/scripts/new" source New
ok "wrong usage is refused" exits 2 "$tree/scripts/new" source
done_testing
