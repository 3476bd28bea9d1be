/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What accesses to files take: classes of them, each of an order, a kind and a
 * size, on hosts of an architecture. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "PredictionLibrary/characterize/learn.h"

static bool isSame(const struct learntAccess *a, const struct learntAccess *b)
{
	return strcmp(a->order, b->order) == 0 &&
	       strcmp(a->access, b->access) == 0 && a->bytes == b->bytes &&
	       strcmp(a->architecture, b->architecture) == 0;
}

/* Dynamic energy of one; NaN: not known. */
static double energyOf(const struct learnt *self,
		       const struct learntAccess *access)
{
	const struct learntMeter *meter = learntMeterOf(self, access->meter);
	struct learntRun run = { .start = access->start,
				 .end = access->end,
				 .energy = NAN };

	if (learnMeasure(self, meter, &run) != RUN_GOOD)
		return NAN;
	return run.energy * learntHostOf(self, meter->host)->scale /
	       access->times;
}

/* All measurements of a class, in one. */
static void takeClass(const struct learnt *self, struct learntAccess *class)
{
	GArray *times = g_array_new(FALSE, FALSE, sizeof(double));
	GArray *energies = g_array_new(FALSE, FALSE, sizeof(double));

	for (guint i = 0; i < self->accesses->len; i++) {
		const struct learntAccess *one =
			&g_array_index(self->accesses, struct learntAccess, i);
		double time =
			(double)(one->end - one->start) / 1e9 / one->times;
		double energy;

		if (!isSame(one, class))
			continue;
		g_array_append_val(times, time);
		energy = energyOf(self, one);
		if (!isnan(energy))
			g_array_append_val(energies, energy);
	}
	class->time =
		learntMean((const double *)(void *)times->data, times->len);
	class->energy = learntMean((const double *)(void *)energies->data,
				   energies->len);
	g_array_unref(times);
	g_array_unref(energies);
}

void learnAccesses(struct learnt *self)
{
	for (guint i = 0; i < self->accesses->len; i++) {
		struct learntAccess *one =
			&g_array_index(self->accesses, struct learntAccess, i);
		bool isThere = false;

		one->architecture =
			learntHostOf(self,
				     learntMeterOf(self, one->meter)->host)
				->architecture;
		for (guint k = 0; k < self->classes->len && !isThere; k++)
			isThere = isSame(
				one, &g_array_index(self->classes,
						    struct learntAccess, k));
		if (!isThere)
			g_array_append_val(self->classes, *one);
	}
	for (guint k = 0; k < self->classes->len; k++)
		takeClass(self, &g_array_index(self->classes,
					       struct learntAccess, k));
}
