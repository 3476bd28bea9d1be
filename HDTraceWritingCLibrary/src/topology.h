/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What traces and groups need of a topology node.
 */
#ifndef HD_SRC_TOPOLOGY_H
#define HD_SRC_TOPOLOGY_H

#include <hdTopology.h>

struct _hdTopology {
	char *project; /**< With HDTRACE_PREFIX in front. */
	char *levels;  /**< Level types from level 1 down, a blank between. */
	int nlevels;
};

struct _hdTopoNode {
	char *project;
	char *levels;
	char *path;    /**< Labels joined with '_'. */
	char **labels; /**< From level 1 down. */
	int length;
};

/**
 * Make the path of a file that belongs to a node.
 *
 * @param node Node.
 * @param level Level on its path, from 0.
 * @param group Name of the group, or NULL.
 * @param suffix E.g. ".trc".
 *
 * @return The path, to be freed, or NULL if there is no memory.
 */
char *hdTopoNodeFile(const hdTopoNode *node, int level, const char *group,
		     const char *suffix);

#endif
