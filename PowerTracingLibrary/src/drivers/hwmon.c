/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Driver for the power and energy sensors of the kernel's hwmon: of boards
 * (ina2xx and others), power supplies and GPUs.
 *
 * (Linux, Documentation/hwmon/sysfs-interface.rst.) In /sys/class/hwmon/hwmonN:
 *
 *     name                    of the chip: "amdgpu"
 *     powerM_input            microwatts, now
 *     powerM_average          microwatts, mean of powerM_average_interval ms
 *     powerM_label            "PPT"
 *     energyM_input           counts microjoules
 *     energyM_label
 *     inM_input, currM_input  millivolts and milliamperes
 *     inM_label
 *
 * A chip without the first two may have voltage and current of a rail
 * (ina3221), whose product is its power. ACPI power meters have powerM_oem_info
 * instead of a label.
 *
 * N changes from one start of the system to the next; so channels are named by
 * chip and label, and chips of one name are ordered by the path of their
 * device.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/machine/sensor.h"
#include "PowerTracingLibrary/src/core/sysfile.h"

#define CHIPS "/sys/class/hwmon"
#define NAME_MAX_SIZE 32
/* Where old drivers have their files. */
#define BELOW "/device"

/* Type of a sensor that is voltage times current; others have 0. */
#define SENSOR_PRODUCT 1

/* A chip. */
struct chip {
	/* "hwmon3", or "hwmon3/device" */
	char hwmon[NAME_MAX_SIZE + sizeof(BELOW)];
	char name[NAME_MAX_SIZE];
	char device[PATH_MAX]; /* Where it is; the same at each start. */
};

static int compareChips(const void *a, const void *b)
{
	const struct chip *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order == 0)
		order = strverscmp(x->device, y->device);
	return order != 0 ? order : strverscmp(x->hwmon, y->hwmon);
}

/* Get the name of a chip. Old drivers have it in the directory of the device.
 */
static bool hwmonGetName(const struct ptSetup *setup, const char *hwmon,
			 struct chip *chip)
{
	static const char *const places[] = { "", BELOW };

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (ptSysGetLine(chip->name, sizeof(chip->name), setup->root,
				 CHIPS "/%s%s/name", hwmon, places[i]) >= 0)
			return true;
	return false;
}

/* Get the chips, ordered. */
static ssize_t listChips(const struct ptSetup *setup, struct chip **result)
{
	char **names;
	ssize_t count = ptSysListNames(&names, setup->root, CHIPS);
	struct chip *chips;
	size_t used = 0;

	if (count < 0)
		return count;
	chips = calloc((size_t)count + 1, sizeof(*chips));
	for (ssize_t i = 0; chips && i < count; i++) {
		struct chip *chip = &chips[used];
		char path[PATH_MAX];

		if (strlen(names[i]) >= NAME_MAX_SIZE ||
		    !hwmonGetName(setup, names[i], chip))
			continue;
		strcpy(chip->hwmon, names[i]);
		if (snprintf(path, sizeof(path), "%s" CHIPS "/%s/device",
			     setup->root, names[i]) >= (int)sizeof(path) ||
		    !realpath(path, chip->device))
			chip->device[0] = '\0';
		used++;
	}
	ptSysFreeNames(names, (size_t)count);
	if (!chips)
		return -ENOMEM;
	qsort(chips, used, sizeof(*chips), compareChips);
	*result = chips;
	return (ssize_t)used;
}

/* Whether a name is PREFIXnSUFFIX; which n. */
static bool isNumbered(const char *name, const char *prefix, const char *suffix,
		       unsigned int *number)
{
	size_t length = strlen(prefix);
	unsigned int value = 0;
	const char *at = name + length;

	if (strncmp(name, prefix, length) != 0)
		return false;
	for (; *at >= '0' && *at <= '9' && value < 10000; at++)
		value = 10 * value + (unsigned int)(*at - '0');
	*number = value;
	return at > name + length && strcmp(at, suffix) == 0;
}

/* Get the label of a sensor from a file that it may have. */
static bool getLabel(const struct ptSetup *setup, const struct chip *chip,
		     const char *kind, unsigned int number, const char *file,
		     char label[PT_CHANNEL_MAX])
{
	return ptSysGetLine(label, PT_CHANNEL_MAX, setup->root,
			    CHIPS "/%s/%s%u_%s", chip->hwmon, kind, number,
			    file) == 0 &&
	       label[0] != '\0';
}

/* Behind the name of a chip that is a part of the processor. */
#define APU "-apu"

/* Whether the power of a chip includes that of the processor: only an APU has
 * the voltage of its northbridge, in1. */
static bool isApu(const struct ptSetup *setup, const struct chip *chip)
{
	char volts[32];

	return strcmp(chip->name, "amdgpu") == 0 &&
	       ptSysGetLine(volts, sizeof(volts), setup->root,
			    CHIPS "/%s/in1_input", chip->hwmon) >= 0;
}

