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

#include "PredictionLibrary/mappers/anneal.h"
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
 * worse than any within. */
#define BEYOND 1e6
/* For the search it costs only so many times the first one more by how far it
 * is beyond, as a part of the limit: states within the limit can be far apart,
 * and the way from one to another leads through those beyond. */
#define BEYOND_SEARCH 3
/* Small graphs are heated again and again, from the best state: at most so
 * often, for so many steps of each task. In every other turn, the search does
 * not pass the limit. */
#define TURNS_MOST 16
#define TURN_STEPS 50
/* A graph of so many tasks is large. */
#define LARGE 2000
/* Steps there, and in a batch: parts of all. */
#define STEPS_LARGE 200000
#define BATCH_MOST 16
#define BATCH_LEAST 256

/* ---- Costs ------------------------------------------------------------- */

/* The same where tasks may have several PEs; 0 or -ENOMEM. */
static int annealPlanSets(struct hdPredictAnnealing *self)
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
static int annealPlan(struct hdPredictAnnealing *self)
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

static double annealPeak(struct hdPredictAnnealing *self)
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
static double annealLimited(struct hdPredictAnnealing *self, double cost,
			    double value)
{
	double limit = self->mapping->options->limit;

	self->unlimited = cost;
	self->beyond = fmax(0, value / limit - 1);
	return value > limit * (1 + 1e-12)
		       ? self->scale * (BEYOND + value / limit)
		       : cost;
}

