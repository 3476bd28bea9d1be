#!/bin/sh
# libhdMPI compiles with the headers of newer MPI libraries, and wraps what these have:
# Open MPI 5, which is MPI 3.1 with functions of MPI 4.0, and MPICH 4.2, which is MPI 4.1.
# The headers are those that are installed, with changes.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
sources=$abs_top_srcdir/MPITracingLibrary/src
table=$abs_top_srcdir/common/mpi/functions.table

# Print the options for headers of a library: LIBRARY
flags() {
	${PKG_CONFIG:-pkg-config} --cflags "$(package "$1")"
}

# Print the path of the mpi.h of a library: LIBRARY
header() {
	# Unquoted: a list of options.
	# shellcheck disable=SC2046
	echo '#include <mpi.h>' | ${CC:-cc} -E $(flags "$1") - |
		sed -n 's/^# [0-9]* "\(.*\/mpi\.h\)".*/\1/p' | head -n 1
}

# Print declarations of the functions of MPI 4.0 without large counts.
declarations() {
	awk '/^[a-z0-9]+4\+? / {
		sub(/^[^ ]* /, "")
		gsub(/HDMPI_PARTITIONS/, "int")
		gsub(/\[[^]]*\]/, "[]")
		print "int MPI_" $0 ";"
		print "int PMPI_" $0 ";"
	}' "$table"
}

make_openmpi5() {
	mkdir -p openmpi5 && {
		sed -e 's/\(define OMPI_MAJOR_VERSION\).*/\1 5/' \
			-e 's/\(define OMPI_MINOR_VERSION\).*/\1 0/' "$(header openmpi)"
		echo '#ifndef STUB_OPENMPI5'
		echo '#define STUB_OPENMPI5'
		echo 'typedef struct ompi_instance_t *MPI_Session;'
		echo '#define MPI_SESSION_NULL ((MPI_Session)0)'
		declarations
		echo '#endif'
	} >openmpi5/mpi.h && : >openmpi5/mpi-ext.h
}

make_mpich42() {
	mkdir -p mpich42 &&
		sed -e 's/\(define MPICH_NUMVERSION\).*/\1 40200300/' \
			-e 's/\(define MPI_SUBVERSION\).*/\1 1/' \
			"$(header mpich)" >mpich42/mpi.h || return 1
	prototypes=$(header mpich)
	prototypes=${prototypes%/*}/mpi_proto.h
	[ ! -f "$prototypes" ] ||
		sed 's/\(MPI_Pready_list(int length,\) int/\1 const int/' "$prototypes" \
			>mpich42/mpi_proto.h
}

# Compile the files that know versions of MPI: FOLDER LIBRARY
compiles() {
	mkdir -p "objects-$1" || return 1
	for file in wrap/wrapc wrap/wrapfortran record/notesession handles/contents runtime; do
		# Unquoted: a list of options.
		# shellcheck disable=SC2046
		${CC:-cc} -w -Werror=incompatible-pointer-types \
			-Werror=implicit-function-declaration -O0 -c -DHAVE_CONFIG_H \
			-DHDMPI_BINDIR='"/"' "-I$1" "-I${abs_top_builddir:?}" \
			"-I$abs_top_srcdir" \
			"-I$abs_top_srcdir/HDTraceWritingCLibrary/include" \
			"-I$abs_top_srcdir/ResourcesUtilizationTracingLibrary/include" \
			"-I$abs_top_srcdir/PowerTracingLibrary/include" \
			"-I$abs_top_srcdir/MPITracingLibrary/include" $(flags "$2") \
			-o "objects-$1/${file##*/}.o" "$sources/$file.c" || return 1
	done
}

# Whether functions are wrapped, or are not: FOLDER [!] FUNCTION...
wraps() {
	folder=$1
	shift
	${NM:-nm} "objects-$folder/wrapc.o" | sed -n 's/.* T MPI_/MPI_/p' | sort >wrapped
	for function in "$@"; do
		case $function in
		!*) ! grep -qx "${function#!}" wrapped ;;
		*) grep -qx "$function" wrapped ;;
		esac || {
			echo "$function"
			return 1
		}
	done
}

cd "$scratch" || exit 99
for library in $(built_libraries); do
	case $library in
	openmpi)
		ok "a header of Open MPI 5 is made" make_openmpi5
		ok "Open MPI 5: libhdMPI compiles" compiles openmpi5 openmpi
		ok "Open MPI 5: what it has of MPI 4.0 is wrapped" wraps openmpi5 MPI_Send \
			MPI_Session_init MPI_Comm_create_from_group MPI_Bcast_init \
			MPI_Psend_init MPI_Isendrecv MPI_Comm_idup_with_info \
			'!MPI_Send_c' '!MPIX_Bcast_init'
		;;
	mpich)
		ok "a header of MPICH 4.2 is made" make_mpich42
		ok "MPICH 4.2: libhdMPI compiles" compiles mpich42 mpich
		ok "MPICH 4.2: MPI 4.0 is wrapped" wraps mpich42 MPI_Send MPI_Send_c \
			MPI_Session_init MPI_Bcast_init MPI_Bcast_init_c MPI_Psend_init
		;;
	esac
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
