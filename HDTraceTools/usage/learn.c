/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Phases of all runs; see usage.h.
 *
 * The sensitivity is the part b / f of a time a + b / f that is fitted to all
 * runs of a phase, at its highest clock f, by that time.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/usage/usage.h"

/* Clocks that differ by less are one. */
#define LEARN_CLOCK 0.02

void usageFreePhase(void *data)
{
	struct usagePhase *phase = data;

	g_free(phase->name);
	g_array_unref(phase->points);
	g_free(phase);
}

/* ---- Moments ----------------------------------------------------------- */

/* Mean and standard deviation, as Welford does. */
struct learnMoments {
	double count, mean, squares;
};

static void learnAdd(struct learnMoments *self, double value)
{
	double before = value - self->mean;

	if (isnan(value))
		return;
	self->count++;
	self->mean += before / self->count;
	self->squares += before * (value - self->mean);
}

static double learnMean(const struct learnMoments *self)
{
	return self->count > 0 ? self->mean : NAN;
}

static double learnSpread(const struct learnMoments *self)
{
	return self->count > 1 ? sqrt(self->squares / (self->count - 1)) : NAN;
}

/* ---- Points ------------------------------------------------------------ */

static bool learnIsNear(double mhz, double other)
{
	return fabs(mhz - other) <= LEARN_CLOCK * fmax(mhz, other);
}

/* All samples of a phase at a clock, and those a little above; the highest
 * clock among them. */
static struct usagePoint learnPoint(const struct usage *self, const char *phase,
				    double mhz, double *highest)
{
	struct learnMoments clock = { 0 }, time = { 0 }, power = { 0 };
	struct learnMoments loads[USAGE_LOADS] = { { 0 } };
	struct usagePoint point;

	for (guint i = 0; i < self->samples->len; i++) {
		const struct usageSample *sample =
			&g_array_index(self->samples, struct usageSample, i);

		if (strcmp(sample->phase, phase) != 0 || sample->mhz < mhz ||
		    !learnIsNear(sample->mhz, mhz))
			continue;
		*highest = fmax(*highest, sample->mhz);
		learnAdd(&clock, sample->mhz);
		learnAdd(&time, sample->time);
		learnAdd(&power, sample->power);
		for (int k = 0; k < USAGE_LOADS; k++)
			learnAdd(&loads[k], sample->load[k]);
	}
	point = (struct usagePoint){
		.mhz = clock.mean,
		.runs = (size_t)clock.count,
		.time = learnMean(&time),
		.timeSpread = learnSpread(&time),
		.power = learnMean(&power),
		.powerSpread = learnSpread(&power),
	};
	for (int k = 0; k < USAGE_LOADS; k++)
		point.load[k] = learnMean(&loads[k]);
	return point;
}

/* Each sample belongs to one point: the next one begins above the last. */
static void learnPoints(const struct usage *self, struct usagePhase *phase)
{
	double highest = 0;

	for (;;) {
		struct usagePoint point;
		double lowest = INFINITY;

		for (guint i = 0; i < self->samples->len; i++) {
			const struct usageSample *sample = &g_array_index(
				self->samples, struct usageSample, i);

			if (strcmp(sample->phase, phase->name) == 0 &&
			    sample->mhz > highest)
				lowest = fmin(lowest, sample->mhz);
		}
		if (isinf(lowest))
			break;
		point = learnPoint(self, phase->name, lowest, &highest);
		g_array_append_val(phase->points, point);
	}
}

/* ---- Sensitivity ------------------------------------------------------- */

/* Least squares of time over the length of a cycle. */
static double learnSensitivity(const struct usage *self,
			       const struct usagePhase *phase)
{
	double count = 0, x = 0, y = 0, xx = 0, xy = 0, slope, cycle, whole;

	if (phase->points->len < 2)
		return NAN;
	for (guint i = 0; i < self->samples->len; i++) {
		const struct usageSample *sample =
			&g_array_index(self->samples, struct usageSample, i);
		double before = 1 / sample->mhz - x;

		if (strcmp(sample->phase, phase->name) != 0)
			continue;
		count++;
		x += before / count;
		y += (sample->time - y) / count;
		xy += before * (sample->time - y);
		xx += before * (1 / sample->mhz - x);
	}
	slope = xx > 0 ? xy / xx : 0;
	cycle = 1 / g_array_index(phase->points, struct usagePoint,
				  phase->points->len - 1)
			    .mhz;
	whole = y + slope * (cycle - x);
	return whole > 0 ? slope * cycle / whole : NAN;
}

void usageLearn(struct usage *self)
{
	GHashTable *names = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < self->samples->len; i++) {
		const struct usageSample *sample =
			&g_array_index(self->samples, struct usageSample, i);
		struct usagePhase *phase;

		if (!g_hash_table_add(names, sample->phase))
			continue;
		phase = g_new0(struct usagePhase, 1);
		phase->name = g_strdup(sample->phase);
		phase->points =
			g_array_new(FALSE, FALSE, sizeof(struct usagePoint));
		learnPoints(self, phase);
		phase->sensitivity = learnSensitivity(self, phase);
		g_ptr_array_add(self->phases, phase);
	}
	g_hash_table_destroy(names);
}
