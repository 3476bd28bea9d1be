#!/bin/sh
# C: the same mapped graphs in hdpredict, SimGrid and SystemC: equal makespans
# where their models are equal, near ones where they are not (doc/prediction.md).
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
#
# HDTRACE_TEST_PEERS has the numbers of tiles to print a table of ("10").
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
command -v python3 >/dev/null || skip_all "python3 is missing"
cxx=${CXX:-c++}
command -v "$cxx" >/dev/null || skip_all "there is no C++ compiler: g++"
[ -z "$HD_SANITIZE" ] || skip_all "programs of others have no sanitizer"
here=$abs_top_srcdir/tests/peers
export PYTHONDONTWRITEBYTECODE=1
peers=
# Build a peer: NAME PACKAGE
build() {
	if ! "${PKG_CONFIG:-pkg-config}" --exists "$1"; then
		skip "$1" "$2 is missing"
		return
	fi
	# shellcheck disable=SC2046
	ok "$1 is built" "$cxx" -O2 -std=c++17 -Wall -Wextra \
		-o "$scratch/peer-$1" "$here/peer-$1.cpp" \
		$("${PKG_CONFIG:-pkg-config}" --cflags --libs "$1")
	peers="$peers $1"
}
build simgrid libsimgrid-dev
build systemc libsystemc-dev
if [ -z "$peers" ]; then
	done_testing
	exit
fi
compare() {
	python3 "$here/peers.py" "${abs_top_builddir:?}/hdpredict" "$scratch" \
		"$scratch" "$@" >"$scratch/said" 2>&1
	status=$?
	cat "$scratch/said"
	return "$status"
}
first=${HDTRACE_TEST_SEED:-0}
ok "chains without waiting messages are equal" compare chains "$first" 15
ok "random graphs are equal under equal models" compare random "$first" 15
# shellcheck disable=SC2086
ok "Cholesky differs only slightly" compare cholesky ${HDTRACE_TEST_PEERS:-10}
cat "$scratch/said"
done_testing
