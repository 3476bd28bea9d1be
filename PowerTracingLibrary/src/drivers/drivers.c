/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of drivers; see driver.h. */
#include "config.h"

#include <strings.h>

#include "PowerTracingLibrary/src/core/driver.h"

/* One line a driver; the name is that of its struct. */
#define DRIVERS(X)     \
	X(Lmg450)      \
	X(Wattsup)     \
	X(Apc)         \
	X(Dcmeter)     \
	X(Dc2meter)    \
	X(Ardupower)   \
	X(Rawtcp)      \
	X(Command)     \
	X(Ipmi)        \
	X(Powercap)    \
	X(Perf)        \
	X(Hwmon)       \
	X(PowerSupply) \
	X(Nvml)        \
	X(Cstates)     \
	X(Pstates)     \
	X(Model)       \
	X(Sim)

#define DECLARE(name) extern const struct ptDriver pt##name##Driver;
#define ADDRESS(name) &pt##name##Driver,

DRIVERS(DECLARE)

const struct ptDriver *const ptDrivers[] = { DRIVERS(ADDRESS) NULL };

const struct ptDriver *ptDriverFind(const struct ptDriver *const *list,
				    const char *name)
{
	for (; *list; list++)
		if (strcasecmp((*list)->name, name) == 0)
			return *list;
	return NULL;
}
