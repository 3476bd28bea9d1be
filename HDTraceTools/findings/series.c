/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Power and utilization of some nodes, by whose period iterations are found
 * where no states tell them.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/findings/findings.h"
#include "HDTraceTools/model/column.h"

/** So many groups of each of both are kept in memory, 768 kB each. */
#define SERIES_MAX 4

#define SERIES_CPU "CPU_TOTAL"

/** The value of a group that tells how busy the CPUs are; or NULL. */
static const hdIValue *seriesBusy(const hdIGroup *group)
{
	for (size_t i = 0; i < group->valueCount; i++) {
		if (strcmp(group->values[i].name, SERIES_CPU) == 0)
			return &group->values[i];
	}
	return NULL;
}

/** Whether one of so many groups is kept: some at even distances. */
static bool seriesIsChosen(size_t place, size_t count)
{
	size_t before = (place * SERIES_MAX + count - 1) / count;

	return count <= SERIES_MAX ||
	       (before < SERIES_MAX && before * count / SERIES_MAX == place);
}

void findingsStartSeries(struct findings *findings)
{
	size_t powers = 0, busy = 0, power = 0, one = 0;

	for (size_t i = 0; i < findings->project->groupCount; i++) {
		powers += findings->groups[i].powerCount > 0;
		busy += seriesBusy(findings->groups[i].group) != NULL;
	}
	for (size_t i = 0; i < findings->project->groupCount; i++) {
		struct findingsGroup *group = &findings->groups[i];

		if (group->powerCount && seriesIsChosen(power++, powers))
			group->powerPeriod = periodNew();
		if (seriesBusy(group->group) && seriesIsChosen(one++, busy))
			group->busyPeriod = periodNew();
	}
}

void findingsFreeSeries(struct findingsGroup *group)
{
	periodFree(group->powerPeriod);
	periodFree(group->busyPeriod);
}

void findingsTakeBusy(struct findingsGroup *group, const hdIBlock *block)
{
	const hdIValue *value;
	const hdIColumn *column;

	if (!group->busyPeriod)
		return;
	value = seriesBusy(group->group);
	column = &block->columns[value - group->group->values];
	for (size_t i = 0; i < block->count; i++)
		periodNote(group->busyPeriod, block->start[i], block->end[i],
			   columnNumber(value, column, i));
}

int findingsTakePower(struct findingsGroup *group,
		      const struct powerSeries *series)
{
	struct powerCursor *cursor;
	struct powerStep step;
	int ret;

	if (!group->powerPeriod)
		return 0;
	cursor = powerCursorNew(series);
	for (uint64_t i = 0; powerCursorStep(cursor, i, &step); i++) {
		bool isKnown = step.amount.measured > 0;

		periodNote(group->powerPeriod, step.start, step.end,
			   isKnown ? step.amount.energy /
					     (double)step.amount.measured
				   : NAN);
	}
	ret = powerCursorError(cursor);
	powerCursorFree(cursor);
	return ret;
}

/** Look for a period in one; keep it if more of the value is periodic than of
 *  those before. */
static void seriesTry(struct findings *findings, const struct period *period,
		      const struct findingsGroup *group, const char *name,
		      GArray **best)
{
	double strength, part;
	GArray *found;

	if (!period)
		return;
	found = periodFind(period, &strength, &part);
	if (found->len == 0 || part <= findings->iterationSeries.part) {
		g_array_unref(found);
		return;
	}
	if (*best)
		g_array_unref(*best);
	*best = found;
	findings->iterationSeries = (struct findingsSeries){
		.node = group->group->node,
		.name = name,
		.strength = strength,
		.part = part,
	};
}

GArray *findingsFindPeriod(struct findings *findings)
{
	GArray *best = NULL;

	for (size_t i = 0; i < findings->project->groupCount; i++) {
		const struct findingsGroup *group = &findings->groups[i];

		seriesTry(findings, group->powerPeriod, group, "power", &best);
		seriesTry(findings, group->busyPeriod, group, SERIES_CPU,
			  &best);
	}
	return best;
}
