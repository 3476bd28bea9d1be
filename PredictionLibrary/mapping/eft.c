/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mapping by earliest finishing time; see hdP_map().
 *
 * In topological order: that of the file if it is one, else the one that is
 * nearest to it. Messages take the time that they take alone.
 */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/mapping/mapping.h"
#include "PredictionLibrary/mapping/routes.h"
#include "PredictionLibrary/model/events.h"

struct eft {
	hdPGraph *graph;
	const hdPPlatform *platform;
	const hdPResources *resources;
	struct hdPredictCosts *costs;
	struct hdPredictRoutes *routes;
	struct hdPredictReport *report;
	uint32_t *usable; /* PEs. */
	uint32_t usableCount;
	double *free;           /* When a PE is, by PE. */
	double *ready;          /* When data is there, by server. */
	double *end;            /* Of tasks. */
	uint32_t *where;        /* PE of tasks. */
	double *byArchitecture; /* Time there, or NaN. */
	/* Cost of a path by pair of servers, if all its packets are equal. */
	struct link {
		double init, latency, size;
	} * links;
};

static bool mayUse(const char *pattern, const char *id)
{
	while (pattern && *pattern) {
		size_t length = strcspn(pattern, ",");
		char *one = strndup(pattern, length);
		bool fits = one && fnmatch(one, id, 0) == 0;

		free(one);
		if (fits)
			return true;
		pattern += length;
		pattern += *pattern == ',';
	}
	return !pattern;
}

/* Costs of a path; size is -1 if packets differ on it. */
static struct link eftLinkOf(struct eft *self, uint32_t from, uint32_t to)
{
	struct link link = { 0, 0, 0 };
	const uint32_t *edges;
	int count = hdPredictRoute(self->routes, from, to, &edges);

	for (int i = 0; i < count; i++) {
		const struct hdPredictEdgeOf *edge =
			&self->platform->edges[edges[i]];

		link.init += edge->init;
		if (edge->size <= 0 || edge->latency <= 0)
			continue;
		if (link.size != 0 && link.size != edge->size)
			link.size = -1;
		else if (link.size >= 0)
			link.size = edge->size;
		link.latency = fmax(link.latency, edge->latency);
	}
	return link;
}

static double sendTime(struct eft *self, uint32_t from, uint32_t to,
		       double size)
{
	const struct link *link;
	struct link one;

	if (self->links) {
		link = &self->links[(size_t)from * self->platform->serverCount +
				    to];
	} else {
		one = eftLinkOf(self, from, to);
		link = &one;
	}
	if (link->size < 0) {
		const uint32_t *edges;
		int count = hdPredictRoute(self->routes, from, to, &edges);

		return hdPredictPathTime(self->platform, edges, count, size);
	}
	return (link->init + (link->size > 0 ? ceil(size / link->size) : 0) *
				     link->latency) /
	       1e9;
}

static void findReady(struct eft *self, uint32_t task)
{
	const hdPGraph *graph = self->graph;
	const struct hdPredictConfig *config =
		&graph->configs[graph->config[task]];
	uint32_t servers = self->platform->serverCount;

	for (uint32_t s = 0; s < servers; s++)
		self->ready[s] = 0;
	for (uint32_t j = graph->input[task]; j < graph->input[task + 1]; j++) {
		uint32_t from = hdPredictProducer(graph, graph->source[j]);
		uint32_t server = self->platform->pes[self->where[from]].server;
		double size =
			graph->sizes[config->sizes + j - graph->input[task]];

		for (uint32_t s = 0; s < servers; s++) {
			double at = self->end[from];

			if (s != server)
				at += sendTime(self, server, s, size);
			if (at > self->ready[s])
				self->ready[s] = at;
		}
	}
}

/* How long a task takes on each architecture; false: that is not told. */
static bool findTimes(struct eft *self, uint32_t task)
{
	uint32_t config = self->graph->config[task];

	for (uint32_t a = 0; a < self->platform->peArchitectures.count; a++) {
		uint32_t entry = hdPredictCostsFind(self->costs, config, a);
		double energy = 0;

		if (entry == HD_PREDICT_TIE) {
			hdPredictNoEntry(self->graph, self->platform, task, a,
					 entry, self->report);
			return false;
		}
		self->byArchitecture[a] = NAN;
		if (!hdPredictIsEntry(entry))
			continue;
		self->byArchitecture[a] = self->resources->entries[entry].time;
		hdPredictCostsIo(self->costs, config, a,
				 &self->byArchitecture[a], &energy);
	}
	return true;
}

static int eftPlaceTask(struct eft *self, uint32_t task, int64_t priority)
{
	const hdPPlatform *platform = self->platform;
	uint32_t best = HD_PREDICT_NONE;
	double least = INFINITY;
	int ret;

	if (!findTimes(self, task))
		return 0;
	findReady(self, task);
	for (uint32_t i = 0; i < self->usableCount; i++) {
		uint32_t p = self->usable[i];
		const struct hdPredictPe *pe = &platform->pes[p];
		double time = self->byArchitecture[pe->architecture];
		double end =
			fmax(self->free[p], self->ready[pe->server]) + time;

		if (!isnan(time) && end < least) {
			least = end;
			best = p;
		}
	}
	if (best == HD_PREDICT_NONE) {
		uint32_t a = platform->pes[self->usable[0]].architecture;

		hdPredictNoEntry(self->graph, platform, task, a,
				 hdPredictCostsFind(self->costs,
						    self->graph->config[task],
						    a),
				 self->report);
		least = 0;
		best = self->usable[0];
	}
	self->free[best] = self->end[task] = least;
	self->where[task] = best;
	ret = hdP_setMapping(self->graph, task, platform->peIds[best],
			     priority);
	return ret;
}

