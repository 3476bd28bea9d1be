/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drivers for tests of the core; see meter.h. */
#include "config.h"

#include <errno.h>
#include <glib.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/pt/meter.h"

/* What read() returns. */
struct meterReading {
	int result;
	struct ptReading reading;
};

struct meterState {
	struct ptColumn *columns;
	size_t count;
	int64_t lastNs;
};

struct testMeter testMeter;

/* Readings that were given and not taken. */
static int meterPipe[2] = { -1, -1 };

static const struct ptQuantity meterQuantities[] = {
	{ "U", FLOAT, "V", "Voltage", "a voltage" },
	{ "P", FLOAT, "W", "Power", "a power" },
	{ "E", DOUBLE, "J", "Energy", "an energy", .kind = HD_KIND_DELTA },
	{ "N", INT64, NULL, NULL, "a number", .kind = HD_KIND_COUNTER },
	{ NULL, FLOAT, NULL, NULL, NULL },
};

static const char *const meterOptions[] = { "mode", NULL };

#define COUNT(field) __atomic_add_fetch(&testMeter.field, 1, __ATOMIC_SEQ_CST)

void testMeterReset(void)
{
	testMeter = (struct testMeter){ 0 };
	for (int i = 0; i < 2; i++)
		if (meterPipe[i] >= 0)
			close(meterPipe[i]);
	g_assert_cmpint(pipe(meterPipe), ==, 0);
}

void testMeterGive(int result, int64_t endNs, int64_t lengthNs, uint64_t lost)
{
	struct meterReading given = {
		.result = result,
		.reading = { endNs, lengthNs, lost },
	};

	g_assert_cmpint(write(meterPipe[1], &given, sizeof(given)), ==,
			sizeof(given));
}

union hdCell testMeterCell(const struct ptColumn *column, int64_t endNs)
{
	int64_t number = endNs / 1000000 % 1000 + 1000 * column->channel;
	union hdCell cell = { 0 };

	switch (column->quantity->type) {
	case FLOAT:
		cell.f = (float)number;
		break;
	case DOUBLE:
		cell.d = (double)number;
		break;
	default:
		cell.i = number;
		break;
	}
	return cell;
}

static int meterCheckOption(const char *name, const char *value, char *why,
			    size_t whySize)
{
	g_assert_cmpstr(name, ==, "mode");
	if (strcmp(value, "good") == 0)
		return 0;
	snprintf(why, whySize, "is good");
	return -EINVAL;
}

static int meterResolve(const struct ptSetup *setup, const char *channel,
			size_t index, unsigned int *number,
			char label[PT_CHANNEL_MAX], char *why, size_t whySize)
{
	(void)setup;
	snprintf(why, whySize, "unknown input; expected 1 to 4");
	if (!channel)
		return -EINVAL;
	if (strcmp(channel, "*") == 0) {
		if (index >= 4)
			return -ENOENT;
		*number = (unsigned int)index + 1;
	} else if (strlen(channel) == 1 && *channel >= '1' && *channel <= '4') {
		*number = (unsigned int)(*channel - '0');
	} else {
		return -EINVAL;
	}
	snprintf(label, PT_CHANNEL_MAX, "in%u", *number);
	return 0;
}

static int meterOpen(struct ptDevice *dev, struct ptColumn *columns,
		     size_t count)
{
	struct meterState *state;

	COUNT(opens);
	if (testMeterGet(openResult) < 0)
		return testMeterGet(openResult);
	state = calloc(1, sizeof(*state));
	if (!state)
		return -ENOMEM;
	state->columns = columns;
	state->count = count;
	testMeterSet(columns, (int)count);
	for (size_t i = 0; i < count; i++) {
		columns[i].source = "test <1>";
		if (columns[i].channel == 2)
			columns[i].resolution = "1 mW";
		columns[i].isSimulated = columns[i].channel == 3;
	}
	dev->found.cycleNs = testMeterGet(cycleNs);
	dev->state = state;
	return 0;
}

static int meterStart(struct ptDevice *dev)
{
	struct meterState *state = dev->state;

	COUNT(starts);
	state->lastNs = hdClockNow();
	return testMeterGet(startResult);
}

