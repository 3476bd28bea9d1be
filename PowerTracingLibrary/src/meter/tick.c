/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asking a meter at each multiple of the cycle; see tick.h. */
#include "config.h"

#include <errno.h>
#include <poll.h>

#include "PowerTracingLibrary/src/core/now.h"
#include "PowerTracingLibrary/src/meter/tick.h"
#include "common/clock.h"

void ptTickStart(struct ptTick *tick, int64_t cycleNs)
{
	tick->cycleNs = cycleNs;
	tick->lastNs = ptNow();
	tick->nextNs = tick->lastNs + cycleNs;
}

static int isReadable(int fd)
{
	struct pollfd entry = { .fd = fd, .events = POLLIN };

	return fd >= 0 && poll(&entry, 1, 0) > 0;
}

int ptTickWait(struct ptTick *tick, int wakeFd, uint64_t *missed)
{
	int64_t now;

	do {
		if (isReadable(wakeFd))
			return -EINTR;
		now = ptNow();
		if (now < tick->nextNs)
			ptSleep(wakeFd, tick->nextNs - now);
	} while (now < tick->nextNs);
	*missed = (uint64_t)((now - tick->nextNs) / tick->cycleNs);
	tick->nextNs += ((int64_t)*missed + 1) * tick->cycleNs;
	return 0;
}

void ptTickTaken(struct ptTick *tick, int64_t askedNs, uint64_t missed,
		 struct ptReading *reading)
{
	int64_t halfNs = (ptNow() - askedNs) / 2;

	*reading = (struct ptReading){
		.endNs = hdClockNow() - halfNs,
		.lengthNs = askedNs + halfNs - tick->lastNs,
		.lost = missed,
	};
	tick->lastNs = askedNs + halfNs;
}
