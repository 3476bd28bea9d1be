#!/bin/sh
# #includes follow the data: no arrow points backwards (HACKING, "Layout").
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers are no matter of #includes"
cd "$abs_top_srcdir" || exit 99

# Names of the headers in directories.
headers_of() {
	for directory; do
		[ ! -d "$directory" ] ||
			find "$directory" -name '*.h' -exec basename {} \;
	done | sort -u
}

# No file below DIRECTORY includes a header of the directories after it. Headers
# of the system (sys/file.h) may have the same name.
no_include() {
	from=$1
	shift
	headers_of "$@" >"$scratch/theirs"
	headers_of "$from" >"$scratch/own"
	status=0
	for header in $(comm -23 "$scratch/theirs" "$scratch/own"); do
		! grep -rnE --include='*.[ch]' \
			"^[ 	]*#[ 	]*include[ 	]*[\"<](.*/)?${header}[\">]" \
			"$from" | grep -v '<sys/' || status=1
	done
	return "$status"
}

# The same with the roles exchanged for a line that is wrong on purpose: the
# test itself must be able to fail.
finds_wrong_include() {
	mkdir -p "$scratch/low" "$scratch/high"
	echo >"$scratch/high/above.h"
	echo '# include "../high/above.h"' >"$scratch/low/below.c"
	! no_include "$scratch/low" "$scratch/high"
}

# glib, libxml2 and the readers stay out of what is loaded into programs.
only_libc() {
	! grep -rnE --include='*.[ch]' \
		'^[ 	]*#[ 	]*include[ 	]*<(glib|gio|libxml|otf2|mpi)' "$@"
}

# A public header works without glib and config.h, and includes only its
# neighbours and the system's headers.
public_alone() {
	! grep -nE '#[ 	]*include[ 	]*[<"](glib|gio|libxml|config\.h|.*\.\./)' \
		./*/include/*.h ./*/*/include/*.h
}

writing=HDTraceWritingCLibrary
reading=HDTraceReadingCLibrary
tools=HDTraceTools
rut=ResourcesUtilizationTracingLibrary
pt=PowerTracingLibrary
mpi=MPITracingLibrary

ok "a wrong include is found" finds_wrong_include
ok "common includes no component" \
	no_include common cli $writing $reading $tools $rut $pt $mpi
ok "what commands share includes no component" \
	no_include cli $writing $reading $tools $rut $pt $mpi
ok "the writing library includes no reader and no producer" \
	no_include $writing $reading $tools $rut $pt $mpi
ok "the reading library includes no writer and no tool" \
	no_include $reading $writing $tools $rut $pt $mpi
ok "the tools include no writer" no_include $tools $writing $rut $pt $mpi
for producer in $rut $pt $mpi; do
	[ ! -d "$producer" ] ||
		ok "$producer includes no reader" \
			no_include "$producer" $reading $tools
done
ok "common and the writing library need libc only" only_libc common $writing
ok "libRUT needs libc only, but for the gtop backend" \
	only_libc --exclude=gtop.c $rut/include $rut/src
ok "libPT needs libc only" only_libc $pt/include $pt/src $pt/wire
ok "libPT knows neither the service nor pt" \
	no_include $pt/src $pt/wire $pt/secure $pt/service $pt/client $pt/pt
ok "secrets and encryption know no side" \
	no_include $pt/secure $pt/service $pt/client $pt/pt
ok "the service's protocol knows neither libPT nor the service" \
	no_include $pt/wire $pt/src $pt/service $pt/client $pt/pt
ok "the service knows neither pt nor clients" \
	no_include $pt/service $pt/client $pt/pt
ok "the service needs libc only" only_libc $pt/service
ok "clients know neither the service nor pt" \
	no_include $pt/client $pt/service $pt/pt
ok "libpm needs libc only" only_libc $pt/pm
ok "libpm stands alone" no_include $pt/pm $writing $pt/include $pt/src $pt/pt \
	$pt/wire $pt/secure $pt/service $pt/client
ok "public headers stand alone" public_alone
done_testing
