/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Simulated annealing of a mapping; see hdP_mapAs().
 *
 * A state is a PE or a set of PEs for each task and one order of all tasks, in
 * which none is before what it needs: so tasks never wait for each other for
 * ever. A step moves a task to other PEs, or to another place in the order.
 * Each state is simulated, so its cost is what hdP_simulate() says. It begins
 * with the mapping that the graph has, and the best state that was seen is
 * kept: the result is never worse than that.
 *
 * A simulation of a large graph takes long. There, steps only move tasks to
 * other PEs, and their cost is estimated from the loads of PEs and links
 * (estimate.h). After a batch of steps the state is simulated, and kept if it
 * is better than the best one; otherwise the next batch is smaller, and begins
 * with the best one again.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/mappers/estimate.h"
#include "PredictionLibrary/mappers/mappers.h"
#include "PredictionLibrary/mapping/mapping.h"
#include "PredictionLibrary/model/chance.h"
#include "PredictionLibrary/simulation/power.h"
#include "PredictionLibrary/simulation/simulate.h"
#include "common/clock.h"

/* Temperatures, as parts of the first cost. */
#define HOT 0.1
#define COLD 1e-4
/* A step of one task of many changes the cost less: from so many tasks on, they
 * are lower. */
#define COOLER 8
/* Steps without a number: so many tasks are simulated, within bounds. */
#define WORK 2e7
#define STEPS_LEAST 200
#define STEPS_MOST 20000
/* A state beyond the limit costs so many times the first one more, so it is
 * worse than any within. The part by how far it is beyond is small, so that
 * states beyond it lead to each other. */
#define BEYOND 1e6
/* A graph of so many tasks is large. */
#define LARGE 2000
/* Steps there, and in a batch: parts of all. */
#define STEPS_LARGE 200000
#define BATCH_MOST 16
#define BATCH_LEAST 256
/* A domain of so many PEs has few sets. */
#define DOMAIN_SMALL 12

struct annealing {
	const struct hdPredictMapping *mapping;
	const hdPGraph *graph;
	const hdPPlatform *platform;
	struct hdPredictBase base;
	struct hdPredictSim *sim;
	uint32_t *pe;       /* Place of each task: a PE, or a set of them. */
	uint32_t *sequence; /* Tasks in their order. */
	uint32_t *place;    /* Of each task in it. */
	uint32_t *movable;  /* Tasks that may go to another PE. */
	uint32_t movableCount;
	uint32_t *bestPe, *bestSequence;
	struct hdPredictSets *sets; /* Of places: those of the plan. */
	uint32_t *drawn; /* PEs of a domain; NULL: each task has one PE. */
	uint64_t draws;
	double cost, best;
	double scale; /* Cost of the first state that can run. */
	bool hasScale;
	int64_t startNs;
	struct hdPredictEstimate *estimate; /* Of large graphs. */
	double ratio; /* Simulated time by its estimate. */
};

/* ---- Costs ------------------------------------------------------------- */

/* The same where tasks may have several PEs; 0 or -ENOMEM. */
static int annealPlanSets(struct annealing *self)
{
	struct hdPredictPlan *plan = &self->base.plan;
	uint32_t n = self->graph->taskCount, count;

	memcpy(plan->place, self->pe, n * sizeof(uint32_t));
	for (uint32_t t = 0; t < n; t++)
		plan->pe[t] =
			*hdPredictPlanPes(plan, self->platform, t, &count);
	return hdPredictPlanGroup(plan, self->platform, self->sequence, n);
}

