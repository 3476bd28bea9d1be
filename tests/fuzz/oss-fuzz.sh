#!/bin/bash
# Builds all fuzz targets as OSS-Fuzz expects it: $SRC/hdtrace is the source, $CC and
# $CFLAGS the compiler, $LIB_FUZZING_ENGINE the engine, and $OUT gets the targets,
# their seeds as zip files and their dictionary.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -eu
source_dir=${SRC:?}/hdtrace
work=${WORK:?}/hdtrace
mkdir -p "$work"
[ -x "$source_dir/configure" ] || (cd "$source_dir" && ./bootstrap)
cd "$work"
"$source_dir/configure" -q CC="${CC:?}" CFLAGS="${CFLAGS-}" --disable-viewer \
	--with-mpi=no --without-microhttpd --without-gnutls --without-otf2 --without-cairo
targets=
for file in "$source_dir"/tests/fuzz/fuzz-*.c; do
	target=${file##*/fuzz-}
	target=${target%.c}
	# This one needs the library of Python.
	[ "$target" != python ] || grep -q '^HAVE_PYTHON_EMBED_TRUE = *$' Makefile || continue
	targets="$targets $target"
done
for target in $targets; do
	make -s -j"$(nproc)" hd_fuzz_main="${LIB_FUZZING_ENGINE:?}" \
		"tests/fuzz/replay-$target"
	cp "tests/fuzz/replay-$target" "${OUT:?}/$target"
	cp "$source_dir/tests/fuzz/hdtrace.dict" "$OUT/$target.dict"
	(cd "$source_dir/tests/fuzz/seeds/$target" && zip -q -r "$OUT/${target}_seed_corpus.zip" .)
done
