/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * By how much the clocks of hosts differ, as far as relations tell.
 *
 * Nothing begins before its cause, and where all that was caused at a host ends
 * before its cause does, or could if the clock of that host was another one,
 * nothing ends after it. A clock is corrected by as little as that takes.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/model/layers/layers.h"

/** What a host caused at another one. */
struct pair {
	size_t from;
	size_t to;
	int64_t least; /**< To be added to the clock of the latter, ... */
	int64_t most;  /**< ... and no more, if that is possible. */
};

static const hdINode *layerClocksHostOf(const hdINode *node)
{
	while (node->parent && node->parent->parent)
		node = node->parent;
	return node;
}

static size_t layerClocksNumberOf(struct layers *self, const hdINode *node)
{
	struct layersHost host = { .node = layerClocksHostOf(node) };

	for (guint i = 0; i < self->hosts->len; i++) {
		if (g_array_index(self->hosts, struct layersHost, i).node ==
		    host.node)
			return i;
	}
	g_array_append_val(self->hosts, host);
	return self->hosts->len - 1;
}

int64_t layersShift(const struct layers *self, const hdINode *node)
{
	const hdINode *host = layerClocksHostOf(node);

	for (guint i = 0; i < self->hosts->len; i++) {
		const struct layersHost *known =
			&g_array_index(self->hosts, struct layersHost, i);

		if (known->node == host)
			return known->shift;
	}
	return 0;
}

static void addToPair(GArray *pairs, struct pair pair)
{
	for (guint i = 0; i < pairs->len; i++) {
		struct pair *known = &g_array_index(pairs, struct pair, i);

		if (known->from != pair.from || known->to != pair.to)
			continue;
		known->least = MAX(known->least, pair.least);
		known->most = MIN(known->most, pair.most);
		return;
	}
	g_array_append_val(pairs, pair);
}

static void readPairs(struct layers *self, const struct forest *forest,
		      GArray *pairs, uint64_t *roots)
{
	const struct forestFile *last = NULL;
	size_t host = 0;

	for (uint32_t i = 0; i < forestCount(forest); i++) {
		const struct forestFile *file = forestFileOf(forest, i), *cause;
		uint32_t parent = forestParent(forest, i);
		struct pair pair;

		if (file != last)
			host = layerClocksNumberOf(self, file->file->node);
		last = file;
		if (parent == FOREST_NONE) {
			roots[host]++;
			continue;
		}
		cause = forestFileOf(forest, parent);
		if (cause == file || strcmp(cause->host, file->host) == 0)
			continue;
		pair.from = layerClocksNumberOf(self, cause->file->node);
		pair.to = host;
		pair.least =
			forestStart(forest, parent) - forestStart(forest, i);
		pair.most =
			forestEnded(forest, parent) && forestEnded(forest, i)
				? forestLasted(forest, parent) -
					  forestLasted(forest, i)
				: INT64_MAX;
		if (pair.from != pair.to)
			addToPair(pairs, pair);
	}
}

static int64_t correction(const struct pair *pair)
{
	if (pair->least > 0)
		return pair->least;
	return pair->most < 0 && pair->most >= pair->least ? pair->most : 0;
}

/** Whether a clock is known now that was not. */
static bool goOn(GArray *hosts, const struct pair *pair)
{
	struct layersHost *from =
		&g_array_index(hosts, struct layersHost, pair->from);
	struct layersHost *to =
		&g_array_index(hosts, struct layersHost, pair->to);

	if (from->isKnown == to->isKnown)
		return false;
	if (from->isKnown)
		to->shift = from->shift + correction(pair);
	else
		from->shift = to->shift - correction(pair);
	from->isKnown = to->isKnown = true;
	return true;
}

void layersFindClocks(struct layers *self, const struct forest *forest)
{
	GArray *pairs = g_array_new(FALSE, FALSE, sizeof(struct pair));
	uint64_t *roots;
	size_t first = 0;
	bool isNew = true;

	for (size_t i = 0; i < forestFileCount(forest); i++)
		layerClocksNumberOf(self, forestFileAt(forest, i)->file->node);
	roots = g_new0(uint64_t, self->hosts->len + 1);
	readPairs(self, forest, pairs, roots);
	for (guint i = 0; i < self->hosts->len; i++) {
		if (roots[i] > roots[first])
			first = i;
	}
	/* The clock of whoever asks is right. */
	if (self->hosts->len > 0)
		g_array_index(self->hosts, struct layersHost, first).isKnown =
			true;
	while (isNew) {
		isNew = false;
		for (guint i = 0; i < pairs->len; i++)
			isNew |= goOn(self->hosts,
				      &g_array_index(pairs, struct pair, i));
	}
	g_free(roots);
	g_array_unref(pairs);
}
