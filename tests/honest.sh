#!/bin/sh
# Each letter of honest.list has its tests, and they are in the suite.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers are no matter of lists"
cd "$abs_top_srcdir" || exit 99
# Those that must have a test; a new one comes with its first.
letters=$(tr '\n' ' ' <<END
1a 1b 1c 1d 1e
2a 2b 2c 2d 2e
3a 3b 3c 3d 3e
4
19-1a 19-1b 19-1c 19-1d 19-1e
19-2a 19-2b 19-2c 19-2d
19-3a 19-3b 19-3c 19-3d 19-3e 19-3f 19-3g
END
)

# A test is in the suite, and has the title: TEST TITLE.
is_tested() {
	[ -f "$1" ] || { echo "there is no $1"; return 1; }
	grep -qF -- "$2" "$1" || { echo "$1 has no \"$2\""; return 1; }
	name=${1##*/}
	grep -qwF -- "${name%.c}" tests/Makemodule.am tests/*/Makemodule.am ||
		{ echo "$1 is in no Makemodule.am"; return 1; }
}

has_test() {
	grep -- "^$1 " tests/honest.list >"$scratch/lines" ||
		{ echo "$1 has no test"; return 1; }
	while read -r letter test title; do
		is_tested "$test" "$title" || return 1
	done <"$scratch/lines"
}

known() {
	grep -v '^#' tests/honest.list | while read -r letter rest; do
		case " $letters " in
		*" $letter "*) ;;
		*) echo "unknown: $letter $rest" ;;
		esac
	done >"$scratch/unknown"
	[ ! -s "$scratch/unknown" ] || { cat "$scratch/unknown"; return 1; }
}

for letter in $letters; do
	ok "$letter is held" has_test "$letter"
done
ok "no line has another letter" known
done_testing
