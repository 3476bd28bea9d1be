/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export: relations; see relations.h.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/export/relations.h"

int exportTemporary(struct export *export, int ret)
{
	if (ret >= 0)
		return 0;
	toolError(export->tool, "temporary file: %s", strerror(-ret));
	return -1;
}

struct forest *exportReadRelations(struct export *export)
{
	const hdIProject *project = export->project;
	struct forest *forest = forestNew(project);
	int ret;

	for (size_t i = 0; i < project->relationCount; i++) {
		const hdIRelationFile *file = project->relations[i];

		ret = forestRead(forest, file, NULL);
		/* What is damaged was said. */
		if (ret < 0 && ret != -EBADMSG)
			toolError(export->tool, "%s: %s", file->file,
				  strerror(-ret));
		toolProgressFile(export->tool, file->fileSize);
	}
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
