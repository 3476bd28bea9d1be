/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Driver for APC rack PDUs with metered outlets (AP8653 and others of the
 * second generation), by SNMP.
 *
 * One request a cycle asks for all that is wanted (PowerNet-MIB, rPDU2; see
 * apcmib.c). The device measures about once a second.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/src/config/channels.h"
#include "PowerTracingLibrary/src/drivers/snmp/apcmib.h"
#include "PowerTracingLibrary/src/drivers/snmp/apcsetup.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/core/now.h"
#include "PowerTracingLibrary/src/meter/tick.h"
#include "common/clock.h"
#include "common/net.h"

#define MS INT64_C(1000000)
/* What an answer may take, with asking again. */
#define ANSWER_NS (900 * MS)
#define IDENTITY_MAX 300

struct state {
	struct ptSnmp *snmp;
	struct ptTick tick;
	char identity[IDENTITY_MAX];
	unsigned int outlets; /* 0: it does not tell. */
	char **names;         /* By channel. */
	size_t count;
	const struct ptColumn *columns;
	struct ptSnmpOid *objects; /* One for each column. */
	struct ptSnmpValue *values;
	bool *isBad; /* Told that there is no value. */
};

/* ---- Opening ----------------------------------------------------------- */

static int apcOpenSession(struct state *state, struct ptDevice *dev,
			  const struct hdCredentials *credentials,
			  int64_t deadlineNs)
{
	const char *version = ptSetupOption(&dev->setup, "version");
	char host[HD_NET_HOST_MAX], port[HD_NET_PORT_MAX];
	char address[HD_NET_ADDRESS_MAX];
	struct ptSnmpSetup setup = {
		.name = "apc",
		.library = ptSetupOption(&dev->setup, "library"),
		.address = address,
		.port = port,
		.community = hdCredentialsGet(credentials, "community"),
		.user = hdCredentialsGet(credentials, "user"),
		.auth = hdCredentialsGet(credentials, "auth"),
		.authPass = hdCredentialsGet(credentials, "authpass"),
		.priv = hdCredentialsGet(credentials, "priv"),
		.privPass = hdCredentialsGet(credentials, "privpass"),
		.wakeFd = dev->setup.wakeFd,
	};
	const char *why;
	int ret;

	/* Who has a user means version 3. */
	setup.version = version ? version[0] - '0' : setup.user ? 3 : 2;
	if (!setup.community)
		setup.community = "public";
	if (!setup.auth)
		setup.auth = "SHA";
	if (!setup.priv)
		setup.priv = "AES";
	if (setup.version == 3 && !setup.user) {
		ptMessage(
			HD_LOG_ERROR,
			"apc: version 3 requires a user; set credentials=FILE");
		return -EINVAL;
	}
	if (hdNetSplit(dev->setup.address + strlen(PT_APC_SCHEME), PT_APC_PORT,
		       host, port) < 0)
		return -EINVAL;
	ret = hdNetLookup(host, dev->setup.wakeFd, deadlineNs, address, &why);
	if (ret < 0) {
		if (ret != -EINTR)
			ptMessage(HD_LOG_ERROR, "apc: %s: %s", host, why);
		return ret;
	}
	return ptSnmpOpen(&setup, &state->snmp);
}

static int connectDevice(struct state *state, struct ptDevice *dev,
			 int64_t deadlineNs)
{
	const char *path = ptSetupOption(&dev->setup, "credentials");
	struct hdCredentials credentials = { 0 };
	char why[200];
	int ret = 0;

	if (path)
		ret = ptApcReadSecrets(path, &credentials, why, sizeof(why));
	if (ret < 0) {
		ptMessage(HD_LOG_ERROR, "apc: %s: %s", path, why);
		return ret;
	}
	ret = apcOpenSession(state, dev, &credentials, deadlineNs);
	hdCredentialsClear(&credentials);
	return ret;
}

