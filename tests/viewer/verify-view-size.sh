#!/bin/sh
# How fast a large project is in Chromium: verify-view-size.sh [BUILD-DIRECTORY
# [PROJECT]]. Without a project one is made; SIZE_NODES, SIZE_RANKS (on each),
# SIZE_RECORDS and SIZE_VALUES change its size, and TMPDIR must have room for it
# (3 GB). With SIZE_PAGE=none only hdtrace view is measured; SIZE_VIEW_MS is its
# limit. The exit status is 1 if a limit was passed.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -u
# shellcheck disable=SC2034 # for what is sourced
abs_top_builddir=$(cd "${1:-.}" && pwd) || exit 2
abs_top_srcdir=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$abs_top_srcdir/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
need_viewer
need_view
need_browser
project=${2:+$(realpath "$2")}
cd "$scratch" || exit 2
if [ -z "$project" ]; then
	project=$scratch/big
	"$abs_top_builddir/tests/bench/make-project" \
		--nodes="${SIZE_NODES:-64}" --ranks="${SIZE_RANKS:-8}" \
		--records="${SIZE_RECORDS:-20000000}" \
		--values="${SIZE_VALUES:-100000000}" "$project" || exit 2
fi
if [ "${SIZE_PAGE-}" = none ]; then
	in_browser size.mjs - "$project"
	exit
fi
"$hdtrace" report -q --html page.html "$project" || [ $? -eq 1 ] || exit 2
in_browser size.mjs "file://$scratch/page.html" "$project"
