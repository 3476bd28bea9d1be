/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Driver for the zones of the kernel's powercap framework: RAPL of Intel and
 * AMD processors, and others that have the same files.
 *
 * (Linux, Documentation/power/powercap/powercap.rst.) A zone is a directory
 * /sys/class/powercap/CONTROL:N[:N...], where each further number is a zone
 * inside the one before:
 *
 *     name                  "package-0", "core", "dram", "psys"
 *     energy_uj             counts microjoules, and starts again at 0 after
 *     max_energy_range_uj
 *     power_uw              instead of the two, in some control types
 *
 * RAPL counts in a register of 32 bits; so the range tells its unit. With the
 * smallest range met (65 kJ) and the longest cycle (60 s) a zone may draw 1 kW
 * before it wraps twice in a cycle, which nobody could notice.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/machine/sensor.h"
#include "PowerTracingLibrary/src/core/sysfile.h"

#define ZONES "/sys/class/powercap"

static bool powercapHasFile(const struct ptSetup *setup, const char *zone,
			    const char *file)
{
	char path[PT_SYS_PATH_MAX];
	int length = snprintf(path, sizeof(path), "%s" ZONES "/%s/%s",
			      setup->root, zone, file);

	return length > 0 && length < (int)sizeof(path) &&
	       access(path, F_OK) == 0;
}

/* "mmio-package-0-dram" of intel-rapl-mmio:0:0. */
static void powercapMakeLabel(const struct ptSetup *setup, const char *zone,
			      struct ptSensor *sensor)
{
	char label[PT_SOURCE_MAX] = "";
	size_t control = strcspn(zone, ":");
	size_t used;

	/* RAPL is what nearly all machines have, and needs no name. */
	if (strncmp(zone, "intel-rapl-", 11) == 0)
		snprintf(label, sizeof(label), "%.*s", (int)control - 11,
			 zone + 11);
	else if (strncmp(zone, "intel-rapl:", 11) != 0)
		snprintf(label, sizeof(label), "%.*s", (int)control, zone);
	used = strlen(label);
	for (size_t end = control; zone[end] && used < sizeof(label);) {
		char above[PT_SOURCE_MAX], name[PT_CHANNEL_MAX];

		end += 1 + strcspn(zone + end + 1, ":");
		snprintf(above, sizeof(above), "%.*s", (int)end, zone);
		if (ptSysGetLine(name, sizeof(name), setup->root,
				 ZONES "/%s/name", above) < 0)
			snprintf(name, sizeof(name), "%s", above + control + 1);
		used += (size_t)snprintf(label + used, sizeof(label) - used,
					 "%s%s", used > 0 ? "-" : "", name);
	}
	ptSensorSetLabel(sensor, "%s", label);
}

static int addZone(const struct ptSetup *setup, struct ptSensors *sensors,
		   const char *zone)
{
	bool hasEnergy = powercapHasFile(setup, zone, "energy_uj");
	const char *file = hasEnergy ? "energy_uj" : "power_uw";
	struct ptSensor *sensor;
	struct ptGauge *gauge;

	if (!strchr(zone, ':') || strlen(zone) >= PT_CHANNEL_MAX ||
	    (!hasEnergy && !powercapHasFile(setup, zone, "power_uw")))
		return 0;
	sensor = ptSensorsAdd(sensors);
	if (!sensor)
		return -ENOMEM;
	gauge = hasEnergy ? &sensor->energy : &sensor->power;
	gauge->isThere = true;
	snprintf(gauge->source, sizeof(gauge->source), "powercap %s/%s", zone,
		 file);
	snprintf(sensor->path, sizeof(sensor->path), ZONES "/%s/%s", zone,
		 file);
	strcpy(sensor->alias, zone);
	powercapMakeLabel(setup, zone, sensor);
	ptSensorSetHardware(sensor, setup, ZONES "/%s", zone);
	sensor->joules = 1e-6;
	if (!hasEnergy ||
	    ptSysGetNumber(&sensor->range, setup->root,
			   ZONES "/%s/max_energy_range_uj", zone) < 0)
		sensor->range = 0;
	if (sensor->range > UINT32_MAX)
		snprintf(gauge->resolution, sizeof(gauge->resolution),
			 "%.3g uJ, every 1 ms",
			 (double)sensor->range / UINT32_MAX);
	return 0;
}

static int powercapScan(const struct ptSetup *setup, struct ptSensors *sensors)
{
	char **zones;
	ssize_t count = ptSysListNames(&zones, setup->root, ZONES);
	int ret = 0;

	if (count < 0)
		return count == -ENOENT ? 0 : (int)count;
	for (ssize_t i = 0; ret == 0 && i < count; i++)
		ret = addZone(setup, sensors, zones[i]);
	ptSysFreeNames(zones, (size_t)count);
	return ret;
}

static const struct ptSensorKind powercapKind = {
	.nothing = "no zones in " ZONES
		   "; virtual machines and containers do not provide them, "
		   "otherwise try modprobe intel_rapl_msr",
	.scan = powercapScan,
	.open = ptSensorFileOpen,
	.readEnergy = ptSensorFileReadEnergy,
	.readPower = ptSensorFileReadPower,
	.close = ptSensorFileClose,
	.explain = ptSensorFileExplain,
};

static int powercapDriverResolve(const struct ptSetup *setup,
				 const char *channel, size_t index,
				 unsigned int *number,
				 char label[PT_CHANNEL_MAX], char *why,
				 size_t whySize)
{
	return ptSensorsResolve(&powercapKind, setup, channel, index, number,
				label, why, whySize);
}

static void powercapDriverList(const struct ptSetup *setup,
			       ptDriverPrint *print, void *context)
{
	ptSensorsList(&powercapKind, setup, print, context);
}

static int powercapDriverOpen(struct ptDevice *dev, struct ptColumn *columns,
			      size_t count)
{
	return ptSensorsOpen(&powercapKind, dev, columns, count);
}

const struct ptDriver ptPowercapDriver = {
	.name = "powercap",
	.description = "RAPL and other zones of the kernel's powercap",
	.timing = PT_TIMED_BY_HOST,
	.minCycleMs = 1,
	.maxCycleMs = 60000,
	.quantities = ptSensorQuantities,
	.resolve = powercapDriverResolve,
	.list = powercapDriverList,
	.open = powercapDriverOpen,
	.start = ptSensorsStart,
	.read = ptSensorsRead,
	.close = ptSensorsClose,
};
