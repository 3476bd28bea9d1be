/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Driver for the DC2Meter, a PIC18 that measures the direct current of up to 25
 * lines with Hall sensors.
 *
 *     > 01                     stop
 *     > 5A     < one byte      whatever it is
 *     > 5A     < four bytes    what frames are like (picframe.h)
 *     > 55     < one byte      begin
 *              < frames
 *
 * It sends as fast as it can, 90 us a byte. What the unit of its bytes of time
 * is nobody has written down; they are not used. Channels are numbered as they
 * are in the frame: channel 1 is that of the first number.
 *
 *     A = number * 0.03      W = A * voltage
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "PowerTracingLibrary/src/config/channels.h"
#include "PowerTracingLibrary/src/drivers/raw/rawmeter.h"
#include "PowerTracingLibrary/src/drivers/serial/picframe.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/core/now.h"
#include "common/clock.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define STEP_NS (300 * MS)
#define BYTE_NS (90 * US)
/* Of one channel, and of all with time. */
#define CYCLE_MIN_MS 0.27
#define CYCLE_MAX_MS 5.04
/* Of all channels with 10 bits. */
#define CYCLE_USUAL_MS 4.68
#define AMPERES 0.03
/* Of lines for which none is given. */
#define VOLTAGE 12

static const struct ptQuantity quantities[] = {
	[PT_RAW_POWER] = { "P", FLOAT, "W", "Power",
			   "power, current times voltage=" },
	[PT_RAW_CURRENT] = { "I", FLOAT, "A", "Current", "current" },
	[PT_RAW_NUMBER] = { "Raw", FLOAT, "", "Raw",
			    "number as sent, 0 to 1023" },
	{ NULL },
};

static const char *const options[] = { "inputs", NULL };

struct state {
	struct ptRawMeter raw;
	struct ptPicFormat format;
};

static int dc2CheckOption(const char *name, const char *value, char *why,
			  size_t whySize)
{
	(void)name;
	if (ptChannelParse(value, PT_PIC_CHANNELS))
		return 0;
	snprintf(why, whySize, "expected 1 to %d", PT_PIC_CHANNELS);
	return -EINVAL;
}

static int dc2Resolve(const struct ptSetup *setup, const char *channel,
		      size_t index, unsigned int *number,
		      char label[PT_CHANNEL_MAX], char *why, size_t whySize)
{
	unsigned int count = ptChannelParse(
		ptSetupOptionOr(setup, "inputs", "25"), PT_PIC_CHANNELS);

	return ptChannelResolve(count, channel, index, number, label, why,
				whySize);
}

static double dc2Current(double raw, const struct ptScale *scale)
{
	(void)scale;
	return raw * AMPERES;
}

/* ---- Beginning --------------------------------------------------------- */

/* Send a command and get the bytes that answer it. */
static int dc2Query(struct state *state, uint8_t command, uint8_t *answer,
		    size_t size)
{
	int64_t deadlineNs = ptNow() + STEP_NS;
	int ret = ptFramesSend(&state->raw.stream, &command, 1, deadlineNs);
	size_t used = 0;

	while (ret == 0 && used < size) {
		ssize_t count = ptTransportRead(
			state->raw.stream.receiver.transport, answer + used,
			size - used, deadlineNs, NULL);

		if (count < 0)
			ret = (int)count;
		else
			used += (size_t)count;
	}
	if (ret == -ETIMEDOUT)
		ptMessage(
			HD_LOG_ERROR,
			"dc2meter: %zu of %zu bytes in reply to command %02X; "
			"check the power of the meter, and the port: %u baud",
			used, size, command,
			state->raw.stream.driver->line.baud);
	return ret;
}

static int dc2StopFrames(struct state *state)
{
	const uint8_t command = 0x01;

	return ptFramesSend(&state->raw.stream, &command, 1, ptNow() + STEP_NS);
}

