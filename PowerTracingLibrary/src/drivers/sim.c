/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Driver for users without a meter: power computed from how busy this machine
 * is, by a law that the configuration declares.
 *
 *     P = idle + (busy - idle) * u ^ exponent        u: CPU utilization, 0 to 1
 *     E = P * length of the interval
 *     Utrms = voltage
 *     Itrms = P / (voltage * factor)
 *
 * Nothing is measured; every value says so. All channels are this machine, so
 * that a configuration for a meter with several channels can be tried out.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/src/machine/cpubusy.h"
#include "PowerTracingLibrary/src/machine/sensor.h"
#include "PowerTracingLibrary/src/core/sysfile.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/core/now.h"
#include "common/clock.h"
#include "common/number.h"
#include "recording/integral.h"

#define LAW_DEFAULT "idle:60,busy:160"

enum quantity { VOLTAGE, CURRENT, POWER, ENERGY };

static const struct ptQuantity simQuantities[] = {
	[VOLTAGE] = { "Utrms", FLOAT, "V", "Voltage", "voltage of the model" },
	[CURRENT] = { "Itrms", FLOAT, "A", "Current",
		      "current for this power" },
	[POWER] = { "P", FLOAT, "W", "Power", "power by the model" },
	[ENERGY] = { "E", DOUBLE, "J", "Energy",
		     "energy since the previous entry", .kind = HD_KIND_DELTA },
	{ .name = NULL },
};

struct law {
	double idle;
	double busy;
	double exponent;
	double voltage;
	double factor;
};

static const struct {
	const char *name;
	size_t offset;
} lawTerms[] = {
	{ "idle", offsetof(struct law, idle) },
	{ "busy", offsetof(struct law, busy) },
	{ "exponent", offsetof(struct law, exponent) },
	{ "voltage", offsetof(struct law, voltage) },
	{ "factor", offsetof(struct law, factor) },
};

struct state {
	struct law law;
	struct ptBusy busy;
	char source[PT_SOURCE_MAX];
	enum quantity *columns;
	size_t count;
	int64_t beganNs;
};

/* Set a term "NAME:NUMBER" of the given length. */
static bool parseTerm(struct law *law, const char *text, size_t length)
{
	size_t name = strcspn(text, ":");
	char number[32];

	if (name >= length || length - name - 1 >= sizeof(number))
		return false;
	memcpy(number, text + name + 1, length - name - 1);
	number[length - name - 1] = '\0';
	for (size_t i = 0; i < sizeof(lawTerms) / sizeof(lawTerms[0]); i++) {
		if (strlen(lawTerms[i].name) == name &&
		    strncmp(lawTerms[i].name, text, name) == 0)
			return hdNumberParse(number,
					     (double *)((char *)law +
							lawTerms[i].offset)) ==
			       0;
	}
	return false;
}

static int parseLaw(const char *text, struct law *law)
{
	*law = (struct law){ .idle = -1,
			     .busy = -1,
			     .exponent = 1,
			     .voltage = 230,
			     .factor = 1 };
	while (*text) {
		size_t length = strcspn(text, ",");

		if (!parseTerm(law, text, length))
			return -EINVAL;
		text += length;
		text += *text == ',' && text[1] != '\0';
		if (*text == ',')
			return -EINVAL;
	}
	return law->idle >= 0 && law->busy >= law->idle && law->exponent > 0 &&
			       law->voltage > 0 && law->factor > 0 &&
			       law->factor <= 1
		       ? 0
		       : -EINVAL;
}

static const char *const simOptions[] = { "law", NULL };

static int simCheckOption(const char *name, const char *value, char *why,
			  size_t whySize)
{
	struct law law;

	(void)name;
	if (parseLaw(value, &law) == 0)
		return 0;
	snprintf(why, whySize,
		 "expected "
		 "idle:WATTS,busy:WATTS[,exponent:N][,voltage:VOLTS][,factor:0."
		 ".1]");
	return -EINVAL;
}

/* A number for a channel, which has only a name: FNV-1a. */
static unsigned int hashLabel(const char *label)
{
	uint32_t hash = 2166136261U;

	for (; *label; label++)
		hash = (hash ^ (unsigned char)*label) * 16777619U;
	return hash;
}

