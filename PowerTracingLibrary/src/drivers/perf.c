/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Driver for the energy events of the kernel's perf: RAPL again, for those who
 * may use perf but not read the powercap files.
 *
 * (Linux, Documentation/ABI/testing/sysfs-bus-event_source-devices-events.)
 * In /sys/bus/event_source/devices/power, and power_core on AMD:
 *
 *     type                       number of the PMU
 *     cpumask                    the CPU of each package to open events on
 *     events/energy-pkg          "event=0x02"
 *     events/energy-pkg.scale    "2.3283064365386962890625e-10"
 *     events/energy-pkg.unit     "Joules"
 *
 * The kernel extends the counters to 64 bits; they do not wrap. There are
 * machines, virtual ones above all, where the PMU is there and has no events.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/drivers/perf.h"
#include "PowerTracingLibrary/src/machine/sysfile.h"

#define PMUS "/sys/bus/event_source/devices"
#define CPUS "/sys/devices/system/cpu"
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

static int openEvent(uint32_t type, uint64_t config, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = type,
		.config = config,
	};
	long fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);

	return fd >= 0 ? (int)fd : -errno;
}

int (*ptPerfOpenEvent)(uint32_t type, uint64_t config, int cpu) = openEvent;
ssize_t (*ptPerfRead)(int fd, void *bytes, size_t count) = read;

/* Parse a decimal number that must end with one of some characters. */
static bool scanNumber(const char **at, unsigned long *number)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	*number = strtoul(*at, &end, 10);
	*at = end;
	return *number <= INT32_MAX;
}

/* "package-0", "package-0-ram"; "cpu-3-core" of what each core has. */
static void makeLabel(const struct ptSetup *setup, const char *pmu,
		      const char *event, unsigned int cpu,
		      struct ptSensor *sensor)
{
	uint64_t package;

	if (strcmp(pmu, "power") != 0 ||
	    ptSysGetNumber(&package, setup->root,
			   CPUS "/cpu%u/topology/physical_package_id", cpu) < 0)
		ptSensorSetLabel(sensor, "cpu-%u-%s", cpu, event);
	else if (strcmp(event, "psys") == 0 && package == 0)
		ptSensorSetLabel(sensor, "psys");
	else if (strcmp(event, "pkg") == 0)
		ptSensorSetLabel(sensor, "package-%" PRIu64, package);
	else
		ptSensorSetLabel(sensor, "package-%" PRIu64 "-%s", package,
				 event);
}

/* What the files of an event say. */
struct event {
	const char *name; /* "pkg" */
	uint32_t type;
	uint64_t config;
	double joules;
};

/* Read the files of an event; false if it is none that counts energy. */
static bool readEvent(const struct ptSetup *setup, const char *pmu,
		      const char *file, struct event *event)
{
	char text[64], *end;
	uint64_t type;

	if (strncmp(file, "energy-", 7) != 0 || strchr(file, '.') ||
	    ptSysGetNumber(&type, setup->root, PMUS "/%s/type", pmu) < 0 ||
	    type > UINT32_MAX ||
	    ptSysGetLine(text, sizeof(text), setup->root,
			 PMUS "/%s/events/%s.unit", pmu, file) < 0 ||
	    strcmp(text, "Joules") != 0 ||
	    ptSysGetLine(text, sizeof(text), setup->root,
			 PMUS "/%s/events/%s.scale", pmu, file) < 0 ||
	    ptSysParseDouble(text, &event->joules) < 0 ||
	    !(event->joules > 0 && event->joules <= 1) ||
	    ptSysGetLine(text, sizeof(text), setup->root, PMUS "/%s/events/%s",
			 pmu, file) < 0 ||
	    strncmp(text, "event=0x", 8) != 0)
		return false;
	event->name = file + 7;
	event->type = (uint32_t)type;
	event->config = strtoull(text + 8, &end, 16);
	return end > text + 8 && *end == '\0';
}

static int addEvent(const struct ptSetup *setup, struct ptSensors *sensors,
		    const char *pmu, const struct event *event,
		    unsigned int cpu)
{
	struct ptSensor *sensor = ptSensorsAdd(sensors);

	if (!sensor)
		return -ENOMEM;
	sensor->energy.isThere = true;
	snprintf(sensor->energy.source, sizeof(sensor->energy.source),
		 "perf %.32s/energy-%.32s/ on CPU %u", pmu, event->name, cpu);
	snprintf(sensor->energy.resolution, sizeof(sensor->energy.resolution),
		 "every 1 ms");
	sensor->joules = event->joules;
	sensor->number = cpu;
	sensor->type = event->type;
	sensor->config = event->config;
	makeLabel(setup, pmu, event->name, cpu, sensor);
	return 0;
}

/* Add an event for every CPU of a list like "0,18" or "0-3". */
static int addCpus(const struct ptSetup *setup, struct ptSensors *sensors,
		   const char *pmu, const struct event *event, const char *cpus)
{
	unsigned long first, last;
	int ret = 0;

	while (ret == 0 && scanNumber(&cpus, &first)) {
		last = first;
		if (*cpus == '-') {
			cpus++;
			if (!scanNumber(&cpus, &last))
				break;
		}
		for (; ret == 0 && first <= last &&
		       sensors->count < PT_PERF_EVENTS_MAX;
		     first++)
			ret = addEvent(setup, sensors, pmu, event,
				       (unsigned int)first);
		if (*cpus != ',')
			break;
		cpus++;
	}
	return ret;
}

