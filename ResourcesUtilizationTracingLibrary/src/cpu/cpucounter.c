/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's counters of what CPUs do; see cpucounter.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "ResourcesUtilizationTracingLibrary/src/cpu/cpucounter.h"
#include "ResourcesUtilizationTracingLibrary/src/core/rutlog.h"
#include "common/clock.h"

/* How often we look which CPUs are online where no file says it anyway. */
#define ONLINE_NS HD_NS_PER_S
/* Counters that are compared need at least this long a history. */
#define HISTORY_NS (INT64_C(10) * HD_NS_PER_S)

/* No sum of times gets beyond this, however absurd the counters are; sums and
 * differences of a few such sums do not overflow. */
#define TIME_MAX_NS (INT64_MAX / 8)

static int64_t timeAdd(int64_t sumNs, uint64_t count, int64_t unitNs)
{
	if (count >= (uint64_t)((TIME_MAX_NS - sumNs) / unitNs))
		return TIME_MAX_NS;
	return sumNs + (int64_t)count * unitNs;
}

bool rutCpuStatParse(struct hdScan *scan, const struct rutCpuList *list,
		     struct rutCpu *cpus, int64_t tickNs)
{
	size_t hint = 0, place;
	uint64_t number, values[5], passed;
	bool isAny = false;

	for (size_t i = 0; i < list->count; i++)
		cpus[i].isOnline = false;
	do {
		struct rutCpu *cpu;

		/* The first line is the sum: "cpu  1 2 3". */
		if (!hdScanLiteral(scan, "cpu"))
			break;
		if (scan->at < scan->end && *scan->at == ' ')
			continue;
		if (!hdScanNumber(scan, &number) ||
		    !hdScanNumbers(scan, values, 5))
			continue;
		place = rutCpuListFind(list, number, &hint);
		if (place == list->count)
			continue;
		cpu = &cpus[place];
		cpu->isOnline = isAny = true;
		passed = 0;
		cpu->isReset =
			!rutTicksFollow(&cpu->rawIdle, values[3], &passed);
		cpu->isReset |=
			!rutTicksFollow(&cpu->rawWait, values[4], &passed);
		cpu->idleNs = timeAdd(cpu->idleNs, passed, tickNs);
	} while (hdScanNextLine(scan));
	return isAny;
}

/* Idle-state residency: microseconds per state. */

static int cpuidleOpenStates(struct rutCpuCounter *counter, const char *root,
			     unsigned int cpu, size_t limit)
{
	for (unsigned int state = 0;; state++) {
		struct rutFile *files;
		int ret;

		if (counter->fileCount == limit)
			return -EMFILE;
		files = realloc(counter->files,
				(counter->fileCount + 1) * sizeof(*files));
		if (!files)
			return -ENOMEM;
		counter->files = files;
		ret = rutFileOpen(
			&files[counter->fileCount], root,
			"/sys/devices/system/cpu/cpu%u/cpuidle/state%u/time",
			cpu, state);
		if (ret < 0)
			return state > 0 && ret == -ENOENT ? 0 : ret;
		counter->fileCount++;
	}
}

static int cpuidleOpen(struct rutCpuCounter *counter, const char *root)
{
	size_t limit = rutFilesMax();

	counter->fileEnds = calloc(counter->list.count, sizeof(size_t));
	if (!counter->fileEnds)
		return -ENOMEM;
	for (size_t i = 0; i < counter->list.count; i++) {
		int ret = cpuidleOpenStates(counter, root,
					    counter->list.numbers[i], limit);

		/* A CPU that is offline may have none. */
		if (ret < 0 && (ret != -ENOENT || counter->cpus[i].isOnline))
			return ret;
		counter->fileEnds[i] = counter->fileCount;
	}
	return 0;
}

static int cpuidleRead(struct rutCpuCounter *counter)
{
	size_t file = 0;

	for (size_t i = 0; i < counter->list.count; i++) {
		uint64_t sum = 0, us;
		size_t first = file;
		bool isValid = file < counter->fileEnds[i];

		for (; file < counter->fileEnds[i]; file++) {
			struct hdScan scan;

			if (rutFileRead(&counter->files[file], &scan) < 0 ||
			    !hdScanOnly(&scan, &us))
				isValid = false;
			else
				sum += us;
		}
		if (isValid)
			counter->cpus[i].rawFine = 1000 * sum;
		else if (file > first)
			counter->cpus[i].isReset = true;
	}
	return 0;
}

/* CPU accounting of the root control group, version 1: nanoseconds. */

