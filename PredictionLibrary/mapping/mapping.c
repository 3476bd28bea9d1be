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
		      uint32_t task, uint32_t architecture, uint32_t pes,
		      uint32_t found, struct hdPredictReport *report)
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
	if (pes > 1)
		snprintf(text + used, sizeof(text) - used,
			 " on %u PEs of architecture ", pes);
	else
		snprintf(text + used, sizeof(text) - used, " on architecture ");
	hdPredictTaskError(graph, report, task, text, name, length);
}

/* A name of the graph that is not a place yet. */
#define UNBOUND (HD_PREDICT_NONE - 1)

int hdPredictPlaceFind(const hdPGraph *graph, const hdPPlatform *platform,
		       struct hdPredictSets *sets, uint32_t task,
		       const char *what, const char *name, size_t length,
		       uint32_t *place, struct hdPredictReport *report)
{
	const char *reason;
	int ret =
		hdPredictSetsFind(sets, platform, name, length, place, &reason);
	char text[200];

	if (ret < 0)
		*place = HD_PREDICT_NONE;
	if (ret == 0 || ret == -ENOMEM)
		return ret;
	snprintf(text, sizeof(text), "%s%s", what,
		 reason ? reason : "the platform has no PE ");
	hdPredictTaskError(graph, report, task, text, name, length);
	return ret;
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

/* The place that a task is mapped to, or NONE; names are looked up once. */
static int mappingFindPlace(const hdPGraph *graph, const hdPPlatform *platform,
			    uint32_t *places, uint32_t task,
			    struct hdPredictPlan *plan, uint32_t *place,
			    struct hdPredictReport *report)
{
	uint32_t number = graph->pe[task];
	const char *name;
	size_t length;
	int ret;

	*place = HD_PREDICT_NONE;
	if (number == HD_PREDICT_NONE) {
		hdPredictTaskError(graph, report, task,
				   "the task is not mapped", "", 0);
		return 0;
	}
	*place = places[number];
	if (*place != UNBOUND)
		return 0;
	name = hdPredictName(&graph->pes, number, &length);
	ret = hdPredictPlaceFind(graph, platform, &plan->sets, task, "", name,
				 length, place, report);
	/* What is wrong is reported for each task. */
	if (ret == 0)
		places[number] = *place;
	return ret == -ENOMEM ? ret : 0;
}

static int bindTask(const hdPGraph *graph, const hdPPlatform *platform,
		    struct hdPredictCosts *costs, uint32_t *places,
		    uint32_t task, struct hdPredictPlan *plan,
		    struct hdPredictReport *report)
{
	uint32_t place, pe, entry, architecture, count = 1;
	int ret = mappingFindPlace(graph, platform, places, task, plan, &place,
				   report);

	plan->pe[task] = plan->place[task] = place;
	if (ret < 0 || place == HD_PREDICT_NONE)
		return ret;
	pe = *hdPredictSetsPes(&plan->sets, platform, &place, &count);
	hdPredictCheckIsOn(graph, platform, task, pe, report);
	architecture = platform->pes[pe].architecture;
	entry = hdPredictCostsFind(costs, graph->config[task], architecture,
				   count);
	if (!hdPredictIsEntry(entry))
		hdPredictNoEntry(graph, platform, task, architecture, count,
				 entry, report);
	plan->pe[task] = pe;
	return 0;
}

int hdPredictPinsFind(const hdPGraph *graph, const hdPPlatform *platform,
		      struct hdPredictSets *sets, uint32_t **result,
		      struct hdPredictReport *report)
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
		int ret;

		pins[t] = HD_PREDICT_NONE;
		if (!name)
			continue;
		ret = hdPredictPlaceFind(graph, platform, sets, t,
					 "it is pinned, but ", name, length,
					 &pins[t], report);
		if (ret == -ENOMEM) {
			free(pins);
			return ret;
		}
		isWrong = isWrong || ret < 0;
	}
	*result = pins;
	return isWrong ? -EINVAL : 0;
}

void hdPredictPinError(const hdPGraph *graph, const hdPPlatform *platform,
		       const struct hdPredictSets *sets, uint32_t task,
		       uint32_t pin, uint32_t place,
		       struct hdPredictReport *report)
{
	const uint32_t places[] = { pin, place };
	char *names[2], text[300];

