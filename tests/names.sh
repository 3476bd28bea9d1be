#!/bin/sh
# Names say what they are: static functions have names of their own, pointers in
# comments lead to files, and include guards are named after their headers.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: text
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers are no matter of names"
cd "$abs_top_srcdir" || exit 99
tests=$abs_top_srcdir/tests
components=$(sed -n 's/^component \([^:]*\):.*/\1/p' tests/rooms.list)

# The sources of the product in a tree: DIRECTORY.
sources() {
	# A list of folders.
	# shellcheck disable=SC2086
	(cd "$1" && find $components \( -name node_modules -o -name test \) -prune \
		-o \( -name '*.[ch]' -o -name '*.js' -o -name '*.mjs' \) -print) |
		grep -v '/viewerpage\.c$' | sort -u
}

# Print static functions that several C files define: DIRECTORY. Each line is a
# name and how many files have it.
shared_names() {
	sources "$1" | grep '\.[ch]$' >"$scratch/c"
	(cd "$1" && ctags -L "$scratch/c" --languages=C --map-C=+.h \
		--kinds-C=f --fields=f -x --_xformat='%N %F %{file}' -f -) |
		awk '!seen[$1, $2]++ { files[$1]++ }
			$3 == "file" { isStatic[$1] = 1 }
			END { for (name in files)
				if (isStatic[name] && files[name] > 1)
					print name, files[name] }' |
		sort >"$scratch/shared"
	cat "$scratch/shared"
}

# Whether there are at most so many: BUDGET DIRECTORY.
names_fit() {
	shared_names "$2"
	[ -s "$scratch/c" ] && [ "$(wc -l <"$scratch/shared")" -le "$1" ]
}

# Print pointers that lead nowhere, and guards that are not named after their
# file: DIRECTORY. What is installed by others, or made, is not ours.
stale() {
	sources "$1" >"$scratch/sources"
	(cd "$1" && find . \( -name node_modules -o -name .git -o -name 'build-*' \) \
		-prune -o -type f -print) | sed 's|^\./||' >"$scratch/all"
	(cd "$1" && xargs awk -v all="$scratch/all" -f "$tests/pointers.awk") \
		<"$scratch/sources" >"$scratch/stale"
	cat "$scratch/stale"
}

none_is_stale() {
	stale "$1"
	[ -s "$scratch/sources" ] && [ ! -s "$scratch/stale" ]
}

# Files of one folder differ in more than the case of letters.
disks_differ() {
	find . -name .git -prune -o -name 'build-*' -prune -o -name node_modules \
		-prune -o -print | tr '[:upper:]' '[:lower:]' | sort | uniq -d |
		grep . && return 1
	return 0
}

# The test itself must be able to fail: in a copy of the sources.
mkdir "$scratch/tree"
sources . | tar cf - -T - | (cd "$scratch/tree" && tar xf -)

# Some names more, in two files each, are too many: BUDGET.
finds_names() {
	for file in one two; do
		number=0
		while [ "$number" -le "$1" ]; do
			printf 'static int mutant%d(void)\n{\n\treturn 0;\n}\n' "$number"
			number=$((number + 1))
		done >"$scratch/tree/common/$file.c"
	done
	! names_fit "$1" "$scratch/tree" >/dev/null && grep -q '^mutant0 2$' "$scratch/shared"
}

# FILE TEXT MESSAGE
finds_stale() {
	printf '%b\n' "$2" >"$scratch/tree/$1"
	stale "$scratch/tree"
	rm "$scratch/tree/$1"
	grep -qF "$3" "$scratch/stale"
}

budget=50
if command -v ctags >/dev/null && ctags --version | grep -q Universal; then
	ok "at most $budget names of static functions are shared" names_fit $budget .
	ok "too many shared names are found" finds_names $budget
else
	skip "at most $budget names of static functions are shared" "no universal-ctags"
	skip "too many shared names are found" "no universal-ctags"
fi
ok "pointers lead to files, and guards are named after headers" none_is_stale .
ok "a pointer to a missing file is found" \
	finds_stale common/mutant.c '/* See common/attic.h. */' \
	"common/mutant.c:1: no file common/attic.h"
ok "a pointer in several lines of comments is found" \
	finds_stale common/mutant.c '/* One,\n * and attic.c. */' \
	"common/mutant.c:2: no file attic.c"
ok "a guard of another name is found" \
	finds_stale common/mutant.h '#ifndef HD_OLD_H\n#define HD_OLD_H\n#endif' \
	"common/mutant.h:1: guard HD_OLD_H is not of this file"
ok "no two files of a folder differ in case only" disks_differ
done_testing
