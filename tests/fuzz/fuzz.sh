#!/bin/sh
# Builds the fuzz targets with clang's libFuzzer and runs one after the other;
# `make fuzz` calls it: [TARGET...], all by default.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# FUZZ_SECONDS says how long each runs (600); with FUZZ_RUNS each runs so often
# at the most, and always on the same inputs. An input may take 10 s of CPU time.
# All goes to ./fuzz; what libFuzzer learns is kept in fuzz/corpus-TARGET, and
# fuzz/coverage has a line for each target.
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
$CLANG -g -O1 -c -o fuzz/cpulimit.o "$source_dir/cpulimit.c"
# Without the library of Python there is no program for that target.
if grep -q '^HAVE_PYTHON_EMBED_TRUE = #' "$tree/Makefile"; then
	for target; do
		shift
		if [ "$target" = python ]; then
			echo "make fuzz: python: there is no library of Python"
		else
			set -- "$@" "$target"
		fi
	done
fi
main="-fsanitize=fuzzer -Wl,--wrap=LLVMFuzzerTestOneInput $PWD/fuzz/cpulimit.o"
programs=
for target; do
	programs="$programs tests/fuzz/replay-$target"
done
# A list of programs.
# shellcheck disable=SC2086
quietly fuzz/build.log "${MAKE:-make}" -C "$tree" -j"$(nproc)" \
	hd_fuzz_main="$main" $programs

# A line about a target: its parts of the code that were run, of all in the program.
coverage() {
	awk -v target="$1" '
		/inline 8-bit counters/ {
			for (i = 2; i <= NF; i++)
				if ($i == "inline")
					all = substr($(i - 1), 2) + all
		}
		/^#[0-9]+\t/ { for (i = 1; i < NF; i++) if ($i == "cov:") cov = $(i + 1) }
		/^stat::number_of_executed_units/ { runs = $2 }
		/^Done/ { seconds = $(NF - 1) }
		END { printf "%-10s %9d runs %6d s %6d of %6d edges\n", target, runs, seconds, cov, all }
	' "fuzz/$1.log"
}

: >fuzz/coverage
for target; do
	echo "make fuzz: running $target for $seconds seconds"
	mkdir -p "fuzz/corpus-$target"
	# shellcheck disable=SC2086
	"$tree/tests/fuzz/replay-$target" -max_total_time="$seconds" $runs \
		-timeout=1200 -rss_limit_mb=2048 -max_len=65536 \
		-print_final_stats=1 -dict="$source_dir/hdtrace.dict" \
		-artifact_prefix="fuzz/$target-" "fuzz/corpus-$target" \
		"$source_dir/seeds/$target" >"fuzz/$target.log" 2>&1 || {
		tail -n 40 "fuzz/$target.log" >&2
		echo "make fuzz: $target failed; the log is fuzz/$target.log" >&2
		exit 1
	}
	coverage "$target" | tee -a fuzz/coverage
done
echo "make fuzz: nothing was found"
