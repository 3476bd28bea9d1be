/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs of one configuration: their means, and by how much others slow them. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "PredictionLibrary/characterize/learn.h"

/** A run that is so many cycles long has a profile. */
#define PROFILE_CYCLES 20

/* ---- Configurations ----------------------------------------------------- */

static int learntEntriesCompareVariables(const GArray *x, const GArray *y)
{
	for (guint i = 0; i < x->len && i < y->len; i++) {
		const struct learntVariable *a =
			&g_array_index(x, struct learntVariable, i);
		const struct learntVariable *b =
			&g_array_index(y, struct learntVariable, i);
		int order = strcmp(a->name, b->name);

		if (order == 0)
			order = (a->value > b->value) - (a->value < b->value);
		if (order)
			return order;
	}
	return (x->len > y->len) - (x->len < y->len);
}

static int learntEntriesCompareEntries(const void *a, const void *b)
{
	const struct learntEntry *x = *(struct learntEntry *const *)a;
	const struct learntEntry *y = *(struct learntEntry *const *)b;
	int order = strcmp(x->kernel, y->kernel);

	if (order == 0)
		order = strcmp(x->architecture, y->architecture);
	if (order == 0)
		order = (x->pes > y->pes) - (x->pes < y->pes);
	return order ? order
		     : learntEntriesCompareVariables(x->variables,
						     y->variables);
}

static struct learntEntry *entryNew(const struct learntRun *run)
{
	struct learntEntry *entry = g_new0(struct learntEntry, 1);

	entry->kernel = g_strdup(run->kernel);
	entry->architecture = g_strdup(run->architecture);
	entry->pes = run->pes;
	entry->variables = run->variables;
	entry->time = entry->energy = learntMean(NULL, 0);
	return entry;
}

