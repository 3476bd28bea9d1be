/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * When a project starts.
 */
#ifndef HD_MODEL_PROJECTSTART_H
#define HD_MODEL_PROJECTSTART_H

#include <inttypes.h>

#include <hdReading.h>
#include "HDTraceTools/model/diagnostics.h"

/**
 * Find the start of a project: the earliest initial time stamp of a group or
 * start of a top-level state or event, or time of a relation.
 *
 * @param sink Takes the diagnostics; NULL: the project's handler.
 *
 * @retval 1 @p start is set.
 * @retval 0 Nothing in the project has a time.
 */
int projectStartFind(const hdIProject *project,
		     const struct diagnosticSink *sink, int64_t *start);

/**
 * Find the first state or event with a name, of all traces: a mark that
 * projects are aligned at.
 *
 * @param sink Takes the diagnostics; NULL: the project's handler.
 * @param[out] time When it starts.
 *
 * @retval 1 @p time is set.
 * @retval 0 There is none.
 */
int projectMarkFind(const hdIProject *project,
		    const struct diagnosticSink *sink, const char *name,
		    int64_t *time);

#endif