/* Put tasks into the lists of their PEs, in the order of all; 0 or -ENOMEM. */
static int annealPlan(struct annealing *self)
{
	struct hdPredictPlan *plan = &self->base.plan;
	uint32_t pes = self->platform->peCount, n = self->graph->taskCount;

	if (self->drawn)
		return annealPlanSets(self);
	memcpy(plan->pe, self->pe, n * sizeof(uint32_t));
	memset(plan->first, 0, (pes + 1) * sizeof(uint32_t));
	for (uint32_t t = 0; t < n; t++)
		plan->first[self->pe[t] + 1]++;
	for (uint32_t p = 0; p < pes; p++)
		plan->first[p + 1] += plan->first[p];
	for (uint32_t i = 0; i < n; i++) {
		uint32_t task = self->sequence[i];

		plan->order[plan->first[self->pe[task]]++] = task;
	}
	for (uint32_t p = pes; p > 0; p--)
		plan->first[p] = plan->first[p - 1];
	plan->first[0] = 0;
	return 0;
}

static double annealPeak(struct annealing *self)
{
	hdPResult *result = self->sim->result;
	hdPPower power = { 0 };

	hdPredictChangesFree(*result->changes);
	*result->changes = NULL;
	return hdP_getPower(result, -1, 0, &power, NULL, 0) < 0 ? INFINITY
								: power.peak;
}

/* Cost where a limit may be exceeded; what rounding may do is within it, as in
 * power.c. */
static double annealLimited(const struct annealing *self, double cost,
			    double value)
{
	double limit = self->mapping->options->limit;

	return value > limit * (1 + 1e-12)
		       ? self->scale * (BEYOND + value / limit)
		       : cost;
}

/* Cost by time and energy, and the peak power if it is limited. */
static double annealCostOf(const struct annealing *self, double time,
			   double energy, double peak)
{
	switch (self->mapping->options->cost) {
	case HDP_COST_ENERGY:
		return energy;
	case HDP_COST_EDP:
		return energy * time;
	case HDP_COST_ENERGY_AT_TIME:
		return annealLimited(self, energy, time);
	case HDP_COST_TIME_AT_POWER:
		return annealLimited(self, time, peak);
	case HDP_COST_TIME:
		break;
	}
	return time;
}

/* Cost of the state that is in pe and sequence; infinite: it cannot run. */
static double annealCost(struct annealing *self)
{
	struct hdPredictReport silent = { NULL, NULL, NULL, 0 };
	const hdPTotals *totals = &self->sim->result->totals;
	bool isPowerLimited =
		self->mapping->options->cost == HDP_COST_TIME_AT_POWER;

	if (annealPlan(self) < 0 || hdPredictSimRun(self->sim, 0, &silent) < 0)
		return INFINITY;
	return annealCostOf(self, totals->makespan,
			    totals->computation + totals->communication +
				    totals->idle,
			    isPowerLimited ? annealPeak(self) : 0);
}

/* Cost of the state that was simulated last, as if there was no limit. */
static double annealScale(const struct annealing *self)
{
	const hdPTotals *totals = &self->sim->result->totals;
	double energy =
		totals->computation + totals->communication + totals->idle;
	double scale = totals->makespan;

	if (self->mapping->options->cost == HDP_COST_ENERGY ||
	    self->mapping->options->cost == HDP_COST_ENERGY_AT_TIME)
		scale = energy;
	else if (self->mapping->options->cost == HDP_COST_EDP)
		scale *= energy;
	return scale > 0 ? scale : 1;
}

/* The same as annealCost(), and the scale is that of the first state that can
 * run: without it, states beyond the limit may cost less than those within. */
static double annealScaledCost(struct annealing *self)
{
	double cost = annealCost(self);

	if (self->hasScale || !isfinite(cost))
		return cost;
	self->hasScale = true;
	if (cost > 0) {
		self->scale = annealScale(self);
		cost = annealCost(self);
	}
	return cost;
}

/* ---- Steps ------------------------------------------------------------- */

static uint32_t annealDraw(struct annealing *self, uint32_t limit)
{
	return hdPredictDraw(self->mapping->options->seed, self->draws++,
			     limit);
}

/* A task goes to another place in the order; others move by one. */
static void annealShift(struct annealing *self, uint32_t from, uint32_t to)
{
	uint32_t task = self->sequence[from];

	for (; from < to; from++) {
		self->sequence[from] = self->sequence[from + 1];
		self->place[self->sequence[from]] = from;
	}
	for (; from > to; from--) {
		self->sequence[from] = self->sequence[from - 1];
		self->place[self->sequence[from]] = from;
	}
	self->sequence[to] = task;
	self->place[task] = to;
}

