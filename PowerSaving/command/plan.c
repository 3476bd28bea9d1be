/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decisions from usage; see plan.h.
 *
 * Between two measured clocks, the time of a phase is linear in the length of a
 * clock cycle: a part depends on the CPU, and the rest does not. Power is
 * linear in the clock. Nothing is assumed beyond measured clocks.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PowerSaving/command/plan.h"

/* Combinations up to which all are tried. */
#define PLAN_COMBINATIONS 200000
#define PLAN_ROUNDS 80

/* Options of a phase: struct powerDecision for each clock. */
struct planOptions {
	struct powerDecision *list;
	size_t count;
};

static double planEnergy(const struct powerDecision *one)
{
	return one->time * one->power;
}

static int planCompareNumbers(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* ---- Prediction -------------------------------------------------------- */

static struct powerDecision planPredict(const struct powerPhase *phase,
					double mhz)
{
	struct powerDecision result = { mhz, phase->time[0], phase->power[0] };
	size_t i = 1;
	double f, g;

	if (phase->count < 2)
		return result;
	while (i + 1 < phase->count && phase->mhz[i] < mhz)
		i++;
	f = (1 / mhz - 1 / phase->mhz[i - 1]) /
	    (1 / phase->mhz[i] - 1 / phase->mhz[i - 1]);
	g = (mhz - phase->mhz[i - 1]) / (phase->mhz[i] - phase->mhz[i - 1]);
	/* At a measured clock, these are what was measured. */
	result.time = (1 - f) * phase->time[i - 1] + f * phase->time[i];
	result.power = (1 - g) * phase->power[i - 1] + g * phase->power[i];
	return result;
}

/* Clocks that all phases know, which there are (powerUsageRead()): those of the
 * CPUs between measured ones, or else measured ones. */
static GArray *planClocks(const GPtrArray *usage, const double *clocks,
			  size_t clockCount)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(double));
	double least = 0, most = INFINITY;

	for (guint p = 0; p < usage->len; p++) {
		const struct powerPhase *phase = usage->pdata[p];

		least = fmax(least, phase->mhz[0]);
		most = fmin(most, phase->mhz[phase->count - 1]);
	}
	for (size_t i = 0; i < clockCount; i++) {
		if (clocks[i] >= least && clocks[i] <= most)
			g_array_append_val(list, clocks[i]);
	}
	for (guint p = 0; p < usage->len && list->len == 0; p++) {
		const struct powerPhase *phase = usage->pdata[p];

		for (size_t k = 0; k < phase->count; k++) {
			if (phase->mhz[k] >= least && phase->mhz[k] <= most)
				g_array_append_val(list, phase->mhz[k]);
		}
	}
	qsort(list->data, list->len, sizeof(double), planCompareNumbers);
	return list;
}

/* ---- Search ------------------------------------------------------------ */

struct planSearch {
	const struct planOptions *options;
	size_t count;
	double limit; /* Of the time. */
	size_t *now, *best;
	double energy;
};

static void planTryAll(struct planSearch *self, size_t phase, double time,
		       double energy)
{
	if (time > self->limit || energy >= self->energy)
		return;
	if (phase == self->count) {
		self->energy = energy;
		memcpy(self->best, self->now, self->count * sizeof(size_t));
		return;
	}
	for (size_t k = 0; k < self->options[phase].count; k++) {
		const struct powerDecision *one = &self->options[phase].list[k];

		self->now[phase] = k;
		planTryAll(self, phase + 1, time + one->time,
			   energy + planEnergy(one));
	}
}

/* Take what is best at a price of time; the time. */
static double planAtPrice(const struct planSearch *self, double price)
{
	double time = 0;

	for (size_t p = 0; p < self->count; p++) {
		double least = INFINITY;

		for (size_t k = 0; k < self->options[p].count; k++) {
			const struct powerDecision *one =
				&self->options[p].list[k];
			double cost = planEnergy(one) + price * one->time;

			if (cost < least) {
				least = cost;
				self->now[p] = k;
			}
		}
		time += self->options[p].list[self->now[p]].time;
	}
	return time;
}

/* Use time that is left for the best single change, as long as there is one. */
static void planFill(const struct planSearch *self, double time)
{
	for (;;) {
		size_t phase = self->count, option = 0;
		double most = 0;

		for (size_t p = 0; p < self->count; p++) {
			const struct planOptions *all = &self->options[p];
			const struct powerDecision *is =
				&all->list[self->best[p]];

			for (size_t k = 0; k < all->count; k++) {
				double saved = planEnergy(is) -
					       planEnergy(&all->list[k]);

				if (saved > most * (1 + 1e-12) &&
				    time - is->time + all->list[k].time <=
					    self->limit) {
					most = saved;
					phase = p;
					option = k;
				}
			}
		}
		if (phase == self->count)
			return;
		time += self->options[phase].list[option].time -
			self->options[phase].list[self->best[phase]].time;
		self->best[phase] = option;
	}
}

