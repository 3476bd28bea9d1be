/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Where in the topology hosts and ranks are.
 */
#include "config.h"

#include "HDTraceTools/model/mpi/roles.h"
#include "common/format/level.h"

int rolesLevel(const hdIProject *project, const char *type)
{
	return (int)hdLevelFind((char *const *)project->levels,
				project->levelCount, type);
}

int rolesRankLevel(const hdIProject *project)
{
	int level = rolesLevel(project, HD_LEVEL_RANK);

	return level ? level : rolesLevel(project, HD_LEVEL_PROCESS);
}

int rolesThreadLevel(const hdIProject *project)
{
	int level = rolesLevel(project, HD_LEVEL_THREAD);

	return level ? level : rolesLevel(project, HD_LEVEL_PART);
}

const hdINode *rolesAt(const hdINode *node, int level)
{
	while (node->level > level)
		node = node->parent;
	return node;
}

bool rolesIsBelow(const hdINode *node, const hdINode *above)
{
	while (node && node != above)
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
