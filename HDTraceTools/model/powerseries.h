/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Power over time, whose integral over any interval is known.
 *
 * What was added up until the end of each entry is kept, in memory while it is
 * little and in a temporary file when it is much; so the energy of an interval
 * is a difference of two sums.
 *
 * Values or energies that are not finite, and the time in which a group was
 * stopped, count neither as energy nor as time that was measured. Of several
 * parts the time was measured in which all were; what some of them have beside
 * that counts as energy, which is the least then.
 *
 * What states cost needs no other order: a state's energy is a difference of
 * two sums over the power until then, and its own is that without what ended
 * in it (profile.c). hdtrace report and stat --regions both use this.
 */
#ifndef HD_POWERSERIES_H
#define HD_POWERSERIES_H

#include <stdbool.h>
#include <stddef.h>

#include <hdReading.h>

#include "HDTraceTools/base/spool.h"

/** An integral. */
struct powerAmount {
	double energy;    /**< In the unit of the values times s. */
	int64_t measured; /**< Time for which all parts have a value, in ns. */
};

/** An energy as an integer: trillionths of that unit (of J: pJ). It can be
 * added, and divided, without any rounding; 1 GW for 40 years has room. */
typedef __int128 powerPico;

/** A value that is part of the power; several are added. */
struct powerPart {
	size_t column; /**< Which value of the group. */
	double scale;  /**< To multiply it with. */
	bool isEnergy; /**< It is a delta, or a counter, of energy. */
};

struct powerSeries;
struct powerCursor;

/** An energy as an integer, never NaN; 2^100 at the most. */
powerPico powerPicoOf(double energy);

/** Create an empty series; the parts are copied. */
struct powerSeries *powerSeriesNew(const hdIGroup *group,
				   const struct powerPart *parts, size_t count);

/** Create one of the values of a group that tell power; see
 *  power/choice.h. */
struct powerSeries *powerSeriesOfNode(const hdIGroup *group,
				      const bool *isPower);

/** Free a series; NULL does nothing. */
void powerSeriesFree(struct powerSeries *self);

/** Add the next entries; 0, or the negative errno of the temporary file. */
int powerSeriesAdd(struct powerSeries *self, const hdIBlock *block);

/** All entries were added; as powerSeriesAdd(). Then any thread may read. */
int powerSeriesEnd(struct powerSeries *self);

/** Add up to which amount it has come until a time, which is not before that of
 *  the call before: a series that is derived from another one, in place of
 *  entries. As powerSeriesAdd(). */
int powerSeriesAddSums(struct powerSeries *self, int64_t time,
		       struct powerAmount sums);

/** Move what is in the temporary file to another one, which must stay and is
 * not read meanwhile, so that many series do not need many files. After
 *  powerSeriesEnd(), while nobody reads it. 0 or a negative errno. */
int powerSeriesMove(struct powerSeries *self, struct spool *spool);

/** Start to read a series. A cursor belongs to one thread at a time. */
struct powerCursor *powerCursorNew(const struct powerSeries *series);

/** Free a cursor; NULL does nothing. */
void powerCursorFree(struct powerCursor *self);

/** Integrate over ]start, end]. */
struct powerAmount powerCursorGet(struct powerCursor *self, int64_t start,
				  int64_t end);

/** Integrate from the beginning until a time, what is at that time included:
 * the energy as an integer, never NaN, and the known time. */
powerPico powerCursorUntil(struct powerCursor *self, int64_t time,
			   int64_t *measured);

/** Get when a series starts and ends; false if it is empty. */
bool powerSeriesRange(const struct powerSeries *self, int64_t *start,
		      int64_t *end);

/** What there is between two times that follow each other. */
struct powerStep {
	int64_t start;
	int64_t end; /**< Perhaps the same. */
	struct powerAmount amount;
};

/** Get an entry, or what is between two of them, by its number from 0; false:
 *  there is none, or not for an error. */
bool powerCursorStep(struct powerCursor *self, uint64_t number,
		     struct powerStep *step);

/** Why integrals may be wrong: 0, or the negative errno of the temporary
 *  file. */
int powerCursorError(const struct powerCursor *self);

#endif
