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

/* The task that the next task of a PE waits for, and the PE that it is on:
 * one that it needs, or one that is before it on another PE of it. NONE: it
 * waits for memory. */
static uint32_t stuckAwaited(const struct hdPredictSim *sim, uint32_t task,
			     uint32_t *pe)
{
	uint32_t needed = neededBy(sim, task), count;
	const uint32_t *pes =
		hdPredictPlanPes(&sim->base->plan, sim->platform, task, &count);

	if (needed != HD_PREDICT_NONE) {
		*pe = sim->states[needed].pe;
		return needed;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (sim->runs[pes[i]].head != task) {
			*pe = pes[i];
			return sim->runs[pes[i]].head;
		}
	}
	return HD_PREDICT_NONE;
}

static void stuckTell(const struct hdPredictSim *sim, int64_t server,
		      const int64_t *tasks, size_t count)
{
	const hdPDeadlock deadlock = { sim->now, server, tasks, count };

	if (sim->options.deadlock)
		sim->options.deadlock(&deadlock, sim->options.deadlockData);
}

/* Tasks that are next on their PEs of a server, and whose inputs were made:
 * they, or messages with their inputs, wait for memory. */
static size_t stuckListStarved(const struct hdPredictSim *sim, uint32_t server,
			       int64_t *tasks)
{
	size_t count = 0;

	for (uint32_t i = sim->base->serverFirst[server];
	     i < sim->base->serverFirst[server + 1]; i++) {
		uint32_t pe = sim->base->serverPes[i], other;
		uint32_t task = sim->runs[pe].head;

		if (task != HD_PREDICT_NONE && sim->states[task].pe == pe &&
		    stuckAwaited(sim, task, &other) == HD_PREDICT_NONE)
			tasks[count++] = task;
	}
	return count;
}

static void ofMemory(struct hdPredictSim *sim, uint32_t task)
{
	uint32_t server = sim->platform->pes[sim->states[task].pe].server;
	int64_t *tasks =
		malloc(((size_t)sim->platform->peCount + 1) * sizeof(*tasks));
	size_t count, length, used = 0;
	char text[900] = "";
	const char *id;

	if (!tasks)
		return;
	count = stuckListStarved(sim, server, tasks);
	for (size_t i = 0, shownTasks = 0;
	     i < count && shownTasks < SHOWN && used < sizeof(text); i++) {
		if (tasks[i] == task)
			continue;
		id = hdPredictName(&sim->graph->ids, (uint32_t)tasks[i],
				   &length);
		used += (size_t)snprintf(
			text + used, sizeof(text) - used, "%s %.*s",
			shownTasks++ ? "," : "; so do", shown(length), id);
	}
	id = hdPredictName(&sim->graph->ids, task, &length);
	hdPredictError(
		sim->report, sim->graph->line ? sim->graph->line[task] : 0, id,
		length,
		"deadlock at %.9g s: the task or its input data waits "
		"for memory (server %.100s, %.0f of %.0f bytes in "
		"use)%s",
		sim->now, sim->platform->serverIds[server],
		sim->stores[server].used, sim->stores[server].size, text);
	stuckTell(sim, server, tasks, count);
	free(tasks);
}

void hdPredictStuck(struct hdPredictSim *sim)
{
	const hdPPlatform *platform = sim->platform;
	uint32_t *next = malloc((platform->peCount + 1) * sizeof(*next));
	int64_t *tasks =
		malloc(((size_t)platform->peCount + 1) * sizeof(*tasks));
	uint32_t pe = 0, first, count = 0, awaited = HD_PREDICT_NONE;
	char text[900] = "";
	size_t used = 0, length;
	const char *id;

	if (!next || !tasks) {
		free(next);
		free(tasks);
		return;
	}
	while (sim->runs[pe].head == HD_PREDICT_NONE)
		pe++;
	memset(next, 0xff, (platform->peCount + 1) * sizeof(*next));
	while (next[pe] == HD_PREDICT_NONE) {
		uint32_t task = sim->runs[pe].head, other;

		if (stuckAwaited(sim, task, &other) == HD_PREDICT_NONE) {
			ofMemory(sim, task);
			free(next);
			free(tasks);
			return;
		}
		next[pe] = other;
		pe = other;
	}
	first = pe;
	do {
		uint32_t task = sim->runs[pe].head, other;
		uint32_t needed = stuckAwaited(sim, task, &other);
		size_t size;
		const char *name;

		id = hdPredictName(&sim->graph->ids, task, &length);
		name = hdPredictName(&sim->graph->ids, needed, &size);
		tasks[count] = task;
		if (count++ < SHOWN && used < sizeof(text))
			used += (size_t)snprintf(
				text + used, sizeof(text) - used,
				"%s%.*s on %.60s waits for %.*s on %.60s",
				count == 1        ? ""
				: awaited == task ? ", and "
						  : ", which is behind ",
				shown(length), id, platform->peIds[pe],
				shown(size), name, platform->peIds[next[pe]]);
		awaited = needed;
		pe = next[pe];
	} while (pe != first);
	id = hdPredictName(&sim->graph->ids, sim->runs[first].head, &length);
	hdPredictError(
		sim->report,
		sim->graph->line ? sim->graph->line[sim->runs[first].head] : 0,
		id, length, "deadlock at %.9g s: %s%s%s%.*s", sim->now, text,
		awaited == sim->runs[first].head ? "" : ", which is behind ",
		count > SHOWN ? "... behind " : "",
		awaited == sim->runs[first].head ? 0 : shown(length), id);
	stuckTell(sim, -1, tasks, count);
	free(next);
	free(tasks);
}
