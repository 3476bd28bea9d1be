/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Where in the topology hosts and ranks are.
 */
#ifndef HD_MODEL_ROLES_H
#define HD_MODEL_ROLES_H

#include <stdbool.h>

#include <hdReading.h>

/** The level that has a type (HD_LEVEL_HOST, ...), from 1, or 0: see
 *  hdLevelFind(). */
int rolesLevel(const hdIProject *project, const char *type);

/** Level of the ranks, from 1: that whose type begins with Rank, since "Rank1"
 *  occurs, too; else that of processes, of which those whose label is a number
 *  are ranks; 0 if there is none. */
int rolesRankLevel(const hdIProject *project);

/** Level of the threads, likewise: that of threads, else of parts; or 0. */
int rolesThreadLevel(const hdIProject *project);

/** The node at a level on the way to a node; the node itself if it is not that
 *  deep. */
const hdINode *rolesAt(const hdINode *node, int level);

/** Whether a node is the other one, or below it. */
bool rolesIsBelow(const hdINode *node, const hdINode *above);

/** Path of a node, "" for the root and for NULL. */
const char *rolesPath(const hdINode *node);

/** Type of a node's level, or "". */
const char *rolesLevelType(const hdIProject *project, const hdINode *node);

#endif
