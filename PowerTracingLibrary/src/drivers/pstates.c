/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Driver for the frequencies (P-states) of this machine's CPUs: the share of
 * time that each runs at each, or where nobody counts that, its clock.
 *
 * (Linux, Documentation/cpu-freq/cpufreq-stats.rst.) In
 * /sys/devices/system/cpu/cpuN/cpufreq:
 *
 *     stats/time_in_state     "2400000 1234\n..." kHz, and time in 10 ms
 *     scaling_cur_freq        kHz now
 *
 * The drivers intel_pstate and amd-pstate choose frequencies that the kernel
 * does not know of, and there are no stats then.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/machine/cpustates.h"
#include "PowerTracingLibrary/src/core/sysfile.h"
#include "common/clock.h"

#define KHZ_PER_MHZ 1000
#define TEXT_MAX 8192
#define FREQUENCIES "/sys/devices/system/cpu/cpu%u/cpufreq"
/* A clock has a place, and so has what is no state. */
#define STATES_MAX (PT_CPU_STATES_MAX - 2)

static const struct ptQuantity quantities[] = {
	[PT_CPU_SHARE] = { "Share", FLOAT, "%", "PStates",
			   "share of time at this frequency" },
	[PT_CPU_CLOCK] = { "Clock", DOUBLE, "Hz", "Frequency",
			   "frequency at the end of the interval" },
	{ NULL },
};

/* A line of time_in_state. */
struct entry {
	uint64_t khz, ticks;
};

static bool pstatesParseNumber(const char **at, uint64_t *number)
{
	const char *begin = *at;

	*number = 0;
	for (; **at >= '0' && **at <= '9'; ++*at)
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, (uint64_t)(**at - '0'),
					   number))
			return false;
	return *at > begin;
}

/* Parse all lines; their number, or -EPROTO. */
static ssize_t pstatesParse(const char *at, struct entry entries[STATES_MAX])
{
	size_t count = 0;

	while (*at) {
		if (count == STATES_MAX ||
		    !pstatesParseNumber(&at, &entries[count].khz) ||
		    *at++ != ' ' ||
		    !pstatesParseNumber(&at, &entries[count].ticks) ||
		    *at++ != '\n')
			return -EPROTO;
		count++;
	}
	return count > 0 ? (ssize_t)count : -EPROTO;
}

/* Read a file that is open as far as there is room. */
static ssize_t pstatesReadEntries(int fd, struct entry entries[STATES_MAX])
{
	char text[TEXT_MAX];
	size_t used = 0;
	ssize_t got;

	do {
		got = ptSysPread(fd, text + used, sizeof(text) - 1 - used,
				 (off_t)used);
		if (got < 0)
			return -errno;
		used += (size_t)got;
	} while (got > 0 && used < sizeof(text) - 1);
	text[used] = '\0';
	return pstatesParse(text, entries);
}

static int openEntries(const struct ptSetup *setup, unsigned int cpu)
{
	return ptSysOpen(setup->root, FREQUENCIES "/stats/time_in_state", cpu);
}

static ssize_t pList(const struct ptSetup *setup, unsigned int cpu,
		     char (**labels)[PT_CPU_LABEL_MAX])
{
	struct entry entries[STATES_MAX];
	int fd = openEntries(setup, cpu);
	ssize_t count;

	if (fd < 0)
		return -ENOENT;
	count = pstatesReadEntries(fd, entries);
	close(fd);
	if (count < 0)
		return -ENOENT;
	*labels = malloc((size_t)count * sizeof(**labels));
	if (!*labels)
		return -ENOMEM;
	for (ssize_t i = 0; i < count; i++)
		snprintf((*labels)[i], PT_CPU_LABEL_MAX, "%lluMHz",
			 (unsigned long long)(entries[i].khz / KHZ_PER_MHZ));
	return count;
}

static void pOpen(const struct ptSetup *setup, struct ptCpu *cpu)
{
	cpu->fds[0] = openEntries(setup, cpu->number);
}

static int pRead(const struct ptSetup *setup, struct ptCpu *cpu)
{
	uint64_t tickNs = (uint64_t)(HD_NS_PER_S / sysconf(_SC_CLK_TCK));
	struct entry entries[STATES_MAX];
	ssize_t count;

	(void)setup;
	if (cpu->fds[0] < 0)
		return cpu->fds[0];
	count = pstatesReadEntries(cpu->fds[0], entries);
	if (count < 0)
		return (int)count;
	/* There are other frequencies now. */
	if ((size_t)count != cpu->count)
		return -ENODEV;
	for (size_t i = 0; i < cpu->count; i++) {
		if (entries[i].ticks > PT_RESIDENCY_MAX_NS / tickNs)
			return -EPROTO;
		cpu->residency.states[i].nextNs =
			(int64_t)(entries[i].ticks * tickNs);
	}
	return 0;
}

static int pReadClock(const struct ptSetup *setup, unsigned int cpu,
		      double *hertz)
{
	uint64_t khz;
	int ret = ptSysGetNumber(&khz, setup->root,
				 FREQUENCIES "/scaling_cur_freq", cpu);

	if (ret == 0)
		*hertz = (double)khz * 1000;
	return ret;
}

static const struct ptCpuKind kind = {
	.where = "cpufreq",
	.nothing = "no CPU counts its time at each frequency (cpufreq/stats); "
		   "intel_pstate, amd-pstate and virtual machines do not "
		   "provide this",
	.resolution = "10 ms",
	.list = pList,
	.open = pOpen,
	.read = pRead,
	.readClock = pReadClock,
};

static int pResolve(const struct ptSetup *setup, const char *channel,
		    size_t index, unsigned int *number,
		    char label[PT_CHANNEL_MAX], char *why, size_t whySize)
{
	return ptCpuResolve(&kind, setup, channel, index, number, label, why,
			    whySize);
}

static void pListChannels(const struct ptSetup *setup, ptDriverPrint *print,
			  void *context)
{
	ptCpuList(&kind, setup, print, context);
}

static int pOpenDevice(struct ptDevice *dev, struct ptColumn *columns,
		       size_t count)
{
	return ptCpuOpen(&kind, dev, columns, count);
}

const struct ptDriver ptPstatesDriver = {
	.name = "pstates",
	.description = "frequencies of this machine's CPUs, by the kernel's "
		       "cpufreq",
	.timing = PT_TIMED_BY_HOST,
	.minCycleMs = 1,
	.maxCycleMs = 60000,
	.quantities = quantities,
	.resolve = pResolve,
	.list = pListChannels,
	.open = pOpenDevice,
	.start = ptCpuStart,
	.read = ptCpuRead,
	.close = ptCpuClose,
};
