/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Driver for what BMCs know of their machine's power, by IPMI and DCMI: of this
 * machine by the kernel's driver, or of another one by the network.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/config/channels.h"
#include "common/secret.h"
#include "PowerTracingLibrary/src/drivers/ipmi/bmc.h"
#include "PowerTracingLibrary/src/drivers/ipmi/dcmi.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/core/now.h"
#include "PowerTracingLibrary/src/meter/tick.h"
#include "common/net.h"

#define SCHEME "ipmi://"
#define FORM SCHEME "HOST[:PORT], or /dev/ipmi0"
#define PORT 623
#define DEVICE "/dev/ipmi0"
#define CIPHER 3
#define CIPHER_MAX 19
/* What users and passwords may have (IPMI 2.0, section 22.28). */
#define USER_MAX 16
#define PASSWORD_MAX 20
#define RESOLUTION "1 W"
#define SOURCE_MAX 120
#define WHY_MAX 200

static const char *const options[] = { "credentials", "session",     "cipher",
				       "privilege",   "workarounds", "library",
				       NULL };
static const char *const secrets[] = { "user", "password", "key", NULL };

enum quantity { P, P_MIN, P_MAX, P_AVG };
static const struct ptQuantity quantities[] = {
	[P] = { "P", FLOAT, "W", "Power", "power of the machine" },
	[P_MIN] = { "Pmin", FLOAT, "W", "Power",
		    "lowest power in the averaging period of the BMC" },
	[P_MAX] = { "Pmax", FLOAT, "W", "Power",
		    "highest power in the averaging period of the BMC" },
	[P_AVG] = { "Pavg", FLOAT, "W", "Power",
		    "mean power over the averaging period of the BMC" },
	{ NULL },
};

struct state {
	struct ptBmc *bmc;
	struct ptTick tick;
	const struct ptColumn *columns;
	size_t count;
	char source[SOURCE_MAX], periodSource[SOURCE_MAX];
	char why[WHY_MAX]; /* Told last why there is no reading. */
};

/* ---- Configuration ----------------------------------------------------- */

static int ipmiCheckAddress(const char *address, char *why, size_t whySize)
{
	char host[HD_NET_HOST_MAX], port[HD_NET_PORT_MAX];

	snprintf(why, whySize, "invalid device; expected " FORM);
	if (!address || strncmp(address, "/dev/ipmi", 9) == 0)
		return 0;
	if (strncmp(address, SCHEME, strlen(SCHEME)) != 0)
		return -EINVAL;
	if (strchr(address, '@')) {
		snprintf(why, whySize,
			 "invalid device; expected " FORM
			 "; the user belongs into the file of credentials=");
		return -EINVAL;
	}
	return hdNetSplit(address + strlen(SCHEME), PORT, host, port);
}

static int readSecrets(const char *path, struct hdCredentials *credentials,
		       char *why, size_t whySize)
{
	int ret = hdCredentialsRead(path, secrets, credentials, why, whySize);
	const char *user, *password, *key;

	if (ret < 0)
		return ret;
	user = hdCredentialsGet(credentials, "user");
	password = hdCredentialsGet(credentials, "password");
	key = hdCredentialsGet(credentials, "key");
	if (!user || !password)
		snprintf(why, whySize, "missing user or password");
	else if (strlen(user) > USER_MAX)
		snprintf(why, whySize, "user is longer than %d characters",
			 USER_MAX);
	else if (strlen(password) > PASSWORD_MAX ||
		 (key && strlen(key) > PASSWORD_MAX))
		snprintf(why, whySize,
			 "password or key is longer than %d characters",
			 PASSWORD_MAX);
	else
		return 0;
	hdCredentialsClear(credentials);
	return -EINVAL;
}

/* The number of a cipher suite, or -1. */
static int cipherOf(const char *value)
{
	if (strcmp(value, "0") == 0)
		return 0;
	return (int)ptChannelParse(value, CIPHER_MAX) ?: -1;
}

