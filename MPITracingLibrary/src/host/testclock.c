/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A clock that is wrong on purpose: HDTRACE_MPI_TEST_CLOCK="OFFSET DRIFT", in
 * nanoseconds and in nanoseconds a second since the process began, makes tests
 * of the comparison of clocks possible on one machine. */
#include "config.h"

#include <stdio.h>

#include "MPITracingLibrary/src/host/testclock.h"
#include "MPITracingLibrary/src/core/mpilog.h"
#include "MPITracingLibrary/src/core/options.h"
#include "common/clock.h"
#include "common/environment.h"

/* More than anything real, and sums of it are numbers. */
#define OFFSET_MAX (INT64_C(1000000000) * HD_NS_PER_S)
#define DRIFT_MAX (HD_NS_PER_S / 1000)

static long long testOffset, testDrift;
static int64_t testBegin;

static int testClock(clockid_t clock, struct timespec *now)
{
	int64_t ns;

	if (clock_gettime(clock, now) < 0)
		return -1;
	ns = hdClockToNs(now);
	ns += testOffset + (ns - testBegin) / 1000 * testDrift / 1000000;
	*now = hdClockToTimespec(ns);
	return 0;
}

void hdmpiTestClock(void)
{
	const char *text = hdEnvironmentText("HDTRACE_MPI_TEST_CLOCK");
	char more;

	if (!text)
		return;
	if (sscanf(text, "%lld %lld%c", &testOffset, &testDrift, &more) != 2 ||
	    testOffset < -OFFSET_MAX || testOffset > OFFSET_MAX ||
	    testDrift < -DRIFT_MAX || testDrift > DRIFT_MAX) {
		hdmpiMessage(HD_LOG_ERROR,
			     "HDTRACE_MPI_TEST_CLOCK=\"%s\": expected two "
			     "numbers, offset and drift",
			     text);
		return;
	}
	testBegin = hdClockNow();
	hdClockUse(testClock);
}