static int simResolve(const struct ptSetup *setup, const char *channel,
		      size_t index, unsigned int *number,
		      char label[PT_CHANNEL_MAX], char *why, size_t whySize)
{
	(void)setup;
	if (!channel || strcmp(channel, "*") == 0)
		channel = "host";
	snprintf(why, whySize,
		 "invalid name of an input; use letters, digits, '.' and '-'");
	if (index > 0)
		return -ENOENT;
	if (channel[0] == '\0' || strlen(channel) >= PT_CHANNEL_MAX ||
	    channel[strspn(channel, "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789.-")] != '\0')
		return -EINVAL;
	*number = hashLabel(channel);
	strcpy(label, channel);
	return 0;
}

static void simList(const struct ptSetup *setup, ptDriverPrint *print,
		    void *context)
{
	struct ptBusy busy;
	char text[PT_SOURCE_MAX];
	int ret = ptBusyOpen(&busy, setup->root);

	if (ret < 0) {
		snprintf(text, sizeof(text), "/proc/stat: %s", strerror(-ret));
	} else {
		snprintf(text, sizeof(text),
			 "simulated, by CPU utilization of %s (%s)", busy.name,
			 busy.resolution);
		ptBusyClose(&busy);
	}
	print(context, "host", text, ret == 0);
}

static void simClose(struct ptDevice *dev)
{
	struct state *state = dev->state;

	ptBusyClose(&state->busy);
	free(state->columns);
	free(state);
	dev->state = NULL;
}

static int simOpen(struct ptDevice *dev, struct ptColumn *columns, size_t count)
{
	const char *law = ptSetupOption(&dev->setup, "law");
	struct state *state = calloc(1, sizeof(*state));
	int ret = -ENOMEM;

	if (state)
		state->columns = calloc(count + 1, sizeof(*state->columns));
	if (!state || !state->columns) {
		ptMessage(HD_LOG_ERROR, "sim: out of memory");
		goto fail;
	}
	if (!law)
		law = LAW_DEFAULT;
	ret = parseLaw(law, &state->law);
	if (ret < 0) {
		ptMessage(HD_LOG_ERROR, "sim: invalid law \"%s\"", law);
		goto fail;
	}
	ret = ptBusyOpen(&state->busy, dev->setup.root);
	if (ret < 0) {
		ptMessage(HD_LOG_ERROR, "sim: %s/proc/stat: %s",
			  dev->setup.root, strerror(-ret));
		goto fail;
	}
	snprintf(state->source, sizeof(state->source),
		 "simulated: %s by CPU utilization of %s", law,
		 state->busy.name);
	state->count = count;
	for (size_t i = 0; i < count; i++) {
		state->columns[i] =
			(enum quantity)(columns[i].quantity - simQuantities);
		columns[i].source = state->source;
		columns[i].resolution = state->busy.resolution;
		columns[i].isSimulated = true;
	}
	dev->state = state;
	return 0;

fail:
	if (state)
		free(state->columns);
	free(state);
	return ret;
}

static int simStart(struct ptDevice *dev)
{
	struct state *state = dev->state;

	state->beganNs = ptNow();
	return ptBusyBegin(&state->busy);
}

static int simRead(struct ptDevice *dev, union hdCell *cells,
		   struct ptReading *reading)
{
	struct state *state = dev->state;
	const struct law *law = &state->law;
	int64_t now = ptNow();
	int64_t wallNs = hdClockNow();
	double utilization, power;
	int ret = ptBusyTake(&state->busy, &utilization);

	if (ret < 0) {
		ptMessage(HD_LOG_WARNING, "sim: %s/proc/stat: %s",
			  dev->setup.root, strerror(-ret));
		return ret;
	}
	power = law->idle +
		(law->busy - law->idle) * pow(utilization, law->exponent);
	for (size_t i = 0; i < state->count; i++) {
		switch (state->columns[i]) {
		case VOLTAGE:
			cells[i].f = (float)law->voltage;
			break;
		case CURRENT:
			cells[i].f =
				(float)(power / (law->voltage * law->factor));
			break;
		case POWER:
			cells[i].f = (float)power;
			break;
		case ENERGY:
			cells[i].d = hdIntegralOf(power, now - state->beganNs);
			break;
		}
	}
	*reading = (struct ptReading){
		.endNs = wallNs,
		.lengthNs = now - state->beganNs,
	};
	state->beganNs = now;
	return 0;
}

const struct ptDriver ptSimDriver = {
	.name = "sim",
	.description = "no meter: power computed from CPU utilization",
	.timing = PT_TIMED_BY_HOST,
	.minCycleMs = 1,
	.maxCycleMs = 60000,
	.quantities = simQuantities,
	.options = simOptions,
	.checkOption = simCheckOption,
	.resolve = simResolve,
	.list = simList,
	.open = simOpen,
	.start = simStart,
	.read = simRead,
	.close = simClose,
};
