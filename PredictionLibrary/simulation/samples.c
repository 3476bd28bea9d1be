/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples of the spread of a resource model, and what they say; see
 * hdPredict.h.
 *
 * Threads take samples by their numbers. What a sample draws depends on its
 * number alone, so that any number of threads gives the same.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/simulation/simulate.h"
#include "common/thread.h"

#define THREADS_MAX 256
/* Of the standard normal distribution: 95 % lie within so many deviations. */
#define NORMAL_95 1.959963984540054

/* Samples that are taken. */
struct sampling {
	struct hdPredictBase base;
	hdPOptions options;
	hdPTotals *totals;
	pthread_t caller;
	_Atomic uint64_t next;   /* From 0. */
	_Atomic uint64_t failed; /* The first one that failed, or count. */
	bool isShort;            /* Of memory; the caller knows. */
};

static void samplingFail(struct sampling *self, uint64_t number)
{
	uint64_t first = atomic_load(&self->failed);

	while (number < first &&
	       !atomic_compare_exchange_weak(&self->failed, &first, number))
		continue;
}

/* All numbers before the first that failed are taken, so that it is always the
 * same one. */
static void samplingAddAll(struct sampling *self, struct hdPredictSim *sim)
{
	bool tells = self->options.progress &&
		     pthread_equal(pthread_self(), self->caller);
	uint64_t number = atomic_fetch_add(&self->next, 1);

	while (number < atomic_load(&self->failed)) {
		struct hdPredictReport silent = { NULL, NULL, NULL, 0 };

		if (hdPredictSimRun(sim, number + 1, &silent) < 0)
			samplingFail(self, number);
		else
			hdP_getTotals(sim->result, &self->totals[number]);
		if (tells)
			self->options.progress(number + 1,
					       self->options.progressData);
		number = atomic_fetch_add(&self->next, 1);
	}
}

static struct hdPredictSim *simOf(const struct sampling *self)
{
	hdPOptions options = self->options;

	options.recordsTransfers = 0;
	options.progress = NULL;
	options.deadlock = NULL;
	return hdPredictSimNew(&self->base, &options);
}

static void *samplingWorkerRun(void *context)
{
	struct sampling *self = context;
	struct hdPredictSim *sim = simOf(self);

	if (sim)
		samplingAddAll(self, sim);
	else if (pthread_equal(pthread_self(), self->caller))
		self->isShort = true;
	hdPredictSimFree(sim);
	return NULL;
}

/* Once more, to say why; it was memory where that works now. */
static int again(const struct sampling *self, struct hdPredictReport *report)
{
	struct hdPredictSim *sim = simOf(self);
	int ret = sim ? hdPredictSimRun(sim, atomic_load(&self->failed) + 1,
					report)
		      : -ENOMEM;

	hdPredictSimFree(sim);
	return ret < 0 ? ret : -ENOMEM;
}

int hdP_sample(const hdPGraph *graph, const hdPPlatform *platform,
	       const hdPResources *resources, const hdPOptions *options,
	       uint64_t count, unsigned int threads, hdPTotals *totals,
	       hdPMessageHandler handler, void *data)
{
	struct hdPredictReport report = { handler, data,
					  graph ? graph->file : NULL, 0 };
	struct sampling self = { .base = { .graph = graph,
					   .platform = platform,
					   .resources = resources },
				 .totals = totals,
				 .caller = pthread_self() };
	pthread_t others[THREADS_MAX];
	unsigned int started = 0;
	int ret;

	if (!graph || !platform || !resources || !totals || !count ||
	    !threads || !graph->isFinished || !platform->isFinished ||
	    !resources->isFinished)
		return -EINVAL;
	if (options)
		self.options = *options;
	atomic_init(&self.next, 0);
	atomic_init(&self.failed, count);
	ret = hdPredictBaseMake(&self.base, true, &report);
	if (ret < 0)
		goto end;
	/* This one works, too; without others it takes longer. */
	while (started + 1 < threads && started + 1 < count &&
	       started < THREADS_MAX &&
	       hdThreadStart(&others[started], samplingWorkerRun, &self) == 0)
		started++;
	samplingWorkerRun(&self);
	for (unsigned int i = 0; i < started; i++)
		pthread_join(others[i], NULL);
	if (self.isShort)
		ret = -ENOMEM;
	else if (atomic_load(&self.failed) < count)
		ret = again(&self, &report);
end:
	hdPredictBaseFree(&self.base);
	return ret;
}

/* ---- What they say ------------------------------------------------------ */

static int bySize(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int hdP_keepSamples(hdPResult *result, const hdPTotals *samples, size_t count)
{
	static const double parts[] = { 0.05, 0.95 };
	double *values;
	hdPSpread spread;
	int ret = 0;

	if (!result || !samples || !count)
		return -EINVAL;
	values = malloc(count * sizeof(*values));
	if (!values)
		return -ENOMEM;
	for (int k = 0; k < 3 && ret == 0; k++) {
		for (size_t i = 0; i < count; i++)
			values[i] =
				k == 0 ? samples[i].makespan
				       : samples[i].computation +
						 samples[i].communication +
						 (k == 2 ? samples[i].idle : 0);
		ret = hdP_spread(values, count, parts, 2, &spread,
				 result->interval[k]);
	}
	free(values);
	result->hasInterval = ret == 0;
	return ret;
}

int hdP_spread(const double *values, size_t count, const double *parts,
	       size_t partCount, hdPSpread *spread, double *quantiles)
{
	double sum = 0, squares = 0, *sorted;

	if (!values || !count || !spread || (partCount && !quantiles))
		return -EINVAL;
	for (size_t i = 0; i < partCount; i++) {
		if (!(parts[i] >= 0 && parts[i] <= 1))
			return -EINVAL;
	}
	sorted = malloc(count * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, values, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), bySize);
	for (size_t i = 0; i < count; i++)
		sum += values[i] - sorted[0];
	spread->mean = sorted[0] + sum / (double)count;
	for (size_t i = 0; i < count; i++)
		squares +=
			(values[i] - spread->mean) * (values[i] - spread->mean);
	spread->count = count;
	spread->deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
	spread->meanError = NORMAL_95 * spread->deviation / sqrt((double)count);
	spread->minimum = sorted[0];
	spread->maximum = sorted[count - 1];
	for (size_t i = 0; i < partCount; i++) {
		double place = parts[i] * (double)(count - 1);
		size_t below = (size_t)place;
		double above = sorted[below + 1 < count ? below + 1 : below];

		quantiles[i] = sorted[below] + (place - (double)below) *
						       (above - sorted[below]);
	}
	free(sorted);
	return 0;
}

int hdP_chance(const double *values, const double *others, size_t count,
	       hdPChance *chance)
{
	size_t less = 0, equal = 0;
	double n = (double)count, z = NORMAL_95, part, middle, width;

	if (!values || !others || !count || !chance)
		return -EINVAL;
	for (size_t i = 0; i < count; i++) {
		less += values[i] < others[i];
		equal += values[i] == others[i];
	}
	/* E. B. Wilson, "Probable inference, the law of succession, and
	 * statistical inference", 1927. */
	part = (double)less / n;
	middle = (part + z * z / (2 * n)) / (1 + z * z / n);
	width = z / (1 + z * z / n) *
		sqrt(part * (1 - part) / n + z * z / (4 * n * n));
	*chance = (hdPChance){ .less = part,
			       .equal = (double)equal / n,
			       .low = fmax(0, middle - width),
			       .high = fmin(1, middle + width) };
	return 0;
}
