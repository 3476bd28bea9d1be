/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a simulation needs: once for all samples, once for each thread that
 * simulates, and for each run; see simulate.h.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/model/chance.h"
#include "PredictionLibrary/simulation/simulate.h"

/* ---- For all samples --------------------------------------------------- */

/* By the name, so that tasks of two graphs are pairs. */
static int simPrepareCountTasks(struct hdPredictBase *base)
{
	const hdPGraph *graph = base->graph;

	base->counters = malloc(((size_t)graph->taskCount + 1) *
				sizeof(*base->counters));
	if (!base->counters)
		return -ENOMEM;
	for (uint32_t t = 0; t < graph->taskCount; t++) {
		size_t length;
		const char *id = hdPredictName(&graph->ids, t, &length);

		base->counters[t] = hdPredictCounter(id, length);
	}
	return 0;
}

int hdPredictBaseMake(struct hdPredictBase *base, bool isSampled,
		      struct hdPredictReport *report)
{
	const hdPPlatform *platform = base->platform;
	int ret;

	base->costs = hdPredictCostsNew(base->graph, platform, base->resources);
	if (!base->costs)
		return -ENOMEM;
	/* All costs that are needed are looked up here. */
	ret = hdPredictPlanMake(base->graph, platform, base->costs, &base->plan,
				report);
	if (ret == 0)
		ret = hdPredictGroup(platform->pes, sizeof(struct hdPredictPe),
				     offsetof(struct hdPredictPe, domain),
				     platform->peCount, platform->domainCount,
				     &base->domainFirst, &base->domainPes);
	if (ret == 0)
		ret = hdPredictGroup(platform->pes, sizeof(struct hdPredictPe),
				     offsetof(struct hdPredictPe, server),
				     platform->peCount, platform->serverCount,
				     &base->serverFirst, &base->serverPes);
	return ret == 0 && isSampled ? simPrepareCountTasks(base) : ret;
}

void hdPredictBaseFree(struct hdPredictBase *base)
{
	hdPredictCostsFree(base->costs);
	hdPredictPlanFree(&base->plan);
	free(base->counters);
	free(base->domainPes);
	free(base->domainFirst);
	free(base->serverPes);
	free(base->serverFirst);
}

/* ---- For each that simulates ------------------------------------------- */

static void *zero(struct hdPredictSim *sim, size_t count, size_t size)
{
	void *memory = calloc(count + 1, size);

	if (!memory)
		hdPredictFailed(sim, -ENOMEM);
	return memory;
}

static void *any(struct hdPredictSim *sim, size_t count, size_t size)
{
	void *memory = malloc((count + 1) * size);

	if (!memory)
		hdPredictFailed(sim, -ENOMEM);
	return memory;
}

static void simPrepareAllocate(struct hdPredictSim *sim)
{
	const hdPPlatform *platform = sim->platform;
	const hdPGraph *graph = sim->graph;
	hdPResult *result = sim->result;
	size_t n = graph->taskCount;

	result->start = zero(sim, n, sizeof(double));
	result->end = any(sim, n, sizeof(double));
	if (sim->options.recordsTransfers) {
		result->energy = zero(sim, n, sizeof(double));
		result->changes = zero(sim, 1, sizeof(*result->changes));
	}
	result->uses[HDP_KERNELS] =
		zero(sim, graph->kernelCount, sizeof(struct hdPredictUse));
	result->uses[HDP_PES] =
		zero(sim, platform->peCount, sizeof(struct hdPredictUse));
	result->uses[HDP_SERVERS] =
		zero(sim, platform->serverCount, sizeof(struct hdPredictUse));
	result->uses[HDP_BRIDGES] =
		zero(sim, platform->edgeCount, sizeof(struct hdPredictUse));
	sim->states = any(sim, n, sizeof(*sim->states));
	sim->runs = zero(sim, platform->peCount, sizeof(*sim->runs));
	sim->touched = any(sim, platform->peCount, sizeof(uint32_t));
	sim->isDomainTouched = zero(sim, platform->domainCount, sizeof(bool));
	sim->domains = any(sim, platform->domainCount, sizeof(uint32_t));
	sim->loads = any(sim, platform->peCount, sizeof(*sim->loads));
	sim->stores = zero(sim, platform->serverCount, sizeof(*sim->stores));
	sim->users = any(sim, graph->outputCount, sizeof(uint32_t));
	sim->copy = any(sim, graph->inputCount, sizeof(uint32_t));
	sim->copies = any(sim, graph->inputCount, sizeof(uint32_t));
	sim->chain = any(sim, graph->inputCount, sizeof(uint32_t));
	sim->lanes = zero(sim, platform->edgeCount, sizeof(*sim->lanes));
	sim->load = any(sim, platform->edgeCount, sizeof(double));
	sim->room = any(sim, platform->edgeCount, sizeof(double));
	if (hdPredictEventsRoom(&sim->events, platform->peCount) < 0)
		hdPredictFailed(sim, -ENOMEM);
}

