#!/bin/sh
# Figure 4 of the paper runs with two servers: power from a DCMeter made of
# software, C-states from a machine that is a tree of files. What it writes is
# compared with what these two are to show: of set 0, which is that of dgemm; and
# as the paper says it of both kernels, where 0 is all sets (PM_SETS=1).
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: threads
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
pt=${abs_top_builddir:?}/pt
cd "$scratch" || exit 99
unset PT_VERBOSITY NOTIFY_SOCKET RUNTIME_DIRECTORY PM_VERBOSITY

# What a test that failed has left running; the machine ends with its input.
trap 'kill $(cat ./*.pid 2>/dev/null) 2>/dev/null; rm -rf "$scratch"' EXIT

# The meter and the machine.
begin_sim() {
	mkfifo input
	"$abs_top_builddir/tests/pm/figure4-sim" "$scratch/tree" <input >port &
	exec 3>input
	until_done test -s port
	cat >power.cfg <<-END
		[Server]
		listen=127.0.0.1:0
		[Device]
		name=DCMeter1
		driver=dcmeter
		port=tcp://127.0.0.1:$(cat port)
		[Line]
		device=DCMeter1
		node=cluster
		channel=*
	END
	cat >cstates.cfg <<-END
		[Server]
		listen=127.0.0.1:0
		[Device]
		name=Cstates
		driver=cstates
		cycle=100
		[Line]
		device=Cstates
		node=here
		channel=*
		values=Share
	END
}

# A service: NAME OPTION...
begin() {
	name=$1
	shift
	PT_VERBOSITY=2 "$pt" -c "$name.cfg" "$@" >"$name.log" 2>&1 &
	echo $! >"$name.pid"
	until_done grep -q 'serving at' "$name.log" || {
		cat "$name.log"
		return 1
	}
	sed -n 's/.*serving at 127.0.0.1:\([0-9]*\)$/\1/p' "$name.log" \
		>"$name.port"
}

# The meter has to be heard first.
is_up() {
	HDTRACE_PT_SERVER=127.0.0.1:$(cat power.port) "$pt" devices |
		grep -Eq '^DCMeter1 .* works +[0-9][^ ]* [a-z]+ +[1-9]'
}

# The program of the paper frees nothing: SETS.
runs() {
	rm -f out.* cstates.prv cstates.pcf cstates.row
	ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS-} \
		PM_SETS=$1 FIGURE4_POWER=$(cat power.port) \
		FIGURE4_CSTATES=$(cat cstates.port) \
		timeout 100 "$abs_top_builddir/doc/examples/figure4" >out 2>err
	found=$?
	cat out err
	[ "$found" -eq 0 ] && ! [ -s err ] || return 1
	diff -u - out <<-END
		Name: DCMeter1
		Max freq: 28
		Number of lines: 12
	END
}

ends() {
	for name in power cstates; do
		kill "$(cat "$name.pid")"
		wait "$(cat "$name.pid")"
		found=$?
		rm "$name.pid"
		cat "$name.log"
		[ "$found" -eq 0 ] || return 1
	done
	exec 3>&-
	wait
}

# The command of the comment, in a copy of the examples; pkg-config finds the
# library in the build tree.
compiles() {
	cp -R "$abs_top_srcdir/doc/examples" examples &&
		mkdir -p include/pmlib bin &&
		cp "$abs_top_srcdir"/PowerTracingLibrary/pm/include/*.h \
			include/pmlib || return 1
	sed -e "s|^libdir=.*|libdir=$abs_top_builddir/.libs|" \
		-e "s|^includedir=.*|includedir=$scratch/include|" \
		"$abs_top_builddir/PowerTracingLibrary/pm/libpm.pc" >libpm.pc
	cat >bin/cc <<-END
		#!/bin/sh
		PATH=$PATH exec ${CC:-cc} ${HD_SANITIZE-} "\$@"
	END
	chmod +x bin/cc
	sed -n 's/^ \*     \(cc figure4\.c .*\)/\1/p' examples/figure4.c \
		>examples/command
	[ "$(wc -l <examples/command)" -eq 1 ] || return 1
	(cd examples && PATH=$scratch/bin:$PATH PKG_CONFIG_PATH=$scratch \
		sh -e ./command) &&
		[ -x examples/figure4 ]
}

# The kernels done by a library, where there is one; test-kernels sees that they
# are right, too.
by_library() {
	# Unquoted: lists of options.
	# shellcheck disable=SC2046,SC2086
	${CC:-cc} ${HD_SANITIZE-} -std=gnu11 -DEXAMPLE_CBLAS \
		-I"$abs_top_builddir" -I"$abs_top_srcdir" \
		$(${PKG_CONFIG:-pkg-config} --cflags glib-2.0) -o kernels \
		"$abs_top_srcdir/tests/pm/test-kernels.c" \
		$(${PKG_CONFIG:-pkg-config} --libs glib-2.0) -lblas && ./kernels
}

ok "figure4.c compiles with the command in its comment" compiles
[ -n "$(command -v python3)" ] || {
	skip "figure 4 with two servers" "no python3"
	done_testing
}
ok "start of the simulated meter and machine" begin_sim
ok "start of the power server" begin power
ok "start of the C-state server" begin cstates --root="$scratch/tree"
ok "the power server has readings" until_done is_up
for sets in 0 1; do
	ok "figure 4 runs, sets from $sets" runs "$sets"
	for name in out cstates; do
		ok "$name.prv, .pcf and .row are valid for Paraver" python3 \
			"$abs_top_srcdir/tests/tools/readers/paraver.py" \
			"$name" --undamaged
	done
	ok "values match the meter and the machine, sets from $sets" \
		python3 "$abs_top_srcdir/tests/tools/readers/figure4.py" . \
		"$sets"
done
ok "end of the servers" ends
if echo '#include <cblas.h>' | ${CC:-cc} -E - >/dev/null 2>&1; then
	ok "kernels of CBLAS are recorded" by_library
else
	skip "kernels of CBLAS are recorded" "no cblas.h"
fi
done_testing
