/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * From files to columns. Nothing here needs the interpreter, so other threads
 * of the program run meanwhile.
 */
#ifndef HD_PYTHON_READ_H
#define HD_PYTHON_READ_H

#include <hdReading.h>
#include "HDTraceTools/choice/selection.h"
#include "HDTraceTools/model/diagnostics.h"
#include "PythonModule/src/column.h"
#include "PythonModule/src/messages.h"

/** A file that is read. */
struct hdPyReading {
	const hdIProject *project;
	struct selection times; /**< Rows that are wanted, at least in part. */
	struct hdPyMessages messages;
	struct hdPyTable table;
	struct hdPyTable
		more; /**< Events of a trace; relations without states. */
};

/** Where diagnostics of the file go. */
static inline struct diagnosticSink hdPyReadingSink(struct hdPyReading *reading)
{
	return (struct diagnosticSink){ hdPyMessagesTake, &reading->messages };
}

/**
 * Read the entries of a group: start, end, and the values that are wanted. A
 * group whose header is damaged has no entries.
 *
 * @param columns Numbers of the values.
 *
 * @retval 0 Success; damages are in the messages.
 * @return A negative errno: -ENOMEM, or -EFBIG for 2 GiB of text in one column.
 */
int hdPyReadGroup(struct hdPyReading *reading, const hdIGroup *group,
		  const size_t *columns, size_t columnCount);

/** Read a trace: name, start, end, depth and attributes of its states, and
 * name, time, depth and attributes of its events. Returns the same. */
int hdPyReadTrace(struct hdPyReading *reading, const hdITraceFile *trace);

/** Read relations: token, name, start, end, depth and attributes of their
 * states, and token, start, end, parent and trace of all relations. Returns the
 * same. */
int hdPyReadRelations(struct hdPyReading *reading, const hdIRelationFile *file);

/** Free tables and messages. */
void hdPyReadingFree(struct hdPyReading *reading);

#endif
