/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of drivers; see driver.h. */
#include "config.h"

#include <strings.h>

#include "PowerTracingLibrary/src/meter/driver.h"

extern const struct ptDriver ptApcDriver, ptArdupowerDriver, ptCstatesDriver,
	ptDc2meterDriver, ptDcmeterDriver, ptHwmonDriver, ptIpmiDriver,
	ptLmg450Driver, ptNvmlDriver, ptPerfDriver, ptPowercapDriver,
	ptPstatesDriver, ptRawtcpDriver, ptSimDriver, ptWattsupDriver;

const struct ptDriver *const ptDrivers[] = {
	&ptLmg450Driver,   &ptWattsupDriver,
	&ptApcDriver,      &ptDcmeterDriver,
	&ptDc2meterDriver, &ptArdupowerDriver,
	&ptRawtcpDriver,   &ptIpmiDriver,
	&ptPowercapDriver, &ptPerfDriver,
	&ptHwmonDriver,    &ptNvmlDriver,
	&ptCstatesDriver,  &ptPstatesDriver,
	&ptSimDriver,      NULL,
};

const struct ptDriver *ptDriverFind(const struct ptDriver *const *list,
				    const char *name)
{
	for (; *list; list++)
		if (strcasecmp((*list)->name, name) == 0)
			return *list;
	return NULL;
}
