/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the parts of the LMG450's driver share: lmg450.c is the driver, and
 * lmgsetup.c brings the meter to where it sends, lmgread.c takes what it sends.
 */
#ifndef PT_LMG450_H
#define PT_LMG450_H

#include "PowerTracingLibrary/src/drivers/lmg/link.h"
#include "PowerTracingLibrary/src/meter/driver.h"
#include "PowerTracingLibrary/src/meter/pace.h"

#define PT_LMG_IDENTITY_MAX 128
#define PT_LMG_QUERY_MAX (PT_LMG_LINE_MAX - 8)

/** What a step of the dialogue may take. */
#define PT_LMG_STEP_NS INT64_C(500000000)

/** A meter. */
struct ptLmgState {
	struct ptLmgLink link;
	struct ptPace pace;
	char identity[PT_LMG_IDENTITY_MAX];
	char query[PT_LMG_QUERY_MAX]; /* "COUNT?;UTRMS1?;..." */
	size_t values;                /* Of a message, the counter included. */
	size_t columns;
	size_t *places; /* Which value of a message a column is. */
	int64_t cycleNs;
	bool isPacked;
	bool hasCounter; /* The first value is the counter. */
	bool isGone;     /* Nothing can be sent to it. */
	bool isStarted;

	/* Since start(). */
	bool hasLast;
	uint32_t lastCount;
	int64_t lastArrivedNs; /* Monotonic. */
	int64_t lastEndNs;     /* Wall clock. */
	bool isClockBehind;
	unsigned int silent; /* Cycles in a row. */
	uint64_t broken;     /* Messages, since open(). */
};

/** Note in the state that the meter is gone if that is what @p ret says. */
int ptLmgNoted(struct ptLmgState *state, int ret);

/** Send a line. */
int ptLmgSendLine(struct ptLmgState *state, const char *line);

/** Send lines, the last of which is NULL. */
int ptLmgSendLines(struct ptLmgState *state, const char *const *lines);

/** Quiet, as far as it will be; only a meter that is gone is an error. */
int ptLmgCalm(struct ptLmgState *state);

/** Ask for all errors; @p text is NULL if there are none. */
int ptLmgAskErrors(struct ptLmgState *state, int64_t deadlineNs,
		   const char **text);

/** Bring the meter from wherever it is to where it only has to be started; the
 * deadline is that of struct ptSetup. */
int ptLmgSetUp(struct ptLmgState *state, int64_t deadlineNs);

/** As of struct ptDriver. */
int ptLmgRead(struct ptDevice *dev, union hdCell *cells,
	      struct ptReading *reading);

#endif
