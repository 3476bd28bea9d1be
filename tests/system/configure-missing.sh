#!/bin/sh
# A library that is missing stops configure with the name of the Debian package;
# one that can be done without is named at the end, and by ./quickstart.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers are no matter of configure"

# What the build found out about the compiler and libc need not be found out again.
sed -n -E 's/^((ac_cv_(func|header|prog|type|have_decl|sizeof|c)_|lt_cv_)[A-Za-z0-9_]*)=(.*)/\1=${\1=\4}/p' \
	"${abs_top_builddir:?}/config.log" | grep -v otf2 >"$scratch/cache"

# Configure where pkg-config knows only the given libraries, and expect it to
# stop and name PACKAGE: PACKAGE LIBRARY...
names_package() {
	package=$1
	shift
	rm -rf "$scratch/pc" "$scratch/build"
	mkdir -p "$scratch/pc" "$scratch/build" || return 1
	for library; do
		printf 'Name: %s\nDescription: none\nVersion: 99\n' "$library" \
			>"$scratch/pc/$library.pc"
	done
	cd "$scratch/build" || return 1
	# Neither what this test was configured with nor what was exported.
	env -u CFLAGS -u LDFLAGS -u GLIB_CFLAGS -u GLIB_LIBS -u LIBXML_CFLAGS \
		-u LIBXML_LIBS -u PKG_CONFIG_PATH \
		PKG_CONFIG_LIBDIR="$scratch/pc" \
		"$abs_top_srcdir/configure" -q --cache-file="$scratch/cache" \
		>"$scratch/output" 2>&1 && {
		echo "configure succeeded"
		return 1
	}
	cat "$scratch/output"
	grep -q "on Debian: apt-get install $package\$" "$scratch/output"
}

ok "configure names the package of GLib" names_package libglib2.0-dev
ok "configure names the package of libxml2" names_package libxml2-dev glib-2.0
ok "configure names the package of GIO" names_package libglib2.0-dev glib-2.0 libxml-2.0

# A tree without the viewer, and a machine without anything that is optional.
configures() {
	rm -rf "$scratch/source" "$scratch/build" "$scratch/pc"
	mkdir -p "$scratch/source/build-aux" "$scratch/build" "$scratch/pc" ||
		return 1
	for part in "$abs_top_srcdir"/* "$abs_top_srcdir"/build-aux/*; do
		case $part in
		*/build-aux | */build-aux/viewer | */config.status) ;;
		*) ln -s "$part" "$scratch/source/${part#"$abs_top_srcdir/"}" ||
			return 1 ;;
		esac
	done
	for library in glib-2.0 gio-2.0 libxml-2.0 zlib; do
		printf 'Name: %s\nDescription: none\nVersion: 99\nLibs:\n' \
			"$library" >"$scratch/pc/$library.pc"
	done
	[ -z "${cairo-}" ] || printf \
		'Name: cairo\nDescription: none\nVersion: 99\nLibs: %s\n' "$cairo" \
		>"$scratch/pc/cairo.pc"
	cd "$scratch/build" || return 1
	# What earlier runs found out about the compiler and libc.
	grep -hE '^(#|ac_cv_(func|header|prog|type|have_decl|sizeof|c)_|lt_cv_)' \
		"$scratch/cache" "$scratch/known" 2>/dev/null |
		grep -v otf2 >config.cache
	env -u CFLAGS -u LDFLAGS -u PKG_CONFIG_PATH NODE= NPM= \
		ac_cv_header_otf2_otf2_h=no PKG_CONFIG_LIBDIR="$scratch/pc" \
		ac_cv_path_NODE= ac_cv_path_NPM= \
		"$abs_top_srcdir/configure" -q -C --no-create --srcdir="$scratch/source" \
		>"$scratch/output" 2>&1 || {
		cat "$scratch/output"
		return 1
	}
	cat "$scratch/output"
	cp config.cache "$scratch/known"
}

# A line of what configure says: WORDS...
says() {
	grep -qE "^ *$*\$" "$scratch/output" || {
		cat "$scratch/output"
		return 1
	}
}

