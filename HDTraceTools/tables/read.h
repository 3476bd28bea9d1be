/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * From files to columns.
 */
#ifndef HD_TABLES_READ_H
#define HD_TABLES_READ_H

#include <hdReading.h>
#include "HDTraceTools/choice/selection.h"
#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/tables/column.h"

/** A file that is read. */
struct tableReading {
	const hdIProject *project;
	struct selection times; /**< Rows that are wanted, at least in part. */
	struct diagnosticSink sink; /**< Takes the diagnostics of the file. */
	struct table table;
	struct table more; /**< Events of a trace; relations without states. */
	/** Why the file could not be opened, as an errno; 0: it was. */
	int openError;
};

/**
 * The name of the column of a value. Names are unique in a table: if an earlier
 * column has the name of the value, its column is "NAME[2]", and so on.
 *
 * @return To be freed; NULL without memory.
 */
char *tableNameOfValue(const hdIGroup *group, size_t number);

/** Add the columns of a group to an empty table: start, end, and the values
 *  that are wanted; @p columns are their numbers. Errors are kept. */
void tableAddGroup(struct table *table, const hdIGroup *group,
		   const size_t *columns, size_t columnCount);

/** Append some entries of a block to the table of a group. */
void tableAddEntries(struct table *table, const hdIGroup *group,
		     const size_t *columns, const hdIBlock *block, size_t first,
		     size_t count);

/**
 * Read the entries of a group: start, end, and the values that are wanted. A
 * group whose header is damaged has no entries.
 *
 * @param columns Numbers of the values.
 *
 * @retval 0 Success; damages were reported.
 * @return A negative errno: -ENOMEM, or -EFBIG for 2 GiB of text in one column.
 */
int tableReadGroup(struct tableReading *reading, const hdIGroup *group,
		   const size_t *columns, size_t columnCount);

/** Read a trace: name, start, end, depth and attributes of its states, and
 * name, time, depth and attributes of its events. Returns the same. */
int tableReadTrace(struct tableReading *reading, const hdITraceFile *trace);

/** Read relations: token, name, start, end, depth and attributes of their
 * states, and token, start, end, parent and trace of all relations. Returns the
 * same. */
int tableReadRelations(struct tableReading *reading,
		       const hdIRelationFile *file);

/** Note why a file could not be opened, which errno says: 0, or -ENOMEM. */
int tableNoteOpenError(struct tableReading *reading);

/** Free the tables. */
void tableReadingFree(struct tableReading *reading);

#endif
