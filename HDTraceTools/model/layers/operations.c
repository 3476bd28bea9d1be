/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What relations tell of the operations of layers.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/model/layers/layers.h"

/** A file of relations. */
struct place {
	struct layer *layer;  /**< NULL: none of ours. */
	const hdINode *node;  /**< Of the layer; or else above the file's. */
	int64_t shift;        /**< To be added to its times. */
	const char *process;  /**< What its tokens begin with, ... */
	size_t processLength; /**< ... as far as it tells the process. */
};

struct reading {
	struct layers *layers;
	const struct forest *forest;
	GHashTable *places; /**< Of struct forestFile. */
	GArray *parts;      /**< struct extent: where others were there. */
};

struct layer *layersOfRelations(const struct layers *self,
				const hdIRelationFile *file)
{
	const char *name = file->node->label;

	for (const hdINode *node = file->node; node; node = node->parent) {
		struct layer *layer = layersFind(self, node, name);

		if (layer)
			return layer;
	}
	return NULL;
}

size_t layersNameNumber(const struct layers *self, const char *name)
{
	for (size_t i = 0; i < self->names->len; i++) {
		if (strcmp(self->names->pdata[i], name) == 0)
			return i;
	}
	return SIZE_MAX;
}

/* ---- Files ------------------------------------------------------------- */

/** "HOST:PROCESS:" of "HOST:PROCESS:TOPOLOGY:". */
static size_t lengthOfProcess(const char *prefix)
{
	const char *colon = strchr(prefix, ':');

	colon = colon ? strchr(colon + 1, ':') : NULL;
	return colon ? (size_t)(colon - prefix) + 1 : strlen(prefix);
}

static void layerOperationsStartReading(struct reading *self,
					struct layers *layers,
					const struct forest *forest)
{
	self->layers = layers;
	self->forest = forest;
	self->parts = g_array_new(FALSE, FALSE, sizeof(struct extent));
	self->places = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	for (size_t i = 0; i < forestFileCount(forest); i++) {
		const struct forestFile *file = forestFileAt(forest, i);
		struct place *place = g_new0(struct place, 1);
		const hdINode *node = file->file->node;

		place->layer = layersOfRelations(layers, file->file);
		place->node = place->layer ? place->layer->node
			      : node->parent && node->parent->parent
				      ? node->parent
				      : node;
		place->shift = layersShift(layers, node);
		place->process = file->prefix;
		place->processLength = lengthOfProcess(file->prefix);
		g_hash_table_insert(self->places, (gpointer)file, place);
	}
}

static void layerOperationsEndReading(struct reading *self)
{
	g_hash_table_destroy(self->places);
	g_array_unref(self->parts);
}

static const struct place *layerOperationsPlaceOf(const struct reading *self,
						  uint32_t number)
{
	return g_hash_table_lookup(self->places,
				   forestFileOf(self->forest, number));
}

static bool isSameProcess(const struct place *a, const struct place *b)
{
	return a->processLength == b->processLength &&
	       memcmp(a->process, b->process, a->processLength) == 0;
}

/* ---- What leads where -------------------------------------------------- */

void layersCountEdges(struct layers *self, const struct forest *forest)
{
	struct reading reading;

	layerOperationsStartReading(&reading, self, forest);
	for (uint32_t i = 0; i < forestCount(forest); i++) {
		uint32_t parent = forestParent(forest, i);
		const struct layer *upper, *lower;
		size_t a, b;

		if (parent == FOREST_NONE)
			continue;
		upper = layerOperationsPlaceOf(&reading, parent)->layer;
		lower = layerOperationsPlaceOf(&reading, i)->layer;
		if (!upper || !lower)
			continue;
		a = layersNameNumber(self, upper->name);
		b = layersNameNumber(self, lower->name);
		self->edges[a * self->names->len + b]++;
	}
	layerOperationsEndReading(&reading);
}

/* ---- Time -------------------------------------------------------------- */

