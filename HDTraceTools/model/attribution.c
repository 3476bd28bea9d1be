/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How the power of a node is divided among traces.
 */
#include "config.h"

#include "HDTraceTools/model/profile.h"
#include "HDTraceTools/model/roles.h"

struct profileShares {
	int rankLevel;
	GHashTable *tracesBelow; /**< Nodes to numbers. */
	GHashTable *ranksBelow;
};

/** The node of the rank that a trace belongs to; else its own. */
static const hdINode *rankOf(const struct profileShares *self,
			     const hdITraceFile *trace)
{
	return self->rankLevel ? rolesAt(trace->node, self->rankLevel)
			       : trace->node;
}

static size_t countAt(GHashTable *counts, const hdINode *node)
{
	return GPOINTER_TO_SIZE(g_hash_table_lookup(counts, node));
}

/** Count something at a node and at all above it. */
static void countUp(GHashTable *counts, const hdINode *node)
{
	for (; node; node = node->parent)
		g_hash_table_insert(
			counts, (void *)node,
			GSIZE_TO_POINTER(countAt(counts, node) + 1));
}

struct profileShares *profileSharesNew(const hdIProject *project)
{
	struct profileShares *self = g_new0(struct profileShares, 1);
	GHashTable *seen = g_hash_table_new(NULL, NULL);

	self->rankLevel = rolesRankLevel(project);
	self->tracesBelow = g_hash_table_new(NULL, NULL);
	self->ranksBelow = g_hash_table_new(NULL, NULL);
	for (size_t i = 0; i < project->traceCount; i++) {
		const hdINode *rank = rankOf(self, project->traces[i]);

		countUp(self->tracesBelow, project->traces[i]->node);
		if (g_hash_table_add(seen, (void *)rank))
			countUp(self->ranksBelow, rank);
	}
	g_hash_table_destroy(seen);
	return self;
}

void profileSharesFree(struct profileShares *self)
{
	if (!self)
		return;
	g_hash_table_destroy(self->tracesBelow);
	g_hash_table_destroy(self->ranksBelow);
	g_free(self);
}

double profileShare(const struct profileShares *self, const hdINode *node,
		    const hdITraceFile *trace)
{
	size_t ranks = MAX(countAt(self->ranksBelow, node), 1);
	size_t traces = MIN(countAt(self->tracesBelow, rankOf(self, trace)),
			    countAt(self->tracesBelow, node));

	return 1.0 / (double)ranks / (double)traces;
}
