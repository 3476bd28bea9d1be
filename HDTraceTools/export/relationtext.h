/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export: relations, for the formats that carry them.
 */
#ifndef HD_EXPORT_RELATIONTEXT_H
#define HD_EXPORT_RELATIONTEXT_H

#include "HDTraceTools/export/export.h"
#include "HDTraceTools/model/relations/forest.h"

/**
 * Read all relations of the project, chosen or not.
 *
 * @return Them, to be freed with forestFree().
 * @retval NULL Error; it was said.
 */
struct forest *exportReadRelations(struct export *export);

/** Whether a relation was asked for. */
bool exportHasRelation(const struct export *export, const struct forest *forest,
		       uint32_t number);

/**
 * Get the next relation that was asked for.
 *
 * @param[in,out] number Where to look from; then one more than that of the
 * relation. Begin with 0.
 *
 * @return 1, 0 at the end, -1 after an error, which was said.
 */
int exportNextRelation(struct export *export, struct forest *forest,
		       uint32_t *number, struct forestRelation *relation);

/** Say that a temporary file failed, if it did; 0 or -1. */
int exportTemporary(struct export *export, int ret);

#endif
