# shellcheck shell=bash
# What ./quickstart and ./check share: messages, missing packages, building.
# Sourced; $program is the name that messages begin with, and the current
# directory is the top of the source tree.
# SPDX-License-Identifier: LGPL-2.1-or-later

# Nothing asks anything, and whoever runs this may have no standard input.
exec </dev/null

# Debian packages, for the scripts that source this: what a build needs ...
# shellcheck disable=SC2034
build_packages=(build-essential autoconf automake libtool autoconf-archive
	pkg-config libglib2.0-dev libxml2-dev)
# ... what the tour in README needs besides, and hdtrace can do without ...
# shellcheck disable=SC2034
tour_packages=(libmicrohttpd-dev libopen-trace-format2-dev)
# ... and what the further passes of ./check need.
# shellcheck disable=SC2034
check_packages=(clang libclang-rt-dev clang-format doxygen shellcheck mandoc
	xz-utils locales babeltrace2 protobuf-compiler
	libopen-trace-format2-dev otf2-tools otf-trace python3 python3-otf2
	python3-jsonschema python3-protobuf python3-scipy zsh
	libgtop2-dev
	libopenmpi-dev openmpi-bin libmpich-dev mpich gfortran iproute2
	netpipe-openmpi netpipe-mpich2 libomp-dev libblas-dev
	libopenblas0-pthread
	libmicrohttpd-dev libgnutls28-dev libsnmp-dev libfreeipmi-dev
	libopenipmi-dev libpopt0 libcairo2-dev libdw-dev curl openssl libxml2-utils
	libjansson-dev libhwloc-dev
	libjpeg-turbo-progs libsimgrid-dev libsystemc-dev g++ libslurm-dev
	glusterfs-server glusterfs-client libglusterfs-dev liburcu-dev uuid-dev
	libtirpc-dev libacl1-dev fio attr)
# The Slurm that tests start for themselves; its services are not to be started.
# shellcheck disable=SC2034
stopped_packages=(slurmctld slurmd slurm-client munge)

# Commands that may be here from elsewhere, which a package of Debian's would
# get in the way of, and the packages otherwise: for the viewer, and its tests.
# shellcheck disable=SC2034
viewer_commands=(node:nodejs npm:npm)
# shellcheck disable=SC2034
browser_commands=(chromium:chromium firefox:firefox-esr pdftoppm:poppler-utils)

say() {
	printf '%s: %s\n' "${program:?}" "$*"
}

die() {
	printf '%s: %s\n' "${program:?}" "$*" >&2
	exit 1
}

# Print those of the given packages that are not installed.
missing_packages() {
	local package status

	for package in "$@"; do
		# The shell must not expand dpkg-query's ${...}.
		# shellcheck disable=SC2016
		status=$(dpkg-query -W -f='${db:Status-Status}\n' "$package" \
			2>/dev/null)
		grep -qx installed <<<"$status" || printf '%s\n' "$package"
	done
}

# Install the packages of those COMMAND:PACKAGE that are missing. What needs them
# can be done without.
install_commands() {
	local pair
	local -a packages=()

	for pair in "$@"; do
		command -v "${pair%:*}" >/dev/null || packages+=("${pair#*:}")
	done
	install_optional "${packages[@]}"
}

