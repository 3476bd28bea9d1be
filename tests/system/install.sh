#!/bin/sh
# What make install puts into a directory can be linked by a program that knows
# only pkg-config, and make uninstall takes all of it away.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain smoke
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
pkg_config=${PKG_CONFIG:-pkg-config}
stage=$scratch/stage

# Run make in the build directory as a user would.
make_target() {
	(unset MAKEFLAGS MFLAGS MAKELEVEL
	"${MAKE:-make}" -C "${abs_top_builddir:?}" "$1" DESTDIR="$stage")
}

# Let the .pc files point to the staged files; those that are installed hold
# the final place.
relocate() {
	mkdir -p "$scratch/pkgconfig"
	for file in "$stage$libdir"/pkgconfig/lib*.pc; do
		sed "s|^prefix=.*|prefix=$stage$prefix|" "$file" \
			>"$scratch/pkgconfig/$(basename "$file")" || return 1
	done
	PKG_CONFIG_PATH=$scratch/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
	export PKG_CONFIG_PATH
}

# Build and run test.c with a library: LIBRARY PKG-CONFIG-OPTION CC-OPTION...
links() {
	library=$1
	option=$2
	shift 2
	# Lists of options, CC included.
	# shellcheck disable=SC2046,SC2086
	${CC:-cc} ${HD_SANITIZE-} "$@" -o "$scratch/test" "$scratch/test.c" \
		$($pkg_config "$option" --cflags --libs "$library") &&
		LD_LIBRARY_PATH=$stage$libdir "$scratch/test"
}

# Test one library with the program on stdin: LIBRARY FULLY-STATIC.
try_library() {
	cat >"$scratch/test.c"
	if [ -f "$stage$libdir/$1.a" ]; then
		ok "a program links $1 statically" links "$1" --static
		if [ "$2" = no ]; then
			:
		elif [ -n "${HD_SANITIZE-}" ]; then
			skip "a static program links $1" "sanitizers cannot"
		else
			ok "a static program links $1" links "$1" --static \
				-static
		fi
	fi
	if [ -f "$stage$libdir/$1.so" ]; then
		rm -f "$stage$libdir/$1.a"
		ok "a program links $1 as shared library" links "$1" --print-errors
	fi
}

# What there is in the staged directory, and what is in files.
listed() {
	(cd "$stage" && find . ! -type d -exec cksum {} + | sort -k 3)
}

# Files of others, and of ours, are as they were before: what was there stays,
# and nothing else.
nothing_left() {
	listed | diff "$scratch/before" -
}

# Where others have files, too.
for dir in usr/local/bin usr/local/share/bash-completion/completions; do
	mkdir -p "$stage/$dir" && echo "of others" >"$stage/$dir/others"
