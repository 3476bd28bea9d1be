/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What meters of the machine have in common: reading them; see sensor.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/src/machine/period.h"
#include "PowerTracingLibrary/src/machine/sensors.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/core/now.h"
#include "common/clock.h"
#include "common/counter.h"

/* How often a sensor is looked for that is gone. */
#define RETRY_NS HD_NS_PER_S

/* How long sensors are watched at most to see how often they change, and how
 * often they are read meanwhile. */
#define WATCH_NS INT64_C(100000000)
#define WATCH_STEP_NS 250000
#define WATCH_READS_MAX 400

/* A sensor in use; what every reading needs lies together. */
struct use {
	bool readsEnergy;
	bool readsPower;
	bool isGone;
	bool wasLogged;
	/* At the last reading that succeeded. */
	bool isCounting;
	bool isLevel;
	uint64_t count;
	int64_t countNs;
	double watts;
	int64_t wattsNs;
	/* The interval before. */
	double beforeJoules;
	int64_t beforeNs; /* Its length; 0: there was none. */
	/* Results; NaN: unknown. */
	double energy;
	double power;
	int64_t retryNs; /* When to look for it again. */
	struct ptSensor sensor;
	char channel[PT_CHANNEL_MAX]; /* The name it was asked for by. */
	char integrated[PT_SOURCE_MAX + 16];
};

/* Where a column comes from. */
struct place {
	size_t use;
	bool isEnergy;
};

struct state {
	const struct ptSensorKind *kind;
	struct use *uses;
	size_t useCount;
	struct place *places;
	size_t placeCount;
	int64_t beganNs; /* The interval. */
};

/* ---- Opening ----------------------------------------------------------- */

/* The file of a sensor in the directory of its hardware, if it is one. */
static const char *sensorReadFileOf(const struct ptSensor *sensor)
{
	const char *slash = strrchr(sensor->path, '/');

	return slash ? slash : "";
}

/* Find a sensor by the name it was asked for by; one that was lost by what it
 * was, as another one may have its name now. */
static struct ptSensor *useLookUp(const struct use *use,
				  const struct ptSensorKind *kind,
				  const struct ptSensors *sensors)
{
	const struct ptSensor *before = &use->sensor;

	if (!kind->isOrdered || !before->hardware[0])
		return ptSensorsFind(sensors, use->channel);
	for (size_t i = 0; i < sensors->count; i++) {
		struct ptSensor *sensor = &sensors->list[i];

		if (strcmp(sensor->hardware, before->hardware) == 0 &&
		    strcmp(sensorReadFileOf(sensor),
			   sensorReadFileOf(before)) == 0)
			return sensor;
	}
	return NULL;
}

/* Find a sensor by name and open it. */
static int useOpen(struct use *use, const struct ptSensorKind *kind,
		   const struct ptSetup *setup, char *why, size_t whySize)
{
	struct ptSensors sensors;
	struct ptSensor *sensor;
	int ret = ptSensorsScan(kind, setup, &sensors);

	if (ret < 0) {
		snprintf(why, whySize, "%s", strerror(-ret));
		return ret;
	}
	sensor = useLookUp(use, kind, &sensors);
	if (sensor) {
		ret = kind->open(setup, sensor);
		if (ret < 0)
			ptSensorExplain(kind, setup, sensor, ret, why, whySize);
		else
			use->sensor = *sensor;
	} else {
		ret = -ENODEV;
		snprintf(why, whySize, "%s",
			 sensors.count > 0 ? "not found" : sensors.why);
	}
	ptSensorsClear(&sensors);
	return ret;
}

/* Get the place of the sensor of a column, opening it if it is a new one. */
static int stateUse(struct state *state, struct ptDevice *dev,
		    const char *channel, size_t *place)
{
	struct use *use;
	char why[512];
	int ret;

	for (*place = 0; *place < state->useCount; ++*place) {
		if (strcmp(state->uses[*place].channel, channel) == 0)
			return 0;
	}
	use = &state->uses[*place];
	*use = (struct use){ 0 };
	snprintf(use->channel, sizeof(use->channel), "%s", channel);
	ret = useOpen(use, state->kind, &dev->setup, why, sizeof(why));
	if (ret < 0) {
		ptMessage(HD_LOG_ERROR, "%s: %s: %s", dev->driver->name,
			  channel, why);
		return ret;
	}
	state->useCount++;
	return 0;
}