static int compareExtents(const void *left, const void *right)
{
	const struct extent *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

/** How long any of the parts lasts. */
static int64_t layerOperationsUnite(GArray *parts)
{
	int64_t sum = 0, until = INT64_MIN;

	if (parts->len > 1)
		qsort(parts->data, parts->len, sizeof(struct extent),
		      compareExtents);
	for (guint i = 0; i < parts->len; i++) {
		const struct extent *part =
			&g_array_index(parts, struct extent, i);
		int64_t from = MAX(part->start, until);

		if (part->end > from)
			sum += part->end - from;
		until = MAX(until, part->end);
	}
	return sum;
}

static struct extent layerOperationsTimeOf(const struct reading *self,
					   uint32_t number,
					   const struct place *place)
{
	struct extent time = { forestStart(self->forest, number) + place->shift,
			       forestLasted(self->forest, number) +
				       place->shift };

	time.end = MAX(time.start, time.end);
	return time;
}

/**
 * Add the time of what a relation caused, as far as it lies in that of the
 * relation. Nothing begins before its cause: it is taken as much later as need
 * be; on another host it may be as much earlier, so that it ends with its
 * cause.
 */
static void addCaused(struct reading *self, const struct extent *whole,
		      struct extent part, bool isElsewhere)
{
	int64_t shift = 0;

	if (part.start < whole->start)
		shift = whole->start - part.start;
	else if (isElsewhere && part.end > whole->end)
		shift = MAX(whole->end - part.end, whole->start - part.start);
	part.start += shift;
	part.end = MIN(part.end + shift, whole->end);
	if (part.end > part.start)
		g_array_append_val(self->parts, part);
}

static struct layerWay *findWay(struct layers *layers, const hdINode *node,
				const char *name)
{
	struct layerWay way = { .node = node, .name = name };

	for (guint i = 0; i < layers->ways->len; i++) {
		struct layerWay *known = layersWayAt(layers, i);

		if (known->node == node && strcmp(known->name, name) == 0)
			return known;
	}
	g_array_append_val(layers->ways, way);
	return layersWayAt(layers, layers->ways->len - 1);
}

/** Look at what a relation caused: the node that it went to, if all that went
 *  to another process went there; or NULL. */
static const hdINode *takeCaused(struct reading *self, uint32_t number,
				 const struct place *place,
				 const struct extent *whole)
{
	const struct forestFile *file = forestFileOf(self->forest, number);
	uint32_t child = forestChild(self->forest, number);
	const hdINode *to = NULL;
	bool isOne = true;

	for (; child != FOREST_NONE;
	     child = forestSibling(self->forest, child)) {
		const struct place *other = layerOperationsPlaceOf(self, child);
		const struct forestFile *at = forestFileOf(self->forest, child);

		self->layers->early += forestStart(self->forest, child) <
				       forestStart(self->forest, number);
		addCaused(self, whole,
			  layerOperationsTimeOf(self, child, other),
			  strcmp(file->host, at->host) != 0);
		if (isSameProcess(place, other))
			continue;
		isOne &= !to || to == other->node;
		to = other->node;
	}
	return isOne ? to : NULL;
}

/** Spread time over the parts in which a relation was there. */
static void layerOperationsSpreadTime(const struct layers *layers,
				      double *parts, const struct extent *whole,
				      int64_t inside, long double time)
{
	for (int i = 0; i < LAYERS_PARTS; i++) {
		int64_t part = extentLength(whole, layersPart(layers, i),
					    layersPart(layers, i + 1));

		if (part > 0)
			parts[i] += (double)(time * part / inside);
	}
}

static void layerOperationsAddRelation(struct reading *self, uint32_t number)
{
	const struct place *place = layerOperationsPlaceOf(self, number);
	struct layers *layers = self->layers;
	struct extent whole = layerOperationsTimeOf(self, number, place);
	struct layerOperations *sums;
	long double share = 1, self_;
	int64_t total, inside;
	const hdINode *to;

	if (!place->layer)
		return;
	total = whole.end - whole.start;
	inside = extentLength(&layers->time, whole.start, whole.end);
	if (total > 0)
		share = (long double)inside / total;
	else if (whole.start < layers->time.start ||
		 whole.end > layers->time.end)
		share = 0;
	if (share <= 0)
		return;
	g_array_set_size(self->parts, 0);
	to = takeCaused(self, number, place, &whole);
	self_ = share * (total - layerOperationsUnite(self->parts));
	place->layer->hasOperations = true;
	sums = &place->layer->operations;
	sums->count += (double)share;
	sums->lasted += inside;
	sums->self += self_;
	sums->unended += !forestEnded(self->forest, number);
	if (to) {
		struct layerWay *way = findWay(layers, to, place->layer->name);

		way->count += (double)share;
		way->self += self_;
		layerOperationsSpreadTime(layers, way->parts, &whole, inside,
					  self_);
	} else {
		sums->here += self_;
		layerOperationsSpreadTime(layers, sums->parts, &whole, inside,
					  self_);
	}
}

void layersAddOperations(struct layers *self, const struct forest *forest)
{
	struct reading reading;

	layerOperationsStartReading(&reading, self, forest);
	for (uint32_t i = 0; i < forestCount(forest); i++)
		layerOperationsAddRelation(&reading, i);
	layerOperationsEndReading(&reading);
}