static void meterFill(const struct meterState *state, union hdCell *cells,
		      int64_t endNs)
{
	for (size_t i = 0; i < state->count; i++)
		cells[i] = testMeterCell(&state->columns[i], endNs);
}

static int meterRead(struct ptDevice *dev, union hdCell *cells,
		     struct ptReading *reading)
{
	struct pollfd fds[] = { { .fd = dev->setup.wakeFd, .events = POLLIN },
				{ .fd = meterPipe[0], .events = POLLIN } };
	struct meterReading given;

	while (poll(fds, 2, -1) < 0)
		g_assert_cmpint(errno, ==, EINTR);
	if (fds[0].revents)
		return -EINTR;
	g_assert_cmpint(read(meterPipe[0], &given, sizeof(given)), ==,
			sizeof(given));
	if (given.result == 0) {
		meterFill(dev->state, cells, given.reading.endNs);
		*reading = given.reading;
	}
	return given.result;
}

static int hostRead(struct ptDevice *dev, union hdCell *cells,
		    struct ptReading *reading)
{
	struct meterState *state = dev->state;
	struct pollfd fd = { .fd = meterPipe[0], .events = POLLIN };
	struct meterReading given;

	if (poll(&fd, 1, 0) == 1) {
		g_assert_cmpint(read(meterPipe[0], &given, sizeof(given)), ==,
				sizeof(given));
		if (given.result < 0)
			return given.result;
	}
	reading->endNs = hdClockNow();
	reading->lengthNs = reading->endNs - state->lastNs;
	state->lastNs = reading->endNs;
	meterFill(state, cells, reading->endNs);
	return 0;
}

static int meterStop(struct ptDevice *dev)
{
	(void)dev;
	COUNT(stops);
	return testMeterGet(stopResult);
}

static void meterClose(struct ptDevice *dev)
{
	COUNT(closes);
	free(dev->state);
}

#define METER                                                      \
	.quantities = meterQuantities, .options = meterOptions,    \
	.checkOption = meterCheckOption, .resolve = meterResolve,  \
	.open = meterOpen, .start = meterStart, .stop = meterStop, \
	.close = meterClose, .minCycleMs = 0.5, .maxCycleMs = 60000

static const struct ptDriver meter = {
	.name = "Meter",
	.timing = PT_TIMED_BY_METER,
	.read = meterRead,
	METER,
};

static const struct ptDriver host = {
	.name = "Host",
	.timing = PT_TIMED_BY_HOST,
	.read = hostRead,
	METER,
};

static const struct ptDriver ported = {
	.name = "Ported",
	.timing = PT_TIMED_BY_METER,
	.needsPort = true,
	.line = { .baud = 57600, .flow = PT_FLOW_RTSCTS },
	.read = meterRead,
	METER,
};

static const struct ptQuantity rawQuantities[] = {
	{ "N", INT64, NULL, NULL, "a number", .kind = HD_KIND_COUNTER },
	{ "I", FLOAT, "A", "Current", "a current",
	  PT_SCALE_SLOPE | PT_SCALE_OFFSET },
	{ "P", FLOAT, "W", "Power", "a power", PT_SCALE_VOLTAGE },
	{ NULL, FLOAT, NULL, NULL, NULL },
};

static int rawCheckAddress(const char *address, char *why, size_t whySize)
{
	if (!address || g_str_has_prefix(address, "raw://"))
		return 0;
	snprintf(why, whySize, "a device is raw://NAME");
	return -EINVAL;
}

static const struct ptDriver raw = {
	.name = "Raw",
	.timing = PT_TIMED_BY_METER,
	.quantities = rawQuantities,
	.checkAddress = rawCheckAddress,
	.minCycleMs = 1000.0 / 3,
	.maxCycleMs = 1000.0 / 3,
	.usualCycleMs = 1000.0 / 3,
	.scales = PT_SCALE_VOLTAGE | PT_SCALE_SLOPE | PT_SCALE_OFFSET,
	.resolve = meterResolve,
	.open = meterOpen,
	.start = meterStart,
	.read = meterRead,
	.stop = meterStop,
	.close = meterClose,
};

const struct ptDriver *const testDrivers[] = { &meter, &host, &ported, &raw,
					       NULL };
