#!/bin/sh
# A library that is missing stops configure with the name of the Debian package.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers are no matter of configure"

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

ok "no GLib" names_package libglib2.0-dev
ok "no libxml2" names_package libxml2-dev glib-2.0
ok "no GIO" names_package libglib2.0-dev glib-2.0 libxml-2.0
done_testing