static int ipmiCheckOption(const char *name, const char *value, char *why,
			   size_t whySize)
{
	struct hdCredentials credentials;
	bool isGood = true;
	int ret;

	if (strcmp(name, "session") == 0) {
		snprintf(why, whySize, "expected 1.5 or 2.0");
		isGood = strcmp(value, "1.5") == 0 || strcmp(value, "2.0") == 0;
	} else if (strcmp(name, "cipher") == 0) {
		snprintf(why, whySize, "is 0 to %d", CIPHER_MAX);
		isGood = cipherOf(value) >= 0;
	} else if (strcmp(name, "privilege") == 0) {
		snprintf(why, whySize, "expected user, operator or admin");
		isGood = ptBmcKnowsPrivilege(value);
	} else if (strcmp(name, "workarounds") == 0) {
		snprintf(why, whySize,
			 "expected authcap, intel20, supermicro20, sun20, "
			 "opensesspriv or integritycheckvalue");
		isGood = ptBmcKnowsWorkarounds(value);
	} else if (strcmp(name, "credentials") == 0) {
		ret = readSecrets(value, &credentials, why, whySize);
		if (ret == 0)
			hdCredentialsClear(&credentials);
		return ret;
	}
	return isGood ? 0 : -EINVAL;
}

static int ipmiResolve(const struct ptSetup *setup, const char *channel,
		       size_t index, unsigned int *number,
		       char label[PT_CHANNEL_MAX], char *why, size_t whySize)
{
	(void)setup;
	return ptChannelResolve(1, channel, index, number, label, why, whySize);
}

static void ipmiList(const struct ptSetup *setup, ptDriverPrint *print,
		     void *context)
{
	char path[300], why[300];

	if (!ptBmcIsThere(ptSetupOption(setup, "library"), why, sizeof(why))) {
		print(context, "-", why, false);
		return;
	}
	snprintf(path, sizeof(path), "%s" DEVICE, setup->root);
	if (access(path, R_OK | W_OK) == 0)
		print(context, "1", DEVICE, true);
	else if (errno == EACCES)
		print(context, "1", DEVICE ": Permission denied", false);
	else
		print(context, "1",
		      "no " DEVICE
		      "; load the modules ipmi_si and ipmi_devintf, "
		      "or use ipmi://HOST",
		      false);
}

/* ---- Opening ----------------------------------------------------------- */

/* Reach the BMC of another machine. */
static int openHost(struct state *state, struct ptDevice *dev,
		    struct ptBmcSetup *setup)
{
	const char *path = ptSetupOption(&dev->setup, "credentials");
	char host[HD_NET_HOST_MAX], port[HD_NET_PORT_MAX];
	char address[HD_NET_ADDRESS_MAX];
	char where[HD_NET_ADDRESS_MAX + HD_NET_PORT_MAX + 3];
	struct hdCredentials credentials = { 0 };
	char why[WHY_MAX];
	const char *reason = why;
	int64_t deadlineNs = dev->setup.deadlineNs;
	int ret;

	if (!path) {
		ptMessage(HD_LOG_ERROR,
			  "ipmi: the BMC of another machine requires "
			  "authentication; set credentials=FILE");
		return -EINVAL;
	}
	ret = readSecrets(path, &credentials, why, sizeof(why));
	if (ret < 0) {
		ptMessage(HD_LOG_ERROR, "ipmi: %s: %s", path, why);
		return ret;
	}
	if (deadlineNs == 0)
		deadlineNs = ptNow() + PT_BMC_PATIENCE_MS * INT64_C(1000000);
	(void)hdNetSplit(dev->setup.address + strlen(SCHEME), PORT, host, port);
	ret = hdNetLookup(host, dev->setup.wakeFd, deadlineNs, address,
			  &reason);
	if (ret < 0 && ret != -EINTR)
		ptMessage(HD_LOG_ERROR, "ipmi: %s: %s", host, reason);
	if (ret == 0) {
		snprintf(where, sizeof(where),
			 strchr(address, ':') ? "[%s]:%s" : "%s:%s", address,
			 port);
		setup->host = where;
		setup->user = hdCredentialsGet(&credentials, "user");
		setup->password = hdCredentialsGet(&credentials, "password");
		setup->key = hdCredentialsGet(&credentials, "key");
		ret = ptBmcOpen(setup, &state->bmc);
	}
	hdCredentialsClear(&credentials);
	return ret;
}

static int openBmc(struct state *state, struct ptDevice *dev)
{
	const char *address = dev->setup.address;
	const struct ptSetup *own = &dev->setup;
	struct ptBmcSetup setup = {
		.name = "ipmi",
		.library = ptSetupOption(own, "library"),
		.isOld = strcmp(ptSetupOptionOr(own, "session", "2.0"),
				"1.5") == 0,
		.cipher = CIPHER,
		.privilege = ptSetupOption(own, "privilege"),
		.workarounds = ptSetupOption(own, "workarounds"),
	};
	char path[300];

	if (ptSetupOption(own, "cipher"))
		setup.cipher =
			(unsigned int)cipherOf(ptSetupOption(own, "cipher"));
	if (address && strncmp(address, SCHEME, strlen(SCHEME)) == 0)
		return openHost(state, dev, &setup);
	snprintf(path, sizeof(path), "%s%s", own->root,
		 address ? address : DEVICE);
	setup.device = path;
	return ptBmcOpen(&setup, &state->bmc);
}

