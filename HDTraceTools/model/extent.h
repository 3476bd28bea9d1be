/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * From when to when a run lasted: the time of all its files.
 *
 * What is known of a run is told beside that time (cli/known.h), whatever part
 * of the run somebody asked for. Statistics and relations are read for it; of
 * large traces the beginning and the end are.
 */
#ifndef HD_MODEL_EXTENT_H
#define HD_MODEL_EXTENT_H

#include <inttypes.h>

#include <hdReading.h>

/** A time; start is behind end if it is empty. */
struct extent {
	int64_t start;
	int64_t end;
};

/** No time at all. */
#define EXTENT_NONE ((struct extent){ INT64_MAX, INT64_MIN })

/** Widen to a time that holds another one. */
void extentAdd(struct extent *extent, int64_t start, int64_t end);

/** Widen to the time of a group, of a trace, or of relations; messages come
 *  when it is read. */
void extentAddGroup(struct extent *extent, const hdIProject *project,
		    const hdIGroup *group);
void extentAddTrace(struct extent *extent, const hdIProject *project,
		    const hdITraceFile *trace);

void extentAddRelations(struct extent *extent, const hdIProject *project,
			const hdIRelationFile *file);

/** Find the time of all files. */
struct extent extentOfProject(const hdIProject *project);

/**
 * Leave out the records of a trace outside of an interval; see hdI_skipTrace().
 * If nothing is left out, the index is not compared with all records, as
 * hdtrace check does it: this would take a twentieth of the time of dump.
 */
void extentSkipTrace(hdITraceReader *reader, int64_t start, int64_t end);

/** Length of the part of ]start, end] that lies in the time. */
int64_t extentLength(const struct extent *extent, int64_t start, int64_t end);

#endif
