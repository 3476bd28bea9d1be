/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Driver for a daemon that reads a converter and sends what it reads, as the
 * one for National Instruments' data acquisition that pmlib uses: a stream of
 * samples over TCP, each of one double for every channel and nothing else.
 *
 *     A = slope * raw + offset      W = A * voltage
 *
 * A reading is the mean of the samples in a cycle, or with decimation=pick the
 * last of them. There is nothing in the stream that tells where a sample
 * begins; only the beginning of the connection does. So if what comes cannot
 * be, the connection is given up, and the core makes a new one.
 *
 * rawtcp reads the samples of 4 ms at once: a socket can be told from how
 * many bytes on it wakes its reader, so the last sample's arrival is known
 * as well as if each was read, and the others follow by the cycle. It saves
 * two thirds of the time at 1 kHz, most of which is waking up.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/src/config/channels.h"
#include "PowerTracingLibrary/src/drivers/raw/rawmeter.h"
#include "PowerTracingLibrary/src/drivers/raw/rawsample.h"
#include "PowerTracingLibrary/src/core/sysfile.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/clock.h"
#include "common/number.h"

#define CHANNELS_USUAL "32"
#define RATE_USUAL "7000"
#define RATE_MAX 1e6
/* Samples of so long are read at once: to wake up for each costs more than all
 * that is done with it. Their times are the same. */
#define GATHER_NS INT64_C(4000000)
#define GATHER_MAX 16384 /* Bytes. */
/* A cycle need not be a multiple of a sample more exactly than this. */
#define CYCLE_TOLERANCE 1e-3

static const struct ptQuantity quantities[] = {
	[PT_RAW_POWER] = { "P", DOUBLE, "W", "Power",
			   "power, (Raw * slope= + offset=) * voltage=",
			   PT_SCALE_VOLTAGE },
	[PT_RAW_CURRENT] = { "I", DOUBLE, "A", "Current",
			     "current, Raw * slope= + offset=" },
	[PT_RAW_NUMBER] = { "Raw", DOUBLE, "", "Raw", "number as sent" },
	{ NULL },
};

static const char *const options[] = { "inputs", "rate", "order", "decimation",
				       NULL };

struct state {
	struct ptRawMeter raw;
	struct ptRawFormat format;
	bool isPicked;
	unsigned int wanted; /* Samples in a reading. */
	unsigned int got;
	double sums[PT_RAW_CHANNELS];
};

/* ---- Configuration ----------------------------------------------------- */

static int tcpCheckAddress(const char *address, char *why, size_t whySize)
{
	if (address && strncmp(address, "tcp://", 6) == 0)
		return 0;
	snprintf(why, whySize, "invalid device; expected tcp://HOST:PORT");
	return -EINVAL;
}

static int parseRate(const char *text, double *rate)
{
	int ret = hdNumberParse(text, rate);

	return ret < 0 ? ret : *rate > 0 && *rate <= RATE_MAX ? 0 : -EINVAL;
}

static int tcpCheckOption(const char *name, const char *value, char *why,
			  size_t whySize)
{
	double rate;

	if (strcmp(name, "inputs") == 0) {
		snprintf(why, whySize, "expected 1 to %d", PT_RAW_CHANNELS);
		return ptChannelParse(value, PT_RAW_CHANNELS) ? 0 : -EINVAL;
	}
	if (strcmp(name, "rate") == 0) {
		snprintf(why, whySize, "expected samples per second, up to %g",
			 RATE_MAX);
		return parseRate(value, &rate);
	}
	if (strcmp(name, "order") == 0) {
		snprintf(why, whySize, "expected host, little or big");
		return strcmp(value, "host") == 0 ||
				       strcmp(value, "little") == 0 ||
				       strcmp(value, "big") == 0
			       ? 0
			       : -EINVAL;
	}
	snprintf(why, whySize, "expected mean or pick");
	return strcmp(value, "mean") == 0 || strcmp(value, "pick") == 0
		       ? 0
		       : -EINVAL;
}

/* How many samples are in a cycle; 0 if it is not a multiple of one. */
static unsigned int samplesOf(const struct ptSetup *setup)
{
	double rate = 0, samples;

	if (parseRate(ptSetupOptionOr(setup, "rate", RATE_USUAL), &rate) < 0)
		return 0;
	samples = (double)setup->cycleNs * rate / (double)HD_NS_PER_S;
	if (samples > 0.5 &&
	    fabs(samples - round(samples)) <= samples * CYCLE_TOLERANCE)
		return (unsigned int)lround(samples);
	return 0;
}

static unsigned int channelsOf(const struct ptSetup *setup)
{
	return ptChannelParse(ptSetupOptionOr(setup, "inputs", CHANNELS_USUAL),
			      PT_RAW_CHANNELS);
}

