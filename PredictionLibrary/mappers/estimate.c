/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Estimates of mappings; see estimate.h.
 *
 * A move changes the load of the PEs of two places, and of the links of the
 * messages that its inputs and outputs take: a data set is sent once to each
 * server that needs it.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/mappers/estimate.h"

/* Part of the mean load in the time: so that work is saved on PEs and links
 * that are not the busiest ones, too. */
#define MEAN_PART 0.125

struct hdPredictEstimate {
	const hdPGraph *graph;
	const hdPPlatform *platform;
	const hdPResources *resources;
	struct hdPredictCosts *costs;
	struct hdPredictRoutes *routes;
	const struct hdPredictSets *sets;
	uint32_t *place;  /* Of each task. */
	double *busy;     /* Of each PE, in s. */
	double *load;     /* Of each edge, in s. */
	uint32_t *tasks;  /* Of each server. */
	uint32_t *stamps; /* Of each server: the last search that found it. */
	uint32_t stamp;
	double dynamic;
	bool isWithoutUnused, isShort;
};

struct hdPredictEstimate *hdPredictEstimateNew(const struct hdPredictBase *base,
					       const struct hdPredictSets *sets,
					       const hdPOptions *options)
{
	struct hdPredictEstimate *self = calloc(1, sizeof(*self));
	const hdPPlatform *platform = base->platform;

	if (!self)
		return NULL;
	self->graph = base->graph;
	self->platform = platform;
	self->resources = base->resources;
	self->costs = base->costs;
	self->sets = sets;
	self->isWithoutUnused = options->isWithoutUnused;
	self->routes = hdPredictRoutesNew(platform);
	self->busy = calloc((size_t)platform->peCount + 1, sizeof(double));
	self->load = calloc((size_t)platform->edgeCount + 1, sizeof(double));
	self->tasks =
		calloc((size_t)platform->serverCount + 1, sizeof(uint32_t));
	self->stamps =
		calloc((size_t)platform->serverCount + 1, sizeof(uint32_t));
	if (self->routes && self->busy && self->load && self->tasks &&
	    self->stamps)
		return self;
	hdPredictEstimateFree(self);
	return NULL;
}

void hdPredictEstimateFree(struct hdPredictEstimate *self)
{
	if (!self)
		return;
	hdPredictRoutesFree(self->routes);
	free(self->busy);
	free(self->load);
	free(self->tasks);
	free(self->stamps);
	free(self);
}

static uint32_t estimateServer(const struct hdPredictEstimate *self,
			       uint32_t place)
{
	uint32_t count;

	return self->platform
		->pes[*hdPredictSetsPes(self->sets, self->platform, &place,
					&count)]
		.server;
}

static uint32_t estimateServerOf(const struct hdPredictEstimate *self,
				 uint32_t task)
{
	return estimateServer(self, self->place[task]);
}

/* Add (1) or remove (-1) a task on its PEs. */
static void estimateAddTask(struct hdPredictEstimate *self, uint32_t task,
			    int sign)
{
	uint32_t count, config = self->graph->config[task];
	const uint32_t *pes = hdPredictSetsPes(self->sets, self->platform,
					       &self->place[task], &count);
	const struct hdPredictPe *pe = &self->platform->pes[pes[0]];
	const struct hdPredictEntry *entry =
		&self->resources->entries[hdPredictCostsFind(
			self->costs, config, pe->architecture, count)];
	double time = entry->time, energy = entry->energy;

	hdPredictCostsIo(self->costs, config, pe->architecture, &time, &energy);
	for (uint32_t i = 0; i < count; i++)
		self->busy[pes[i]] += sign * time;
	self->tasks[pe->server] += (uint32_t)sign;
	self->dynamic += sign * energy;
}

/* Add or remove the message of a data set from one server to another one. */
static void estimateAddMessage(struct hdPredictEstimate *self, uint32_t task,
			       uint32_t dataSet, uint32_t from, uint32_t to,
			       int sign)
{
	double size = hdPredictOutputSize(self->graph, task,
					  dataSet - self->graph->output[task]);
	const uint32_t *edges;
	int count;
	double time;

	if (from == to)
		return;
	count = hdPredictRoute(self->routes, from, to, &edges);
	if (count < 0) {
		self->isShort = true;
		return;
	}
	time = hdPredictPathTime(self->platform, edges, count, size);
	for (int i = 0; i < count; i++) {
		const struct hdPredictEdgeOf *edge =
			&self->platform->edges[edges[i]];

		self->load[edges[i]] += sign * time;
		self->dynamic += sign * hdPredictPackets(edge, size) *
				 edge->energy * 1e-9;
	}
}

