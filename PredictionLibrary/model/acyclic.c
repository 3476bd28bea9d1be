/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a graph has a cycle, and which; see graph.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/model/graph.h"

/* Tasks of a cycle that are printed. */
#define SHOWN 20

/* The tasks that are left over all need one that is left over: go back until
 * one comes again. */
static uint32_t findCycle(const hdPGraph *graph, const uint32_t *missing,
			  uint32_t task, uint32_t *from)
{
	memset(from, 0xff, (size_t)graph->taskCount * sizeof(*from));
	while (from[task] == HD_PREDICT_NONE) {
		for (uint32_t j = graph->input[task];
		     j < graph->input[task + 1]; j++) {
			uint32_t other =
				hdPredictProducer(graph, graph->source[j]);

			if (missing[other]) {
				from[task] = other;
				break;
			}
		}
		task = from[task];
	}
	return task;
}

static void reportCycle(const hdPGraph *graph, struct hdPredictReport *report,
			const uint32_t *from, uint32_t first)
{
	char text[1000];
	size_t used = 0, count = 0, length;
	const char *id = hdPredictName(&graph->ids, first, &length);
	uint32_t *cycle, task = first;

	/* Backwards, since that is how it was found. */
	do {
		count++;
		task = from[task];
	} while (task != first);
	cycle = malloc(count * sizeof(*cycle));
	if (!cycle)
		return;
	for (size_t i = count; i-- > 0;) {
		task = from[task];
		cycle[i] = task;
	}
	/* The last that was stored, cycle[0], is the first again. */
	text[0] = '\0';
	for (size_t i = 0; i < count && i < SHOWN; i++) {
		size_t size;
		const char *name = hdPredictName(&graph->ids, cycle[i], &size);

		if (used + size + 40 > sizeof(text)) {
			count = count > SHOWN ? count : SHOWN + 1;
			break;
		}
		memcpy(text + used, name, size);
		used += size;
		strcpy(text + used, " -> ");
		used += 4;
	}
	hdPredictError(report, graph->line ? graph->line[first] : 0, id, length,
		       "the tasks form a cycle: %s%s%.*s", text,
		       count > SHOWN ? "... -> " : "", (int)length, id);
	free(cycle);
}

int hdPredictGraphAcyclic(const hdPGraph *graph, struct hdPredictReport *report)
{
	size_t n = graph->taskCount;
	uint32_t *missing = malloc((n + 1) * sizeof(*missing));
	uint32_t *queue = malloc((n + 1) * sizeof(*queue));
	uint32_t head = 0, tail = 0;

	if (!missing || !queue) {
		free(missing);
		free(queue);
		return -ENOMEM;
	}
	for (uint32_t t = 0; t < n; t++) {
		missing[t] = graph->input[t + 1] - graph->input[t];
		if (!missing[t])
			queue[tail++] = t;
	}
	while (head < tail) {
		uint32_t t = queue[head++];

		for (uint32_t c = graph->consumer[graph->output[t]];
		     c < graph->consumer[graph->output[t + 1]]; c++) {
			if (--missing[graph->consumerTask[c]] == 0)
				queue[tail++] = graph->consumerTask[c];
		}
	}
	if (tail < n) {
		uint32_t t = 0;

		while (!missing[t])
			t++;
		t = findCycle(graph, missing, t, queue);
		reportCycle(graph, report, queue, t);
	}
	free(missing);
	free(queue);
	return 0;
}