struct hdPredictSim *hdPredictSimNew(const struct hdPredictBase *base,
				     const hdPOptions *options)
{
	struct hdPredictSim *sim = calloc(1, sizeof(*sim));

	if (!sim)
		return NULL;
	sim->base = base;
	sim->graph = base->graph;
	sim->platform = base->platform;
	if (options)
		sim->options = *options;
	sim->result = calloc(1, sizeof(*sim->result));
	sim->routes = hdPredictRoutesNew(base->platform);
	if (!sim->result || !sim->routes) {
		hdPredictSimFree(sim);
		return NULL;
	}
	sim->result->graph = base->graph;
	sim->result->platform = base->platform;
	sim->result->isWithoutUnused = sim->options.isWithoutUnused;
	sim->result->isShared = sim->options.sharing == HDP_SHARE;
	sim->result->plan = base->plan;
	simPrepareAllocate(sim);
	if (sim->error) {
		hdPredictSimFree(sim);
		return NULL;
	}
	return sim;
}

void hdPredictSimFree(struct hdPredictSim *sim)
{
	if (!sim)
		return;
	hdPredictWaitingFree(sim);
	for (size_t i = 0; i < sim->flowCount; i++)
		free(sim->flows[i].path);
	free(sim->flows);
	free(sim->load);
	free(sim->room);
	hdPredictEventsFree(&sim->events);
	free(sim->states);
	free(sim->runs);
	free(sim->touched);
	free(sim->isDomainTouched);
	free(sim->domains);
	free(sim->loads);
	free(sim->stores);
	free(sim->users);
	free(sim->copy);
	free(sim->copies);
	free(sim->chain);
	hdPredictRoutesFree(sim->routes);
	if (sim->result)
		sim->result->plan = (struct hdPredictPlan){ NULL };
	hdP_destroyResult(sim->result);
	free(sim);
}

/* ---- For each run ------------------------------------------------------ */

static void resetResult(struct hdPredictSim *sim)
{
	hdPResult *result = sim->result;
	uint32_t n = sim->graph->taskCount;

	result->totals = (hdPTotals){ 0 };
	result->transferCount = result->fillCount = 0;
	memset(result->start, 0, n * sizeof(double));
	for (uint32_t t = 0; t < n; t++)
		result->end[t] = NAN;
	for (hdPWhat what = HDP_KERNELS; what <= HDP_BRIDGES; what++)
		memset(result->uses[what], 0,
		       (size_t)hdP_getUseCount(result, what) *
			       sizeof(struct hdPredictUse));
}

void hdPredictSimReset(struct hdPredictSim *sim)
{
	const hdPGraph *graph = sim->graph;
	const hdPPlatform *platform = sim->platform;
	const struct hdPredictPlan *plan = &sim->base->plan;

	resetResult(sim);
	sim->now = 0;
	sim->done = sim->told = 0;
	sim->error = 0;
	sim->isShareStale = false;
	hdPredictEventsClear(&sim->events);
	hdPredictWaitingReset(sim);
	sim->freeFlow = sim->flowCount ? 0 : HD_PREDICT_NONE;
	for (size_t f = 0; f < sim->flowCount; f++) {
		sim->flows[f].isOpen = false;
		sim->flows[f].next = f + 1 < sim->flowCount ? (uint32_t)f + 1
							    : HD_PREDICT_NONE;
	}
	for (uint32_t t = 0; t < graph->taskCount; t++) {
		sim->states[t] = (struct hdPredictState){
			plan->pe[t], platform->pes[plan->pe[t]].server,
			graph->input[t + 1] - graph->input[t]
		};
	}
	sim->touchedCount = sim->domainCount = 0;
	memset(sim->isDomainTouched, 0, platform->domainCount * sizeof(bool));
	for (uint32_t p = 0; p < platform->peCount; p++) {
		const struct hdPredictPe *pe = &platform->pes[p];

		sim->runs[p] = (struct hdPredictRun){
			.task = HD_PREDICT_NONE,
			.head = plan->first[p] < plan->first[p + 1]
					? plan->order[plan->first[p]]
					: HD_PREDICT_NONE,
			.next = plan->first[p],
			.end = plan->first[p + 1],
			.server = pe->server,
			.domain = pe->domain,
			.architecture = pe->architecture
		};
		hdPredictTouch(sim, p);
	}
	for (uint32_t s = 0; s < platform->serverCount; s++)
		sim->stores[s] = (struct hdPredictStore){
			.size = platform->servers[s].size,
			.full = platform->servers[s].full,
			.stamp = HD_PREDICT_NONE,
			.waiting = HD_PREDICT_NONE
		};
}
