#!/bin/sh
# Help texts are plain English in one form. words.sh and language.sh check all other
# texts, without a build.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers do not change texts"
python=${PYTHON:-python3}
$python -c '' 2>/dev/null || skip_all "no python3"
build=${abs_top_builddir:?}
here=$abs_top_srcdir/tests/system

# Print the help of a program, and of its subcommands, into files.
helps() {
	[ -x "$build/$1" ] || return 0
	COLUMNS=300 "$build/$1" --help >"$scratch/help/$1" 2>&1
	sed -n '/^Commands/,/^$/s/^  \([a-z-]*\)  .*/\1/p' "$scratch/help/$1" |
		while read -r sub; do
			COLUMNS=300 "$build/$1" "$sub" --help \
				>"$scratch/help/$1-$sub" 2>&1
		done
}

in_form() {
	[ "$(wc -l <"$scratch/pages")" -gt 20 ] || return 1
	tr '\n' '\0' <"$scratch/pages" |
		xargs -0 "$python" "$here/helptext.py" "$here/verbs.list"
}

# Exceptions that only other texts need are not used here. The messages of hdexecute are
# those of MPI, as they are to be.
no_banned_words() {
	"$python" "$here/words.py" --list "$abs_top_srcdir/tests/words.list" \
		"@$scratch/pages" >"$scratch/found"
	! grep "^$scratch/help/" "$scratch/found" | grep -v "^$scratch/help/hdexecute:"
}

# The share of sentences with a habit is within its budget.
within_budget() {
	most=$(sed -n 's/^help //p' "$here/language.budget")
	"$python" "$here/language.py" "@$scratch/pages" | awk -v most="$most" '
		$1 == "help" { print $0 ", budget " most; bad = $4 > most; n = $2 }
		END { exit bad || n < 10 || most == "" }' && return
	"$python" "$here/language.py" --list "@$scratch/pages" | head -n 40
	return 1
}

# The help of commands fits a terminal: COLUMNS
fits_terminal() {
	for command in 'hdtrace stat' 'hdpredict simulate' pt hdnode 'hdgluster try' \
		rut hdload hdmpirun hdmpicc; do
		[ -x "$build/${command%% *}" ] || continue
		# shellcheck disable=SC2086
		"$python" "$here/terminal.py" "$1" "$build"/$command --help || {
			echo "$command"
			return 1
		}
	done
}

# Whoever asks for help gets only that, whatever else the command line has: nothing is
# read, started or written.
only_helps() {
	mkdir "$scratch/empty" && cd "$scratch/empty" || return 1
	for program in hdtrace hdpredict hdnode; do
		[ -x "$build/$program" ] || continue
		for page in "$scratch/help/$program"-*; do
			sub=${page##*/"$program"-}
			echo "$program $sub none --help"
			COLUMNS=300 timeout 20 "$build/$program" "$sub" none --help \
				>../helped 2>&1 </dev/null || return 1
			cmp "$page" ../helped || return 1
		done
	done
	find . -mindepth 1 | { ! grep .; }
}

# A fault is found in a help text, which is right otherwise: FAULT SED
finds() {
	sed "$2" "$scratch/right" >"$scratch/wrong"
	! "$python" "$here/helptext.py" "$here/verbs.list" "$scratch/wrong" \
		>"$scratch/faults" && cat "$scratch/faults" &&
		grep -q ": $1: " "$scratch/faults"
}

mkdir "$scratch/help"
for program in hdtrace hdexecute hdgluster hdload hdmpicc hdmpirun hdnode hdpredict \
	hdprobe pt rut; do
	helps $program
done
[ ! -x "$build/pt" ] || "$build/pt" list >"$scratch/help/list" 2>&1
find "$scratch/help" -type f -size +0 ! -name list | sort >"$scratch/pages"
ok "help texts have the required form" in_form
ok "a command that prints its help does nothing else" only_helps
[ ! -f "$scratch/help/list" ] || echo "$scratch/help/list" >>"$scratch/pages"
ok "help texts contain no banned words" no_banned_words
ok "share of sentences with a habit: help" within_budget
ok "help texts fit a terminal of 60 columns" fits_terminal 60
ok "help texts fit a terminal of 90 columns" fits_terminal 90

cat >"$scratch/right" <<'END'
Usage:
  tool [OPTION...] FILE

Record the power of this node.

Options:
  -i, --interval=TIME   Interval between two samples, with unit
                        (default: 100ms)
  -h, --help            Print this help

Examples:
  tool --interval=10ms run1
  tool run2
END
ok "a correct help text is accepted" \
	"$python" "$here/helptext.py" "$here/verbs.list" "$scratch/right"
ok "a help line of 120 columns is found" finds "1[0-9][0-9] columns" \
	's/run2/&                                                                                                             x/'
ok "a description with a lower-case letter at its start is found" finds \
	"no capital letter" 's/Print/print/'
ok "a command with a lower-case letter at its start is found" finds \
	"no capital letter" 's/^Options:/Commands:\n  watch  show the power\n\n&/'
ok "a full stop after a description is found" finds "a full stop" \
	's/this help$/&./'
ok "a default in another form is found" finds "form of the default" \
	's/(default: 100ms)/(100 ms)/'
ok "a default outside of parentheses is found" finds \
	"default outside of parentheses" 's/(default: 100ms)/default 100ms/'
ok "a description that is not imperative is found" finds \
	"the first line is not an imperative" 's/^Record/Records/'
ok "a help text with one example is found" finds "fewer than two examples" '/run2/d'
done_testing