static int cpuacctOpen(struct rutCpuCounter *counter, const char *root)
{
	static const char *const mounts[] = { "cpuacct", "cpu,cpuacct" };
	struct rutCpuList possible;
	size_t hint = 0;
	int ret = -ENOENT;

	for (size_t i = 0; ret < 0 && i < 2; i++) {
		/* Only the true root has this file; what a container sees as
		 * root counts only the container. */
		if (rutFileExists(root, "/sys/fs/cgroup/%s/release_agent",
				  mounts[i]))
			ret = rutFileOpen(
				&counter->file, root,
				"/sys/fs/cgroup/%s/cpuacct.usage_percpu",
				mounts[i]);
	}
	if (ret < 0)
		return ret;
	ret = rutCpuListGet(&possible, root, "possible");
	if (ret < 0)
		return ret;
	counter->places = calloc(possible.count, sizeof(size_t));
	if (counter->places) {
		counter->placeCount = possible.count;
		for (size_t i = 0; i < possible.count; i++)
			counter->places[i] = rutCpuListFind(
				&counter->list, possible.numbers[i], &hint);
	}
	rutCpuListClear(&possible);
	return counter->places ? 0 : -ENOMEM;
}

static int cpuacctRead(struct rutCpuCounter *counter)
{
	struct hdScan scan;
	uint64_t ns;
	int ret = rutFileRead(&counter->file, &scan);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < counter->placeCount; i++) {
		if (!hdScanNumber(&scan, &ns))
			return -EINVAL;
		if (counter->places[i] < counter->list.count)
			counter->cpus[counter->places[i]].rawFine = ns;
	}
	return 0;
}

/* Run time of tasks, by the scheduler: nanoseconds, the seventh number. */

static int schedstatOpen(struct rutCpuCounter *counter, const char *root)
{
	return rutFileOpen(&counter->file, root, "/proc/schedstat");
}

static int schedstatRead(struct rutCpuCounter *counter)
{
	struct hdScan scan;
	size_t hint = 0, found = 0;
	int ret = rutFileRead(&counter->file, &scan);

	if (ret < 0)
		return ret;
	do {
		uint64_t number, values[7];
		size_t place;

		if (!hdScanLiteral(&scan, "cpu") ||
		    !hdScanNumber(&scan, &number) ||
		    !hdScanNumbers(&scan, values, 7))
			continue;
		place = rutCpuListFind(&counter->list, number, &hint);
		if (place == counter->list.count)
			continue;
		counter->cpus[place].rawFine = values[6];
		found++;
	} while (hdScanNextLine(&scan));
	return found > 0 ? 0 : -EINVAL;
}

/* Ticks only. */

static int statOpen(struct rutCpuCounter *counter, const char *root)
{
	(void)counter;
	(void)root;
	return 0;
}

static int statRead(struct rutCpuCounter *counter)
{
	(void)counter;
	return 0;
}

static const struct rutCpuCounterKind cpuKinds[] = {
	{
		.name = "cpuidle",
		.resolution = "1 us",
		.isIdle = true,
		.isLagging = true,
		.needsStat = true,
		.open = cpuidleOpen,
		.read = cpuidleRead,
	},
	{
		.name = "cpuacct",
		.resolution = "1 ns",
		.open = cpuacctOpen,
		.read = cpuacctRead,
	},
	{
		.name = "schedstat",
		.resolution = "1 ns",
		.isLagging = true,
		.needsStat = true,
		.open = schedstatOpen,
		.read = schedstatRead,
	},
	{
		.name = "stat",
		.resolution = "10 ms over 200 ms",
		.needsStat = true,
		.open = statOpen,
		.read = statRead,
	},
};

static bool counterReadStat(struct rutCpuCounter *counter)
{
	struct hdScan scan;

	return rutFileRead(&counter->stat, &scan) == 0 &&
	       rutCpuStatParse(&scan, &counter->list, counter->cpus,
			       counter->tickNs);
}

/* Which CPUs are online, where /proc/stat is not read. */
static void counterReadOnline(struct rutCpuCounter *counter)
{
	struct hdScan scan;
	uint64_t first, last;
	size_t i = 0;

	if (rutFileRead(&counter->online, &scan) < 0)
		return;
	do {
		if (!hdScanNumber(&scan, &first))
			break;
		last = first;
		if (hdScanLiteral(&scan, "-") && !hdScanNumber(&scan, &last))
			break;
		for (; i < counter->list.count &&
		       counter->list.numbers[i] <= last;
		     i++)
			counter->cpus[i].isOnline =
				counter->list.numbers[i] >= first;
	} while (hdScanLiteral(&scan, ","));
	for (; i < counter->list.count; i++)
		counter->cpus[i].isOnline = false;
}

void rutCpuCounterRead(struct rutCpuCounter *counter)
{
	int64_t now = hdMonotonicNow();

	for (size_t i = 0; i < counter->list.count; i++)
		counter->cpus[i].isReset = false;
	counter->isKnown = true;
	if (counter->kind->needsStat) {
		counter->isKnown = counterReadStat(counter);
	} else if (now - counter->onlineReadNs >= ONLINE_NS) {
		counter->onlineReadNs = now;
		counterReadOnline(counter);
	}
	/* Rather the time of the fine counter than that of the coarse one. */
	counter->readNs = hdMonotonicNow();
	if (counter->kind->read(counter) < 0)
		counter->isKnown = false;
	for (size_t i = 0; i < counter->list.count; i++) {
		struct rutCpu *cpu = &counter->cpus[i];

		/* What one that starts anew has counted is not known. */
		if (cpu->rawFine >= cpu->seenFine)
			cpu->fineNs = timeAdd(cpu->fineNs,
					      cpu->rawFine - cpu->seenFine, 1);
		else
			cpu->isReset = true;
		cpu->seenFine = cpu->rawFine;
	}
}

