/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file levels.c
 * Where in the topology hosts and ranks are.
 */
#include "config.h"

#include <glib.h>

#include "levels.h"

int levelsRank(const hdIProject *project)
{
	for (size_t i = 0; i < project->levelCount; i++) {
		if (g_ascii_strncasecmp(project->levels[i], "Rank", 4) == 0)
			return (int)i + 1;
	}
	return 0;
}

const hdINode *levelsAt(const hdINode *node, int level)
{
	while (node->level > level)
		node = node->parent;
	return node;
}