/* Choose what is read of a sensor for a column, and describe it. */
static void useDescribe(struct use *use, bool isEnergy, struct ptColumn *column)
{
	struct ptSensor *sensor = &use->sensor;
	bool isDirect =
		isEnergy ? sensor->energy.isThere : sensor->power.isThere;
	const struct ptGauge *gauge =
		isEnergy == isDirect ? &sensor->energy : &sensor->power;

	if (gauge == &sensor->energy)
		use->readsEnergy = true;
	else
		use->readsPower = true;
	column->source = gauge->source[0] ? gauge->source : NULL;
	column->resolution = gauge->resolution[0] ? gauge->resolution : NULL;
	column->hardware = sensor->hardware[0] ? sensor->hardware : NULL;
	if (isEnergy && !isDirect) {
		snprintf(use->integrated, sizeof(use->integrated),
			 "%s, integrated", gauge->source);
		column->source = use->integrated;
	}
}

/* One reading, so that what cannot be read at all is known at once. */
static int useTry(const struct use *use, const struct ptSensorKind *kind)
{
	uint64_t count;
	double watts;
	int ret = 0;

	if (use->readsEnergy)
		ret = kind->readEnergy(&use->sensor, &count);
	if (ret == 0 && use->readsPower)
		ret = kind->readPower(&use->sensor, &watts);
	return ret;
}

/* Whether it is known how often a sensor changes. */
static bool useHasPeriod(const struct use *use)
{
	const struct ptGauge *gauge =
		use->readsPower ? &use->sensor.power : &use->sensor.energy;

	return strstr(gauge->resolution, "every ") != NULL;
}

/* Read sensors whose period is not known until each has changed often enough;
 * whether all have. */
static bool stateWatch(const struct state *state, struct ptPeriod *periods)
{
	bool isDone = true;

	for (size_t i = 0; i < state->useCount; i++) {
		const struct use *use = &state->uses[i];
		int64_t now = ptNow();
		uint64_t count;
		double watts;

		if (useHasPeriod(use) || ptPeriodIsKnown(&periods[i]))
			continue;
		isDone = false;
		if (!use->readsPower &&
		    state->kind->readEnergy(&use->sensor, &count) == 0)
			ptPeriodAdd(&periods[i], (double)count, now);
		else if (use->readsPower &&
			 state->kind->readPower(&use->sensor, &watts) == 0)
			ptPeriodAdd(&periods[i], watts, now);
	}
	return isDone;
}

/* Measure how often sensors change that do not say so, and note it. */
static void stateMeasurePeriods(struct state *state,
				const struct ptSetup *setup)
{
	struct ptPeriod *periods =
		calloc(state->useCount + 1, sizeof(*periods));
	int64_t untilNs = ptNow() + WATCH_NS;

	if (!periods)
		return;
	if (setup->deadlineNs && setup->deadlineNs < untilNs)
		untilNs = setup->deadlineNs;
	for (unsigned int i = 0; i < WATCH_READS_MAX && ptNow() < untilNs &&
				 !stateWatch(state, periods);
	     i++)
		ptSleep(setup->wakeFd, WATCH_STEP_NS);
	for (size_t i = 0; i < state->useCount; i++) {
		struct use *use = &state->uses[i];
		struct ptGauge *gauge = use->readsPower ? &use->sensor.power
							: &use->sensor.energy;

		ptPeriodDescribe(&periods[i], gauge->resolution,
				 sizeof(gauge->resolution));
	}
	free(periods);
}

static void sensorReadStateFree(struct state *state)
{
	for (size_t i = 0; i < state->useCount; i++) {
		if (!state->uses[i].isGone)
			state->kind->close(&state->uses[i].sensor);
	}
	free(state->uses);
	free(state->places);
	free(state);
}

int ptSensorsOpen(const struct ptSensorKind *kind, struct ptDevice *dev,
		  struct ptColumn *columns, size_t count)
{
	struct state *state = calloc(1, sizeof(*state));
	int ret = -ENOMEM;