/* Whether a fine counter says since the start of the system about the same as
 * /proc/stat; what has been reset or counts something else does not. */
static bool counterIsPlausible(const struct rutCpuCounter *counter,
			       struct hdScan *scan)
{
	uint64_t values[8] = { 0 };
	int64_t fine = 0, coarse = 0;

	for (size_t i = 0; i < counter->list.count; i++)
		fine = timeAdd(fine, counter->cpus[i].rawFine, 1);
	if (!hdScanLiteral(scan, "cpu ") || !hdScanNumbers(scan, values, 7))
		return true;
	/* Idle and iowait; or user, nice and system. */
	for (size_t i = counter->kind->isIdle ? 3 : 0;
	     i < (counter->kind->isIdle ? 5 : 3); i++)
		coarse = timeAdd(coarse, values[i], counter->tickNs);
	return coarse < HISTORY_NS || (fine > coarse / 3 && fine / 3 < coarse);
}

/* Close what the kinds open. */
static void counterCloseKind(struct rutCpuCounter *counter)
{
	for (size_t i = 0; i < counter->fileCount; i++)
		rutFileClose(&counter->files[i]);
	counter->fileCount = 0;
	free(counter->files);
	counter->files = NULL;
	free(counter->fileEnds);
	counter->fileEnds = NULL;
	free(counter->places);
	counter->places = NULL;
	counter->placeCount = 0;
	rutFileClose(&counter->file);
}

static int counterTry(struct rutCpuCounter *counter, const char *root,
		      const struct rutCpuCounterKind *kind)
{
	struct hdScan scan;
	int ret;

	counter->kind = kind;
	if (kind->needsStat && counter->stat.fd < 0)
		return -ENOENT;
	ret = kind->open(counter, root);
	if (ret == 0)
		ret = kind->read(counter);
	if (ret == 0 && kind->open != statOpen &&
	    rutFileRead(&counter->stat, &scan) == 0 &&
	    !counterIsPlausible(counter, &scan))
		ret = -ERANGE;
	if (ret == 0)
		return 0;
	rutMessage(HD_LOG_DEBUG, "%s: no CPU utilization: %s", kind->name,
		   strerror(-ret));
	counterCloseKind(counter);
	for (size_t i = 0; i < counter->list.count; i++)
		counter->cpus[i].rawFine = 0;
	return ret;
}

int rutCpuCounterOpen(struct rutCpuCounter *counter, const char *root,
		      enum rutCpuSource source)
{
	const size_t kindCount = sizeof(cpuKinds) / sizeof(cpuKinds[0]);
	int ret;

	*counter = (struct rutCpuCounter){
		.online = RUT_FILE_NONE,
		.stat = RUT_FILE_NONE,
		.file = RUT_FILE_NONE,
		.tickNs = HD_NS_PER_S / sysconf(_SC_CLK_TCK),
	};
	ret = rutCpuListGet(&counter->list, root, "present");
	if (ret < 0)
		return ret;
	ret = -ENOMEM;
	counter->cpus = calloc(counter->list.count, sizeof(struct rutCpu));
	if (!counter->cpus)
		goto fail;
	for (size_t i = 0; i < counter->list.count; i++)
		counter->cpus[i].isOnline = true;
	rutFileOpen(&counter->stat, root, "/proc/stat");
	rutFileOpen(&counter->online, root, "/sys/devices/system/cpu/online");
	counterReadOnline(counter);
	if (counter->stat.fd >= 0)
		counterReadStat(counter);
	ret = -ENOENT;
	for (size_t i = 0; i < kindCount; i++) {
		if (source != RUT_CPU_BEST && source != RUT_CPU_CPUIDLE + i)
			continue;
		ret = counterTry(counter, root, &cpuKinds[i]);
		if (ret == 0 || ret == -ENOMEM)
			break;
		ret = -ENOENT;
	}
	if (ret < 0)
		goto fail;
	if (!counter->kind->needsStat)
		rutFileClose(&counter->stat);
	rutCpuCounterRead(counter);
	return 0;

fail:
	rutCpuCounterClose(counter);
	return ret;
}

void rutCpuCounterClose(struct rutCpuCounter *counter)
{
	counterCloseKind(counter);
	rutFileClose(&counter->stat);
	rutFileClose(&counter->online);
	free(counter->cpus);
	counter->cpus = NULL;
	rutCpuListClear(&counter->list);
}
