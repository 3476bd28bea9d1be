/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Finds what a trace does again and again: the sequence of its states, in the
 * order in which they end, repeats itself with a period of some states.
 */
#ifndef HD_SEQUENCE_H
#define HD_SEQUENCE_H

#include <glib.h>

#include <hdReading.h>
#include "HDTraceTools/sites/sites.h"

/** More states are not looked at; 24 bytes each. */
#define SEQUENCE_MAX (1 << 18)

/** A repetition, ]start, end]. */
struct iteration {
	int64_t start;
	int64_t end;
};

struct sequence;

/** Start with no states. */
struct sequence *sequenceNew(void);

/** Free it; NULL does nothing. */
void sequenceFree(struct sequence *self);

/** Note a record of the trace, in the order of the file, and its call site or
 *  NULL. States of which there are more or fewer by chance are ignored. */
void sequenceNote(struct sequence *self, const hdIRecord *record,
		  const struct site *site);

/** The time from the first to the last state. */
int64_t sequenceTime(const struct sequence *self);

/** Find repetitions that take at least half of the time: array of struct
 *  iteration; none if there are fewer than three. */
GArray *sequenceFind(const struct sequence *self);

#endif