# Install those of the given packages that are missing, and that can be done
# without.
install_optional() {
	[ $# -gt 0 ] || return 0
	(install_packages "$@") || say "going on without"
}

# Say what a build directory lacks, as its configure found: DIR.
say_missing() {
	[ -s "$1/config.missing" ] || return 0
	say "not in this build, for what it needs is missing:"
	sed 's/^/    /' "$1/config.missing"
}

# Print what of the packages that a build directory lacks is installed: DIR.
lacking_installed() {
	local -a packages

	command -v dpkg-query >/dev/null || return 0
	mapfile -t packages < <(sed -n 's/.*(Debian: \(.*\))$/\1/p' \
		"$1/config.missing" 2>/dev/null | sed 's/, or / /g; s/,/ /g' |
		tr -s ' ' '\n' | sort -u)
	[ ${#packages[@]} -gt 0 ] || return 0
	comm -13 <(missing_packages "${packages[@]}") \
		<(printf '%s\n' "${packages[@]}")
}

# Print what went wrong in apt's log, in one line.
apt_reason() {
	local reason

	reason=$(grep '^E: ' "$1" | head -n 1)
	printf '%s\n' "${reason:-$(tail -n 1 "$1")}"
}

# Install those of the given packages that are missing. Needs no network and
# no rights when there is nothing to do.
install_packages() {
	local log packages reason
	local -a missing as_root=()

	command -v dpkg-query >/dev/null || {
		say "not a Debian system; expecting what HACKING lists:" \
			"${packages[*]-} $*"
		return
	}
	mapfile -t missing < <(missing_packages "$@")
	[ ${#missing[@]} -gt 0 ] || return 0
	packages=${missing[*]}
	if [ "$(id -u)" -ne 0 ]; then
		as_root=(sudo -n)
		command -v sudo >/dev/null || die "could not install $packages:" \
			"neither root nor sudo here; as root: apt-get install $packages"
		sudo -n true 2>/dev/null || die "could not install $packages:" \
			"sudo asks for a password; please: sudo apt-get install $packages"
	fi
	say "installing $packages"
	log=$(mktemp)
	as_root+=(env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q
		-o DPkg::Lock::Timeout=300)
	# The package lists that are there may do; else fetch new ones, once.
	if ! "${as_root[@]}" install -y --no-install-recommends "${missing[@]}" \
		>"$log" 2>&1; then
		say "fetching the list of packages"
		if ! "${as_root[@]}" -o APT::Update::Error-Mode=any update \
			>"$log" 2>&1 ||
			! "${as_root[@]}" install -y --no-install-recommends \
				"${missing[@]}" >"$log" 2>&1; then
			reason=$(apt_reason "$log")
			rm -f "$log"
			die "could not install $packages: $reason"
		fi
	fi
	rm -f "$log"
}

# Install those of the given packages that are missing, and that can be done
# without, and start none of their services: Debian asks policy-rc.d, which is
# there meanwhile, and is gone whatever ends us.
install_stopped() {
	(install_stopped_here "$@")
}

# The same, in a shell of its own.
install_stopped_here() {
	local policy=/usr/sbin/policy-rc.d
	local -a missing as_root=()

	command -v dpkg-query >/dev/null || return 0
	mapfile -t missing < <(missing_packages "$@")
	[ ${#missing[@]} -gt 0 ] || return 0
	[ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
	if [ -e "$policy" ]; then
		install_optional "$@"
		return
	fi
	# Both are known here, and not where it ends.
	# shellcheck disable=SC2064
	trap "${as_root[*]} rm -f $policy" EXIT
	trap 'exit 130' INT
	trap 'exit 143' HUP TERM
	if ! printf '#!/bin/sh\nexit 101\n' |
		"${as_root[@]}" tee "$policy" >/dev/null 2>&1 ||
		! "${as_root[@]}" chmod 755 "$policy"; then
		say "going on without ${missing[*]}"
		return 0
	fi
	install_optional "$@"
}

# Put a program into the PATH. Debian has it in the package of a server, which
# would be started where it is installed; so that is only unpacked:
# PROGRAM PACKAGE DIRECTORY.
fetch_program() {
	command -v "$1" >/dev/null && return
	if [ ! -x "$3/usr/bin/$1" ] && [ ! -x "$3/usr/sbin/$1" ]; then
		command -v apt-get >/dev/null || return 0
		say "fetching $1"
		mkdir -p "$3"
		(cd "$3" && apt-get -q download "$2" &&
			dpkg -x "$2"_*.deb . && rm "$2"_*.deb) \
			>"$3.log" 2>&1 || {
			say "no $1: $(apt_reason "$3.log")"
			return 0
		}
	fi
	PATH=$PATH:$3/usr/bin:$3/usr/sbin
}

# Run a command with its output in a file; on failure show the end of it.
quietly() {
	local log=$1

	shift
	"$@" >"$log" 2>&1 && return
	say "this failed: $*"
	tail -n 40 "$log" | sed 's/^/    /'
	say "all of its output: $log"
	return 1
}

# Make ./configure, if it is not there or older than what it is made from.
bootstrap_if_needed() {
	[ -x configure ] && [ -f Makefile.in ] && [ -z "$(find configure.ac \
		Makefile.am ./*/Makemodule.am ./*/*/Makemodule.am \
		-newer configure 2>/dev/null)" ] && return
	say "making configure"
	mkdir -p "$1"
	quietly "$1/bootstrap.log" ./bootstrap
}

# Configure a build directory and build everything in it: DIR OPTION...
build_in() {
	local dir=$1 top=$PWD is_new=1

	shift
	mkdir -p "$dir" || return 1
	# A directory that was configured in another way starts anew.
	if [ "$(cat "$dir/.options" 2>/dev/null)" != "$top $*" ] ||
		[ ! -f "$dir/Makefile" ]; then
		rm -rf "$dir"
		mkdir -p "$dir" || return 1
		(cd "$dir" && quietly configure.log "$top/configure" -q "$@") ||
			return 1
		printf '%s\n' "$top $*" >"$dir/.options"
	# One that was configured before a package came does so again.
	elif [ "$(lacking_installed "$dir")" != \
		"$(cat "$dir/.lacking" 2>/dev/null)" ]; then
		say "configuring again, for packages that were installed"
		(cd "$dir" && quietly configure.log ./config.status --recheck &&
			quietly configure.log ./config.status) || return 1
	else
		is_new=
	fi
	[ -z "$is_new" ] || lacking_installed "$dir" >"$dir/.lacking"
	quietly "$dir/make.log" make -C "$dir" -j"$(nproc)"
}
