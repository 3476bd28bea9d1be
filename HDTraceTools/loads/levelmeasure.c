/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Energy, utilization and steadiness of levels; see levels.h. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/loads/levels.h"
#include "HDTraceTools/loads/utilization.h"
#include "HDTraceTools/model/power/node.h"

/* The series of a node. */
struct levelNode {
	const hdINode *node;
	struct powerSeries *power;
	struct powerSeries *load;
	struct powerCursor *powerCursor;
	struct powerCursor *loadCursor;
};

static int levelReadPower(const struct scan *scan,
			  const struct powerChoice *powers,
			  struct levelNode *self)
{
	const struct powerGroup *choice = powerChoiceNear(powers, self->node);
	int ret;

	if (!choice)
		return 0;
	self->power = nodePowerNew(choice);
	ret = scanSeries(scan, choice->group, self->power);
	if (ret == 0)
		ret = nodePowerComplete(scan->project, powers, choice->group,
					&self->power);
	if (ret == 0)
		self->powerCursor = powerCursorNew(self->power);
	return ret;
}

static int levelOpenNode(const struct scan *scan,
			 const struct powerChoice *powers, const hdINode *node,
			 struct levelNode *self)
{
	int ret;

	*self = (struct levelNode){ .node = node };
	ret = levelReadPower(scan, powers, self);
	if (ret == 0)
		ret = utilizationRead(scan, node, &self->load);
	if (ret == 0 && self->load)
		self->loadCursor = powerCursorNew(self->load);
	return ret;
}

static void levelCloseNode(struct levelNode *self)
{
	powerCursorFree(self->powerCursor);
	powerCursorFree(self->loadCursor);
	powerSeriesFree(self->power);
	powerSeriesFree(self->load);
}

/* Means of the load begin when it has settled. */
static int64_t levelSettled(const struct level *level)
{
	return level->end - level->start > 2 * LEVEL_SETTLE_NS
		       ? level->start + LEVEL_SETTLE_NS
		       : level->start;
}

static bool levelIsOfCpu(const struct level *level)
{
	return !level->component || g_str_has_prefix(level->component, "cpu");
}

static void levelMeasure(const struct levelNode *node, struct level *level)
{
	int64_t start = levelSettled(level);
	struct powerCursor *load =
		levelIsOfCpu(level) ? node->loadCursor : NULL;

	if (node->powerCursor) {
		struct powerAmount amount = powerCursorGet(
			node->powerCursor, level->start, level->end);

		level->knownNs = amount.measured;
		if (amount.measured > 0)
			level->energy = amount.energy;
	}
	if (isnan(level->reached))
		level->reached = 100 * utilizationMean(load, start, level->end);
	if (load)
		level->steadiness =
			utilizationSteadiness(load, start, level->end);
	if (isnan(level->steadiness) && node->powerCursor) {
		level->steadiness = utilizationSteadiness(node->powerCursor,
							  start, level->end);
		level->isSteadyOfPower = !isnan(level->steadiness);
	}
}

/* Of all levels of a node. */
static int levelMeasureNode(struct levels *levels, const struct scan *scan,
			    const struct powerChoice *powers,
			    const hdINode *node)
{
	struct levelNode self;
	int ret = levelOpenNode(scan, powers, node, &self);

	for (guint i = 0; ret == 0 && i < levels->list->len; i++) {
		if (levelsAt(levels, i)->node == node)
			levelMeasure(&self, levelsAt(levels, i));
	}
	if (ret == 0 && self.powerCursor)
		ret = powerCursorError(self.powerCursor);
	if (ret == 0 && self.loadCursor)
		ret = powerCursorError(self.loadCursor);
	levelCloseNode(&self);
	return ret;
}

int levelsMeasure(struct levels *levels, const struct scan *scan,
		  const struct powerChoice *powers)
{
	int ret = 0;

	for (guint i = 0; ret == 0 && i < levels->list->len; i++) {
		const hdINode *node = levelsAt(levels, i)->node;
		bool isDone = false;

		for (guint j = 0; j < i && !isDone; j++)
			isDone = levelsAt(levels, j)->node == node;
		if (!isDone)
			ret = levelMeasureNode(levels, scan, powers, node);
	}
	return ret;
}
