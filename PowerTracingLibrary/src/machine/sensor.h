/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the drivers for the machine's own meters have in common.
 *
 * Such a meter is a sensor that counts energy, or tells power, or both. A
 * driver says how its sensors are found and read (struct ptSensorKind); all
 * else is done here: channels by label, energy and power of an interval,
 * counters that wrap or start anew, sensors that vanish and come back.
 *
 * The two quantities are
 *
 * - E: energy of the interval. What the counter has advanced, or where there
 *   is none, the power integrated: the interval's length times the mean of the
 *   power at its two ends. DOUBLE, so that a sum of entries is what the counter
 *   says.
 * - P: power. What the sensor tells at the end of the interval, or where it
 *   only counts energy, the mean of the interval. An interval shorter than half
 *   a cycle, as a stop leaves one, would hold no or one step of a counter and
 *   so mean nothing; its P is that of the interval before it and it together.
 *
 * A sensor that cannot be read gives NaN; others go on. Of what an energy
 * counter counted meanwhile the next entry has the part of its own interval,
 * and the rest is left out, as its time is. Only if all sensors are gone read()
 * fails.
 *
 * The meters of the machine (powercap, perf, hwmon, nvml) differ in how they
 * are found and read, and in nothing else; so that is all their drivers
 * have, and sensor.h the rest.
 */
#ifndef PT_SENSOR_H
#define PT_SENSOR_H

#include "PowerTracingLibrary/src/core/driver.h"
#include "common/owned.h"

/** Longest text that says where a value comes from, and how fine it is. */
#define PT_SOURCE_MAX 192

/** No sensor draws more, in watts. A counter that went down has wrapped if the
 *  power would be below, else it was reset. */
#define PT_SENSOR_WATTS_MAX 20000

/** One of the two things that a sensor may tell. */
struct ptGauge {
	bool isThere;
	char source[PT_SOURCE_MAX];     /**< "" if there is nothing to say. */
	char resolution[PT_SOURCE_MAX]; /**< "" if there is nothing to say. */
};

/** A meter of the machine; what every reading needs comes first. */
struct ptSensor {
	double joules;  /**< Energy of one count. */
	uint64_t range; /**< Count after which it is at 0 again; 0: none. */
	/* The driver's: what its open() sets, and by what it finds it. */
	int fd;
	struct hdOwned owned; /* Of fd. */
	int other;            /* A second file of a sensor, where it has one. */
	struct hdOwned otherOwned;
	void *handle;
	unsigned int number;
	uint32_t type;
	uint64_t config;
	char path[PT_SOURCE_MAX];

	/** Letters, digits, '.' and '-'; see ptSensorSetLabel(). */
	char label[PT_CHANNEL_MAX];
	/** Another name that is accepted, or "". */
	char alias[PT_CHANNEL_MAX];
	/** Which hardware it is, whatever its label or number: "" or a path or
	 *  serial number. */
	char hardware[PT_SOURCE_MAX];
	struct ptGauge energy;
	struct ptGauge power;
};

/** Some sensors. */
struct ptSensors {
	struct ptSensor *list;
	size_t count;
	/** Why there are none, for the user; "" or what the driver found out.
	 */
	char why[PT_SOURCE_MAX];
};

/**
 * How sensors are found and read.
 *
 * None of these logs anything; they return 0 or a negative errno value.
 */
struct ptSensorKind {
	/** What to say if there is none. */
	const char *nothing;
	/** Whether labels depend on the order of the hardware: then a sensor
	 * that was lost is another one's label, and comes back by its hardware.
	 */
	bool isOrdered;
	/** Add all sensors, whether or not they can be read, always in the same
	 *  order. */
	int (*scan)(const struct ptSetup *setup, struct ptSensors *sensors);
	/** Open a sensor that was found, for ever if it works. */
	int (*open)(const struct ptSetup *setup, struct ptSensor *sensor);
	/**
	 * Read its counter; NULL if no sensor has one.
	 *
	 * @retval -ENODEV The sensor is gone (and -ENOENT, -ENXIO).
	 */
	int (*readEnergy)(const struct ptSensor *sensor, uint64_t *count);
	/** Read its power, as readEnergy(). */
	int (*readPower)(const struct ptSensor *sensor, double *watts);
	/** Undo open(). */
	void (*close)(struct ptSensor *sensor);
	/** Read it once, whether or not it is open; NULL: by open() and
	 * close(), which take no time. */
	int (*probe)(const struct ptSetup *setup, struct ptSensor *sensor);
	/**
	 * Say why it could not be opened or read, and what to do.
	 *
	 * @return Whether @p text was set; strerror() serves otherwise.
	 */
	bool (*explain)(const struct ptSetup *setup,
			const struct ptSensor *sensor, int error, char *text,
			size_t size);
};

/** The quantities, for struct ptDriver. */
extern const struct ptQuantity ptSensorQuantities[];

/** Add an empty sensor and return it, or NULL if there is no memory. */
struct ptSensor *ptSensorsAdd(struct ptSensors *sensors);

/** Set the label; other characters become '-'. What is too long is cut. */
void ptSensorSetLabel(struct ptSensor *sensor, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/** Set the hardware to the device behind a file of the machine; "" if there is
 *  none, or its path is too long. */
void ptSensorSetHardware(struct ptSensor *sensor, const struct ptSetup *setup,
			 const char *format, ...)
	__attribute__((__format__(__printf__, 3, 4)));

/* Functions of a kind whose sensor is one file, the path below root, with
 * microjoules or microwatts. */
int ptSensorFileOpen(const struct ptSetup *setup, struct ptSensor *sensor);
int ptSensorFileReadEnergy(const struct ptSensor *sensor, uint64_t *count);
int ptSensorFileReadPower(const struct ptSensor *sensor, double *watts);
void ptSensorFileClose(struct ptSensor *sensor);
bool ptSensorFileExplain(const struct ptSetup *setup,
			 const struct ptSensor *sensor, int error, char *text,
			 size_t size);

/** For ptDriver.resolve; channels are given by label or alias. */
int ptSensorsResolve(const struct ptSensorKind *kind,
		     const struct ptSetup *setup, const char *channel,
		     size_t index, unsigned int *number,
		     char label[PT_CHANNEL_MAX], char *why, size_t whySize);

/** For ptDriver.list. */
void ptSensorsList(const struct ptSensorKind *kind, const struct ptSetup *setup,
		   ptDriverPrint *print, void *context);

/** For ptDriver.open. */
int ptSensorsOpen(const struct ptSensorKind *kind, struct ptDevice *dev,
		  struct ptColumn *columns, size_t count);

/** Themselves ptDriver.start and so on. */
int ptSensorsStart(struct ptDevice *dev);
int ptSensorsRead(struct ptDevice *dev, union hdCell *cells,
		  struct ptReading *reading);
void ptSensorsClose(struct ptDevice *dev);

#endif
