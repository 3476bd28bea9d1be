#!/bin/sh
# Compares this tree with another revision of it: `make bench-compare BASE=REV`.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#     compare.sh BUILD REVISION
#
# The other revision is built in ./bench-compare, with the compiler and the
# options that BUILD was configured with (base.sh); a program that knows the public
# headers only is built for each (compare-ops.c). Both run in turns, first the one and
# then the other, then the other way round; CPU time is counted. Where valgrind
# is, instructions are, too: what an operation needs between 20,000 and 120,000
# of them; of probes, where both have them (compare-probe.c), only these.
# compare.awk has the rules; exit status 1 if something got worse, 2 if
# nothing could be measured. COMPARE_PAIRS=9 is how many pairs are run. A prediction
# is simulated by hdpredict, if the other revision has that: its figure is simulate,
# its instructions are those of a task, of graphs of 1,960 and 13,120.
set -u
source_dir=$(cd "$(dirname "$0")" && pwd) || exit 2
pairs=${COMPARE_PAIRS:-9}
operations="state bare entry writeEntry made"

# shellcheck source=tests/bench/quietly.sh
. "$source_dir/quietly.sh"

need_revision "${2-}"
build=$(cd "$1" && pwd) || exit 2
top=$(cd "$source_dir/../.." && pwd)
work=$build/bench-compare
mkdir -p "$work" || exit 2

# The other revision, built as this one was.
base=$(sh "$source_dir/base.sh" "$build" "$2") || exit 2
commands="stat check merge"
if grep -q '^hdpredict[$]' "$base/build/Makefile"; then
	quietly "$base/make.log" "${MAKE:-make}" -C "$base/build" \
		-j"$(getconf _NPROCESSORS_ONLN)" hdpredict
	commands="$commands simulate"
fi

# Build the program for a tree: SOURCES BUILD PROGRAM. The literals of the program are not
# merged with those of the library: keys are found by address, so a chance distance of
# two keys would count as a difference of the trees.
build_ops() {
	# A command and its options.
	# shellcheck disable=SC2086
	quietly "$work/ops.log" ${CC:-cc} ${CFLAGS:--g -O2} -fno-merge-constants \
		-I"$1/HDTraceWritingCLibrary/include" \
		"$source_dir/compare-ops.c" "$2/.libs/libhdTracing.a" \
		-lpthread -lm -o "$3"
}

# The same for probes: SOURCES BUILD PROGRAM; false if there are none.
build_probe() {
	[ -d "$1/InstrumentationLibrary" ] || return 1
	[ -f "$2/.libs/libhdProbe.a" ] ||
		quietly "$work/probe.log" "${MAKE:-make}" -C "$2" libhdProbe.la
	# A command and its options.
	# shellcheck disable=SC2086
	quietly "$work/probe.log" ${CC:-cc} ${CFLAGS:--g -O2} \
		-I"$1/InstrumentationLibrary/include" \
		"$source_dir/compare-probe.c" "$2/.libs/libhdProbe.a" \
		-lpthread -o "$3"
}

# Older revisions have no relations.
[ ! -f "$base/source/HDTraceWritingCLibrary/include/hdRelation.h" ] ||
	operations="$operations relation"
build_ops "$base/source" "$base/build" "$work/ops-base"
build_ops "$top" "$build" "$work/ops-this"
probes=
if build_probe "$base/source" "$base/build" "$work/probe-base" &&
	build_probe "$top" "$build" "$work/probe-this"; then
	probes="pair dispatch"
fi
run=$work/run
rm -rf "$run"
mkdir -p "$run" || exit 2
cd "$run" || exit 2
quietly "$work/project.log" "$build/tests/bench/make-project" --nodes=2 \
	--ranks=4 --records=200000 --values=2000000 project
for tiles in 20 40 80; do
	"$build/hdpredict" generate cholesky --tiles $tiles --tile-size 128 |
		"$build/hdpredict" map - --platform thesis-eval \
			--resources thesis -o graph$tiles.xml || exit 2
done

# One run of a figure: base|this FIGURE; prints nanoseconds.
measure() {
	hdtrace=$build/hdtrace
	[ "$1" = this ] || hdtrace=$base/build/hdtrace
	case $2 in
	stat | check | merge)
		set -- "$1" "$2" "$hdtrace"
		case $2 in
		merge) set -- "$1" run "$3" merge --force project ;;
		*) set -- "$1" run "$3" "$2" project.proj ;;
		esac
		;;
	simulate)
		set -- "$1" run "${hdtrace%hdtrace}hdpredict" simulate graph80.xml \
			--platform=thesis-eval --resources=thesis
		;;
	*) set -- "$1" "$2" 500000 ;;
	esac
	ops=$work/ops-$1
	shift
	"$ops" "$@" || die "$* cannot be measured"
	rm -f ops_* ops.*
}

# Instructions of so many operations: base|this OPERATION COUNT. Buffers hold all
# of them, so that it does not depend on when they are written.
instructions() {
	case $2 in
	pair | dispatch) program=$work/probe-$1 ;;
	*) program=$work/ops-$1 ;;
	esac
	HDTRACE_BUFFER_SIZE_KB=262144 HDTRACE_FLUSH_MS=600000 \
		valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		"$program" "$2" "$3" 2>&1 >/dev/null |
		sed -n 's/^==[0-9]*== Collected : \([0-9]*\)$/\1/p'
	rm -f ops_* ops.*
}

# The same of a command: base|this TILES.
instructions_simulate() {
	tree=$build
	[ "$1" = this ] || tree=$base/build
	valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		"$tree/hdpredict" simulate "graph$2.xml" \
		--platform=thesis-eval --resources=thesis 2>&1 >/dev/null |
		sed -n 's/^==[0-9]*== Collected : \([0-9]*\)$/\1/p'
}

slope() {
	if [ "$2" = simulate ]; then
		count=$((13120 - 1960))
		few=$(instructions_simulate "$1" 20)
		many=$(instructions_simulate "$1" 40)
	else
		count=100000
		few=$(instructions "$1" "$2" 20000)
		many=$(instructions "$1" "$2" 120000)
	fi
	if [ -z "$few" ] || [ -z "$many" ]; then
		die "valgrind cannot count instructions of $2"
	fi
	awk -v few="$few" -v many="$many" -v count="$count" \
		'BEGIN { printf "%.2f\n", (many - few) / count }'
}

: >"$work/measured"
for figure in $operations $commands; do
	echo "bench-compare: $figure" >&2
	i=0
	while [ $i -lt "$pairs" ]; do
		if [ $((i % 2)) -eq 0 ]; then
			a=$(measure base "$figure") || exit 2
			b=$(measure this "$figure") || exit 2
		else
			b=$(measure this "$figure") || exit 2
			a=$(measure base "$figure") || exit 2
		fi
		echo "time $figure $a $b" >>"$work/measured"
		i=$((i + 1))
	done
done
if command -v valgrind >/dev/null; then
	case $commands in
	*simulate) operations="$operations simulate" ;;
	esac
	for operation in $operations $probes; do
		a=$(slope base "$operation") || exit 2
		b=$(slope this "$operation") || exit 2
		echo "instructions $operation $a $b" >>"$work/measured"
	done
else
	echo "bench-compare: without valgrind, no instructions" >&2
fi
cd "$work" || exit 2
rm -rf "$run"
awk -f "$source_dir/compare.awk" "$work/measured"
