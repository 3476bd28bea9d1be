#!/bin/sh
# Real MPI programs from Debian, with small inputs: their output is as without
# recording, the calls, the bytes of sends and the time in MPI are those of a tool that
# wraps what they call, and the project is clean. make verify-apps runs it; programs that
# are not installed are skipped. Arguments are names of those that are run.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"
command -v python3 >/dev/null || skip_all "there is no python3"
here=$abs_top_srcdir/tests/mpi
only=$*
[ -n "$MPICC_OPENMPI" ] || skip_all "there is no mpicc of Open MPI"
can_launch openmpi || skip_all "mpiexec does not work here"
cd "$scratch" || exit 99
OPENBLAS_NUM_THREADS=1
OMP_NUM_THREADS=1
export OPENBLAS_NUM_THREADS OMP_NUM_THREADS

make_counter() {
	# What pkg-config says may be several words.
	# shellcheck disable=SC2046
	set -- $("${PKG_CONFIG:-pkg-config}" --cflags "$(package openmpi)")
	echo '#include <mpi.h>' | ${CC:-cc} "$@" -E -P - |
		awk -v of=MPI_ -f "$here/count.awk" >count.c &&
		"$MPICC_OPENMPI" -w -O1 -shared -fPIC -o count.so count.c -ldl
}

# Run a program in an empty directory, plain and recorded: NAME RANKS COMMAND...
# $prepare makes its input, $filter prints of its output, or of what it wrote, what is
# the same in each run.
app_agrees() {
	name=$1
	ranks=$2
	shift 2
	for run in plain traced; do
		rm -rf "$name.$run" && mkdir "$name.$run" && cd "$name.$run" ||
			return 1
		"${prepare:-true}" || return 1
		if [ "$run" = plain ]; then
			launch openmpi "$ranks" "$@" >out 2>&1
		else
			launch openmpi "$ranks" env COUNT_FILE="$PWD/counted" \
				HDTRACE_MPI_RUT=0 "$abs_top_builddir/hdmpirun" \
				--mpi=openmpi -p p \
				env LD_PRELOAD="$scratch/count.so:$abs_top_builddir/libhdMPI-openmpi.so${allocator:+:$allocator}" \
				"$@" >out 2>&1
		fi
		status=$?
		"$filter" >filtered
		cd ..
		[ "$status" -eq 0 ] || {
			tail -n 20 "$name.$run/out"
			return 1
		}
	done
	[ -s "$name.plain/filtered" ] &&
		diff "$name.plain/filtered" "$name.traced/filtered" || return 1
	cd "$name.traced" || return 1
	"$hdtrace" check p && cat counted.* |
		python3 "$here/apps.py" "$hdtrace" p >"$scratch/figures"
	status=$?
	cat "$scratch/figures"
	cd ..
	return "$status"
}

# A point, if the program is there: PROGRAM NAME RANKS COMMAND...
app() {
	program=$1
	shift
	if [ -n "$only" ] && ! echo "$only" | grep -qw "$1"; then
		:
	elif command -v "$program" >/dev/null; then
		: >"$scratch/figures"
		ok "$1: recorded as the counting tool has it" app_agrees "$@"
		sed 's/^/# /' "$scratch/figures"
	else
		skip "$1" "there is no $program"
	fi
	prepare=
	allocator=
}

all_output() { cat out; }

ok "the counting tool compiles" make_counter

# ---- ScaLAPACK, NetPIPE, HPC Challenge -----------------------------------------

if "$MPICC_OPENMPI" -O1 -o scalapack "$here/scalapack.c" -lscalapack-openmpi -lm \
	>log 2>&1; then
	filter=all_output
	app "$scratch/scalapack" scalapack 2 "$scratch/scalapack" 600 32
else
	skip scalapack "it cannot be linked: $(tail -n 1 log)"
fi
netpipe_output() { sed -n 's/^ *[0-9]*: *\([0-9]*\) bytes.*/\1/p' out; }
filter=netpipe_output
app NPopenmpi netpipe 2 NPopenmpi -n 10 -u 1024 -o times
hpcc_input() {
	cat >hpccinf.txt <<'END'
HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
200          Ns
1            # of NBs
40           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
1            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
0            Number of additional problem sizes for PTRANS
1200         values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
END
}
hpcc_output() { grep -E '^(Success|sizeof_double|CommWorldProcs|HPL_N|PTRANS_n|MPIFFT_N)=|PASSED|FAILED' hpccoutf.txt; }
prepare=hpcc_input
filter=hpcc_output
app hpcc hpcc 2 hpcc

# ---- LAMMPS, PhyML, Ray -----------------------------------------------------------

lammps_input() {
	cat >in.lj <<'END'
units lj
lattice fcc 0.8442
region box block 0 6 0 6 0 6
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
thermo 20
run 100
END
}
lammps_output() { grep -E '^ +[0-9]+ +[-0-9.]+ +[-0-9.]+ ' out | grep -v '|'; }
prepare=lammps_input
filter=lammps_output
app lmp lammps 2 lmp -in in.lj

phyml_input() {
	python3 - <<'END'
import random
random.seed(2)
letters = [random.choice("ACGT") for _ in range(60)]
with open("dna", "w", encoding="ascii") as file:
    file.write(" 6 60\n")
    for name in ("one", "two", "three", "four", "five", "six"):
        for _ in range(6):
            letters[random.randrange(60)] = random.choice("ACGT")
        file.write(f"{name:10}{''.join(letters)}\n")
END
}
phyml_output() { sed 's/:[0-9.]*//g' dna_phyml_tree* | grep '(' && grep -c . dna_phyml_boot_trees*; }
prepare=phyml_input
filter=phyml_output
app phyml-mpi phyml 2 phyml-mpi -i dna -b 4 --r_seed 7 --no_memory_check

