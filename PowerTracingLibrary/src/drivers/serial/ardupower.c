/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Driver for the ArduPower, an Arduino that measures the direct current of up
 * to 16 lines with Hall sensors, on a USB port that is a serial one.
 *
 *     > 0000                   stop
 *     > MMMM                   begin; the channels as bits, the high byte first
 *     < frames (arduframe.h)   of the channels in their order
 *
 * Channel 1 is bit 0. To open the port restarts many Arduinos, which takes
 * them a second. How often it sends is up to its program.
 *
 *     A = (raw - offset) / slope      W = A * voltage
 */
#include "config.h"

#include <errno.h>

#include "PowerTracingLibrary/src/config/channels.h"
#include "PowerTracingLibrary/src/drivers/raw/rawmeter.h"
#include "PowerTracingLibrary/src/drivers/serial/arduframe.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/core/now.h"
#include "common/clock.h"

#define MS INT64_C(1000000)
#define RESTART_NS (1000 * MS)
#define STEP_NS (400 * MS)
#define USUAL_CYCLE_MS 10

static const struct ptQuantity quantities[] = {
	[PT_RAW_POWER] = { "P", FLOAT, "W", "Power",
			   "power, (Raw - offset=) / slope= * voltage=",
			   PT_SCALE_VOLTAGE | PT_SCALE_SLOPE |
				   PT_SCALE_OFFSET },
	[PT_RAW_CURRENT] = { "I", FLOAT, "A", "Current",
			     "current, (Raw - offset=) / slope=",
			     PT_SCALE_SLOPE | PT_SCALE_OFFSET },
	[PT_RAW_NUMBER] = { "Raw", FLOAT, "", "Raw", "number as sent" },
	{ NULL },
};

struct state {
	struct ptRawMeter raw;
	uint16_t mask;
	unsigned int channels; /* In the mask. */
};

static int arduResolve(const struct ptSetup *setup, const char *channel,
		       size_t index, unsigned int *number,
		       char label[PT_CHANNEL_MAX], char *why, size_t whySize)
{
	(void)setup;
	return ptChannelResolve(PT_ARDU_CHANNELS, channel, index, number, label,
				why, whySize);
}

static double arduCurrent(double raw, const struct ptScale *scale)
{
	return (raw - scale->offset) / scale->slope;
}

static int sendMask(struct state *state, unsigned int mask)
{
	const uint8_t bytes[] = { (uint8_t)(mask >> 8), (uint8_t)mask };

	return ptFramesSend(&state->raw.stream, bytes, sizeof(bytes),
			    ptNow() + STEP_NS);
}

/* Let it restart, whatever it says meanwhile. */
static int awaitRestart(struct state *state)
{
	int64_t until = ptNow() + RESTART_NS;
	uint8_t bytes[256];
	ssize_t ret;

	do
		ret = ptTransportRead(state->raw.stream.receiver.transport,
				      bytes, sizeof(bytes), until, NULL);
	while (ret > 0 && ptNow() < until);
	return ret > 0 || ret == -ETIMEDOUT ? 0 : (int)ret;
}

/* See whether frames come of what is wanted. */
static int ardupowerProbe(struct state *state)
{
	int ret = sendMask(state, state->mask);

	if (ret == 0)
		ret = ptFramesNext(&state->raw.stream, ptNow() + STEP_NS);
	if (ret == -ETIMEDOUT)
		ptMessage(HD_LOG_ERROR,
			  "ardupower: no frames of %u inputs; check that this "
			  "is an ArduPower at %u baud",
			  state->channels, state->raw.stream.driver->line.baud);
	if (ret == 0)
		ret = sendMask(state, 0);
	return ret;
}

static int arduStop(struct ptDevice *dev)
{
	struct state *state = dev->state;

	state->raw.isStarted = false;
	return sendMask(state, 0);
}

static const struct ptRawKind kind = {
	.size = sizeof(struct state),
	.framing = &ptArduFraming,
	.rate = PT_RATE_ABOUT,
	.current = arduCurrent,
	.stop = arduStop,
};

static int arduOpen(struct ptDevice *dev, struct ptColumn *columns,
		    size_t count)
{
	int ret = ptRawMeterOpen(dev, columns, count, &kind, -1);
	struct state *state = dev->state;

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < count; i++)
		state->mask |= (uint16_t)(1U << (columns[i].channel - 1));
	state->channels = (unsigned int)__builtin_popcount(state->mask);
	ptFramesSetFormat(&state->raw.stream, &state->channels);
	ret = sendMask(state, 0);
	if (ret == 0)
		ret = awaitRestart(state);
	if (ret == 0)
		ret = ardupowerProbe(state);
	if (ret < 0)
		ptRawMeterClose(dev);
	else
		dev->found.channels = PT_ARDU_CHANNELS + 1;
	return ret;
}

static int arduStart(struct ptDevice *dev)
{
	struct state *state = dev->state;
	int ret;

	ptFramesStart(&state->raw.stream);
	ret = sendMask(state, state->mask);
	state->raw.isStarted = ret == 0;
	return ret;
}

static int arduRead(struct ptDevice *dev, union hdCell *cells,
		    struct ptReading *reading)
{
	struct state *state = dev->state;
	double sent[PT_ARDU_CHANNELS], numbers[PT_ARDU_CHANNELS];
	size_t next = 0;
	int ret = ptFramesRead(&state->raw.stream, dev, reading);

	if (ret < 0)
		return ret;
	ptArduParse(&state->raw.stream.frame, state->channels, sent);
	for (unsigned int i = 0; i < PT_ARDU_CHANNELS; i++)
		numbers[i] = state->mask & 1U << i ? sent[next++] : 0;
	ptRawMeterFill(&state->raw, numbers, cells);
	return 0;
}

const struct ptDriver ptArdupowerDriver = {
	.name = "ardupower",
	.description =
		"ArduPower, direct current of up to 16 lines, on a USB port",
	.timing = PT_TIMED_BY_METER,
	.needsPort = true,
	.line = { .baud = 115200 },
	.minCycleMs = 1,
	.maxCycleMs = 1000,
	.usualCycleMs = USUAL_CYCLE_MS,
	.scales = PT_SCALE_VOLTAGE | PT_SCALE_SLOPE | PT_SCALE_OFFSET,
	.quantities = quantities,
	.resolve = arduResolve,
	.open = arduOpen,
	.start = arduStart,
	.read = arduRead,
	.stop = arduStop,
	.close = ptRawMeterClose,
};
