/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How often a sensor has a new value; see period.h. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "PowerTracingLibrary/src/machine/period.h"

/* So many changes are between so many periods and one. */
#define CHANGES_MIN 3
#define CHANGES_ENOUGH 9

void ptPeriodAdd(struct ptPeriod *period, double value, int64_t ns)
{
	if (!period->hasValue)
		period->firstReadNs = ns;
	period->reads++;
	period->lastReadNs = ns;
	if (period->hasValue && value != period->value) {
		if (period->changes++ == 0)
			period->firstChangeNs = ns;
		period->lastChangeNs = ns;
	}
	period->hasValue = true;
	period->value = value;
}

bool ptPeriodIsKnown(const struct ptPeriod *period)
{
	return period->changes >= CHANGES_ENOUGH;
}

void ptPeriodDescribe(const struct ptPeriod *period, char *text, size_t size)
{
	double watchedNs = (double)(period->lastReadNs - period->firstReadNs);
	double changingNs =
		(double)(period->lastChangeNs - period->firstChangeNs);
	size_t used = strlen(text);
	const char *before = used > 0 ? ", " : "";

	if (period->changes >= CHANGES_MIN)
		snprintf(text + used, size - used,
			 "%severy %.2g ms%s (measured)", before,
			 changingNs / (period->changes - 1) / 1e6,
			 period->changes + 1 >= period->reads ? " or less"
							      : "");
	else if (period->reads > 1)
		snprintf(text + used, size - used, "%s%s in %.3g ms", before,
			 period->changes > 0 ? "few updates" : "no update",
			 watchedNs / 1e6);
}
