#!/bin/sh
# doc/guarantees.md: each promise has tests, and they are in the suite.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: text
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "a table needs no sanitizer"
cd "$abs_top_srcdir" || exit 99
# The number of promises may grow.
least=61

# The rows of a table as NUMBER TEST TITLE, where NUMBER is the one of the promise:
# FILE. A row without a promise belongs to the promise above it.
rows() {
	# Backticks are part of the table.
	# shellcheck disable=SC2016
	sed -n 's/^| *\(.*\) | \([^ |]*\) | `\(.*\)` |$/\2 \3 | \1/p' "$1" |
		awk '{
			at = index($0, " | ")
			if (substr($0, at + 3) !~ /^\|? *$/)
				number++
			print number + 0, substr($0, 1, at - 1)
		}'
}

# Print problems of a test: TEST TITLE.
problems_of() {
	if [ ! -f "$1" ]; then
		echo "$1: no such file"
		return
	fi
	grep -qF -- "$2" "$1" || echo "$1: no title \"$2\""
	name=${1##*/}
	grep -qwF -- "${name%.c}" tests/Makemodule.am tests/*/Makemodule.am \
		doc/Makemodule.am || echo "$1: not in a Makemodule.am"
}

# Print problems of all rows of a document: FILE.
problems() {
	rows "$1" | while read -r number test title; do
		[ "$number" -gt 0 ] || echo "$test: a test without a promise"
		problems_of "$test" "$title"
	done
	# shellcheck disable=SC2016
	grep '^|' "$1" | grep -vE '^\| Promise \||^\|---' |
		grep -vE '^\| (.* )?\| [^ |]+ \| `.*` \|$' |
		sed 's/^/not a row of promise, test and title: /'
}

holds() {
	problems doc/guarantees.md >"$scratch/problems"
	[ ! -s "$scratch/problems" ] || { cat "$scratch/problems"; return 1; }
}

complete() {
	count=$(rows doc/guarantees.md | cut -d' ' -f1 | sort -un | wc -l)
	[ "$count" -ge "$least" ] || { echo "$count promises"; return 1; }
}

# A document with one mistake has this problem: PROBLEM, the document as input.
finds() {
	cat >"$scratch/document.md"
	problems "$scratch/document.md" >"$scratch/problems"
	cat "$scratch/problems"
	grep -qF -- "$1" "$scratch/problems"
}

ok "every promise has its tests" holds
ok "the number of promises does not decrease" complete
ok "missing test file is found" finds "tests/none.sh: no such file" <<'EOF'
| Promise | Test | Title |
|---|---|---|
| Something holds. | tests/none.sh | `title` |
EOF
ok "missing title is found" finds 'tests/guarantees.sh: no title' <<EOF
| Something holds. | tests/guarantees.sh | \`no such title$$\` |
EOF
ok "malformed row is found" finds "not a row" <<'EOF'
| Something holds. | tests/guarantees.sh |
EOF
ok "row without a promise is found" finds "a test without a promise" <<'EOF'
| | tests/guarantees.sh | `finds` |
EOF

# doc/dev/threats.md: each test that it names is there, and each row has a test or says
# that there is none.
threats() {
	grep -oE 'tests/[A-Za-z0-9_/.-]+' doc/dev/threats.md | sed 's/\.$//' | sort -u |
		while read -r test; do
			[ -e "$test" ] || echo "$test: no such file"
		done >"$scratch/threats"
	grep '^| [a-z–]' doc/dev/threats.md | awk -F'|' 'NF == 6 && $5 !~ /tests\/|none/' \
		>>"$scratch/threats"
	cat "$scratch/threats"
	[ "$(grep -c 'tests/' doc/dev/threats.md)" -ge 20 ] && [ ! -s "$scratch/threats" ]
}
ok "each limit of a threat has a test" threats
done_testing
