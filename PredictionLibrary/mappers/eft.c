/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mapping by earliest finishing time; see hdP_map() and hdP_mapAs().
 *
 * In topological order: that of the file if it is one, else the one that is
 * nearest to it; or (HEFT) by the longest way to the end. Messages take the
 * time that they take alone.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/mappers/mappers.h"
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
	struct hdPredictMapping mapping;
	uint32_t placed; /* Tasks so far. */
	double *rank;    /* Of tasks: less is earlier; NULL: as in file. */
	double *free;    /* When a PE is, by PE. */
	double *ready;   /* When data is there, by server. */
	double *end;     /* Of tasks. */
	uint32_t *where; /* PE of tasks. */
	double *byArchitecture; /* Time there, or NaN. */
	/* Cost of a path by pair of servers, if all its packets are equal. */
	struct link {
		double init, latency, size;
	} * links;
};

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

/* Whether a PE is where the part of a task is. */
static bool eftMayUse(const struct eft *self, uint32_t task, uint32_t pe)
{
	const uint32_t *server = self->mapping.server;

	return !server || server[task] == HD_PREDICT_NONE ||
	       server[task] == self->platform->pes[pe].server;
}

/* The first PE that a task may use. */
static uint32_t eftFirstOf(const struct eft *self, uint32_t task)
{
	uint32_t i = 0;

	if (self->mapping.fixed[task] != HD_PREDICT_NONE)
		return self->mapping.fixed[task];
	while (i + 1 < self->mapping.usableCount &&
	       !eftMayUse(self, task, self->mapping.usable[i]))
		i++;
	return self->mapping.usable[i];
}

static int eftPlaceTask(struct eft *self, uint32_t task, int64_t priority)
{
	const hdPPlatform *platform = self->platform;
	uint32_t fixed = self->mapping.fixed[task], best = HD_PREDICT_NONE;
	uint32_t count =
		fixed != HD_PREDICT_NONE ? 1 : self->mapping.usableCount;
	double least = INFINITY;
	int ret;

	self->mapping.sequence[self->placed++] = task;
	if (!findTimes(self, task))
		return 0;
	findReady(self, task);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t p = fixed != HD_PREDICT_NONE ? fixed
						      : self->mapping.usable[i];
		const struct hdPredictPe *pe = &platform->pes[p];
		double time = self->byArchitecture[pe->architecture];
		double end =
			fmax(self->free[p], self->ready[pe->server]) + time;

		if (eftMayUse(self, task, p) && !isnan(time) && end < least) {
			least = end;
			best = p;
		}
	}
	if (best == HD_PREDICT_NONE) {
		uint32_t p = eftFirstOf(self, task);
		uint32_t a = platform->pes[p].architecture;

		hdPredictNoEntry(self->graph, platform, task, a,
				 hdPredictCostsFind(self->costs,
						    self->graph->config[task],
						    a),
				 self->report);
		least = 0;
		best = p;
	}
	self->free[best] = self->end[task] = least;
	self->where[task] = best;
	ret = hdP_setMapping(self->graph, task, platform->peIds[best],
			     priority);
	return ret;
}

/* Tasks with a lower one come first, if nothing else decides. */
static double eftKey(const struct eft *self, uint32_t task)
{
	return self->rank ? self->rank[task] : task;
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
		missing[t] = graph->input[t + 1] - graph->input[t] +
			     (self->mapping.before[t] != HD_PREDICT_NONE);
		if (!missing[t])
			hdPredictEventsSet(&ready, t, eftKey(self, t));
	}
	while (ready.count && ret == 0) {
		uint32_t t = hdPredictEventsTake(&ready).id;

		ret = eftPlaceTask(self, t, priority++);
		for (uint32_t c = graph->consumer[graph->output[t]];
		     c < graph->consumer[graph->output[t + 1]]; c++) {
			uint32_t other = graph->consumerTask[c];

			if (--missing[other] == 0)
				hdPredictEventsSet(&ready, other,
						   eftKey(self, other));
		}
		if (self->mapping.after[t] != HD_PREDICT_NONE &&
		    --missing[self->mapping.after[t]] == 0)
			hdPredictEventsSet(
				&ready, self->mapping.after[t],
				eftKey(self, self->mapping.after[t]));
	}
	free(missing);
	hdPredictEventsFree(&ready);
	if (ret == 0 && self->placed < graph->taskCount)
		hdPredictError(self->report, 0, NULL, 0,
			       "the given mapping orders tasks before others "
			       "that they need");
	return ret;
}

