/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Driver for batteries, and other supplies of the kernel's class power_supply.
 *
 * (Linux, Documentation/ABI/testing/sysfs-class-power.) In
 * /sys/class/power_supply/NAME:
 *
 *     type                       Battery, Mains, UPS, USB, ...
 *     scope                      Device: of a mouse, for example
 *     status                     of batteries: Discharging, Charging, Full, ...
 *     power_now                  microwatts; the sign is up to the driver
 *     current_now, voltage_now   microamperes and microvolts
 *
 * A battery tells the power of the machine only while it supplies it: while it
 * is charged the power goes into the battery, and what the machine draws of the
 * mains is not known.
 *
 * USB Power Delivery (supplies of ucsi and tcpm) has current_now as well; but
 * that is the limit that was negotiated, and not what is drawn.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/machine/sensor.h"
#include "PowerTracingLibrary/src/core/sysfile.h"

#define SUPPLIES "/sys/class/power_supply"

/* Types of a sensor; others have power_now. */
#define SUPPLY_PRODUCT 1
#define SUPPLY_LIMIT 2

static bool supplyIs(const char *root, const char *supply, const char *file,
		     const char *text)
{
	char line[64];

	return ptSysGetLine(line, sizeof(line), root, SUPPLIES "/%s/%s", supply,
			    file) == 0 &&
	       strcmp(line, text) == 0;
}