static void planByPrice(struct planSearch *self)
{
	double low = 0, high = 1, time;

	while (planAtPrice(self, high) > self->limit && high < 1e12)
		high *= 4;
	for (int i = 0; i < PLAN_ROUNDS; i++) {
		double middle = (low + high) / 2;

		if (planAtPrice(self, middle) > self->limit)
			low = middle;
		else
			high = middle;
	}
	time = planAtPrice(self, high);
	memcpy(self->best, self->now, self->count * sizeof(size_t));
	planFill(self, time);
}

static void planLeastEnergy(struct powerPlan *plan,
			    const struct planOptions *options,
			    const struct powerPolicy *policy)
{
	struct planSearch self = {
		.options = options,
		.count = plan->count,
		.limit = plan->baseTime * (1 + policy->slowdown) * (1 + 1e-12),
		.now = g_new0(size_t, plan->count + 1),
		.best = g_new0(size_t, plan->count + 1),
		.energy = INFINITY,
	};
	double combinations = 1;

	for (size_t p = 0; p < plan->count; p++) {
		combinations *= (double)options[p].count;
		/* The highest clock, unless something is better. */
		self.best[p] = options[p].count - 1;
	}
	if (combinations <= PLAN_COMBINATIONS)
		planTryAll(&self, 0, 0, 0);
	else
		planByPrice(&self);
	for (size_t p = 0; p < plan->count; p++)
		plan->phases[p] = options[p].list[self.best[p]];
	g_free(self.now);
	g_free(self.best);
}

/* The shortest time of each phase under the limit; else the least power. */
static void planLeastTime(struct powerPlan *plan,
			  const struct planOptions *options,
			  const struct powerPolicy *policy)
{
	for (size_t p = 0; p < plan->count; p++) {
		const struct powerDecision *best = NULL;
		const struct powerDecision *coolest = &options[p].list[0];

		for (size_t k = 0; k < options[p].count; k++) {
			const struct powerDecision *one = &options[p].list[k];

			if (one->power < coolest->power)
				coolest = one;
			if (one->power <= policy->limit &&
			    (!best || one->time < best->time))
				best = one;
		}
		plan->isFeasible = plan->isFeasible && best;
		plan->phases[p] = best ? *best : *coolest;
	}
}

/* One clock for all phases. */
static void planWhole(struct powerPlan *plan, const struct planOptions *options,
		      const struct powerPolicy *policy)
{
	size_t count = plan->count ? options[0].count : 0;
	double limit = plan->baseTime * (1 + policy->slowdown) * (1 + 1e-12);
	double least = INFINITY;

	for (size_t k = 0; k < count; k++) {
		double time = 0, energy = 0, power = 0, cost;

		for (size_t p = 0; p < plan->count; p++) {
			const struct powerDecision *one = &options[p].list[k];

			time += one->time;
			energy += planEnergy(one);
			power = fmax(power, one->power);
		}
		cost = policy->isMinTime ? time : energy;
		/* The lowest clock stays if none is under the limit. */
		if (k > 0 && ((policy->isMinTime ? power > policy->limit
						 : time > limit) ||
			      cost >= least)) {
			if (policy->isMinTime || plan->wholeTime <= limit)
				continue;
		}
		least = cost;
		plan->wholeMhz = options[0].list[k].mhz;
		plan->wholeTime = time;
		plan->wholeEnergy = energy;
	}
}

void powerPlanMake(const GPtrArray *usage, const struct powerPolicy *policy,
		   const double *clocks, size_t clockCount,
		   struct powerPlan *plan)
{
	GArray *list = planClocks(usage, clocks, clockCount);
	struct planOptions *options =
		g_new0(struct planOptions, usage->len + 1);

	*plan = (struct powerPlan){ .count = usage->len, .isFeasible = true };
	plan->phases = g_new0(struct powerDecision, usage->len + 1);
	for (guint p = 0; p < usage->len; p++) {
		options[p].list = g_new(struct powerDecision, list->len);
		options[p].count = list->len;
		for (guint k = 0; k < list->len; k++)
			options[p].list[k] =
				planPredict(usage->pdata[p],
					    g_array_index(list, double, k));
		plan->baseTime += options[p].list[list->len - 1].time;
		plan->baseEnergy += planEnergy(&options[p].list[list->len - 1]);
	}
	if (policy->isMinTime)
		planLeastTime(plan, options, policy);
	else
		planLeastEnergy(plan, options, policy);
	planWhole(plan, options, policy);
	for (guint p = 0; p < usage->len; p++) {
		plan->time += plan->phases[p].time;
		plan->energy += planEnergy(&plan->phases[p]);
		g_free(options[p].list);
	}
	g_free(options);
	g_array_unref(list);
}

void powerPlanClear(struct powerPlan *plan)
{
	g_free(plan->phases);
	*plan = (struct powerPlan){ .count = 0 };
}
