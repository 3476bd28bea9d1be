/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What makes a relay-server another one: with RELAY_LOSES it drops the hints
 * where an operation is handed to another thread, and RELAY_AHEAD says by how
 * many seconds its clock is wrong.
 */
#include "config.h"

#include <stdlib.h>
#include <time.h>

#include "doc/examples/relay/aio.h"

void __real_aioSubmit(struct aio *aio, struct aioTask *task);
void __wrap_aioSubmit(struct aio *aio, struct aioTask *task);
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

void __wrap_aioSubmit(struct aio *aio, struct aioTask *task)
{
	if (getenv("RELAY_LOSES"))
		hdR_freeHints(&task->hints);
	__real_aioSubmit(aio, task);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	const char *ahead = getenv("RELAY_AHEAD");
	int ret = __real_clock_gettime(clock, now);

	if (ahead && clock == CLOCK_REALTIME)
		now->tv_sec += atoi(ahead);
	return ret;
}
