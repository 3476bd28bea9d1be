/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The LMG450's driver: what the meter sends after each cycle; see lmg450.c. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "PowerTracingLibrary/src/drivers/lmg/lmg450.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/clock.h"

/* So many cycles in a row without a word, and the meter is taken for gone. */
#define SILENT_MAX 3

/* A message is late, and not the counter once around, by so few. */
#define COUNT_LATE 64
/* The counter was set if it goes further than time by so many. */
#define COUNT_JUMP 1000

/* A message that is none, or makes no sense. */
static int broken(struct ptLmgState *state, const char *why)
{
	state->broken++;
	ptMessage(HD_LOG_WARNING, "lmg450: a broken reply (number %llu): %s",
		  (unsigned long long)state->broken, why);
	return -EPROTO;
}

/* Nothing came in time. */
static int lmgReadOnSilence(struct ptLmgState *state, int64_t waitedNs)
{
	state->silent++;
	if (state->silent < SILENT_MAX) {
		ptMessage(HD_LOG_WARNING, "lmg450: no reply for %.1f s",
			  (double)waitedNs / 1e9);
		return -ETIMEDOUT;
	}
	ptMessage(HD_LOG_ERROR,
		  "lmg450: no reply for %d times %.1f s; check that the meter "
		  "is on",
		  SILENT_MAX, (double)waitedNs / 1e9);
	return -ENODEV;
}

static int64_t roundedCycles(const struct ptLmgState *state, int64_t ns)
{
	return ns > 0 ? (ns + state->cycleNs / 2) / state->cycleNs : 0;
}

/*
 * How many cycles lie between the last message and this one, by the counter.
 *
 * @retval 0 None: it is the last one again, or an older one.
 */
static uint64_t cyclesByCount(struct ptLmgState *state, uint32_t count,
			      int64_t arrivedNs)
{
	int64_t byTime = roundedCycles(state, arrivedNs - state->lastArrivedNs);
	int64_t byCount = (count - state->lastCount) % PT_LMG_COUNTS;

	/* Once around, and more. */
	if (byTime > byCount)
		byCount += (byTime - byCount + PT_LMG_COUNTS / 2) /
			   PT_LMG_COUNTS * PT_LMG_COUNTS;
	if (byCount == 0 ||
	    (byCount < PT_LMG_COUNTS && byCount >= PT_LMG_COUNTS - COUNT_LATE &&
	     byCount > byTime + COUNT_JUMP))
		return 0;
	if (byCount <= byTime + COUNT_JUMP)
		return (uint64_t)byCount;
	/* The counter began anew, or this host was suspended. */
	ptMessage(HD_LOG_WARNING,
		  "lmg450: the cycle counter went from %u to %u",
		  state->lastCount, count);
	ptPaceStart(&state->pace, state->cycleNs);
	byTime = roundedCycles(state, arrivedNs + state->link.receiver.wallNs -
					      state->lastEndNs);
	return byTime > 1 ? (uint64_t)byTime : 1;
}

/* The same by time. */
static uint64_t cyclesByTime(struct ptLmgState *state, int64_t arrivedNs)
{
	struct ptLmgDue *due = &state->due;
	uint64_t missing = ptLmgDueMissing(due, arrivedNs);

	/* What stops the waiting is found by who waits next. */
	if (missing > 0 &&
	    ptLmgIsFollowed(&state->link, ptLmgDueUntil(due, arrivedNs)))
		missing = 0;
	ptLmgDueTake(due, arrivedNs, missing);
	return 1 + missing;
}

bool ptLmgCount(const struct ptLmgState *state, uint32_t *count)
{
	float value;

	memcpy(&value, &state->link.message.values[0], sizeof(value));
	if (!(value >= 0 && value < PT_LMG_COUNTS) || value != floorf(value))
		return false;
	*count = (uint32_t)value;
	return true;
}

/* Note a message's time, and how many there should have been before it. */
static void lmgReadSetTime(struct ptLmgState *state, uint32_t count,
			   int64_t arrivedNs, uint64_t cycles,
			   struct ptReading *reading)
{
	int64_t endNs = ptPaceEnd(&state->pace, arrivedNs, cycles) +
			state->link.receiver.wallNs;

