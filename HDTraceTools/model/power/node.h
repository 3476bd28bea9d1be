/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The power of a node over time: the sum of all groups that tell it.
 */
#ifndef HD_MODEL_POWER_NODE_H
#define HD_MODEL_POWER_NODE_H

#include "HDTraceTools/model/power/choice.h"
#include "HDTraceTools/model/powerseries.h"

/** Create the empty series of the values of a group that count. */
struct powerSeries *nodePowerNew(const struct powerGroup *group);

/** Read an empty series of a group; one that cannot be read leaves it empty. 0,
 *  or the negative errno of a temporary file. */
int nodePowerReadGroup(const hdIProject *project, const hdIGroup *group,
		       struct powerSeries *series);

/**
 * Add all other groups of the node to the series of the group that stands for
 * it, once that was read to its end. Another series may take its place.
 *
 * @return 0, or the negative errno of a temporary file; the series stays.
 */
int nodePowerComplete(const hdIProject *project,
		      const struct powerChoice *choice, const hdIGroup *group,
		      struct powerSeries **series);

#endif