/* Places that a task may have: after what it needs, before what needs it. */
static void annealBounds(const struct annealing *self, uint32_t task,
			 uint32_t *low, uint32_t *high)
{
	const hdPGraph *graph = self->graph;
	const uint32_t *turns;
	uint32_t count;

	*low = 0;
	*high = graph->taskCount - 1;
	for (uint32_t j = graph->input[task]; j < graph->input[task + 1]; j++) {
		uint32_t at =
			self->place[hdPredictProducer(graph, graph->source[j])];

		*low = at >= *low ? at + 1 : *low;
	}
	turns = hdPredictTurnsBefore(self->mapping, task, &count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = self->place[self->mapping->turns[turns[i]].task];

		*low = at >= *low ? at + 1 : *low;
	}
	for (uint32_t c = graph->consumer[graph->output[task]];
	     c < graph->consumer[graph->output[task + 1]]; c++) {
		uint32_t at = self->place[graph->consumerTask[c]];

		*high = at <= *high ? at - 1 : *high;
	}
	turns = hdPredictTurnsAfter(self->mapping, task, &count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = self->place[self->mapping->turns[turns[i]].next];

		*high = at <= *high ? at - 1 : *high;
	}
}

/* What a step changed, to be undone. */
struct annealMove {
	uint32_t task, pe, place;
};

/* Draw a set of the domain of a PE: it, and others. A domain of many PEs has
 * too many sets to keep; there they are those that follow in it. NONE: no
 * memory. */
static uint32_t annealDrawSet(struct annealing *self, uint32_t pe,
			      uint32_t count)
{
	const struct hdPredictMapping *mapping = self->mapping;
	uint32_t domain = self->platform->pes[pe].domain, place = 0, result;
	const uint32_t *pes = mapping->domainPes + mapping->domainFirst[domain];
	uint32_t n = hdPredictDomainSize(mapping, domain);

	while (pes[place] != pe)
		place++;
	for (uint32_t i = 0; i < n; i++)
		self->drawn[i] = pes[(place + i) % n];
	for (uint32_t i = 1; i < count && n <= DOMAIN_SMALL; i++) {
		uint32_t other = i + annealDraw(self, n - i);
		uint32_t swapped = self->drawn[other];

		self->drawn[other] = self->drawn[i];
		self->drawn[i] = swapped;
	}
	return hdPredictSetsAdd(self->sets, self->platform, self->drawn, count,
				&result) < 0
		       ? HD_PREDICT_NONE
		       : result;
}

/* Another place where a task can run, of which a PE is drawn, and then how
 * many; its own: there is none. */
static uint32_t annealOtherSet(struct annealing *self, uint32_t task)
{
	const struct hdPredictMapping *mapping = self->mapping;
	uint32_t start = annealDraw(self, mapping->usableCount), sizes;
	const uint32_t *counts = hdPredictCostsCounts(self->base.costs, &sizes);

	for (uint32_t i = 0; i < mapping->usableCount; i++) {
		uint32_t pe =
			mapping->usable[(start + i) % mapping->usableCount];
		const struct hdPredictPe *about = &self->platform->pes[pe];
		uint32_t n = hdPredictDomainSize(mapping, about->domain);
		uint32_t first = annealDraw(self, sizes + 1);

		for (uint32_t k = 0; k <= sizes; k++) {
			uint32_t at = (first + k) % (sizes + 1);
			uint32_t count = at ? counts[at - 1] : 1, place;

			if (count > n ||
			    !hdPredictIsEntry(hdPredictCostsFind(
				    self->base.costs, self->graph->config[task],
				    about->architecture, count)))
				continue;
			place = annealDrawSet(self, pe, count);
			if (place != self->pe[task] && place != HD_PREDICT_NONE)
				return place;
		}
	}
	return self->pe[task];
}

