/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where times are from, in headers; see timesource.h. */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceWritingCLibrary/src/timesource.h"
#include "common/clock.h"
#include "common/tscclock.h"

/* Seconds that there is room for. */
#define SOURCE_NS_MAX (10 * HD_NS_PER_S - 1)

/* "+0.000000000", as long as what stands in its place until it is known. */
#define SOURCE_UNKNOWN "            "

static void sourceSeconds(char *text, size_t size, int64_t ns)
{
	int64_t absolute = ns < 0 ? -ns : ns;

	if (absolute > SOURCE_NS_MAX)
		absolute = SOURCE_NS_MAX;
	snprintf(text, size, "%c%d.%09d", ns < 0 ? '-' : '+',
		 (int)(absolute / HD_NS_PER_S), (int)(absolute % HD_NS_PER_S));
}

static size_t sourceText(char text[HD_TIME_SOURCE_SIZE], char quote,
			 const char *drift, const char *error)
{
	return (size_t)snprintf(text, HD_TIME_SOURCE_SIZE,
				" timeSource=%ctsc%c timeDrift=%c%s%c"
				" timeError=%c%s%c",
				quote, quote, quote, drift, quote, quote, error,
				quote);
}

bool hdTimeSourceBegin(char text[HD_TIME_SOURCE_SIZE], char quote)
{
	if (!hdTscClockUsed())
		return false;
	sourceText(text, quote, SOURCE_UNKNOWN, SOURCE_UNKNOWN);
	return true;
}

void hdTimeSourceEnd(struct hdOutfile *file, size_t at, char quote)
{
	const struct hdTscClock *clock = hdTscClockUsed();
	char text[HD_TIME_SOURCE_SIZE], drift[24], error[24];
	size_t length;

	if (at == 0 || !clock || hdOutfileIsForeign(file))
		return;
	sourceSeconds(drift, sizeof(drift), hdTscClockDrift(clock));
	sourceSeconds(error, sizeof(error), hdTscClockError(clock));
	length = sourceText(text, quote, drift, error);
	hdOutfileOverwrite(file, (int64_t)at, text, length);
}
