#!/bin/sh
# Annealed mappings with the least energy within a time, beside those of an integer program;
# see front.py.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
#
# HDTRACE_TEST_GRAPHS says how many graphs (6), HDTRACE_TEST_SEED which is the first.
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
command -v python3 >/dev/null || skip_all "python3 is missing"
command -v glpsol >/dev/null || skip_all "glpsol is missing (Debian: glpk-utils)"
export PYTHONDONTWRITEBYTECODE=1
ok "annealing finds the least energy within a time" python3 \
	"$abs_top_srcdir/tests/predict/front.py" "${abs_top_builddir:?}/hdpredict" \
	"$scratch" glpsol "${HDTRACE_TEST_SEED:-0}" "${HDTRACE_TEST_GRAPHS:-6}"
done_testing