static int tcpResolve(const struct ptSetup *setup, const char *channel,
		      size_t index, unsigned int *number,
		      char label[PT_CHANNEL_MAX], char *why, size_t whySize)
{
	double rate = 1;

	if (setup->cycleNs > 0 && samplesOf(setup) == 0) {
		(void)parseRate(ptSetupOptionOr(setup, "rate", RATE_USUAL),
				&rate);
		snprintf(why, whySize,
			 "invalid cycle; use a multiple of the sample "
			 "interval, %g ms (rate=)",
			 1e3 / rate);
		return -EINVAL;
	}
	return ptChannelResolve(channelsOf(setup), channel, index, number,
				label, why, whySize);
}

/* ---- Samples ----------------------------------------------------------- */

/* Add a sample to those of a reading. */
static int addSample(struct state *state)
{
	double values[PT_RAW_CHANNELS];
	unsigned int wrong =
		ptRawParse(&state->raw.stream.frame, &state->format, values);

	if (wrong > 0) {
		ptMessage(HD_LOG_ERROR,
			  "rawtcp: impossible sample %g of input %u; check "
			  "inputs=%u and order=",
			  values[wrong - 1], wrong, state->format.channels);
		return -EIO;
	}
	for (unsigned int i = 0; i < state->format.channels; i++)
		if (state->isPicked)
			state->sums[i] = values[i];
		else
			state->sums[i] += values[i];
	state->got++;
	return 0;
}

/* ---- The device -------------------------------------------------------- */

static double tcpCurrent(double raw, const struct ptScale *scale)
{
	double slope = scale->set & PT_SCALE_SLOPE ? scale->slope : 1;

	return slope * raw + scale->offset;
}

static const struct ptRawKind kind = {
	.size = sizeof(struct state),
	.framing = &ptRawFraming,
	.rate = PT_RATE_LOSSLESS,
	.current = tcpCurrent,
};

/* Let the samples of some milliseconds come together. */
static void rawTcpGatherSamples(struct ptDevice *dev)
{
	const struct state *state = dev->state;
	int64_t count = GATHER_NS * state->wanted / dev->setup.cycleNs;
	size_t size = state->format.channels * sizeof(double);

	if (count > (int64_t)(GATHER_MAX / size))
		count = (int64_t)(GATHER_MAX / size);
	if (count > 1)
		ptTransportGather(dev->transport, (size_t)count * size,
				  2 * GATHER_NS);
}

static int rawTcpOpen(struct ptDevice *dev, struct ptColumn *columns,
		      size_t count)
{
	const char *order = ptSetupOptionOr(&dev->setup, "order", "host");
	int ret = ptRawMeterOpen(dev, columns, count, &kind, 0);
	struct state *state = dev->state;

	if (ret < 0)
		return ret;
	state->format.channels = channelsOf(&dev->setup);
	state->wanted = samplesOf(&dev->setup);
	state->format.isBig = strcmp(order, "host") == 0
				      ? BYTE_ORDER == BIG_ENDIAN
				      : strcmp(order, "big") == 0;
	state->isPicked =
		strcmp(ptSetupOptionOr(&dev->setup, "decimation", "mean"),
		       "pick") == 0;
	ptFramesSetFormat(&state->raw.stream, &state->format);
	rawTcpGatherSamples(dev);
	dev->found.channels = state->format.channels + 1;
	return 0;
}

static int tcpStart(struct ptDevice *dev)
{
	struct state *state = dev->state;

	ptFramesStart(&state->raw.stream);
	state->got = 0;
	memset(state->sums, 0, sizeof(state->sums));
	return 0;
}

static int tcpRead(struct ptDevice *dev, union hdCell *cells,
		   struct ptReading *reading)
{
	struct state *state = dev->state;
	struct ptFrames *stream = &state->raw.stream;
	double numbers[PT_RAW_CHANNELS];
	int ret = 0;

	while (ret == 0 && state->got + 1 < state->wanted) {
		ret = ptFramesAwait(stream);
		if (ret == 0)
			ret = addSample(state);
	}
	if (ret == 0)
		ret = ptFramesRead(stream, dev, reading);
	if (ret == 0)
		ret = addSample(state);
	if (ret < 0)
		return ret;
	for (unsigned int i = 0; i < state->format.channels; i++) {
		numbers[i] = state->isPicked ? state->sums[i]
					     : state->sums[i] / state->got;
		state->sums[i] = 0;
	}
	state->got = 0;
	ptRawMeterFill(&state->raw, numbers, cells);
	return 0;
}

const struct ptDriver ptRawtcpDriver = {
	.name = "rawtcp",
	.description = "a daemon that sends the samples of a converter by TCP, "
		       "such as NI's data acquisition",
	.timing = PT_TIMED_BY_METER,
	.needsPort = true,
	.checkAddress = tcpCheckAddress,
	.addressForm = "tcp://HOST:PORT",
	.minCycleMs = 0.1,
	.maxCycleMs = 60000,
	.usualCycleMs = 1,
	.scales = PT_SCALE_VOLTAGE | PT_SCALE_SLOPE | PT_SCALE_OFFSET,
	.quantities = quantities,
	.options = options,
	.checkOption = tcpCheckOption,
	.resolve = tcpResolve,
	.open = rawTcpOpen,
	.start = tcpStart,
	.read = tcpRead,
	.close = ptRawMeterClose,
};