ok "configure succeeds without optional libraries" configures
ok "configure names the packages of report --html" says 'report --html +no \(Debian: nodejs npm\)'
ok "configure names the packages of hdtrace view" says 'hdtrace view +no \(Debian: .*\)'
ok "configure names the package of PDF and PNG plots" \
	says 'hdtrace plot +SVG; no PDF and PNG \(Debian: libcairo2-dev\)'
ok "configure names the package of OTF2" says \
	'hdtrace export +all other formats; no OTF2 \(Debian: libopen-trace-format2-dev\)'
ok "configure names the packages of MPI" says 'MPI tracing +no \(Debian: libopenmpi-dev openmpi-bin, or .*\)'
ok "configure names the package of metrics" says 'pt, metrics +no \(Debian: libmicrohttpd-dev\)'

# What ./quickstart says of it.
quickstart_names() {
	program=quickstart bash -c '. "$1/scripts/setup.sh"; say_missing "$2"' \
		- "$abs_top_srcdir" "$scratch/build" >"$scratch/said"
	cat "$scratch/said"
	for package in npm libmicrohttpd-dev libcairo2-dev \
		libopen-trace-format2-dev libopenmpi-dev; do
		grep -qw -- "$package" "$scratch/said" || return 1
	done
	! grep -E '^ *hdtrace (plot|export) \(' "$scratch/said"
}
ok "quickstart names the missing packages" quickstart_names

# What was missing and is installed now is in the next build: once.
configures_again() {
	mkdir "$scratch/bin" "$scratch/tree" || return 1
	cd "$scratch/tree" || return 1
	: >../installed
	# The shells there expand it.
	# shellcheck disable=SC2016
	printf '#!/bin/sh\nfor last; do :; done\n%s && echo installed\n' \
		'grep -qx "$last" "'"$scratch"'/installed"' >../bin/dpkg-query
	# shellcheck disable=SC2016
	printf '#!/bin/sh\necho "$*" >>asked\n' >config.status
	chmod +x ../bin/dpkg-query config.status
	echo 'all: ; @:' >Makefile
	echo 'hdmpirun (Debian: libopenmpi-dev openmpi-bin, or libmpich-dev mpich)' \
		>config.missing
	cd "$abs_top_srcdir" || return 1
	echo "$PWD " >"$scratch/tree/.options"
	for packages in '' 'libmpich-dev mpich' 'libmpich-dev mpich' \
		'libmpich-dev mpich openmpi-bin'; do
		echo "$packages" | tr ' ' '\n' >"$scratch/installed"
		PATH=$scratch/bin:$PATH program=quickstart bash -c \
			'. scripts/setup.sh; build_in "$1"' - "$scratch/tree" ||
			return 1
		tr '\n' ';' <"$scratch/tree/asked" 2>/dev/null
		echo
	done >"$scratch/asked"
	cat "$scratch/asked"
	printf '%s\n' '' '--recheck;;' '--recheck;;' '--recheck;;--recheck;;' \
		>"$scratch/expected"
	grep -v configuring "$scratch/asked" | diff "$scratch/expected" -
}
ok "quickstart configures again when a package is new" configures_again

# A library that is opened at run time, in a directory of its own: by its path, for
# no program has that in its RPATH. One that is only archived cannot be opened.
own=$scratch/own
cairo="-L$own -lhdfake"
make_own() {
	mkdir "$own" && cd "$own" && echo 'int hdFake;' >fake.c &&
		${CC:-cc} -c fake.c && ar cr libhdfake.a fake.o
}
ok "a static library for the test is built" make_own
no_archive() {
	! configures && grep -q 'is not a shared library' "$scratch/output" &&
		grep -q -- '--without-cairo' "$scratch/output"
}
ok "a library that cannot be opened at run time is refused" no_archive
by_path() {
	cd "$own" && ${CC:-cc} -shared -fPIC -Wl,-soname,libhdfake.so.3 \
		-o libhdfake.so.3 fake.c && ln -s libhdfake.so.3 libhdfake.so &&
		configures && ./config.status -q config.h && grep SONAME config.h &&
		grep -qxF "#define CAIRO_SONAME \"$own/libhdfake.so.3\"" \
			config.h
}
ok "a library in a directory of its own has its path" by_path
done_testing