/* Another PE on which a task can run; its own: there is none. */
static uint32_t annealOtherPe(struct annealing *self, uint32_t task)
{
	const struct hdPredictMapping *mapping = self->mapping;
	uint32_t start;

	if (self->drawn)
		return annealOtherSet(self, task);
	start = annealDraw(self, mapping->usableCount);
	for (uint32_t i = 0; i < mapping->usableCount; i++) {
		uint32_t pe =
			mapping->usable[(start + i) % mapping->usableCount];

		if (pe != self->pe[task] &&
		    hdPredictIsEntry(hdPredictCostsFind(
			    self->base.costs, self->graph->config[task],
			    self->platform->pes[pe].architecture, 1)))
			return pe;
	}
	return self->pe[task];
}

static struct annealMove annealChange(struct annealing *self)
{
	uint32_t kind = annealDraw(self, 3), low, high;
	uint32_t task = annealDraw(self, self->graph->taskCount);
	struct annealMove move;

	if (kind < 2 && self->movableCount)
		task = self->movable[annealDraw(self, self->movableCount)];
	move = (struct annealMove){ task, self->pe[task], self->place[task] };
	if (kind < 2 && self->movableCount)
		self->pe[task] = annealOtherPe(self, task);
	if (kind > 0) {
		annealBounds(self, task, &low, &high);
		annealShift(self, self->place[task],
			    low + annealDraw(self, high - low + 1));
	}
	return move;
}

static void annealUndo(struct annealing *self, const struct annealMove *move)
{
	self->pe[move->task] = move->pe;
	annealShift(self, self->place[move->task], move->place);
}

static void annealKeep(struct annealing *self)
{
	size_t size = self->graph->taskCount * sizeof(uint32_t);

	self->best = self->cost;
	memcpy(self->bestPe, self->pe, size);
	memcpy(self->bestSequence, self->sequence, size);
}

static void annealStep(struct annealing *self, double heat)
{
	struct annealMove move = annealChange(self);
	double cost, chance;

	if (self->pe[move.task] == move.pe &&
	    self->place[move.task] == move.place)
		return;
	cost = annealScaledCost(self);
	chance = (double)annealDraw(self, UINT32_MAX) / UINT32_MAX;
	heat *= fmin(1, COOLER / (double)self->graph->taskCount);
	if (!(cost <= self->cost) &&
	    !(chance < exp((self->cost - cost) / (heat * self->scale)))) {
		annealUndo(self, &move);
		return;
	}
	self->cost = cost;
	if (cost < self->best)
		annealKeep(self);
}

/* ---- Large graphs ------------------------------------------------------ */

/* Peak power cannot be estimated from loads. */
static bool annealIsLarge(const struct annealing *self)
{
	return self->graph->taskCount >= LARGE && self->movableCount > 0 &&
	       self->mapping->options->cost != HDP_COST_TIME_AT_POWER;
}

/* Cost of the state that was estimated; times are as far off as they were when
 * one was simulated. */
static double annealEstimate(const struct annealing *self)
{
	double time = self->ratio * hdPredictEstimateTime(self->estimate);

	return annealCostOf(self, time,
			    hdPredictEstimateEnergy(self->estimate, time), 0);
}

/* Estimate the best state, and how far off its time is. */
static void annealRestart(struct annealing *self, double time)
{
	double estimate;

	memcpy(self->pe, self->bestPe,
	       self->graph->taskCount * sizeof(uint32_t));
	hdPredictEstimatePlace(self->estimate, self->pe);
	estimate = hdPredictEstimateTime(self->estimate);
	self->ratio = estimate > 0 && time > 0 ? time / estimate : 1;
	self->cost = annealEstimate(self);
}

