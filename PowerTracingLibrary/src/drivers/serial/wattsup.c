/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Driver for the Watts up? Pro, a meter in the mains plug with a serial port
 * (USB, FTDI) that gives a reading a second.
 *
 * (Serial Data Format 4.41, Electronic Educational Devices.)
 *
 *     > #L,R,0;                stop logging
 *     > #V,R,0;                < #v,-,8,model,memory,...;
 *     > #H,R,0;                < #h,-,18,W,V,A,WH,...,Hz,VA;
 *     > #L,W,3,E,1,1;          log to the outside, every second
 *                              < #d,-,18,1234,2301,...;     and so on
 *
 * A field that the meter was told not to log is "_" in the header and in the
 * data. Its memory is left alone: it logs nothing there meanwhile.
 *
 * wattsup does not clear the meter's memory, as other programs for it do: it
 * is the user's, and what is sent to the outside is not kept there.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "PowerTracingLibrary/src/config/channels.h"
#include "PowerTracingLibrary/src/drivers/serial/packet.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/core/now.h"
#include "common/clock.h"

#define MS INT64_C(1000000)
#define CYCLE_MS 1000
#define FIELDS 18
#define STOP "#L,R,0;"
#define BEGIN "#L,W,3,E,1,1;"
#define STEP_NS (400 * MS)
#define IDENTITY_MAX 96

static const struct ptQuantity quantities[] = {
	{ "P", FLOAT, "W", "Power", "active power" },
	{ "Utrms", FLOAT, "V", "Voltage", "voltage" },
	{ "Itrms", FLOAT, "A", "Current", "current" },
	{ "S", FLOAT, "VA", "ApparentPower", "apparent power" },
	{ "PF", FLOAT, "", "PowerFactor", "power factor" },
	{ "Freq", FLOAT, "Hz", "Frequency", "frequency" },
	{ "EP", DOUBLE, "Wh", "Energy", "energy since tracing began",
	  .kind = HD_KIND_COUNTER },
	{ NULL },
};

/* Where each is in a packet, its name there, how many make one of its unit, and
 * the most there can be (section III); in the order of quantities[]. */
static const struct {
	size_t place;
	const char *name;
	double perUnit, max;
} fields[] = {
	{ 0, "W", 10, 50000 },       { 1, "V", 10, 2800 },
	{ 2, "A", 1000, 20000 },     { 17, "VA", 10, 65535 },
	{ 13, "PF", 100, 100 },      { 16, "Hz", 10, 1000 },
	{ 3, "WH", 10, 4294967295 },
};

struct state {
	struct ptFrames stream;
	char identity[IDENTITY_MAX];
	size_t count;
	bool isStarted;
	size_t columns[]; /* Each as an index of fields[]. */
};

static int wattsupResolve(const struct ptSetup *setup, const char *channel,
			  size_t index, unsigned int *number,
			  char label[PT_CHANNEL_MAX], char *why, size_t whySize)
{
	(void)setup;
	return ptChannelResolve(1, channel, index, number, label, why, whySize);
}

static int sendText(struct state *state, const char *text)
{
	ptMessage(HD_LOG_DEBUG, "wattsup: > %s", text);
	return ptFramesSend(&state->stream, text, strlen(text),
			    ptNow() + STEP_NS);
}

/* ---- Opening ----------------------------------------------------------- */

/* Send a question and get the packet that answers it, of that letter. */
static int wattsupQuery(struct state *state, const char *question,
			const char *letter, struct ptPacket *answer)
{
	int ret = -ETIMEDOUT;

	/* Twice: the first may have met the rest of an older command. */
	for (int i = 0; i < 2 && ret == -ETIMEDOUT; i++) {
		ptFramesSetFormat(&state->stream, letter);
		ret = sendText(state, question);
		if (ret == 0)
			ret = ptFramesNext(&state->stream, ptNow() + STEP_NS);
	}
	if (ret == -ETIMEDOUT)
		ptMessage(HD_LOG_ERROR,
			  "wattsup: no answer to %s; check that this is a "
			  "Watts up?, and the port: %u baud, 8N1",
			  question, state->stream.driver->line.baud);
	if (ret == 0)
		ptPacketParse(&state->stream.frame, answer);
	return ret;
}

static int wattsupIdentify(struct state *state)
{
	struct ptPacket answer;
	int ret = wattsupQuery(state, "#V,R,0;", "v", &answer);

	if (ret < 0)
		return ret;
	if (answer.count < 6) {
		ptMessage(HD_LOG_ERROR,
			  "wattsup: the version has %zu fields; expected 8",
			  answer.count);
		return -ENXIO;
	}
	snprintf(state->identity, sizeof(state->identity),
		 "Watts up? model %.20s, firmware %.20s.%.20s",
		 answer.arguments[0], answer.arguments[4], answer.arguments[5]);
	ptMessage(HD_LOG_INFO, "wattsup: %s", state->identity);
	return 0;
}

