/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why nothing goes on: tasks that wait for each other; see simulate.h. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/simulation/simulate.h"

/* Waits of a cycle that are printed. */
#define SHOWN 10

static int shown(size_t length)
{
	return (int)(length > 60 ? 60 : length);
}

/* A task that did not end and that another one needs, or NONE. */
static uint32_t neededBy(const struct hdPredictSim *sim, uint32_t task)
{
	const hdPGraph *graph = sim->graph;

	for (uint32_t j = graph->input[task]; j < graph->input[task + 1]; j++) {
		uint32_t other = hdPredictProducer(graph, graph->source[j]);

		if (isnan(sim->result->end[other]))
			return other;
	}
	return HD_PREDICT_NONE;
}

static void ofMemory(struct hdPredictSim *sim, uint32_t task)
{
	size_t length;
	const char *id = hdPredictName(&sim->graph->ids, task, &length);
	uint32_t server = sim->platform->pes[sim->states[task].pe].server;

	hdPredictError(sim->report,
		       sim->graph->line ? sim->graph->line[task] : 0, id,
		       length,
		       "deadlock at %.9g s: the task or its input data waits "
		       "for memory (server %.100s has %.0f bytes)",
		       sim->now, sim->platform->serverIds[server],
		       sim->platform->servers[server].size);
}

void hdPredictStuck(struct hdPredictSim *sim)
{
	const hdPPlatform *platform = sim->platform;
	uint32_t *next = malloc((platform->peCount + 1) * sizeof(*next));
	uint32_t pe = 0, first, count = 0;
	char text[900] = "";
	size_t used = 0, length;
	const char *id;

	if (!next)
		return;
	while (sim->runs[pe].head == HD_PREDICT_NONE)
		pe++;
	memset(next, 0xff, (platform->peCount + 1) * sizeof(*next));
	while (next[pe] == HD_PREDICT_NONE) {
		uint32_t needed = neededBy(sim, sim->runs[pe].head);

		if (needed == HD_PREDICT_NONE) {
			ofMemory(sim, sim->runs[pe].head);
			free(next);
			return;
		}
		next[pe] = sim->states[needed].pe;
		pe = next[pe];
	}
	first = pe;
	do {
		uint32_t task = sim->runs[pe].head;
		uint32_t needed = neededBy(sim, task);
		size_t size;
		const char *name;

		id = hdPredictName(&sim->graph->ids, task, &length);
		name = hdPredictName(&sim->graph->ids, needed, &size);
		if (count++ < SHOWN && used < sizeof(text))
			used += (size_t)snprintf(
				text + used, sizeof(text) - used,
				"%s%.*s on %.60s waits for %.*s on %.60s",
				count > 1 ? ", which is behind " : "",
				shown(length), id, platform->peIds[pe],
				shown(size), name, platform->peIds[next[pe]]);
		pe = next[pe];
	} while (pe != first);
	id = hdPredictName(&sim->graph->ids, sim->runs[first].head, &length);
	hdPredictError(
		sim->report,
		sim->graph->line ? sim->graph->line[sim->runs[first].head] : 0,
		id, length, "deadlock at %.9g s: %s, which is behind %s%.*s",
		sim->now, text, count > SHOWN ? "... behind " : "",
		shown(length), id);
	free(next);
}
