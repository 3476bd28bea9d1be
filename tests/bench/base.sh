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

die() {
	echo "bench-compare: $*" >&2
	exit 2
}

# Run a command with its output in a file; on failure show the end of it.
quietly() {
	log=$1
	shift
	"$@" >"$log" 2>&1 && return
	tail -n 20 "$log" >&2
	die "this failed: $*; the log is $log"
}

if [ $# -lt 2 ] || [ -z "$2" ]; then
	die "which revision? make bench-compare BASE=REV"
fi
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