/* Cost by time and energy, and the peak power if it is limited. */
static double annealCostOf(struct hdPredictAnnealing *self, double time,
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
static double annealCost(struct hdPredictAnnealing *self)
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

/* What a state costs for the search, whose cost was found last. */
static double annealSearchCost(const struct hdPredictAnnealing *self,
			       double cost)
{
	bool isLimited =
		self->mapping->options->cost == HDP_COST_ENERGY_AT_TIME ||
		self->mapping->options->cost == HDP_COST_TIME_AT_POWER;

	return isLimited && self->slope > 0 && isfinite(cost)
		       ? self->unlimited +
				 self->scale * self->slope * self->beyond
		       : cost;
}

/* Cost of the state that was simulated last, as if there was no limit. */
static double annealScale(const struct hdPredictAnnealing *self)
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
static double annealScaledCost(struct hdPredictAnnealing *self)
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

static void annealKeep(struct hdPredictAnnealing *self, double cost)
{
	size_t size = self->graph->taskCount * sizeof(uint32_t);

	self->best = cost;
	memcpy(self->bestPe, self->pe, size);
	memcpy(self->bestSequence, self->sequence, size);
}

static void annealStep(struct hdPredictAnnealing *self, double heat)
{
	struct hdPredictAnnealMove move = hdPredictAnnealStep(self);
	double cost, found, chance;

	if (self->pe[move.task] == move.pe &&
	    self->place[move.task] == move.place)
		return;
	cost = annealScaledCost(self);
	found = annealSearchCost(self, cost);
	chance = (double)hdPredictAnnealDraw(self, UINT32_MAX) / UINT32_MAX;
	heat *= fmin(1, COOLER / (double)self->graph->taskCount);
	if (!(found <= self->cost) &&
	    !(chance < exp((self->cost - found) / (heat * self->scale)))) {
		hdPredictAnnealUndo(self, &move);
		return;
	}
	self->cost = found;
	if (cost < self->best)
		annealKeep(self, cost);
}

/* ---- Large graphs ------------------------------------------------------ */

/* Peak power cannot be estimated from loads. */
static bool annealIsLarge(const struct hdPredictAnnealing *self)
{
	return self->graph->taskCount >= LARGE && self->movableCount > 0 &&
	       self->mapping->options->cost != HDP_COST_TIME_AT_POWER;
}

/* Cost of the state that was estimated; times are as far off as they were when
 * one was simulated. */
static double annealEstimate(struct hdPredictAnnealing *self)
{
	double time = self->ratio * hdPredictEstimateTime(self->estimate);

	return annealCostOf(self, time,
			    hdPredictEstimateEnergy(self->estimate, time), 0);
}

/* Estimate the best state, and how far off its time is. */
static void annealRestart(struct hdPredictAnnealing *self, double time)
{
	double estimate;

	memcpy(self->pe, self->bestPe,
	       self->graph->taskCount * sizeof(uint32_t));
	hdPredictEstimatePlace(self->estimate, self->pe);
	estimate = hdPredictEstimateTime(self->estimate);
	self->ratio = estimate > 0 && time > 0 ? time / estimate : 1;
	self->cost = annealEstimate(self);
}

static void annealEstimatedStep(struct hdPredictAnnealing *self, double heat)
{
	uint32_t task =
		self->movable[hdPredictAnnealDraw(self, self->movableCount)];
	uint32_t from = self->pe[task], to = hdPredictAnnealPlace(self, task);
	double cost, chance;

	if (to == from)
		return;
	hdPredictEstimateMove(self->estimate, task, to);
	cost = annealEstimate(self);
	chance = (double)hdPredictAnnealDraw(self, UINT32_MAX) / UINT32_MAX;
	/* One task of many changes the cost by a small part. */
	heat *= self->scale / self->graph->taskCount;
	if (cost <= self->cost || chance < exp((self->cost - cost) / heat))
		self->cost = cost;
	else
		hdPredictEstimateMove(self->estimate, task, from);
}

/* Simulate the state that a batch led to. Whether it is the best one. */
static bool annealJudge(struct hdPredictAnnealing *self, double *time)
{
	double cost = annealScaledCost(self);

	if (!(cost < self->best))
		return false;
	*time = self->sim->result->totals.makespan;
	self->cost = cost;
	annealKeep(self, cost);
	return true;
}

/* ---- All of it --------------------------------------------------------- */

static uint64_t annealSteps(const struct hdPredictAnnealing *self)
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
static double annealPart(const struct hdPredictAnnealing *self, uint64_t done,
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
static int annealRunLarge(struct hdPredictAnnealing *self, uint64_t steps)
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

/* How often a small graph is heated. */
static uint32_t annealTurns(const struct hdPredictAnnealing *self,
			    uint64_t steps)
{
	double turns = fmin((double)steps, STEPS_MOST) /
		       (TURN_STEPS * (double)self->graph->taskCount);

	return (uint32_t)fmax(1, fmin(turns, TURNS_MOST));
}

/* Begin again with the best state. */
static void annealTurn(struct hdPredictAnnealing *self, uint32_t turn)
{
	static const double slopes[] = { 0, 1, 3, 0.3 };
	size_t size = self->graph->taskCount * sizeof(uint32_t);

	self->slope = slopes[turn % (sizeof(slopes) / sizeof(*slopes))];
	memcpy(self->pe, self->bestPe, size);
	memcpy(self->sequence, self->bestSequence, size);
	for (uint32_t i = 0; i < self->graph->taskCount; i++)
		self->place[self->sequence[i]] = i;
	self->cost = annealScaledCost(self);
	self->cost = annealSearchCost(self, self->cost);
}

/* Begin with one PE for each task, if that costs less. */
static void annealTrySingle(struct hdPredictAnnealing *self)
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

static int annealRun(struct hdPredictAnnealing *self)
{
	uint64_t steps = annealSteps(self);
	uint32_t turns, last = 0;
	double part = 0;

	self->startNs = hdMonotonicNow();
	self->cost = annealScaledCost(self);
	annealKeep(self, self->cost);
	annealTrySingle(self);
	if (self->cost < self->best)
		annealKeep(self, self->cost);
	if (annealIsLarge(self))
		return annealRunLarge(self, steps);
	turns = annealTurns(self, steps);
	for (uint64_t i = 0; part < 1; i++) {
		uint32_t turn = (uint32_t)(part * turns);

		if (i == 0 || turn != last)
			annealTurn(self, turn);
		last = turn;
		annealStep(self, annealHeat(part * turns - turn));
		part = annealPart(self, i + 1, steps);
	}
	return 0;
}

/* The state that the graph has: its PEs, and tasks by priority. */
static void annealStart(struct hdPredictAnnealing *self)
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

static int annealStore(struct hdPredictAnnealing *self, hdPGraph *graph)
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
static int annealPrepareSets(struct hdPredictAnnealing *self)
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
	struct hdPredictAnnealing self = {
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
