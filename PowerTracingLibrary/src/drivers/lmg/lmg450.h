/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the parts of the LMG450's driver share: lmg450.c is the driver, setup.c
 * brings the meter to where it sends, trial.c finds out whether its COUNT?
 * counts cycles, read.c takes what it sends, and due.c tells by time what is
 * missing.
 */
#ifndef PT_LMG450_H
#define PT_LMG450_H

#include "PowerTracingLibrary/src/drivers/lmg/due.h"
#include "PowerTracingLibrary/src/drivers/lmg/link.h"
#include "PowerTracingLibrary/src/core/driver.h"
#include "PowerTracingLibrary/src/meter/pace.h"

#define PT_LMG_IDENTITY_MAX 128
/** Before it go "ACTN;" or "INIM;", and the counter. */
#define PT_LMG_QUERY_MAX (PT_LMG_LINE_MAX - 16)
/** Asks for the counter; goes before the query. */
#define PT_LMG_COUNT "COUNT?;"
/** The counter is 16 bits wide. */
#define PT_LMG_COUNTS 65536
/** The shortest cycle. */
#define PT_LMG_SHORTEST_NS INT64_C(50000000)
/** Place of a column that is the counter. */
#define PT_LMG_PLACE_COUNT SIZE_MAX

/** What a step of the dialogue may take. */
#define PT_LMG_STEP_NS INT64_C(500000000)

/** A meter. */
struct ptLmgState {
	struct ptLmgLink link;
	struct ptPace pace;
	char identity[PT_LMG_IDENTITY_MAX];
	char query[PT_LMG_QUERY_MAX]; /* "UTRMS1?;...", without the counter. */
	size_t values;                /* That the query has. */
	size_t columns;
	size_t *places; /* Which of these a column is. */
	int64_t cycleNs;
	bool isPacked;
	bool mustTry;    /* Find out whether it has a counter. */
	bool asksCount;  /* The counter comes before the values. */
	bool hasCounter; /* And tells what is missing. */
	bool isGone;     /* Nothing can be sent to it. */
	bool isStarted;

	/* Since start(). */
	bool hasLast;
	uint32_t lastCount;
	int64_t lastArrivedNs; /* Monotonic. */
	struct ptLmgDue due;   /* If there is no counter. */
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

/** Send the query, behind a command. */
int ptLmgSendQuery(struct ptLmgState *state, const char *command);

/** Send the length of cycles. */
int ptLmgSendCycle(struct ptLmgState *state, int64_t cycleNs);

/** Let it send after each cycle, in the form that is wanted. */
int ptLmgSendStart(struct ptLmgState *state);

/** Expect messages with the values of the query. */
void ptLmgExpectValues(struct ptLmgState *state, enum ptLmgKind kind);

/** Let it be quiet again, and answer in text. */
int ptLmgSendStop(struct ptLmgState *state);

/**
 * Read the counter of the last message.
 *
 * @retval false That is none.
 */
bool ptLmgCount(const struct ptLmgState *state, uint32_t *count);

/** Ask for all errors; @p text is NULL if there are none. */
int ptLmgAskErrors(struct ptLmgState *state, int64_t deadlineNs,
		   const char **text);

/** Bring the meter from wherever it is to where it only has to be started; the
 * deadline is that of struct ptSetup. */
int ptLmgSetUp(struct ptLmgState *state, int64_t deadlineNs);

/**
 * Find out whether COUNT? counts cycles, in the messages of continuous mode;
 * what the state has of the counter is set by that. Says so if it does not.
 *
 * @param deadlineNs What is not found out by then counts as no.
 */
int ptLmgTry(struct ptLmgState *state, int64_t deadlineNs);

/** As of struct ptDriver. */
int ptLmgRead(struct ptDevice *dev, union hdCell *cells,
	      struct ptReading *reading);

#endif
