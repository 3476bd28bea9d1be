/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Values that tell power.
 */
#include "config.h"

#include <fnmatch.h>
#include <string.h>
#include <glib.h>

#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/power/candidates.h"
#include "HDTraceTools/model/units.h"

/* ---- Values that tell power -------------------------------------------- */

/** Whether a value tells power, as a gauge, or energy, as an amount. */
static bool candidateTells(const hdIGroup *group, const hdIValue *value,
			   bool isAmount)
{
	return value->type != HDI_STRING &&
	       kindIsAmount(valueKind(group, value, NULL)) == isAmount &&
	       (isAmount ? unitIsEnergy(value->unit)
			 : unitIsPower(value->unit));
}

/** Length of the quantity in the name of a value, "P" in "P_package-0". */
static size_t candidateStem(const char *name)
{
	return strcspn(name, "_ ");
}

static const char *candidateLabel(const char *name)
{
	size_t length = candidateStem(name);

	return name[length] ? name + length + 1 : name;
}

/** Whether names are those of one quantity, of several channels: the same but
 *  for numbers and what follows. */
static bool candidatesAreAlike(const char *a, const char *b)
{
	const char *endA = a + candidateStem(a), *endB = b + candidateStem(b);

	for (;;) {
		while (a < endA && g_ascii_isdigit(*a))
			a++;
		while (b < endB && g_ascii_isdigit(*b))
			b++;
		if (a == endA || b == endB)
			return a == endA && b == endB;
		if (*a++ != *b++)
			return false;
	}
}

/** Whether a value is one to choose from; first is the first one, or NULL. */
static bool candidateIs(const hdIValue *value, const char *pattern,
			const char *first)
{
	if (pattern)
		return fnmatch(pattern, value->name, 0) == 0;
	return !first || candidatesAreAlike(first, value->name);
}

size_t candidatesFind(const hdIGroup *group, const char *pattern,
		      size_t *values)
{
	size_t count = 0;

	for (int isAmount = 0; isAmount < 2 && !count; isAmount++) {
		const char *first = NULL;

		for (size_t i = 0; i < group->valueCount; i++) {
			const hdIValue *value = &group->values[i];

			if (!candidateTells(group, value, isAmount) ||
			    !candidateIs(value, pattern, first))
				continue;
			first = first ? first : value->name;
			values[count++] = i;
		}
	}
	return count;
}

/* ---- What they are ----------------------------------------------------- */

/** Whether the power of a value is computed from a counter of energy. */
static bool candidateIsCounted(const hdIValue *value, const char *device)
{
	const char *source = attributeFind(value->attributes,
					   value->attributeCount, "source");

	if (source)
		return hdPowerIsCounted(source);
	return device &&
	       (strcmp(device, "powercap") == 0 || strcmp(device, "perf") == 0);
}

void candidateDescribe(const hdIGroup *group, const hdIValue *value,
		       struct hdPowerChannel *channel, struct hdPowerGain *gain)
{
	const char *device = attributeFind(group->attributes,
					   group->attributeCount, "device");
	const hdIAttribute *attributes = value->attributes;
	size_t count = value->attributeCount;
	const char *resolution = attributeFind(attributes, count, "resolution");

	*channel = (struct hdPowerChannel){
		.device = device,
		.label = candidateLabel(value->name),
		.role = attributeFind(attributes, count, "role"),
		.partOf = attributeFind(attributes, count, "part_of"),
		.hardware = attributeFind(attributes, count, "hardware"),
	};
	hdPowerClassify(channel);
	*gain = (struct hdPowerGain){
		.isCounter = candidateIsCounted(value, device),
		.isKnown = true,
		.resolution = hdPowerResolution(resolution),
		.periodNs = hdPowerPeriod(resolution),
	};
}
