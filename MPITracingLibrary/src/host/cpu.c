/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU time of this process. There is no thread that looks at it: a call
 * that ends does where an entry is due. */
#include "config.h"

#include <pthread.h>

#include "MPITracingLibrary/src/core/hdmpi.h"
#include "MPITracingLibrary/src/host/cpu.h"
#include "common/clock.h"
#include "recording/cputime.h"

_Atomic int64_t hdmpiCpuDue = INT64_MAX;

static struct {
	pthread_mutex_t lock;
	struct hdCpuTime time;
} cpu = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int64_t cpuUsed(void)
{
	return hdCpuTimeRead(CLOCK_PROCESS_CPUTIME_ID);
}

static void cpuSetDue(void)
{
	atomic_store(&hdmpiCpuDue, cpu.time.lastNs + cpu.time.intervalNs);
}

void hdmpiCpuStart(hdTopoNode *rank, int64_t nowNs)
{
	if (!rank || hdmpiOptions.utilizationMs == 0 ||
	    hdCpuTimeOpen(&cpu.time, rank, 2, hdmpiOptions.utilizationMs, nowNs,
			  cpuUsed()) < 0)
		return;
	cpuSetDue();
}

void hdmpiCpuTake(int64_t nowNs)
{
	/* Who comes second need not wait. */
	if (pthread_mutex_trylock(&cpu.lock) != 0)
		return;
	if (hdCpuTimeIsDue(&cpu.time, nowNs)) {
		hdCpuTimeWrite(&cpu.time, nowNs, cpuUsed());
		cpuSetDue();
	}
	pthread_mutex_unlock(&cpu.lock);
}

void hdmpiCpuEnd(void)
{
	pthread_mutex_lock(&cpu.lock);
	atomic_store(&hdmpiCpuDue, INT64_MAX);
	hdCpuTimeWrite(&cpu.time, hdClockNow(), cpuUsed());
	hdCpuTimeClose(&cpu.time);
	pthread_mutex_unlock(&cpu.lock);
}
