/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What meters of the machine have in common: finding them; see sensor.h. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/src/machine/sensor.h"
#include "PowerTracingLibrary/src/machine/sensors.h"
#include "PowerTracingLibrary/src/core/sysfile.h"
#include "PowerTracingLibrary/src/core/ptlog.h"

const struct ptQuantity ptSensorQuantities[] = {
	{ "P", FLOAT, "W", "Power", "power" },
	{ "E", DOUBLE, "J", "Energy", "energy since the previous entry",
	  .kind = HD_KIND_DELTA },
	{ .name = NULL },
};

struct ptSensor *ptSensorsAdd(struct ptSensors *sensors)
{
	struct ptSensor *list = realloc(
		sensors->list, (sensors->count + 1) * sizeof(*sensors->list));
	struct ptSensor *sensor;

	if (!list)
		return NULL;
	sensors->list = list;
	sensor = &list[sensors->count++];
	*sensor = (struct ptSensor){ .fd = -1 };
	return sensor;
}

void ptSensorSetLabel(struct ptSensor *sensor, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sensor->label, sizeof(sensor->label), format, arguments);
	va_end(arguments);
	for (char *at = sensor->label; *at; at++) {
		if (!((*at >= 'a' && *at <= 'z') ||
		      (*at >= 'A' && *at <= 'Z') ||
		      (*at >= '0' && *at <= '9') || *at == '.'))
			*at = '-';
	}
}

void ptSensorSetHardware(struct ptSensor *sensor, const struct ptSetup *setup,
			 const char *format, ...)
{
	char path[PT_SYS_PATH_MAX], real[PATH_MAX], root[PATH_MAX] = "";
	size_t length = strlen(setup->root);
	va_list arguments;

	memcpy(path, setup->root, length < sizeof(path) ? length + 1 : 0);
	if (length >= sizeof(path))
		return;
	va_start(arguments, format);
	vsnprintf(path + length, sizeof(path) - length, format, arguments);
	va_end(arguments);
	if (!realpath(path, real) ||
	    (*setup->root && !realpath(setup->root, root)))
		return;
	length = strlen(root);
	if (strncmp(real, root, length) == 0 &&
	    strlen(real + length) < sizeof(sensor->hardware))
		strcpy(sensor->hardware, real + length);
}

/* Whether a sensor before the given one has this name. */
static bool sensorIsTaken(const struct ptSensors *sensors, size_t end,
			  const char *label)
{
	for (size_t i = 0; i < end; i++) {
		if (strcmp(sensors->list[i].label, label) == 0)
			return true;
	}
	return false;
}

/* Call the second of the same name NAME-2, and so on. */
static void makeUnique(struct ptSensors *sensors)
{
	for (size_t i = 0; i < sensors->count; i++) {
		struct ptSensor *sensor = &sensors->list[i];
		char label[PT_CHANNEL_MAX];

		strcpy(label, sensor->label);
		for (unsigned int n = 2;
		     sensorIsTaken(sensors, i, sensor->label); n++) {
			char end[16];
			int length = snprintf(end, sizeof(end), "-%u", n);

			snprintf(sensor->label, sizeof(sensor->label), "%.*s%s",
				 PT_CHANNEL_MAX - 1 - length, label, end);
		}
	}
}

int ptSensorsScan(const struct ptSensorKind *kind, const struct ptSetup *setup,
		  struct ptSensors *sensors)
{
	int ret;

	*sensors = (struct ptSensors){ 0 };
	ret = kind->scan(setup, sensors);
	if (ret < 0) {
		ptSensorsClear(sensors);
		return ret;
	}
	if (sensors->count == 0 && sensors->why[0] == '\0')
		snprintf(sensors->why, sizeof(sensors->why), "%s",
			 kind->nothing);
	makeUnique(sensors);
	return 0;
}

void ptSensorsClear(struct ptSensors *sensors)
{
	free(sensors->list);
	sensors->list = NULL;
	sensors->count = 0;
}

struct ptSensor *ptSensorsFind(const struct ptSensors *sensors,
			       const char *channel)
{
	for (size_t i = 0; i < sensors->count; i++) {
		if (strcmp(sensors->list[i].label, channel) == 0)
			return &sensors->list[i];
	}
	for (size_t i = 0; i < sensors->count; i++) {
		if (sensors->list[i].alias[0] &&
		    strcmp(sensors->list[i].alias, channel) == 0)
			return &sensors->list[i];
	}
	return NULL;
}

void ptSensorExplain(const struct ptSensorKind *kind,
		     const struct ptSetup *setup, const struct ptSensor *sensor,
		     int error, char *text, size_t size)
{
	if (kind->explain && kind->explain(setup, sensor, error, text, size))
		return;
	snprintf(text, size, "%s",
		 error == -EPROTO ? "invalid number" : strerror(-error));
}

/* "inputs are package-0, dram, ..." */
static void listLabels(const struct ptSensors *sensors, char *why, size_t size)
{
	size_t used;

	if (sensors->count == 0) {
		snprintf(why, size, "%s", sensors->why);
		return;
	}
	used = (size_t)snprintf(why, size, "inputs are ");
	for (size_t i = 0; i < sensors->count && used < size; i++)
		used += (size_t)snprintf(why + used, size - used, "%s%s",
					 i > 0 ? ", " : "",
					 sensors->list[i].label);
}

/* Read an open sensor once. */
static int readOnce(const struct ptSensorKind *kind,
		    const struct ptSensor *sensor)
{
	uint64_t count;
	double watts;
	int ret = 0;

	if (sensor->energy.isThere)
		ret = kind->readEnergy(sensor, &count);
	if (ret == 0 && sensor->power.isThere)
		ret = kind->readPower(sensor, &watts);
	return ret;
}

