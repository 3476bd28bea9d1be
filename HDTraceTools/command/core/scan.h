/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Reading the files of a project that were asked for, one after the other: what
 * cannot be opened is said, and progress is shown.
 */
#ifndef HD_COMMAND_SCAN_H
#define HD_COMMAND_SCAN_H

#include <stdbool.h>
#include <inttypes.h>

#include "HDTraceTools/choice/selection.h"
#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/model/powerseries.h"
#include "HDTraceTools/model/relations/forest.h"

/** What is read, and for whom. */
struct scan {
	struct tool *tool;
	const hdIProject *project;
	const struct selection *selection; /**< NULL: all. */
	/** Where results go: without it nobody reads on; NULL: stdout. */
	FILE *output;
	/** Takes the diagnostics; NULL: the tool. */
	const struct diagnosticSink *sink;
};

/** Takes some entries; false: that is enough of this file. */
typedef bool scanBlock(const hdIBlock *block, void *data);
/** Takes a record; false: that is enough of this file. */
typedef bool scanRecord(const hdIRecord *record, void *data);
/** Takes an element of relations; likewise. */
typedef bool scanElement(const hdIRelationRecord *record, void *data);
/** Takes a group, or a trace, that is to be read. */
typedef void scanGroupTake(const hdIGroup *group, void *data);
typedef void scanTraceTake(const hdITraceFile *trace, void *data);

/** Whether a group can be read and was asked for. */
bool scanHasGroup(const struct scan *self, const hdIGroup *group);
/** Whether a trace was asked for. */
bool scanHasTrace(const struct scan *self, const hdITraceFile *trace);

/** Bytes of the groups, and of the traces, that scanGroups() and scanTraces()
 *  take. */
int64_t scanGroupsSize(const struct scan *self);
int64_t scanTracesSize(const struct scan *self);

/** Take all groups, or traces, that were asked for; what each has, is done
 *  afterwards. */
void scanGroups(const struct scan *self, scanGroupTake *take, void *data);
void scanTraces(const struct scan *self, scanTraceTake *take, void *data);

/** Bytes of all files of relations, and read them all: the forest is to be
 *  ended. What is damaged, or cannot be opened, is said. */
int64_t scanRelationsSize(const struct scan *self);
void scanRelations(const struct scan *self, struct forest *forest);

/** Open a file; NULL: why not was said. */
hdIStatReader *scanOpenStat(const struct scan *self, const hdIGroup *group);
/** The same; entries before the selected time are skipped where that takes no
 *  time (hdI_skipStat). */
hdIStatReader *scanOpenStatFrom(const struct scan *self, const hdIGroup *group);
hdITraceReader *scanOpenTrace(const struct scan *self,
			      const hdITraceFile *trace);
hdIRelationReader *scanOpenRelations(const struct scan *self,
				     const hdIRelationFile *file);

/** Read what is open, to its end or as long as stdout takes something; what
 *  the reader returned last. NULL has nothing. */
int scanBlocks(const struct scan *self, hdIStatReader *reader, scanBlock *take,
	       void *data);
int scanRecords(const struct scan *self, hdITraceReader *reader,
		scanRecord *take, void *data);

int scanElements(const struct scan *self, hdIRelationReader *reader,
		 scanElement *take, void *data);

/** Open, read, and close a file. */
void scanGroup(const struct scan *self, const hdIGroup *group, scanBlock *take,
	       void *data);
/** The same from the selected time on, as scanOpenStatFrom(). */
void scanGroupFrom(const struct scan *self, const hdIGroup *group,
		   scanBlock *take, void *data);
void scanTrace(const struct scan *self, const hdITraceFile *trace,
	       scanRecord *take, void *data);

/** Likewise, and fill a series with the group to its end; 0, or the negative
 *  errno of its temporary file. */
int scanSeries(const struct scan *self, const hdIGroup *group,
	       struct powerSeries *series);

#endif
