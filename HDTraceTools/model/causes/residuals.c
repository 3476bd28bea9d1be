/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How far the clocks of traces can be apart, as their project states it.
 */
#include "config.h"

#include <string.h>
#include <glib.h>

#include "HDTraceTools/model/causes/residuals.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "common/format/level.h"

struct residuals {
	int hostLevel;
	GHashTable *errors; /**< Nodes of hosts to int64_t. */
};

struct residuals *residualsNew(const hdIProject *project)
{
	struct residuals *self = g_new0(struct residuals, 1);

	/* Without hosts, what is at the top. */
	self->hostLevel = MAX(rolesLevel(project, HD_LEVEL_HOST), 1);
	self->errors = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	for (size_t i = 0; i < project->clockCount; i++) {
		const hdIClock *clock = &project->clocks[i];

		for (size_t k = 0; k < project->nodeCount; k++) {
			const hdINode *node = project->nodes[k];

			if (strcmp(node->path, clock->node) == 0)
				g_hash_table_insert(
					self->errors, (void *)node,
					g_memdup2(&clock->error,
						  sizeof(clock->error)));
		}
	}
	return self;
}

void residualsFree(struct residuals *self)
{
	if (!self)
		return;
	g_hash_table_destroy(self->errors);
	g_free(self);
}

bool residualsGet(const struct residuals *self, const hdINode *a,
		  const hdINode *b, int64_t *residual)
{
	const hdINode *x = rolesAt(a, self->hostLevel);
	const hdINode *y = rolesAt(b, self->hostLevel);
	const int64_t *first;
	const int64_t *second;

	*residual = 0;
	if (x == y)
		return true;
	first = g_hash_table_lookup(self->errors, x);
	second = g_hash_table_lookup(self->errors, y);
	if (!first || !second)
		return false;
	*residual = *first + *second;
	return true;
}
