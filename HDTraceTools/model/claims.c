/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Who is active on a node when, and what part of its energy that gives them.
 */
#include "config.h"

#include <stdlib.h>
#include <glib.h>

#include "HDTraceTools/model/attribution.h"

/** Something changes for an activity. */
struct change {
	int64_t time;
	size_t activity;
	int active;    /**< 1: it begins, -1: it ends, 0: neither. */
	int known;     /**< Likewise that its CPU time is known ... */
	int64_t usage; /**< ... and how much more that is than before. */
};

struct claims {
	size_t count;
	enum attributionRule rule;
	GArray *changes; /**< struct change */
	guint times;     /**< Different ones of them, after claimsEnd(). */
};

/** An activity while changes are gone through. */
struct claimant {
	int64_t active; /**< How many times at once. */
	int64_t known;
	int64_t usage;
};

/** All of them. */
struct walk {
	struct claimant *claimants;
	uint64_t active;       /**< How many are. */
	uint64_t activeBefore; /**< Of these, those before the one asked for. */
	uint64_t unknown;      /**< Active, but not known what they use. */
	uint64_t usage;        /**< Of all that are active. */
	uint64_t usageBefore;
};

struct claims *claimsNew(size_t count, enum attributionRule rule)
{
	struct claims *self = g_new0(struct claims, 1);

	self->count = count;
	self->rule = rule;
	self->changes = g_array_new(FALSE, FALSE, sizeof(struct change));
	return self;
}

void claimsFree(struct claims *self)
{
	if (!self)
		return;
	g_array_unref(self->changes);
	g_free(self);
}

static void claimsAddChange(struct claims *self, struct change change,
			    int64_t start, int64_t end)
{
	struct change back = change;

	if (end <= start)
		return;
	change.time = start;
	back.time = end;
	back.active = -change.active;
	back.known = -change.known;
	back.usage = -change.usage;
	g_array_append_val(self->changes, change);
	g_array_append_val(self->changes, back);
}

void claimsAdd(struct claims *self, size_t activity, int64_t start, int64_t end)
{
	claimsAddChange(self,
			(struct change){ .activity = activity, .active = 1 },
			start, end);
}

void claimsUse(struct claims *self, size_t activity, int64_t start, int64_t end,
	       int64_t usage)
{
	if (self->rule == ATTRIBUTION_CPU)
		claimsAddChange(self,
				(struct change){ .activity = activity,
						 .known = 1,
						 .usage = MAX(usage, 0) },
				start, end);
}

static int claimsCompareChanges(const void *a, const void *b)
{
	const struct change *x = a;
	const struct change *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

void claimsEnd(struct claims *self)
{
	if (self->changes->len)
		qsort(self->changes->data, self->changes->len,
		      sizeof(struct change), claimsCompareChanges);
	for (guint i = 0; i < self->changes->len; i++)
		self->times +=
			i == 0 ||
			g_array_index(self->changes, struct change, i).time !=
				g_array_index(self->changes, struct change,
					      i - 1)
					.time;
}

/* ---- Shares ------------------------------------------------------------ */

/** Count an activity, or no longer. */
static void claimsCountActivity(struct walk *walk,
				const struct claimant *claimant, bool isBefore,
				bool isMore)
{
	uint64_t one = isMore ? 1 : UINT64_MAX;
	uint64_t usage = (uint64_t)claimant->usage;

	if (claimant->active <= 0)
		return;
	usage = isMore ? usage : 0 - usage;
	walk->active += one;
	walk->usage += usage;
	if (claimant->known <= 0)
		walk->unknown += one;
	if (isBefore) {
		walk->activeBefore += one;
		walk->usageBefore += usage;
	}
}

static void claimsApplyChange(struct walk *walk, const struct change *change,
			      size_t asked)
{
	struct claimant *claimant = &walk->claimants[change->activity];
	bool isBefore = change->activity < asked;

	claimsCountActivity(walk, claimant, isBefore, false);
	claimant->active += change->active;
	claimant->known += change->known;
	claimant->usage += change->usage;
	claimsCountActivity(walk, claimant, isBefore, true);
}

/** The part of an activity as things are; of one that there is none of, how
 * many are active. */
static struct shareStep claimsStepOf(const struct claims *self,
				     const struct walk *walk, size_t activity,
				     int64_t time)
{
	const struct claimant *claimant = &walk->claimants[activity];
	bool isByUsage = self->rule == ATTRIBUTION_CPU &&
			 activity != self->count && walk->unknown == 0 &&
			 walk->usage > 0;
	struct shareStep step = { .time = time };

	if (activity != self->count && claimant->active <= 0)
		return step;
	step.total = isByUsage ? walk->usage : walk->active;
	step.low = isByUsage ? walk->usageBefore : walk->activeBefore;
	step.high = activity == self->count ? step.low
		    : isByUsage ? step.low + (uint64_t)claimant->usage
				: step.low + 1;
	return step;
}

/** Others that change make a step, too: all that are active round together, or
 *  something would be lost. */
static void addStep(GArray *steps, struct shareStep step)
{
	bool wasActive =
		steps->len &&
		g_array_index(steps, struct shareStep, steps->len - 1).total >
			0;

	if (step.total > 0 || wasActive)
		g_array_append_val(steps, step);
}

GArray *claimsShare(const struct claims *self, size_t activity)
{
	GArray *steps = g_array_sized_new(
		FALSE, FALSE, sizeof(struct shareStep), self->times);
	struct walk walk = {
		.claimants = g_new0(struct claimant, self->count + 1),
	};
	guint i = 0;

	while (i < self->changes->len) {
		int64_t time =
			g_array_index(self->changes, struct change, i).time;

		for (; i < self->changes->len; i++) {
			const struct change *change =
				&g_array_index(self->changes, struct change, i);

			if (change->time != time)
				break;
			claimsApplyChange(&walk, change, activity);
		}
		addStep(steps, claimsStepOf(self, &walk, activity, time));
	}
	g_free(walk.claimants);
	return steps;
}

GArray *claimsTotals(const struct claims *self)
{
	return claimsShare(self, self->count);
}

/** floor(amount * weight / total), where weight <= total. */
static powerPico claimsPartOf(powerPico amount, uint64_t weight, uint64_t total)
{
	powerPico whole;
	powerPico rest;

	if (amount >= 0 && amount <= (powerPico)(UINT64_MAX / total))
		return (powerPico)((uint64_t)amount * weight / total);
	whole = amount / (powerPico)total;
	rest = amount % (powerPico)total;
	if (rest < 0) {
		rest += total;
		whole--;
	}
	/* The rest is less than the total: both have 64 bits. */
	return whole * (powerPico)weight +
	       (powerPico)((unsigned __int128)rest * weight / total);
}

powerPico shareDivide(const struct shareStep *step, powerPico amount)
{
	if (step->total == 0)
		return 0;
	if (step->total == 1)
		return step->high > step->low ? amount : 0;
	return claimsPartOf(amount, step->high, step->total) -
	       claimsPartOf(amount, step->low, step->total);
}
