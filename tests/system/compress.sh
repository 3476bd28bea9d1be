#!/bin/sh
# Commands that record with --compress write files that other programs read.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
command -v zstd >/dev/null || skip_all "zstd is missing"
frames=$abs_top_srcdir/tests/tools/readers/frames.py
hdtrace=${abs_top_builddir:?}/hdtrace
cd "$scratch" || exit 99
unset HDTRACE_COMPRESS

# A project has compressed files and no plain ones, all closed and whole: NAME
is_compressed() {
	ls
	for file in "$1"_*.zst; do
		zstd -qt "$file" || return 1
		python3 "$frames" "$file" >"$scratch/frames" || return 1
		grep -q table "$scratch/frames" || return 1
	done
	for file in "$1"_*; do
		case $file in
		*.stat | *.trc | *.rel) return 1 ;;
		esac
	done
	"$hdtrace" check "$1" >checked 2>&1 || cat checked
	"$hdtrace" info "$1"
}

rut_records() {
	"$abs_top_builddir/rut" --compress -q -i 5ms -p rut -- sleep 0.2 &&
		is_compressed rut
}
ok "rut --compress" rut_records

rut_level() {
	"$abs_top_builddir/rut" --compress=19 -q -i 5ms -p level -- sleep 0.1 &&
		is_compressed level &&
		"$abs_top_builddir/rut" --compress=-7 -q -i 5ms -p fast -- sleep 0.1 &&
		is_compressed fast
}
ok "rut --compress=19 and --compress=-7" rut_level

wrong_level() {
	exits 125 "$abs_top_builddir/rut" --compress=20 -p wrong -- true &&
		grep -q -- '--compress: invalid value "20"; expected -7 to -1 or 1 to 19' err
}
ok "a level that does not exist is refused" wrong_level

hdload_records() {
	"$abs_top_builddir/hdload" --compress -q -d 0.3 --load=0.1 --cpus=0 -p load &&
		is_compressed load
}
ok "hdload --compress" hdload_records

replaces() {
	"$abs_top_builddir/rut" -q -i 5ms -p both -- true &&
		"$abs_top_builddir/rut" --compress -f -q -i 5ms -p both -- true &&
		is_compressed both &&
		"$abs_top_builddir/rut" -f -q -i 5ms -p both -- true &&
		! ls both_*.zst
}
ok "files of the other form are replaced" replaces

# The first line says it, and the files are plain.
without_libzstd() {
	mkdir -p fake && echo >fake/libzstd.so.1
	LD_LIBRARY_PATH=$scratch/fake "$abs_top_builddir/rut" --compress -q -i 5ms \
		-p plain -- true 2>err
	cat err
	grep -c . err | grep -qx 1 &&
		grep -q 'HDTRACE_COMPRESS=zstd: files are not compressed: zstd is missing' err &&
		ls plain_*.stat && ! ls plain_*.zst
}
if [ -n "${HD_SANITIZE-}" ]; then
	skip "missing libzstd is named" "the sanitizer may need it"
else
	ok "missing libzstd is named" without_libzstd
fi
done_testing
