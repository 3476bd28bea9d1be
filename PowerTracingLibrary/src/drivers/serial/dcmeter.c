/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Driver for the DCMeter, which measures the direct current of twelve lines
 * and sends a line of text for all of them about 28 times a second, always and
 * unasked.
 *
 *     < 0A1F;0000;02B3;...;\r\n       current: number times 0.3051804 mA
 *
 * Twelve numbers of four digits take just this time at 19200 baud. What is
 * heard first is thrown away, as other programs for this meter do, but for
 * that it tells whether short numbers have leading zeros: if so, one without is
 * damaged.
 */
#include "config.h"

#include <errno.h>

#include "PowerTracingLibrary/src/config/channels.h"
#include "PowerTracingLibrary/src/drivers/raw/rawmeter.h"
#include "PowerTracingLibrary/src/drivers/serial/hexline.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/core/now.h"
#include "common/clock.h"

#define CYCLE_MS (1000.0 / 28)
/* Lines that are thrown away, and how long each may take. */
#define FIRST_LINES 10
#define LINE_NS INT64_C(150000000)
#define AMPERES 3.051804e-4
/* Of lines for which none is given. */
#define VOLTAGE 12

static const struct ptQuantity quantities[] = {
	[PT_RAW_POWER] = { "P", FLOAT, "W", "Power",
			   "power, current times voltage=" },
	[PT_RAW_CURRENT] = { "I", FLOAT, "A", "Current", "current" },
	[PT_RAW_NUMBER] = { "Raw", FLOAT, "", "Raw", "number as sent" },
	{ NULL },
};

struct state {
	struct ptRawMeter raw;
	struct ptHexlineFormat format;
};

static int dcResolve(const struct ptSetup *setup, const char *channel,
		     size_t index, unsigned int *number,
		     char label[PT_CHANNEL_MAX], char *why, size_t whySize)
{
	(void)setup;
	return ptChannelResolve(PT_HEXLINE_NUMBERS, channel, index, number,
				label, why, whySize);
}

static double dcCurrent(double raw, const struct ptScale *scale)
{
	(void)scale;
	return raw * AMPERES;
}

/* Listen whether the meter is there, and how it writes numbers. */
static int dcProbeMeter(struct state *state)
{
	double numbers[PT_HEXLINE_NUMBERS];
	bool isPadded = true;
	int ret = 0;

	for (int i = 0; ret == 0 && i < FIRST_LINES; i++) {
		ret = ptFramesNext(&state->raw.stream, ptNow() + LINE_NS);
		if (ret == 0)
			isPadded &= ptHexlineParse(&state->raw.stream.frame,
						   numbers);
	}
	if (ret == -ETIMEDOUT)
		ptMessage(HD_LOG_ERROR,
			  "dcmeter: no lines of %d hexadecimal numbers; check "
			  "the power of the meter, and the port: %u baud, 8O1",
			  PT_HEXLINE_NUMBERS,
			  state->raw.stream.driver->line.baud);
	state->format.isPadded = isPadded;
	return ret;
}

static const struct ptRawKind kind = {
	.size = sizeof(struct state),
	.framing = &ptHexlineFraming,
	.rate = PT_RATE_ABOUT,
	.voltage = VOLTAGE,
	.current = dcCurrent,
};

static int dcOpen(struct ptDevice *dev, struct ptColumn *columns, size_t count)
{
	int ret = ptRawMeterOpen(dev, columns, count, &kind, -1);
	struct state *state = dev->state;

	if (ret < 0)
		return ret;
	ptFramesSetFormat(&state->raw.stream, &state->format);
	state->raw.stream.stampAt = 1;
	ret = dcProbeMeter(state);
	if (ret < 0)
		ptRawMeterClose(dev);
	else
		dev->found.channels = PT_HEXLINE_NUMBERS + 1;
	return ret;
}

static int dcStart(struct ptDevice *dev)
{
	struct state *state = dev->state;

	ptFramesStart(&state->raw.stream);
	return 0;
}

static int dcRead(struct ptDevice *dev, union hdCell *cells,
		  struct ptReading *reading)
{
	struct state *state = dev->state;
	double numbers[PT_HEXLINE_NUMBERS];
	int ret = ptFramesRead(&state->raw.stream, dev, reading);

	if (ret < 0)
		return ret;
	ptHexlineParse(&state->raw.stream.frame, numbers);
	ptRawMeterFill(&state->raw, numbers, cells);
	return 0;
}

const struct ptDriver ptDcmeterDriver = {
	.name = "dcmeter",
	.description = "DCMeter, direct current of 12 lines, on a serial port",
	.timing = PT_TIMED_BY_METER,
	.needsPort = true,
	.line = { .baud = 19200,
		  .parity = PT_PARITY_ODD,
		  .flow = PT_FLOW_RTSCTS | PT_FLOW_DTR },
	.minCycleMs = CYCLE_MS,
	.maxCycleMs = CYCLE_MS,
	.usualCycleMs = CYCLE_MS,
	.scales = PT_SCALE_VOLTAGE,
	.quantities = quantities,
	.resolve = dcResolve,
	.open = dcOpen,
	.start = dcStart,
	.read = dcRead,
	.close = ptRawMeterClose,
};
