/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clock of drivers; see now.h. */
#include "config.h"

#include <poll.h>

#include "PowerTracingLibrary/src/core/now.h"
#include "common/clock.h"

static int64_t ptMonotonicNow(void)
{
	return hdMonotonicNow();
}

int64_t (*ptNow)(void) = ptMonotonicNow;

int64_t ptWallAhead(void)
{
	int64_t ahead = 0;

	/* Not across a moment in which this thread did not run. */
	for (int i = 0; i < 4; i++) {
		int64_t before = ptNow(), wall = hdClockNow(), after = ptNow();

		ahead = wall - before - (after - before) / 2;
		if (after - before < 20000)
			break;
	}
	return ahead;
}

static void sleepReally(int wakeFd, int64_t ns)
{
	struct pollfd wake = { .fd = wakeFd, .events = POLLIN };
	struct timespec time = hdClockToTimespec(ns);

	(void)ppoll(&wake, 1, &time, NULL);
}

void (*ptSleep)(int wakeFd, int64_t ns) = sleepReally;
