/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file levels.h
 * Where in the topology hosts and ranks are.
 */
#ifndef HD_LEVELS_H
#define HD_LEVELS_H

#include "hdReading.h"

/** Level of the ranks, from 1: that whose type begins with Rank, since "Rank1"
 *  occurs, too; 0 if there is none. */
int levelsRank(const hdIProject *project);

/** The node at a level on the way to a node; the node itself if it is not that
 *  deep. */
const hdINode *levelsAt(const hdINode *node, int level);

#endif
