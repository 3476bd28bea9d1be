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
	/* In a tree, rooted at the first memory. */
	uint32_t *up, *down, *depth; /* Edges to and from the parent. */
	/* Else: by server, edges by which ends are reached; or NULL. */
	uint32_t **reached;
	size_t used;
	uint32_t *path, *queue;
	size_t pathRoom;
};

/* Breadth first; by[end] is the edge by which it is reached. */
static void search(const hdPPlatform *platform, uint32_t from, uint32_t *by,
		   uint32_t *queue)
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

/* Whether no edge leads elsewhere than to the parent or to a child. */
static bool findTree(struct hdPredictRoutes *self)
{
	const hdPPlatform *platform = self->platform;
	uint32_t root = platform->servers[0].memory;

	search(platform, root, self->down, self->queue);
	memset(self->up, 0xff, platform->endCount * sizeof(*self->up));
	/* Parents come before children in the order of the search. */
	self->depth[root] = 0;
	for (size_t i = 1; i < platform->endCount; i++) {
		uint32_t end = self->queue[i];

		/* PEs without links are not reached. */
		if (end == HD_PREDICT_NONE ||
		    self->down[end] == HD_PREDICT_NONE)
			continue;
		self->depth[end] =
			self->depth[platform->edges[self->down[end]].from] + 1;
	}
	for (uint32_t i = platform->edgeCount; i-- > 0;) {
		const struct hdPredictEdgeOf *edge = &platform->edges[i];
		uint32_t down = self->down[edge->to];
		uint32_t back = self->down[edge->from];

		if (back != HD_PREDICT_NONE &&
		    platform->edges[back].from == edge->to)
			self->up[edge->from] = i;
		else if (down == HD_PREDICT_NONE ||
			 platform->edges[down].from != edge->from)
			return false;
	}
	return true;
}

struct hdPredictRoutes *hdPredictRoutesNew(const hdPPlatform *platform)
{
	struct hdPredictRoutes *self = calloc(1, sizeof(*self));
	size_t n = platform->endCount + 1;

	if (!self)
		return NULL;
	self->platform = platform;
	self->up = malloc(n * sizeof(*self->up));
	self->down = malloc(n * sizeof(*self->down));
	self->depth = malloc(n * sizeof(*self->depth));
	self->queue = malloc(n * sizeof(*self->queue));
	self->reached = calloc(platform->serverCount + 1, sizeof(uint32_t *));
	self->path = malloc(n * sizeof(*self->path));
	if (!self->up || !self->down || !self->depth || !self->queue ||
	    !self->reached || !self->path) {
		hdPredictRoutesFree(self);
		return NULL;
	}
	memset(self->queue, 0xff, n * sizeof(*self->queue));
	self->isTree = findTree(self);
	return self;
}

static void forget(struct hdPredictRoutes *self)
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
		forget(self);
	free(self->reached);
	free(self->up);
	free(self->down);
	free(self->depth);
	free(self->queue);
	free(self->path);
	free(self);
}

static int inTree(struct hdPredictRoutes *self, uint32_t from, uint32_t to)
{
	const struct hdPredictEdgeOf *edges = self->platform->edges;
	int count = 0, back = 0;
	uint32_t at = from;

	while (self->depth[at] > self->depth[to]) {
		self->path[count++] = self->up[at];
		at = edges[self->up[at]].to;
	}
	while (self->depth[to] > self->depth[at]) {
		self->queue[back++] = self->down[to];
		to = edges[self->down[to]].from;
	}
	while (at != to) {
		self->path[count++] = self->up[at];
		at = edges[self->up[at]].to;
		self->queue[back++] = self->down[to];
		to = edges[self->down[to]].from;
	}
	while (back)
		self->path[count++] = self->queue[--back];
	return count;
}

int hdPredictRoute(struct hdPredictRoutes *self, uint32_t from, uint32_t to,
		   const uint32_t **path)
{
	const hdPPlatform *platform = self->platform;
	uint32_t source = platform->servers[from].memory;
	uint32_t at = platform->servers[to].memory;
	uint32_t *by;
	int count = 0;

	*path = self->path;
	if (self->isTree)
		return inTree(self, source, at);
	if (!self->reached[from]) {
		if (self->used + platform->endCount > ROOM)
			forget(self);
		self->reached[from] =
			malloc((platform->endCount + 1) * sizeof(uint32_t));
		if (!self->reached[from])
			return -ENOMEM;
		self->used += platform->endCount;
		search(platform, source, self->reached[from], self->queue);
	}
	by = self->reached[from];
	for (uint32_t end = at; end != source;
	     end = platform->edges[by[end]].from)
		count++;
	for (int i = count; i-- > 0; at = platform->edges[by[at]].from)
		self->path[i] = by[at];
	return count;
}

double hdPredictPackets(const struct hdPredictEdgeOf *edge, double size)
{
	return edge->size > 0 ? ceil(size / edge->size) : 0;
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