ray_input() {
	python3 - <<'END'
import random
random.seed(1)
genome = "".join(random.choice("ACGT") for _ in range(3000))
with open("reads.fasta", "w", encoding="ascii") as file:
    for i in range(1500):
        at = random.randrange(len(genome) - 100)
        file.write(f">{i}\n{genome[at:at + 100]}\n")
END
}
ray_output() { grep -v '^>' ray/Contigs.fasta | tr -d '\n' | wc -c; }
prepare=ray_input
filter=ray_output
app Ray ray 2 Ray -k 21 -s reads.fasta -o ray

# ---- PT-Scotch, parallel HDF5 --------------------------------------------------------

scotch_input() { gmk_m3 12 12 12 mesh.grf; }
scotch_output() { cat ordering; }
prepare=scotch_input
filter=scotch_output
app dgord ptscotch 2 dgord mesh.grf ordering

compiles_hdf5() {
	cat >hdf5.c <<'END'
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	double row[1000], sum = 0, all;
	hsize_t whole[] = { 64, 1000 }, one[] = { 1, 1000 };
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	hid_t access = H5Pcreate(H5P_FILE_ACCESS), how = H5Pcreate(H5P_DATASET_XFER);
	H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
	H5Pset_dxpl_mpio(how, H5FD_MPIO_COLLECTIVE);
	hid_t file = H5Fcreate("data.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
	hid_t space = H5Screate_simple(2, whole, NULL), part = H5Screate_simple(2, one, NULL);
	hid_t data = H5Dcreate2(file, "rows", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
				H5P_DEFAULT, H5P_DEFAULT);
	for (int i = rank; i < 64; i += size) {
		hsize_t from[] = { i, 0 };
		for (int j = 0; j < 1000; j++)
			row[j] = i * j;
		H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, one, NULL);
		H5Dwrite(data, H5T_NATIVE_DOUBLE, part, space, how, row);
	}
	for (int i = size - 1 - rank; i < 64; i += size) {
		hsize_t from[] = { i, 0 };
		H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, one, NULL);
		H5Dread(data, H5T_NATIVE_DOUBLE, part, space, how, row);
		for (int j = 0; j < 1000; j++)
			sum += row[j];
	}
	H5Dclose(data);
	H5Sclose(space);
	H5Sclose(part);
	H5Fclose(file);
	H5Pclose(access);
	H5Pclose(how);
	H5close();
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("sum %.0f\n", all);
	MPI_Finalize();
	return 0;
}
END
	# Unquoted: a list of options.
	# shellcheck disable=SC2046
	"$MPICC_OPENMPI" -w -O1 -o hdf5 hdf5.c \
		$(${PKG_CONFIG:-pkg-config} --cflags --libs hdf5-openmpi) >log 2>&1
}
if compiles_hdf5; then
	filter=all_output
	app "$scratch/hdf5" hdf5 2 "$scratch/hdf5"
else
	skip hdf5 "it cannot be linked: $(tail -n 1 log)"
fi

# ---- Python and R as hosts ----------------------------------------------------------

if /usr/bin/python3 -c 'import mpi4py' 2>/dev/null; then
	mpi4py_input() {
		cat >program.py <<'END'
from array import array
from mpi4py import MPI
comm = MPI.COMM_WORLD
rank = comm.Get_rank()
data = comm.bcast({"a": list(range(1000))}, root=0)
for i in range(200):
    buffer = array("d", [rank]) * 100
    other = array("d", [0]) * 100
    request = comm.Irecv(other, source=1 - rank, tag=i)
    comm.Send(buffer, dest=1 - rank, tag=i)
    request.Wait()
    assert other[99] == 1 - rank
total = comm.allreduce(sum(data["a"]))
if rank == 0:
    print(total)
END
	}
	filter=all_output
	prepare=mpi4py_input
	app /usr/bin/python3 mpi4py 2 /usr/bin/python3 program.py
else
	skip mpi4py "there is no python3-mpi4py"
fi
if command -v Rscript >/dev/null &&
	Rscript -e 'quit(status = !requireNamespace("Rmpi", quietly = TRUE))' \
		>log 2>&1; then
	rmpi_input() {
		cat >program.R <<'END'
suppressMessages(library(Rmpi))
rank <- mpi.comm.rank(0)
for (i in 1:50) {
	if (rank == 0) mpi.send(as.double(1:100), 2, 1, i, comm = 0)
	else got <- mpi.recv(double(100), 2, 0, i, comm = 0)
	mpi.barrier(0)
}
total <- mpi.allreduce(as.double(rank + 1), type = 2, op = "sum", comm = 0)
if (rank == 0) cat("total", total, "\n")
invisible(mpi.finalize())
END
	}
	rmpi_output() { grep '^total' out; }
	filter=rmpi_output
	prepare=rmpi_input
	app Rscript rmpi 2 Rscript program.R
else
	skip rmpi "there is no r-cran-rmpi"
fi

# ---- Other allocators, preloaded -----------------------------------------------------

for name in jemalloc.so.2 tcmalloc_minimal.so.4; do
	allocator=$(ldconfig -p | sed -n "s|.* => \(.*/lib$name\)\$|\1|p" | head -n 1)
	if [ -z "$allocator" ] || [ ! -x scalapack ]; then
		skip "$name" "there is no lib$name, or no ScaLAPACK"
		continue
	fi
	filter=all_output
	app "$scratch/scalapack" "$name" 2 "$scratch/scalapack" 300 32
done
done_testing
