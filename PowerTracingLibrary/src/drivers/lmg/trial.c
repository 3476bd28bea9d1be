/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The LMG450's driver: does COUNT? count cycles? See lmg450.c.
 *
 * There are analyzers that do not know it, or answer with something else. So a
 * few messages are taken just as they will be when tracing: in the same form,
 * in continuous mode, and with the same values. A counter is one more with each
 * of them, from 65535 to 0; and that with cycles of two lengths, of which one
 * is three times the other, for a clock could do it with one of them.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "PowerTracingLibrary/src/drivers/lmg/lmg450.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/clock.h"

#define MS INT64_C(1000000)

/* What goes on for so many messages without being a counter is none. */
#define MESSAGES_MAX 8
/* And so is what does not become readable within this time. */
#define UNREADABLE_NS (300 * MS)

/* Steps of one, one after the other, that are asked for at a cycle. What is one
 * more every 37.5 to 75 ms, or else not thrice with 50 ms, is two or more
 * further after 150 ms. */
static const struct trialStage {
	int64_t cycleNs;
	unsigned int steps;
} stages[] = {
	{ PT_LMG_SHORTEST_NS, 3 },
	{ 3 * PT_LMG_SHORTEST_NS, 1 },
};

#define STAGES (sizeof(stages) / sizeof(stages[0]))

/* What was seen. */
struct trial {
	unsigned int messages;
	unsigned int steps; /* Of one, up to now. */
	bool hasLast;
	uint32_t last;
	char why[128]; /* What speaks against it; the last of that. */
};

/* A message that can be read. */
static void lmgTrialAddMessage(struct ptLmgState *state, struct trial *trial)
{
	uint32_t count;
	bool isNumber = ptLmgCount(state, &count);

	trial->messages++;
	if (!isNumber) {
		trial->steps = 0;
		snprintf(trial->why, sizeof(trial->why),
			 "not a number from 0 to %d", PT_LMG_COUNTS - 1);
	} else if (trial->hasLast &&
		   (count - trial->last) % PT_LMG_COUNTS == 1) {
		trial->steps++;
	} else if (trial->hasLast && count == trial->last) {
		trial->steps = 0;
		snprintf(trial->why, sizeof(trial->why), "it stays at %u",
			 count);
	} else if (trial->hasLast) {
		trial->steps = 0;
		snprintf(trial->why, sizeof(trial->why),
			 "in one cycle it changes from %u to %u", trial->last,
			 count);
	}
	trial->hasLast = isNumber;
	trial->last = isNumber ? count : 0;
}

/* A message that cannot. */
static void takeNone(struct ptLmgState *state, struct trial *trial)
{
	trial->messages++;
	trial->hasLast = false;
	trial->steps = 0;
	snprintf(trial->why, sizeof(trial->why), "with the counter: %s",
		 state->link.message.why);
}

/* Look at messages until there are enough steps, or there will be none. */
static int lmgTrialWatchMessages(struct ptLmgState *state, struct trial *trial,
				 unsigned int steps, int64_t deadlineNs)
{
	int64_t untilNs = deadlineNs, soonNs;
	int ret = 0;

	while (trial->steps < steps && trial->messages < MESSAGES_MAX) {
		ret = ptLmgNoted(state, ptLmgReceive(&state->link, untilNs));
		if (ret == 0) {
			lmgTrialAddMessage(state, trial);
			untilNs = deadlineNs;
		} else if (ret == -EPROTO) {
			takeNone(state, trial);
			soonNs = hdMonotonicNow() + UNREADABLE_NS;
			untilNs = soonNs < deadlineNs ? soonNs : deadlineNs;
		} else {
			break;
		}
	}
	return ret == -ETIMEDOUT || ret == -EPROTO ? 0 : ret;
}

/* Whether it counts at a cycle; the meter is quiet again afterwards. */
static int tryStage(struct ptLmgState *state, struct trial *trial,
		    const struct trialStage *stage, int64_t deadlineNs)
{
	int ret = ptLmgSendCycle(state, stage->cycleNs);

	*trial = (struct trial){ 0 };
	if (ret == 0)
		ret = ptLmgSendStart(state);
	if (ret == 0)
		ret = lmgTrialWatchMessages(state, trial, stage->steps,
					    deadlineNs);
	if (ret == 0 && trial->why[0] == '\0')
		snprintf(trial->why, sizeof(trial->why), "%s",
			 trial->messages > 0
				 ? "the test timed out"
				 : "with the counter, no reply arrives");
	return ret == 0 ? ptLmgSendStop(state) : ret;
}

/* Say that there is no counter, and what comes of that. */
static int goWithout(struct ptLmgState *state, const char *why)
{
	bool wantsCount = false;

	for (size_t i = 0; i < state->columns; i++)
		wantsCount |= state->places[i] == PT_LMG_PLACE_COUNT;
	if (state->values == 0) {
		ptMessage(HD_LOG_ERROR,
			  "lmg450: COUNT? does not count cycles (%s); no other "
			  "value is configured",
			  why);
		return -ENXIO;
	}
	ptMessage(HD_LOG_WARNING,
		  "lmg450: COUNT? does not count cycles (%s); lost cycles are "
		  "found by time%s",
		  why, wantsCount ? ", and Count is unknown" : "");
	state->asksCount = state->hasCounter = false;
	/* What it thinks of COUNT? is known. */
	return ptLmgSendLine(state, "*CLS");
}

int ptLmgTry(struct ptLmgState *state, int64_t deadlineNs)
{
	struct trial trial;
	int ret = ptLmgSendQuery(state, "ACTN");

	for (size_t i = 0; i < STAGES && ret == 0; i++) {
		ret = tryStage(state, &trial, &stages[i], deadlineNs);
		if (ret == 0 && trial.steps < stages[i].steps)
			return goWithout(state, trial.why);
	}
	return ret;
}
