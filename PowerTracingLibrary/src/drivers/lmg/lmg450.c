/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Driver for the ZES ZIMMER LMG450, a power analyzer with four channels.
 *
 * The meter is told once what to send after each of its cycles, and then sends
 * (thesis sections 4.3.1 to 4.3.3). Its commands are those of its SHORT
 * language:
 *
 *     > BREAK, *CLS, *RST                  wherever it was, it is in SCPI now
 *     > :SYSTem:LANGuage SHORT
 *     > *IDN?                              < ZES ZIMMER ...,LMG450,...
 *     > CYCL 0.050000
 *     > INIM;UTRMS1?;P1?                   < 2.3195E+02;1.0950E+02
 *     (does COUNT? count cycles? see trial.c)
 *     > ACTN;COUNT?;UTRMS1?;P1?            what to send after every cycle
 *     > CYCL 0.100000
 *     > ERRALL?                            < 0,"No error"
 *     > FRMT PACKED
 *     > CONT ON                            < #500012............
 *
 * The cycle counter goes first in each message: it tells how many cycles are
 * lost between two of them. COUNT? is the one query without the digit of a
 * channel, and has one value. Where it is no counter it is not asked, and what
 * is lost shows by time (due.h).
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "PowerTracingLibrary/src/config/channels.h"
#include "PowerTracingLibrary/src/drivers/lmg/lmg450.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/clock.h"

#define CHANNELS 4
#define BAUD 57600

/* ---- Quantities and channels ------------------------------------------- */

/* Quantities, and in the same order their commands. */
static const struct ptQuantity quantities[] = {
	{ "Utrms", FLOAT, "V", "Voltage", "true root mean square voltage" },
	{ "Itrms", FLOAT, "A", "Current", "true root mean square current" },
	{ "P", FLOAT, "W", "Power", "active power" },
	{ "S", FLOAT, "VA", "ApparentPower", "apparent power" },
	{ "Q", FLOAT, "var", "ReactivePower", "reactive power" },
	{ "PF", FLOAT, "", "PowerFactor", "power factor" },
	{ "Freq", FLOAT, "Hz", "Frequency", "frequency" },
	{ "EP", FLOAT, "Wh", "Energy", "active energy since tracing began",
	  .kind = HD_KIND_COUNTER },
	{ "Count", FLOAT, "", "Counter",
	  "cycles since the meter was switched on, modulo 65536",
	  .kind = HD_KIND_COUNTER },
	{ NULL },
};

static const char *const commands[] = {
	"UTRMS%u?;", "ITRMS%u?;", "P%u?;",  "S%u?;", "Q%u?;",
	"PF%u?;",    "FREQ%u?;",  "EP%u?;", NULL,
};

static const char *const options[] = { "mode", "counter", NULL };

static int lmgCheckOption(const char *name, const char *value, char *why,
			  size_t whySize)
{
	static const struct {
		const char *values[4];
		const char *why;
	} allowed[] = {
		{ { "packed", "ascii" }, "expected packed or ascii" },
		{ { "auto", "on", "off" }, "expected auto, on or off" },
	};
	bool isCounter = strcmp(name, "counter") == 0;

	for (const char *const *at = allowed[isCounter].values; *at; at++)
		if (strcasecmp(value, *at) == 0)
			return 0;
	snprintf(why, whySize, "%s", allowed[isCounter].why);
	return -EINVAL;
}

static int lmgResolve(const struct ptSetup *setup, const char *channel,
		      size_t index, unsigned int *number,
		      char label[PT_CHANNEL_MAX], char *why, size_t whySize)
{
	(void)setup;
	return ptChannelResolve(CHANNELS, channel, index, number, label, why,
				whySize);
}

/* ---- Opening ----------------------------------------------------------- */

/* Make the query, and note where in its answer each column is. */
static int makeQuery(struct ptLmgState *state, struct ptColumn *columns,
		     size_t count)
{
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		const char *format = commands[columns[i].quantity - quantities];

		columns[i].source = state->identity;
		state->places[i] =
			format ? state->values++ : PT_LMG_PLACE_COUNT;
		if (format && at < PT_LMG_QUERY_MAX)
			at += (size_t)snprintf(state->query + at,
					       PT_LMG_QUERY_MAX - at, format,
					       columns[i].channel);
	}
	/* And the counter. */
	if (state->values >= PT_LMG_VALUES_MAX || at >= PT_LMG_QUERY_MAX) {
		ptMessage(HD_LOG_ERROR,
			  "lmg450: %zu values requested; the limit is %d",
			  count, PT_LMG_VALUES_MAX - 1);
		return -E2BIG;
	}
	return 0;
}

