/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How much longer a program takes that is traced: the tables of the thesis'
 * section 5.2, ours beside those published.
 */
#ifndef IMPACT_H
#define IMPACT_H

#include <stddef.h>

/** One way to be traced; the first of a table is not to be traced. */
struct impactColumn {
	const char *title;
	/** Published: mean in s, standard deviation in s, coefficient of
	 * variation and impact in %; "" where there is nothing. */
	const char *mean, *deviation, *variation, *impact;
	/** Seconds of each run. */
	double *times;
	/** CPU time of the tracing threads in all runs, in s. */
	double cost;
};

/** Print a table in Markdown. */
void impactPrint(const struct impactColumn *columns, size_t count, size_t runs);

#endif