/* Tell whether the meter logs all that is wanted. */
static int checkHeader(struct state *state)
{
	struct ptPacket answer;
	int ret = wattsupQuery(state, "#H,R,0;", "h", &answer);

	if (ret < 0)
		return ret;
	if (answer.count != FIELDS) {
		ptMessage(HD_LOG_ERROR,
			  "wattsup: the meter logs %zu fields; expected %d",
			  answer.count, FIELDS);
		return -ENXIO;
	}
	for (size_t i = 0; i < state->count; i++) {
		const char *name = fields[state->columns[i]].name;
		const char *is =
			answer.arguments[fields[state->columns[i]].place];

		if (strcasecmp(is, name) == 0)
			continue;
		ptMessage(HD_LOG_ERROR,
			  "wattsup: the meter does not log %s (header \"%s\"); "
			  "add it to the logged items",
			  name, is);
		return -ENODATA;
	}
	return 0;
}

static int wattsupOpen(struct ptDevice *dev, struct ptColumn *columns,
		       size_t count)
{
	struct state *state =
		calloc(1, sizeof(*state) + count * sizeof(size_t));
	struct ptLine line = dev->driver->line;
	int ret = -ENOMEM;

	if (!state)
		return -ENOMEM;
	state->count = count;
	for (size_t i = 0; i < count; i++) {
		state->columns[i] = (size_t)(columns[i].quantity - quantities);
		columns[i].source = state->identity;
	}
	if (dev->setup.baud)
		line.baud = dev->setup.baud;
	if (ptFramesInit(&state->stream, dev, &ptPacketFraming, "v",
			 ptLineByteNs(&line), CYCLE_MS * MS, PT_RATE_EXACT) < 0)
		goto fail;
	ret = sendText(state, STOP);
	if (ret == 0)
		ret = ptFramesQuiet(&state->stream, ptNow() + STEP_NS);
	/* One that goes on talking is told when it does not answer. */
	if (ret == 0 || ret == -ETIMEDOUT)
		ret = wattsupIdentify(state);
	if (ret == 0)
		ret = checkHeader(state);
	if (ret < 0)
		goto fail;
	dev->state = state;
	dev->found.identity = state->identity;
	dev->found.channels = 2;
	return 0;

fail:
	ptFramesClear(&state->stream);
	free(state);
	return ret;
}

/* ---- Measuring --------------------------------------------------------- */

static int wattsupStart(struct ptDevice *dev)
{
	struct state *state = dev->state;
	int ret;

	ptFramesSetFormat(&state->stream, "d");
	ptFramesStart(&state->stream);
	ret = sendText(state, BEGIN);
	state->isStarted = ret == 0;
	return ret;
}

/* Get a field's number, NaN if it is not logged. */
static int readField(const char *text, double max, double *number)
{
	double value = 0;

	*number = NAN;
	if (strcmp(text, "_") == 0)
		return 0;
	for (const char *at = text; *at; at++) {
		if (*at < '0' || *at > '9' || at - text >= 10)
			return -EPROTO;
		value = 10 * value + (*at - '0');
	}
	if (value > max)
		return -EPROTO;
	*number = value;
	return 0;
}

static int wattsupRead(struct ptDevice *dev, union hdCell *cells,
		       struct ptReading *reading)
{
	struct state *state = dev->state;
	double values[FIELDS];
	struct ptPacket packet;
	int ret = ptFramesRead(&state->stream, dev, reading);

	if (ret < 0)
		return ret;
	ptPacketParse(&state->stream.frame, &packet);
	if (packet.count != FIELDS)
		return ptFramesReject(&state->stream,
				      "a reading does not have 18 fields");
	for (size_t i = 0; i < state->count; i++) {
		size_t column = state->columns[i];

		if (readField(packet.arguments[fields[column].place],
			      fields[column].max, &values[i]) < 0)
			return ptFramesReject(
				&state->stream,
				"a field is not a number, or out of range");
		values[i] /= fields[column].perUnit;
	}
	for (size_t i = 0; i < state->count; i++) {
		if (quantities[state->columns[i]].type == DOUBLE)
			cells[i].d = values[i];
		else
			cells[i].f = (float)values[i];
	}
	return 0;
}

static int wattsupStop(struct ptDevice *dev)
{
	struct state *state = dev->state;

	state->isStarted = false;
	return sendText(state, STOP);
}

static void wattsupClose(struct ptDevice *dev)
{
	struct state *state = dev->state;

	if (state->isStarted && !state->stream.isGone)
		wattsupStop(dev);
	if (!state->stream.isGone)
		(void)ptTransportDrain(dev->transport, ptNow() + STEP_NS);
	ptFramesClear(&state->stream);
	free(state);
	dev->state = NULL;
}

const struct ptDriver ptWattsupDriver = {
	.name = "wattsup",
	.description = "Watts up? Pro, a meter in the plug, on a serial port",
	.timing = PT_TIMED_BY_METER,
	.needsPort = true,
	.line = { .baud = 115200 },
	.minCycleMs = CYCLE_MS,
	.maxCycleMs = CYCLE_MS,
	.usualCycleMs = CYCLE_MS,
	.quantities = quantities,
	.resolve = wattsupResolve,
	.open = wattsupOpen,
	.start = wattsupStart,
	.read = wattsupRead,
	.stop = wattsupStop,
	.close = wattsupClose,
};