static void annealEstimatedStep(struct annealing *self, double heat)
{
	uint32_t task = self->movable[annealDraw(self, self->movableCount)];
	uint32_t from = self->pe[task], to = annealOtherPe(self, task);
	double cost, chance;

	if (to == from)
		return;
	hdPredictEstimateMove(self->estimate, task, to);
	cost = annealEstimate(self);
	chance = (double)annealDraw(self, UINT32_MAX) / UINT32_MAX;
	/* One task of many changes the cost by a small part. */
	heat *= self->scale / self->graph->taskCount;
	if (cost <= self->cost || chance < exp((self->cost - cost) / heat))
		self->cost = cost;
	else
		hdPredictEstimateMove(self->estimate, task, from);
}

/* Simulate the state that a batch led to. Whether it is the best one. */
static bool annealJudge(struct annealing *self, double *time)
{
	double cost = annealScaledCost(self);

	if (!(cost < self->best))
		return false;
	*time = self->sim->result->totals.makespan;
	self->cost = cost;
	annealKeep(self);
	return true;
}

/* ---- All of it --------------------------------------------------------- */

static uint64_t annealSteps(const struct annealing *self)
{
	const struct hdPMapping *options = self->mapping->options;
	double steps = WORK / fmax(1, self->graph->taskCount);

	if (options->steps || options->budget > 0)
		return options->steps ? options->steps : UINT64_MAX;
	if (annealIsLarge(self))
		return STEPS_LARGE;
	return (uint64_t)fmin(fmax(steps, STEPS_LEAST), STEPS_MOST);
}

/* Which part of the steps or of the budget is done. */
static double annealPart(const struct annealing *self, uint64_t done,
			 uint64_t steps)
{
	double budget = self->mapping->options->budget, part = 0;

	if (steps < UINT64_MAX)
		part = (double)done / (double)steps;
	if (budget > 0)
		part = fmax(part, (double)(hdMonotonicNow() - self->startNs) /
					  1e9 / budget);
	return part;
}

static double annealHeat(double part)
{
	return HOT * pow(COLD / HOT, part);
}

/* Steps in batches; 0 or -ENOMEM. */
static int annealRunLarge(struct annealing *self, uint64_t steps)
{
	uint64_t all = steps < UINT64_MAX ? steps : STEPS_LARGE, done = 0;
	uint64_t batch = all / BATCH_MOST + 1;
	double time = self->sim->result->totals.makespan, part = 0;
	int ret;

	self->estimate = hdPredictEstimateNew(&self->base, self->sets,
					      &self->sim->options);
	if (!self->estimate)
		return -ENOMEM;
	while (part < 1) {
		annealRestart(self, time);
		for (uint64_t i = 0; i < batch && part < 1; i++) {
			annealEstimatedStep(self, annealHeat(part));
			part = annealPart(self, ++done, steps);
		}
		batch = annealJudge(self, &time) ? 2 * batch : batch / 2;
		if (batch > all / BATCH_MOST)
			batch = all / BATCH_MOST + 1;
		/* One without steps would go on for ever. */
		if (batch < all / BATCH_LEAST || batch == 0)
			batch = all / BATCH_LEAST + 1;
	}
	ret = hdPredictEstimateIsShort(self->estimate) ? -ENOMEM : 0;
	hdPredictEstimateFree(self->estimate);
	return ret;
}

/* Begin with one PE for each task, if that costs less. */
static void annealTrySingle(struct annealing *self)
{
	const struct hdPredictMapping *mapping = self->mapping;
	double cost;

	if (!mapping->single)
		return;
	for (uint32_t i = 0; i < self->movableCount; i++) {
		uint32_t task = self->movable[i];

		self->pe[task] = mapping->single[task];
	}
	cost = annealScaledCost(self);
	if (cost < self->cost) {
		self->cost = cost;
		return;
	}
	memcpy(self->pe, self->bestPe,
	       self->graph->taskCount * sizeof(uint32_t));
	/* The result is that of this state again. */
	annealScaledCost(self);
}

