/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The backend that asks libgtop, as in the thesis; see gtop.h.
 *
 * It gives the values of the linux backend by another way: to compare, and
 * for systems that libgtop knows and we do not. libgtop has one server for
 * the whole process, so a mutex is around every call.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <glib.h>
#include <glibtop.h>
#include <glibtop/cpu.h>
#include <glibtop/fsusage.h>
#include <glibtop/mem.h>
#include <glibtop/netlist.h>
#include <glibtop/netload.h>

#include "ResourcesUtilizationTracingLibrary/src/backend/gtop.h"
#include "ResourcesUtilizationTracingLibrary/src/cpu/cpuuse.h"
#include "ResourcesUtilizationTracingLibrary/src/kernel/netdev.h"
#include "ResourcesUtilizationTracingLibrary/src/core/rutlog.h"
#include "common/clock.h"

/* As the linux backend where it has only ticks. */
#define WINDOW_NS 200000000
/* A sector; libgtop's reads and writes are in those of the kernel. */
#define SECTOR 512

static pthread_mutex_t gtopMutex = PTHREAD_MUTEX_INITIALIZER;

static void gtopEnter(void)
{
	pthread_mutex_lock(&gtopMutex);
	glibtop_init();
}

static void gtopLeave(void)
{
	pthread_mutex_unlock(&gtopMutex);
}

/* CPU. */

/* Counters at one time. */
struct gtopTimes {
	int64_t ns;
	uint64_t total; /* Idle ticks of all CPUs; then of each. */
	uint64_t each[GLIBTOP_NCPU];
};

struct gtopCpu {
	rutSources sources;
	unsigned int count;
	uint64_t frequency;
	struct gtopTimes *ring;
	size_t ringSize;
	size_t ringFirst;
	size_t ringCount;
};

static void gtopGetTimes(struct gtopTimes *times)
{
	glibtop_cpu cpu;

	gtopEnter();
	times->ns = hdMonotonicNow();
	glibtop_get_cpu(&cpu);
	gtopLeave();
	times->total = cpu.idle + cpu.iowait;
	for (size_t i = 0; i < GLIBTOP_NCPU; i++)
		times->each[i] = cpu.xcpu_idle[i] + cpu.xcpu_iowait[i];
}

static void gtopCpuClose(void *data)
{
	struct gtopCpu *state = data;

	free(state->ring);
	free(state);
}

/* libgtop knows CPUs by number, up to a limit of its own. */
static int gtopCpuOpenAll(struct gtopCpu *state, const struct rutSetup *setup,
			  struct rutColumns *columns)
{
	const struct rutColumn column = {
		.type = FLOAT,
		.unit = "%",
		.grouping = "CPU",
		.source = "libgtop",
		.resolution = "10 ms over 200 ms",
	};
	glibtop_cpu cpu;
	int ret = 0;

	gtopEnter();
	glibtop_get_cpu(&cpu);
	gtopLeave();
	while (state->count < GLIBTOP_NCPU && cpu.xcpu_total[state->count] > 0)
		state->count++;
	/* An old kernel, one CPU: no lines of CPUs. */
	if (state->count == 0)
		return -ENOENT;
	state->sources = setup->sources;
	state->frequency = cpu.frequency > 0 ? cpu.frequency : 100;
	state->ringSize = (size_t)(WINDOW_NS / setup->intervalNs) + 3;
	state->ring = calloc(state->ringSize, sizeof(*state->ring));
	if (!state->ring)
		return -ENOMEM;
	if (setup->sources.CPU_UTIL)
		ret = rutColumnsAdd(columns, &column, "CPU_TOTAL");
	for (unsigned int i = 0;
	     ret == 0 && setup->sources.CPU_UTIL_X && i < state->count; i++)
		ret = rutColumnsAdd(columns, &column, "CPU_TOTAL_%u", i);
	return ret;
}

static int gtopCpuOpen(const struct rutSetup *setup, struct rutColumns *columns,
		       void **result)
{
	struct gtopCpu *state = calloc(1, sizeof(*state));
	int ret;

	if (!state)
		return -ENOMEM;
	ret = gtopCpuOpenAll(state, setup, columns);
	if (ret < 0) {
		gtopCpuClose(state);
		return ret;
	}
	*result = state;
	return 0;
}

