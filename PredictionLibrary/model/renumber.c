/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks are numbered as they stand in the file, whatever named them before; see
 * graph.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/model/graph.h"

/* Put elements of an array into their new places; 0 or -ENOMEM. */
static int permute(void *array, const uint32_t *place, size_t count,
		   size_t size)
{
	void **pointer = array;
	const char *from = *pointer;
	char *to;

	if (!from)
		return 0;
	to = malloc((count + 1) * size);
	if (!to)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		memcpy(to + place[i] * size, from + i * size, size);
	free(*pointer);
	*pointer = to;
	return 0;
}

static int permuteNames(struct hdPredictNames *names, const uint32_t *place)
{
	size_t n = names->count;
	uint64_t *offset = malloc((n + 1) * sizeof(*offset));
	char *text = malloc(names->offset[n] + 1);

	if (!offset || !text) {
		free(offset);
		free(text);
		return -ENOMEM;
	}
	/* Lengths, then ends, then the texts. */
	offset[0] = 0;
	for (uint32_t i = 0; i < n; i++)
		offset[place[i] + 1] = names->offset[i + 1] - names->offset[i];
	for (size_t i = 0; i < n; i++)
		offset[i + 1] += offset[i];
	for (uint32_t i = 0; i < n; i++) {
		size_t length;
		const char *name = hdPredictName(names, i, &length);

		memcpy(text + offset[place[i]], name, length);
	}
	hdPredictNamesSeal(names);
	free(names->offset);
	free(names->text);
	names->offset = offset;
	names->text = text;
	return 0;
}

int hdPredictRenumber(hdPGraph *graph)
{
	struct hdPredictBuild *build = graph->build;
	uint32_t n = graph->ids.count, next = build->definedCount, *place;
	bool isInOrder = true;
	int ret;

	for (uint32_t i = 0; i < n && isInOrder; i++)
		isInOrder = !build->isDefined[i] || build->place[i] == i;
	if (isInOrder)
		return 0;
	/* Those that only dependencies name come last. */
	place = build->place;
	for (uint32_t i = 0; i < n; i++) {
		if (!build->isDefined[i])
			place[i] = next++;
	}
	ret = permuteNames(&graph->ids, place);
	if (ret == 0)
		ret = permute(&graph->config, place, n, sizeof(uint32_t));
	if (ret == 0)
		ret = permute(&graph->line, place, n, sizeof(uint32_t));
	if (ret == 0)
		ret = permute(&graph->pe, place, n, sizeof(uint32_t));
	if (ret == 0)
		ret = permute(&graph->priority, place, n, sizeof(int64_t));
	if (ret == 0)
		ret = permute(&graph->tile, place, n, 2 * sizeof(uint32_t));
	if (ret == 0)
		ret = permute(&graph->pin, place, n, sizeof(uint32_t));
	if (ret == 0)
		ret = permute(&build->isDefined, place, n, sizeof(bool));
	if (ret < 0)
		return ret;
	for (size_t i = 0; i < build->edgeCount; i++) {
		struct hdPredictEdge *edge = &build->edges[i];

		edge->predecessor = place[edge->predecessor];
		edge->successor = place[edge->successor];
	}
	return 0;
}