/* Add or remove all messages of the outputs of a task. */
static void estimateAddOutputs(struct hdPredictEstimate *self, uint32_t task,
			       int sign)
{
	const hdPGraph *graph = self->graph;

	for (uint32_t d = graph->output[task]; d < graph->output[task + 1];
	     d++) {
		self->stamp++;
		for (uint32_t c = graph->consumer[d];
		     c < graph->consumer[d + 1]; c++) {
			uint32_t to =
				estimateServerOf(self, graph->consumerTask[c]);

			if (self->stamps[to] == self->stamp)
				continue;
			self->stamps[to] = self->stamp;
			estimateAddMessage(self, task, d,
					   estimateServerOf(self, task), to,
					   sign);
		}
	}
}

/* Whether another task on the server of this one needs a data set. */
static bool estimateIsShared(const struct hdPredictEstimate *self,
			     uint32_t task, uint32_t dataSet)
{
	const hdPGraph *graph = self->graph;
	uint32_t server = estimateServerOf(self, task);

	for (uint32_t c = graph->consumer[dataSet];
	     c < graph->consumer[dataSet + 1]; c++) {
		uint32_t other = graph->consumerTask[c];

		if (other != task && estimateServerOf(self, other) == server)
			return true;
	}
	return false;
}

/* Add or remove the messages that only this task needs. */
static void estimateAddInputs(struct hdPredictEstimate *self, uint32_t task,
			      int sign)
{
	const hdPGraph *graph = self->graph;

	for (uint32_t j = graph->input[task]; j < graph->input[task + 1]; j++) {
		uint32_t d = graph->source[j], k = graph->input[task];
		uint32_t from = hdPredictProducer(graph, d);

		while (graph->source[k] != d)
			k++;
		if (k == j && !estimateIsShared(self, task, d))
			estimateAddMessage(self, from, d,
					   estimateServerOf(self, from),
					   estimateServerOf(self, task), sign);
	}
}

void hdPredictEstimatePlace(struct hdPredictEstimate *self, uint32_t *places)
{
	const hdPPlatform *platform = self->platform;

	self->place = places;
	self->dynamic = 0;
	memset(self->busy, 0, platform->peCount * sizeof(double));
	memset(self->load, 0, platform->edgeCount * sizeof(double));
	memset(self->tasks, 0, platform->serverCount * sizeof(uint32_t));
	for (uint32_t t = 0; t < self->graph->taskCount; t++) {
		estimateAddTask(self, t, 1);
		estimateAddOutputs(self, t, 1);
	}
}

void hdPredictEstimateMove(struct hdPredictEstimate *self, uint32_t task,
			   uint32_t place)
{
	bool isSent =
		estimateServer(self, place) != estimateServerOf(self, task);

	estimateAddTask(self, task, -1);
	if (isSent) {
		estimateAddInputs(self, task, -1);
		estimateAddOutputs(self, task, -1);
	}
	self->place[task] = place;
	estimateAddTask(self, task, 1);
	if (isSent) {
		estimateAddInputs(self, task, 1);
		estimateAddOutputs(self, task, 1);
	}
}

/* The largest of some loads; their sum is added. */
static double estimateMost(const double *loads, uint32_t count, double *sum)
{
	double most = 0;

	for (uint32_t i = 0; i < count; i++) {
		most = fmax(most, loads[i]);
		*sum += loads[i];
	}
	return most;
}

double hdPredictEstimateTime(const struct hdPredictEstimate *self)
{
	uint32_t pes = self->platform->peCount;
	uint32_t edges = self->platform->edgeCount;
	double sum = 0, most = estimateMost(self->busy, pes, &sum);

	most = fmax(most, estimateMost(self->load, edges, &sum));
	return most + MEAN_PART * sum / fmax(1, pes + edges);
}

double hdPredictEstimateEnergy(const struct hdPredictEstimate *self,
			       double time)
{
	double idle = 0;

	for (uint32_t s = 0; s < self->platform->serverCount; s++) {
		if (self->tasks[s] || !self->isWithoutUnused)
			idle += self->platform->servers[s].idlePower;
	}
	return self->dynamic + idle * time;
}

bool hdPredictEstimateIsShort(const struct hdPredictEstimate *self)
{
	return self->isShort;
}
