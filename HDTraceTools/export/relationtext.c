/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export: relations; see relationtext.h.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/export/relationtext.h"

int exportTemporary(struct export *export, int ret)
{
	if (ret >= 0)
		return 0;
	toolErrorTemporary(export->tool, ret);
	return -1;
}

struct forest *exportReadRelations(struct export *export)
{
	const struct scan scan = { .tool = export->tool,
				   .project = export->project };
	struct forest *forest = forestNew(export->project);
	int ret;

	scanRelations(&scan, forest);
	ret = forestEnd(forest);
	if (exportTemporary(export, ret) == 0)
		return forest;
	forestFree(forest);
	return NULL;
}

bool exportHasRelation(const struct export *export, const struct forest *forest,
		       uint32_t number)
{
	return selectionHasTime(&export->selection, forestStart(forest, number),
				forestLasted(forest, number)) &&
	       selectionHasNode(&export->selection,
				forestFileOf(forest, number)->file->node);
}

int exportNextRelation(struct export *export, struct forest *forest,
		       uint32_t *number, struct forestRelation *relation)
{
	while (*number < forestCount(forest)) {
		uint32_t now = (*number)++;

		if (!exportHasRelation(export, forest, now))
			continue;
		if (exportTemporary(export, forestGet(forest, now, relation)) <
		    0)
			return -1;
		export->relations++;
		return 1;
	}
	return 0;
}
