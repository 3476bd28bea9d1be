/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Aggregates the entries of a group, in each phase.
 *
 * One pass through the file. Entries and phases are both ordered by time and
 * phases do not overlap, so at any moment one phase is open; its results are
 * handed on when the entries have passed it.
 */
#ifndef HD_SUMMARY_H
#define HD_SUMMARY_H

#include "HDTraceTools/choice/selection.h"
#include "HDTraceTools/model/amounts.h"
#include "HDTraceTools/model/extent.h"
#include "HDTraceTools/model/phases.h"

/** A phase of a group while entries are added to it. */
struct summarySlot {
	struct moments *moments; /**< One for each chosen value. */
	uint64_t occurrences;    /**< Phases that were added up here. */
	int64_t start;           /**< Of the phase, or of what is covered. */
	int64_t end;
	int64_t length;     /**< Of all phases, as far as the run lasted. */
	int64_t coverStart; /**< Of the entries that were added. */
	int64_t coverEnd;
};

/** A group while it is read. Zero-initialise, and set the first members. */
struct summary {
	const hdIGroup *group;
	const struct phases *phases;
	bool isByName; /**< Add up phases of the same name. */
	/** Takes the results of a phase; slots are used again afterwards. */
	void (*take)(struct summary *summary, const struct summarySlot *slot,
		     size_t name);
	void *data; /**< For take(). */
	/** Of the run, for the length of phases; zero if nobody asks for it. */
	struct extent run;
	bool skipsEmpty; /**< Nobody asks for windows without entries. */

	/** Set by summaryStart(): the values that were asked for. */
	size_t *columns;
	size_t columnCount;
	struct amounts *amounts; /**< Of the block that was added last. */
	uint64_t entries;        /**< In any phase, and the time they cover. */
	int64_t start;
	int64_t end;

	struct summarySlot *slots; /**< One, or one for each name. */
	size_t slotCount;
	size_t phase; /**< The first phase that is not over. */
	struct phase current;
	uint64_t counted; /**< Number behind the entry counted last. */
	const hdIBlock *block;
	size_t entry;  /**< The first of the block that is not over. */
	bool isPaused; /**< take() sets it: no more for now. */
};

/** Choose the values; selection may be NULL for all. */
void summaryStart(struct summary *self, const struct selection *selection);

/** Add the entries of a block, unless take() pauses. */
void summaryAddBlock(struct summary *self, const hdIBlock *block);

/** Go on with that block after a pause. */
void summaryGoOn(struct summary *self);

/** All entries were added: hand on what is left, unless take() pauses, and
 *  free. */
void summaryFinish(struct summary *self);

#endif