static void gtopCpuRead(void *data, enum rutWhy why, union hdCell *cells)
{
	struct gtopCpu *state = data;
	struct gtopTimes *now, *then;
	int64_t tickNs = 1000000000 / (int64_t)state->frequency, wall;

	if (why == RUT_WHY_FOLLOW)
		return;
	if (why == RUT_WHY_BEGIN)
		state->ringCount = 0;
	while (state->ringCount > 1) {
		size_t second = (state->ringFirst + 1) % state->ringSize;

		if (state->ringCount < state->ringSize &&
		    hdMonotonicNow() - state->ring[second].ns < WINDOW_NS)
			break;
		state->ringFirst = second;
		state->ringCount--;
	}
	now = &state->ring[(state->ringFirst + state->ringCount++) %
			   state->ringSize];
	gtopGetTimes(now);
	if (why == RUT_WHY_BEGIN)
		return;
	then = &state->ring[state->ringFirst];
	wall = now->ns - then->ns;
	if (state->sources.CPU_UTIL) {
		int64_t all = wall * state->count;

		(cells++)->f = rutPercent(
			all - (int64_t)(now->total - then->total) * tickNs,
			all);
	}
	for (unsigned int i = 0; state->sources.CPU_UTIL_X && i < state->count;
	     i++)
		cells[i].f = rutPercent(
			wall - (int64_t)(now->each[i] - then->each[i]) * tickNs,
			wall);
}

static const struct rutSource gtopCpuSource = {
	.name = "cpu",
	.isWanted = rutWantsCpu,
	.open = gtopCpuOpen,
	.read = gtopCpuRead,
	.close = gtopCpuClose,
};

/* Memory. */

static int gtopMemoryOpen(const struct rutSetup *setup,
			  struct rutColumns *columns, void **result)
{
	rutSources *state;
	int ret = rutMemoryAddColumns(&setup->sources, columns);

	if (ret < 0)
		return ret;
	state = malloc(sizeof(*state));
	if (!state)
		return -ENOMEM;
	*state = setup->sources;
	*result = state;
	return 0;
}

static void gtopMemoryRead(void *data, enum rutWhy why, union hdCell *cells)
{
	struct rutMemory memory;
	glibtop_mem got;

	if (why != RUT_WHY_SAMPLE)
		return;
	gtopEnter();
	glibtop_get_mem(&got);
	gtopLeave();
	memory = (struct rutMemory){
		.used = (int64_t)got.used,
		.free = (int64_t)got.free,
		.shared = (int64_t)got.shared,
		.buffer = (int64_t)got.buffer,
		.cached = (int64_t)got.cached,
	};
	rutMemoryPut(data, &memory, cells);
}

static const struct rutSource gtopMemorySource = {
	.name = "memory",
	.isWanted = rutWantsMemory,
	.open = gtopMemoryOpen,
	.read = gtopMemoryRead,
	.close = free,
};

/* Network: the interfaces that there are at the beginning. */

/* Bytes, or sectors. */
static const struct hdCounterLaw gtopLaw = { .rate = 1e12 };

static bool gtopNetworkRead(struct rutNetDev *netdev, enum rutWhy why)
{
	int64_t now = hdMonotonicNow();

	for (size_t i = 0; i < netdev->count; i++) {
		struct rutNetIf *netif = &netdev->list[i];
		struct hdCounter *in = &netif->counters[RUT_NET_BYTES_IN];
		struct hdCounter *out = &netif->counters[RUT_NET_BYTES_OUT];
		glibtop_netload load;

		gtopEnter();
		glibtop_get_netload(&load, netif->name);
		gtopLeave();
		rutCounterRead(in, &gtopLaw, why, load.bytes_in, now);
		rutCounterRead(out, &gtopLaw, why, load.bytes_out, now);
	}
	return true;
}

static int gtopNetworkOpen(const struct rutSetup *setup,
			   struct rutColumns *columns, void **result)
{
	struct rutNetDev netdev = {
		.root = "",
		.read = gtopNetworkRead,
		.file = RUT_FILE_NONE,
		.socket = -1,
	};
	glibtop_netlist netlist;
	char **names;

