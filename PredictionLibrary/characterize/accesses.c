/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What accesses to files take: classes of them, each of an order, a kind and a
 * size, on hosts of an architecture. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "PredictionLibrary/characterize/learn.h"

static bool accessesIsSame(const struct learntAccess *a,
			   const struct learntAccess *b)
{
	return strcmp(a->order, b->order) == 0 &&
	       strcmp(a->access, b->access) == 0 && a->bytes == b->bytes &&
	       strcmp(a->architecture, b->architecture) == 0;
}

/* Dynamic energy of one by the pauses around it; NaN: not known. */
static double accessesEnergyOf(const struct learnt *self,
			       const struct learntAccess *access,
			       enum learntRefusal *refusal)
{
	const struct learntMeter *meter = learntMeterOf(self, access->meter);
	struct learntRun run = { .start = access->start,
				 .end = access->end,
				 .energy = NAN };

	*refusal = access->isInner    ? RUN_UNKNOWN
		   : access->isBeside ? RUN_OVERLAP
				      : learnMeasure(self, meter, &run);
	if (*refusal != RUN_GOOD)
		return NAN;
	return run.energy * learntHostOf(self, meter->host)->scale /
	       access->times;
}

static void accessesAddTimes(const struct learnt *self,
			     struct learntAccess *class, size_t number,
			     bool isAlone)
{
	GArray *times = g_array_new(FALSE, FALSE, sizeof(double));

	for (guint i = 0; i < self->accesses->len; i++) {
		const struct learntAccess *one =
			&g_array_index(self->accesses, struct learntAccess, i);
		double time =
			(double)(one->end - one->start) / 1e9 / one->times;

		if (one->class == number && !(isAlone && one->isBeside))
			g_array_append_val(times, time);
	}
	class->time =
		learntMean((const double *)(void *)times->data, times->len);
	g_array_unref(times);
}

/* All measurements of a class, in one: times of those that were alone, if any
 * were. */
static void takeClass(const struct learnt *self, size_t number)
{
	struct learntAccess *class =
		&g_array_index(self->classes, struct learntAccess, number);
	GArray *energies = g_array_new(FALSE, FALSE, sizeof(double));

	accessesAddTimes(self, class, number, true);
	if (!class->time.count)
		accessesAddTimes(self, class, number, false);
	for (guint i = 0; i < self->accesses->len; i++) {
		const struct learntAccess *one =
			&g_array_index(self->accesses, struct learntAccess, i);
		enum learntRefusal refusal;
		double energy;

		if (one->class != number)
			continue;
		energy = accessesEnergyOf(self, one, &refusal);
		if (refusal == RUN_GOOD)
			g_array_append_val(energies, energy);
		class->isOpen = class->isOpen || refusal == RUN_OVERLAP ||
				refusal == RUN_NO_PAUSE;
	}
	class->energy = learntMean((const double *)(void *)energies->data,
				   energies->len);
	class->isOpen = class->isOpen && !class->energy.count;
	g_array_unref(energies);
}

/* The class of one, which is new if there is none. */
static size_t classOf(const struct learnt *self,
		      const struct learntAccess *access)
{
	for (guint k = 0; k < self->classes->len; k++) {
		if (accessesIsSame(access,
				   &g_array_index(self->classes,
						  struct learntAccess, k)))
			return k;
	}
	g_array_append_val(self->classes, *access);
	return self->classes->len - 1;
}

void learnAccesses(struct learnt *self)
{
	for (guint i = 0; i < self->accesses->len; i++) {
		struct learntAccess *one =
			&g_array_index(self->accesses, struct learntAccess, i);

		one->architecture =
			learntHostOf(self,
				     learntMeterOf(self, one->meter)->host)
				->architecture;
		one->class = classOf(self, one);
	}
	for (guint k = 0; k < self->classes->len; k++)
		takeClass(self, k);
}
