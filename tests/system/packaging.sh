#!/bin/sh
# The recipes of packaging/ and debian/ are valid, name this version, and miss nothing.
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

# One call for all: apt-cache reads its whole cache each time.
packages_exist() {
	packages "$1" | sort -u >"$scratch/asked"
	# Words.
	# shellcheck disable=SC2046
	apt-cache show --no-all-versions $(cat "$scratch/asked") 2>"$scratch/errors" |
		sed -n 's/^Package: //p' | sort -u >"$scratch/shown"
	! comm -23 "$scratch/asked" "$scratch/shown" | sed 's/$/: no such package/' | grep .
}

finds_package() {
	printf 'RUN apt-get update && apt-get install -y --no-install-recommends \\\n\tgcc no-such-package\n' \
		>"$scratch/Containerfile"
	! packages_exist "$scratch/Containerfile"
}

# The version of the packages is that of the sources; Debian adds a revision.
is_of_version() {
	sed -n '1s/^hdtrace (\(.*\)-[^-]*) .*/\1/p' "$1/changelog" >"$scratch/version"
	cat "$scratch/version"
	[ "$(cat "$scratch/version")" = "$version" ]
}

# A library is in a package of its soname, with the versions of its symbols, and has
# files for developers; a page is in one package, with its command; and programs that
# others start are in a package. Lists what is missing: DEBIAN
lists_missing() {
	awk '
	FILENAME ~ /\/control$/ {
		if ($1 == "Package:")
			packages[$2] = 1
		next
	}
	FILENAME ~ /\.install$/ {
		installed[$1]++
		if ($1 ~ /\/man[0-9]\//)
			pages[++count] = $1
		next
	}
	FILENAME ~ /\/debian\/.*\.symbols$/ {
		versions[FILENAME, $1] = 1
		next
	}
	FILENAME ~ /\.symbols$/ {
		library = FILENAME
		gsub(/^.*\/|\.symbols$/, "", library)
		used[library, NF > 1 ? $2 : "0.1"] = 1
		libraries[library] = 1
		next
	}
	FILENAME ~ /\/programs$/ {
		if (!(("usr/libexec/hdtrace/" $1) in installed))
			print "usr/libexec/hdtrace/" $1 " is in no package"
		next
	}
	{
		name = $1
		sub(/^.*\//, "", name)
		found = 0
		for (i = 1; i <= count; i++) {
			pattern = pages[i]
			sub(/^.*\//, "", pattern)
			gsub(/\./, "[.]", pattern)
			gsub(/\*/, ".*", pattern)
			found += name ~ "^" pattern "$"
		}
		if (found != 1)
			print name " is in " found " packages"
		command = name
		sub(/\.[18]$/, "", command)
		if (command !~ /^hdtrace-|^hdnode-health$|\.[0-9]$/ &&
			!(("usr/bin/" command) in installed))
			print "usr/bin/" command " is in no package"
	}
	END {
		for (library in libraries) {
			package = tolower(library) "0"
			if (!(package in packages))
				print "no package " package
			split("*.so.* *.so *.a pkgconfig/*.pc", ends, " ")
			for (i = 1; i <= 4; i++) {
				file = ends[i]
				sub(/\*/, library, file)
				if (!(("usr/lib/*/" file) in installed))
					print file " is in no package"
			}
		}
		for (key in used) {
			split(key, parts, SUBSEP)
			file = directory "/" tolower(parts[1]) "0.symbols"
			if (!((file, "(symver)HDTRACE_" parts[2]) in versions))
				print file ": no HDTRACE_" parts[2]
		}
	}' directory="$1" "$1/control" "$1"/*.install "$1"/*.symbols "$PWD"/tests/abi/*.symbols \
		"$scratch/programs" "$scratch/pages"
}
printf '%s\n' doc/man/* >"$scratch/pages"
sed -n 's/^pkglibexec_[A-Z]* += //p' ./*/Makemodule.am ./*/*/Makemodule.am |
	tr ' ' '\n' >"$scratch/programs"

is_complete() {
	! lists_missing "$1" | grep .
}

# A list with a package, a page or a version less is refused.
finds_missing() {
	for fault in 's/libhdpower0$/libhdpower9/ control is_complete' \
		'/rut.1/d hdtrace-record.install is_complete' \
		'/usr.bin.pt$/d hdtrace-record.install is_complete' \
		'/hdcalibrate/d hdtrace-mpi-mpich.install is_complete' \
		'1s/[0-9.]*-1/9.9-1/ changelog is_of_version'; do
		# Words.
		# shellcheck disable=SC2086
		set -- $fault
		rm -rf "$scratch/debian" && cp -R debian "$scratch/debian" &&
			sed -i "$1" "$scratch/debian/$2" || return 1
		! "$3" "$scratch/debian" || { echo "not found: $fault"; return 1; }
	done
}

# A clone needs more than the package build: the packages that bootstrap names, and those
# that bundle the viewer: GUIDE
names_packages() {
	sed -n 's/^    apt-get install \([^.].*\)/\1/p' "$1" | tr ' ' '\n' >"$scratch/named"
	# The message of bootstrap has lines that end in a backslash.
	for package in $(sed -n '/apt-get install/,/>&2/{s/.*apt-get install//; s/>&2//; s/[\\"]//g; p;}' \
		bootstrap) nodejs npm; do
		grep -qx "$package" "$scratch/named" || { echo "$package: not in $1"; return 1; }
	done
	grep -qx '    apt-get build-dep ./' "$1"
}

finds_unnamed() {
	sed 's/ autoconf-archive//' doc/guides/install.md >"$scratch/install.md" &&
		! names_packages "$scratch/install.md"
}

tests_exist() {
	# Words.
	# shellcheck disable=SC2013
	for test in $(sed -n 's/^Tests: //p' debian/tests/control); do
		if [ ! -x "debian/tests/$test" ] ||
			! grep -q "debian/tests/${test}[ ;]" Makefile.am; then
			echo "debian/tests/$test: not in the tree or a release"
			return 1
		fi
	done
}

# make-deb with a package build that has a file only.
makes_packages() {
	mkdir -p "$scratch/bin" "$scratch/hdtrace-1/debian" "$scratch/debs/source" &&
		touch "$scratch/hdtrace-1/debian/control" "$scratch/debs/other_1_all.deb" \
			"$scratch/debs/source/mine" &&
		tar -C "$scratch" -cJf "$scratch/release.tar.xz" hdtrace-1 &&
		printf '#!/bin/sh\n' >"$scratch/bin/dpkg-checkbuilddeps" &&
		cat >"$scratch/bin/dpkg-buildpackage" <<'END' && chmod +x "$scratch/bin"/* || return 1
#!/bin/sh
number=$(cat "$NUMBER")
touch "../new${number}_1_all.deb"
printf 'Files:\n 0a 1 libs optional new%s_1_all.deb\n' "$number" >../hdtrace_1_all.changes
END
	for number in 1 2; do
		echo "$number" >"$scratch/number"
		NUMBER=$scratch/number PATH=$scratch/bin:$PATH \
			packaging/make-deb "$scratch/release.tar.xz" 1 "$scratch/debs" || return 1
	done
	(cd "$scratch/debs" && find . -type f | LC_ALL=C sort) >"$scratch/files"
	printf './%s\n' build.log hdtrace_1.orig.tar.xz hdtrace_1_all.changes new2_1_all.deb \
		other_1_all.deb source/mine | diff - "$scratch/files"
}

# verify-abi in a repository of its own, with a compiler and an abidiff that know its own
# check only: EXPECTED
compares() {
	GIT_CEILING_DIRECTORIES=$scratch PATH=$scratch/abi:$PATH CC=true packaging/verify-abi "$scratch/clone" . \
		"$scratch/verify" >"$scratch/compared" 2>&1
	found=$?
	cat "$scratch/compared"
	[ "$found" -eq 0 ] && grep -q "^ok 1 - abidiff" "$scratch/compared" &&
		grep -q "^ok 2 - .* # SKIP $1" "$scratch/compared"
}
says_without_release() {
	mkdir -p "$scratch/abi" "$scratch/clone" &&
		printf '#!/bin/sh\ncase $* in *[bc].so) exit 4 ;; esac\n' >"$scratch/abi/abidiff" &&
		cp "$scratch/abi/abidiff" "$scratch/abi/abidw" && chmod +x "$scratch/abi"/* &&
		compares ".* is not a git clone" && cd "$scratch/clone" || return 1
	git init -q . && git config user.name x && git config user.email x &&
		git commit -q --allow-empty -m first || return 1
	cd "$abs_top_srcdir" && compares "there is no tag vVERSION" &&
		git -C "$scratch/clone" tag v7.8 &&
		compares "v7.8 is this revision, and the first release"
}

ok "the packages have this version" is_of_version debian
ok "each library, page and command is in a package" is_complete "$PWD/debian"
ok "a missing package, page, command or version is found" finds_missing
ok "the tests of the packages exist, and are in a release" tests_exist
ok "the guide names the packages that a clone needs" names_packages doc/guides/install.md
ok "a package that the guide lacks is found" finds_unnamed
ok "make deb replaces its own packages only" makes_packages
if command -v git >/dev/null; then
	ok "verify-abi says that there is no release before" says_without_release
else
	skip "verify-abi without a release before" "git is missing"
fi
if command -v python3 >/dev/null; then
	ok "the Spack recipe is valid" recipe spack packaging/spack/package.py
	ok "the EasyBuild file is valid" recipe easybuild \
		packaging/easybuild/HDTrace-*.eb
else
	skip "the Spack recipe and the EasyBuild file" "python3 is missing"
fi
if command -v apt-cache >/dev/null && apt-cache show gcc >"$scratch/gcc" 2>&1 &&
	grep -q 'VERSION_ID="12"' /etc/os-release; then
	ok "the packages of the Containerfile exist" packages_exist \
		packaging/container/Containerfile
	ok "a package that does not exist is found" finds_package
else
	skip "packages of the Containerfile" "this is not Debian 12 with package lists"
fi
done_testing
