#!/bin/sh
# The test suites of MPICH and mpi4py: the verdict of each program is the same with and
# without recording, and each project is clean. make verify-suites runs it.
#
#     MPICH_SUITE=DIRECTORY    test/mpi of MPICH's source (apt-get source mpich)
#     MPI4PY_SUITE=DIRECTORY   test of mpi4py's source (apt-get source mpi4py)
#     SUITE_SECONDS=N          no program starts after that (900)
#     SUITE_RANKS=N            only programs of so many ranks at most (4)
#
# A suite without a directory is skipped.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"
hdmpirun=${abs_top_builddir:?}/hdmpirun
HDTRACE_MPI_VERBOSITY=-1
export HDTRACE_MPI_VERBOSITY
begin=$(date +%s)
cd "$scratch" || exit 99

in_time() {
	[ $(($(date +%s) - begin)) -lt "${SUITE_SECONDS-900}" ]
}

# ---- MPICH ---------------------------------------------------------------------

# Only what all programs need; Fortran has tests of its own (fortran.sh).
configures() {
	mkdir suite && cd suite && "$MPICH_SUITE/configure" -q --disable-fortran \
		--disable-cxx --disable-romio --enable-strictmpi=no CC="${CC:-cc}" \
		MPICC="$MPICC_MPICH" MPIEXEC="$MPIEXEC_MPICH" >../log 2>&1 &&
		"${MAKE:-make}" -s -C dtpools/src >>../log 2>&1 &&
		"${MAKE:-make}" -s -C util >>../log 2>&1
	status=$?
	cd ..
	tail -n 3 log
	return "$status"
}

# Print the programs of a folder, their ranks and arguments: those that need nothing more.
listed() {
	awk -v most="${SUITE_RANKS-4}" '
		/^#/ || NF < 2 || /@|env=|mem=|timeLimit=|resultTest=|xfail=/ { next }
		$1 ~ /\// || $2 > most || seen[$1]++ { next }
		{ line = $1 " " $2
		  for (i = 3; i <= NF; i++)
			if (sub(/^arg=/, "", $i)) line = line " " $i
		  print line }' "$MPICH_SUITE/$1/testlist.in"
}

compiles() {
	"$MPICC_MPICH" -w -O1 -Isuite/include -I"$MPICH_SUITE/include" \
		-Isuite/dtpools/include -I"$MPICH_SUITE/dtpools/include" \
		-o program "$MPICH_SUITE/$1/$2.c" suite/util/.libs/libmtest_single.a \
		suite/util/.libs/libdtypes.a suite/dtpools/src/.libs/libdtpools.a -lm \
		>compiled 2>&1
}

# Print what a run of a program says of itself: RANKS COMMAND...
verdict() {
	timeout -k 5 30 "$MPIEXEC_MPICH" -n "$@" </dev/null >said 2>&1
	status=$?
	if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
		echo timeout
	elif grep -q '^ *No [Ee]rrors' said && [ "$status" -eq 0 ]; then
		echo good
	else
		echo bad
	fi
}

# The programs of a folder: FOLDER
suite_agrees() {
	same=0
	other=
	listed "$1" >list
	while read -r name ranks arguments; do
		in_time || break
		compiles "$1" "$name" || continue
		rm -rf p.* p_*
		# Unquoted: a list of arguments.
		# shellcheck disable=SC2086
		plain=$(verdict "$ranks" ./program $arguments)
		# shellcheck disable=SC2086
		traced=$(verdict "$ranks" "$hdmpirun" -i 0 -p p ./program $arguments)
		if [ "$plain" != "$traced" ]; then
			# Once more: a busy machine has timeouts, too.
			# shellcheck disable=SC2086
			plain=$(verdict "$ranks" ./program $arguments)
			# shellcheck disable=SC2086
			traced=$(verdict "$ranks" "$hdmpirun" -f -i 0 -p p ./program $arguments)
		fi
		if [ "$plain" = good ] && [ "$traced" = good ] &&
			[ -e p.proj ] && ! "$hdtrace" check p >checked 2>&1; then
			traced="$traced, $(tail -n 1 checked)"
		fi
		count_good=$((count_good + $([ "$plain" = good ] && echo 1 || echo 0)))
		if [ "$plain" = "$traced" ]; then
			same=$((same + 1))
		else
			other="$other$name: $plain without, $traced with recording; "
		fi
	done <list
	echo "$same programs of $(wc -l <list) agree" >>figures
	[ -z "$other" ] || echo "$other"
	[ -z "$other" ] && [ "$same" -gt 0 ]
}

if [ -z "${MPICH_SUITE-}" ] || [ ! -x "$MPICH_SUITE/configure" ]; then
	skip "MPICH's suite" "MPICH_SUITE is not the folder test/mpi of MPICH's source"
elif [ -z "$MPICC_MPICH" ] || ! can_launch mpich; then
	skip "MPICH's suite" "there is no mpicc or mpiexec of MPICH"
else
	ok "MPICH's suite is configured" configures
	count_good=0
	for folder in ${SUITE_FOLDERS-attr comm pt2pt datatype coll rma}; do
		: >figures
		ok "MPICH's $folder: verdicts are as without recording" suite_agrees "$folder"
		sed 's/^/# /' figures
	done
	echo "# $count_good programs found no errors"
fi

# ---- mpi4py --------------------------------------------------------------------

# Print how its tests ended: COMMAND...
python_verdict() {
	timeout -k 5 400 "$MPIEXEC_OPENMPI" -n 1 "$@" </dev/null >said 2>&1
	grep -E '^(Ran [0-9]+ tests|OK|FAILED|ERROR:|FAIL:)' said |
		sed 's/ in [0-9.]*s$//' | sort -u
}

python_agrees() {
	cp -r "$MPI4PY_SUITE" python && cd python || return 1
	# Processes that are started need more slots than there may be.
	python_verdict /usr/bin/python3 runtests.py -q -e spawn >../plain
	python_verdict "$hdmpirun" --mpi=openmpi -i 0 -p p \
		/usr/bin/python3 runtests.py -q -e spawn >../traced
	cd ..
	grep 'Ran' plain traced && diff plain traced && "$hdtrace" check python/p
}

if [ -z "${MPI4PY_SUITE-}" ] || [ ! -f "$MPI4PY_SUITE/runtests.py" ]; then
	skip "mpi4py's suite" "MPI4PY_SUITE is not the folder test of mpi4py's source"
elif ! /usr/bin/python3 -c 'import mpi4py' 2>/dev/null || ! can_launch openmpi; then
	skip "mpi4py's suite" "there is no python3-mpi4py or mpiexec of Open MPI"
else
	ok "mpi4py's suite: results are as without recording" python_agrees
fi
done_testing