/* Get a reading; why there is none is told once. */
static int ipmiGetReading(struct state *state, struct ptDcmiReading *reading)
{
	static const uint8_t request[] = PT_DCMI_REQUEST;
	uint8_t answer[256];
	char why[WHY_MAX] = "";
	size_t size = 0;
	int ret = ptBmcAsk(state->bmc, PT_DCMI_NETFN, request, sizeof(request),
			   answer, sizeof(answer), &size);

	if (ret < 0)
		return ret;
	ret = ptDcmiTake(answer, size, reading, why, sizeof(why));
	if (ret < 0 && strcmp(why, state->why) != 0)
		ptMessage(HD_LOG_ERROR, "ipmi: %s", why);
	strcpy(state->why, why);
	return ret;
}

static void ipmiStateFree(struct state *state)
{
	ptBmcClose(state->bmc);
	free(state);
}

/* Say where values come from. */
static void ipmiDescribe(struct state *state, struct ptColumn *columns,
			 const struct ptDcmiReading *reading)
{
	snprintf(state->source, sizeof(state->source), "DCMI");
	snprintf(state->periodSource, sizeof(state->periodSource),
		 "DCMI, of the BMC's last %.15g s", reading->periodMs / 1000.0);
	for (size_t i = 0; i < state->count; i++) {
		columns[i].resolution = RESOLUTION;
		columns[i].source = columns[i].quantity == &quantities[P]
					    ? state->source
					    : state->periodSource;
	}
}

static int ipmiOpen(struct ptDevice *dev, struct ptColumn *columns,
		    size_t count)
{
	struct state *state = calloc(1, sizeof(*state));
	struct ptDcmiReading reading;
	int ret;

	if (!state)
		return -ENOMEM;
	state->columns = columns;
	state->count = count;
	ret = openBmc(state, dev);
	/* One reading, so that what cannot be read is known at once. */
	if (ret == 0)
		ret = ipmiGetReading(state, &reading);
	if (ret < 0) {
		ipmiStateFree(state);
		return ret;
	}
	ipmiDescribe(state, columns, &reading);
	dev->state = state;
	return 0;
}

/* ---- Reading ----------------------------------------------------------- */

static int ipmiStart(struct ptDevice *dev)
{
	struct state *state = dev->state;

	ptTickStart(&state->tick, dev->setup.cycleNs);
	return 0;
}

static int ipmiRead(struct ptDevice *dev, union hdCell *cells,
		    struct ptReading *result)
{
	struct state *state = dev->state;
	struct ptDcmiReading reading;
	uint64_t missed = 0;
	int64_t asked;
	int ret = ptTickWait(&state->tick, dev->setup.wakeFd, &missed);

	if (ret < 0)
		return ret;
	asked = ptNow();
	ret = ipmiGetReading(state, &reading);
	if (ret < 0)
		return ret;
	ptTickTaken(&state->tick, asked, missed, result);
	for (size_t i = 0; i < state->count; i++) {
		const unsigned int values[] = {
			[P] = reading.watts,
			[P_MIN] = reading.minimum,
			[P_MAX] = reading.maximum,
			[P_AVG] = reading.average,
		};

		cells[i].f =
			(float)values[state->columns[i].quantity - quantities];
	}
	return 0;
}

static void ipmiClose(struct ptDevice *dev)
{
	ipmiStateFree(dev->state);
	dev->state = NULL;
}

const struct ptDriver ptIpmiDriver = {
	.name = "ipmi",
	.description =
		"power of this or another machine, read from its BMC (DCMI)",
	.timing = PT_TIMED_BY_METER,
	.minCycleMs = 1000,
	.maxCycleMs = 30000,
	.usualCycleMs = 1000,
	.addressForm = FORM,
	.quantities = quantities,
	.options = options,
	.checkAddress = ipmiCheckAddress,
	.checkOption = ipmiCheckOption,
	.resolve = ipmiResolve,
	.list = ipmiList,
	.open = ipmiOpen,
	.start = ipmiStart,
	.read = ipmiRead,
	.close = ipmiClose,
};