done
listed >"$scratch/before"
ok "make install succeeds" make_target install
pc=$(find "$stage" -name libhdTrace.pc | head -n 1)
[ -n "$pc" ] || { echo "Bail out! libhdTrace.pc was not installed"; exit 1; }
prefix=$(sed -n 's/^prefix=//p' "$pc")
# Distributions have other directories than prefix/lib.
libdir=${pc#"$stage"}
libdir=${libdir%/pkgconfig/*}
unit=$(find "$stage" -name pt.service | head -n 1)
ok "pkg-config files work in another prefix" relocate

# Units start the installed commands.
units_start_commands() {
	for unit in "${unit%/*}"/*.service; do
		grep -qE "^ExecStart=$prefix/bin/(hdnode|hdpowerd|pt)( |$)" "$unit" || return 1
		file=$(sed -n 's/^ExecStart=\([^ ]*\).*/\1/p' "$unit")
		[ -x "$stage$file" ] || [ "${file##*/}" = hdnode ] || return 1
	done
}
ok "units start installed commands" units_start_commands

for file in bin/hdtrace bin/hdgluster bin/pt bin/rut include/PT.h include/pt.h include/RUT.h include/pmlib/pmlib.h lib/pkgconfig/libhdReading.pc include/hdTrace.h include/hdProbe.h \
	include/hdprobe.f90 lib/pkgconfig/libhdProbe.pc \
	include/hdProbeTrace.h lib/pkgconfig/libhdProbeTrace.pc \
	share/doc/hdtrace/README share/doc/hdtrace/NEWS \
	share/doc/hdtrace/guides/pictures/report-stresstest.png \
	share/doc/hdtrace/examples/kernels/kmeans.c \
	share/man/man1/hdmpicxx.1 share/man/man1/hdmpif90.1 \
	lib/cmake/HDTrace/HDTraceConfig.cmake include/hdTracing.hpp \
	lib/systemd/system/pt.service lib/systemd/system/hdpowerd.service \
	lib/sysusers.d/hdtrace.conf \
	share/bash-completion/completions/hdtrace \
	share/zsh/site-functions/_hdtrace; do
	case $file in
	lib/pkgconfig/* | lib/cmake/*) at=$stage$libdir/${file#lib/} ;;
	lib/systemd/*) at=${unit%/*}/${file##*/} ;;
	*) at=$stage$prefix/$file ;;
	esac
	ok "$file is installed" test -f "$at"
done
ok "only listed files are installed" sh -c \
	"cd '$stage' && ! find . ! -type d ! -name others | grep -viE '/(lib)?_?(hd|rut|pt|pm)[^/]*$|/pmlib/|/hdtrace/[^/]*\\.(py|pyi|so|typed)$|/doc/hdtrace/|/man/'"

# First, as it needs archives of others that are removed after their own tests.
try_library libhdProbeTrace yes <<'END'
#include <hdProbe.h>
#include <hdProbeTrace.h>
int main(void)
{
	struct hdProbeWatch *watch = hdProbe_watch();
	struct hdProbeFigures figures;
	int found;

	{
		HDPROBE_SCOPE("main");
	}
	found = hdProbe_watchRead(watch, &figures, 1);
	hdProbe_unwatch(watch);
	return found != 1 || hdProbe_traceWrite() != -1;
}
END

try_library libhdTrace yes <<'END'
#include <hdTrace.h>
int main(void)
{
	hdTopology *topology = hdT_createTopology("test", NULL, 0);

	return hdT_getTopoDepth(topology) != 1 ||
	       hdT_destroyTopology(topology) != 0 || !hdT_finalize(NULL);
}
END
try_library libhdStats yes <<'END'
#include <hdStats.h>
int main(void)
{
	return hdS_isEnabled(NULL) != -2 || !hdT_strerror(HDS_ERR_ENTRY_STATE);
}
END
try_library libhdRelation yes <<'END'
#include <hdRelation.h>
int main(void)
{
	return hdR_finalize(NULL) != -1 || hdR_createTopLevelRelation(NULL);
}
END
try_library libhdTracing yes <<'END'
#include <hdRelation.h>
#include <hdStats.h>
#include <hdTrace.h>
int main(void)
{
	return !hdT_finalize(NULL) || !hdS_finalize(NULL) ||
	       !hdR_finalize(NULL);
}
END
try_library libhdReading no <<'END'
#include <hdReading.h>
int main(void)
{
	return hdI_openProject("/nonexistent/test.proj", NULL, NULL) != NULL;
}
END

try_library libhdProbe yes <<'END'
#include <hdProbe.h>
int main(void)
{
	{
		HDPROBE_SCOPE("main");
	}
	return hdProbe_snapshot(NULL, 0, 0) != 1;
}
END

try_library libRUT no <<'END'
#include <RUT.h>
int main(void)
{
	return rut_startTrace(NULL) != 2 || hdT_getTopoDepth(NULL) != -1;
}
END

