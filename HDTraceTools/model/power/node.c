/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The power of a node over time: the sum of all groups that tell it.
 */
#include "config.h"

#include <glib.h>

#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/model/power/node.h"

struct powerSeries *nodePowerNew(const struct powerGroup *group)
{
	return powerSeriesOfNode(group->group, group->isPower);
}

int nodePowerReadGroup(const hdIProject *project, const hdIGroup *group,
		       struct powerSeries *series)
{
	hdIStatReader *reader =
		diagnosticsOpenStat(project, group, &diagnosticsDropped);
	const hdIBlock *block;
	int ret = 0;

	while (reader && ret == 0 && hdI_readStat(reader, &block) == 1)
		ret = powerSeriesAdd(series, block);
	hdI_closeStat(reader);
	return ret < 0 ? ret : powerSeriesEnd(series);
}

/** A series while all are added. */
struct summand {
	const struct powerSeries *series;
	struct powerCursor *cursor;
	uint64_t next;         /**< Number of the step behind this one. */
	struct powerStep step; /**< The one that ends behind the time. */
	bool isThere;
	double instant; /**< Energy of entries without a length. */
};

static void summandStep(struct summand *self)
{
	self->isThere =
		powerCursorStep(self->cursor, self->next++, &self->step);
}

/** When something changes next behind a time. */
static int64_t summandsChange(struct summand *summands, size_t count,
			      int64_t time)
{
	int64_t next = INT64_MAX;

	for (size_t i = 0; i < count; i++) {
		struct summand *one = &summands[i];

		while (one->isThere && one->step.end <= time) {
			if (one->step.start == one->step.end)
				one->instant += one->step.amount.energy;
			summandStep(one);
		}
		if (one->isThere)
			next = MIN(next, one->step.start > time
						 ? one->step.start
						 : one->step.end);
	}
	return next;
}

/** What a series has between two times that nothing changes between. */
static bool summandBetween(struct summand *one, int64_t start, int64_t end,
			   double *energy)
{
	const struct powerStep *step = &one->step;
	int64_t length = step->end - step->start;

	*energy += one->instant;
	one->instant = 0;
	if (!one->isThere || step->start > start || length <= 0)
		return false;
	*energy += step->amount.energy * (double)(end - start) / (double)length;
	return step->amount.measured > 0;
}

/** Add up what all have; time is known where it is of all. */
static int summandsAdd(struct summand *summands, size_t count, int64_t start,
		       struct powerSeries *sum)
{
	struct powerAmount sums = { .energy = 0 };
	int ret = powerSeriesAddSums(sum, start, sums);
	int64_t end;

	while (ret == 0 &&
	       (end = summandsChange(summands, count, start)) < INT64_MAX) {
		bool isKnown = true;

		for (size_t i = 0; i < count; i++)
			isKnown &= summandBetween(&summands[i], start, end,
						  &sums.energy);
		if (isKnown)
			sums.measured += end - start;
		ret = powerSeriesAddSums(sum, end, sums);
		start = end;
	}
	return ret < 0 ? ret : powerSeriesEnd(sum);
}

static int nodePowerSum(const hdIGroup *group, struct powerSeries **series,
			size_t count, struct powerSeries **sum)
{
	const struct powerPart none = { .column = 0 };
	struct summand *summands = g_new0(struct summand, count);
	int64_t first = INT64_MAX, start, end;
	int ret = 0;

	for (size_t i = 0; i < count; i++) {
		summands[i].cursor = powerCursorNew(series[i]);
		summandStep(&summands[i]);
		if (powerSeriesRange(series[i], &start, &end))
			first = MIN(first, start);
	}
	*sum = powerSeriesNew(group, &none, 0);
	if (first < INT64_MAX)
		ret = summandsAdd(summands, count, first, *sum);
	for (size_t i = 0; i < count; i++) {
		int error = powerCursorError(summands[i].cursor);

		ret = ret < 0 ? ret : error;
		powerCursorFree(summands[i].cursor);
	}
	g_free(summands);
	if (ret == 0)
		return 0;
	powerSeriesFree(*sum);
	*sum = NULL;
	return ret;
}

int nodePowerComplete(const hdIProject *project,
		      const struct powerChoice *choice, const hdIGroup *group,
		      struct powerSeries **series)
{
	const struct powerGroup *first = powerChoiceOf(choice, group->node);
	GPtrArray *all = g_ptr_array_new();
	struct powerSeries *sum = NULL;
	int ret = 0;

	g_ptr_array_add(all, *series);
	for (size_t i = 0; ret == 0 && i < project->groupCount; i++) {
		const struct powerGroup *other = powerChoiceAt(choice, i);
		struct powerSeries *own;

		if (other == first || other->first != first || !other->count)
			continue;
		own = nodePowerNew(other);
		g_ptr_array_add(all, own);
		ret = nodePowerReadGroup(project, other->group, own);
	}
	if (ret == 0 && all->len > 1)
		ret = nodePowerSum(group, (struct powerSeries **)all->pdata,
				   all->len, &sum);
	for (guint i = 1; i < all->len; i++)
		powerSeriesFree(all->pdata[i]);
	g_ptr_array_unref(all);
	if (ret == 0 && sum) {
		powerSeriesFree(*series);
		*series = sum;
	}
	return ret;
}
