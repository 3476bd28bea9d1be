/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Large quantities for people: with a prefix of the SI, "54.789 kJ".
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "cli/quantity.h"

static const char prefixes[] = "kMGTPE";

/** What is rounded to 1000, in six digits, is large. */
#define QUANTITY_LARGE 999.9995

static bool takesPrefix(const char *base)
{
	static const char *const known[] = {
		"W", "J", "V", "A", "Hz", "B", "W/s", "B/s", "Wh",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
		if (strcmp(base, known[i]) == 0)
			return true;
	}
	return false;
}

struct quantityUnit quantityUnitFor(double largest, double scale,
				    const char *base)
{
	struct quantityUnit unit = { .factor = 1 };
	double size = fabs(largest);
	size_t prefix = 0;

	/* What has a prefix keeps it while the number is not large. */
	if (!isfinite(largest) || size < QUANTITY_LARGE * scale ||
	    size < QUANTITY_LARGE || !takesPrefix(base))
		return unit;
	while (size >= 1000 * QUANTITY_LARGE && prefixes[prefix + 1]) {
		size /= 1000;
		prefix++;
	}
	unit.factor = scale / pow(1000, (double)(prefix + 1));
	snprintf(unit.name, sizeof(unit.name), "%c%s", prefixes[prefix], base);
	return unit;
}

/** Leave out zeros at the end of decimals. */
static void trim(char *number)
{
	char *end = number + strlen(number);

	if (!strchr(number, '.') || strchr(number, 'e'))
		return;
	while (end[-1] == '0')
		end--;
	if (end[-1] == '.')
		end--;
	*end = '\0';
}

const char *quantityNumber(char *buffer, double number,
			   const struct quantityUnit *unit)
{
	outRounded(buffer, number * unit->factor);
	if (*unit->name)
		trim(buffer);
	return buffer;
}

const char *quantityText(char *buffer, double number, const char *base)
{
	struct quantityUnit unit = quantityUnitFor(number, 1, base);
	size_t length;

	quantityNumber(buffer, number, &unit);
	length = strlen(buffer);
	snprintf(buffer + length, OUT_NUMBER_SIZE - length, " %s",
		 *unit.name ? unit.name : base);
	return buffer;
}
