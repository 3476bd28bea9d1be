#!/bin/sh
# hdtrace report --html: what the page consists of, and its options.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: optional
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
cd "$scratch" || exit 99
make_mini

# Without the viewer the command says what is missing, and nothing else.
if "$hdtrace" report --html x mini 2>&1 | grep -q "without the viewer"; then
	ok "the message names Node.js and npm" \
		says "Node.js and npm" 2 report --html x mini
	ok "no page is written without the viewer" [ ! -e x ]
	done_testing
fi

# A page has a line: PATTERN, of grep -E.
has_line() {
	grep -qE -- "$1" page.html || {
		echo "no line like $1"
		return 1
	}
}

# Scripts that are run are as many as there are hashes, and no source of data is
# allowed but the page: the policy stands before everything else.
is_closed() {
	grep -c '<script>' page.html | grep -qx 1 &&
		has_line "default-src 'none'; script-src 'sha256-[^' ]*'; style-src 'sha256-[^' ]*'; img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'" &&
		! grep -qE '<(link|img|iframe|object|embed|base)[ >]' page.html
}

# The hash in the page is that of the script, as a browser sees it.
# shellcheck disable=SC2016 # perl expands it
hash_fits() {
	"${PERL:-perl}" -MDigest::SHA=sha256_base64 -0777 -ne '
		/script-src .sha256-([^\x27]*)=\x27/ or die;
		$said = $1;
		/<script>(.*?)<\/script>/s or die;
		exit(sha256_base64($1) ne $said)' page.html
}

# The page holds no text of the project but inside of JSON without "<".
is_data() {
	sed -n '/id="meta"/,/<\/script>/p' page.html | sed '1d;$d' >meta
	[ -s meta ] && ! grep -q '<' meta
}

smaller() {
	[ "$(wc -c <"$1")" -lt "$(wc -c <"$2")" ]
}

is_below() {
	[ "$(wc -c <"$1")" -le "$2" ]
}

ok "a page is written" status 0 report -q -o page.html mini
ok "the size of the page is printed" grep -qE '^page.html: [0-9.]+ kB, exact$' out
ok "the page has the groups" has_line '<div hidden id="s0" data-index='
ok "the page has the traces" has_line '<div hidden id="t1" data-index='
ok "the page has the messages" has_line '<div hidden id="m0" data-index='
ok "the page opens no connections" is_closed
if command -v perl >/dev/null; then
	ok "the policy allows only the script of the page" hash_fits
else
	skip "the policy allows only the script of the page" "perl is missing"
fi
ok "the project is embedded as data" is_data
ok "the page has the licence of uPlot" has_line 'The MIT License'
ok "an existing page is kept" \
	says "page.html: exists; --force replaces it" 2 report -o page.html mini
ok "--force replaces an existing page" status 0 report -q --force -o page.html mini
ok "a page is written to stdout" status 0 report -q --html - mini
ok "the page on stdout equals the file" cmp page.html out
ok "a missing directory is reported" \
	says "No such file or directory" 2 report -o none/page.html mini
for size in 0 -1 x 5X '' 1e99; do
	ok "--max-size=$size is refused" \
		says "invalid size" 2 report -o x.html --max-size="$size" mini
done
ok "--max-size requires --html" says "report: --max-size: requires --html" 2 \
	report --max-size=1M mini
ok "--html cannot be combined with --format=json" \
	says "--html: cannot be combined with --format=json" 2 report --format=json -o x.html mini
ok "no page is written after usage errors" [ ! -e x.html ]
"$abs_top_builddir/tests/bench/make-project" --nodes=2 --ranks=2 \
	--records=20000 --values=100000 run
ok "a page of a larger project is written" status 0 report -q -o large.html run
limit=$(($(wc -c <large.html) * 2 / 3))
ok "a reduced page is written" status 0 report -q -o small.html --max-size=$limit run
cp out small
ok "--max-size makes a smaller page" smaller small.html large.html
ok "the page is below --max-size" is_below small.html $limit
ok "the message reports the lower resolution" grep -q 'in lower resolution' small
ok "a page above --max-size is reported" \
	says "larger than --max-size" 0 report -o tiny.html --max-size=1 run
ok "a page with phases is written" status 0 report -q --force -o page.html --phases-from=alpha_0 mini
ok "the page has the phases" has_line '"phases": \[$'
done_testing
