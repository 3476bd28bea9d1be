#!/bin/sh
# Builds another revision of this tree, as BUILD was configured, and says where.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#     base.sh BUILD REVISION [TARGET...]
#
# It is in BUILD/bench-compare/COMMIT, in source and build, and stays there. Without
# targets libhdTracing.la and hdtrace are built.
set -u
source_dir=$(cd "$(dirname "$0")" && pwd) || exit 2

# shellcheck source=tests/bench/quietly.sh
. "$source_dir/quietly.sh"

need_revision "${2-}"
build=$(cd "$1" && pwd) || exit 2
top=$(cd "$source_dir/../.." && pwd)
revision=$(git -C "$top" rev-parse --verify --quiet "$2^{commit}") ||
	die "there is no revision $2"
base=$build/bench-compare/$revision
name=$2
shift 2
[ $# -gt 0 ] || set -- libhdTracing.la hdtrace
if [ ! -f "$base/done" ]; then
	echo "bench-compare: building $name" >&2
	rm -rf "$base"
	mkdir -p "$base/source" "$base/build" || exit 2
	git -C "$top" archive "$revision" | tar xf - -C "$base/source" ||
		die "cannot unpack $name"
	(cd "$base/source" && quietly "$base/bootstrap.log" ./bootstrap) ||
		exit 2
	# Quoted as a shell wants it.
	options=$("$build/config.status" --config) || exit 2
	(cd "$base/build" &&
		eval "quietly ../configure.log ../source/configure -q $options") ||
		exit 2
	: >"$base/done"
fi
quietly "$base/make.log" "${MAKE:-make}" -C "$base/build" \
	-j"$(getconf _NPROCESSORS_ONLN)" "$@"
echo "$base"
