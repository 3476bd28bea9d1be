/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The layers of a project: how many operations were pending in each.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/model/layers/layers.h"
#include "cli/known.h"

/* ---- Begin and end ----------------------------------------------------- */

static void layersAddName(struct layers *self, const char *name)
{
	if (layersNameNumber(self, name) == SIZE_MAX)
		g_ptr_array_add(self->names, (gpointer)name);
}

struct layers *layersNew(const hdIProject *project, layersWants *wants,
			 void *data, int64_t from, int64_t to)
{
	struct layers *self = g_new0(struct layers, 1);

	self->project = project;
	self->time = EXTENT_NONE;
	self->list = g_new0(struct layer, project->groupCount + 1);
	self->firsts = g_hash_table_new(NULL, NULL);
	self->ways = g_array_new(FALSE, FALSE, sizeof(struct layerWay));
	self->hosts = g_array_new(FALSE, FALSE, sizeof(struct layersHost));
	self->order = g_ptr_array_new();
	self->names = g_ptr_array_new();
	for (size_t i = 0; i < project->groupCount; i++) {
		const hdIGroup *group = project->groups[i];
		struct layer *layer = &self->list[self->count];

		if (!layerGaugeIs(group) || (wants && !wants(group, data)))
			continue;
		layer->node = group->node;
		layer->name = group->name;
		layerGaugeInit(&layer->gauge, group, from, to);
		layersAddName(self, layer->name);
		self->count++;
		if (!layersFirst(self, layer->node))
			g_hash_table_insert(self->firsts, (gpointer)layer->node,
					    GSIZE_TO_POINTER(self->count));
	}
	self->edges = g_new0(uint64_t, self->names->len * self->names->len + 1);
	return self;
}

void layersFree(struct layers *self)
{
	if (!self)
		return;
	for (size_t i = 0; i < self->count; i++)
		layerGaugeClear(&self->list[i].gauge);
	g_free(self->list);
	g_hash_table_destroy(self->firsts);
	g_array_unref(self->ways);
	g_array_unref(self->hosts);
	g_ptr_array_unref(self->order);
	g_ptr_array_unref(self->names);
	g_free(self->edges);
	g_free(self);
}

struct layer *layersFirst(const struct layers *self, const hdINode *node)
{
	size_t place =
		GPOINTER_TO_SIZE(g_hash_table_lookup(self->firsts, node));

	return place > 0 ? &self->list[place - 1] : NULL;
}

struct layerGauge *layersGauge(struct layers *self, const hdIGroup *group)
{
	struct layer *layer = layersFirst(self, group->node);

	for (; layersHas(self, group->node, layer); layer++) {
		if (layer->gauge.group == group)
			return &layer->gauge;
	}
	return NULL;
}

struct layer *layersFind(const struct layers *self, const hdINode *node,
			 const char *name)
{
	struct layer *layer = layersFirst(self, node);

	for (; layersHas(self, node, layer); layer++) {
		if (strcmp(layer->name, name) == 0)
			return layer;
	}
	return NULL;
}

/* ---- Order ------------------------------------------------------------- */

static uint32_t layersRankOf(const struct layers *self, const char *name)
{
	uint32_t rank = 0;

	while (rank < self->order->len &&
	       strcmp(self->order->pdata[rank], name) != 0)
		rank++;
	return rank;
}

/** Layers of a node follow each other already. */
static void sortByRank(struct layers *self)
{
	for (size_t i = 1; i < self->count; i++) {
		for (size_t k = i;
		     k > 0 && self->list[k - 1].node == self->list[k].node &&
		     self->list[k - 1].rank > self->list[k].rank;
		     k--) {
			struct layer other = self->list[k];

			self->list[k] = self->list[k - 1];
			self->list[k - 1] = other;
		}
	}
}

static const char *layersRoleOf(const struct layers *self, const hdINode *node)
{
	const struct layer *first = layersFirst(self, node);

	return first ? first->name : NULL;
}

static void setRanks(struct layers *self)
{
	layersFindOrder(self);
	for (size_t i = 0; i < self->count; i++)
		self->list[i].rank = layersRankOf(self, self->list[i].name);
	sortByRank(self);
	for (size_t i = 0; i < self->count; i++)
		self->list[i].role = layersRoleOf(self, self->list[i].node);
}

/* ---- What is pending --------------------------------------------------- */

