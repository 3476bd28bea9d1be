/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paths between servers; see routes.h.
 *
 * Where the links are a tree, as with a star, there is one path, by the common
 * ancestor. Else a search from each source is kept, as long as there is room.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/mapping/routes.h"

/* Words that searches may take. */
#define ROOM (64u << 20)

struct hdPredictRoutes {
	const hdPPlatform *platform;
	bool isTree;
	/* In a tree, rooted at the first memory: by end. */
	struct step {
		uint32_t end, parent, depth;
		uint32_t up, down; /* Edges to and from the parent. */
	} * steps;
	struct step *ofServers; /* The same of their memories. */
	/* Else: by server, edges by which ends are reached; or NULL. */
	uint32_t **reached;
	size_t used;
	uint32_t *path, *queue;
	size_t pathRoom;
};

/* Breadth first; by[end] is the edge by which it is reached. */
static void routesSearchFrom(const hdPPlatform *platform, uint32_t from,
			     uint32_t *by, uint32_t *queue)
{
	size_t head = 0, tail = 0;

	memset(by, 0xff, platform->endCount * sizeof(*by));
	queue[tail++] = from;
	while (head < tail) {
		uint32_t at = queue[head++];

		for (uint32_t i = platform->edgeFrom[at];
		     i < platform->edgeFrom[at + 1]; i++) {
			uint32_t edge = platform->edgeOrder[i];
			uint32_t to = platform->edges[edge].to;

			if (to == from || by[to] != HD_PREDICT_NONE)
				continue;
			by[to] = edge;
			queue[tail++] = to;
		}
	}
}

/* Whether no edge leads elsewhere than to the parent or to a child. @p down has
 * room for an edge of each end. */
static bool findTree(struct hdPredictRoutes *self, uint32_t *down)
{
	const hdPPlatform *platform = self->platform;
	uint32_t root = platform->servers[0].memory;
	struct step *steps = self->steps;

	routesSearchFrom(platform, root, down, self->queue);
	for (size_t i = 0; i < platform->endCount; i++)
		steps[i] = (struct step){ (uint32_t)i, HD_PREDICT_NONE, 0,
					  HD_PREDICT_NONE, down[i] };
	/* Parents come before children in the order of the search. */
	for (size_t i = 1; i < platform->endCount; i++) {
		uint32_t end = self->queue[i];

		/* PEs without links are not reached. */
		if (end == HD_PREDICT_NONE || down[end] == HD_PREDICT_NONE)
			continue;
		steps[end].parent = platform->edges[down[end]].from;
		steps[end].depth = steps[steps[end].parent].depth + 1;
	}
	for (uint32_t i = platform->edgeCount; i-- > 0;) {
		const struct hdPredictEdgeOf *edge = &platform->edges[i];

		if (steps[edge->from].parent == edge->to)
			steps[edge->from].up = i;
		else if (steps[edge->to].parent != edge->from)
			return false;
	}
	for (uint32_t s = 0; s < platform->serverCount; s++)
		self->ofServers[s] = steps[platform->servers[s].memory];
	return true;
}

struct hdPredictRoutes *hdPredictRoutesNew(const hdPPlatform *platform)
{
	struct hdPredictRoutes *self = calloc(1, sizeof(*self));
	size_t n = platform->endCount + 1;
	uint32_t *down;

	if (!self)
		return NULL;
	self->platform = platform;
	down = malloc(n * sizeof(*down));
	self->steps = malloc(n * sizeof(*self->steps));
	self->ofServers =
		malloc((platform->serverCount + 1) * sizeof(*self->ofServers));
	self->queue = malloc(n * sizeof(*self->queue));
	self->reached = calloc(platform->serverCount + 1, sizeof(uint32_t *));
	self->path = malloc(n * sizeof(*self->path));
	if (!down || !self->steps || !self->ofServers || !self->queue ||
	    !self->reached || !self->path) {
		free(down);
		hdPredictRoutesFree(self);
		return NULL;
	}
	memset(self->queue, 0xff, n * sizeof(*self->queue));
	self->isTree = findTree(self, down);
	free(down);
	return self;
}

static void routesFreeCache(struct hdPredictRoutes *self)
{
	for (uint32_t i = 0; i < self->platform->serverCount; i++) {
		free(self->reached[i]);
		self->reached[i] = NULL;
	}
	self->used = 0;
}

void hdPredictRoutesFree(struct hdPredictRoutes *self)
{
	if (!self)
		return;
	if (self->reached)
		routesFreeCache(self);
	free(self->reached);
	free(self->steps);
	free(self->ofServers);
	free(self->queue);
	free(self->path);
	free(self);
}

static int inTree(struct hdPredictRoutes *self, uint32_t from, uint32_t to)
{
	const struct step *a = &self->ofServers[from];
	const struct step *b = &self->ofServers[to];
	int count = 0, back = 0;

	while (a->end != b->end) {
		bool isDeeper = a->depth > b->depth;

		if (a->depth >= b->depth) {
			self->path[count++] = a->up;
			a = &self->steps[a->parent];
		}
		if (!isDeeper) {
			self->queue[back++] = b->down;
			b = &self->steps[b->parent];
		}
	}
	while (back)
		self->path[count++] = self->queue[--back];
	return count;
}

int hdPredictRoute(struct hdPredictRoutes *self, uint32_t from, uint32_t to,
		   const uint32_t **path)
{
	const hdPPlatform *platform = self->platform;
	uint32_t source, at, *by;
	int count = 0;

	*path = self->path;
	if (self->isTree)
		return inTree(self, from, to);
	source = platform->servers[from].memory;
	at = platform->servers[to].memory;
	if (!self->reached[from]) {
		if (self->used + platform->endCount > ROOM)
			routesFreeCache(self);
		self->reached[from] =
			malloc((platform->endCount + 1) * sizeof(uint32_t));
		if (!self->reached[from])
			return -ENOMEM;
		self->used += platform->endCount;
		routesSearchFrom(platform, source, self->reached[from],
				 self->queue);
	}
	by = self->reached[from];
	for (uint32_t end = at; end != source;
	     end = platform->edges[by[end]].from)
		count++;
	for (int i = count; i-- > 0; at = platform->edges[by[at]].from)
		self->path[i] = by[at];
	return count;
}

double hdPredictPathTime(const hdPPlatform *platform, const uint32_t *edges,
			 int count, double size)
{
	double init = 0, worst = 0;

	for (int i = 0; i < count; i++) {
		const struct hdPredictEdgeOf *edge = &platform->edges[edges[i]];
		double packets = hdPredictPackets(edge, size) * edge->latency;

		init += edge->init;
		if (packets > worst)
			worst = packets;
	}
	return (init + worst) / 1e9;
}