	if (!state)
		goto memory;
	state->kind = kind;
	state->uses = calloc(count + 1, sizeof(*state->uses));
	state->places = calloc(count + 1, sizeof(*state->places));
	if (!state->uses || !state->places)
		goto memory;
	state->placeCount = count;
	for (size_t i = 0; i < count; i++) {
		struct place *place = &state->places[i];

		ret = stateUse(state, dev, columns[i].label, &place->use);
		if (ret < 0)
			goto fail;
		place->isEnergy = columns[i].quantity->name[0] == 'E';
		useDescribe(&state->uses[place->use], place->isEnergy,
			    &columns[i]);
	}
	for (size_t i = 0; i < state->useCount; i++) {
		struct use *use = &state->uses[i];
		char why[512];

		ret = useTry(use, kind);
		if (ret < 0) {
			ptSensorExplain(kind, &dev->setup, &use->sensor, ret,
					why, sizeof(why));
			ptMessage(HD_LOG_ERROR, "%s: %s: %s", dev->driver->name,
				  use->channel, why);
			goto fail;
		}
	}
	stateMeasurePeriods(state, &dev->setup);
	for (size_t i = 0; i < count; i++)
		useDescribe(&state->uses[state->places[i].use],
			    state->places[i].isEnergy, &columns[i]);
	dev->state = state;
	return 0;

memory:
	ptMessage(HD_LOG_ERROR, "%s: out of memory", dev->driver->name);
fail:
	if (state)
		sensorReadStateFree(state);
	return ret;
}

/* ---- Reading ----------------------------------------------------------- */

static bool isGoneError(int error)
{
	return error == -ENODEV || error == -ENOENT || error == -ENXIO;
}

/* A reading failed. */
static void useFail(struct use *use, struct ptDevice *dev, int error)
{
	const struct state *state = dev->state;
	char why[512];

	/* Once; but each time that it goes, for it may come back. */
	if (!use->wasLogged || isGoneError(error)) {
		use->wasLogged = true;
		ptSensorExplain(state->kind, &dev->setup, &use->sensor, error,
				why, sizeof(why));
		ptMessage(HD_LOG_WARNING, "%s: %s: %s; no values meanwhile",
			  dev->driver->name, use->channel, why);
	}
	if (!isGoneError(error))
		return;
	state->kind->close(&use->sensor);
	use->isGone = true;
	use->isCounting = use->isLevel = false;
	use->retryNs = ptNow() + RETRY_NS;
}

/* Look for a sensor that was gone. What is allocated meanwhile is freed. */
static void useFind(struct use *use, struct ptDevice *dev)
{
	const struct state *state = dev->state;
	char why[512];

	use->retryNs = ptNow() + RETRY_NS;
	if (useOpen(use, state->kind, &dev->setup, why, sizeof(why)) < 0)
		return;
	if (useTry(use, state->kind) < 0) {
		state->kind->close(&use->sensor);
		return;
	}
	use->isGone = false;
	ptMessage(HD_LOG_WARNING, "%s: %s: back", dev->driver->name,
		  use->channel);
}

/* Get what a counter has counted; false if that is not known, as it was reset
 * meanwhile, or wrapped more than once, as it may while the process is stopped.
 */
static bool countSince(const struct ptSensor *sensor,
		       const struct ptSetup *setup, uint64_t old,
		       uint64_t count, int64_t ns, double *joules)
{
	const struct hdCounterLaw law = {
		.span = sensor->range,
		.rate = PT_SENSOR_WATTS_MAX / sensor->joules,
		.onceNs = 2 * setup->cycleNs,
	};
	uint64_t gain;

	if ((count < old && sensor->range == 0) ||
	    !hdCounterGain(&law, old, count, ns, &gain) ||
	    (double)gain > hdCounterMost(&law, ns + HD_COUNTER_LATE_NS))
		return false;
	*joules = (double)gain * sensor->joules;
	return true;
}

/* The part of an energy since a reading that belongs to the interval: after
 * readings that failed the energy is that of several intervals, and those
 * before have no value. */
static double energyPart(const struct ptDevice *dev, double joules,
			 int64_t sinceNs, int64_t now)
{
	const struct state *state = dev->state;

	if (sinceNs >= state->beganNs)
		return joules;
	return joules *
	       ((double)(now - state->beganNs) / (double)(now - sinceNs));
}