static int addPmu(const struct ptSetup *setup, struct ptSensors *sensors,
		  const char *pmu)
{
	char cpus[1024];
	char **files;
	ssize_t count;
	int ret = 0;

	if (ptSysGetLine(cpus, sizeof(cpus), setup->root, PMUS "/%s/cpumask",
			 pmu) < 0)
		return 0;
	count = ptSysListNames(&files, setup->root, PMUS "/%s/events", pmu);
	if (count < 0)
		return count == -ENOMEM ? -ENOMEM : 0;
	for (ssize_t i = 0; ret == 0 && i < count; i++) {
		struct event event;

		if (readEvent(setup, pmu, files[i], &event))
			ret = addCpus(setup, sensors, pmu, &event, cpus);
	}
	ptSysFreeNames(files, (size_t)count);
	return ret;
}

static int perfScan(const struct ptSetup *setup, struct ptSensors *sensors)
{
	char **pmus;
	ssize_t count = ptSysListNames(&pmus, setup->root, PMUS);
	bool isThere = false;
	int ret = 0;

	if (count < 0)
		return count == -ENOENT ? 0 : (int)count;
	for (ssize_t i = 0; ret == 0 && i < count; i++) {
		if (strncmp(pmus[i], "power", 5) != 0)
			continue;
		isThere = true;
		ret = addPmu(setup, sensors, pmus[i]);
	}
	ptSysFreeNames(pmus, (size_t)count);
	if (isThere && sensors->count == 0)
		snprintf(sensors->why, sizeof(sensors->why),
			 "%s" PMUS "/power is there but has no energy events; "
			 "so it is in virtual machines",
			 setup->root);
	return ret;
}

static int perfOpen(const struct ptSetup *setup, struct ptSensor *sensor)
{
	int fd = ptPerfOpenEvent(sensor->type, sensor->config,
				 (int)sensor->number);

	(void)setup;
	if (fd < 0)
		return fd;
	sensor->fd = fd;
	hdOwnedSet(&sensor->owned, fd);
	return 0;
}

static int perfReadEnergy(const struct ptSensor *sensor, uint64_t *count)
{
	uint64_t value;
	ssize_t got;

	if (!hdOwnedIs(&sensor->owned, sensor->fd))
		return -ENODEV;
	do {
		got = ptPerfRead(sensor->fd, &value, sizeof(value));
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	/* Nothing: the CPU was taken offline, and the event with it. */
	if (got == 0)
		return -ENODEV;
	if (got != sizeof(value))
		return -EPROTO;
	*count = value;
	return 0;
}

static void perfClose(struct ptSensor *sensor)
{
	hdOwnedClose(&sensor->owned, sensor->fd);
	sensor->fd = -1;
}

static bool perfExplain(const struct ptSetup *setup,
			const struct ptSensor *sensor, int error, char *text,
			size_t size)
{
	char paranoid[16];

	(void)sensor;
	if (error == -EACCES || error == -EPERM) {
		if (ptSysGetLine(paranoid, sizeof(paranoid), setup->root,
				 PARANOID) < 0)
			strcpy(paranoid, "?");
		snprintf(text, size,
			 "this needs root, CAP_PERFMON, or "
			 "kernel.perf_event_paranoid of at most 0 (it is %s)",
			 paranoid);
	} else if (error == -ENOENT || error == -EINVAL ||
		   error == -EOPNOTSUPP) {
		snprintf(text, size,
			 "the kernel lists this event but cannot count it");
	} else if (error == -ENODEV) {
		snprintf(text, size, "the CPU is offline");
	} else if (error == -ENOSYS) {
		snprintf(text, size, "the kernel was built without perf");
	} else {
		return false;
	}
	return true;
}

static const struct ptSensorKind perfKind = {
	.nothing = "there is no " PMUS "/power; virtual machines have none",
	.scan = perfScan,
	.open = perfOpen,
	.readEnergy = perfReadEnergy,
	.close = perfClose,
	.explain = perfExplain,
};

static int perfDriverResolve(const struct ptSetup *setup, const char *channel,
			     size_t index, unsigned int *number,
			     char label[PT_CHANNEL_MAX], char *why,
			     size_t whySize)
{
	return ptSensorsResolve(&perfKind, setup, channel, index, number, label,
				why, whySize);
}

static void perfDriverList(const struct ptSetup *setup, ptDriverPrint *print,
			   void *context)
{
	ptSensorsList(&perfKind, setup, print, context);
}

static int perfDriverOpen(struct ptDevice *dev, struct ptColumn *columns,
			  size_t count)
{
	return ptSensorsOpen(&perfKind, dev, columns, count);
}

const struct ptDriver ptPerfDriver = {
	.name = "perf",
	.description = "energy events of the kernel's perf (RAPL)",
	.timing = PT_TIMED_BY_HOST,
	.minCycleMs = 1,
	.maxCycleMs = 60000,
	.quantities = ptSensorQuantities,
	.resolve = perfDriverResolve,
	.list = perfDriverList,
	.open = perfDriverOpen,
	.start = ptSensorsStart,
	.read = ptSensorsRead,
	.close = ptSensorsClose,
};