try_library libPT no <<'END'
#include <PT.h>
int main(void)
{
	return pt_startTracing(NULL) != 2 || hdT_getTopoDepth(NULL) != -1 ||
	       pt_createTrace(NULL, NULL, NULL) != PT_ESYNTAX;
}
END

# By the name that the thesis has for it in its text.
try_library libPT no <<'END'
#include <pt.h>
int main(void)
{
	return pt_startTracing(NULL) != 2 ||
	       pt_createTrace(NULL, NULL, NULL) != PT_ESYNTAX;
}
END

try_library libpm yes <<'END'
#include <stddef.h>

#include <pmlib.h>
int main(void)
{
	server_t server;
	line_t lines;

	return pm_set_server("127.0.0.1", 6526, &server) != 0 ||
	       pm_set_lines("0-11", &lines) != 0 || !LINE_ISSET(11, &lines) ||
	       pm_start_counter(NULL) != PM_EINVAL;
}
END

# The installed example is what the guide compiles.
compiles_example() {
	example=$(find "$stage" -name heat.c)
	# shellcheck disable=SC2046,SC2086
	${CC:-cc} ${HD_SANITIZE-} -o "$scratch/heat" "$example" $($pkg_config \
		--static --cflags --libs libhdTracing) -lm &&
		LD_LIBRARY_PATH=$stage$libdir "$scratch/heat" \
			"$scratch/heat" 2 16 10
}

# One of several files, as its comments say.
compiles_relay() (
	relay=$(find "$stage" -type d -name relay) && cd "$relay" || return 1
	# shellcheck disable=SC2046,SC2086
	${CC:-cc} ${HD_SANITIZE-} -pthread -o "$scratch/relay-server" \
		server.c request.c scheduler.c flow.c trove.c aio.c bmi.c \
		machine.c wire.c layers.c options.c $($pkg_config \
		--static --cflags --libs libhdTracing) &&
		${CC:-cc} ${HD_SANITIZE-} -pthread -o "$scratch/relay-client" \
			client.c call.c stripes.c bmi.c machine.c wire.c \
			layers.c options.c $($pkg_config \
			--static --cflags --libs libhdTracing)
)

ok "the example compiles against the installed library" compiles_example

# As their first lines say.
compiles_kernels() {
	cp -r "$stage$prefix/share/doc/hdtrace/examples/kernels" "$scratch" &&
		cd "$scratch/kernels" || return 1
	for program in listings kmeans "mjpeg jpeg.c"; do
		name=${program%% *}
		extra=${program#"$name"}
		# shellcheck disable=SC2046,SC2086
		${CC:-cc} ${HD_SANITIZE-} -o "$name" "$name.c" $extra \
			dispatcher.c $($pkg_config --static --cflags --libs \
				libhdProbe) -lm || return 1
	done
	LD_LIBRARY_PATH=$stage$libdir ./listings 2 &&
		LD_LIBRARY_PATH=$stage$libdir ./kmeans -n 100 -k 3 -i 2 &&
		LD_LIBRARY_PATH=$stage$libdir ./mjpeg -f 1 -b yDCT=10
}

ok "kernels compile against the installed library" compiles_kernels
ok "the example relay compiles against the installed library" compiles_relay
# A program for a target of CMake, on stdin: NAME. All are in one project: the tests of
# the compiler take more time than the programs.
cmake_targets=
cmake_program() {
	mkdir -p "$scratch/cmake" && cat >"$scratch/cmake/$1.c"
	cmake_targets="$cmake_targets $1"
}

cmake_configures() (
	cd "$scratch/cmake" || return 1
	cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.12)
project(test C)
$1
find_package(HDTrace 0.1 REQUIRED COMPONENTS$cmake_targets)
foreach(name$cmake_targets)
	add_executable(program-\${name} \${name}.c)
	target_link_libraries(program-\${name} PRIVATE HDTrace::\${name})
endforeach()
$2
END
	CFLAGS=${HD_SANITIZE-} cmake -S . -B build -DCMAKE_PREFIX_PATH="$stage$prefix"
)

