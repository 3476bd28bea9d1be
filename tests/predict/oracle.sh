#!/bin/sh
# A7: hdpredict and a naive simulator in Python say the same of random models,
# and what holds for all models holds.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain slow
#
# HDTRACE_TEST_MODELS says how many (1000, with sanitizers 200), HDTRACE_TEST_SEED
# which is the first.
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
command -v python3 >/dev/null || skip_all "python3 is missing"
export PYTHONDONTWRITEBYTECODE=1
compare() {
	python3 "$abs_top_srcdir/tests/predict/compare.py" \
		"${abs_top_builddir:?}/hdpredict" "$scratch" "$@" >"$scratch/said"
	status=$?
	cat "$scratch/said"
	return "$status"
}
count=1000
[ -z "${HD_SANITIZE-}" ] || count=200
models=${HDTRACE_TEST_MODELS:-$count}
first=${HDTRACE_TEST_SEED:-0}
ok "$models random models from seed $first equal the oracle" compare "$first" "$models"
ok "most random models are simulated" grep -q "[0-9][0-9] equal" "$scratch/said"
done_testing
