#!/bin/sh
# Texts are plain English: few sentences with a habit to avoid, subjects of commits in
# the imperative. helptexts.sh does the same for help texts, which need a build.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: text
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers do not change texts"
python=${PYTHON:-python3}
$python -c '' 2>/dev/null || skip_all "no python3"
here=$abs_top_srcdir/tests/system
cd "$abs_top_srcdir" || exit 99

# Subjects of commits are checked after this revision.
base=d286838c37c607d9352149fe2084aa6aa665ee5b

# ---- Sentences ---------------------------------------------------------------

# A habit is found in a sentence: HABIT SENTENCE
finds() {
	mkdir -p "$scratch/doc"
	printf '%s\n' "$2" >"$scratch/doc/sample.md"
	"$python" "$here/language.py" --list "$scratch/doc/sample.md" |
		grep -q ":1: $1: "
}

# No habit is found in a sentence, which is one: SENTENCE
passes() {
	mkdir -p "$scratch/doc"
	printf '%s\n' "$1" >"$scratch/doc/sample.md"
	"$python" "$here/language.py" --all "$scratch/doc/sample.md" | grep . &&
		! "$python" "$here/language.py" --list "$scratch/doc/sample.md" |
		grep .
}

# A habit is found in a test: LINE
finds_in_test() {
	mkdir -p "$scratch/tests"
	echo "$1" >"$scratch/tests/sample.sh"
	(cd "$scratch" && "$python" "$here/language.py" tests/sample.sh) |
		grep -qx 'test 1 1 100.00'
}

# Print paths of tests and titles of test points that are a letter with a number,
# such as /F9/ or "A6: ...": DIRECTORY
numbered() {
	grep -rnE --include='*.c' '"/([^" ]*/)?[A-Za-z][0-9]+(/[^" ]*)?"' "$1"
	grep -rnE --include='*.sh' --include='*.mjs' --exclude=language.sh \
		'\b(ok|test) ?\(?["'"'"'`][A-Z][0-9]+[: ]' "$1"
}
finds_numbered() {
	mkdir -p "$scratch/numbered"
	printf '%s\n' "$1" >"$scratch/numbered/sample.$2"
	[ "$(numbered "$scratch/numbered" | wc -l)" -eq 1 ]
	found=$?
	rm "$scratch/numbered/sample.$2"
	return "$found"
}
none_numbered() {
	! numbered tests | grep .
}

# Code, tables and short sentences do not count.
counts_prose_only() {
	mkdir -p "$scratch/doc"
	cat >"$scratch/doc/sample.md" <<-'END'
		Only this sentence has six words.

		    what is in a block is code and does not count here

		| what is in | a table that has | cells |

		Read what is there.
	END
	"$python" "$here/language.py" "$scratch/doc/sample.md" |
		grep -qx 'doc 1 0 0.00'
}

# The share of a kind of text is within its budget: KIND
within_budget() {
	most=$(sed -n "s/^$1 //p" "$here/language.budget")
	grep "^$1 " "$scratch/shares" | awk -v most="$most" '
		{ print $0 ", budget " most; bad = $4 > most; n += $2 }
		END { exit bad || n < 10 || most == "" }' && return
	"$python" "$here/language.py" --list "@$scratch/files" |
		grep -E "$(files_of "$1")" | head -n 40
	return 1
}

# A pattern of the names of files of a kind: KIND
files_of() {
	case $1 in
	readme) echo '^(README|CONTRIBUTING)' ;;
	news) echo '^NEWS' ;;
	guide) echo '/guides/' ;;
	man) echo '/man/' ;;
	header) echo '/include/' ;;
	test) echo '^tests/' ;;
	message) echo '\.(c|js|html|in|sh):' ;;
	*) echo '^doc/[^gm]|^SECURITY' ;;
	esac
}

# ---- Commits -----------------------------------------------------------------

# Print those subjects that are too long or do not begin with an imperative.
bad_subjects() {
	awk -v verbs="$here/verbs.list" '
		BEGIN {
			while ((getline line <verbs) > 0) {
				n = split(line, words, " ")
				for (i = 1; i <= n; i++)
					isVerb[words[i]] = 1
			}
		}
		{
			rest = $0
			hasComponent = sub(/^[^ :][^:]*: +/, "", rest)
			split(rest, words, /[ ,]/)
		}
		length($0) > 72 { print "too long: " $0; next }
		!hasComponent { print "no component: " $0; next }
		!isVerb[tolower(words[1])] { print "no imperative: " $0 }'
}

finds_subject() {
	[ -n "$(echo "$1" | bad_subjects)" ]
}

good_subject() {
	[ -z "$(echo "$1" | bad_subjects)" ]
}

subjects() {
	git log --no-merges --format=%s "$base"..HEAD >"$scratch/subjects" ||
		return 1
	bad_subjects <"$scratch/subjects" >"$scratch/bad"
	cat "$scratch/bad"
	[ ! -s "$scratch/bad" ]
}

# ------------------------------------------------------------------------------

components=$(sed -n 's/^component \([^:]*\):.*/\1/p' tests/rooms.list)
# shellcheck disable=SC2086
{
	find $components -name '*.c' ! -name viewerpage.c
	find $components -path '*/include/*.h'
	find $components -name '*.in' ! -name '*.pc.in'
	find HDTraceTools/viewer/src -name '*.js' -o -name '*.html'
	find README NEWS CONTRIBUTING SECURITY doc/man doc/guides doc/*.md \
		doc/format doc/measurements -name '*.md' -o -name '*.[1-9]' -o \
		-name '[A-Z]*' ! -type d
	find tests -name '*.sh' -o -name '*.mjs'
} 2>/dev/null | sort -u >"$scratch/files"

ok "a clause as a noun is found" finds clause \
	"The page lists what is missing in this build."
ok "a relative clause as a noun is found" finds clause \
	"The server asks who reads the answer first."
ok "a negated noun is found" finds no "A link that ends is no failure of the node."
ok "a generic actor is found" finds actor "A call that nobody reads costs nothing here."
ok "a relation without its noun is found" finds relation \
	"The time of a rank is longer than that of others."
ok "a stiff title of a test is found" finds_in_test 'ok "what is printed" true'
ok "a path of a test with a letter and a number is found" finds_numbered \
	'	g_test_add_func("/relation/R6/no-file", testNoFile);' c
ok "a title of a test with a letter and a number is found" finds_numbered \
	'ok "A6: the prediction is exact" true' sh
ok "no test is named by a letter with a number" none_numbered
ok "an idiom is found" finds idiom "The error lies in the first of the files."
ok "a plain sentence is accepted" passes \
	"The page lists the packages that this build lacks."
ok "a direct question is accepted" passes "What is the energy of each of the functions?"
ok "an empty text is accepted" passes "There is no meter in this machine, so pt stops."
ok "code and quoted output are not checked" counts_prose_only
"$python" "$here/language.py" "@$scratch/files" >"$scratch/shares"
for kind in readme news guide man doc header message test; do
	ok "share of sentences with a habit: $kind" within_budget $kind
done

ok "a long commit subject is found" finds_subject \
	"gluster: reject a report that is larger than a page and that no client asked for"
ok "a commit subject that is not imperative is found" finds_subject \
	"gluster: a report that is too long locks nobody out"
ok "a commit subject without a component is found" finds_subject "Reject oversized reports"
ok "a correct commit subject is accepted" good_subject "gluster: reject oversized reports"
if git cat-file -e "$base^{commit}" 2>/dev/null; then
	ok "commit subjects have the required form" subjects
else
	skip "commit subjects have the required form" "no git history"
fi
done_testing