static int annealRun(struct annealing *self)
{
	uint64_t steps = annealSteps(self);
	double part = 0;

	self->startNs = hdMonotonicNow();
	self->cost = annealScaledCost(self);
	annealKeep(self);
	annealTrySingle(self);
	if (self->cost < self->best)
		annealKeep(self);
	if (annealIsLarge(self))
		return annealRunLarge(self, steps);
	for (uint64_t i = 0; part < 1; i++) {
		annealStep(self, annealHeat(part));
		part = annealPart(self, i + 1, steps);
	}
	return 0;
}

/* The state that the graph has: its PEs, and tasks by priority. */
static void annealStart(struct annealing *self)
{
	const struct hdPredictMapping *mapping = self->mapping;

	for (uint32_t i = 0; i < self->graph->taskCount; i++) {
		uint32_t task = mapping->sequence[i];

		self->pe[task] = self->base.plan.place
					 ? self->base.plan.place[task]
					 : self->base.plan.pe[task];
		self->sequence[i] = task;
		self->place[task] = i;
		if (mapping->fixed[task] == HD_PREDICT_NONE)
			self->movable[self->movableCount++] = task;
	}
}

static int annealStore(struct annealing *self, hdPGraph *graph)
{
	int ret = 0;

	for (uint32_t i = 0; i < graph->taskCount && ret == 0; i++) {
		uint32_t task = self->bestSequence[i];

		ret = hdPredictMappingSet(self->mapping, self->sets, task,
					  self->bestPe[task], i);
	}
	return ret;
}

/* Room for places that are sets; 0 or -ENOMEM. */
static int annealPrepareSets(struct annealing *self)
{
	struct hdPredictPlan *plan = &self->base.plan;
	size_t size = ((size_t)self->graph->taskCount + 1) * sizeof(uint32_t);

	self->sets = &plan->sets;
	if (!self->mapping->domainPes)
		return 0;
	self->drawn = malloc(((size_t)self->mapping->usableCount + 1) *
			     sizeof(uint32_t));
	if (self->drawn && !plan->place) {
		plan->place = malloc(size);
		if (plan->place)
			memcpy(plan->place, plan->pe, size);
	}
	return self->drawn && plan->place ? 0 : -ENOMEM;
}

int hdPredictAnneal(const struct hdPredictMapping *mapping)
{
	hdPGraph *graph = mapping->graph;
	size_t size = ((size_t)graph->taskCount + 1) * sizeof(uint32_t);
	struct annealing self = {
		.mapping = mapping,
		.graph = graph,
		.platform = mapping->platform,
		.base = { .graph = graph,
			  .platform = mapping->platform,
			  .resources = mapping->resources },
		.scale = 1,
		.pe = malloc(size),
		.sequence = malloc(size),
		.place = malloc(size),
		.movable = malloc(size),
		.bestPe = malloc(size),
		.bestSequence = malloc(size),
	};
	hdPOptions options = mapping->options->simulation;
	int ret = self.pe && self.sequence && self.place && self.movable &&
				  self.bestPe && self.bestSequence
			  ? 0
			  : -ENOMEM;

	options.progress = NULL;
	options.deadlock = NULL;
	options.sample = 0;
	options.recordsTransfers =
		mapping->options->cost == HDP_COST_TIME_AT_POWER;
	if (ret == 0)
		ret = hdPredictBaseMake(&self.base, false, mapping->report);
	if (ret == 0)
		ret = annealPrepareSets(&self);
	if (ret == 0 && graph->taskCount) {
		self.sim = hdPredictSimNew(&self.base, &options);
		ret = self.sim ? 0 : -ENOMEM;
	}
	if (ret == 0 && graph->taskCount) {
		annealStart(&self);
		ret = annealRun(&self);
	}
	if (ret == 0 && graph->taskCount) {
		ret = annealStore(&self, graph);
	}
	hdPredictSimFree(self.sim);
	hdPredictBaseFree(&self.base);
	free(self.pe);
	free(self.sequence);
	free(self.place);
	free(self.movable);
	free(self.bestPe);
	free(self.bestSequence);
	free(self.drawn);
	return ret;
}