	for (int i = 0; i < 2; i++) {
		uint32_t count;
		const uint32_t *pes =
			hdPredictSetsPes(sets, platform, &places[i], &count);

		names[i] = hdPredictSetsName(platform, pes, count);
	}
	snprintf(text, sizeof(text), "it is pinned to %.100s, but mapped to ",
		 names[0] ? names[0] : "a PE");
	hdPredictTaskError(graph, report, task, text,
			   names[1] ? names[1] : "another one",
			   strlen(names[1] ? names[1] : "another one"));
	free(names[0]);
	free(names[1]);
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

int hdPredictPlanGroup(struct hdPredictPlan *plan, const hdPPlatform *platform,
		       const uint32_t *tasks, uint32_t count)
{
	uint32_t *first = calloc((size_t)platform->peCount + 2, sizeof(*first));
	uint32_t *order = NULL, pes;
	uint64_t all = 0;

	/* Counted one further on, so that filling leaves the starts. */
	for (uint32_t i = 0; i < count && first; i++) {
		const uint32_t *list =
			hdPredictPlanPes(plan, platform, tasks[i], &pes);

		for (uint32_t k = 0; k < pes; k++)
			first[list[k] + 2]++;
		all += pes;
	}
	if (first && all < UINT32_MAX)
		order = malloc((all + 1) * sizeof(*order));
	if (!order) {
		free(first);
		return -ENOMEM;
	}
	for (uint32_t p = 0; p < platform->peCount; p++)
		first[p + 2] += first[p + 1];
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *list =
			hdPredictPlanPes(plan, platform, tasks[i], &pes);

		for (uint32_t k = 0; k < pes; k++)
			order[first[list[k] + 1]++] = tasks[i];
	}
	free(plan->order);
	free(plan->first);
	plan->order = order;
	plan->first = first;
	return 0;
}

/* Tasks of which some have several PEs: all by their priority first. */
static int mappingOrderSets(const hdPGraph *graph, const hdPPlatform *platform,
			    struct hdPredictPlan *plan)
{
	uint32_t *tasks =
		malloc(((size_t)graph->taskCount + 1) * sizeof(*tasks));
	int ret = tasks ? 0 : -ENOMEM;

	for (uint32_t t = 0; t < graph->taskCount && ret == 0; t++)
		tasks[t] = t;
	if (ret == 0)
		ret = hdPredictSortByPriority(graph, tasks, graph->taskCount);
	if (ret == 0)
		ret = hdPredictPlanGroup(plan, platform, tasks,
					 graph->taskCount);
	free(tasks);
	return ret;
}

static int orderTasks(const hdPGraph *graph, const hdPPlatform *platform,
		      struct hdPredictPlan *plan)
{
	int ret;

	if (plan->place)
		return mappingOrderSets(graph, platform, plan);
	ret = hdPredictGroup(plan->pe, sizeof(*plan->pe), 0, graph->taskCount,
			     platform->peCount, &plan->first, &plan->order);
	for (uint32_t p = 0; p < platform->peCount && ret == 0; p++)
		ret = hdPredictSortByPriority(
			graph, plan->order + plan->first[p],
			plan->first[p + 1] - plan->first[p]);
	return ret;
}

/* Bind all tasks; 0, -ENOMEM, or -EINVAL: reported. */
static int mappingBindTasks(const hdPGraph *graph, const hdPPlatform *platform,
			    struct hdPredictCosts *costs, uint32_t *places,
			    struct hdPredictPlan *plan,
			    struct hdPredictReport *report)
{
	uint32_t *pins = NULL;
	int ret =
		hdPredictPinsFind(graph, platform, &plan->sets, &pins, report);

	if (ret == -ENOMEM)
		return ret;
	ret = 0;
	for (uint32_t i = 0; i < graph->pes.count; i++)
		places[i] = UNBOUND;
	for (uint32_t t = 0; t < graph->taskCount && ret == 0; t++) {
		ret = bindTask(graph, platform, costs, places, t, plan, report);
		if (pins && pins[t] != HD_PREDICT_NONE &&
		    plan->place[t] != HD_PREDICT_NONE &&
		    plan->place[t] != pins[t])
			hdPredictPinError(graph, platform, &plan->sets, t,
					  pins[t], plan->place[t], report);
	}
	free(pins);
	return ret == 0 && report->errors ? -EINVAL : ret;
}

int hdPredictPlanMake(const hdPGraph *graph, const hdPPlatform *platform,
		      struct hdPredictCosts *costs, struct hdPredictPlan *plan,
		      struct hdPredictReport *report)
{
	size_t size = ((size_t)graph->taskCount + 1) * sizeof(uint32_t);
	uint32_t *places =
		malloc(((size_t)graph->pes.count + 1) * sizeof(*places));
	int ret;

	plan->pe = malloc(size);
	plan->place = malloc(size);
	ret = places && plan->pe && plan->place
		      ? mappingBindTasks(graph, platform, costs, places, plan,
					 report)
		      : -ENOMEM;
	free(places);
	if (ret == 0 && !plan->sets.lists.count) {
		free(plan->place);
		plan->place = NULL;
	}
	return ret == 0 ? orderTasks(graph, platform, plan) : ret;
}

char *hdPredictPlanName(const struct hdPredictPlan *plan,
			const hdPPlatform *platform, uint32_t task)
{
	uint32_t count;
	const uint32_t *pes = hdPredictPlanPes(plan, platform, task, &count);

	return hdPredictSetsName(platform, pes, count);
}

void hdPredictPlanFree(struct hdPredictPlan *plan)
{
	free(plan->pe);
	free(plan->place);
	hdPredictSetsFree(&plan->sets);
	free(plan->order);
	free(plan->first);
}