/* All tasks, those first that stand first, but none before what it needs. */
static int inOrder(struct eft *self)
{
	hdPGraph *graph = self->graph;
	uint32_t *missing =
		malloc(((size_t)graph->taskCount + 1) * sizeof(*missing));
	struct hdPredictEvents ready = { 0 };
	int64_t priority = 0;
	int ret = 0;

	if (!missing ||
	    (graph->taskCount &&
	     hdPredictEventsRoom(&ready, graph->taskCount - 1) < 0)) {
		free(missing);
		hdPredictEventsFree(&ready);
		return -ENOMEM;
	}
	for (uint32_t t = 0; t < graph->taskCount; t++) {
		missing[t] = graph->input[t + 1] - graph->input[t];
		if (!missing[t])
			hdPredictEventsSet(&ready, t, t);
	}
	while (ready.count && ret == 0) {
		uint32_t t = hdPredictEventsTake(&ready).id;

		ret = eftPlaceTask(self, t, priority++);
		for (uint32_t c = graph->consumer[graph->output[t]];
		     c < graph->consumer[graph->output[t + 1]]; c++) {
			uint32_t other = graph->consumerTask[c];

			if (--missing[other] == 0)
				hdPredictEventsSet(&ready, other, other);
		}
	}
	free(missing);
	hdPredictEventsFree(&ready);
	return ret;
}

static bool isInOrder(const hdPGraph *graph)
{
	for (uint32_t t = 0; t < graph->taskCount; t++) {
		for (uint32_t j = graph->input[t]; j < graph->input[t + 1];
		     j++) {
			if (graph->source[j] >= graph->output[t])
				return false;
		}
	}
	return true;
}

static int findLinks(struct eft *self)
{
	size_t servers = self->platform->serverCount;

	if (servers > 2048)
		return 0;
	self->links = calloc(servers * servers + 1, sizeof(*self->links));
	if (!self->links)
		return -ENOMEM;
	for (uint32_t a = 0; a < servers; a++) {
		for (uint32_t b = 0; b < servers; b++) {
			if (a != b)
				self->links[a * servers + b] =
					eftLinkOf(self, a, b);
		}
	}
	return 0;
}

static int eftPrepare(struct eft *self, const char *pattern)
{
	const hdPPlatform *platform = self->platform;
	size_t n = self->graph->taskCount;

	self->costs = hdPredictCostsNew(self->graph, platform, self->resources);
	self->routes = hdPredictRoutesNew(platform);
	self->usable = malloc((platform->peCount + 1) * sizeof(uint32_t));
	self->free = calloc(platform->peCount + 1, sizeof(double));
	self->ready = calloc(platform->serverCount + 1, sizeof(double));
	self->end = malloc((n + 1) * sizeof(double));
	self->where = malloc((n + 1) * sizeof(uint32_t));
	self->byArchitecture =
		calloc(platform->peArchitectures.count + 1, sizeof(double));
	if (!self->costs || !self->routes || !self->usable || !self->free ||
	    !self->ready || !self->end || !self->where || !self->byArchitecture)
		return -ENOMEM;
	for (uint32_t p = 0; p < platform->peCount; p++) {
		if (mayUse(pattern, platform->peIds[p]))
			self->usable[self->usableCount++] = p;
	}
	if (!self->usableCount) {
		hdPredictError(self->report, 0, NULL, 0,
			       "no PE matches \"%.200s\"", pattern);
		return -EINVAL;
	}
	return findLinks(self);
}

int hdP_map(hdPGraph *graph, const hdPPlatform *platform,
	    const hdPResources *resources, const char *pattern,
	    hdPMessageHandler handler, void *data)
{
	struct hdPredictReport report = { handler, data,
					  graph ? graph->file : NULL, 0 };
	struct eft self = { .graph = graph,
			    .platform = platform,
			    .resources = resources,
			    .report = &report };
	int ret;

	if (!graph || !platform || !resources || !graph->isFinished ||
	    !platform->isFinished || !resources->isFinished)
		return -EINVAL;
	ret = eftPrepare(&self, pattern);
	if (ret == 0 && isInOrder(graph)) {
		for (uint32_t t = 0; t < graph->taskCount && ret == 0; t++)
			ret = eftPlaceTask(&self, t, t);
	} else if (ret == 0) {
		ret = inOrder(&self);
	}
	if (ret == 0 && report.errors)
		ret = -EINVAL;
	hdPredictCostsFree(self.costs);
	hdPredictRoutesFree(self.routes);
	free(self.usable);
	free(self.free);
	free(self.ready);
	free(self.end);
	free(self.where);
	free(self.byArchitecture);
	free(self.links);
	return ret;
}
