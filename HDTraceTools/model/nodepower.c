/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which values of a group tell the power of its node.
 */
#include "config.h"

#include <fnmatch.h>
#include <glib.h>

#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/nodepower.h"
#include "HDTraceTools/model/units.h"

/** Whether names are the same but for numbers: those of sockets, say. */
static bool areAlike(const char *a, const char *b)
{
	for (;;) {
		while (g_ascii_isdigit(*a))
			a++;
		while (g_ascii_isdigit(*b))
			b++;
		if (*a != *b)
			return false;
		if (!*a)
			return true;
		a++;
		b++;
	}
}

/** Whether a value tells power, as a gauge, or energy, as an amount. */
static bool tellsEnergy(const hdIGroup *group, const hdIValue *value,
			bool isAmount)
{
	return value->type != HDI_STRING &&
	       kindIsAmount(valueKind(group, value, NULL)) == isAmount &&
	       (isAmount ? unitIsEnergy(value->unit)
			 : unitIsPower(value->unit));
}

size_t nodePowerChoose(const hdIGroup *group, const char *pattern,
		       bool *isPower)
{
	size_t count = 0;

	for (int isAmount = 0; isAmount < 2 && !count; isAmount++) {
		const char *first = NULL;

		for (size_t i = 0; i < group->valueCount; i++) {
			const hdIValue *value = &group->values[i];

			if (!tellsEnergy(group, value, isAmount))
				continue;
			if (pattern ? fnmatch(pattern, value->name, 0)
				    : first && !areAlike(first, value->name))
				continue;
			if (!first)
				first = value->name;
			isPower[i] = true;
			count++;
		}
	}
	return count;
}

struct powerSeries *nodePowerSeries(const hdIGroup *group, const bool *isPower)
{
	GArray *parts = g_array_new(FALSE, FALSE, sizeof(struct powerPart));
	struct powerSeries *series;

	for (size_t i = 0; i < group->valueCount; i++) {
		const hdIValue *value = &group->values[i];
		struct powerPart part = {
			.column = i,
			.scale = unitParse(value->unit).scale,
			.isEnergy = kindIsAmount(valueKind(group, value, NULL)),
		};

		if (isPower[i])
			g_array_append_val(parts, part);
	}
	series = powerSeriesNew(group, (const void *)parts->data, parts->len);
	g_array_unref(parts);
	return series;
}
