#!/bin/bash
# How many instructions the client of a volume takes for an operation, in user space,
# by valgrind's callgrind: the difference between runs of few and of many, so that what
# it takes to begin and to end does not count.
#
#     instructions.sh       prints a table of all variants, and where those of "all" are
#
# HDTRACE_VARIANTS has other ones, HDTRACE_PROFILES a directory that is to have what
# callgrind wrote.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/gluster/variants.sh"
command -v valgrind >/dev/null || skip_all "there is no valgrind"
variants=${HDTRACE_VARIANTS:-absent empty gauges all trace}
few=100
many=1100

for variant in $variants; do
	for number in $few $many; do
		client_with="valgrind -q --tool=callgrind
			--callgrind-out-file=$scratch/profile.$variant.$number"
		start_variant
		load_variant --number_ios="$number" || exit 99
		stop_volume
	done
done
if [ -n "${HDTRACE_PROFILES-}" ]; then
	mkdir -p "$HDTRACE_PROFILES"
	cp "$scratch"/profile.* "$HDTRACE_PROFILES"
fi

# Words of a list.
# shellcheck disable=SC2086
python3 "$abs_top_srcdir/tests/gluster/instructions.py" "$scratch" $few $many \
	$variants
