/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IPMI where libPT was built without FreeIPMI; see bmc.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "PowerTracingLibrary/src/drivers/ipmi/bmc.h"
#include "PowerTracingLibrary/src/core/ptlog.h"

#define WHY "libPT was built without IPMI (on Debian: libfreeipmi-dev)"

bool ptBmcIsThere(const char *library, char *why, size_t whySize)
{
	(void)library;
	snprintf(why, whySize, WHY);
	return false;
}

bool ptBmcKnowsPrivilege(const char *name)
{
	(void)name;
	return true;
}

bool ptBmcKnowsWorkarounds(const char *list)
{
	(void)list;
	return true;
}

int ptBmcOpen(const struct ptBmcSetup *setup, struct ptBmc **result)
{
	(void)result;
	ptMessage(HD_LOG_ERROR, "%s: " WHY, setup->name);
	return -ENOTSUP;
}

int ptBmcAsk(struct ptBmc *bmc, uint8_t netFn, const uint8_t *request,
	     size_t size, uint8_t *answer, size_t max, size_t *got)
{
	(void)bmc;
	(void)netFn;
	(void)request;
	(void)size;
	(void)answer;
	(void)max;
	(void)got;
	return -ENOTSUP;
}

void ptBmcClose(struct ptBmc *bmc)
{
	(void)bmc;
}
