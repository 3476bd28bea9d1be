/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace dump --where: whether a query matches what is read.
 */
#ifndef HD_DUMP_WHERE_H
#define HD_DUMP_WHERE_H

#include "HDTraceTools/choice/query.h"
#include "HDTraceTools/command/core/scan.h"

/** A query, and the waits of the project if it asks for them. */
struct where;

/** A file of the project that is asked about. */
struct whereFile;

/**
 * Prepare a query for a project.
 *
 * @param query Stays the caller's.
 * @param scan What is read; errors are printed by its tool.
 */
struct where *whereNew(struct query *query, const struct scan *scan);

/** Free it; NULL does nothing. */
void whereFree(struct where *self);

/** Whether anything at a node, and of a group or NULL, can match. */
bool whereHasPlace(const struct where *self, const hdINode *node,
		   const char *group);

/** Begin a file: a trace, a group of statistics, or relations. */
struct whereFile *whereOpenTrace(const struct where *self,
				 const hdITraceFile *trace);
struct whereFile *whereOpenGroup(const struct where *self,
				 const hdIGroup *group);
struct whereFile *whereOpenRelations(const struct where *self,
				     const hdIRelationFile *file);

/** End a file; NULL does nothing. */
void whereCloseFile(struct whereFile *file);

/** Whether the next record of the trace matches; all are to be asked about. */
bool whereHasRecord(struct whereFile *file, const hdIRecord *record);

/** Whether an entry matches, whose values are its attributes. */
bool whereHasEntry(struct whereFile *file, const hdIBlock *block, size_t entry);

/** Whether an element of relations matches: a moment with a name. */
bool whereHasElement(struct whereFile *file, const hdIRelationRecord *record);

#endif