static size_t learntEntriesFindEntry(const struct learnt *self,
				     const struct learntEntry *wanted)
{
	size_t low = 0, high = self->entries->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (learntEntriesCompareEntries(&self->entries->pdata[middle],
						&wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void learntEntriesAddRun(struct learntEntry *entry, size_t number)
{
	if (!entry->list)
		entry->list = g_array_new(FALSE, FALSE, sizeof(size_t));
	g_array_append_val(entry->list, number);
}

void learnConfigurations(struct learnt *self)
{
	for (guint i = 0; i < self->runs->len; i++) {
		struct learntEntry *entry = entryNew(learntRunOf(self, i));
		size_t place = learntEntriesFindEntry(self, entry);

		if (place < self->entries->len &&
		    learntEntriesCompareEntries(&self->entries->pdata[place],
						&entry) == 0) {
			g_free(entry->kernel);
			g_free(entry->architecture);
			g_free(entry);
		} else {
			g_ptr_array_insert(self->entries, (gint)place, entry);
		}
	}
	for (guint i = 0; i < self->runs->len; i++) {
		struct learntRun *run = learntRunOf(self, i);
		struct learntEntry wanted = { .kernel = run->kernel,
					      .architecture = run->architecture,
					      .pes = run->pes,
					      .variables = run->variables };

		run->config = learntEntriesFindEntry(self, &wanted);
		learntEntriesAddRun(self->entries->pdata[run->config], i);
	}
}

/* ---- Means -------------------------------------------------------------- */

static double learntEntriesTimeOf(const struct learntRun *run)
{
	return (double)(run->end - run->start) / 1e9 / run->times;
}

/* Runs of a configuration that a function takes. */
static GArray *learntEntriesValuesOf(
	const struct learnt *self, size_t config,
	double (*value)(const struct learnt *self, const struct learntRun *run))
{
	GArray *values = g_array_new(FALSE, FALSE, sizeof(double));
	const struct learntEntry *entry = self->entries->pdata[config];

	for (guint i = 0; i < entry->list->len; i++) {
		double taken = value(
			self, learntRunOf(self, g_array_index(entry->list,
							      size_t, i)));

		if (!isnan(taken))
			g_array_append_val(values, taken);
	}
	return values;
}

static struct learntNumber learntEntriesMeanOf(
	const struct learnt *self, size_t config,
	double (*value)(const struct learnt *self, const struct learntRun *run))
{
	GArray *values = learntEntriesValuesOf(self, config, value);
	struct learntNumber number =
		learntMean((const double *)(void *)values->data, values->len);

	g_array_unref(values);
	return number;
}

static double timeAlone(const struct learnt *self, const struct learntRun *run)
{
	(void)self;
	return run->refusal != RUN_SHORT && !run->isLoad && run->beside &&
			       !run->besideCount
		       ? learntEntriesTimeOf(run)
		       : NAN;
}

static double timeAny(const struct learnt *self, const struct learntRun *run)
{
	(void)self;
	return run->refusal != RUN_SHORT && !run->isLoad
		       ? learntEntriesTimeOf(run)
		       : NAN;
}

static double learntEntriesEnergyOf(const struct learnt *self,
				    const struct learntRun *run)
{
	size_t host = learntMeterOf(self, run->meter)->host;

	return run->refusal == RUN_GOOD
		       ? run->energy * learntHostOf(self, host)->scale /
				 run->times
		       : NAN;
}

static double learntEntriesErrorOf(const struct learnt *self,
				   const struct learntRun *run)
{
	size_t host = learntMeterOf(self, run->meter)->host;

	return run->refusal == RUN_GOOD
		       ? run->error * learntHostOf(self, host)->scale /
				 run->times
		       : NAN;
}

/* ---- Profiles ----------------------------------------------------------- */

/* Add the mean power in each phase, of all repetitions in a row. */
static void addProfile(const struct learnt *self, const struct learntRun *run,
		       struct learntEntry *entry)
{
	const struct learntMeter *meter = learntMeterOf(self, run->meter);
	double scale = learntHostOf(self, meter->host)->scale;
	double one = (double)(run->end - run->start) / run->times;

	if (run->refusal != RUN_GOOD ||
	    one < PROFILE_CYCLES * (double)meter->cycle)
		return;
	for (double r = 0; r < run->times; r++) {
		for (int p = 0; p < LEARN_PHASES; p++) {
			double start = (double)(run->start + meter->late) +
				       one * (r + p / (double)LEARN_PHASES);
			double end = start + one / LEARN_PHASES;
			struct powerAmount amount = powerCursorGet(
				meter->cursor, (int64_t)start, (int64_t)end);

			entry->profile[p] +=
				(amount.energy /
					 ((double)MAX(amount.measured, 1) /
					  1e9) -
				 run->idle) *
				scale / run->times;
		}
	}
	entry->profiled++;
}

static void findProfile(const struct learnt *self, struct learntEntry *entry)
{
	for (guint i = 0; i < entry->list->len; i++)
		addProfile(self,
			   learntRunOf(self,
				       g_array_index(entry->list, size_t, i)),
			   entry);
	for (int p = 0; p < LEARN_PHASES && entry->profiled; p++)
		entry->profile[p] =
			fmax(entry->profile[p] / (double)entry->profiled, 0);
}

void learnEntries(struct learnt *self)
{
	for (guint i = 0; i < self->entries->len; i++) {
		struct learntEntry *entry = g_ptr_array_index(self->entries, i);

		entry->time = learntEntriesMeanOf(self, i, timeAlone);
		if (!entry->time.count) {
			entry->time = learntEntriesMeanOf(self, i, timeAny);
			entry->isLoaded = entry->time.count > 0;
		}
		entry->energy =
			learntEntriesMeanOf(self, i, learntEntriesEnergyOf);
		/* Of one alone noise tells how exact it is. */
		if (entry->energy.count == 1)
			entry->energy.error =
				1.96 * learntEntriesMeanOf(self, i,
							   learntEntriesErrorOf)
					       .mean;
		findProfile(self, entry);
	}
}

/* ---- Slowdowns ---------------------------------------------------------- */

/* Factors of one kernel beside the same others. */
struct factors {
	struct learntSlowdown slowdown;
	GArray *values;
};

static void addFactor(GArray *list, const struct learntEntry *entry,
		      const struct learntRun *run)
{
	double factor = learntEntriesTimeOf(run) / entry->time.mean;
	struct factors added = { .slowdown = { entry->kernel,
					       entry->architecture,
					       run->beside,
					       run->besideCount,
					       { 0 } } };

	for (guint i = 0; i < list->len; i++) {
		struct factors *factors =
			&g_array_index(list, struct factors, i);

		if (strcmp(factors->slowdown.kernel, entry->kernel) == 0 &&
		    strcmp(factors->slowdown.architecture,
			   entry->architecture) == 0 &&
		    strcmp(factors->slowdown.beside, run->beside) == 0) {
			g_array_append_val(factors->values, factor);
			return;
		}
	}
	added.values = g_array_new(FALSE, FALSE, sizeof(double));
	g_array_append_val(added.values, factor);
	g_array_append_val(list, added);
}

static int compareSlowdowns(const void *a, const void *b)
{
	const struct learntSlowdown *x = a, *y = b;
	int order = strcmp(x->architecture, y->architecture);

	if (order == 0)
		order = strcmp(x->kernel, y->kernel);
	if (order == 0)
		order = (x->count > y->count) - (x->count < y->count);
	return order ? order : strcmp(x->beside, y->beside);
}

void learnSlowdowns(struct learnt *self)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(struct factors));

	for (guint i = 0; i < self->runs->len; i++) {
		const struct learntRun *run = learntRunOf(self, i);
		const struct learntEntry *entry =
			g_ptr_array_index(self->entries, run->config);

		if (!run->isLoad && run->besideCount && run->beside &&
		    run->refusal != RUN_SHORT && !entry->isLoaded &&
		    entry->time.mean > 0)
			addFactor(list, entry, run);
	}
	for (guint i = 0; i < list->len; i++) {
		struct factors *factors =
			&g_array_index(list, struct factors, i);

		factors->slowdown.factor = learntMean(
			(const double *)(void *)factors->values->data,
			factors->values->len);
		g_array_append_val(self->slowdowns, factors->slowdown);
		g_array_unref(factors->values);
	}
	g_array_unref(list);
	g_array_sort(self->slowdowns, compareSlowdowns);
}
