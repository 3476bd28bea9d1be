#!/bin/sh
# With HDPROBE_OFF, probes emit nothing; switched off at run time, a probe is a
# load, a comparison and a branch; and what is not timed, as sampling has it, costs
# less than what is.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers add code of their own"
cd "$scratch" || exit 99
include=$abs_top_srcdir/InstrumentationLibrary/include

cat >probed.c <<'END'
#include <hdProbe.h>
int work(int x);
int other(int x);
int work(int x)
{
	HDPROBE_SCOPE("scope");
	HDPROBE_START(pair, "pair");
	HDPROBE_DEADLINE(pair, 0.5);
	HDPROBE_DISPATCH_START(kernel, "kernel");
	HDPROBE_BODY_START(kernel);
	x = x * 3 + 1;
	HDPROBE_BODY_STOP(kernel);
	HDPROBE_DISPATCH_STOP(kernel);
	HDPROBE_DISPATCH_STOP_N(kernel, x);
	HDPROBE_STOP(pair);
	HDPROBE_STOP_N(pair, x);
	HDPROBE_TRANSFER("a", "b", other(x));
	HDPROBE_COUNT("count", other(x));
	return x;
}
END
sed '/HDPROBE/d; /hdProbe/d' probed.c >bare.c

compile() {
	# CC may hold options.
	# shellcheck disable=SC2086
	${CC:-cc} -O2 -Wall -Wextra -Werror -I"$include" "$@"
}

code() {
	objdump -d "$1" | sed '1,/Disassembly/d'
}

# The same instructions, no data, and no symbols.
emits_nothing() {
	compile -DHDPROBE_OFF "$@" -c -o off.o probed.c &&
		compile "$@" -c -o bare.o bare.c || return 1
	code off.o >off.s && code bare.o >bare.s && diff off.s bare.s || return 1
	${NM:-nm} off.o
	! ${NM:-nm} off.o | grep -i probe &&
		[ "$(size -A off.o | awk '/^\.(data|bss|rodata)/ { n += $2 }
			END { print n + 0 }')" -eq 0 ]
}

# And that can fail: with probes on there are calls.
emits_something() {
	compile -Wno-unused -c -o on.o probed.c && compile -c -o bare.o bare.c || return 1
	code on.o >on.s && code bare.o >bare.s || return 1
	${NM:-nm} on.o
	! diff -q on.s bare.s && ${NM:-nm} on.o | grep -q 'U hdProbe_begin'
}

# Instructions of so many pairs, with valgrind: COUNT [on|off [SAMPLING]].
instructions() {
	HDPROBE=${2:-off} valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		./loop "$1" "${3:-0}" 2>&1 | sed -n 's/^==[0-9]*== Collected : \([0-9]*\)$/\1/p'
}

build_loop() {
	cat >loop.c <<'END'
#include <stdlib.h>
#include <hdProbe.h>
int main(int argc, char **argv)
{
	unsigned int every = argc > 2 ? (unsigned int)atoi(argv[2]) : 0;

	if (every)
		hdProbe_setSampling(hdProbe_find("pair", NULL,
						 HDPROBE_KIND_TIMER), every, 1);
	for (long i = argc > 1 ? atol(argv[1]) : 0; i > 0; i--) {
		HDPROBE_START(pair, "pair");
		HDPROBE_STOP(pair);
	}
	return 0;
}
END
	# Stripped: valgrind cannot read what all compilers say for debuggers.
	compile -s -o loop loop.c "${abs_top_builddir:?}/.libs/libhdProbe.a" \
		-lpthread
}

# Of one in 50 of them, the clock is read.
sampling_is_cheaper() {
	all=$(($(instructions 51000 on) - $(instructions 1000 on)))
	some=$(($(instructions 51000 on 50) - $(instructions 1000 on 50)))
	echo "50000 pairs: $all instructions, of which one in 50 is timed $some"
	[ "$some" -gt 0 ] && [ $((some * 10)) -lt $((all * 9)) ]
}

one_branch() {
	build_loop || return 1
	few=$(instructions 1000)
	many=$(instructions 101000)
	[ -n "$few" ] && [ -n "$many" ] && [ "$many" -gt "$few" ] || return 1
	each=$(((many - few) * 10 / 100000))
	echo "$each tenths of an instruction a pair, the loop included"
	[ "$each" -le 80 ]
}

if command -v objdump >/dev/null; then
	ok "HDPROBE_OFF emits no code" emits_nothing
	ok "HDPROBE_OFF emits no code in C++" emits_nothing -x c++
	ok "probes emit code without HDPROBE_OFF" emits_something
else
	skip "HDPROBE_OFF emits no code" "there is no objdump"
fi
if command -v valgrind >/dev/null && [ -f "$abs_top_builddir/.libs/libhdProbe.a" ]
then
	ok "disabled probes cost one branch" one_branch
	ok "sampling makes a pair cheaper" sampling_is_cheaper
else
	skip "disabled probes cost one branch" "there is no valgrind, or no static library"
fi
done_testing
