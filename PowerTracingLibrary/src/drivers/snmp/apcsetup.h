/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a configuration says of an APC rack PDU: functions of struct ptDriver,
 * and the file of credentials.
 */
#ifndef PT_APCSETUP_H
#define PT_APCSETUP_H

#include "common/secret.h"
#include "PowerTracingLibrary/src/core/driver.h"

/** DEVICE of `port`, what it begins with, and the usual port. */
#define PT_APC_FORM "snmp://HOST[:PORT]"
#define PT_APC_SCHEME "snmp://"
#define PT_APC_PORT 161

extern const char *const ptApcOptions[];

int ptApcCheckAddress(const char *address, char *why, size_t whySize);
int ptApcCheckOption(const char *name, const char *value, char *why,
		     size_t whySize);
int ptApcResolve(const struct ptSetup *setup, const char *channel, size_t index,
		 unsigned int *number, char label[PT_CHANNEL_MAX], char *why,
		 size_t whySize);
void ptApcList(const struct ptSetup *setup, ptDriverPrint *print,
	       void *context);

/** Read a file of credentials: hdCredentialsRead(), and that they fit
 *  together. */
int ptApcReadSecrets(const char *path, struct hdCredentials *credentials,
		     char *why, size_t whySize);

#endif