static bool supplyHas(const char *root, const char *supply, const char *file)
{
	int fd = ptSysOpen(root, SUPPLIES "/%s/%s", supply, file);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Add a supply that tells power, or looks as if it did. */
static int supplyAdd(const struct ptSetup *setup, struct ptSensors *sensors,
		     const char *name)
{
	bool isUsb = supplyIs(setup->root, name, "type", "USB");
	bool hasPower = supplyHas(setup->root, name, "power_now");
	bool hasProduct = supplyHas(setup->root, name, "current_now") &&
			  supplyHas(setup->root, name, "voltage_now");
	struct ptSensor *sensor;

	if (supplyIs(setup->root, name, "scope", "Device") ||
	    (!hasPower && !hasProduct) || strlen(name) >= sizeof(sensor->alias))
		return 0;
	sensor = ptSensorsAdd(sensors);
	if (!sensor)
		return -ENOMEM;
	sensor->power.isThere = true;
	sensor->type = isUsb ? SUPPLY_LIMIT : hasPower ? 0 : SUPPLY_PRODUCT;
	snprintf(sensor->power.source, sizeof(sensor->power.source),
		 "power_supply %s %s", name,
		 hasPower ? "power_now" : "current_now times voltage_now");
	snprintf(sensor->path, sizeof(sensor->path), "%s", name);
	ptSensorSetLabel(sensor, "%s", name);
	ptSensorSetHardware(sensor, setup, SUPPLIES "/%s", name);
	/* The root outlives the sensor. */
	sensor->handle = (void *)setup->root;
	return 0;
}

static int supplyScan(const struct ptSetup *setup, struct ptSensors *sensors)
{
	char **names;
	ssize_t count = ptSysListNames(&names, setup->root, SUPPLIES);
	int ret = 0;

	if (count < 0)
		return count == -ENOENT ? 0 : (int)count;
	for (ssize_t i = 0; ret == 0 && i < count; i++)
		ret = supplyAdd(setup, sensors, names[i]);
	ptSysFreeNames(names, (size_t)count);
	return ret;
}

static int supplyOpen(const struct ptSetup *setup, struct ptSensor *sensor)
{
	sensor->handle = (void *)setup->root;
	return 0;
}

static void supplyClose(struct ptSensor *sensor)
{
	(void)sensor;
}

/* Get a number of a supply, which may have a sign. */
static int supplyGet(const struct ptSensor *sensor, const char *file,
		     int64_t *number)
{
	int fd = ptSysOpen(sensor->handle, SUPPLIES "/%s/%s", sensor->path,
			   file);
	int ret;

	if (fd < 0)
		return fd;
	ret = ptSysReadSigned(fd, number);
	close(fd);
	return ret;
}

/* Whether any battery of the machine supplies it. */
static bool supplyIsAnyUsed(const char *root)
{
	char **names;
	ssize_t count = ptSysListNames(&names, root, SUPPLIES);
	bool isUsed = false;

	for (ssize_t i = 0; i < count; i++)
		isUsed |= supplyIs(root, names[i], "status", "Discharging") &&
			  !supplyIs(root, names[i], "scope", "Device");
	if (count >= 0)
		ptSysFreeNames(names, (size_t)count);
	return isUsed;
}

/* Whether a battery supplies the machine. Of several batteries one does after
 * the other, and the rest supply nothing. */
static int supplyState(const struct ptSensor *sensor, bool *isUsed)
{
	char status[32];
	int ret = ptSysGetLine(status, sizeof(status), sensor->handle,
			       SUPPLIES "/%s/status", sensor->path);

	if (ret < 0)
		return ret;
	*isUsed = strcmp(status, "Discharging") == 0;
	return *isUsed || supplyIsAnyUsed(sensor->handle) ? 0 : -ENODATA;
}

static int supplyReadPower(const struct ptSensor *sensor, double *watts)
{
	int64_t power, volts;
	bool isUsed;
	int ret = sensor->type == SUPPLY_LIMIT ? -EOPNOTSUPP
					       : supplyState(sensor, &isUsed);

	if (ret < 0)
		return ret;
	*watts = 0;
	if (!isUsed)
		return 0;
	if (sensor->type == SUPPLY_PRODUCT) {
		ret = supplyGet(sensor, "current_now", &power);
		if (ret == 0)
			ret = supplyGet(sensor, "voltage_now", &volts);
		if (ret == 0)
			*watts = (double)power * 1e-6 * (double)volts * 1e-6;
	} else {
		ret = supplyGet(sensor, "power_now", &power);
		if (ret == 0)
			*watts = (double)power * 1e-6;
	}
	/* Some drivers have a sign for the direction. */
	if (*watts < 0)
		*watts = -*watts;
	return ret;
}

static bool supplyExplain(const struct ptSetup *setup,
			  const struct ptSensor *sensor, int error, char *text,
			  size_t size)
{
	(void)setup;
	if (error == -ENODATA)
		snprintf(text, size,
			 "the machine is on external power; %s measures its "
			 "power only while it discharges",
			 sensor->label);
	else if (error == -EOPNOTSUPP)
		snprintf(text, size,
			 "USB reports the negotiated limit, not the power");
	else
		return false;
	return true;
}

static const struct ptSensorKind supplyKind = {
	.nothing = "no supply in " SUPPLIES " reports power",
	.scan = supplyScan,
	.open = supplyOpen,
	.readPower = supplyReadPower,
	.close = supplyClose,
	.explain = supplyExplain,
};

static int supplyDriverResolve(const struct ptSetup *setup, const char *channel,
			       size_t index, unsigned int *number,
			       char label[PT_CHANNEL_MAX], char *why,
			       size_t whySize)
{
	return ptSensorsResolve(&supplyKind, setup, channel, index, number,
				label, why, whySize);
}

static void supplyDriverList(const struct ptSetup *setup, ptDriverPrint *print,
			     void *context)
{
	ptSensorsList(&supplyKind, setup, print, context);
}

static int supplyDriverOpen(struct ptDevice *dev, struct ptColumn *columns,
			    size_t count)
{
	return ptSensorsOpen(&supplyKind, dev, columns, count);
}

const struct ptDriver ptPowerSupplyDriver = {
	.name = "power_supply",
	.description = "batteries, while they discharge",
	.timing = PT_TIMED_BY_HOST,
	.minCycleMs = 1,
	.maxCycleMs = 60000,
	.quantities = ptSensorQuantities,
	.resolve = supplyDriverResolve,
	.list = supplyDriverList,
	.open = supplyDriverOpen,
	.start = ptSensorsStart,
	.read = ptSensorsRead,
	.close = ptSensorsClose,
};
