#!/bin/sh
# Runs the example of libhdPredict; see predict.c.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
predict=${abs_top_builddir:?}/doc/examples/predict
cd "$scratch" || exit 99

# By hand: split until 0.1 s; server0 works from 0.1 to 2.6 and from 2.6 to 5.1
# (2 s x 1.25); server1 gets the data after 0.1 ms and 667 packets of 12 us.
works() {
	exits 0 "$predict" && grep -q '^split  server0.core0  0.000 s to 0.100 s$' out &&
		grep -q '^work0  server0.core0  0.100 s to 2.600 s$' out &&
		grep -q '^work2  server1.core0  0.108 s to 2.608 s$' out
}
ok "models by calls" works
done_testing
