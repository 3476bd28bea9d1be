/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a configuration says of an APC rack PDU; see apcsetup.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "PowerTracingLibrary/src/config/channels.h"
#include "PowerTracingLibrary/src/drivers/snmp/apcmib.h"
#include "PowerTracingLibrary/src/drivers/snmp/apcsetup.h"
#include "common/net.h"

const char *const ptApcOptions[] = { "version", "credentials", "outlets",
				     "library", NULL };
static const char *const secrets[] = { "community", "user", "auth",
				       "authpass",  "priv", "privpass",
				       NULL };

int ptApcCheckAddress(const char *address, char *why, size_t whySize)
{
	char host[HD_NET_HOST_MAX], port[HD_NET_PORT_MAX];

	snprintf(why, whySize, "invalid device; expected " PT_APC_FORM);
	if (!address ||
	    strncmp(address, PT_APC_SCHEME, strlen(PT_APC_SCHEME)) != 0)
		return -EINVAL;
	if (strchr(address, '@')) {
		snprintf(why, whySize,
			 "invalid device; expected " PT_APC_FORM
			 "; the user belongs into the file of credentials=");
		return -EINVAL;
	}
	return hdNetSplit(address + strlen(PT_APC_SCHEME), PT_APC_PORT, host,
			  port);
}

/* Check that credentials fit together. */
static int checkSecrets(const struct hdCredentials *credentials, char *why,
			size_t whySize)
{
	const char *auth = hdCredentialsGet(credentials, "auth");
	const char *priv = hdCredentialsGet(credentials, "priv");

	if (auth && !ptSnmpKnows(false, auth))
		snprintf(why, whySize,
			 "auth: expected SHA, SHA-224, SHA-256, SHA-384, "
			 "SHA-512 or MD5");
	else if (priv && !ptSnmpKnows(true, priv))
		snprintf(why, whySize, "priv: expected AES or DES");
	else if (hdCredentialsGet(credentials, "privpass") &&
		 !hdCredentialsGet(credentials, "authpass"))
		snprintf(why, whySize, "privpass: requires authpass");
	else if (!hdCredentialsGet(credentials, "user") &&
		 !hdCredentialsGet(credentials, "community"))
		snprintf(why, whySize, "missing user or community");
	else
		return 0;
	return -EINVAL;
}

int ptApcReadSecrets(const char *path, struct hdCredentials *credentials,
		     char *why, size_t whySize)
{
	int ret = hdCredentialsRead(path, secrets, credentials, why, whySize);

	if (ret < 0)
		return ret;
	ret = checkSecrets(credentials, why, whySize);
	if (ret < 0)
		hdCredentialsClear(credentials);
	return ret;
}

int ptApcCheckOption(const char *name, const char *value, char *why,
		     size_t whySize)
{
	struct hdCredentials credentials;
	int ret;

	if (strcmp(name, "version") == 0) {
		snprintf(why, whySize, "expected 1, 2c or 3");
		return strcmp(value, "1") == 0 || strcmp(value, "2c") == 0 ||
				       strcmp(value, "3") == 0
			       ? 0
			       : -EINVAL;
	}
	if (strcmp(name, "outlets") == 0) {
		snprintf(why, whySize, "expected 1 to %d", PT_APC_OUTLETS_MAX);
		return ptChannelParse(value, PT_APC_OUTLETS_MAX) ? 0 : -EINVAL;
	}
	if (strcmp(name, "credentials") != 0)
		return 0;
	ret = ptApcReadSecrets(value, &credentials, why, whySize);
	if (ret == 0)
		hdCredentialsClear(&credentials);
	return ret;
}

int ptApcResolve(const struct ptSetup *setup, const char *channel, size_t index,
		 unsigned int *number, char label[PT_CHANNEL_MAX], char *why,
		 size_t whySize)
{
	const char *outlets = ptSetupOption(setup, "outlets");
	unsigned int count =
		outlets ? ptChannelParse(outlets, PT_APC_OUTLETS_MAX)
			: PT_APC_OUTLETS;
	int ret;

	if (channel && strcmp(channel, "device") == 0) {
		*number = PT_APC_DEVICE;
		strcpy(label, "device");
		return index == 0 ? 0 : -ENOENT;
	}
	/* Of chained units there are more than *. */
	if (channel && strcmp(channel, "*") != 0)
		count = PT_APC_OUTLETS_MAX;
	ret = ptChannelResolve(count, channel, index, number, label, why,
			       whySize);
	snprintf(why, whySize,
		 "unknown input; expected device or outlets 1 to %d",
		 PT_APC_OUTLETS_MAX);
	return ret;
}

void ptApcList(const struct ptSetup *setup, ptDriverPrint *print, void *context)
{
	char why[300];

	if (!ptSnmpIsThere(ptSetupOption(setup, "library"), why, sizeof(why))) {
		print(context, "-", why, false);
		return;
	}
	print(context, "device", "the whole unit", true);
	print(context, "1 to 96", "outlets", true);
}
