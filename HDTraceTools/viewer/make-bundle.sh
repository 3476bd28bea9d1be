#!/bin/sh
# Makes the page of the viewer from its sources: build-aux/viewer/viewer.html in
# the source tree, where it is found in a release.
#
#     make-bundle.sh NODE NPM
#
# Packages are fetched once, into build-aux/viewer/node_modules.
#
# Exit status: 0, 1 (the sources are wrong), 77 (no packages, or no place).
# SPDX-License-Identifier: LGPL-2.1-or-later
set -u
node=$1
npm=$2
here=$(cd "$(dirname "$0")" && pwd) || exit 77
dir=$here/../../build-aux/viewer
mkdir -p "$dir" 2>/dev/null
[ -w "$dir" ] || {
	echo "$dir cannot be written"
	exit 77
}
dir=$(cd "$dir" && pwd) || exit 77

# One at a time: builds may share the source tree.
if command -v flock >/dev/null 2>&1; then
	exec 9>"$dir/lock"
	flock 9
fi

# Whether the packages are there that the lock file wants.
has_packages() {
	cmp -s "$here/package-lock.json" "$dir/node_modules/.fetched"
}

fetch_packages() {
	rm -rf "$dir/node_modules"
	cp "$here/package.json" "$here/package-lock.json" "$dir/" || return 1
	# Nothing of the packages is run while they are fetched.
	(cd "$dir" && "$npm" ci --ignore-scripts --prefer-offline --no-audit \
		--no-fund </dev/null >npm.log 2>&1) || {
		rm -rf "$dir/node_modules"
		grep -iE 'npm (err|error)' "$dir/npm.log" | head -n 3
		return 1
	}
	cp "$here/package-lock.json" "$dir/node_modules/.fetched"
}

has_packages || fetch_packages || {
	echo "npm could not fetch packages; see $dir/npm.log"
	exit 77
}
"$node" "$here/bundle.mjs" "$dir" || exit 1
