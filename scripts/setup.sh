# shellcheck shell=bash
# Functions of ./quickstart and ./check: messages, missing packages, building.
# Sourced. Messages begin with $program. The current directory is the top of the
# source tree.
# SPDX-License-Identifier: LGPL-2.1-or-later

# No command reads from the terminal.
exec </dev/null

# Tests start Python a thousand times. A wrapper that chooses one of several versions, such
# as pyenv's, takes ten times as long to start as the Python that it chooses.
if python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) &&
	[ -x "$python" ] && [ "$python" != "$(command -v python3)" ]; then
	PATH=${python%/*}:$PATH
fi

# Debian packages that every build needs.
# shellcheck disable=SC2034
build_packages=(build-essential autoconf automake libtool autoconf-archive
	pkg-config libglib2.0-dev libxml2-dev)
# Optional packages that ./quickstart installs: for the viewer and metrics, OTF2,
# hdnode, PDF and PNG plots, and call sites.
# shellcheck disable=SC2034
tour_packages=(libmicrohttpd-dev libopen-trace-format2-dev libjansson-dev
	libhwloc-dev libcairo2-dev libdw-dev)
# Packages of the other passes of ./check.
# shellcheck disable=SC2034
check_packages=(clang libclang-rt-dev clang-format doxygen shellcheck mandoc universal-ctags
	xz-utils zstd locales babeltrace2 protobuf-compiler
	libopen-trace-format2-dev otf2-tools otf-trace python3 python3-otf2
	python3-dev python3-jsonschema python3-mpi4py python3-numpy python3-pandas python3-protobuf
	python3-scipy zsh
	libgtop2-dev cmake
	libopenmpi-dev openmpi-bin libmpich-dev mpich gfortran iproute2
	netpipe-openmpi netpipe-mpich2 libomp-dev libblas-dev
	libopenblas0-pthread
	libmicrohttpd-dev libgnutls28-dev libsnmp-dev libfreeipmi-dev
	libopenipmi-dev libpopt0 libcairo2-dev libdw-dev curl openssl libxml2-utils
	libjansson-dev libhwloc-dev libgraphviz-dev metis glpk-utils
	libjpeg-turbo-progs libsimgrid-dev libsystemc-dev g++ libslurm-dev
	glusterfs-server glusterfs-client libglusterfs-dev liburcu-dev uuid-dev
	libtirpc-dev libacl1-dev fio attr)
# Slurm, which tests start themselves; the installation must not start its services.
# shellcheck disable=SC2034
stopped_packages=(slurmctld slurmd slurm-client munge)

# Commands of the viewer and its tests, with their Debian packages. A command that is
# installed in another way is used as it is.
# shellcheck disable=SC2034
viewer_commands=(node:nodejs npm:npm)
# shellcheck disable=SC2034
browser_commands=(chromium-headless-shell:chromium-headless-shell firefox:firefox-esr pdftoppm:poppler-utils)

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

# Install the packages of missing commands, which are optional: COMMAND:PACKAGE...
install_commands() {
	local pair
	local -a packages=()

	for pair in "$@"; do
		command -v "${pair%:*}" >/dev/null || packages+=("${pair#*:}")
	done
	install_optional "${packages[@]}"
}

# Install missing packages that are optional: PACKAGE...
install_optional() {
	[ $# -gt 0 ] || return 0
	(install_packages "$@") || say "continuing without these packages"
}

# Install an MPI library, unless there is one that configure finds.
install_mpi() {
	if pkg-config --exists mpich 2>/dev/null; then
		install_commands mpiexec:mpich
	elif pkg-config --exists ompi-c 2>/dev/null; then
		install_commands mpiexec:openmpi-bin
	else
		install_optional libopenmpi-dev openmpi-bin
	fi
}

# List the missing features of a build directory, as configure found them: DIR.
say_missing() {
	[ -s "$1/config.missing" ] || return 0
	say "optional features that are not in this build, and their packages:"
	sed 's/^/    /' "$1/config.missing"
}

# Print the packages that a build directory lacks and that are installed now: DIR.
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

# Print the error in apt's log, in one line: LOG.
apt_reason() {
	local reason

	reason=$(grep '^E: ' "$1" | head -n 1)
	printf '%s\n' "${reason:-$(tail -n 1 "$1")}"
}

# Install missing packages: PACKAGE... If none is missing, this needs neither a network
# nor root.
install_packages() {
	local log packages reason
	local -a missing as_root=()

	command -v dpkg-query >/dev/null || {
		say "this is not a Debian system; install these packages yourself" \
			"(see doc/dev/dependencies.md): $*"
		return
	}
	mapfile -t missing < <(missing_packages "$@")
	[ ${#missing[@]} -gt 0 ] || return 0
	packages=${missing[*]}
	if [ "$(id -u)" -ne 0 ]; then
		as_root=(sudo -n)
		command -v sudo >/dev/null || die "$packages: cannot install:" \
			"not root, and no sudo; run as root: apt-get install $packages"
		sudo -n true 2>/dev/null || die "$packages: cannot install:" \
			"sudo needs a password; run: sudo apt-get install $packages"
	fi
	say "installing $packages"
	log=$(mktemp)
	as_root+=(env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q
		-o DPkg::Lock::Timeout=300)
	# Try with the present package lists first; if that fails, update them once.
	if ! "${as_root[@]}" install -y --no-install-recommends "${missing[@]}" \
		>"$log" 2>&1; then
		say "updating the package lists"
		if ! "${as_root[@]}" -o APT::Update::Error-Mode=any update \
			>"$log" 2>&1 ||
			! "${as_root[@]}" install -y --no-install-recommends \
				"${missing[@]}" >"$log" 2>&1; then
			reason=$(apt_reason "$log")
			rm -f "$log"
			die "$packages: cannot install: $reason"
		fi
	fi
	rm -f "$log"
}

# Install missing packages that are optional, without starting their services:
# PACKAGE... Debian asks policy-rc.d, which exists only for this time.
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
	# The variables are expanded here; the trap does not see them.
	# shellcheck disable=SC2064
	trap "${as_root[*]} rm -f $policy" EXIT
	trap 'exit 130' INT
	trap 'exit 143' HUP TERM
	if ! printf '#!/bin/sh\nexit 101\n' |
		"${as_root[@]}" tee "$policy" >/dev/null 2>&1 ||
		! "${as_root[@]}" chmod 755 "$policy"; then
		say "continuing without ${missing[*]}"
		return 0
	fi
	install_optional "$@"
}

# Put a program into the PATH: PROGRAM PACKAGE DIRECTORY. Its package is unpacked but not
# installed, because the installation would start a server.
fetch_program() {
	command -v "$1" >/dev/null && return
	if [ ! -x "$3/usr/bin/$1" ] && [ ! -x "$3/usr/sbin/$1" ]; then
		command -v apt-get >/dev/null || return 0
		say "downloading $1"
		mkdir -p "$3"
		(cd "$3" && apt-get -q download "$2" &&
			dpkg -x "$2"_*.deb . && rm "$2"_*.deb) \
			>"$3.log" 2>&1 || {
			say "$1: cannot download: $(apt_reason "$3.log")"
			return 0
		}
	fi
	PATH=$PATH:$3/usr/bin:$3/usr/sbin
}

# Run a command with its output in a file; on failure show the end: LOG COMMAND...
quietly() {
	local log=$1

	shift
	"$@" >"$log" 2>&1 && return
	say "command failed: $*"
	tail -n 40 "$log" | sed 's/^/    /'
	say "complete output: $log"
	return 1
}

# Make ./configure, if it is missing or older than its sources: DIR, for the log.
bootstrap_if_needed() {
	[ -x configure ] && [ -f Makefile.in ] && [ -z "$(find configure.ac \
		Makefile.am ./*/Makemodule.am ./*/*/Makemodule.am \
		-newer configure 2>/dev/null)" ] && return
	say "making configure"
	mkdir -p "$1"
	quietly "$1/bootstrap.log" ./bootstrap
}

