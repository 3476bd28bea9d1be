#!/bin/sh
# A disk that becomes full at any point ends commands with a message and status 2.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain slow
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
cd "$scratch" || exit 99
TMPDIR=$scratch
export TMPDIR
"${abs_top_builddir:?}/tests/bench/make-project" --nodes=2 --ranks=2 \
	--records=60000 --values=60000 run >/dev/null || exit 99

# No file grows beyond so many blocks: each write that crosses this fails. The
# signal for that is ignored: BLOCKS ARGUMENT...
limited() {
	(
		trap '' XFSZ
		ulimit -f "$1"
		shift
		# What it says goes on, what it prints does not.
		# shellcheck disable=SC2069
		exec "$hdtrace" "$@" 2>&1 >/dev/null
	)
}

# Each limit, up to one that is never met: 0 or 2, and 2 at the first: NAME
# ARGUMENT...
survives() {
	hit=0
	for blocks in 0 64 512 640 1024 1536 2048 4096; do
		limited "$blocks" "$@" >/dev/null
		found=$?
		[ "$found" -le 2 ] || { echo "status $found at $blocks: $*"; return 1; }
		[ "$found" -ne 2 ] || hit=$((hit + 1))
		rm -rf out.*
	done
	echo "$hit limits were met"
	[ "$hit" -gt 0 ] && limited unlimited "$@" >/dev/null
}
ok "report survives a full disk" survives report run
ok "compare survives a full disk" survives compare run run
ok "report --html survives a full disk" survives report --html=out.html run
for format in arrow openmetrics paraver ctf perfetto csv-wide csv; do
	ok "export to $format survives a full disk" survives export --to="$format" -o "out.$format" run
done
if "$hdtrace" export --to=otf2 -o probe run >/dev/null 2>&1; then
	ok "export to otf2 survives a full disk" survives export --to=otf2 -o out.otf2 run
else
	skip "export to otf2 survives a full disk" "built without OTF2"
fi
# No archive, and no part of a project, is left behind.
leaves_nothing() {
	survives "$@" || return 1
	rm -rf out.*
	! limited 0 "$@" >/dev/null && ! find . -name 'out.*' | grep .
}
ok "pack survives a full disk" leaves_nothing pack -o out.hdz run
ok "pack of a part survives a full disk" leaves_nothing pack -o out.hdz --ranks=0 --from=0.001 run
ok "cut survives a full disk" leaves_nothing cut -o out.cut --ranks=0 run
if "$hdtrace" pack -q -o packed.hdz run 2>/dev/null; then
	ok "unpack survives a full disk" survives unpack -o out.plain packed.hdz
	ok "report of an archive survives a full disk" survives report packed.hdz
fi
says_once() {
	limited 0 report run | cat >said
	cat said
	[ "$(grep -c 'temporary file' said)" -eq 1 ]
}
ok "the full disk is reported once" says_once
done_testing