	/* Of the last cycle is known that it has ended. */
	if (state->hasLast && endNs < state->lastEndNs) {
		if (!state->isClockBehind &&
		    state->lastEndNs - endNs > HD_NS_PER_S)
			ptMessage(HD_LOG_WARNING,
				  "lmg450: the clock of this host was set back "
				  "by %.3f s",
				  (double)(state->lastEndNs - endNs) / 1e9);
		state->isClockBehind |= state->lastEndNs - endNs > HD_NS_PER_S;
		endNs = state->lastEndNs;
	} else {
		state->isClockBehind = false;
	}
	reading->endNs = endNs;
	reading->lengthNs = state->cycleNs;
	reading->lost = state->hasLast ? cycles - 1 : 0;
	state->hasLast = true;
	state->lastCount = count;
	state->lastArrivedNs = arrivedNs;
	state->lastEndNs = endNs;
	state->silent = 0;
}

/* What SCPI sends for what is no number, as IEEE 754 has it. All else is left
 * as it is, bit for bit. */
static uint32_t fromScpi(uint32_t bits)
{
	static const float scpi[] = { 9.91e37f, 9.9e37f, -9.9e37f };
	static const float ieee[] = { NAN, INFINITY, -INFINITY };

	for (size_t i = 0; i < sizeof(scpi) / sizeof(scpi[0]); i++) {
		if (memcmp(&bits, &scpi[i], sizeof(bits)) == 0)
			memcpy(&bits, &ieee[i], sizeof(bits));
	}
	return bits;
}

/* Wait for the next message, and tell how many cycles it is after the last. */
static int lmgReadNextMessage(struct ptLmgState *state, uint32_t *count,
			      int64_t *arrivedNs, uint64_t *cycles)
{
	int64_t waitNs = state->cycleNs + (state->cycleNs > 2 * HD_NS_PER_S
						   ? state->cycleNs / 2
						   : HD_NS_PER_S);
	int64_t deadlineNs = hdMonotonicNow() + waitNs;

	for (;;) {
		int ret = ptLmgNoted(state,
				     ptLmgReceive(&state->link, deadlineNs));

		if (ret == -ETIMEDOUT)
			return lmgReadOnSilence(state, waitNs);
		if (ret == -EPROTO)
			return broken(state, state->link.message.why);
		if (ret < 0)
			return ret;
		*arrivedNs = ptLmgArrival(&state->link);
		if (!state->hasCounter) {
			*cycles = cyclesByTime(state, *arrivedNs);
			return 0;
		}
		if (!ptLmgCount(state, count))
			return broken(state, "its cycle counter is invalid");
		*cycles = state->hasLast
				  ? cyclesByCount(state, *count, *arrivedNs)
				  : 1;
		if (*cycles > 0)
			return 0;
		broken(state, "duplicate or out of order");
	}
}

/* The bits of a column. */
static uint32_t lmgReadValueOf(const struct ptLmgState *state, size_t column)
{
	const uint32_t *values = state->link.message.values;
	size_t place = state->places[column];
	uint32_t bits = 0;
	float none = NAN;

	if (place != PT_LMG_PLACE_COUNT)
		return fromScpi(values[place + (state->asksCount ? 1 : 0)]);
	if (state->asksCount)
		return fromScpi(values[0]);
	memcpy(&bits, &none, sizeof(bits));
	return bits;
}

int ptLmgRead(struct ptDevice *dev, union hdCell *cells,
	      struct ptReading *reading)
{
	struct ptLmgState *state = dev->state;
	int64_t arrivedNs = 0;
	uint64_t cycles = 0;
	uint32_t count = 0;
	int ret = lmgReadNextMessage(state, &count, &arrivedNs, &cycles);

	if (ret < 0)
		return ret;
	lmgReadSetTime(state, count, arrivedNs, cycles, reading);
	for (size_t i = 0; i < state->columns; i++) {
		uint32_t bits = lmgReadValueOf(state, i);

		memcpy(&cells[i].f, &bits, sizeof(bits));
	}
	return 0;
}
