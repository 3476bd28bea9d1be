#!/bin/sh
# README as a guide, in a clone that ./quickstart has built.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
exec bash "${abs_top_srcdir:?}/tests/guides/run-guide" --clone \
	"$abs_top_srcdir/README"
