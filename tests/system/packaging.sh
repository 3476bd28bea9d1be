#!/bin/sh
# The recipes of packaging/ are valid, name this version, and ask for what exists.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: text
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
cd "$abs_top_srcdir" || exit 1

version=$(sed -n 's/^AC_INIT(\[[^]]*\], *\[\([^]]*\)\].*/\1/p' configure.ac)

recipe() {
	python3 tests/system/packaging.py "$1" "$2" "$version"
}

# The packages that a Containerfile installs.
packages() {
	awk '/install -y/ { isIn = 1; sub(/.*recommends/, "") }
	isIn {
		isLast = /&&/ || !/\\$/
		sub(/&&.*/, "")
		gsub(/\\/, " ")
		count = split($0, words, " ")
		for (i = 1; i <= count; i++)
			print words[i]
		isIn = !isLast
	}' "$1"
}

packages_exist() {
	for package in $(packages "$1"); do
		apt-cache show "$package" >"$scratch/shown" 2>&1 || {
			echo "# $package: no such package"
			return 1
		}
	done
}

finds_package() {
	printf 'RUN apt-get update && apt-get install -y --no-install-recommends \\\n\tgcc no-such-package\n' \
		>"$scratch/Containerfile"
	! packages_exist "$scratch/Containerfile"
}

command -v python3 >/dev/null || skip_all "python3 is missing"
ok "the Spack recipe is valid" recipe spack packaging/spack/package.py
ok "the EasyBuild file is valid" recipe easybuild \
	packaging/easybuild/HDTrace-*.eb
if command -v apt-cache >/dev/null && apt-cache show gcc >"$scratch/gcc" 2>&1 &&
	grep -q 'VERSION_ID="12"' /etc/os-release; then
	ok "the packages of the Containerfile exist" packages_exist \
		packaging/container/Containerfile
	ok "a package that does not exist is found" finds_package
else
	skip "packages of the Containerfile" "this is not Debian 12 with package lists"
fi
done_testing
