#!/bin/sh
# Two hosts, hda and hdb: network namespaces with a cable between them, host
# names and memory of their own. The clock of hdb is 250 ms and 50 ppm wrong.
# With a shared directory, with one each, and with a full disk on hdb.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi slow
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/twohosts.sh"
if [ "${1-}" != inside ]; then
	may_have_hosts || skip_all "no namespaces: $(tail -n 1 "$scratch/log")"
	enter_hosts inside
fi
. "$abs_top_srcdir/tests/mpi/mpi.sh"
. "$abs_top_srcdir/tests/mpi/errors.sh"
run=$scratch/run
project=$run/run
rounds=40
disk=

# ---- Hosts -------------------------------------------------------------------

# What every rank runs: SETTING... PROGRAM... in the project's directory, which
# may be another one on each host.
write_rank() {
	{
		echo "#!/bin/sh"
		export -p | grep -E '^export (HD|LSAN|ASAN|UBSAN|TSAN|LC_)'
		cat <<END
[ "\$(hostname)" = hda ] ||
	export HDTRACE_MPI_TEST_CLOCK='250000000 50000'
cd "$run" || exit 1
exec env "\$@"
END
	} >"$scratch/rank"
	chmod +x "$scratch/rank"
}

# How many ranks there are. With more MPICH hangs more often: see hangs.
ranks_of() {
	case $1 in
	openmpi) echo 4 ;;
	mpich) echo 2 ;;
	esac
}

# Run a program on the hosts, where ranks alternate: LIBRARY SETTING... PROGRAM
# ARGUMENT...
launch_once() {
	library=$1
	ranks=$(ranks_of "$library")
	shift
	case $library in
	openmpi) set -- --host hda:2,hdb:2 --map-by node \
		--mca plm rsh --mca plm_rsh_agent "$scratch/shell" \
		--mca pml ob1 --mca btl tcp,self,vader \
		--mca oob_tcp_if_include 192.0.2.0/24 \
		--mca btl_tcp_if_include 192.0.2.0/24 \
		"$scratch/rank" "$@" ;;
	mpich) set -- -hosts hda,hdb -ppn 1 -launcher ssh \
		-launcher-exec "$scratch/shell" "$scratch/rank" "$@" ;;
	esac
	launch "$library" "$ranks" "$@"
}

# Whether a program that runs hangs: PID. MPICH 4.0 with UCX over TCP now and then
# waits in MPI_Finalize for ever, if processors are scarce: a process that has
# ended its connections waits for the others, and makes no progress for them. So
# does a program that is not traced, in up to 8 of 100 runs. Before PMPI_Finalize
# traces have ended. A program that does not get there within a minute hangs, too.
hangs() {
	begun=$(date +%s)
	ended=
	while kill -0 "$1" 2>/dev/null; do
		sleep 0.2
		now=$(date +%s)
		[ $((now - begun)) -lt 60 ] || return 0
		[ -n "$ended" ] || [ "$(tail -n 1 "${project}_hda_0_0.trc" \
			2>/dev/null)" != "</Program>" ] || ended=$now
		[ -z "$ended" ] || [ $((now - ended)) -lt 10 ] || return 0
	done
	return 1
}

