#!/bin/sh
# Mappings of small random graphs against all mappings; see mapping.py.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
#
# HDTRACE_TEST_GRAPHS says how many (40), HDTRACE_TEST_SEED which is the first.
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
command -v python3 >/dev/null || skip_all "python3 is missing"
export PYTHONDONTWRITEBYTECODE=1
graphs=${HDTRACE_TEST_GRAPHS:-40}
compare() {
	python3 "$abs_top_srcdir/tests/predict/mapping.py" "${abs_top_builddir:?}/hdpredict" \
		"$scratch" "${HDTRACE_TEST_SEED:-0}" "$graphs" >"$scratch/said"
	status=$?
	cat "$scratch/said"
	return "$status"
}
ok "mappings of $graphs graphs keep what is given and are never worse than EFT" compare
optimal() {
	sed -n 's/.*[# ]\([0-9]*\) optimal.*/\1/p' "$scratch/said" | awk -v all="$graphs" '{ exit !($1 >= 0.95 * all) }'
}
ok "annealing finds the optimum in 95 % of them" optimal
done_testing
