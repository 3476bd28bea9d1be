/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A statistics group of a node, from columns: what all that records has in
 * common above hdStats.h.
 *
 * Used by one thread at a time. Functions that return -1 leave a value of
 * hdError.h, or of errno.h, in errno; hdRecordReason() (reason.h) has words for
 * both.
 */
#ifndef HD_RECORD_H
#define HD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hdStats.h>
#include "recording/cell.h"
#include "common/kind.h"
#include "recording/reason.h"

/** A column: what is recorded of it, and what it says of itself. */
struct hdRecordColumn {
	const char *name;
	hdStatsValueType type; /**< FLOAT, DOUBLE or INT64. */
	const char *unit;      /**< Or NULL. */
	const char *grouping;  /**< Or NULL. */
	/** Attributes source and resolution, or NULL. */
	const char *source;
	const char *resolution;
	/** Attributes role, part_of and hardware of what measures power, or
	 * NULL.
	 */
	const char *role;
	const char *partOf;
	const char *hardware;
	bool isSimulated;   /**< Attribute simulated. */
	enum hdKind kind;   /**< Attribute kind ... */
	bool leavesKindOut; /**< ... unless there is no room for it. */
};

/** A group that is being recorded. */
struct hdRecord {
	hdStatsGroup *group; /**< For attributes of its own, until committed. */
	hdStatsValueType *types;
	size_t count;
	unsigned char *entry;
	size_t length; /**< Of an entry without its time. */
	bool isEnabled;
	bool hasGap;
	int64_t untilNs; /**< Up to here it is written, or since then enabled.
			  */
	int64_t sleptNs; /**< For how long the machine had slept by then. */
	/* The last entry, as readers see it: it begins where the one before has
	 * ended, unless something was missing. */
	int64_t beginNs;
	int64_t lastNs;
};

/**
 * Create the group.
 *
 * @param record All zero; hdRecordClose() is to be called in any case.
 */
int hdRecordOpen(struct hdRecord *record, hdTopoNode *node, int level,
		 const char *name);

/** Say that integers may be HD_CELL_MISSING (cell.h); before any column. */
int hdRecordCanMiss(struct hdRecord *record);

/** Add a column. */
int hdRecordAddColumn(struct hdRecord *record,
		      const struct hdRecordColumn *column);

/**
 * Say whose clock the times are of, where it is not that of the node's host:
 * the attribute clockNode (doc/format/format.md).
 *
 * @param labels Of the node, down to the host.
 * @param depth How many labels are above the host's.
 * @param host This host.
 */
int hdRecordAddClock(struct hdRecord *record, char *const *labels, size_t depth,
		     const char *host);

/** Begin the file: no columns can be added any more. */
int hdRecordCommit(struct hdRecord *record);

/** Begin an interval at a time. */
void hdRecordEnable(struct hdRecord *record, int64_t ns);

/** End the interval. */
void hdRecordDisable(struct hdRecord *record);

/** Something is missing before what is added next. */
void hdRecordGap(struct hdRecord *record);

/** Write an entry that ends at a time: a cell for each column. */
int hdRecordWrite(struct hdRecord *record, const union hdCell *cells,
		  int64_t endNs);

/**
 * Write an entry, after the beginning of an interval where none is open or
 * where something is missing before it.
 *
 * @param isLost Whether something is missing.
 */
int hdRecordAdd(struct hdRecord *record, const union hdCell *cells,
		int64_t beginNs, int64_t endNs, bool isLost);

/**
 * Close the file and free what the record has.
 *
 * @retval -1 Something could not be written.
 */
int hdRecordClose(struct hdRecord *record);

/** Whether the writing library has said it by itself, with the file's name. */
bool hdRecordIsSaid(int error);

#endif
