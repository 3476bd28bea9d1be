#!/bin/sh
# Words that users read mean one thing each: tests/words.list has those that are
# not to come back.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: text
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers are no matter of words"
python=${PYTHON:-python3}
$python -c '' 2>/dev/null || skip_all "no python3"
words=$abs_top_srcdir/tests/system/words.py
list=$abs_top_srcdir/tests/words.list
cd "$abs_top_srcdir" || exit 99
components=$(sed -n 's/^component \([^:]*\):.*/\1/p' tests/rooms.list)

# ---- What is found at all ----------------------------------------------------

# A file of each kind that has one of the words: NAME, then its text.
sample() {
	mkdir -p "$scratch/sample/$(dirname "$1")"
	cat >"$scratch/sample/$1"
}
# The strings are as they stand in a source.
# shellcheck disable=SC2016
{
	sample joined.c <<'END'
/* A channel is no matter of users. */
static const char *text = "nested " "lev" /* here */
	"els" " of states", *key = "channel";
END
	sample macro.c <<'END'
printf("power lev" PRIu64 "els", n);
printf("at depth %" PRId64 "\n", depth);
END
	sample include/header.h <<'END'
int channel; /**< Which channel. */
END
	sample page.js <<'END'
// A channel.
const channel = `${row} of the channel`;
END
	sample page.html <<'END'
<!-- a channel --><p class="channel">One <b>channel</b>
END
	sample script.sh <<'END'
# a channel
echo "one channel"
END
	sample page.1 <<'END'
error
message
END
	sample text.md <<'END'
So it cannot be told
from that.
END
	sample good.c <<'END'
"a level of the topology", "an MPI message", "two inputs", "nesting"
END
}

# Lines of a sample that have a word: FILE LINE...
found_in() {
	name=$1
	shift
	"$python" "$words" --list "$list" "$scratch/sample/$name" |
		sed -n "s|^$scratch/sample/$name:\([0-9]*\): .*|\1|p" |
		sort -nu >"$scratch/lines"
	"$python" "$words" "$scratch/sample/$name"
	echo "$@" | tr ' ' '\n' | sed '/^$/d' | diff - "$scratch/lines"
}

# Exceptions that nothing needs are found, too, and lines without a reason.
kept_short() {
	printf '%s\n' 'ban thing -> this' 'but nowhere thing | why' \
		>"$scratch/list"
	"$python" "$words" --list "$scratch/list" "$scratch/sample/good.c" |
		grep -F 'nothing needs this any more: but nowhere thing' || return 1
	echo 'ban thing' >"$scratch/list"
	! "$python" "$words" --list "$scratch/list" "$scratch/sample/good.c"
}

# ---- What users read ---------------------------------------------------------

# Pages as people see them, or else their source.
rendered() {
	for page in doc/man/*.[1-9]; do
		out=$scratch/man/${page##*/}
		mandoc -T utf8 -O width=78 "$page" >"$out" 2>/dev/null ||
			cp "$page" "$out"
	done
}

mkdir "$scratch/man"
rendered

# shellcheck disable=SC2086
{
	find $components -name '*.[ch]' ! -name viewerpage.c
	find HDTraceTools/viewer/src -name '*.js' -o -name '*.html'
	find $components -name '*.in' ! -name '*.pc.in'
	find doc README NEWS contrib quickstart scripts cli/options.sh -type f |
		grep -vE '\.(am|png|svg|json|rng|in|awk|internal)$|doc/man/' |
		grep -v 'contrib/completion\.[a-z]*$'
	find tests/tools/golden -name '*.text' -o -name '*.csv' -o -name '*.pcf'
	find "$scratch/man" -type f
} | sort >"$scratch/files"
"$python" "$words" --list "$list" "@$scratch/files" >"$scratch/found"
status=$?

# Nothing was found in files that match: PATTERN; there are such files.
clean() {
	grep -qE "$1" "$scratch/files" || { echo "no files"; return 1; }
	! grep -E "$1" "$scratch/found"
}

no_leftovers() {
	! grep 'nothing needs this' "$scratch/found"
}

ok "words in joined strings are found" found_in joined.c 2
ok "words in strings with macros between are found" found_in macro.c 1 2
ok "words in comments of public headers are found" found_in include/header.h 1
ok "words in texts of the viewer are found" found_in page.js 2
ok "words in HTML are found" found_in page.html 1
ok "words in messages of scripts are found" found_in script.sh 2
ok "words across lines of man pages are found" found_in page.1 1
ok "words across lines of texts are found" found_in text.md 1
ok "correct texts are not reported" found_in good.c
ok "each exception is necessary and has a reason" kept_short
ok "all files were read" [ "$status" -eq 0 ]
ok "texts in C sources contain no banned words" clean '^[^ ]*\.(c|in)\b'
ok "public headers contain no banned words" clean '/include/[^ ]*\.h\b'
ok "the viewer contains no banned words" clean '^HDTraceTools/viewer/'
ok "man pages contain no banned words" clean "^$scratch/man/"
ok "README, NEWS and doc contain no banned words" clean '^(README|NEWS|doc/)'
ok "scripts contain no banned words" clean '^(quickstart|scripts|contrib|cli/options)'
ok "columns and results contain no banned words" clean '^tests/tools/golden/'
ok "no exception is unused" no_leftovers
done_testing