/* Ask what it is. What it does not tell it need not. */
static int apcIdentify(struct state *state, int64_t deadlineNs)
{
	const struct ptSnmpOid *const objects[] = { &ptApcDescription,
						    &ptApcModel,
						    &ptApcOutlets };
	struct ptSnmpValue values[3];
	int ret = 0;

	/* One by one: with version 1 they are not answered together if one is
	 * missing. */
	for (size_t i = 0; ret == 0 && i < 3; i++)
		ret = ptSnmpGet(state->snmp, objects[i], 1, &values[i],
				deadlineNs);
	if (ret < 0)
		return ret;
	snprintf(state->identity, sizeof(state->identity), "%.60s%s%.200s",
		 values[1].kind == PT_SNMP_TEXT ? values[1].text : "",
		 values[1].kind == PT_SNMP_TEXT ? ", " : "",
		 values[0].kind == PT_SNMP_TEXT ? values[0].text : "no name");
	if (values[2].kind == PT_SNMP_NUMBER && values[2].number > 0 &&
	    values[2].number <= PT_APC_OUTLETS_MAX)
		state->outlets = (unsigned int)values[2].number;
	ptMessage(HD_LOG_INFO, "apc: %s", state->identity);
	if (values[2].kind == PT_SNMP_NUMBER)
		return 0;
	ptMessage(HD_LOG_ERROR,
		  "apc: not a rack PDU of the second generation (rPDU2): %s",
		  state->identity);
	return -ENXIO;
}

/* Get the names that outlets were given; without them it goes, too. */
static int getNames(struct state *state, int64_t deadlineNs)
{
	struct ptSnmpOid objects[PT_APC_OUTLETS_MAX];
	struct ptSnmpValue *values = calloc(state->outlets, sizeof(*values));
	int ret;

	state->names = calloc(state->outlets + 1, sizeof(*state->names));
	if (!values || !state->names) {
		free(values);
		return -ENOMEM;
	}
	for (unsigned int i = 0; i < state->outlets; i++)
		objects[i] = ptApcNameOf(i + 1);
	ret = ptSnmpGet(state->snmp, objects, state->outlets, values,
			deadlineNs);
	for (unsigned int i = 0; ret == 0 && i < state->outlets; i++)
		if (values[i].kind == PT_SNMP_TEXT && values[i].text[0])
			state->names[i + 1] = strdup(values[i].text);
	free(values);
	return ret == -EPROTO ? 0 : ret;
}

/* Say that a column cannot be had. */
static void apcRefuseColumn(const struct state *state, size_t column, int error)
{
	const char *label = state->columns[column].label;
	const char *name = state->columns[column].quantity->name;
	const char *what = state->columns[column].channel == PT_APC_DEVICE
				   ? ""
				   : "outlet ";

	if (error == -EINVAL)
		ptMessage(HD_LOG_ERROR, "apc: %s%s has no %s", what, label,
			  name);
	else if (error == -ENOENT && state->outlets > 0)
		ptMessage(HD_LOG_ERROR,
			  "apc: %s%s, %s: unknown outlet; the device has %u "
			  "(for input=*, set outlets=%u)",
			  what, label, name, state->outlets, state->outlets);
	else if (error == -ENOENT)
		ptMessage(HD_LOG_ERROR, "apc: %s%s, %s: unknown outlet", what,
			  label, name);
	else if (error == -ENOTSUP)
		ptMessage(HD_LOG_ERROR,
			  "apc: %s%s, %s: the device does not measure it", what,
			  label, name);
	else
		ptMessage(HD_LOG_ERROR, "apc: %s%s, %s: unknown value", what,
			  label, name);
}

/* Make the value of a column; why there is none is told once. */
static int apcValueOf(struct state *state, size_t column, double *value)
{
	int ret = ptApcValue(state->columns[column].quantity,
			     state->columns[column].channel,
			     &state->values[column], value);

	if (ret == -EAGAIN)
		return ret;
	if (ret < 0 && !state->isBad[column])
		apcRefuseColumn(state, column, ret);
	state->isBad[column] = ret < 0;
	return ret;
}

/* One reading, so that what cannot be read at all is known at once. */
static int apcTryReading(struct state *state, int64_t deadlineNs)
{
	int ret = ptSnmpGet(state->snmp, state->objects, state->count,
			    state->values, deadlineNs);
	double value;

	for (size_t i = 0; ret == 0 && i < state->count; i++)
		ret = apcValueOf(state, i, &value);
	/* Only one says so where others are not told. */
	for (size_t i = 0; ret == -EAGAIN && i < state->count; i++)
		if (apcValueOf(state, i, &value) != -EAGAIN)
			ret = apcValueOf(state, i, &value);
	return ret;
}

