#!/bin/sh
# Daemons of nodes with faults, which one collector records: killed, stopped, restarted,
# wrong, and with a clock that is set. The long form is `make soak-node`.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain slow waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/node.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "a library before those of sanitizers"
command -v python3 >/dev/null || skip_all "no python3"
[ -x "$abs_top_builddir/pt" ] || skip_all "pt was not built"
seconds=${SOAK_SECONDS:-16}
count=${SOAK_DAEMONS:-16}
if [ "${1-}" != inside ]; then
	command -v ip >/dev/null || skip_all "no ip"
	unshare -rn sh -c 'ip link set lo up' 2>/dev/null ||
		skip_all "no network of our own"
	trap - EXIT
	rm -rf "$scratch"
	exec unshare -rn sh "$0" inside
fi
cd "$scratch" || exit 99
ip link set lo up
soaks() {
	timeout $((seconds + 300)) python3 "$abs_top_srcdir/tests/collect/soak-node.py" \
		"$abs_top_builddir" "$seconds" "$count" >out 2>&1
	result=$?
	grep -v '^hdnode collect: node' out | tail -n 40
	return "$result"
}
ok "faults of $count daemons in $seconds s cost no time, no memory and no joule" soaks
# The long form has its figures in the log.
[ "$seconds" -lt 600 ] || sed -n 's/^/# /p' out | grep -v ' hdnode collect: node'
done_testing
