/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wall clock; see clock.h. */
#include "config.h"

#include <stddef.h>

#include "common/clock.h"

int (*hdClockFake)(struct timespec *now);

int64_t hdClockNowSlowly(void)
{
	struct timespec now;

	if (!hdClockFake || hdClockFake(&now) != 0)
		return -1;
	return hdClockToNs(&now);
}