/* Energy of an interval that a counter tells, and power by it. */
static void useTakeCount(struct use *use, const struct ptDevice *dev,
			 uint64_t count, int64_t now)
{
	int64_t ns = now - use->countNs;
	double joules;

	use->energy = NAN;
	if (use->isCounting && countSince(&use->sensor, &dev->setup, use->count,
					  count, ns, &joules)) {
		double sum = joules;
		int64_t sumNs = ns;

		use->energy = energyPart(dev, joules, use->countNs, now);
		if (ns < dev->setup.cycleNs / 2) {
			sum += use->beforeJoules;
			sumNs += use->beforeNs;
		}
		if (sumNs > 0 && !use->readsPower)
			use->power = sum * (double)HD_NS_PER_S / (double)sumNs;
		use->beforeJoules = joules;
		use->beforeNs = ns;
	} else {
		use->beforeJoules = 0;
		use->beforeNs = 0;
	}
	use->isCounting = true;
	use->count = count;
	use->countNs = now;
}

/* Power that a sensor tells, and energy of an interval by it. */
static void useTakePower(struct use *use, const struct ptDevice *dev,
			 double watts, int64_t now)
{
	double joules = (use->watts + watts) / 2 *
			(double)(now - use->wattsNs) / (double)HD_NS_PER_S;

	use->power = watts;
	if (!use->readsEnergy)
		use->energy = use->isLevel ? energyPart(dev, joules,
							use->wattsNs, now)
					   : NAN;
	use->isLevel = true;
	use->watts = watts;
	use->wattsNs = now;
}

static void useRead(struct use *use, struct ptDevice *dev)
{
	const struct state *state = dev->state;
	uint64_t count;
	double watts;
	int ret = 0;

	use->energy = use->power = NAN;
	if (use->isGone && ptNow() >= use->retryNs)
		useFind(use, dev);
	if (use->isGone)
		return;
	/* The time of a value is that just before it is read. */
	if (use->readsEnergy) {
		int64_t now = ptNow();

		ret = state->kind->readEnergy(&use->sensor, &count);
		if (ret == 0)
			useTakeCount(use, dev, count, now);
	}
	if (use->readsPower && !isGoneError(ret)) {
		int64_t now = ptNow();
		int error = state->kind->readPower(&use->sensor, &watts);

		if (error == 0)
			useTakePower(use, dev, watts, now);
		else
			ret = error;
	}
	if (ret < 0)
		useFail(use, dev, ret);
}

static bool stateIsGone(const struct state *state)
{
	for (size_t i = 0; i < state->useCount; i++) {
		if (!state->uses[i].isGone)
			return false;
	}
	return state->useCount > 0;
}

int ptSensorsStart(struct ptDevice *dev)
{
	struct state *state = dev->state;

	state->beganNs = ptNow();
	for (size_t i = 0; i < state->useCount; i++) {
		struct use *use = &state->uses[i];

		/* What was counted while nobody asked belongs to nothing. */
		use->isCounting = use->isLevel = false;
		use->beforeJoules = 0;
		use->beforeNs = 0;
		useRead(use, dev);
	}
	return stateIsGone(state) ? -ENODEV : 0;
}

int ptSensorsRead(struct ptDevice *dev, union hdCell *cells,
		  struct ptReading *reading)
{
	struct state *state = dev->state;
	int64_t now = ptNow();
	int64_t wallNs = hdClockNow();

	for (size_t i = 0; i < state->useCount; i++)
		useRead(&state->uses[i], dev);
	if (stateIsGone(state))
		return -ENODEV;
	for (size_t i = 0; i < state->placeCount; i++) {
		const struct use *use = &state->uses[state->places[i].use];

		if (state->places[i].isEnergy)
			cells[i].d = use->energy;
		else
			cells[i].f = (float)use->power;
	}
	*reading = (struct ptReading){
		.endNs = wallNs,
		.lengthNs = now - state->beganNs,
	};
	state->beganNs = now;
	return 0;
}

void ptSensorsClose(struct ptDevice *dev)
{
	sensorReadStateFree(dev->state);
	dev->state = NULL;
}
