# shellcheck shell=bash
# Jobs and their projects, for the tests with a Slurm of our own; source it after
# tests/lib/slurm.sh.
# shellcheck disable=SC2154 # scratch is in tap.sh
# SPDX-License-Identifier: LGPL-2.1-or-later
hdtrace=$abs_top_builddir/hdtrace
work=$scratch/work
mkdir "$work"
chmod 755 "$work"
cd "$scratch" || exit 99
export LC_ALL=C
# Several nodes of ours share the memory of one host, where Open MPI would find the
# ranks of other nodes under the names of its own.
export OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_pml=ob1 \
	OMPI_MCA_mpi_yield_when_idle=1 HWLOC_COMPONENTS=-pci

# Build the program, with the counter: LIBRARY
build() {
	local compiler

	case $1 in
	openmpi) compiler=$MPICC_OPENMPI ;;
	mpich) compiler=$MPICC_MPICH ;;
	esac
	"$compiler" -std=gnu11 -O1 -Wno-stringop-overread -o "$work/calls-$1" \
		"$abs_top_srcdir/tests/slurm/calls.c" \
		"$abs_top_srcdir/tests/mpi/counter.c" -ldl
}

# Run a job and expect its status: STATUS ARGUMENT... of srun; files out and err.
job() {
	local expected=$1 found

	shift
	timeout -k 5 90 srun "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	found=$?
	tail -n 20 "$scratch/out" "$scratch/err"
	echo "status $found, expected $expected: srun $*"
	[ $found -eq "$expected" ]
}

# Set comment to that of the last job.
comment_of_last() {
	comment=$(scontrol -o show job | sort -t= -k2n | tail -n 1 |
		sed -n 's/.* Comment=\(.*\) Power=.*/\1/p' | sed 's/ *$//')
	echo "comment: $comment"
}

# Whether somebody else can read a file: FILE
others_can_read() {
	setpriv --reuid nobody --regid nogroup --clear-groups test -r "$1"
}

# Whether a project is complete: PROJECT
is_whole() {
	"$hdtrace" check "$1" && [ ! -e "$1.slurm" ]
}

has() {
	local file

	for file; do
		[ -s "$file" ] || { echo "$file is missing"; return 1; }
	done
}
