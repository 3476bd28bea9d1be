#!/bin/sh
# Hosts whose clocks differ: what libhdMPI finds out, and what hdtrace merge and
# check make of it. The hosts are processes on one machine, told different names
# and given clocks that are wrong on purpose.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi slow waits
#
# With a length as argument (in seconds) it runs for so long and says how large
# the errors are; they must be below 100 us then, or what the project states.
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
. "$abs_top_srcdir/tests/mpi/errors.sh"
project=$scratch/run/run
seconds=${1-}
rounds=${1:+$(($1 * 20))}
rounds=${rounds:-20}

# Trace the program: LIBRARY RANKS "OFFSET DRIFT", in ns and ns/s.
trace() {
	rm -rf "$scratch/run" && mkdir "$scratch/run" || return 1
	(cd "$scratch/run" && TEST_CLOCK=$3 && export TEST_CLOCK &&
		HDTRACE_MPI_PROJ=0 HDTRACE_MPI_PROJECT=run launch "$1" "$2" \
			"$scratch/host" \
			"${abs_top_builddir:?}/tests/mpi/clocks-$1" \
			"$rounds" 50)
}

# The clock of h1 is wrong by a quarter of a second, whichever way.
is_far() {
	errors h1 >"$scratch/errors"
	awk '$1 > -249900000 && $2 > -249900000 { print; bad = 1 }
		END { exit bad || NR < 20 }' "$scratch/errors"
}

# The project has at least so many points: NUMBER
has_points() {
	found=$(grep -c "<Point " "$scratch/run/run.proj")
	echo "$found points, at least $1 expected"
	[ "$found" -ge "$1" ]
}

check_library() {
	for clock in "250000000 50000" "-250000000 -50000"; do
		name="$1, clock $clock"
		ok "$name: traced" trace "$1" 2 "$clock"
		ok "$name: merged without clock correction" status 0 merge --raw-times \
			"$scratch/run/run"
		ok "$name: times are far apart" is_far
		ok "$name: merged" status 0 merge --force "$scratch/run/run"
		ok "$name: times of the reference clock are unchanged" within h0
		ok "$name: times of the other clock are corrected" within h1
		ok "$name: no message arrives before it is sent" status 0 check \
			"$scratch/run/run"
	done
	HDTRACE_MPI_CLOCK_INTERVAL=0.2
	export HDTRACE_MPI_CLOCK_INTERVAL
	ok "$1, repeated comparisons: traced" trace "$1" 3 "250000000 50000"
	unset HDTRACE_MPI_CLOCK_INTERVAL
	ok "$1, repeated comparisons: merged" status 0 merge "$scratch/run/run"
	ok "$1, repeated comparisons: the project has nine points" has_points 9
	for host in h1 h2; do
		ok "$1, repeated comparisons: times of $host are corrected" within $host
	done
	ok "$1, repeated comparisons: no message arrives before it is sent" status 0 check \
		"$scratch/run/run"
	sed -i 's/^HDTRACE_MPI_HOST=.*/HDTRACE_MPI_HOST=h0/' "$scratch/host"
	ok "$1, one host: traced" trace "$1" 2 "0 0"
	ok "$1, one host: no clocks are compared" not_found "^Clock" "$scratch/run"/*.info
	ok "$1, one host: merged" status 0 merge "$scratch/run/run"
	ok "$1, one host: hdtrace check accepts the project" status 0 check "$scratch/run/run"
}

not_found() {
	! grep "$@"
}

# What is left of the errors, for people: LIBRARY
measure_library() {
	if ! trace "$1" 2 "250000000 50000" >"$scratch/log" 2>&1 ||
		! "$hdtrace" merge "$scratch/run/run" >>"$scratch/log" ||
		! errors h1 >"$scratch/errors"; then
		cat "$scratch/log"
		return 1
	fi
	awk -v error="$(stated h1)" -v library="$1" '
		{ for (i = 1; i <= 2; i++) if ($i > worst) worst = $i }
		END {
			printf "%s: %d events, wrong by up to %.1f us; " \
				"stated: %.1f us\n", library, NR, worst / 1e3,
				error / 1e3
			exit NR < 20 || (worst > 1e5 && worst > error)
		}' "$scratch/errors" &&
		"$hdtrace" check "$scratch/run/run"
}

# Every rank is a host: h0, h1, ...; all but the first have the wrong clock.
write_host() {
	cat >"$scratch/host" <<'END'
#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK-${PMI_RANK-0}}
HDTRACE_MPI_HOST=h$rank
export HDTRACE_MPI_HOST
[ "$rank" = 0 ] || {
	HDTRACE_MPI_TEST_CLOCK=$TEST_CLOCK
	export HDTRACE_MPI_TEST_CLOCK
}
exec "$@"
END
	chmod +x "$scratch/host"
}

for library in $(built_libraries); do
	can_launch "$library" || {
		skip "$library" "mpiexec does not work here"
		continue
	}
	write_host
	if [ "$seconds" ]; then
		ok "$library" measure_library "$library"
		cat "$details"
	else
		check_library "$library"
	fi
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
