#!/bin/bash
# The manual pages know what hdtrace knows.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: optional
if [ -z "${BASH_VERSION-}" ]; then
	exec bash "$0"
fi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
man=$abs_top_srcdir/doc/man
commands=$("$hdtrace" --help |
	sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
common='color csv-safe format help quiet version'

# The long options of a command, without those that all have.
options() {
	"$hdtrace" "$1" --help | sed -n 's/^  \(-., \)\?--\([a-z-]*\).*/\2/p' |
		grep -vxF "${common// /$'\n'}" | sort
}

# The same from the manual page.
described() {
	sed -n '/^\.Sh OPTIONS/,/^\.Sh OUTPUT/s/^\.It .*Fl -\([a-z-]*\).*/\1/p;
		/^\.Sh OPTIONS/,/^\.Sh OUTPUT/s/^\.It .*, Fl -\([a-z-]*\) .*, Fl -\([a-z-]*\).*/\1\n\2/p' \
		"$man/hdtrace-$1.1"
	# Two options in one item.
	sed -n 's/^\.It Fl -\([a-z]*\) .*, Fl -[a-z]* .*/\1/p' \
		"$man/hdtrace-$1.1"
}

has_options() {
	options "$1" >"$scratch/options"
	described "$1" | grep -vxF "${common// /$'\n'}" | sort -u \
		>"$scratch/described"
	diff "$scratch/described" "$scratch/options"
}

names_product() {
	! grep -LE '^\.Os HDTrace$|^\.TH .*"HDTrace [0-9.]+"' "$man"/*.[1-8] | grep .
}

lint() {
	mandoc -Tlint -Werror "$1"
}

for command in $commands; do
	if "$hdtrace" "$command" --help 2>&1 |
		grep -qE 'was built without|not a part of this'; then
		skip "$command is documented" "built without it"
		continue
	fi
	ok "hdtrace-$command(1) has all options" has_options "$command"
	ok "hdtrace(1) names $command" grep -q "^\\.It Cm $command\$" \
		"$man/hdtrace.1"
done
ok "each page says that it is of HDTrace" names_product
if command -v mandoc >/dev/null; then
	for page in "$man"/*.[1-8]; do
		ok "mandoc accepts ${page##*/}" lint "$page"
	done
else
	skip "the manual pages are well-formed" "no mandoc"
fi
done_testing
