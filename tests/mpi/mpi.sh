# shellcheck shell=sh
# For tests that run MPI programs. Source it after tap.sh.
# shellcheck disable=SC2154 # scratch is in tap.sh
# SPDX-License-Identifier: LGPL-2.1-or-later
hdtrace=${abs_top_builddir:?}/hdtrace
LC_ALL=C
# Containers run as root, and machines have fewer processors than we have ranks,
# which then must not wait busily.
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_rmaps_base_oversubscribe=1
OMPI_MCA_mpi_yield_when_idle=1
# To look for networks takes Open MPI longer than most tests; this is what it takes
# where it finds none.
OMPI_MCA_pml=ob1
# Programs that are started later are reached over a network: there is always
# this one.
OMPI_MCA_btl_tcp_if_include=lo
# One that ends takes away the directory where another one is about to begin.
OMPI_MCA_orte_tmpdir_base=$scratch
# Reading the names of all PCI devices there are takes AddressSanitizer a minute.
HWLOC_COMPONENTS=-pci
HDTRACE_MPI_HDTRACE=$hdtrace
# Every record counts, but what MPI libraries do inside is their matter.
HDTRACE_MPI_NESTED=0
HDTRACE_MPI_RUT=0
export LC_ALL OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM \
	OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_mpi_yield_when_idle \
	OMPI_MCA_pml OMPI_MCA_btl_tcp_if_include OMPI_MCA_orte_tmpdir_base \
	HWLOC_COMPONENTS HDTRACE_MPI_HDTRACE HDTRACE_MPI_NESTED HDTRACE_MPI_RUT
unset HDTRACE_MPI_PROJECT HDTRACE_MPI_DIR \
	HDTRACE_PREFIX HDTRACE_OVERWRITE_EXISTING_FILES

# MPI libraries lose memory; only leaks of ours count. They are looked for in
# what the sanitizer leaves: see none_leaked.
LSAN_OPTIONS=exitcode=0:log_path=$scratch/leaks
export LSAN_OPTIONS

# Whether no memory was lost that a function of ours has allocated.
none_leaked() {
	cat "$scratch"/leaks.* >"$scratch/leaks" 2>/dev/null
	grep -c 'Direct leak' "$scratch/leaks"
	! grep -E '#1 .*/(MPITracingLibrary|[A-Za-z]*CLibrary|common)/' \
		"$scratch/leaks" &&
		! grep -E '#1 .*/(Resources|Power)[A-Za-z]*Library/' \
			"$scratch/leaks"
}

# The libraries that were built.
built_libraries() {
	for name in openmpi mpich; do
		[ ! -f "${abs_top_builddir:?}/libhdMPI-$name.so" ] ||
			echo "$name"
	done
}

# Print the package of a library's mpi.h, for pkg-config: LIBRARY.
package() {
	case $1 in
	openmpi) echo ompi-c ;;
	*) echo "$1" ;;
	esac
}

# Run a program: LIBRARY RANKS PROGRAM ARGUMENT...
launch() {
	case $1 in
	openmpi) launcher=$MPIEXEC_OPENMPI ;;
	mpich) launcher=$MPIEXEC_MPICH ;;
	esac
	launch_ranks=$2
	shift 2
	timeout -k 10 300 "$launcher" -n "$launch_ranks" "$@" </dev/null
}

# Whether programs of a library can be run at all here; says why not. MPICH's
# mpiexec can die of SIGPIPE if a program ends before it has got its input.
can_launch() {
	launch "$1" 1 cat >"$scratch/launch" 2>&1
	result=$?
	[ "$result" -eq 0 ] || {
		echo "# $launcher: exit status $result"
		sed 's/^/# /' "$scratch/launch"
		return 1
	}
}

# Whether a library can start processes (spawn), or connect worlds (meet), at all:
# asked with a program that has nothing of HDTrace. LIBRARY PART; $scratch/cannot
# says why not.
can_be_dynamic() {
	# Unquoted: lists of options.
	# shellcheck disable=SC2046
	[ -x "$scratch/dynamic-$1" ] || ${CC:-cc} -std=gnu11 \
		-o "$scratch/dynamic-$1" \
		"${abs_top_srcdir:?}/tests/mpi/dynamic.c" \
		$(${PKG_CONFIG:-pkg-config} --cflags --libs \
			"$(package "$1")") || return 1
	launch "$1" 2 "$scratch/dynamic-$1" "$2" >"$scratch/dynamic" 2>&1
	# Anything but that is for the tests to find.
	! grep -m 1 '^MPI_[A-Z][a-z_]*: ' "$scratch/dynamic" >"$scratch/cannot"
}

# Print the records of a node of a project as calls.h has them, which says of buffers
# only if they are in place, and nothing of the tracer: PROJECT NODE.
records() {
	"$hdtrace" dump --node "$2" "$1" | sed '1d
		s/^  //
		s/^\( *\)[0-9][0-9.]* [0-9][0-9.]* /\1/
		s/^\( *\)[0-9][0-9.]* /\1/
		s/ inPlace="0"//
		/^ *Tracer class="tracer"/d
		s/"//g'
}

# Print the label of this host.
host_label() {
	hostname | tr -c 'A-Za-z0-9.\n-' -
}

# Whether a project says what was expected: DIRECTORY PROJECT.
as_expected() {
	set -- "$1" "$2" "$1"/expected_*
	directory=$1
	project=$2
	shift 2
	[ -f "$1" ] || { echo "nothing was expected"; return 1; }
	"$hdtrace" check "$directory/$project" || return 1
	for file; do
		node=$(host_label)_${file##*/expected_}
		sed 's/"//g' "$file" >"$scratch/expected"
		records "$directory/$project" "$node" >"$scratch/found"
		diff -u "$scratch/expected" "$scratch/found" || return 1
	done
}

# Print a configuration for the power of this host, simulated.
power_config() {
	cat <<END
[General]
device=sim
law=idle:60,busy:160
cycle=20
project=unused
topology=Host

[Trace]
type=HDSTATS
node=$(host_label)
channel=host
values=P,E
END
}

# Whether the energy of states of all ranks is known, and within the bounds of
# that configuration's law; three ranks share the host: PROJECT NAME COUNT
has_energy() {
	"$hdtrace" stat --format=csv --regions="$2" --value P "$1" |
		tee "$scratch/costs"
	awk -F, -v count="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["node"] == "" { all++; good += $at["count"] == count &&
			$at["seconds"] > 0 && $at["energy_unit"] == "J" &&
			$at["energy"] > 0 &&
			$at["energy"] >= $at["known_s"] * 60 / 3 &&
			$at["energy"] <= $at["known_s"] * 160 }
		END { exit all != 1 || good != 1 }' "$scratch/costs"
}
