#!/bin/bash
# The manual pages and the completion know what hdtrace knows.
# SPDX-License-Identifier: LGPL-2.1-or-later
if [ -z "${BASH_VERSION-}" ]; then
	exec bash "$0"
fi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
man=$abs_top_srcdir/doc/man
. "$abs_top_srcdir/contrib/bash-completion/hdtrace" 2>"$scratch/source"
commands=$("$hdtrace" --help |
	sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
common='color csv-safe format help quiet'

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

# Complete the words of a command line; the last one is incomplete.
complete_words() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_hdtrace 2>/dev/null
	((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}" | sort
}

completes_options() {
	complete_words hdtrace "$1" -- >"$scratch/offered"
	# shellcheck disable=SC2086 # a list
	{ options "$1"; printf '%s\n' $common; } | sed 's/^/--/' | sort \
		>"$scratch/options"
	diff "$scratch/offered" "$scratch/options"
}

# The words offered are: "WORD.." for these words.
offers() {
	wanted=$1
	shift
	offered=$(complete_words "$@" | tr '\n' ' ')
	echo "offered: $offered, wanted: $wanted"
	[ "$offered" = "${wanted:+$wanted }" ]
}

lint() {
	mandoc -Tlint -Werror "$1"
}

cd "$scratch" || exit 99
mkdir dir && touch a.proj a_b.trc a_b_G.stat a.txt borders
for command in $commands; do
	if "$hdtrace" "$command" --help 2>&1 | grep -q 'was built without'; then
		skip "$command is documented" "built without it"
		continue
	fi
	ok "hdtrace-$command(1) has all options" has_options "$command"
	ok "hdtrace(1) names $command" grep -q "^\\.It Cm $command\$" \
		"$man/hdtrace.1"
	ok "the completion has all options of $command" \
		completes_options "$command"
done
ok "commands are completed" offers "stat" hdtrace st
ok "projects are completed" offers "a.proj a_b.trc a_b_G.stat dir" hdtrace \
	stat ''
ok "formats are completed" offers "csv" hdtrace stat --format = c
ok "formats are completed behind -f" offers "json" hdtrace stat -f j
ok "formats to export are completed" offers "csv csv-wide" hdtrace export \
	--to csv
ok "but no times" offers "" hdtrace stat --to c
ok "files of borders are completed" offers "borders" hdtrace stat --phases b
ok "there is nothing to offer for a pattern" offers "" hdtrace stat --node ''
if command -v mandoc >/dev/null; then
	for page in "$man"/*.[1-8]; do
		ok "mandoc likes ${page##*/}" lint "$page"
	done
else
	skip "the manual pages are well-formed" "no mandoc"
fi
done_testing
