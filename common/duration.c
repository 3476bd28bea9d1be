/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Durations with a unit; see duration.h. */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "common/duration.h"

static const struct {
	const char *name;
	int64_t ns;
} durationUnits[] = {
	{ "ns", 1 },         { "us", 1000 },         { "ms", 1000000 },
	{ "s", 1000000000 }, { "min", 60000000000 }, { "h", 3600000000000 },
};

int64_t hdDurationUnit(const char *unit)
{
	for (size_t i = 0; i < sizeof(durationUnits) / sizeof(*durationUnits);
	     i++) {
		if (strcmp(unit, durationUnits[i].name) == 0)
			return durationUnits[i].ns;
	}
	return 0;
}

static bool durationIsDigit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/** Find the unit behind the number. */
static int64_t durationSuffix(const char *text, int64_t unitNs, bool *hasUnit)
{
	*hasUnit = *text != '\0';
	if (!*hasUnit)
		return unitNs;
	return hdDurationUnit(text + (*text == ' '));
}

/** Multiply an integer given by its digits with a unit. */
static int durationWhole(const char *digits, const char *end, int64_t unit,
			 int64_t *ns)
{
	int64_t value = 0;

	for (; digits < end; digits++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *digits - '0', &value))
			return -ERANGE;
	}
	return __builtin_mul_overflow(value, unit, ns) ? -ERANGE : 0;
}

/** The part of a unit that digits behind the point stand for. */
static int64_t durationFraction(const char *digits, const char *end,
				int64_t unit)
{
	int64_t rest = 0;
	int64_t place = 1;

	/* More digits are below 1 ns for each unit. */
	for (int i = 0; digits < end && i < 15; digits++, i++) {
		rest = rest * 10 + (*digits - '0');
		place *= 10;
	}
	return (int64_t)((__int128)rest * unit / place);
}

int hdDurationParse(const char *text, int64_t unitNs, int64_t *ns,
		    bool *hasUnit)
{
	bool isNegative = *text == '-';
	const char *whole = text + (*text == '-' || *text == '+');
	const char *point = whole;
	const char *end;
	int64_t unit, total;
	bool found;
	int ret;

	while (durationIsDigit(*point))
		point++;
	end = point + (*point == '.');
	while (end > point && durationIsDigit(*end))
		end++;
	if (end - whole == (*point == '.'))
		return -EINVAL;
	unit = durationSuffix(end, unitNs, &found);
	if (unit == 0)
		return -EINVAL;
	ret = durationWhole(whole, point, unit, &total);
	if (ret == 0 && end > point &&
	    __builtin_add_overflow(
		    total, durationFraction(point + 1, end, unit), &total))
		ret = -ERANGE;
	if (ret < 0)
		return ret;
	*ns = isNegative ? -total : total;
	if (hasUnit)
		*hasUnit = found;
	return 0;
}
