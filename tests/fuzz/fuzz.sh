#!/bin/sh
# Builds the fuzz targets with clang's libFuzzer and runs one after the other;
# `make fuzz` calls it: [TARGET...], all by default.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# FUZZ_SECONDS says how long each runs (600); with FUZZ_RUNS each runs so often
# at the most, and always on the same inputs. All goes to ./fuzz; what libFuzzer
# learns is kept in fuzz/corpus-TARGET.
set -eu
source_dir=${abs_top_srcdir:?}/tests/fuzz
seconds=${FUZZ_SECONDS:-600}
runs=${FUZZ_RUNS:+-seed=1 -runs=$FUZZ_RUNS}
tree=fuzz/tree

missing() {
	echo "make fuzz: $1;" \
		"on Debian: apt-get install clang libclang-rt-dev" >&2
	exit 1
}

# Run a command with its output in a file; on failure show the end of it.
quietly() {
	log=$1
	shift
	"$@" >"$log" 2>&1 && return
	tail -n 40 "$log" >&2
	echo "make fuzz: this failed: $*; the log is $log" >&2
	exit 1
}

[ -n "${CLANG-}" ] || missing "clang is missing"
mkdir -p "$tree"
echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' >fuzz/try.c
$CLANG -fsanitize=fuzzer,address,undefined fuzz/try.c -o fuzz/try \
	2>fuzz/try.log || missing "$CLANG cannot link libFuzzer"

if [ $# -eq 0 ]; then
	# Without HTTP and TLS, which others have looked at.
	for file in "$source_dir"/fuzz-*.c; do
		target=${file##*/fuzz-}
		set -- "$@" "${target%.c}"
	done
fi
echo "make fuzz: building $*"
[ -f "$tree/Makefile" ] || (
	cd "$tree"
	quietly ../configure.log "$abs_top_srcdir/configure" -q CC="$CLANG" \
		CFLAGS='-g -O1' --disable-viewer --with-mpi=no \
		--enable-sanitizer=fuzzer-no-link,address,undefined \
		--without-microhttpd --without-gnutls --without-otf2 \
		--without-cairo
)
programs=
for target; do
	programs="$programs tests/fuzz/replay-$target"
done
# A list of programs.
# shellcheck disable=SC2086
quietly fuzz/build.log "${MAKE:-make}" -C "$tree" -j"$(nproc)" \
	hd_fuzz_main=-fsanitize=fuzzer $programs
for target; do
	echo "make fuzz: running $target for $seconds seconds"
	mkdir -p "fuzz/corpus-$target"
	# shellcheck disable=SC2086
	"$tree/tests/fuzz/replay-$target" -max_total_time="$seconds" $runs \
		-timeout=10 -rss_limit_mb=2048 -max_len=65536 \
		-print_final_stats=1 -dict="$source_dir/hdtrace.dict" \
		-artifact_prefix="fuzz/$target-" "fuzz/corpus-$target" \
		"$source_dir/seeds/$target" >"fuzz/$target.log" 2>&1 || {
		tail -n 40 "fuzz/$target.log" >&2
		echo "make fuzz: $target failed; the log is fuzz/$target.log" >&2
		exit 1
	}
	grep -E '^(Done|stat::number_of_executed_units)' "fuzz/$target.log"
done
echo "make fuzz: nothing was found"
