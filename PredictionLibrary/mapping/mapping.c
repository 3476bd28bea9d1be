/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the mapping of a graph to one with numbers; see mapping.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/mapping/mapping.h"

void hdPredictTaskError(const hdPGraph *graph, struct hdPredictReport *report,
			uint32_t task, const char *text, const char *name,
			size_t length)
{
	size_t idLength;
	const char *id = hdPredictName(&graph->ids, task, &idLength);

	hdPredictError(report, graph->line ? graph->line[task] : 0, id,
		       idLength, "%s%.*s", text,
		       (int)(length > 200 ? 200 : length), name);
}

void hdPredictNoEntry(const hdPGraph *graph, const hdPPlatform *platform,
		      uint32_t task, uint32_t architecture, uint32_t found,
		      struct hdPredictReport *report)
{
	const struct hdPredictConfig *config =
		&graph->configs[graph->config[task]];
	const struct hdPredictKernel *kernel = &graph->kernels[config->kernel];
	char text[600];
	size_t length, used;
	const char *name = hdPredictName(&platform->peArchitectures,
					 architecture, &length);

	used = (size_t)snprintf(
		text, sizeof(text),
		found == HD_PREDICT_TIE
			? "several resource entries match kernel %.100s"
		: found == HD_PREDICT_NO_IO
			? "no costs for all file accesses of kernel %.100s"
			: "no resource entry for kernel %.100s",
		kernel->id);
	for (uint32_t v = 0; v < kernel->variableCount && used < 400; v++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%.60s=%.17g", v ? ", " : " with ",
					 kernel->variables[v],
					 graph->values[config->values + v]);
	snprintf(text + used, sizeof(text) - used, " on architecture ");
	hdPredictTaskError(graph, report, task, text, name, length);
}

/* PEs of the platform by the names that the graph has for them. */
static uint32_t *bindPes(const hdPGraph *graph, const hdPPlatform *platform)
{
	uint32_t *pes = malloc(((size_t)graph->pes.count + 1) * sizeof(*pes));

	for (uint32_t i = 0; pes && i < graph->pes.count; i++) {
		size_t length;
		const char *name = hdPredictName(&graph->pes, i, &length);

		pes[i] = hdPredictNamesFind(&platform->peNames, name, length);
	}
	return pes;
}

void hdPredictCheckIsOn(const hdPGraph *graph, const hdPPlatform *platform,
			uint32_t task, uint32_t pe,
			struct hdPredictReport *report)
{
	if (platform->servers[platform->pes[pe].server].isOff)
		hdPredictTaskError(
			graph, report, task,
			"it is mapped to a node that is switched off: ",
			platform->peIds[pe], strlen(platform->peIds[pe]));
}

static void bindTask(const hdPGraph *graph, const hdPPlatform *platform,
		     struct hdPredictCosts *costs, const uint32_t *pes,
		     uint32_t task, struct hdPredictPlan *plan,
		     struct hdPredictReport *report)
{
	uint32_t pe, entry, architecture;

	plan->pe[task] = HD_PREDICT_NONE;
	if (graph->pe[task] == HD_PREDICT_NONE) {
		hdPredictTaskError(graph, report, task,
				   "the task is not mapped", "", 0);
		return;
	}
	pe = pes[graph->pe[task]];
	if (pe == HD_PREDICT_NONE) {
		size_t length;
		const char *name =
			hdPredictName(&graph->pes, graph->pe[task], &length);

		hdPredictTaskError(graph, report, task,
				   "the platform has no PE ", name, length);
		return;
	}
	hdPredictCheckIsOn(graph, platform, task, pe, report);
	architecture = platform->pes[pe].architecture;
	entry = hdPredictCostsFind(costs, graph->config[task], architecture);
	if (!hdPredictIsEntry(entry))
		hdPredictNoEntry(graph, platform, task, architecture, entry,
				 report);
	plan->pe[task] = pe;
}

