/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Driver for the idle states (C-states) of this machine's CPUs: the share of
 * time that each is in each.
 *
 * (Linux, Documentation/admin-guide/pm/cpuidle.rst.) In
 * /sys/devices/system/cpu/cpuN/cpuidle/stateM:
 *
 *     name      "POLL", "C1", "C6"
 *     time      microseconds in this state, counted when the CPU wakes up
 *
 * C0, in which a CPU works, is what remains. POLL is an idle state of the
 * kernel's in which the CPU waits in a loop; it is not C0 here.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/machine/cpustates.h"
#include "PowerTracingLibrary/src/core/sysfile.h"

#define NS_PER_US 1000
#define STATES "/sys/devices/system/cpu/cpu%u/cpuidle"
/* C0 is one of those that a CPU can have, and so is a clock's place. */
#define STATES_MAX (PT_CPU_STATES_MAX - 2)

static const struct ptQuantity quantities[] = {
	[PT_CPU_SHARE] = { "Share", FLOAT, "%", "CStates",
			   "share of time in this state" },
	{ NULL },
};

static const char *const options[] = { "asleep", NULL };

static int cCheckOption(const char *name, const char *value, char *why,
			size_t whySize)
{
	(void)name;
	if (strcmp(value, "now") == 0 || strcmp(value, "late") == 0)
		return 0;
	snprintf(why, whySize, "expected now or late");
	return -EINVAL;
}

/* Make a label of a name; one that is there already gets its number. */
static void cstateDriverMakeLabel(char (*labels)[PT_CPU_LABEL_MAX],
				  unsigned int number)
{
	char *label = labels[number];

	for (char *at = label; *at; at++) {
		if (!((*at >= 'a' && *at <= 'z') ||
		      (*at >= 'A' && *at <= 'Z') ||
		      (*at >= '0' && *at <= '9') || *at == '.'))
			*at = '-';
	}
	for (unsigned int i = 0; i < number; i++)
		if (*label == '\0' || strcmp(labels[i], label) == 0 ||
		    strcmp(label, "C0") == 0) {
			snprintf(label, PT_CPU_LABEL_MAX, "state%u", number);
			return;
		}
	if (*label == '\0' || strcmp(label, "C0") == 0)
		snprintf(label, PT_CPU_LABEL_MAX, "state%u", number);
}

static ssize_t cList(const struct ptSetup *setup, unsigned int cpu,
		     char (**labels)[PT_CPU_LABEL_MAX])
{
	char names[STATES_MAX][PT_CPU_LABEL_MAX];
	unsigned int count = 0;
	int ret = 0;

	while (count < STATES_MAX) {
		ret = ptSysGetLine(names[count], sizeof(names[count]),
				   setup->root, STATES "/state%u/name", cpu,
				   count);
		if (ret < 0)
			break;
		cstateDriverMakeLabel(names, count++);
	}
	if (count == 0)
		return ret == -ENOMEM ? ret : -ENOENT;
	*labels = malloc(count * sizeof(**labels));
	if (!*labels)
		return -ENOMEM;
	memcpy(*labels, names, count * sizeof(**labels));
	return count;
}

static void cOpen(const struct ptSetup *setup, struct ptCpu *cpu)
{
	struct rlimit limit = { 0 };

	/* Large machines have more states than a process may have files; those
	 * beyond the half of that are opened for each reading. */
	getrlimit(RLIMIT_NOFILE, &limit);
	for (unsigned int i = 0; i < cpu->count; i++) {
		int fd = ptSysOpen(setup->root, STATES "/state%u/time",
				   cpu->number, i);

		if (fd >= 0 && (rlim_t)fd >= limit.rlim_cur / 2) {
			close(fd);
			fd = -1;
		}
		cpu->fds[i] = fd;
	}
}

static int cRead(const struct ptSetup *setup, struct ptCpu *cpu)
{
	for (unsigned int i = 0; i < cpu->count; i++) {
		uint64_t us;
		int ret = cpu->fds[i] >= 0
				  ? ptSysReadNumber(cpu->fds[i], &us)
				  : ptSysGetNumber(&us, setup->root,
						   STATES "/state%u/time",
						   cpu->number, i);

		if (ret < 0)
			return ret;
		if (us > PT_RESIDENCY_MAX_NS / NS_PER_US)
			return -EPROTO;
		cpu->residency.states[i].nextNs = (int64_t)(us * NS_PER_US);
	}
	return 0;
}

static const struct ptCpuKind kind = {
	.rest = "C0",
	.where = "cpuidle",
	.isLate = true,
	.nothing = "no CPU has cpuidle states; virtual machines do not provide "
		   "them",
	.resolution = "1 us",
	.list = cList,
	.open = cOpen,
	.read = cRead,
};

static int cResolve(const struct ptSetup *setup, const char *channel,
		    size_t index, unsigned int *number,
		    char label[PT_CHANNEL_MAX], char *why, size_t whySize)
{
	return ptCpuResolve(&kind, setup, channel, index, number, label, why,
			    whySize);
}

static void cListChannels(const struct ptSetup *setup, ptDriverPrint *print,
			  void *context)
{
	ptCpuList(&kind, setup, print, context);
}

static int cOpenDevice(struct ptDevice *dev, struct ptColumn *columns,
		       size_t count)
{
	return ptCpuOpen(&kind, dev, columns, count);
}

const struct ptDriver ptCstatesDriver = {
	.name = "cstates",
	.description = "idle states of this machine's CPUs, by the kernel's "
		       "cpuidle",
	.timing = PT_TIMED_BY_HOST,
	.minCycleMs = 1,
	.maxCycleMs = 60000,
	.quantities = quantities,
	.options = options,
	.checkOption = cCheckOption,
	.resolve = cResolve,
	.list = cListChannels,
	.open = cOpenDevice,
	.start = ptCpuStart,
	.read = ptCpuRead,
	.close = ptCpuClose,
};
