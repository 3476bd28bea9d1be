/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks that a mapper may not move, and how it maps the others; see mappers.h.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/mappers/mappers.h"
#include "PredictionLibrary/mapping/mapping.h"

int hdPredictMappingSet(const struct hdPredictMapping *mapping,
			const struct hdPredictSets *sets, uint32_t task,
			uint32_t place, int64_t priority)
{
	const hdPPlatform *platform = mapping->platform;
	uint32_t count;
	const uint32_t *pes = hdPredictSetsPes(sets, platform, &place, &count);
	char *name;
	int ret;

	if (count == 1)
		return hdP_setMapping(mapping->graph, task,
				      platform->peIds[*pes], priority);
	name = hdPredictSetsName(platform, pes, count);
	ret = name ? hdP_setMapping(mapping->graph, task, name, priority)
		   : -ENOMEM;
	free(name);
	return ret;
}

int hdPredictGroupDomains(struct hdPredictMapping *mapping,
			  const struct hdPredictCosts *costs)
{
	const hdPPlatform *platform = mapping->platform;
	uint32_t n = mapping->usableCount, count, *next;

	hdPredictCostsCounts(costs, &count);
	if (!count)
		return 0;
	mapping->domainPes = malloc(((size_t)n + 1) * sizeof(uint32_t));
	next = mapping->domainFirst =
		calloc((size_t)platform->domainCount + 2, sizeof(*next));
	if (!mapping->domainPes || !next)
		return -ENOMEM;
	/* Counted one further on, so that filling leaves the starts. */
	for (uint32_t i = 0; i < n; i++)
		next[platform->pes[mapping->usable[i]].domain + 2]++;
	for (uint32_t d = 0; d < platform->domainCount; d++)
		next[d + 2] += next[d + 1];
	for (uint32_t i = 0; i < n; i++) {
		uint32_t pe = mapping->usable[i];

		mapping->domainPes[next[platform->pes[pe].domain + 1]++] = pe;
	}
	return 0;
}

/* A task comes after the last one of each of its PEs. */
static int givenAddTurns(struct hdPredictMapping *mapping, uint32_t task,
			 uint32_t *last)
{
	uint32_t count;
	const uint32_t *pes =
		hdPredictMappingPes(mapping, &mapping->fixed[task], &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t before = last[pes[i]];

		last[pes[i]] = task;
		if (before == HD_PREDICT_NONE)
			continue;
		if (mapping->turnCount >= UINT32_MAX - 1 ||
		    hdPredictGrow(&mapping->turns, mapping->turnCount,
				  &mapping->turnRoom,
				  sizeof(*mapping->turns)) < 0)
			return -ENOMEM;
		mapping->turns[mapping->turnCount++] =
			(struct hdPredictTurn){ before, task };
	}
	return 0;
}

static int givenGroupTurns(struct hdPredictMapping *mapping)
{
	uint32_t count = (uint32_t)mapping->turnCount;
	int ret = hdPredictGroup(mapping->turns, sizeof(*mapping->turns),
				 offsetof(struct hdPredictTurn, task), count,
				 mapping->graph->taskCount,
				 &mapping->turnsFromFirst, &mapping->turnsFrom);

	return ret < 0 ? ret
		       : hdPredictGroup(mapping->turns, sizeof(*mapping->turns),
					offsetof(struct hdPredictTurn, next),
					count, mapping->graph->taskCount,
					&mapping->turnsToFirst,
					&mapping->turnsTo);
}

/* Tasks that stay where they are keep their order, too. */
static int givenKeepMapping(struct hdPredictMapping *mapping)
{
	const hdPGraph *graph = mapping->graph;
	size_t n = graph->taskCount;
	uint32_t *last, *tasks = malloc((n + 1) * sizeof(*tasks)), count = 0;
	int ret = 0;

	last = malloc(((size_t)mapping->platform->peCount + 1) * sizeof(*last));
	if (!last || !tasks)
		ret = -ENOMEM;
	for (uint32_t t = 0; t < n && ret != -ENOMEM; t++) {
		size_t length;
		const char *pe = hdP_getMapping(graph, t, &length, NULL);

		if (!pe)
			continue;
		ret = hdPredictPlaceFind(graph, mapping->platform,
					 &mapping->sets, t, "", pe, length,
					 &mapping->fixed[t], mapping->report);
		if (ret == 0)
			tasks[count++] = t;
	}
	if (ret != -ENOMEM)
		ret = hdPredictSortByPriority(graph, tasks, count);
	if (ret == 0)
		memset(last, 0xff, mapping->platform->peCount * sizeof(*last));
	for (uint32_t i = 0; i < count && ret == 0; i++)
		ret = givenAddTurns(mapping, tasks[i], last);
	free(last);
	free(tasks);
	if (ret == 0)
		ret = givenGroupTurns(mapping);
	return ret == 0 && mapping->report->errors ? -EINVAL : ret;
}

int hdPredictFix(struct hdPredictMapping *mapping)
{
	size_t size =
		((size_t)mapping->graph->taskCount + 1) * sizeof(uint32_t);
	uint32_t *pins = NULL;
	int ret = 0;

	mapping->fixed = malloc(size);
	mapping->sequence = malloc(size);
	if (!mapping->fixed || !mapping->sequence)
		return -ENOMEM;
	memset(mapping->fixed, 0xff, size);
	if (mapping->options->keepsMapping)
		ret = givenKeepMapping(mapping);
	if (ret == 0)
		ret = hdPredictPinsFind(mapping->graph, mapping->platform,
					&mapping->sets, &pins, mapping->report);
	for (uint32_t t = 0; ret == 0 && pins && t < mapping->graph->taskCount;
	     t++) {
		if (pins[t] == HD_PREDICT_NONE)
			continue;
		if (mapping->fixed[t] != HD_PREDICT_NONE &&
		    mapping->fixed[t] != pins[t])
			hdPredictPinError(mapping->graph, mapping->platform,
					  &mapping->sets, t, pins[t],
					  mapping->fixed[t], mapping->report);
		mapping->fixed[t] = pins[t];
	}
	free(pins);
	for (uint32_t t = 0; ret == 0 && t < mapping->graph->taskCount; t++) {
		uint32_t count;

		if (mapping->fixed[t] != HD_PREDICT_NONE)
			hdPredictCheckIsOn(
				mapping->graph, mapping->platform, t,
				*hdPredictMappingPes(
					mapping, &mapping->fixed[t], &count),
				mapping->report);
	}
	return ret == 0 && mapping->report->errors ? -EINVAL : ret;
}