/* What the option says of the counter. */
static void chooseCounter(struct ptLmgState *state, const char *option)
{
	bool wantsCount = false;

	for (size_t i = 0; i < state->columns; i++)
		wantsCount |= state->places[i] == PT_LMG_PLACE_COUNT;
	state->hasCounter = strcasecmp(option, "off") != 0;
	state->asksCount = state->hasCounter || wantsCount;
	state->mustTry = state->asksCount && strcasecmp(option, "on") != 0;
}

static int lmgOpen(struct ptDevice *dev, struct ptColumn *columns, size_t count)
{
	struct ptLmgState *state = calloc(1, sizeof(*state));
	struct ptLine line = dev->driver->line;
	int ret = -ENOMEM;

	if (!state)
		return -ENOMEM;
	state->places = calloc(count, sizeof(*state->places));
	if (!state->places)
		goto fail;
	state->columns = count;
	state->cycleNs = dev->setup.cycleNs;
	state->isPacked =
		strcasecmp(ptSetupOptionOr(&dev->setup, "mode", "packed"),
			   "packed") == 0;
	if (dev->setup.baud)
		line.baud = dev->setup.baud;
	ptLmgLinkInit(&state->link, dev->transport, dev->setup.wakeFd,
		      ptLineByteNs(&line));
	ret = makeQuery(state, columns, count);
	chooseCounter(state, ptSetupOptionOr(&dev->setup, "counter", "auto"));
	if (ret == 0)
		ret = ptLmgSetUp(state, dev->setup.deadlineNs);
	if (ret < 0)
		goto fail;
	dev->state = state;
	dev->found.identity = state->identity;
	dev->found.channels = CHANNELS + 1;
	dev->found.gapsFoundBy = state->hasCounter ? "counter" : "time";
	return 0;

fail:
	free(state->places);
	free(state);
	return ret;
}

/* ---- Starting and stopping --------------------------------------------- */

static int lmgStart(struct ptDevice *dev)
{
	struct ptLmgState *state = dev->state;
	int ret;

	ptPaceStart(&state->pace, state->cycleNs);
	ptLmgDueStart(&state->due, state->cycleNs);
	state->hasLast = false;
	state->silent = 0;
	ptTransportFlushInput(state->link.receiver.transport);
	ret = ptLmgSendStart(state);
	state->isStarted = ret == 0;
	return ret;
}

static int lmgStop(struct ptDevice *dev)
{
	struct ptLmgState *state = dev->state;
	int ret;

	/* Who wants this to be stopped may be the one that wakes us up. */
	ptTransportSetWake(dev->transport, -1);
	state->isStarted = false;
	ret = ptLmgSendStop(state);
	ptTransportSetWake(dev->transport, dev->setup.wakeFd);
	return ret;
}

static void lmgClose(struct ptDevice *dev)
{
	static const char *const end[] = { "*CLS", "*RST", "GTL", NULL };
	struct ptLmgState *state = dev->state;
	const char *errors;
	int ret;

	if (state->isStarted && !state->isGone)
		lmgStop(dev);
	ptTransportSetWake(dev->transport, -1);
	if (!state->isGone) {
		ret = ptLmgAskErrors(state, hdMonotonicNow() + PT_LMG_STEP_NS,
				     &errors);
		if (ret == 0 && errors)
			ptMessage(HD_LOG_WARNING,
				  "lmg450: errors since setup: %s", errors);
	}
	if (!state->isGone) {
		(void)ptTransportBreak(state->link.receiver.transport);
		if (ptLmgSendLines(state, end) == 0)
			(void)ptTransportDrain(state->link.receiver.transport,
					       hdMonotonicNow() +
						       PT_LMG_STEP_NS);
	}
	if (state->broken > 0)
		ptMessage(HD_LOG_INFO, "lmg450: %llu broken replies",
			  (unsigned long long)state->broken);
	ptTransportSetWake(dev->transport, dev->setup.wakeFd);
	free(state->places);
	free(state);
	dev->state = NULL;
}

const struct ptDriver ptLmg450Driver = {
	.name = "LMG450",
	.description = "ZES ZIMMER LMG450 power analyzer, on a serial port",
	.timing = PT_TIMED_BY_METER,
	.needsPort = true,
	.line = { .baud = BAUD, .flow = PT_FLOW_RTSCTS },
	.minCycleMs = 50,
	.maxCycleMs = 60000,
	.quantities = quantities,
	.options = options,
	.checkOption = lmgCheckOption,
	.resolve = lmgResolve,
	.open = lmgOpen,
	.start = lmgStart,
	.read = ptLmgRead,
	.stop = lmgStop,
	.close = lmgClose,
};
