/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Quantities for people: with a prefix of the SI that fits, "54.79 kJ".
 */
#include "config.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/quantity.h"

static const char prefixes[] = "kMGTPE";
static const char smallPrefixes[] = "munp";

/** Below this a smaller unit fits better: 50 mW is easier to read than 0.05 W.
 */
#define QUANTITY_SMALL 0.1

/** What is rounded to 1000 is large. */
static double quantityLarge(void)
{
	return 1000 - 0.5 * pow(10, 3 - outPrecision());
}

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

static struct quantityUnit quantityUnitLarge(double size, double scale,
					     const char *base)
{
	struct quantityUnit unit = { .factor = 1 };
	size_t prefix = 0;

	while (size >= 1000 * quantityLarge() && prefixes[prefix + 1]) {
		size /= 1000;
		prefix++;
	}
	unit.factor = scale / pow(1000, (double)(prefix + 1));
	snprintf(unit.name, sizeof(unit.name), "%c%s", prefixes[prefix], base);
	return unit;
}

static struct quantityUnit quantityUnitSmall(double size, double scale,
					     const char *base)
{
	struct quantityUnit unit = { .factor = 1 };
	size_t prefix = 0;

	size *= 1000;
	while (size < quantityLarge() / 1000 && smallPrefixes[prefix + 1]) {
		size *= 1000;
		prefix++;
	}
	unit.factor = scale * pow(1000, (double)(prefix + 1));
	snprintf(unit.name, sizeof(unit.name), "%c%s", smallPrefixes[prefix],
		 base);
	return unit;
}

struct quantityUnit quantityUnitFor(double largest, double scale,
				    const char *base)
{
	struct quantityUnit unit = { .factor = 1 };
	double size = fabs(largest);

	/* What has a prefix keeps it while the number fits. */
	if (!isfinite(largest) || !takesPrefix(base))
		return unit;
	if (size >= quantityLarge() && size >= quantityLarge() * scale)
		return quantityUnitLarge(size, scale, base);
	if (size > 0 && size < QUANTITY_SMALL && size < QUANTITY_SMALL * scale)
		return quantityUnitSmall(size, scale, base);
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

/** The decimals that give a bound two significant digits. */
static int quantityDecimals(double bound)
{
	if (!isfinite(bound) || bound <= 0)
		return INT_MAX;
	return 1 - (int)floor(log10(bound));
}

const char *quantityBounded(char *buffer, char *boundText, double number,
			    double bound, const struct quantityUnit *unit)
{
	int decimals;
	double step;

	number *= unit->factor;
	bound *= unit->factor;
	decimals = MIN(outDecimals(number), quantityDecimals(bound));
	/* One digit of the number stays, whatever the bound is. */
	decimals = MAX(decimals, outDecimals(number) - outPrecision() + 1);
	decimals = MAX(decimals, 0);
	step = pow(10, -decimals);
	*boundText = '\0';
	if (!isfinite(number) || !isfinite(bound) || bound < step ||
	    fabs(number) >= 1e12 || (number != 0 && fabs(number) < 1e-4)) {
		outRounded(buffer, number);
		if (*unit->name)
			trim(buffer);
		return buffer;
	}
	snprintf(buffer, OUT_NUMBER_SIZE, "%.*f", decimals, number);
	/* A bound stays one: it is rounded up. */
	snprintf(boundText, OUT_NUMBER_SIZE, "%.*f", decimals,
		 ceil(bound / step - 1e-6) * step);
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