static int probe(const struct ptSensorKind *kind, const struct ptSetup *setup,
		 struct ptSensor *sensor)
{
	int ret;

	if (kind->probe)
		return kind->probe(setup, sensor);
	ret = kind->open(setup, sensor);
	if (ret < 0)
		return ret;
	ret = readOnce(kind, sensor);
	kind->close(sensor);
	return ret;
}

/* Say why a sensor is left out of all that there are. */
static void sensorLogLeftOut(const struct ptSensorKind *kind,
			     const struct ptSetup *setup,
			     const struct ptSensor *sensor, int error)
{
	char why[PT_SOURCE_MAX];

	ptSensorExplain(kind, setup, sensor, error, why, sizeof(why));
	ptMessage(HD_LOG_WARNING, "%s: not recorded: %s", sensor->label, why);
}

/* Find the sensor of a number among those that can be read, and say why those
 * just before it are left out. */
static struct ptSensor *findReadable(const struct ptSensorKind *kind,
				     const struct ptSetup *setup,
				     struct ptSensors *sensors, size_t index)
{
	size_t found = 0;

	for (size_t i = 0; i < sensors->count; i++) {
		struct ptSensor *sensor = &sensors->list[i];
		int ret = probe(kind, setup, sensor);

		if (ret == 0 && found++ == index)
			return sensor;
		if (ret < 0 && found == index)
			sensorLogLeftOut(kind, setup, sensor, ret);
	}
	return NULL;
}

/* Whether there is a sensor that can be read. */
static bool isAnyReadable(const struct ptSensorKind *kind,
			  const struct ptSetup *setup,
			  struct ptSensors *sensors)
{
	for (size_t i = 0; i < sensors->count; i++)
		if (probe(kind, setup, &sensors->list[i]) == 0)
			return true;
	return false;
}

/* Find the sensor of a number of all that there are: only one that is named is
 * missed. Where none can be read it is the first one, which will say why. */
static struct ptSensor *findAny(const struct ptSensorKind *kind,
				const struct ptSetup *setup,
				struct ptSensors *sensors, size_t index)
{
	if (sensors->count > 0 && index == 0 &&
	    !isAnyReadable(kind, setup, sensors))
		return sensors->list;
	return findReadable(kind, setup, sensors, index);
}

int ptSensorsResolve(const struct ptSensorKind *kind,
		     const struct ptSetup *setup, const char *channel,
		     size_t index, unsigned int *number,
		     char label[PT_CHANNEL_MAX], char *why, size_t whySize)
{
	const struct ptSensor *sensor = NULL;
	struct ptSensors sensors;
	int ret = ptSensorsScan(kind, setup, &sensors);

	if (ret < 0) {
		snprintf(why, whySize, "%s", strerror(-ret));
		return ret;
	}
	listLabels(&sensors, why, whySize);
	if (channel && strcmp(channel, "*") == 0) {
		sensor = findAny(kind, setup, &sensors, index);
	} else if (channel) {
		sensor = ptSensorsFind(&sensors, channel);
	} else if (sensors.count == 1) {
		sensor = sensors.list;
	}
	if (sensor) {
		*number = (unsigned int)(sensor - sensors.list);
		/* The name that was chosen: an alias may be the stabler one. */
		snprintf(label, PT_CHANNEL_MAX, "%s",
			 channel && strcmp(channel, "*") != 0 ? channel
							      : sensor->label);
	}
	ret = sensor ? 0 : channel || sensors.count == 0 ? -ENOENT : -EINVAL;
	ptSensorsClear(&sensors);
	return ret;
}

static void describeGauge(const struct ptGauge *gauge, char *text, size_t size)
{
	size_t used = strlen(text);

	if (!gauge->isThere)
		return;
	snprintf(text + used, size - used, "%s%s%s%s%s", used > 0 ? "; " : "",
		 gauge->source, gauge->resolution[0] ? " (" : "",
		 gauge->resolution, gauge->resolution[0] ? ")" : "");
}

/* List a sensor and tell whether it is open now. */
static bool listSensor(const struct ptSensorKind *kind,
		       const struct ptSetup *setup, struct ptSensor *sensor,
		       ptDriverPrint *print, void *context)
{
	char text[5 * PT_SOURCE_MAX] = "";
	bool isOpen;
	size_t used;
	int ret;

	describeGauge(&sensor->energy, text, sizeof(text));
	describeGauge(&sensor->power, text, sizeof(text));
	ret = kind->open(setup, sensor);
	isOpen = ret == 0;
	if (isOpen)
		ret = readOnce(kind, sensor);
	if (ret < 0) {
		used = strlen(text);
		if (used > 0)
			used += (size_t)snprintf(text + used,
						 sizeof(text) - used, ": ");
		ptSensorExplain(kind, setup, sensor, ret, text + used,
				sizeof(text) - used);
	}
	print(context, sensor->label, text, ret == 0);
	return isOpen;
}

void ptSensorsList(const struct ptSensorKind *kind, const struct ptSetup *setup,
		   ptDriverPrint *print, void *context)
{
	struct ptSensor *last = NULL;
	struct ptSensors sensors;
	int ret = ptSensorsScan(kind, setup, &sensors);

	if (ret < 0) {
		print(context, "-", strerror(-ret), false);
		return;
	}
	if (sensors.count == 0)
		print(context, "-", sensors.why, false);
	/* One is closed when the next is open: a library that all need together
	 * need not start anew for each. */
	for (size_t i = 0; i < sensors.count; i++) {
		struct ptSensor *sensor = &sensors.list[i];

		if (!listSensor(kind, setup, sensor, print, context))
			continue;
		if (last)
			kind->close(last);
		last = sensor;
	}
	if (last)
		kind->close(last);
	ptSensorsClear(&sensors);
}
