/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Driver for the energy events of the kernel's perf: RAPL again, for those who
 * may use perf but not read the powercap files.
 *
 * PMUs are power, and power_core on AMD (common/pmu.h), with
 *
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/src/drivers/perf.h"
#include "PowerTracingLibrary/src/machine/sensor.h"
#include "PowerTracingLibrary/src/core/sysfile.h"
#include "common/perf.h"
#include "common/pmu.h"

#define CPUS "/sys/devices/system/cpu"
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

/* "package-0", "package-0-ram"; "cpu-3-core" of what each core has. */
static void perfDriverMakeLabel(const struct ptSetup *setup, const char *pmu,
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

/* Read an event; false if it is none that counts energy. */
static bool readEvent(const struct ptSetup *setup, const char *pmu,
		      const char *file, struct hdPmuEvent *event)
{
	return strncmp(file, "energy-", 7) == 0 && !strchr(file, '.') &&
	       hdPmuEventRead(setup->root, pmu, file, "Joules", event) == 0 &&
	       event->scale <= 1;
}

/* Add an event on a CPU; its name is "pkg". */
static int perfDriverAddEvent(const struct ptSetup *setup,
			      struct ptSensors *sensors, const char *pmu,
			      const char *name, const struct hdPmuEvent *event,
			      unsigned int cpu)
{
	struct ptSensor *sensor = ptSensorsAdd(sensors);

	if (!sensor)
		return -ENOMEM;
	sensor->energy.isThere = true;
	snprintf(sensor->energy.source, sizeof(sensor->energy.source),
		 "perf %.32s/energy-%.32s/ on CPU %u", pmu, name, cpu);
	snprintf(sensor->energy.resolution, sizeof(sensor->energy.resolution),
		 "every 1 ms");
	snprintf(sensor->hardware, sizeof(sensor->hardware),
		 "%.32s/energy-%.32s/cpu%u", pmu, name, cpu);
	sensor->joules = event->scale;
	sensor->number = cpu;
	sensor->type = event->type;
	sensor->config = event->config;
	perfDriverMakeLabel(setup, pmu, name, cpu, sensor);
	return 0;
}

static int perfDriverAddPmu(const struct ptSetup *setup,
			    struct ptSensors *sensors, const char *pmu)
{
	unsigned int cpus[PT_PERF_EVENTS_MAX];
	size_t cpuCount = hdPmuCpus(setup->root, pmu, cpus, PT_PERF_EVENTS_MAX);
	char **files;
	ssize_t count;
	int ret = 0;

	if (cpuCount == 0)
		return 0;
	count = ptSysListNames(&files, setup->root, HD_PMUS "/%s/events", pmu);
	if (count < 0)
		return count == -ENOMEM ? -ENOMEM : 0;
	for (ssize_t i = 0; ret == 0 && i < count; i++) {
		struct hdPmuEvent event;

		if (!readEvent(setup, pmu, files[i], &event))
			continue;
		for (size_t k = 0; ret == 0 && k < cpuCount &&
				   sensors->count < PT_PERF_EVENTS_MAX;
		     k++)
			ret = perfDriverAddEvent(setup, sensors, pmu,
						 files[i] + 7, &event, cpus[k]);
	}
	ptSysFreeNames(files, (size_t)count);
	return ret;
}

static int perfScan(const struct ptSetup *setup, struct ptSensors *sensors)
{
	char **pmus;
	ssize_t count = ptSysListNames(&pmus, setup->root, HD_PMUS);
	bool isThere = false;
	int ret = 0;

	if (count < 0)
		return count == -ENOENT ? 0 : (int)count;
	for (ssize_t i = 0; ret == 0 && i < count; i++) {
		if (strncmp(pmus[i], "power", 5) != 0)
			continue;
		isThere = true;
		ret = perfDriverAddPmu(setup, sensors, pmus[i]);
	}
	ptSysFreeNames(pmus, (size_t)count);
	if (isThere && sensors->count == 0)
		snprintf(sensors->why, sizeof(sensors->why),
			 "%s" HD_PMUS
			 "/power has no energy events, as in virtual "
			 "machines",
			 setup->root);
	return ret;
}

static int perfOpen(const struct ptSetup *setup, struct ptSensor *sensor)
{
	int fd = hdPerfOpen(sensor->type, sensor->config, -1,
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
	struct hdPerfReading reading;
	int ret;

	if (!hdOwnedIs(&sensor->owned, sensor->fd))
		return -ENODEV;
	/* -ENODEV: the CPU was taken offline, and the event with it. */
	ret = hdPerfRead(sensor->fd, &reading);
	if (ret < 0)
		return ret;
	*count = reading.value;
	return 0;
}

static void perfClose(struct ptSensor *sensor)
{
	hdOwnedClose(&sensor->owned, sensor->fd);
	sensor->fd = -1;
}

/* The kernel lists what CPUs have that are online; to open the events of a
 * thousand of them again and again takes too long. */
static int perfProbe(const struct ptSetup *setup, struct ptSensor *sensor)
{
	(void)setup;
	(void)sensor;
	return 0;
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
			 "permission denied; use root or CAP_PERFMON, or set "
			 "kernel.perf_event_paranoid to 0 (now %s)",
			 paranoid);
	} else if (error == -ENOENT || error == -EINVAL ||
		   error == -EOPNOTSUPP) {
		snprintf(text, size,
			 "the kernel lists this event, but cannot count it");
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
	.nothing = "there is no " HD_PMUS
		   "/power; virtual machines do not provide it",
	.scan = perfScan,
	.open = perfOpen,
	.readEnergy = perfReadEnergy,
	.close = perfClose,
	.probe = perfProbe,
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
