/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What relations cost: the energy of nodes, divided among what was active.
 *
 * At each instant the power of a node is divided equally among the relations
 * that are in a state there and the ranks that are active (see attribution.h).
 * A node is the nearest one at or above that of the relation whose power is
 * known. Energies are integers, so that those of relations and ranks, and what
 * nobody is charged with, add up to that of the node exactly.
 */
#ifndef HD_MODEL_RELATIONS_JOULES_H
#define HD_MODEL_RELATIONS_JOULES_H

#include "HDTraceTools/model/attribution.h"
#include "HDTraceTools/model/relations/forest.h"

/** What a node drew. */
struct joulesNode {
	const hdINode *node;
	struct attributionAmount all;
	int64_t duration;       /**< From its first entry to its last, in ns. */
	powerPico relations;    /**< What all relations are charged with. */
	powerPico ranks;        /**< And all ranks. */
	powerPico unattributed; /**< The rest. */
};

struct joules;

/** Start with none. */
struct joules *joulesNew(struct forest *forest);
/** Free it; NULL does nothing. */
void joulesFree(struct joules *self);

/** The groups whose power is needed: const hdIGroup *; of the object. */
const GPtrArray *joulesGroups(const struct joules *self);
/** Give the next entries of a group, by its number there. 0, or the negative
 *  errno of a temporary file. */
int joulesAdd(struct joules *self, size_t group, const hdIBlock *block);
/** All were given: find out what all cost. As joulesAdd(). */
int joulesEnd(struct joules *self);

/** What each node drew: struct joulesNode, as the groups are. */
const GArray *joulesNodes(const struct joules *self);
/** What a relation cost; all 0 if nothing is known. As joulesAdd(). */
int joulesGet(struct joules *self, uint32_t number,
	      struct attributionAmount *amount);

#endif
