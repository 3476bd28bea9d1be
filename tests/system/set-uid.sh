#!/bin/sh
# Programs with more rights than who runs them, set-uid and set-gid: what our
# libraries do in them is not said by the environment. And nobody leads files
# that are replaced to other places.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: both
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
cd "$scratch" || exit 99
program=${abs_top_builddir:?}/tests/system/set-uid
nobody=65534

# No source of a library reads it otherwise; daemons and commands may.
by_helper() {
	! grep -rnE '(^|[^_[:alnum:]])g?_?getenv\(' --include='*.[ch]' \
		"$abs_top_srcdir/common" \
		"$abs_top_srcdir/recording" \
		"$abs_top_srcdir/HDTraceWritingCLibrary" \
		"$abs_top_srcdir/HDTraceReadingCLibrary" \
		"$abs_top_srcdir/ResourcesUtilizationTracingLibrary/src" \
		"$abs_top_srcdir/PowerTracingLibrary/src" \
		"$abs_top_srcdir/PowerTracingLibrary/pm" \
		"$abs_top_srcdir/MPITracingLibrary/src" |
		grep -v 'common/environment.h'
}
ok "libraries read the environment in one place" by_helper

# ---- Links -------------------------------------------------------------------

# A link, or a FIFO, in the place of a file that is to be replaced: COMMAND...
replaces() {
	rm -rf place && mkdir place && cd place || return 1
	echo precious >target
	"$@" P_node01.trc
	HDTRACE_OVERWRITE_EXISTING_FILES=1 timeout 60 "$program" writing
	found=$?
	ls -l
	cd .. || return 1
	echo "exit status $found"
}

not_a_link() {
	replaces ln -s target && [ "$found" -eq 3 ] &&
		grep -qx precious place/target && [ -L place/P_node01.trc ]
}

not_a_fifo() {
	replaces mkfifo && [ "$found" -eq 3 ] && [ -p place/P_node01.trc ]
}

a_file() {
	replaces cp target && [ "$found" -eq 0 ] &&
		grep -q '<Program' place/P_node01.trc
}

ok "a set-uid program replaces a file" a_file
ok "a set-uid program does not follow a link" not_a_link
ok "a set-uid program does not wait for a FIFO" not_a_fifo

# ---- Rights ------------------------------------------------------------------

privileged=0
if [ -n "${HD_SANITIZE-}" ]; then
	why="sanitizers do not bear set-uid programs"
elif [ "$(id -u)" -ne 0 ]; then
	why="only root can make set-uid programs of another user"
elif ! command -v setpriv >/dev/null; then
	why="there is no setpriv"
else
	why="set-uid programs have no effect on this file system"
	chmod 755 "$scratch"
	cp "$program" plain && chmod 755 plain
	cp "$program" uid && chmod 4755 uid
	cp "$program" gid && chmod 2755 gid
	as_nobody() {
		setpriv --reuid=$nobody --regid=$nobody --clear-groups "$@"
	}
	as_nobody ./uid probe && as_nobody ./gid probe &&
		! as_nobody ./plain probe && privileged=1
fi

# What somebody says who is nobody: KIND USE. It prints to said.
run() {
	rm -rf work evil && mkdir work evil || return 1
	chown "$nobody" evil && chmod 755 evil && chmod 775 work
	[ "$1" != plain ] || chmod 777 work
	echo old >work/Q
	(cd work && HDTRACE_PREFIX=$scratch/evil/ HDTRACE_VERBOSITY=3 \
		HDTRACE_OVERWRITE_EXISTING_FILES=1 RUT_BACKEND=nonsense \
		RUT_VERBOSITY=-1 PT_VERBOSITY=-1 PM_VERBOSITY=1 \
		PM_SERVERS=127.0.0.1:1=/no/where PM_TIMEOUT=20 \
		as_nobody "../$1" "$2") >said 2>&1
	found=$?
	echo "$1 $2: exit status $found"
	cat said
	ls -l work evil
}

obeys() {
	run plain writing && [ "$found" -eq 0 ] &&
		[ -e evil/P_node01.trc ] && [ ! -e work/P_node01.trc ] || return 1
	run plain rut && [ "$found" -eq 3 ] || return 1
	run plain pt && [ "$found" -eq 0 ] && [ ! -s said ] || return 1
	run plain pm && [ "$found" -eq 5 ] && grep -q /no/where said
}

ignores_writing() {
	run "$1" writing && [ "$found" -eq 0 ] && [ ! -s said ] &&
		[ ! -e evil/P_node01.trc ] && [ -e work/P_node01.trc ]
}

ignores_rut() {
	run "$1" rut && [ "$found" -eq 0 ]
}

ignores_pt() {
	run "$1" pt && [ "$found" -eq 0 ] && grep -q 'missing.cfg' said
}

ignores_pm() {
	run "$1" pm && [ "$found" -eq 0 ] && [ ! -s said ]
}

check() {
	what=$1
	shift
	if [ "$privileged" -eq 1 ]; then
		ok "$what" "$@"
	else
		skip "$what" "$why"
	fi
}

check "others obey the environment" obeys
for kind in uid gid; do
	check "set-$kind: libhdTrace ignores HDTRACE_*" ignores_writing $kind
	check "set-$kind: libRUT ignores RUT_*" ignores_rut $kind
	check "set-$kind: libPT ignores PT_*" ignores_pt $kind
	check "set-$kind: libpm ignores PM_*" ignores_pm $kind
done
done_testing
