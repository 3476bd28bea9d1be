#!/bin/sh
# Which inputs make up the power of a node, on thirty machines: what pt says of
# their trees, and what all readers say of files with these inputs.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
command -v python3 >/dev/null || skip_all "no python3"
cd "$scratch" || exit 99
LC_ALL=C
export LC_ALL

python3 "$abs_top_srcdir/tests/tools/readers/powers.py" \
	"${abs_top_builddir:?}/hdtrace" "$abs_top_builddir/pt" \
	"$abs_top_srcdir/tests/fixtures/machines/machines.list" >found 2>&1
while read -r result; do
	case $result in
	'ok - '*) ok "${result#ok - }" true ;;
	'not ok - '*) ok "${result#not ok - }" false ;;
	*) echo "# $result" ;;
	esac
done <found
enough() { cat found; [ "$(grep -c '^ok - ' found)" -ge 30 ]; }
ok "thirty machines" enough
done_testing