/* What all sensors have: their file, source, label and hardware. */
static void setSensor(const struct ptSetup *setup, struct ptSensor *sensor,
		      struct ptGauge *gauge, const struct chip *chip,
		      const char *file, const char *label)
{
	bool isOfApu = isApu(setup, chip);

	gauge->isThere = true;
	snprintf(gauge->source, sizeof(gauge->source), "hwmon %s %s",
		 chip->name, file);
	snprintf(sensor->path, sizeof(sensor->path), CHIPS "/%s/%s",
		 chip->hwmon, file);
	ptSensorSetLabel(sensor, "%s%s-%s", chip->name, isOfApu ? APU : "",
			 label);
	/* Its name in configurations from before. */
	if (isOfApu)
		snprintf(sensor->alias, sizeof(sensor->alias), "%s%s",
			 chip->name,
			 sensor->label + strlen(chip->name) + strlen(APU));
	ptSensorSetHardware(sensor, setup,
			    strchr(chip->hwmon, '/') ? CHIPS "/%s"
						     : CHIPS "/%s/device",
			    chip->hwmon);
	sensor->joules = 1e-6;
}

static int addSensor(const struct ptSetup *setup, struct ptSensors *sensors,
		     const struct chip *chip, const char *file,
		     const char *kind, unsigned int number)
{
	struct ptSensor *sensor = ptSensorsAdd(sensors);
	bool isEnergy = strcmp(kind, "energy") == 0;
	char label[PT_CHANNEL_MAX];
	struct ptGauge *gauge;
	uint64_t ms;

	if (!sensor)
		return -ENOMEM;
	gauge = isEnergy ? &sensor->energy : &sensor->power;
	if (!getLabel(setup, chip, kind, number, "label", label) &&
	    !getLabel(setup, chip, kind, number, "oem_info", label))
		snprintf(label, sizeof(label), "%s%u", kind, number);
	setSensor(setup, sensor, gauge, chip, file, label);
	if (strstr(file, "_average") &&
	    ptSysGetNumber(&ms, setup->root, CHIPS "/%s/%s%u_average_interval",
			   chip->hwmon, kind, number) == 0)
		snprintf(gauge->resolution, sizeof(gauge->resolution),
			 "mean of %llu ms", (unsigned long long)ms);
	return 0;
}

/* Add the product of a current and its voltage. */
static int addProduct(const struct ptSetup *setup, struct ptSensors *sensors,
		      const struct chip *chip, unsigned int number)
{
	char label[PT_CHANNEL_MAX], file[32];
	struct ptSensor *sensor;
	int fd = ptSysOpen(setup->root, CHIPS "/%s/in%u_input", chip->hwmon,
			   number);

	if (fd < 0)
		return 0;
	close(fd);
	sensor = ptSensorsAdd(sensors);
	if (!sensor)
		return -ENOMEM;
	if (!getLabel(setup, chip, "in", number, "label", label) &&
	    !getLabel(setup, chip, "curr", number, "label", label))
		snprintf(label, sizeof(label), "power%u", number);
	snprintf(file, sizeof(file), "curr%u_input", number);
	setSensor(setup, sensor, &sensor->power, chip, file, label);
	snprintf(sensor->power.source, sizeof(sensor->power.source),
		 "hwmon %s in%u_input times curr%u_input", chip->name, number,
		 number);
	sensor->type = SENSOR_PRODUCT;
	sensor->number = number;
	return 0;
}

/* Add the products of a chip that has nothing else. */
static int addProducts(const struct ptSetup *setup, struct ptSensors *sensors,
		       const struct chip *chip, char **files, size_t count)
{
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < count; i++) {
		unsigned int number;

		if (isNumbered(files[i], "curr", "_input", &number))
			ret = addProduct(setup, sensors, chip, number);
	}
	return ret;
}

static int addChip(const struct ptSetup *setup, struct ptSensors *sensors,
		   const struct chip *chip)
{
	char **files;
	ssize_t count =
		ptSysListNames(&files, setup->root, CHIPS "/%s", chip->hwmon);
	size_t first = sensors->count;
	int ret = 0;

	/* One that vanishes at this moment is not there. */
	if (count < 0)
		return count == -ENOMEM ? -ENOMEM : 0;
	for (ssize_t i = 0; ret == 0 && i < count; i++) {
		unsigned int number;

		if (isNumbered(files[i], "power", "_input", &number))
			ret = addSensor(setup, sensors, chip, files[i], "power",
					number);
		else if (isNumbered(files[i], "energy", "_input", &number))
			ret = addSensor(setup, sensors, chip, files[i],
					"energy", number);
	}
	/* What is there twice is the same power; rather what it is now. */
	for (ssize_t i = 0; ret == 0 && i < count; i++) {
		bool isKnown = false;
		unsigned int number;
		char input[64];

		if (!isNumbered(files[i], "power", "_average", &number))
			continue;
		snprintf(input, sizeof(input), "/power%u_input", number);
		for (size_t j = first; j < sensors->count; j++)
			isKnown |= strcmp(strrchr(sensors->list[j].path, '/'),
					  input) == 0;
		if (!isKnown)
			ret = addSensor(setup, sensors, chip, files[i], "power",
					number);
	}
	if (ret == 0 && sensors->count == first)
		ret = addProducts(setup, sensors, chip, files, (size_t)count);
	ptSysFreeNames(files, (size_t)count);
	return ret;
}