static void apcStateFree(struct state *state)
{
	ptSnmpClose(state->snmp);
	for (unsigned int i = 0; state->names && i <= state->outlets; i++)
		free(state->names[i]);
	free(state->names);
	free(state->objects);
	free(state->values);
	free(state->isBad);
	free(state);
}

static int makeObjects(struct state *state, struct ptColumn *columns,
		       size_t count)
{
	int ret = 0;

	state->objects = calloc(count, sizeof(*state->objects));
	state->values = calloc(count, sizeof(*state->values));
	state->isBad = calloc(count, sizeof(*state->isBad));
	state->columns = columns;
	state->count = count;
	if (!state->objects || !state->values || !state->isBad)
		return -ENOMEM;
	for (size_t i = 0; ret == 0 && i < count; i++) {
		columns[i].source = state->identity;
		ret = ptApcObject(columns[i].quantity, columns[i].channel,
				  &state->objects[i]);
		if (ret < 0)
			apcRefuseColumn(state, i, ret);
	}
	return ret;
}

static int apcOpen(struct ptDevice *dev, struct ptColumn *columns, size_t count)
{
	int64_t deadlineNs = dev->setup.deadlineNs;
	struct state *state = calloc(1, sizeof(*state));
	int ret;

	if (!state)
		return -ENOMEM;
	if (deadlineNs == 0)
		deadlineNs = ptNow() + 2 * HD_NS_PER_S;
	ret = makeObjects(state, columns, count);
	if (ret == 0)
		ret = connectDevice(state, dev, deadlineNs);
	if (ret == 0)
		ret = apcIdentify(state, deadlineNs);
	if (ret == 0 && state->outlets > 0)
		ret = getNames(state, deadlineNs);
	if (ret == 0)
		ret = apcTryReading(state, deadlineNs);
	if (ret < 0) {
		apcStateFree(state);
		return ret;
	}
	dev->state = state;
	dev->found.identity = state->identity;
	if (state->outlets > 0) {
		dev->found.channels = state->outlets + 1;
		dev->found.names = (const char *const *)state->names;
	}
	return 0;
}

/* ---- Reading ----------------------------------------------------------- */

static int apcStart(struct ptDevice *dev)
{
	struct state *state = dev->state;

	ptTickStart(&state->tick, dev->setup.cycleNs);
	return 0;
}

/* Make the cells; what cannot be one is NaN. */
static int fillCells(struct state *state, union hdCell *cells)
{
	size_t good = 0;
	double value;

	for (size_t i = 0; i < state->count; i++)
		good += apcValueOf(state, i, &value) == 0;
	for (size_t i = 0; good > 0 && i < state->count; i++) {
		if (apcValueOf(state, i, &value) < 0)
			value = NAN;
		if (state->columns[i].quantity->type == DOUBLE)
			cells[i].d = value;
		else
			cells[i].f = (float)value;
	}
	return good > 0 ? 0 : -EPROTO;
}

static int apcRead(struct ptDevice *dev, union hdCell *cells,
		   struct ptReading *reading)
{
	struct state *state = dev->state;
	uint64_t missed = 0;
	int64_t asked;
	int ret = ptTickWait(&state->tick, dev->setup.wakeFd, &missed);

	if (ret < 0)
		return ret;
	asked = ptNow();
	ret = ptSnmpGet(state->snmp, state->objects, state->count,
			state->values, asked + ANSWER_NS);
	if (ret == 0)
		ret = fillCells(state, cells);
	if (ret == 0)
		ptTickTaken(&state->tick, asked, missed, reading);
	return ret;
}

static void apcClose(struct ptDevice *dev)
{
	apcStateFree(dev->state);
	dev->state = NULL;
}

const struct ptDriver ptApcDriver = {
	.name = "apc",
	.description = "APC rack PDU with metered outlets (AP8653, ...), by "
		       "SNMP",
	.timing = PT_TIMED_BY_METER,
	.minCycleMs = 1000,
	.maxCycleMs = 60000,
	.usualCycleMs = 1000,
	.addressForm = PT_APC_FORM,
	.quantities = ptApcQuantities,
	.options = ptApcOptions,
	.checkAddress = ptApcCheckAddress,
	.checkOption = ptApcCheckOption,
	.resolve = ptApcResolve,
	.list = ptApcList,
	.open = apcOpen,
	.start = apcStart,
	.read = apcRead,
	.close = apcClose,
};
