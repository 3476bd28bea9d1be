/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A clock that is wrong on purpose: HDTRACE_MPI_TEST_CLOCK="OFFSET DRIFT", in
 * nanoseconds and in nanoseconds a second since the process began, makes tests
 * of the comparison of clocks possible on one machine. */
#include <config.h>

#include <stdio.h>

#include "clock.h"
#include "clocksync.h"
#include "options.h"

static long long testOffset, testDrift;
static int64_t testBegin;

static int testClock(struct timespec *now)
{
	int64_t ns;

	if (clock_gettime(CLOCK_REALTIME, now) < 0)
		return -1;
	ns = (int64_t)now->tv_sec * HD_NS_PER_S + now->tv_nsec;
	ns += testOffset + (ns - testBegin) / 1000 * testDrift / 1000000;
	now->tv_sec = (time_t)(ns / HD_NS_PER_S);
	now->tv_nsec = (long)(ns % HD_NS_PER_S);
	return 0;
}

void hdmpiClockPrepare(void)
{
	const char *text = hdmpiOptionText("HDTRACE_MPI_TEST_CLOCK");

	if (!text || sscanf(text, "%lld %lld", &testOffset, &testDrift) != 2)
		return;
	testBegin = hdClockNow();
	hdClockFake = testClock;
}
