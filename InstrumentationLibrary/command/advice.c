/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many instances should be dispatched at once. */
#include "config.h"

#include <math.h>

#include "InstrumentationLibrary/command/advice.h"

double adviceAll(const struct probeTable *table)
{
	double all = 0;

	for (guint i = 0; i < table->rows->len; i++) {
		const struct hdProbeFigures *figures =
			&g_array_index(table->rows, struct probeRow, i).figures;

		if (figures->kind == HDPROBE_KIND_KERNEL &&
		    isfinite(figures->dispatch_s + figures->body_s))
			all += figures->dispatch_s + figures->body_s;
	}
	return all;
}

struct advice adviceFor(const struct hdProbeFigures *kernel, double all,
			unsigned int threads, double most)
{
	struct advice advice = { 0 };
	double d = kernel->dispatch_mean_s, b = kernel->mean_s;
	double n, limit;

	if (kernel->kind != HDPROBE_KIND_KERNEL || !(d > 0) || !(b >= 0))
		return advice;
	advice.share = d / (d + b);
	advice.then = advice.share;
	limit = floor((double)kernel->instances /
		      (ADVICE_BATCHES * (double)(threads ? threads : 1)));
	if (advice.share <= most || kernel->dispatch_s < ADVICE_MATTERS * all ||
	    limit < 2)
		return advice;
	/* Bodies of no time at all: as many as there may be. */
	n = b > 0 ? ceil(d * (1 - most) / (most * b)) : INFINITY;
	advice.isLimited = n > limit;
	if (advice.isLimited)
		n = limit;
	advice.batch = (uint64_t)n;
	advice.then = d / (d + n * b);
	advice.saved = (double)kernel->instances * d * (1 - 1 / n);
	return advice;
}
