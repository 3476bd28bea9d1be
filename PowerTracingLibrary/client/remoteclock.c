/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times of a server by our clock; see remoteclock.h. */
#include "config.h"

#include <string.h>

#include "PowerTracingLibrary/client/core/remoteclock.h"

/* Prepare what times are corrected by: points of the server's monotonic clock,
 * and what is to be added for our wall clock. */
static void clockFit(struct ptRemoteClock *clock)
{
	for (size_t i = 0; i < clock->momentCount; i++) {
		const struct ptRemoteMoment *moment = &clock->moments[i];

		clock->fitted[i] = (struct hdClockPoint){
			.time = moment->mono,
			.offset = moment->wall - moment->mono,
			.error = moment->error,
		};
	}
	clock->fittedCount = hdClockFit(clock->fitted, clock->momentCount);
}

static void clockThin(struct ptRemoteClock *clock)
{
	size_t kept = 0;

	/* The first one stays. */
	for (size_t i = 0; i < clock->momentCount; i += 2)
		clock->moments[kept++] = clock->moments[i];
	clock->momentCount = kept;
}

void ptRemoteClockSettle(struct ptRemoteClock *clock)
{
	const struct ptRemoteMoment *best = &clock->trips[0];

	if (clock->tripCount == 0)
		return;
	for (size_t i = 1; i < clock->tripCount; i++)
		if (clock->trips[i].error < best->error)
			best = &clock->trips[i];
	if (clock->momentCount == PT_REMOTE_POINTS)
		clockThin(clock);
	clock->moments[clock->momentCount++] = *best;
	clock->tripCount = 0;
	clockFit(clock);
}

void ptRemoteClockAdd(struct ptRemoteClock *clock, int64_t sent,
		      int64_t lengthNs, int64_t mono, int64_t server)
{
	clock->trips[clock->tripCount++] = (struct ptRemoteMoment){
		.wall = sent + lengthNs / 2,
		.mono = mono,
		.server = server,
		.error = (lengthNs + 1) / 2,
	};
	if (clock->tripCount == PT_REMOTE_TRIPS)
		ptRemoteClockSettle(clock);
}

int64_t ptRemoteClockLocal(const struct ptRemoteClock *clock, int64_t mono)
{
	return hdClockCorrect(clock->fitted, clock->fittedCount, mono);
}

int64_t ptRemoteClockOffset(const struct ptRemoteClock *clock)
{
	const struct ptRemoteMoment *last;

	if (clock->momentCount == 0)
		return 0;
	last = &clock->moments[clock->momentCount - 1];
	return last->wall - last->server;
}

int64_t ptRemoteClockError(const struct ptRemoteClock *clock)
{
	return hdClockError(clock->fitted, clock->fittedCount);
}
