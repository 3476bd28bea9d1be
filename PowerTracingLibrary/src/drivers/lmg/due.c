/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Missing cycles, by time; see due.h. */
#include "config.h"

#include "PowerTracingLibrary/src/drivers/lmg/due.h"

/* What a message tells of when it was due, and of how long cycles are: parts of
 * what it is off. By these, cycles that are longer than they should be by a
 * third are known before they add up to half of one. */
#define PHASE_PART 2
#define PERIOD_PART 8
/* Cycles are off by so much at the most: a third of them. */
#define OFF_PART 3

void ptLmgDueStart(struct ptLmgDue *due, int64_t cycleNs)
{
	*due = (struct ptLmgDue){ .cycleNs = cycleNs, .periodNs = cycleNs };
}

/* How much later a message comes than it should. */
static int64_t lateNs(const struct ptLmgDue *due, int64_t arrivedNs)
{
	return arrivedNs - due->lastNs - due->periodNs;
}

uint64_t ptLmgDueMissing(const struct ptLmgDue *due, int64_t arrivedNs)
{
	int64_t late = lateNs(due, arrivedNs);

	if (!due->hasLast || late <= due->periodNs / 2)
		return 0;
	return (uint64_t)((late + due->periodNs / 2) / due->periodNs);
}

int64_t ptLmgDueUntil(const struct ptLmgDue *due, int64_t arrivedNs)
{
	/* This one was due after one cycle, the next one is after two. */
	int64_t nextNs = due->lastNs + 5 * due->periodNs / 2;
	int64_t soonNs = arrivedNs + due->periodNs / 2;

	return nextNs > soonNs ? nextNs : soonNs;
}

static void learn(struct ptLmgDue *due, int64_t late, int64_t cycles)
{
	int64_t most = due->cycleNs / OFF_PART;

	due->lastNs += late / PHASE_PART;
	due->periodNs += late / PERIOD_PART / cycles;
	if (due->periodNs > due->cycleNs + most)
		due->periodNs = due->cycleNs + most;
	if (due->periodNs < due->cycleNs - most)
		due->periodNs = due->cycleNs - most;
}

void ptLmgDueTake(struct ptLmgDue *due, int64_t arrivedNs, uint64_t missing)
{
	int64_t late, half = due->periodNs / 2, cycles = 1 + (int64_t)missing;

	if (!due->hasLast) {
		due->lastNs = arrivedNs;
		due->hasLast = true;
		return;
	}
	due->lastNs += cycles * due->periodNs;
	late = arrivedNs - due->lastNs;
	/* None comes before it was sent: what was before it had been late. One
	 * that was delayed tells nothing. */
	if (late < -half)
		due->lastNs = arrivedNs;
	else if (late <= half)
		learn(due, late, cycles);
}
