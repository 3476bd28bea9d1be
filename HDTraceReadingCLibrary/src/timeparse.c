/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times written as decimal numbers; see timeparse.h. */
#include "config.h"

#include <errno.h>
#include <stddef.h>

#include "HDTraceReadingCLibrary/src/bytes.h"
#include "HDTraceReadingCLibrary/src/timeparse.h"

#define NS_PER_MS 1000000

static int isDigit(char c)
{
	return c >= '0' && c <= '9';
}

static int timeParseIsBlank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* A number of units; returns where it ends, or NULL. */
static const char *parseUnits(const char *p, uint64_t unit, int64_t *time)
{
	uint64_t limit = HDI_TIME_LIMIT / unit;
	uint64_t whole = 0;
	uint64_t fraction = 0;
	int isNegative = *p == '-';
	int digits = 0;

	if (*p == '-' || *p == '+')
		p++;
	for (; isDigit(*p); p++, digits++) {
		whole = whole * 10 + (uint64_t)(*p - '0');
		if (whole >= limit)
			return NULL;
	}
	if (*p == '.') {
		uint64_t scale = unit;

		for (p++; isDigit(*p); p++, digits++) {
			scale /= 10;
			fraction += scale * (uint64_t)(*p - '0');
		}
	}
	if (digits == 0)
		return NULL;
	*time = (int64_t)(whole * unit + fraction);
	if (isNegative)
		*time = -*time;
	return p;
}

int hdITimeParse(const char *text, int64_t *time)
{
	int64_t result;
	const char *end = parseUnits(text, HDI_NS_PER_S, &result);

	if (!end || *end != '\0')
		return -EINVAL;
	*time = result;
	return 0;
}

int hdITimeParseAdjustment(const char *text, int64_t *time)
{
	const char *end;
	int64_t result = 0;

	while (timeParseIsBlank(*text))
		text++;
	end = text;
	if (*text != '\0') {
		const char *p = text;

		while (*p == '+' || *p == '-' || *p == '.' || isDigit(*p))
			p++;
		if (p[0] == 'm' && p[1] == 's') {
			end = parseUnits(text, NS_PER_MS, &result);
			if (end != p)
				return -EINVAL;
			end += 2;
		} else {
			end = parseUnits(text, HDI_NS_PER_S, &result);
			if (!end)
				return -EINVAL;
			if (*end == 's')
				end++;
		}
	}
	while (timeParseIsBlank(*end))
		end++;
	if (*end != '\0')
		return -EINVAL;
	*time = result;
	return 0;
}
