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

/* A PE, and when it is free. */
struct eftPe {
	double free;
	uint32_t pe;
};

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
	double *byArchitecture; /* Time there on one PE, or NaN. */
	struct eftPe *domain;   /* As domainPes of the mapping. */
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

/* How long a task takes on some PEs of an architecture; NaN: it cannot run
 * there. False: the entries do not tell, which is reported. */
static bool eftFindTime(struct eft *self, uint32_t task, uint32_t architecture,
			uint32_t pes, double *time)
{
	uint32_t config = self->graph->config[task];
	uint32_t entry =
		hdPredictCostsFind(self->costs, config, architecture, pes);
	double energy = 0;

	*time = NAN;
	if (entry == HD_PREDICT_TIE) {
		hdPredictNoEntry(self->graph, self->platform, task,
				 architecture, pes, entry, self->report);
		return false;
	}
	if (!hdPredictIsEntry(entry))
		return true;
	*time = self->resources->entries[entry].time;
	hdPredictCostsIo(self->costs, config, architecture, time, &energy);
	return true;
}

/* How long it takes on one PE of each architecture. */
static bool findTimes(struct eft *self, uint32_t task)
{
	for (uint32_t a = 0; a < self->platform->peArchitectures.count; a++) {
		if (!eftFindTime(self, task, a, 1, &self->byArchitecture[a]))
			return false;
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

	while (i + 1 < self->mapping.usableCount &&
	       !eftMayUse(self, task, self->mapping.usable[i]))
		i++;
	return self->mapping.usable[i];
}

/* The best place so far. */
struct eftBest {
	double end;
	uint32_t place;         /* Or NONE... */
	const struct eftPe *of; /* ...and these PEs, if not NULL. */
	uint32_t count;
};

static int eftByFree(const void *a, const void *b)
{
	const struct eftPe *x = a, *y = b;

	if (x->free != y->free)
		return x->free < y->free ? -1 : 1;
	return (x->pe > y->pe) - (x->pe < y->pe);
}

/* Try several PEs of a domain: those that are free first. */
static bool eftTryDomain(struct eft *self, uint32_t task, uint32_t domain,
			 struct eftBest *best)
{
	struct eftPe *pes = self->domain + self->mapping.domainFirst[domain];
	uint32_t n = hdPredictDomainSize(&self->mapping, domain), count;
	const uint32_t *counts = hdPredictCostsCounts(self->costs, &count);
	const struct hdPredictPe *first = &self->platform->pes[pes[0].pe];
	bool isSorted = true;

	/* Most domains have not changed since the last task. */
	for (uint32_t i = 0; i < n; i++) {
		pes[i].free = self->free[pes[i].pe];
		isSorted =
			isSorted && (!i || eftByFree(&pes[i - 1], &pes[i]) < 0);
	}
	if (!isSorted)
		qsort(pes, n, sizeof(*pes), eftByFree);
	for (uint32_t i = 0; i < count && counts[i] <= n; i++) {
		double time, end;

		if (!eftFindTime(self, task, first->architecture, counts[i],
				 &time))
			return false;
		end = fmax(pes[counts[i] - 1].free,
			   self->ready[first->server]) +
		      time;
		if (!isnan(time) && end < best->end)
			*best = (struct eftBest){ end, HD_PREDICT_NONE, pes,
						  counts[i] };
	}
	return true;
}

/* Try several PEs of each domain; 0 or -ENOMEM. */
static int eftTrySets(struct eft *self, uint32_t task, struct eftBest *best)
{
	uint32_t *pes;
	int ret;

	for (uint32_t d = 0; d < self->platform->domainCount; d++) {
		uint32_t first = self->mapping.domainFirst[d];

		if (hdPredictDomainSize(&self->mapping, d) > 1 &&
		    eftMayUse(self, task, self->domain[first].pe) &&
		    !eftTryDomain(self, task, d, best))
			return 0;
	}
	if (!best->of)
		return 0;
	pes = malloc(best->count * sizeof(*pes));
	if (!pes)
		return -ENOMEM;
	for (uint32_t i = 0; i < best->count; i++)
		pes[i] = best->of[i].pe;
	ret = hdPredictSetsAdd(&self->mapping.sets, self->platform, pes,
			       best->count, &best->place);
	free(pes);
	return ret;
}

/* Try all single PEs. */
static void eftTryPes(const struct eft *self, uint32_t task,
		      struct eftBest *best)
{
	for (uint32_t i = 0; i < self->mapping.usableCount; i++) {
		uint32_t p = self->mapping.usable[i];
		const struct hdPredictPe *pe = &self->platform->pes[p];
		double time = self->byArchitecture[pe->architecture];
		double end =
			fmax(self->free[p], self->ready[pe->server]) + time;

		if (eftMayUse(self, task, p) && !isnan(time) &&
		    end < best->end) {
			best->end = end;
			best->place = p;
		}
	}
}

/* Of a task that is fixed. */
static void eftTryFixed(struct eft *self, uint32_t task, uint32_t place,
			struct eftBest *best)
{
	uint32_t count;
	const uint32_t *pes =
		hdPredictMappingPes(&self->mapping, &place, &count);
	const struct hdPredictPe *pe = &self->platform->pes[pes[0]];
	double time, start = self->ready[pe->server];

	if (!eftFindTime(self, task, pe->architecture, count, &time) ||
	    isnan(time))
		return;
	for (uint32_t i = 0; i < count; i++)
		start = fmax(start, self->free[pes[i]]);
	best->end = start + time;
	best->place = place;
}

/* No place can run a task. */
static void eftReportNone(struct eft *self, uint32_t task, struct eftBest *best)
{
	uint32_t place = self->mapping.fixed[task], count = 1, a;

	if (place == HD_PREDICT_NONE)
		place = eftFirstOf(self, task);
	a = self->platform
		    ->pes[*hdPredictMappingPes(&self->mapping, &place, &count)]
		    .architecture;
	hdPredictNoEntry(self->graph, self->platform, task, a, count,
			 hdPredictCostsFind(self->costs,
					    self->graph->config[task], a,
					    count),
			 self->report);
	best->end = 0;
	best->place = place;
}

static int eftPlaceTask(struct eft *self, uint32_t task, int64_t priority)
{
	uint32_t fixed = self->mapping.fixed[task], count;
	struct eftBest best = { INFINITY, HD_PREDICT_NONE, NULL, 0 };
	const uint32_t *pes;

	self->mapping.sequence[self->placed++] = task;
	if (!findTimes(self, task))
		return 0;
	findReady(self, task);
	if (fixed != HD_PREDICT_NONE)
		eftTryFixed(self, task, fixed, &best);
	else
		eftTryPes(self, task, &best);
	if (fixed == HD_PREDICT_NONE && self->domain &&
	    eftTrySets(self, task, &best) < 0)
		return -ENOMEM;
	if (best.place == HD_PREDICT_NONE)
		eftReportNone(self, task, &best);
	pes = hdPredictMappingPes(&self->mapping, &best.place, &count);
	for (uint32_t i = 0; i < count; i++)
		self->free[pes[i]] = best.end;
	self->end[task] = best.end;
	self->where[task] = pes[0];
	return hdPredictMappingSet(&self->mapping, &self->mapping.sets, task,
				   best.place, priority);
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
	uint32_t count;
	int ret = 0;

	if (!missing ||
	    (graph->taskCount &&
	     hdPredictEventsRoom(&ready, graph->taskCount - 1) < 0)) {
		free(missing);
		hdPredictEventsFree(&ready);
		return -ENOMEM;
	}
	for (uint32_t t = 0; t < graph->taskCount; t++) {
		hdPredictTurnsBefore(&self->mapping, t, &count);
		missing[t] = graph->input[t + 1] - graph->input[t] + count;
		if (!missing[t])
			hdPredictEventsSet(&ready, t, eftKey(self, t));
	}
	while (ready.count && ret == 0) {
		uint32_t t = hdPredictEventsTake(&ready).id;
		const uint32_t *turns;

		ret = eftPlaceTask(self, t, priority++);
		for (uint32_t c = graph->consumer[graph->output[t]];
		     c < graph->consumer[graph->output[t + 1]]; c++) {
			uint32_t other = graph->consumerTask[c];

			if (--missing[other] == 0)
				hdPredictEventsSet(&ready, other,
						   eftKey(self, other));
		}
		turns = hdPredictTurnsAfter(&self->mapping, t, &count);
		for (uint32_t i = 0; i < count; i++) {
			uint32_t other = self->mapping.turns[turns[i]].next;

			if (--missing[other] == 0)
				hdPredictEventsSet(&ready, other,
						   eftKey(self, other));
		}
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
	}
	for (size_t i = 0; i < self->mapping.turnCount; i++) {
		if (self->mapping.turns[i].task > self->mapping.turns[i].next)
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

/* ---- Ranks: HEFT ------------------------------------------------------- */

/* Mean time of a task on usable PEs that can run it, each with as many others
 * as make it fastest. */
static double eftMeanTime(struct eft *self, uint32_t task)
{
	uint32_t count = 0, sizes;
	const uint32_t *counts = hdPredictCostsCounts(self->costs, &sizes);
	double sum = 0;

	if (!findTimes(self, task))
		return 0;
	for (uint32_t i = 0; i < self->mapping.usableCount; i++) {
		uint32_t pe = self->mapping.usable[i];
		uint32_t a = self->platform->pes[pe].architecture;
		uint32_t d = self->platform->pes[pe].domain;
		double least = self->byArchitecture[a], time;

		for (uint32_t k = 0;
		     k < sizes &&
		     counts[k] <= hdPredictDomainSize(&self->mapping, d);
		     k++) {
			if (!eftFindTime(self, task, a, counts[k], &time))
				return 0;
			least = fmin(least, time);
		}
		if (isnan(least))
			continue;
		sum += least;
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

/* PEs by domain, for tasks on several of them; 0 or -ENOMEM. */
static int eftPrepareDomains(struct eft *self)
{
	uint32_t n = self->mapping.usableCount;
	int ret = hdPredictGroupDomains(&self->mapping, self->costs);

	if (ret < 0 || !self->mapping.domainPes)
		return ret;
	self->domain = malloc(((size_t)n + 1) * sizeof(*self->domain));
	for (uint32_t i = 0; i < n && self->domain; i++)
		self->domain[i].pe = self->mapping.domainPes[i];
	return self->domain ? 0 : -ENOMEM;
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
	if (eftPrepareDomains(self) < 0)
		return -ENOMEM;
	return findLinks(self);
}

static void eftFree(struct eft *self)
{
	hdPredictCostsFree(self->costs);
	hdPredictRoutesFree(self->routes);
	free(self->mapping.usable);
	free(self->mapping.fixed);
	free(self->mapping.server);
	hdPredictSetsFree(&self->mapping.sets);
	free(self->mapping.turns);
	free(self->mapping.turnsFrom);
	free(self->mapping.turnsFromFirst);
	free(self->mapping.turnsTo);
	free(self->mapping.turnsToFirst);
	free(self->mapping.sequence);
	free(self->mapping.single);
	free(self->rank);
	free(self->free);
	free(self->ready);
	free(self->end);
	free(self->where);
	free(self->byArchitecture);
	free(self->domain);
	free(self->mapping.domainPes);
	free(self->mapping.domainFirst);
	free(self->links);
}

static int eftPlaceAll(struct eft *self)
{
	int ret = 0;

	self->placed = 0;
	memset(self->free, 0, self->platform->peCount * sizeof(*self->free));
	if (!isInOrder(self))
		return inOrder(self);
	for (uint32_t t = 0; t < self->graph->taskCount && ret == 0; t++)
		ret = eftPlaceTask(self, t, t);
	return ret;
}

/* Where tasks are if each has one PE: annealing may begin there. */
static int eftPlaceSingle(struct eft *self)
{
	struct hdPredictReport *report = self->report;
	struct hdPredictReport silent = { NULL, NULL, NULL, 0 };
	struct eftPe *domain = self->domain;
	uint32_t n = self->graph->taskCount;
	int ret;

	self->domain = NULL;
	self->report = &silent;
	ret = eftPlaceAll(self);
	self->domain = domain;
	self->report = report;
	if (ret < 0 || silent.errors)
		return ret;
	self->mapping.single = malloc(((size_t)n + 1) * sizeof(uint32_t));
	if (!self->mapping.single)
		return -ENOMEM;
	memcpy(self->mapping.single, self->where, n * sizeof(uint32_t));
	return 0;
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
		ret = hdPredictFix(&self.mapping);
	if (ret == 0)
		ret = hdPredictPartition(&self.mapping);
	if (ret == 0 && options->mapper == HDP_HEFT)
		ret = eftRank(&self);
	/* They would be reported again. */
	if (ret == 0 && report.errors)
		ret = -EINVAL;
	if (ret == 0 && self.domain && options->mapper == HDP_ANNEAL)
		ret = eftPlaceSingle(&self);
	if (ret == 0)
		ret = eftPlaceAll(&self);
	if (ret == 0 && report.errors)
		ret = -EINVAL;
	if (ret == 0 && options->mapper == HDP_ANNEAL)
		ret = hdPredictAnneal(&self.mapping);
	eftFree(&self);
	return ret;
}
