#!/bin/sh
# Two tables say of every function in mpi.h how it is wrapped, or why not.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
table=$abs_top_srcdir/common/mpi/functions.table
export LC_ALL=C

# Print the functions (types may stand before a bracket, too) that the mpi.h of pkg-config's PACKAGE declares.
functions_of() {
	# Unquoted: a list of options.
	# shellcheck disable=SC2046
	echo '#include <mpi.h>' | ${CC:-cc} -E -P $(
		${PKG_CONFIG:-pkg-config} --cflags "$1") - |
		tr '\n' ' ' | grep -oE '\bMPI_[A-Z][A-Za-z0-9_]* *\(' |
		sed 's/^MPI_//; s/ *(//' |
		grep -vxE 'Aint|Count|Fint|Offset' | sort -u
}

# What is wrapped where MPI has that VERSION: both forms of those that have two.
wrapped_in() {
	awk -v version="$1" '/^[a-z]/ {
		name = $2
		sub(/\(.*/, "", name)
		isLarge = sub(/\+$/, "", $1)
		if (version < 4 && $1 ~ /4$/)
			next
		print name
		if (version >= 4 && isLarge)
			print name "_c"
	}' "$table" | sort
}
wrapped_in 4 | sed '/_c$/d' >"$scratch/wrapped"
sed -n 's/^- \([^ 	]*\)[ 	].*/\1/p' "${table%/*}/unrecorded.table" >"$scratch/patterns"

# Whether a function is left out on purpose.
is_excluded() {
	while read -r pattern; do
		# The pattern is meant to be one.
		# shellcheck disable=SC2254
		case $1 in
		$pattern) return 0 ;;
		esac
	done <"$scratch/patterns"
	return 1
}

# Print the functions of a list that are neither wrapped nor left out.
none_missing() {
	missing=$(sort "$1" | comm -23 - "$scratch/wrapped" |
		while read -r function; do
			is_excluded "$function" ||
				echo "MPI_$function is not in common/mpi"
		done)
	[ -z "$missing" ] || { echo "$missing"; return 1; }
}

# Whether what the table has as wrapped is declared.
none_superfluous() {
	superfluous=$(comm -13 "$1" "$scratch/wrapped")
	[ -z "$superfluous" ] || { echo "$superfluous"; return 1; }
}

# The library defines what the table says.
all_defined() {
	${NM:-nm} -D --defined-only "${abs_top_builddir:?}/libhdMPI-$1.so" |
		sed -n 's/.* T MPI_//p' | sort >"$scratch/defined"
	! comm -23 "$scratch/wrapped" "$scratch/defined" | grep .
}

# The persistent collectives that an extension of the MPI library has: LIBRARY FILE
all_extended() {
	${NM:-nm} -D --defined-only "$2" | awk '{ print $3 }' | sed 's/@.*//' |
		grep -xE 'MPIX_[A-Za-z_]*_init' | sort >"$scratch/wanted"
	${NM:-nm} -D --defined-only "${abs_top_builddir:?}/libhdMPI-$1.so" |
		sed -n 's/.* T MPIX_/MPIX_/p' | sort | diff "$scratch/wanted" -
}

# The Fortran wrappers of the library that MPI has, too: LIBRARY SUFFIX FILE...
all_fortran() {
	library=$1
	suffix=$2
	shift 2
	{
		sed 's/^/mpi_/' "$scratch/wrapped"
		awk '/^coll4/ { sub(/\(.*/, "", $2); print "mpix_" $2 }' "$table" |
			grep '_init$'
	} | tr '[:upper:]' '[:lower:]' | sed "s/\$/$suffix/" | sort >"$scratch/names"
	for file; do
		${NM:-nm} -D --defined-only "$file"
	done | awk '{ print $3 }' | sed 's/@.*//' | sort >"$scratch/theirs"
	comm -12 "$scratch/names" "$scratch/theirs" >"$scratch/wanted"
	[ -s "$scratch/wanted" ] || return 1
	${NM:-nm} -D --defined-only "$abs_top_builddir/libhdMPI-$library.so" |
		awk '{ print $3 }' | sort >"$scratch/defined"
	! comm -23 "$scratch/wanted" "$scratch/defined" | grep .
}

# calls.c calls every function that is wrapped, and says what is recorded of it.
all_called() {
	cat "$abs_top_srcdir"/tests/mpi/calls*.c >"$scratch/calls"
	grep -ohE '\bMPI_[A-Z][A-Za-z0-9_]*' "$scratch/calls" |
		sed 's/^MPI_//' | sort -u >"$scratch/called"
	# A word in what is expected: "Send size=..", or a name of a table.
	grep -oE '"(  )*[A-Z][A-Za-z0-9_]*[ ",]' "$scratch/calls" |
		sed 's/^" *//; s/[ ",]$//' >>"$scratch/expected"
	grep -oE '(MAKES|FINDS|ONCE|AMONG|PERSISTENT)\([A-Za-z0-9_]*' "$scratch/calls" |
		sed 's/.*(//' | tee -a "$scratch/called" >>"$scratch/expected"
	sort -u "$scratch/called" -o "$scratch/called"
	sort -u "$scratch/expected" -o "$scratch/expected"
	grep -vxE "$not_called" "$scratch/wrapped" >"$scratch/wanted"
	! comm -23 "$scratch/wanted" "$scratch/called" | sed 's/$/: not called/' |
		grep . || return 1
	! comm -23 "$scratch/wanted" "$scratch/expected" |
		sed 's/$/: nothing is expected/' | grep .
}
# They are called by ring.c and sessions.c.
not_called='Abort|Session_.*|Group_from_session_pset|.*_from_groups?'

echo Nonsense >"$scratch/nonsense"
finds_nonsense() {
	! none_missing "$scratch/nonsense"
}

ok "a missing function is found" finds_nonsense
ok "a test calls each function" all_called
for library in openmpi mpich; do
	case $library in
	openmpi) package=ompi-c ;;
	mpich) package=mpich ;;
	esac
	[ -f "${abs_top_builddir:?}/libhdMPI-$library.so" ] || {
		skip "$library" "was not built"
		continue
	}
	functions_of "$package" >"$scratch/functions"
	version=3
	! grep -qx Send_c "$scratch/functions" || version=4
	wrapped_in $version >"$scratch/wrapped"
	ok "$library: mpi.h was read" grep -qx Send "$scratch/functions"
	ok "$library: no function is missing" none_missing "$scratch/functions"
	ok "$library: every wrapped function exists" \
		none_superfluous "$scratch/functions"
	ok "$library: the library contains all wrappers" all_defined $library
	directory=$(${PKG_CONFIG:-pkg-config} --variable=libdir "$package")
	[ ! -f "$directory/libmpi.so" ] || [ "$library" != openmpi ] ||
		ok "$library: the library contains the persistent collectives of the extension" \
			all_extended $library "$directory/libmpi.so"
	case $library in
	openmpi)
		fortran=$directory/libmpi_mpifh.so
		f08=$directory/libmpi_usempif08.so
		;;
	mpich)
		fortran=$directory/libmpichfort.so
		f08=$fortran
		;;
	esac
	if [ -f "$fortran" ]; then
		ok "$library: the library contains all Fortran wrappers" \
			all_fortran $library _ "$fortran"
	else
		skip "$library: Fortran" "there is no $fortran"
	fi
	[ ! -f "$f08" ] ||
		ok "$library: the library contains all mpi_f08 wrappers" \
			all_fortran $library _f08_ "$f08"
done
done_testing