# For make, in builds of static libraries: libtool takes longer than the compiler.
static_libtool="LIBTOOL=sh $PWD/scripts/libtool-static ./libtool"

# How many jobs make runs.
make_jobs=(-j"$(nproc)")

# configure and make start thousands of shells; where one has the choice it takes bash,
# which takes a third longer.
[ ! -x /bin/dash ] || export CONFIG_SHELL="${CONFIG_SHELL-/bin/dash}"

# Configure a build directory and build in it, with static libraries: DIR OPTION...
# The make target is $build_target, or everything.
build_in() {
	local dir=$1 top=$PWD is_new=1

	shift
	mkdir -p "$dir" || return 1
	# A directory with other options is made again.
	if [ "$(cat "$dir/.options" 2>/dev/null)" != "$top $*" ] ||
		[ ! -f "$dir/Makefile" ]; then
		rm -rf "$dir"
		mkdir -p "$dir" || return 1
		(cd "$dir" && quietly configure.log "$top/configure" -q "$@") ||
			return 1
		printf '%s\n' "$top $*" >"$dir/.options"
	# If packages were installed since, configure again.
	elif [ "$(lacking_installed "$dir")" != \
		"$(cat "$dir/.lacking" 2>/dev/null)" ]; then
		say "configuring again with newly installed packages"
		(cd "$dir" && quietly configure.log ./config.status --recheck &&
			quietly configure.log ./config.status) || return 1
	else
		is_new=
	fi
	[ -z "$is_new" ] || lacking_installed "$dir" >"$dir/.lacking"
	quietly "$dir/make.log" make -C "$dir" "${make_jobs[@]}" "$static_libtool" \
		"${build_target:-all}"
}