# What the processes of a program that hangs do, and how far its traces are.
say_hang() {
	echo "# mpiexec hangs${ended:+ in MPI_Finalize}"
	ps -eo pid,stat,time,wchan:32,args
	tail -n 2 "$run"/*.trc
}

# The same, and once more where MPICH hangs.
launch_on_hosts() {
	for _ in 1 2 3 4 5; do
		clean
		launch_once "$@" &
		launched=$!
		if [ "$1" != mpich ] || ! hangs "$launched"; then
			wait "$launched"
			return
		fi
		say_hang >&2
		pkill -TERM -P "$launched"
		wait "$launched"
	done
	return 1
}

# Begin with no files on hda, and on hdb with a directory as it is on hda, or on
# a disk of its own of this size: [SIZE]
fresh() {
	disk=${1-}
	clean
}

clean() {
	on_hdb umount -l "$run" 2>/dev/null
	rm -rf "${run:?}"/* "$scratch/copy"
	[ -z "$disk" ] || on_hdb mount -t tmpfs -o size="$disk" none "$run"
}

# ---- Projects ----------------------------------------------------------------

traced() {
	launch_on_hosts "$1" HDTRACE_MPI_PROJECT=run HDTRACE_MPI_RUT=20 \
		"${abs_top_builddir:?}/tests/mpi/clocks-$1" "$rounds" 20
}

# The nodes of all ranks, as HOST_RANK.
nodes() {
	for rank in $(seq 0 $((ranks - 1))); do
		case $((rank % 2)) in
		0) echo "hda_$rank" ;;
		1) echo "hdb_$rank" ;;
		esac
	done
}

# The files that there are: of every rank, with its CPU time, and
# utilization once for each host.
has_files() {
	for node in $(nodes); do
		[ -f "${project}_${node}_0.trc" ] || { ls "$run"; return 1; }
	done
	[ -f "${project}_hda_Utilization.stat" ] &&
		[ -f "${project}_hdb_Utilization.stat" ] &&
		[ "$(find "$run" -name '*.stat' | wc -l)" -eq $((2 + ranks)) ] &&
		[ "$(find "$run" -name '*_Cpu.stat' | wc -l)" -eq "$ranks" ] &&
		[ "$(find "$run" -name '*.trc' | wc -l)" -eq "$ranks" ]
}

# The clocks were not what they seem to be: hdb's was wrong by 250 ms or more.
was_wrong() {
	grep -h '^Clock ' "$run"/*_hdb_1_0.info | tee "$scratch/points"
	[ "$(grep -cE ' offset=-0\.2[45][0-9]* ' "$scratch/points")" -ge 2 ]
}

# What is left is below 100 us, or the error that the project states: NODE
is_right() {
	within "${1%_*}" "$1" || return 1
	awk -v error="$error" '
		{ for (i = 1; i <= 2; i++) if ($i > worst) worst = $i }
		END { print "wrong by", worst + 0, "ns"
			exit worst > 1e5 && worst > error }' "$scratch/errors"
}

all_right() {
	"$hdtrace" check "$project" || return 1
	for node in $(nodes); do
		is_right "$node" || return 1
	done
}

# What hdb has recorded, as one would copy it from there.
copied() {
	mkdir "$scratch/copy" && on_hdb sh -c "cp '$run'/* '$scratch/copy'"
}

not_there() {
	[ ! -e "$1" ]
}

# ---- A full disk ---------------------------------------------------------------

traced_until_full() {
	launch_on_hosts "$1" HDTRACE_MPI_PROJECT=run HDTRACE_MPI_VERBOSITY=1 \
		HDTRACE_BUFFER_SIZE_KB=4 \
		"${abs_top_builddir:?}/tests/mpi/clocks-$1" 200 0 \
		2>"$scratch/errors"
	status=$?
	cat "$scratch/errors"
	return "$status"
}

# There is a message that names a file of hdb and the cause.
says_full() {
	cat "$scratch/errors"
	grep -q 'run_hdb_[13]_0\.trc.*No space left on device' "$scratch/errors"
}

# What was recorded before can be read; hda has everything.
readable() {
	"$hdtrace" merge "$project" "$scratch/copy"
	[ $? -le 1 ] || return 1
	"$hdtrace" check "$project"
	[ $? -le 1 ] || return 1
	for node in hda_0_0 hdb_1_0; do
		records "$project" "$node" 2>/dev/null | grep -c '^Bcast '
	done >"$scratch/counts"
	cat "$scratch/counts"
	[ "$(sed -n 1p "$scratch/counts")" -eq 200 ] &&
		[ "$(sed -n 2p "$scratch/counts")" -gt 20 ]
}

if ! start_hosts >"$scratch/log" 2>&1; then
	cat "$scratch/log" >&2
	skip_all "the hosts could not be made: $(tail -n 1 "$scratch/log")"
fi
write_shell
write_rank
for library in $(built_libraries); do
	launch_once "$library" true >"$scratch/log" 2>&1 || {
		cat "$scratch/log" >&2
		skip "$library" "mpiexec reaches no other host"
		continue
	}
	fresh
	ok "$library: two hosts record into a shared directory" traced "$library"
	ok "$library: the shared directory has the files of all ranks" has_files
	ok "$library: the raw clock of hdb is wrong" was_wrong
	ok "$library: the clock of hdb is corrected" all_right
	fresh 64m
	ok "$library: each host records into its own directory" traced "$library"
	ok "$library: no project file exists before the merge" not_there "$project.proj"
	ok "$library: merge copies the files of the other host" copied
	ok "$library: files of both hosts are merged" "$hdtrace" merge "$project" "$scratch/copy"
	ok "$library: the merged project has the files of all ranks" has_files
	ok "$library: times of all ranks are corrected" all_right
	fresh 48k
	ok "$library: a full disk does not stop the program" traced_until_full "$library"
	ok "$library: a message reports the full disk" says_full
	ok "$library: existing files are copied" copied
	ok "$library: the project of the full disk is readable" readable
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