	gtopEnter();
	names = glibtop_get_netlist(&netlist);
	gtopLeave();
	for (size_t i = 0; names && i < netlist.number; i++) {
		const struct hdWord name = { names[i], strlen(names[i]) };

		if (name.length < sizeof(netdev.list[0].name))
			rutNetDevAdd(&netdev, &name);
	}
	g_strfreev(names);
	rutNetDevClassify(&netdev);
	return rutNetworkOpenUpon(&netdev, setup, columns, result);
}

static void gtopNetworkReadCells(void *state, enum rutWhy why,
				 union hdCell *cells)
{
	rutNetworkSource.read(state, why, cells);
}

static void gtopNetworkClose(void *state)
{
	rutNetworkSource.close(state);
}

static const struct rutSource gtopNetworkSource = {
	.name = "network",
	.isWanted = rutWantsNetwork,
	.open = gtopNetworkOpen,
	.read = gtopNetworkReadCells,
	.close = gtopNetworkClose,
};

/* Disk: a mount point is all that libgtop knows. */

struct gtopDisk {
	rutSources sources;
	char *mountPoint;
	struct hdCounter read;
	struct hdCounter written;
};

static void gtopDiskClose(void *data)
{
	struct gtopDisk *state = data;

	free(state->mountPoint);
	free(state);
}

static bool gtopDiskGet(const char *mountPoint, glibtop_fsusage *usage)
{
	gtopEnter();
	glibtop_get_fsusage(usage, mountPoint);
	gtopLeave();
	return (usage->flags & (1 << GLIBTOP_FSUSAGE_READ)) != 0;
}

static int gtopDiskOpen(const struct rutSetup *setup,
			struct rutColumns *columns, void **result)
{
	const struct rutColumn column = {
		.type = INT64,
		.unit = "B",
		.grouping = "HDD",
		.kind = HD_KIND_DELTA,
	};
	struct gtopDisk *state = calloc(1, sizeof(*state));
	glibtop_fsusage usage;
	int ret = 0;

	if (!state)
		return -ENOMEM;
	state->sources = setup->sources;
	state->mountPoint = strdup(setup->mountPoint ? setup->mountPoint : "/");
	if (!state->mountPoint)
		ret = -ENOMEM;
	else if (!gtopDiskGet(state->mountPoint, &usage))
		ret = setup->mountPoint ? -ENODEV : -ENOENT;
	if (ret == -ENODEV)
		rutMessage(HD_LOG_ERROR,
			   "RUT_HDD_MOUNTPOINT: libgtop has no device at %s",
			   setup->mountPoint);
	if (ret == 0 && setup->sources.HDD_READ)
		ret = rutColumnsAdd(columns, &column, "HDD_READ");
	if (ret == 0 && setup->sources.HDD_WRITE)
		ret = rutColumnsAdd(columns, &column, "HDD_WRITE");
	if (ret < 0) {
		gtopDiskClose(state);
		return ret;
	}
	*result = state;
	return 0;
}

static void gtopDiskRead(void *data, enum rutWhy why, union hdCell *cells)
{
	struct gtopDisk *state = data;
	glibtop_fsusage usage;

	if (gtopDiskGet(state->mountPoint, &usage)) {
		int64_t now = hdMonotonicNow();

		rutCounterRead(&state->read, &gtopLaw, why, usage.read, now);
		rutCounterRead(&state->written, &gtopLaw, why, usage.write,
			       now);
	} else {
		hdCounterLose(&state->read);
		hdCounterLose(&state->written);
	}
	if (why != RUT_WHY_SAMPLE)
		return;
	if (state->sources.HDD_READ)
		(cells++)->i = rutCounterTake(&state->read, SECTOR);
	if (state->sources.HDD_WRITE)
		cells->i = rutCounterTake(&state->written, SECTOR);
}

static const struct rutSource gtopDiskSource = {
	.name = "disk",
	.isWanted = rutWantsDisk,
	.open = gtopDiskOpen,
	.read = gtopDiskRead,
	.close = gtopDiskClose,
};

static const struct rutSource *const gtopSources[] = {
	&gtopCpuSource,     &gtopMemorySource,  &gtopNetworkSource,
	&gtopDiskSource,    &rutSwitchesSource, &rutFrequencySource,
	&rutIdleSource,     &rutDevicesSource,  &rutPacketsSource,
	&rutPressureSource, &rutTracerSource,   NULL,
};

const struct rutSource *const *const rutGtopSources = gtopSources;
