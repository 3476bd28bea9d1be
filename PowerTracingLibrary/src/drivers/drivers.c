/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of drivers; see driver.h. */
#include <config.h>

#include <strings.h>

#include "driver.h"

extern const struct ptDriver ptHwmonDriver, ptLmg450Driver, ptNvmlDriver,
	ptPerfDriver, ptPowercapDriver, ptSimDriver;

const struct ptDriver *const ptDrivers[] = {
	&ptLmg450Driver, &ptPowercapDriver, &ptPerfDriver, &ptHwmonDriver,
	&ptNvmlDriver,   &ptSimDriver,      NULL,
};

const struct ptDriver *ptDriverFind(const struct ptDriver *const *list,
				    const char *name)
{
	for (; *list; list++)
		if (strcasecmp((*list)->name, name) == 0)
			return *list;
	return NULL;
}
