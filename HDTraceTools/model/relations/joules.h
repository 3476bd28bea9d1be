/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What relations cost: the energy of nodes, divided among what was active.
 *
 * At each instant the power of a node is divided equally among the relations
 * that are in a state at or below it and the ranks that are active there (see
 * attribution.h). A relation is charged by the nearest node, from its own
 * upwards, that tells power. What ranks get together is a series again, the
 * rest of that of the node, which shares of attribution.h are taken of: so all
 * that divide energy divide it among the same activities.
 *
 * Energies are integers: those of relations, and the rest, add up to that of
 * the node exactly.
 *
 * Any thread may divide, one after the other; who uses the forest or other
 * functions meanwhile holds joulesLock().
 */
#ifndef HD_MODEL_RELATIONS_JOULES_H
#define HD_MODEL_RELATIONS_JOULES_H

#include "HDTraceTools/model/attribution.h"
#include "HDTraceTools/model/power/choice.h"
#include "HDTraceTools/model/relations/forest.h"

/** What a node drew. */
struct joulesNode {
	const hdIGroup *group; /**< That tells its power. */
	struct attributionAmount all;
	int64_t duration;       /**< From its first entry to its last, in ns. */
	powerPico relations;    /**< What all relations are charged with. */
	powerPico ranks;        /**< And all ranks, set by joulesRanks(). */
	powerPico unattributed; /**< The rest, likewise. */
};

struct joules;

/**
 * Start with none.
 *
 * @param forest All relations, which stay.
 * @param power Whose power is divided, which stays; NULL: nothing is charged.
 */
struct joules *joulesNew(struct forest *forest,
			 const struct powerChoice *power);
/** Free it; NULL does nothing. */
void joulesFree(struct joules *self);

/** Told that so many more relations were looked at. */
typedef void joulesProgress(void *data, int64_t relations);

/** Have that called while dividing, in the thread that does; before that. */
void joulesOnProgress(struct joules *self, joulesProgress *progress,
		      void *data);

/** How many relations are looked at to divide what a group tells. */
int64_t joulesWork(const struct joules *self, const hdIGroup *group);

/** Let no other thread divide for a while. */
void joulesLock(struct joules *self);
void joulesUnlock(struct joules *self);

/** The groups that relations are charged by, struct joulesNode; of the
 *  object. */
const GArray *joulesNodes(const struct joules *self);

static inline const struct joulesNode *joulesNodeAt(const struct joules *self,
						    guint number)
{
	return &g_array_index(joulesNodes(self), struct joulesNode, number);
}

/**
 * Divide a series of a group, all of whose entries were added.
 *
 * @param ranks The ranks of the project, by any rule.
 * @param isCharged Its relations are charged with it: at most once for a group.
 * @param[out] rest What ranks get together, to be freed with
 *             powerSeriesFree(); NULL: no relations are at or below the node,
 *             and the rest is all.
 *
 * @return 0, or the negative errno of a temporary file.
 */
int joulesDivide(struct joules *self, struct attribution *ranks,
		 const hdIGroup *group, const struct powerSeries *series,
		 bool isCharged, struct powerSeries **rest);

/** Find what of the rest of a group's power ranks are charged with, and what
 *  nobody is. As joulesDivide(). */
int joulesRanks(struct joules *self, struct attribution *ranks,
		const hdIGroup *group, const struct powerSeries *rest);

/** All were divided: find out what each relation cost. As joulesDivide(). */
int joulesEnd(struct joules *self);

/** What all relations are charged with by a group, after joulesDivide(). */
powerPico joulesOfGroup(const struct joules *self, const hdIGroup *group);

/** What a relation cost; all 0 if nothing is known. As joulesDivide(). */
int joulesGet(struct joules *self, uint32_t number,
	      struct attributionAmount *amount);

#endif
