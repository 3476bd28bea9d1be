/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the two files share that implement sensor.h.
 */
#ifndef PT_SENSORS_H
#define PT_SENSORS_H

#include "PowerTracingLibrary/src/machine/sensor.h"

/** Find all sensors and give them different labels. */
int ptSensorsScan(const struct ptSensorKind *kind, const struct ptSetup *setup,
		  struct ptSensors *sensors);

/** Free what ptSensorsScan() found. */
void ptSensorsClear(struct ptSensors *sensors);

/** Find a sensor by its label, else by its alias, or return NULL. */
struct ptSensor *ptSensorsFind(const struct ptSensors *sensors,
			       const char *channel);

/** Say why a sensor could not be opened or read. */
void ptSensorExplain(const struct ptSensorKind *kind,
		     const struct ptSetup *setup, const struct ptSensor *sensor,
		     int error, char *text, size_t size);

#endif
