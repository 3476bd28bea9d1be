/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Exclusive times: in which state a trace is at a time, the innermost one, or
 * in a wait; and the sums of a state between two times.
 *
 * States are sorted on disk, 32 bytes each. Of them pages of 256 intervals are
 * made, 16 bytes each, which stay on disk, too. So that a long time needs few
 * of these, the sums of all states from the start of the trace are there for
 * some of them: at most two numbers for each interval. The memory has 24 bytes
 * for each page, and the pages that were used last.
 */
#ifndef HD_OWNSTATES_H
#define HD_OWNSTATES_H

#include <stdbool.h>
#include <stddef.h>

#include <hdReading.h>

/** Numbers that are not those of names. */
enum { OWNSTATES_OUTSIDE, OWNSTATES_WAIT, OWNSTATES_NAMED };

struct ownStates;
struct ownStatesReader;

/** Start with none, of so many traces. */
struct ownStates *ownStatesNew(size_t traces);

/** Free it; NULL does nothing. */
void ownStatesFree(struct ownStates *self);

/** The records that follow are those of a trace; any thread. */
struct ownStatesReader *ownStatesEnter(struct ownStates *self, uint32_t trace);

/** Note a record, in the order of the file; 0 or a negative errno. */
int ownStatesNote(struct ownStatesReader *reader, const hdIRecord *record);

/** All of a trace was noted; frees the reader. 0 or a negative errno. */
int ownStatesLeave(struct ownStatesReader *reader);

/** A wait of a trace. */
struct ownStatesWait {
	int64_t start;
	int64_t end;
	uint32_t trace;
};

/** Gets the next wait, by trace, start and end. 1: @p wait is set, 0: that was
 *  all; or a negative errno. */
typedef int ownStatesNextWait(void *data, struct ownStatesWait *wait);

/** All traces were noted: take out the waits, and get ready for sums. 0 or a
 *  negative errno. */
int ownStatesEnd(struct ownStates *self, ownStatesNextWait *next, void *data);

/** The name of a number; NULL for those that have none. */
const char *ownStatesName(const struct ownStates *self, uint32_t number);

/** Sums by number. */
struct ownSums {
	int64_t *times;    /**< By number, of as many as there are. */
	uint32_t *numbers; /**< Those that are not 0, perhaps, ... */
	uint32_t count;    /**< ... and how many they are. */
	bool *isListed;
};

void ownSumsInit(struct ownSums *sums, const struct ownStates *states);
void ownSumsClear(struct ownSums *sums);

/** Set all to 0. */
void ownSumsReset(struct ownSums *sums);

/** When the first state of a trace starts; INT64_MIN: there is none. */
int64_t ownStatesStart(const struct ownStates *self, uint32_t trace);

/** Add the time of all states between two times, as far as the trace was there.
 *  0 or a negative errno. */
int ownStatesAdd(struct ownStates *self, uint32_t trace, int64_t from,
		 int64_t to, struct ownSums *sums);

#endif
