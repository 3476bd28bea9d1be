/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * In what order layers lie, and which one is right below another.
 *
 * Relations tell: a layer whose operations cause those of another one is above
 * it. Where there are none, those that have names which are known lie as in a
 * parallel file system.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/model/layers/layers.h"

/** What is known of a name. */
static const struct known {
	const char *name;
	/** The layers that it may lie below, the nearest first. */
	const char *above[3];
} knownLayers[] = {
	{ "CLIENT", { NULL } },
	{ "FLOW", { "REQ", "CLIENT", NULL } },
	{ "BMI", { "FLOW", "CLIENT", "REQ" } },
	{ "REQ", { NULL } },
	{ "BREQ", { "REQ", NULL } },
	{ "TROVE", { "FLOW", "REQ", NULL } },
	{ "LOCK", { "REQ", "FLOW", "CLIENT" } },
	{ "DISK", { "TROVE", NULL } },
};

static size_t knownNumber(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(knownLayers); i++) {
		if (strcmp(knownLayers[i].name, name) == 0)
			return i;
	}
	return G_N_ELEMENTS(knownLayers);
}

static uint64_t edge(const struct layers *self, size_t upper, size_t lower)
{
	return self->edges[upper * self->names->len + lower];
}

static bool isAbove(const struct layers *self, size_t upper, size_t lower)
{
	return upper != lower &&
	       edge(self, upper, lower) > edge(self, lower, upper);
}

/** Whether a name comes before another one where nothing is above either. */
static bool layerOrderIsBefore(const char *a, const char *b)
{
	size_t x = knownNumber(a), y = knownNumber(b);

	return x != y ? x < y : strcmp(a, b) < 0;
}

/** The next one: nothing that is left is above it, if there is such a one. */
static size_t layerOrderChoose(const struct layers *self, const bool *isDone)
{
	size_t best = SIZE_MAX;
	bool bestIsFree = false;

	for (size_t i = 0; i < self->names->len; i++) {
		bool isFree = true;

		if (isDone[i])
			continue;
		for (size_t k = 0; k < self->names->len; k++)
			isFree &= isDone[k] || !isAbove(self, k, i);
		if (best != SIZE_MAX &&
		    (isFree != bestIsFree
			     ? bestIsFree
			     : !layerOrderIsBefore(self->names->pdata[i],
						   self->names->pdata[best])))
			continue;
		best = i;
		bestIsFree = isFree;
	}
	return best;
}

void layersFindOrder(struct layers *self)
{
	bool *isDone = g_new0(bool, self->names->len + 1);

	for (size_t i = 0; i < self->names->len; i++) {
		size_t next = layerOrderChoose(self, isDone);

		isDone[next] = true;
		g_ptr_array_add(self->order, self->names->pdata[next]);
	}
	g_free(isDone);
}

/** The nearest of the layers at its node that one may lie below; or NULL. */
static const char *knownAbove(const struct layers *self,
			      const struct layer *layer)
{
	size_t number = knownNumber(layer->name);

	for (size_t i = 0; number < G_N_ELEMENTS(knownLayers) && i < 3; i++) {
		const char *above = knownLayers[number].above[i];

		if (above && layersFind(self, layer->node, above))
			return above;
	}
	return NULL;
}

/** Operations on the wire are requests at other nodes, but where a node has the
 *  requests itself. */
bool layersIsWire(const struct layers *self, const struct layer *layer)
{
	if (strcmp(layer->name, "BMI") != 0 ||
	    layersFind(self, layer->node, "REQ"))
		return false;
	return layersNameNumber(self, "REQ") != SIZE_MAX;
}

bool layersIsBelow(const struct layers *self, const struct layer *upper,
		   const struct layer *lower)
{
	size_t low, high;
	const char *above;

	if (upper->node != lower->node)
		return false;
	low = layersNameNumber(self, lower->name);
	high = layersNameNumber(self, upper->name);
	if (high == low)
		return false;
	/* Relations know, if they tell who is above the lower one here. */
	for (size_t i = 0; i < self->names->len; i++) {
		if (isAbove(self, i, low) &&
		    layersFind(self, lower->node, self->names->pdata[i]))
			return isAbove(self, high, low);
	}
	above = knownAbove(self, lower);
	return above && strcmp(above, upper->name) == 0;
}
