/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How busy the CPUs are; see cpubusy.h. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/machine/cpubusy.h"
#include "PowerTracingLibrary/src/core/sysfile.h"
#include "PowerTracingLibrary/src/core/now.h"
#include "common/clock.h"

#define NS_PER_MS INT64_C(1000000)
/* How often CPUs are counted where /proc/stat is read for nothing else. */
#define CPUS_NS HD_NS_PER_S

/* ---- /proc/stat -------------------------------------------------------- */

/* Idle time in nanoseconds of all CPUs together, and their number. */
static int readStat(struct ptBusy *busy, int64_t *idleNs)
{
	unsigned long long ticks[5];
	unsigned int cpus = 0;
	int ret = ptProcStatRead(&busy->stat);

	if (ret < 0)
		return ret;
	/* User, nice, system, idle, waiting for a disk: idle as well. */
	if (sscanf(busy->stat.text, "cpu %llu %llu %llu %llu %llu", &ticks[0],
		   &ticks[1], &ticks[2], &ticks[3], &ticks[4]) != 5)
		return -EPROTO;
	for (const char *at = strstr(busy->stat.text, "\ncpu"); at;
	     at = strstr(at + 1, "\ncpu"))
		cpus++;
	if (cpus == 0)
		return -EPROTO;
	busy->cpus = cpus;
	*idleNs = (int64_t)((ticks[3] + ticks[4]) *
			    (unsigned long long)(HD_NS_PER_S /
						 sysconf(_SC_CLK_TCK)));
	return 0;
}

/* ---- Either ------------------------------------------------------------ */

static int readCounter(struct ptBusy *busy, struct ptBusySeen *seen)
{
	int64_t idleNs;
	uint64_t ns;
	int ret;

	seen->atNs = ptNow();
	if (busy->acctFd < 0)
		return readStat(busy, &seen->countNs);
	if (seen->atNs - busy->cpusSeenNs >= CPUS_NS) {
		busy->cpusSeenNs = seen->atNs;
		ret = readStat(busy, &idleNs);
		if (ret < 0)
			return ret;
	}
	if (!hdOwnedIs(&busy->acctOwned, busy->acctFd))
		return -EBADF;
	ret = ptSysReadNumber(busy->acctFd, &ns);
	seen->countNs = (int64_t)ns;
	return ret;
}

/* The accounting of the root control group, version 1. */
static int openAcct(const char *root)
{
	static const char *const mounts[] = { "cpuacct", "cpu,cpuacct" };
	char line[8];

	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		/* Only the true root has this file; what a container sees as
		 * root counts only the container. */
		if (ptSysGetLine(line, sizeof(line), root,
				 "/sys/fs/cgroup/%s/release_agent",
				 mounts[i]) == 0)
			return ptSysOpen(root,
					 "/sys/fs/cgroup/%s/cpuacct.usage",
					 mounts[i]);
	}
	return -ENOENT;
}

int ptBusyOpen(struct ptBusy *busy, const char *root)
{
	int64_t idleNs;
	int ret;

	*busy = (struct ptBusy){ .acctFd = -1 };
	ret = ptProcStatOpen(&busy->stat, root);
	if (ret < 0)
		return ret;
	ret = readStat(busy, &idleNs);
	busy->acctFd = ret < 0 ? -1 : openAcct(root);
	hdOwnedSet(&busy->acctOwned, busy->acctFd);
	busy->name = busy->acctFd < 0 ? "/proc/stat" : "cpuacct";
	busy->resolution =
		busy->acctFd < 0 ? "10 ms over 200 ms" : "1 ns over 20 ms";
	busy->windowNs = busy->acctFd < 0 ? 200 * NS_PER_MS : 20 * NS_PER_MS;
	if (ret == 0)
		ret = ptBusyBegin(busy);
	if (ret < 0)
		ptBusyClose(busy);
	return ret;
}

int ptBusyBegin(struct ptBusy *busy)
{
	int ret = readCounter(busy, &busy->from);

	busy->next = busy->from;
	return ret;
}

int ptBusyTake(struct ptBusy *busy, double *utilization)
{
	struct ptBusySeen now;
	double passed, counted;
	int ret = readCounter(busy, &now);

	if (ret < 0)
		return ret;
	/* Two moments that lie a window apart; from the later of them that is
	 * at least a window ago, or from the beginning. */
	if (now.atNs - busy->next.atNs >= busy->windowNs) {
		busy->from = busy->next;
		busy->next = now;
	}
	passed = (double)(now.atNs - busy->from.atNs) * busy->cpus;
	counted = (double)now.countNs - (double)busy->from.countNs;
	if (passed > 0)
		busy->utilization = busy->acctFd < 0 ? 1 - counted / passed
						     : counted / passed;
	if (busy->utilization < 0)
		busy->utilization = 0;
	if (busy->utilization > 1)
		busy->utilization = 1;
	*utilization = busy->utilization;
	return 0;
}

void ptBusyClose(struct ptBusy *busy)
{
	if (busy->acctFd >= 0)
		hdOwnedClose(&busy->acctOwned, busy->acctFd);
	ptProcStatClose(&busy->stat);
}
