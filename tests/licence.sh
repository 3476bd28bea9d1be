#!/bin/sh
# Every file that can hold a comment says under which licence it is.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: text
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
cd "$abs_top_srcdir" || exit 99

# Print the files of our own below the directories, and the loose ones.
sources() {
	find common cli ./*Library HDTraceTools contrib doc tests scripts -type f \( \
		-name '*.[ch]' -o -name '*.sh' -o -name '*.am' \
		-o -name '*.[1-8]' -o -name '*.md' -o -name '*.js' \
		-o -name '*.mjs' -o -name '*.css' -o -name page.html \
		-o -name run-tap \)
	printf '%s\n' configure.ac Makefile.am Doxyfile bootstrap check \
		quickstart .ci/run contrib/completion.awk
}

all_licensed() {
	sources >"$scratch/files"
	! xargs grep -L 'SPDX-License-Identifier: LGPL-2.1-or-later' \
		<"$scratch/files" | grep .
}

is_lgpl() {
	grep -q 'GNU LESSER GENERAL PUBLIC LICENSE' COPYING &&
		grep -q 'Version 2.1' COPYING
}

ok "every file names the licence" all_licensed
ok "COPYING contains the licence that files name" is_lgpl
done_testing