int hdPredictPinsFind(const hdPGraph *graph, const hdPPlatform *platform,
		      uint32_t **result, struct hdPredictReport *report)
{
	bool isWrong = false;
	uint32_t *pins;

	*result = NULL;
	if (!hdPredictHasPins(graph))
		return 0;
	pins = malloc(((size_t)graph->taskCount + 1) * sizeof(*pins));
	if (!pins)
		return -ENOMEM;
	for (uint32_t t = 0; t < graph->taskCount; t++) {
		size_t length;
		const char *name = hdPredictPinOf(graph, t, &length);

		pins[t] = name ? hdPredictNamesFind(&platform->peNames, name,
						    length)
			       : HD_PREDICT_NONE;
		if (!name || pins[t] != HD_PREDICT_NONE)
			continue;
		isWrong = true;
		hdPredictTaskError(graph, report, t,
				   "it is pinned, but the platform has no PE ",
				   name, length);
	}
	*result = pins;
	return isWrong ? -EINVAL : 0;
}

void hdPredictPinError(const hdPGraph *graph, const hdPPlatform *platform,
		       uint32_t task, uint32_t pin, uint32_t pe,
		       struct hdPredictReport *report)
{
	char text[300];

	snprintf(text, sizeof(text), "it is pinned to %.100s, but mapped to ",
		 platform->peIds[pin]);
	hdPredictTaskError(graph, report, task, text, platform->peIds[pe],
			   strlen(platform->peIds[pe]));
}

/* A task and its place. */
struct placed {
	int64_t priority;
	uint32_t task;
};

static int byPriority(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->priority != y->priority)
		return x->priority < y->priority ? -1 : 1;
	return (x->task > y->task) - (x->task < y->task);
}

/* By priority; those that are equal, by their place in the file. */
int hdPredictSortByPriority(const hdPGraph *graph, uint32_t *tasks,
			    size_t count)
{
	struct placed *placed;
	bool isSorted = true;

	for (size_t i = 1; i < count && isSorted; i++)
		isSorted = graph->priority[tasks[i - 1]] <=
			   graph->priority[tasks[i]];
	if (isSorted)
		return 0;
	placed = malloc(count * sizeof(*placed));
	if (!placed)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		placed[i] =
			(struct placed){ graph->priority[tasks[i]], tasks[i] };
	qsort(placed, count, sizeof(*placed), byPriority);
	for (size_t i = 0; i < count; i++)
		tasks[i] = placed[i].task;
	free(placed);
	return 0;
}

static int orderTasks(const hdPGraph *graph, const hdPPlatform *platform,
		      struct hdPredictPlan *plan)
{
	int ret =
		hdPredictGroup(plan->pe, sizeof(*plan->pe), 0, graph->taskCount,
			       platform->peCount, &plan->first, &plan->order);

	for (uint32_t p = 0; p < platform->peCount && ret == 0; p++)
		ret = hdPredictSortByPriority(
			graph, plan->order + plan->first[p],
			plan->first[p + 1] - plan->first[p]);
	return ret;
}

int hdPredictPlanMake(const hdPGraph *graph, const hdPPlatform *platform,
		      struct hdPredictCosts *costs, struct hdPredictPlan *plan,
		      struct hdPredictReport *report)
{
	uint32_t *pes = bindPes(graph, platform), *pins = NULL;
	int ret = hdPredictPinsFind(graph, platform, &pins, report);

	plan->pe = malloc(((size_t)graph->taskCount + 1) * sizeof(uint32_t));
	if (!pes || !plan->pe) {
		free(pes);
		free(pins);
		return -ENOMEM;
	}
	for (uint32_t t = 0; t < graph->taskCount; t++) {
		bindTask(graph, platform, costs, pes, t, plan, report);
		if (pins && pins[t] != HD_PREDICT_NONE &&
		    plan->pe[t] != HD_PREDICT_NONE && plan->pe[t] != pins[t])
			hdPredictPinError(graph, platform, t, pins[t],
					  plan->pe[t], report);
	}
	free(pes);
	free(pins);
	if (ret == -ENOMEM)
		return ret;
	if (report->errors)
		return -EINVAL;
	return orderTasks(graph, platform, plan);
}

void hdPredictPlanFree(struct hdPredictPlan *plan)
{
	free(plan->pe);
	free(plan->order);
	free(plan->first);
}