/* Add what is below the directory of the device: acpi_power_meter of older
 * kernels, and other drivers that do without hwmon's own files. */
static int addChipBelow(const struct ptSetup *setup, struct ptSensors *sensors,
			const struct chip *chip)
{
	struct chip below = *chip;

	strcat(below.hwmon, BELOW);
	return addChip(setup, sensors, &below);
}

static int hwmonScan(const struct ptSetup *setup, struct ptSensors *sensors)
{
	struct chip *chips;
	ssize_t count = listChips(setup, &chips);
	int ret = 0;

	if (count < 0)
		return count == -ENOENT ? 0 : (int)count;
	for (ssize_t i = 0; ret == 0 && i < count; i++) {
		size_t before = sensors->count;

		ret = addChip(setup, sensors, &chips[i]);
		if (ret == 0 && sensors->count == before)
			ret = addChipBelow(setup, sensors, &chips[i]);
	}
	free(chips);
	return ret;
}

/* Of a product the file is that of the current; the voltage is another one. */
static int hwmonOpen(const struct ptSetup *setup, struct ptSensor *sensor)
{
	const char *slash = strrchr(sensor->path, '/');
	int fd, ret = ptSensorFileOpen(setup, sensor);

	if (ret < 0 || sensor->type != SENSOR_PRODUCT)
		return ret;
	fd = ptSysOpen(setup->root, "%.*s/in%u_input",
		       (int)(slash - sensor->path), sensor->path,
		       sensor->number);
	if (fd < 0) {
		ptSensorFileClose(sensor);
		return fd;
	}
	sensor->other = fd;
	hdOwnedSet(&sensor->otherOwned, fd);
	return 0;
}

static int hwmonReadPower(const struct ptSensor *sensor, double *watts)
{
	int64_t millivolts, milliamperes;
	int ret;

	if (sensor->type != SENSOR_PRODUCT)
		return ptSensorFileReadPower(sensor, watts);
	if (!hdOwnedIs(&sensor->owned, sensor->fd) ||
	    !hdOwnedIs(&sensor->otherOwned, sensor->other))
		return -ENODEV;
	ret = ptSysReadSigned(sensor->other, &millivolts);
	if (ret == 0)
		ret = ptSysReadSigned(sensor->fd, &milliamperes);
	if (ret == 0)
		*watts = (double)millivolts * (double)milliamperes * 1e-6;
	return ret;
}

static void hwmonClose(struct ptSensor *sensor)
{
	if (sensor->type == SENSOR_PRODUCT)
		hdOwnedClose(&sensor->otherOwned, sensor->other);
	ptSensorFileClose(sensor);
}

static const struct ptSensorKind hwmonKind = {
	.isOrdered = true,
	.nothing = "no chip in " CHIPS " reports power or energy",
	.scan = hwmonScan,
	.open = hwmonOpen,
	.readEnergy = ptSensorFileReadEnergy,
	.readPower = hwmonReadPower,
	.close = hwmonClose,
	.explain = ptSensorFileExplain,
};

static int hwmonDriverResolve(const struct ptSetup *setup, const char *channel,
			      size_t index, unsigned int *number,
			      char label[PT_CHANNEL_MAX], char *why,
			      size_t whySize)
{
	return ptSensorsResolve(&hwmonKind, setup, channel, index, number,
				label, why, whySize);
}

static void hwmonDriverList(const struct ptSetup *setup, ptDriverPrint *print,
			    void *context)
{
	ptSensorsList(&hwmonKind, setup, print, context);
}

static int hwmonDriverOpen(struct ptDevice *dev, struct ptColumn *columns,
			   size_t count)
{
	return ptSensorsOpen(&hwmonKind, dev, columns, count);
}

const struct ptDriver ptHwmonDriver = {
	.name = "hwmon",
	.description =
		"power sensors of boards and GPUs, by the kernel's hwmon",
	.timing = PT_TIMED_BY_HOST,
	.minCycleMs = 1,
	.maxCycleMs = 60000,
	.quantities = ptSensorQuantities,
	.resolve = hwmonDriverResolve,
	.list = hwmonDriverList,
	.open = hwmonDriverOpen,
	.start = ptSensorsStart,
	.read = ptSensorsRead,
	.close = ptSensorsClose,
};
