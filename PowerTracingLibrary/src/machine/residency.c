/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a CPU divides its time among states; see residency.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "PowerTracingLibrary/src/machine/residency.h"

int ptResidencyInit(struct ptResidency *residency, size_t count)
{
	*residency = (struct ptResidency){ .count = count };
	residency->states = calloc(count + 1, sizeof(*residency->states));
	return residency->states ? 0 : -ENOMEM;
}

void ptResidencyClear(struct ptResidency *residency)
{
	free(residency->states);
	residency->states = NULL;
}

void ptResidencyForget(struct ptResidency *residency)
{
	residency->isCounting = false;
}

bool ptResidencyMoved(const struct ptResidency *residency)
{
	for (size_t i = 0; i < residency->count; i++) {
		const struct ptResidencyState *state = &residency->states[i];

		if (state->nextNs != state->lastNs)
			return true;
	}
	return false;
}

/* Begin with the counters as they are. */
static void residencyBegin(struct ptResidency *residency, int64_t nowNs)
{
	for (size_t i = 0; i < residency->count; i++) {
		struct ptResidencyState *state = &residency->states[i];

		state->lastNs = state->nextNs;
		state->pendingNs = 0;
	}
	residency->isCounting = true;
	residency->lastNs = residency->changeNs = nowNs;
	residency->borrowedNs = 0;
	/* The deepest is where a CPU sleeps long. */
	residency->longest = residency->count > 0 ? residency->count - 1 : 0;
}

/* Note what was counted; false if a counter went back. */
static bool residencyCountStates(struct ptResidency *residency, int64_t nowNs)
{
	int64_t most = 0;

	for (size_t i = 0; i < residency->count; i++)
		if (residency->states[i].nextNs < residency->states[i].lastNs)
			return false;
	if (!ptResidencyMoved(residency))
		return true;
	/* What was said to be slept is among what is counted now. */
	residency->states[residency->longest].pendingNs -=
		residency->borrowedNs;
	residency->borrowedNs = 0;
	residency->changeNs = nowNs;
	for (size_t i = 0; i < residency->count; i++) {
		struct ptResidencyState *state = &residency->states[i];
		int64_t counted = state->nextNs - state->lastNs;

		if (counted > most) {
			most = counted;
			residency->longest = i;
		}
		state->pendingNs += counted;
		state->lastNs = state->nextNs;
	}
	return true;
}

/* Divide an interval by what is pending: all of it if it fits, else in parts
 * that add up to the interval to the nanosecond. */
static void residencyDivideTime(struct ptResidency *residency,
				int64_t elapsedNs)
{
	int64_t sum = 0, before = 0, given = 0;

	for (size_t i = 0; i < residency->count; i++)
		if (residency->states[i].pendingNs > 0)
			sum += residency->states[i].pendingNs;
	for (size_t i = 0; i < residency->count; i++) {
		struct ptResidencyState *state = &residency->states[i];
		int64_t until;

		if (state->pendingNs > 0)
			before += state->pendingNs;
		until = before;
		if (sum > elapsedNs)
			until = (int64_t)((__int128)before * elapsedNs / sum);
		state->givenNs = until - given;
		state->pendingNs -= state->givenNs;
		given = until;
	}
}

int64_t ptResidencyTake(struct ptResidency *residency, int64_t nowNs,
			bool isAsleep)
{
	int64_t elapsedNs = nowNs - residency->lastNs;

	if (!residency->isCounting || !residencyCountStates(residency, nowNs)) {
		residencyBegin(residency, nowNs);
		return 0;
	}
	residency->lastNs = nowNs;
	if (elapsedNs <= 0)
		return 0;
	if (isAsleep && residency->count > 0) {
		residency->states[residency->longest].pendingNs += elapsedNs;
		residency->borrowedNs += elapsedNs;
	}
	residencyDivideTime(residency, elapsedNs);
	return elapsedNs;
}
