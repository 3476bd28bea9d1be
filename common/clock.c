/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wall clock; see clock.h. */
#include <config.h>

#include "clock.h"

static int clockRealtime(struct timespec *now)
{
	return clock_gettime(CLOCK_REALTIME, now);
}

int (*hdClockGet)(struct timespec *now) = clockRealtime;