static bool isInOrder(const struct eft *self)
{
	const hdPGraph *graph = self->graph;

	if (self->rank)
		return false;
	for (uint32_t t = 0; t < graph->taskCount; t++) {
		for (uint32_t j = graph->input[t]; j < graph->input[t + 1];
		     j++) {
			if (graph->source[j] >= graph->output[t])
				return false;
		}
		if (self->mapping.before[t] != HD_PREDICT_NONE &&
		    self->mapping.before[t] > t)
			return false;
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

/* ---- What is given ----------------------------------------------------- */

/* Tasks that stay where they are keep their order, too. */
static int eftKeepMapping(struct eft *self)
{
	const hdPGraph *graph = self->graph;
	struct hdPredictMapping *mapping = &self->mapping;
	size_t n = graph->taskCount;
	uint32_t *last, *tasks = malloc((n + 1) * sizeof(*tasks)), count = 0;

	last = malloc(((size_t)self->platform->peCount + 1) * sizeof(*last));
	if (!last || !tasks) {
		free(last);
		free(tasks);
		return -ENOMEM;
	}
	memset(last, 0xff, self->platform->peCount * sizeof(*last));
	for (uint32_t t = 0; t < n; t++) {
		size_t length;
		const char *pe = hdP_getMapping(graph, t, &length, NULL);

		if (!pe)
			continue;
		mapping->fixed[t] = hdPredictNamesFind(&self->platform->peNames,
						       pe, length);
		if (mapping->fixed[t] == HD_PREDICT_NONE)
			hdPredictTaskError(graph, self->report, t,
					   "the platform has no PE ", pe,
					   length);
		else
			tasks[count++] = t;
	}
	if (hdPredictSortByPriority(graph, tasks, count) < 0) {
		free(last);
		free(tasks);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t t = tasks[i], pe = mapping->fixed[t];

		mapping->before[t] = last[pe];
		if (last[pe] != HD_PREDICT_NONE)
			mapping->after[last[pe]] = t;
		last[pe] = t;
	}
	free(last);
	free(tasks);
	return self->report->errors ? -EINVAL : 0;
}

static int eftFix(struct eft *self)
{
	struct hdPredictMapping *mapping = &self->mapping;
	size_t size = ((size_t)self->graph->taskCount + 1) * sizeof(uint32_t);
	uint32_t *pins = NULL;
	int ret = 0;

	mapping->fixed = malloc(size);
	mapping->before = malloc(size);
	mapping->after = malloc(size);
	mapping->sequence = malloc(size);
	if (!mapping->fixed || !mapping->before || !mapping->after ||
	    !mapping->sequence)
		return -ENOMEM;
	memset(mapping->fixed, 0xff, size);
	memset(mapping->before, 0xff, size);
	memset(mapping->after, 0xff, size);
	if (mapping->options->keepsMapping)
		ret = eftKeepMapping(self);
	if (ret == 0)
		ret = hdPredictPinsFind(self->graph, self->platform, &pins,
					self->report);
	for (uint32_t t = 0; ret == 0 && pins && t < self->graph->taskCount;
	     t++) {
		if (pins[t] == HD_PREDICT_NONE)
			continue;
		if (mapping->fixed[t] != HD_PREDICT_NONE &&
		    mapping->fixed[t] != pins[t])
			hdPredictPinError(self->graph, self->platform, t,
					  pins[t], mapping->fixed[t],
					  self->report);
		mapping->fixed[t] = pins[t];
	}
	free(pins);
	for (uint32_t t = 0; ret == 0 && t < self->graph->taskCount; t++) {
		if (mapping->fixed[t] != HD_PREDICT_NONE)
			hdPredictCheckIsOn(self->graph, self->platform, t,
					   mapping->fixed[t], self->report);
	}
	return ret == 0 && self->report->errors ? -EINVAL : ret;
}

/* ---- Ranks: HEFT ------------------------------------------------------- */

/* Mean time of a task on usable PEs that can run it. */
static double eftMeanTime(struct eft *self, uint32_t task)
{
	double sum = 0;
	uint32_t count = 0;

	if (!findTimes(self, task))
		return 0;
	for (uint32_t i = 0; i < self->mapping.usableCount; i++) {
		uint32_t pe = self->mapping.usable[i];
		double time = self->byArchitecture[self->platform->pes[pe]
							   .architecture];

		if (isnan(time))
			continue;
		sum += time;
		count++;
	}
	return count ? sum / count : 0;
}

/* Mean time of a message between two PEs: from the first server to all. */
static double eftMeanSend(struct eft *self, double size)
{
	uint32_t servers = self->platform->serverCount;
	double sum = 0;

	for (uint32_t s = 1; s < servers; s++)
		sum += sendTime(self, 0, s, size);
	return servers ? sum / servers : 0;
}

/* The longest way from the start of each task to the end, negative, so that the
 * longest comes first. Tasks are visited when all that need them were. */
static int eftRank(struct eft *self)
{
	const hdPGraph *graph = self->graph;
	size_t n = graph->taskCount;
	uint32_t *todo = malloc((n + 1) * sizeof(*todo)), count = 0;
	uint32_t *needed = calloc(n + 1, sizeof(*needed));

	self->rank = calloc(n + 1, sizeof(*self->rank));
	for (uint32_t t = 0; t < n && todo && needed && self->rank; t++) {
		needed[t] = graph->consumer[graph->output[t + 1]] -
			    graph->consumer[graph->output[t]];
		if (!needed[t])
			todo[count++] = t;
	}
	while (count && todo && needed && self->rank) {
		uint32_t t = todo[--count];
		const struct hdPredictConfig *config =
			&graph->configs[graph->config[t]];

		self->rank[t] -= eftMeanTime(self, t);
		for (uint32_t j = graph->input[t]; j < graph->input[t + 1];
		     j++) {
			uint32_t from =
				hdPredictProducer(graph, graph->source[j]);
			double send = eftMeanSend(
				self, graph->sizes[config->sizes + j -
						   graph->input[t]]);

			self->rank[from] =
				fmin(self->rank[from], self->rank[t] - send);
			if (--needed[from] == 0)
				todo[count++] = from;
		}
	}
	free(todo);
	free(needed);
	return todo && needed && self->rank ? 0 : -ENOMEM;
}

static int eftPrepare(struct eft *self, const char *pattern)
{
	const hdPPlatform *platform = self->platform;
	size_t n = self->graph->taskCount;

	self->costs = hdPredictCostsNew(self->graph, platform, self->resources);
	self->routes = hdPredictRoutesNew(platform);
	self->mapping.usable =
		malloc((platform->peCount + 1) * sizeof(uint32_t));
	self->free = calloc(platform->peCount + 1, sizeof(double));
	self->ready = calloc(platform->serverCount + 1, sizeof(double));
	/* Tasks without a PE, which is an error, are asked for theirs, too. */
	self->end = calloc(n + 1, sizeof(double));
	self->where = calloc(n + 1, sizeof(uint32_t));
	self->byArchitecture =
		calloc(platform->peArchitectures.count + 1, sizeof(double));
	if (!self->costs || !self->routes || !self->mapping.usable ||
	    !self->free || !self->ready || !self->end || !self->where ||
	    !self->byArchitecture)
		return -ENOMEM;
	for (uint32_t p = 0; p < platform->peCount; p++) {
		if (!platform->servers[platform->pes[p].server].isOff &&
		    hdPredictMatches(pattern, platform->peIds[p]))
			self->mapping.usable[self->mapping.usableCount++] = p;
	}
	if (!self->mapping.usableCount) {
		hdPredictError(self->report, 0, NULL, 0,
			       "no PE matches \"%.200s\"",
			       pattern ? pattern : "*");
		return -EINVAL;
	}
	return findLinks(self);
}

static void eftFree(struct eft *self)
{
	hdPredictCostsFree(self->costs);
	hdPredictRoutesFree(self->routes);
	free(self->mapping.usable);
	free(self->mapping.fixed);
	free(self->mapping.server);
	free(self->mapping.before);
	free(self->mapping.after);
	free(self->mapping.sequence);
	free(self->rank);
	free(self->free);
	free(self->ready);
	free(self->end);
	free(self->where);
	free(self->byArchitecture);
	free(self->links);
}

int hdP_map(hdPGraph *graph, const hdPPlatform *platform,
	    const hdPResources *resources, const char *pattern,
	    hdPMessageHandler handler, void *data)
{
	const hdPMapping options = { .pattern = pattern };

	return hdP_mapAs(graph, platform, resources, &options, handler, data);
}

int hdP_mapAs(hdPGraph *graph, const hdPPlatform *platform,
	      const hdPResources *resources, const hdPMapping *options,
	      hdPMessageHandler handler, void *data)
{
	struct hdPredictReport report = { handler, data,
					  graph ? graph->file : NULL, 0 };
	struct eft self = { .graph = graph,
			    .platform = platform,
			    .resources = resources,
			    .report = &report,
			    .mapping = { .graph = graph,
					 .platform = platform,
					 .resources = resources,
					 .options = options,
					 .report = &report } };
	int ret;

	if (!graph || !platform || !resources || !options ||
	    !graph->isFinished || !platform->isFinished ||
	    !resources->isFinished ||
	    (options->partition && options->mapper == HDP_ANNEAL))
		return -EINVAL;
	ret = eftPrepare(&self, options->pattern);
	if (ret == 0)
		ret = eftFix(&self);
	if (ret == 0)
		ret = hdPredictPartition(&self.mapping);
	if (ret == 0 && options->mapper == HDP_HEFT)
		ret = eftRank(&self);
	/* They would be reported again. */
	if (ret == 0 && report.errors)
		ret = -EINVAL;
	if (ret == 0 && isInOrder(&self)) {
		for (uint32_t t = 0; t < graph->taskCount && ret == 0; t++)
			ret = eftPlaceTask(&self, t, t);
	} else if (ret == 0) {
		ret = inOrder(&self);
	}
	if (ret == 0 && report.errors)
		ret = -EINVAL;
	if (ret == 0 && options->mapper == HDP_ANNEAL)
		ret = hdPredictAnneal(&self.mapping);
	eftFree(&self);
	return ret;
}