cmake_links() (
	cd "$scratch/cmake" && cmake --build build --target "program-$1" &&
		LD_LIBRARY_PATH=$stage$libdir "build/program-$1"
)

# A version that is not compatible, and a component that is not installed.
cmake_refuses() {
	mkdir -p "$scratch/refused"
	printf 'cmake_minimum_required(VERSION 3.12)\nproject(test NONE)\nfind_package(%s)\n' \
		"$1" >"$scratch/refused/CMakeLists.txt"
	! cmake -S "$scratch/refused" -B "$scratch/refused/build" \
		-DHDTrace_DIR="$stage$libdir/cmake/HDTrace" >"$scratch/refused/log" 2>&1 &&
		grep -q "$2" "$scratch/refused/log"
}

if command -v cmake >/dev/null; then
	cmake_program hdTracing <<'END'
#include <hdTrace.h>
int main(void)
{
	return !hdT_finalize(NULL);
}
END
	cmake_program hdReading <<'END'
#include <hdReading.h>
int main(void)
{
	return hdI_openProject("/nonexistent/test.proj", NULL, NULL) != NULL;
}
END
	cmake_program RUT <<'END'
#include <RUT.h>
int main(void)
{
	return rut_startTrace(NULL) != 2;
}
END
	cmake_program PT <<'END'
#include <PT.h>
int main(void)
{
	return pt_startTracing(NULL) != 2;
}
END
	cmake_program hdPower <<'END'
#include <hdPower.h>
int main(void)
{
	(void)hdPower_phase("solve");
	return 0;
}
END
	finds_mpi='' links_mpi=''
	if [ -z "${HD_SANITIZE-}" ] && ls "$stage$libdir"/libhdMPI-*.a >/dev/null 2>&1
	then
		finds_mpi='find_package(MPI REQUIRED COMPONENTS C)'
		links_mpi='target_link_libraries(program-hdMPI PRIVATE MPI::MPI_C)'
		cmake_program hdMPI <<'END'
#include <hdMPI.h>
#include <mpi.h>
int main(void)
{
	int is = 1;

	hdMPI_regionStart("region");
	hdMPI_regionEnd();
	return MPI_Initialized(&is) != 0 || is;
}
END
	fi
	ok "CMake finds all components" cmake_configures "$finds_mpi" "$links_mpi"
	for target in hdTracing hdReading RUT PT hdPower; do
		ok "CMake links $target" cmake_links $target
	done
	if [ -n "$links_mpi" ]; then
		ok "CMake links hdMPI with the MPI library that it found" cmake_links hdMPI
	else
		skip "CMake links hdMPI" "it was not built, or with a sanitizer"
	fi
	ok "CMake refuses another series" cmake_refuses "HDTrace 0.2 REQUIRED" \
		"compatible"
	ok "CMake names a missing component" cmake_refuses \
		"HDTrace REQUIRED COMPONENTS nothing" "component nothing: not installed"
else
	skip "CMake" "cmake is not installed"
fi

# hdmpirun looks for libhdMPI where it is, and that for hdtrace.
finds_mpi() {
	# What the script has, not what it means.
	# shellcheck disable=SC2016
	directory=$(sed -n 's,^	*echo "\(/.*\)/$1"$,\1,p' \
		"$stage$prefix/bin/hdmpirun")
	echo "$directory"
	for library in "$stage$directory"/libhdMPI-*.so; do
		[ -f "$library" ] &&
			grep -aq "$prefix/bin/hdtrace" "$library" || return 1
	done
}

if [ -f "$stage$prefix/bin/hdmpirun" ]; then
	ok "hdmpirun finds its libraries" finds_mpi
else
	skip "hdmpirun" "no MPI library was built"
fi
ok "make install succeeds again" make_target install
ok "make uninstall succeeds" make_target uninstall
ok "uninstall removes only installed files" nothing_left
done_testing
