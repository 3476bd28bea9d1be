/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace check: what its parts have in common.
 */
#ifndef HD_CHECK_H
#define HD_CHECK_H

#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/command/core/tool.h"
#include "cli/output.h"
#include "cli/rows.h"

/** The times of a file. */
struct checkSpan {
	const char *file;
	bool hasTime;
	int64_t start;
	int64_t end;
};

/** How the times of a group go on; oldsteps.c. */
struct checkPace {
	const hdINode *node;
	const char *file;
	int64_t start, end, longest;
	size_t count, still; /**< Entries, and those without a length. */
	size_t longestAt;    /**< Number of the longest entry. */
	bool isBroken;       /**< It was stopped in between. */
};

/** State of a check. */
struct check {
	struct tool *tool;
	const hdIProject *project;
	struct scan scan;
	unsigned int hostLevel;   /**< Level with the type Host, or 1. */
	unsigned int rankLevel;   /**< Level with the type Rank, or 0. */
	unsigned int threadLevel; /**< Level with the type Thread, or 0. */
	/** Ids, as strings: "RANK CID", "RANK" with any, ... */
	GHashTable *comms;
	GHashTable *datatypes;
	GArray *spans; /**< struct checkSpan. */
	GArray *paces; /**< struct checkPace. */
	GArray *steps; /**< struct clockSteps; while .info files are read. */
	struct checkMessages *messages;
	bool lostOwner; /**< A Nested block had no owner just now. */
	struct rows *rows;
	struct outJson json;
};

/** Note that a file has something at a time. */
void checkCover(struct checkSpan *span, int64_t start, int64_t end);

/** Take a block of a group. */
void checkPaceAdd(struct checkPace *pace, const hdIBlock *block);

/** Whether a group that was read is of use for checkPaces(). */
bool checkPaceIsUsed(const struct checkPace *pace, const hdIGroup *group);

/** Find groups of earlier versions whose clock was set. */
void checkPaces(struct check *check);

/** Check what the .proj says, and collect the ids in it. */
void checkProject(struct check *check);

/** Check that no files are missing. */
void checkMissing(struct check *check);

/** Check the .info files. */
void checkInfos(struct check *check);

/** Read a trace to its end and check it. */
void checkTrace(struct check *check, const hdITraceFile *trace);

/** Read all relations and check how they fit together. */
void checkRelations(struct check *check);

/* ---- Messages between ranks; messageclocks.c ---- */

/** Get ready for the messages of a project. */
struct checkMessages *checkMessagesNew(const hdIProject *project);

/** Get ready for those of one trace, in any thread; what it came from stays. */
struct checkMessages *checkMessagesPart(const struct checkMessages *self);

/** Add what was noted of a trace; in the order of the traces. */
void checkMessagesAdd(struct checkMessages *self,
		      const struct checkMessages *part);

void checkMessagesFree(struct checkMessages *self);

/** The records that follow are those of another trace. */
void checkMessagesEnter(struct checkMessages *self, const hdITraceFile *trace);

/** Note the messages that a record sends or receives. */
void checkMessage(struct checkMessages *self, const hdIRecord *record);

/** All traces were added: report messages that arrive too early. */
void checkMessagesEnd(struct check *check);

/** The label of a node at a level, or NULL. */
const char *checkLabelAt(const hdINode *node, unsigned int level);

/** Whether a rank has some communicator, or that with an id if not NULL. */
bool checkHasComm(const struct check *check, const char *rank, const char *id);

/** Whether a thread has some datatype, or that with an id if not NULL. */
bool checkHasDatatype(const struct check *check, const char *rank,
		      const char *thread, const char *id);

#endif
