#!/bin/sh
# Builds the fuzz targets with clang's libFuzzer and runs one after the other;
# `make fuzz` calls it: TARGET...
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# CLANG, FUZZ_CFLAGS, FUZZ_LIBS and FUZZ_SOURCES say how to build, and
# FUZZ_SECONDS how long each runs (600); with FUZZ_RUNS each runs so often at the
# most, and always on the same inputs. All goes to ./fuzz; what libFuzzer
# learns is kept in fuzz/corpus-TARGET.
set -eu
source_dir=${abs_top_srcdir:?}/tests/fuzz
seconds=${FUZZ_SECONDS:-600}
runs=${FUZZ_RUNS:+-seed=1 -runs=$FUZZ_RUNS}

missing() {
	echo "make fuzz: $1;" \
		"on Debian: apt-get install clang libclang-rt-dev" >&2
	exit 1
}

[ -n "${CLANG-}" ] || missing "clang is missing"
mkdir -p fuzz
echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' >fuzz/try.c
# FUZZ_CFLAGS and the like are lists.
# shellcheck disable=SC2086
$CLANG -fsanitize=fuzzer,address,undefined fuzz/try.c -o fuzz/try \
	2>fuzz/try.log || missing "$CLANG cannot link libFuzzer"

for target; do
	echo "make fuzz: building $target"
	# shellcheck disable=SC2086
	$CLANG -std=gnu11 -g -O1 -fno-omit-frame-pointer \
		-fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=undefined $FUZZ_CFLAGS \
		$FUZZ_SOURCES "$source_dir/fuzz-$target.c" \
		-o "fuzz/fuzz-$target" $FUZZ_LIBS
done
for target; do
	echo "make fuzz: running $target for $seconds seconds"
	mkdir -p "fuzz/corpus-$target"
	# shellcheck disable=SC2086
	"fuzz/fuzz-$target" -max_total_time="$seconds" $runs -timeout=10 \
		-rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
		-dict="$source_dir/hdtrace.dict" \
		-artifact_prefix="fuzz/$target-" "fuzz/corpus-$target" \
		"$source_dir/seeds/$target" >"fuzz/$target.log" 2>&1 || {
		tail -n 40 "fuzz/$target.log" >&2
		echo "make fuzz: $target failed; the log is fuzz/$target.log" >&2
		exit 1
	}
	grep -E '^(Done|stat::number_of_executed_units)' "fuzz/$target.log"
done
echo "make fuzz: nothing was found"
