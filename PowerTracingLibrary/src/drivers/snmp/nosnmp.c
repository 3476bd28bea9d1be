/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SNMP where libPT was built without net-snmp; see snmp.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "PowerTracingLibrary/src/drivers/snmp/snmp.h"
#include "PowerTracingLibrary/src/core/ptlog.h"

#define WHY "libPT was built without SNMP (on Debian: libsnmp-dev)"

bool ptSnmpIsThere(const char *library, char *why, size_t whySize)
{
	(void)library;
	snprintf(why, whySize, WHY);
	return false;
}

bool ptSnmpKnows(bool isPriv, const char *name)
{
	(void)isPriv;
	(void)name;
	return true;
}

int ptSnmpOpen(const struct ptSnmpSetup *setup, struct ptSnmp **result)
{
	(void)result;
	ptMessage(HD_LOG_ERROR, "%s: " WHY, setup->name);
	return -ENOTSUP;
}

int ptSnmpGet(struct ptSnmp *snmp, const struct ptSnmpOid *oids, size_t count,
	      struct ptSnmpValue *values, int64_t deadlineNs)
{
	(void)snmp;
	(void)oids;
	(void)count;
	(void)values;
	(void)deadlineNs;
	return -ENOTSUP;
}

void ptSnmpClose(struct ptSnmp *snmp)
{
	(void)snmp;
}
