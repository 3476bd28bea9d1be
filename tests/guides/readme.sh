#!/bin/sh
# README's tour, in a clone that was built by ./quickstart.
# SPDX-License-Identifier: LGPL-2.1-or-later
exec bash "${abs_top_srcdir:?}/tests/guides/run-guide" --clone \
	"$abs_top_srcdir/README"
