/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Where in the topology hosts and ranks are.
 */
#include "config.h"

#include <glib.h>

#include "HDTraceTools/model/roles.h"

int rolesRankLevel(const hdIProject *project)
{
	for (size_t i = 0; i < project->levelCount; i++) {
		if (g_ascii_strncasecmp(project->levels[i], "Rank", 4) == 0)
			return (int)i + 1;
	}
	return 0;
}

const hdINode *rolesAt(const hdINode *node, int level)
{
	while (node->level > level)
		node = node->parent;
	return node;
}

const char *rolesPath(const hdINode *node)
{
	return node ? node->path : "";
}

const char *rolesLevelType(const hdIProject *project, const hdINode *node)
{
	if (node->level < 1 || (size_t)node->level > project->levelCount)
		return "";
	return project->levels[node->level - 1];
}
