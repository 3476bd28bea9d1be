/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters of perf_event_open(2). */
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/perf.h"

const struct hdPerfKernel *hdPerfFake;

int hdPerfOpen(uint32_t type, uint64_t event, int pid, int cpu)
{
	struct perf_event_attr attr;
	long counter;

	memset(&attr, 0, sizeof(attr));
	attr.type = type;
	attr.size = sizeof(attr);
	attr.config = event;
	attr.read_format =
		PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (hdPerfFake)
		return hdPerfFake->open(&attr, pid, cpu);
	counter = syscall(SYS_perf_event_open, &attr, pid, cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);
	return counter < 0 ? -errno : (int)counter;
}

int hdPerfRead(int counter, struct hdPerfReading *reading)
{
	uint64_t numbers[3];
	ssize_t got;
	int ret = 0;

	if (hdPerfFake) {
		ret = hdPerfFake->read(counter, numbers);
	} else {
		do
			got = read(counter, numbers, sizeof(numbers));
		while (got < 0 && errno == EINTR);
		/* Nothing: the event is in error, its CPU has gone, say. */
		if (got != (ssize_t)sizeof(numbers))
			ret = got < 0 ? -errno : -ENODEV;
	}
	if (ret < 0)
		return ret;
	*reading = (struct hdPerfReading){ numbers[0], numbers[1], numbers[2] };
	return 0;
}

void hdPerfClose(int counter)
{
	if (hdPerfFake)
		hdPerfFake->close(counter);
	else
		close(counter);
}

uint64_t hdPerfTake(struct hdPerfReading *before,
		    const struct hdPerfReading *now)
{
	uint64_t value = now->value - before->value;
	uint64_t enabled = now->enabledNs - before->enabledNs;
	uint64_t running = now->runningNs - before->runningNs;

	if (running == 0)
		return 0;
	*before = *now;
	if (running >= enabled)
		return value;
	return (uint64_t)((unsigned __int128)value * enabled / running);
}

const char *hdPerfReason(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return "the kernel does not allow it "
		       "(/proc/sys/kernel/perf_event_paranoid, or the "
		       "container "
		       "forbids perf_event_open)";
	case ENOENT:
	case EOPNOTSUPP:
		return "the processor shows no such counters (a virtual "
		       "machine, say)";
	case ENOSYS:
		return "the kernel, or the container, has no perf_event_open";
	case EMFILE:
		return "too many open files: it needs one for each counter of "
		       "each CPU";
	default:
		return strerror(error);
	}
}
