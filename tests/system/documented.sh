#!/bin/sh
# The documentation lists what the programs really have, all of it.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: text plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
cd "$abs_top_srcdir" || exit 99

# Files have the same lines.
same() {
	[ -s "$1" ] && diff -u "$1" "$2"
}

# Print the variables that FILE... names.
variables() {
	cat "$@" | sed 's/\\-/-/g' | grep -oE '\bHDTRACE_[A-Z_]+' | sort -u
}

# Print the subcommands that hdtrace --help lists.
subcommands() {
	"${abs_top_builddir:?}/hdtrace" --help |
		sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' | sort
}

find HDTraceWritingCLibrary/src -name '*.c' -exec cat {} + | grep -oE '"HDTRACE_[A-Z_]+"' |
	tr -d '"' | sort -u >"$scratch/read"
variables HDTraceWritingCLibrary/include/hdTopology.h >"$scratch/header"
variables doc/man/hdtrace-environment.7 >"$scratch/page"
ok "hdTopology.h lists the environment variables" \
	same "$scratch/read" "$scratch/header"
ok "hdtrace-environment(7) lists the environment variables" \
	same "$scratch/read" "$scratch/page"

find MPITracingLibrary/src -name '*.c' -exec cat {} + | grep -oE '"HDTRACE_(MPI|PT)[A-Z_]*"' |
	tr -d '"' | sort -u >"$scratch/read"
variables doc/man/hdmpirun.1 | grep -E '^HDTRACE_(MPI|PT)' >"$scratch/page"
ok "hdmpirun(1) lists the environment variables" \
	same "$scratch/read" "$scratch/page"

if [ -x "${abs_top_builddir:?}/hdtrace" ]; then
	"${abs_top_builddir:?}/hdtrace" check --rules --format=csv |
		sed -n '2,$s/^\([^,]*\),\([^,]*\),.*/| `\1` | \2 |/p' >"$scratch/rules"
	grep -oE '^\| .[a-z]+\.[a-z-]+. \| [a-z]+ \|' doc/format/format.md \
		>"$scratch/listed"
	ok "doc/format lists the rules" same "$scratch/rules" "$scratch/listed"

	subcommands >"$scratch/commands"
	find doc -name 'hdtrace-*.1' -exec basename {} .1 \; |
		sed 's/^hdtrace-//' | sort >"$scratch/pages"
	ok "every subcommand has a man page" same "$scratch/commands" "$scratch/pages"
else
	skip "doc/format lists the rules" "no build"
	skip "every subcommand has a man page" "no build"
fi
done_testing