/* Bring it to where it would begin, and get what frames are like. */
static int dc2Prepare(struct state *state, struct ptPicFormat *format)
{
	uint8_t config[PT_PIC_CONFIG];
	int ret = dc2StopFrames(state);

	if (ret == 0)
		ret = ptFramesQuiet(&state->raw.stream, ptNow() + STEP_NS);
	if (ret == -ETIMEDOUT)
		ptMessage(HD_LOG_ERROR,
			  "dc2meter: the meter does not stop sending");
	if (ret == 0)
		ret = dc2Query(state, 0x5a, config, 1);
	if (ret == 0)
		ret = dc2Query(state, 0x5a, config, sizeof(config));
	if (ret < 0)
		return ret;
	ret = ptPicFormatRead(config, format);
	if (ret < 0)
		ptMessage(HD_LOG_ERROR,
			  "dc2meter: invalid description of frames: %02X %02X "
			  "%02X %02X; check that this is a DC2Meter",
			  config[0], config[1], config[2], config[3]);
	return ret < 0 ? -ENXIO : 0;
}

/* Tell whether the meter sends all that is wanted. */
static int checkColumns(const struct state *state,
			const struct ptColumn *columns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (columns[i].channel <= state->format.channels)
			continue;
		ptMessage(HD_LOG_ERROR,
			  "dc2meter: unknown input %u; the meter has %u (for "
			  "input=*, set inputs=%u)",
			  columns[i].channel, state->format.channels,
			  state->format.channels);
		return -ENXIO;
	}
	return 0;
}

static int64_t frameNs(const struct ptPicFormat *format)
{
	return (int64_t)ptPicLength(format) * BYTE_NS;
}

static int dc2Stop(struct ptDevice *dev)
{
	struct state *state = dev->state;

	state->raw.isStarted = false;
	return dc2StopFrames(state);
}

static const struct ptRawKind kind = {
	.size = sizeof(struct state),
	.framing = &ptPicFraming,
	.rate = PT_RATE_ABOUT,
	.voltage = VOLTAGE,
	.current = dc2Current,
	.stop = dc2Stop,
};

static int dc2Open(struct ptDevice *dev, struct ptColumn *columns, size_t count)
{
	int ret = ptRawMeterOpen(dev, columns, count, &kind, -1);
	struct state *state = dev->state;

	if (ret < 0)
		return ret;
	ptFramesSetFormat(&state->raw.stream, &state->format);
	state->raw.stream.stampAt = PT_PIC_MARKS;
	ret = dc2Prepare(state, &state->format);
	if (ret == 0)
		ret = checkColumns(state, columns, count);
	if (ret < 0) {
		ptRawMeterClose(dev);
		return ret;
	}
	dev->found.channels = state->format.channels + 1;
	dev->found.cycleNs = frameNs(&state->format);
	state->raw.stream.cycleNs = dev->found.cycleNs;
	return 0;
}

/* ---- Measuring --------------------------------------------------------- */

static int dc2Start(struct ptDevice *dev)
{
	struct state *state = dev->state;
	struct ptPicFormat format;
	uint8_t answer;
	int ret = dc2Prepare(state, &format);

	if (ret < 0)
		return ret;
	if (format.channels != state->format.channels ||
	    frameNs(&format) != frameNs(&state->format) ||
	    format.isWide != state->format.isWide) {
		ptMessage(HD_LOG_ERROR,
			  "dc2meter: the inputs of the meter were changed");
		return -EIO;
	}
	ptFramesStart(&state->raw.stream);
	ret = dc2Query(state, 0x55, &answer, 1);
	state->raw.isStarted = ret == 0;
	return ret;
}

static int dc2Read(struct ptDevice *dev, union hdCell *cells,
		   struct ptReading *reading)
{
	struct state *state = dev->state;
	double numbers[PT_PIC_CHANNELS];
	int ret = ptFramesRead(&state->raw.stream, dev, reading);

	if (ret < 0)
		return ret;
	ptPicParse(&state->raw.stream.frame, &state->format, numbers);
	ptRawMeterFill(&state->raw, numbers, cells);
	return 0;
}

const struct ptDriver ptDc2meterDriver = {
	.name = "dc2meter",
	.description =
		"DC2Meter, direct current of up to 25 lines, on a serial port",
	.timing = PT_TIMED_BY_METER,
	.needsPort = true,
	.line = { .baud = 115200 },
	.minCycleMs = CYCLE_MIN_MS,
	.maxCycleMs = CYCLE_MAX_MS,
	.usualCycleMs = CYCLE_USUAL_MS,
	.scales = PT_SCALE_VOLTAGE,
	.quantities = quantities,
	.options = options,
	.checkOption = dc2CheckOption,
	.resolve = dc2Resolve,
	.open = dc2Open,
	.start = dc2Start,
	.read = dc2Read,
	.stop = dc2Stop,
	.close = ptRawMeterClose,
};