static void setMean(struct layers *self, struct layer *layer)
{
	const struct layerGauge *gauge = &layer->gauge;
	struct known known = { 0, layersLength(self) };
	struct extent time;

	time = (struct extent){ self->time.start - layer->shift,
				self->time.end - layer->shift };
	layer->known = layerGaugeKnown(gauge, &time);
	known.knownNs = layer->known;
	layer->mean = layer->idle = layer->bytes = layer->little = layer->held =
		NAN;
	if (gauge->spans->len > 0 && gauge->bytes != SIZE_MAX)
		layer->bytes = (double)gauge->moved;
	if (layer->known == 0)
		return;
	/* Where nothing was pending nothing is added. */
	layer->mean =
		knownMean(known, (double)(gauge->integral / layer->known));
	layer->idle = knownMean(
		known, (double)(1 - MIN(gauge->busy / layer->known, 1)));
}

static void layersSetTime(struct layers *self)
{
	for (size_t i = 0; i < self->count; i++) {
		struct layer *layer = &self->list[i];
		const struct extent *time = &layer->gauge.activity;

		layer->shift = layersShift(self, layer->node);
		if (time->start <= time->end)
			extentAdd(&self->time, time->start + layer->shift,
				  time->end + layer->shift);
	}
}

/* ---- What is held ------------------------------------------------------ */

/** Whether relations tell all operations: Little's law. */
static void setTold(struct layer *layer)
{
	if (!layer->hasOperations || layer->known == 0)
		return;
	layer->little =
		(double)(layer->operations.lasted / (long double)layer->known);
	layer->isTold = fabs(layer->little - layer->mean) <=
			LAYERS_LITTLE * MAX(layer->mean, layer->little);
}

/** What was pending in a part of the time. */
static double integral(const struct layers *self, const struct layer *layer,
		       int part)
{
	return layerGaugeIntegral(&layer->gauge,
				  layersPart(self, part) - layer->shift,
				  layersPart(self, part + 1) - layer->shift);
}

/** Less what is pending right below a layer at its node, but not below 0. */
static void layersSubtractBelow(const struct layers *self, struct layer *layer)
{
	const struct layer *lower = layersFirst(self, layer->node);

	for (; layersHas(self, layer->node, lower); lower++) {
		if (!layersIsBelow(self, layer, lower) || isnan(lower->mean))
			continue;
		layer->held -= lower->mean;
		for (int k = 0; k < LAYERS_PARTS; k++)
			layer->parts[k] -= integral(self, lower, k);
	}
	layer->held = MAX(layer->held, 0);
}

static void setParts(const struct layers *self, double *parts)
{
	for (int i = 0; i < LAYERS_PARTS; i++)
		parts[i] = MAX(parts[i], 0) * LAYERS_PARTS /
			   (double)layersLength(self);
}

static void setHeld(struct layers *self, struct layer *layer)
{
	setTold(layer);
	if (isnan(layer->mean) || (!layer->isTold && layersIsWire(self, layer)))
		return;
	if (layer->isTold) {
		layer->held = (double)(layer->operations.here /
				       (long double)layer->known);
		memcpy(layer->parts, layer->operations.parts,
		       sizeof(layer->parts));
	} else {
		layer->isLeast = true;
		layer->held = layer->mean;
		for (int i = 0; i < LAYERS_PARTS; i++)
			layer->parts[i] = integral(self, layer, i);
		layersSubtractBelow(self, layer);
	}
	setParts(self, layer->parts);
}

/** Ways are told where all layers of their name are whose operations went. */
static void setWays(struct layers *self)
{
	bool *isUntold = g_new0(bool, self->order->len + 1);

	for (size_t i = 0; i < self->count; i++) {
		const struct layer *layer = &self->list[i];

		isUntold[layer->rank] |= layer->hasOperations && !layer->isTold;
	}
	for (guint i = 0; i < self->ways->len; i++) {
		struct layerWay *way = layersWayAt(self, i);

		way->rank = layersRankOf(self, way->name);
		way->role = layersRoleOf(self, way->node);
		way->held = (double)(way->self / layersLength(self));
		way->isTold = !isUntold[way->rank];
		setParts(self, way->parts);
	}
	g_free(isUntold);
}

void layersEnd(struct layers *self, const struct forest *forest)
{
	if (forest) {
		layersCountEdges(self, forest);
		layersFindClocks(self, forest);
	}
	setRanks(self);
	layersSetTime(self);
	for (size_t i = 0; i < self->count; i++)
		setMean(self, &self->list[i]);
	if (layersLength(self) == 0)
		return;
	if (forest)
		layersAddOperations(self, forest);
	for (size_t i = 0; i < self->count; i++)
		setHeld(self, &self->list[i]);
	setWays(self);
}
