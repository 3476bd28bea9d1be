#!/bin/sh
# #includes follow the data: no arrow points backwards. rooms.list says which
# rooms there are, and layering.awk what is wrong.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: text
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers are no matter of #includes"
tests=$abs_top_srcdir/tests
rooms=$(sed -n 's/^component \([^:]*\):.*/\1/p' "$tests/rooms.list")

# What is wrong in a tree, a line each: DIRECTORY.
find_wrong() (
	cd "$1" || exit 99
	# Names without blanks.
	# shellcheck disable=SC2086
	find $rooms -name '*.[ch]' ! -name 'viewerpage.c' ! -name 'functions.h' \
		! -name 'statecolours.h' ! -name 'rulestext.h' \
		! -name 'wrappers-*.h' | sort -u >"$scratch/files"
	# shellcheck disable=SC2046
	grep -nE '^[ 	]*#[ 	]*include' $(cat "$scratch/files") \
		>"$scratch/includes"
	awk -f "$tests/layering.awk" "$tests/rooms.list" "$scratch/files" \
		"$scratch/includes" >"$scratch/wrong" ||
		echo "awk failed" >"$scratch/wrong"
	# A header and two sources that call each other may be a pair.
	awk -v most=2 -f "$tests/circles.awk" "$scratch/files" \
		"$scratch/includes" >>"$scratch/wrong" ||
		echo "awk failed" >>"$scratch/wrong"
	sort "$scratch/wrong"
)

is_sound() {
	find_wrong "$abs_top_srcdir"
	[ -s "$scratch/includes" ] && [ ! -s "$scratch/wrong" ]
}

# The test itself must be able to fail: in a copy of the tree, with one more
# file that has one line, this is said: FILE LINE MESSAGE.
finds() {
	rm -rf "$scratch/original"
	[ ! -e "$scratch/tree/$1" ] || cp "$scratch/tree/$1" "$scratch/original"
	mkdir -p "$scratch/tree/${1%/*}"
	printf '%b\n' "$2" >"$scratch/tree/$1"
	find_wrong "$scratch/tree"
	rm "$scratch/tree/$1"
	[ ! -e "$scratch/original" ] || mv "$scratch/original" "$scratch/tree/$1"
	grep -qF "$3" "$scratch/wrong"
}
mkdir "$scratch/tree"
# shellcheck disable=SC2086
(cd "$abs_top_srcdir" && find $rooms -name '*.[ch]' | sort -u | tar cf - -T -) |
	(cd "$scratch/tree" && tar xf -)

# The library of the model has all files of its folders, and no other: FILE.
is_model() {
	awk '
		/_SOURCES *\+?=/ { library = $1 }
		{
			for (i = 1; library != "" && i <= NF; i++)
				if ($i ~ /^%D%.*\.[ch]$/ &&
				    ($i ~ /^%D%\/(base|choice|sites|model|tables)\//) != \
				    (library == "libhdmodel_la_SOURCES"))
					print library, $i
			if (!/\\$/)
				library = ""
		}
	' "$1" >"$scratch/strangers"
	[ ! -s "$scratch/strangers" ] || { cat "$scratch/strangers"; return 1; }
}

# glib, libxml2 and the readers stay out of what is loaded into programs.
only_libc() {
	! grep -rnE --include='*.[ch]' \
		'^[ 	]*#[ 	]*include[ 	]*<(glib|gio|libxml|otf2|mpi)' "$@"
}

# A public header works without glib and config.h.
public_alone() {
	! grep -nE '#[ 	]*include[ 	]*[<"](glib|gio|libxml|config\.h|.*/)' \
		./*/include/*.h ./*/*/include/*.h | grep -v '<sys/'
}

ok "an include of a higher layer is found" \
	finds HDTraceTools/base/mutant.c '#include "HDTraceTools/view/jobs.h"' \
	"HDTraceTools/base may not include HDTraceTools/view/jobs.h"
ok "an include of another component in a library is found" \
	finds HDTraceReadingCLibrary/src/mutant.c '# include <hdTrace.h>' \
	"may not include HDTraceWritingCLibrary/include/hdTrace.h"
ok "an include that is not qualified is found" \
	finds common/mutant.c '#include "log.h"' '"log.h" is not qualified'
ok "an unused header is found" \
	finds common/mutant.h '' "common/mutant.h: nobody includes it"
ok "a folder that is not in the table is found" \
	finds common/attic/mutant.c '' "common/attic/mutant.c: its folder has no room"
ok "a header of another component that is behind no door is found" \
	finds NodeStatus/local/mutant.c \
	'#include "PowerTracingLibrary/service/core/client.h"' \
	"NodeStatus/local may not include PowerTracingLibrary/service/core/client.h"
ok "a circle of units is found" \
	finds PowerTracingLibrary/service/core/client.h \
	'#include "PowerTracingLibrary/service/access.h"\n#include "PowerTracingLibrary/service/protocols.h"' \
	"circle of 3 units: "
ok "no file includes a header of a higher layer" is_sound
ok "libhdmodel is base, choice, sites, model and tables" is_model \
	"$abs_top_srcdir/HDTraceTools/Makemodule.am"
sed 's|%D%/model/column.c|& %D%/export/csv.c|' \
	"$abs_top_srcdir/HDTraceTools/Makemodule.am" >"$scratch/Makemodule.am"
is_other_model() {
	! is_model "$scratch/Makemodule.am"
}
ok "a file of a command in libhdmodel is found" is_other_model
cd "$abs_top_srcdir" || exit 99
pt=PowerTracingLibrary
ok "common and the writing library need libc only" \
	only_libc common HDTraceWritingCLibrary
ok "libRUT needs libc only, but for the gtop backend" \
	only_libc --exclude=gtop.c ResourcesUtilizationTracingLibrary/include \
	ResourcesUtilizationTracingLibrary/src
ok "libPT, libpm and the service need libc only" \
	only_libc $pt/include $pt/src $pt/wire $pt/service $pt/pm
ok "public headers stand alone" public_alone
done_testing
