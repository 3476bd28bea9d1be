# shellcheck shell=sh
# For tests that compile programs in Fortran. Source it after tap.sh.
# shellcheck disable=SC2154 # variables of the tests' environment
# SPDX-License-Identifier: LGPL-2.1-or-later
HDMPI_LINKDIR=${abs_top_builddir:?}/.libs
HDMPI_INCLUDEDIR=$abs_top_srcdir/MPITracingLibrary/include
export HDMPI_LINKDIR HDMPI_INCLUDEDIR

# Print the Fortran compiler of a library.
compiler_of() {
	case $1 in
	openmpi) echo "${MPIF90_OPENMPI-}" ;;
	mpich) echo "${MPIF90_MPICH-}" ;;
	esac
}
