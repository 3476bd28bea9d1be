/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What writing is measured by: works that we do, OTF2 does, and the least has
 * to.
 */
#ifndef BENCH_WRITE_H
#define BENCH_WRITE_H

#include "tests/bench/bench.h"

/** A work of writing; ended when everything is with the system. */
struct benchWriting {
	const char *name;
	benchFunction ours;
	const benchFunction *peer; /**< Holds NULL without OTF2. */
	int clocks;   /**< Readings of the clock in an operation. */
	bool isEntry; /**< It makes 15 values. */
};

/** Find a work by its name, or NULL. */
const struct benchWriting *benchWritingFind(const char *name);

#endif
