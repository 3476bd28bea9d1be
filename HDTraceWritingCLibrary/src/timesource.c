/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where times are from, in headers; see timesource.h. */
#include "config.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <hdTopology.h>
#include "HDTraceWritingCLibrary/src/timesource.h"
#include "common/clock.h"
#include "common/tscclock.h"

/* Seconds that there is room for. */
#define SOURCE_NS_MAX (10 * HD_NS_PER_S - 1)

/* "+0.000000000", as long as what stands in its place until it is known. */
#define SOURCE_UNKNOWN "            "

/* "COUNT SECONDS", each as long as it gets. */
#define SOURCE_STEP_WIDTH 32

static void sourceSeconds(char *text, size_t size, int64_t ns)
{
	int64_t absolute = ns < 0 ? -ns : ns;

	if (absolute > SOURCE_NS_MAX)
		absolute = SOURCE_NS_MAX;
	snprintf(text, size, "%c%d.%09d", ns < 0 ? '-' : '+',
		 (int)(absolute / HD_NS_PER_S), (int)(absolute % HD_NS_PER_S));
}

/* Seconds of any size, in the width of the longest. */
static void sourceStep(char *text, size_t size, uint64_t count, int64_t ns)
{
	uint64_t absolute = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	snprintf(text, size, "%" PRIu32 " %c%" PRIu64 ".%09" PRIu64,
		 count > UINT32_MAX ? UINT32_MAX : (uint32_t)count,
		 ns < 0 ? '-' : '+', absolute / HD_NS_PER_S,
		 absolute % HD_NS_PER_S);
}

/* The base, which is known from the beginning, and the steps: blanks until they
 * are. */
static size_t sourceClock(char *text, size_t size, char quote,
			  const char *stepped)
{
	int64_t base = hdClockBase();
	uint64_t absolute = base < 0 ? -(uint64_t)base : (uint64_t)base;

	return (size_t)snprintf(text, size,
				" clockBase=%c%s%" PRIu64 ".%09" PRIu64
				"%c clockStepped=%c%-*s%c",
				quote, base < 0 ? "-" : "",
				absolute / HD_NS_PER_S, absolute % HD_NS_PER_S,
				quote, quote, SOURCE_STEP_WIDTH, stepped,
				quote);
}

static size_t sourceText(char text[HD_TIME_SOURCE_SIZE], char quote,
			 const char *stepped, const char *drift,
			 const char *error)
{
	size_t used = sourceClock(text, HD_TIME_SOURCE_SIZE, quote, stepped);

	if (!hdTscClockUsed())
		return used;
	return used + (size_t)snprintf(text + used, HD_TIME_SOURCE_SIZE - used,
				       " timeSource=%ctsc%c timeDrift=%c%s%c"
				       " timeError=%c%s%c",
				       quote, quote, quote, drift, quote, quote,
				       error, quote);
}

bool hdTimeSourceBegin(char text[HD_TIME_SOURCE_SIZE], char quote)
{
	if (!hdClockIsSteady())
		return false;
	sourceText(text, quote, "", SOURCE_UNKNOWN, SOURCE_UNKNOWN);
	return true;
}

void hdTimeSourceEnd(struct hdOutfile *file, size_t at, char quote,
		     const struct hdTimeBase *base)
{
	const struct hdTscClock *clock = hdTscClockUsed();
	char text[HD_TIME_SOURCE_SIZE], stepped[SOURCE_STEP_WIDTH + 1];
	char drift[24] = "", error[24] = "";
	struct hdSteps steps;
	size_t length;

	/* Of a file that the program has closed nothing more is known. */
	if (at == 0 || !hdClockIsSteady() || hdOutfileIsForeign(file) ||
	    !hdOwnedIs(&file->owned, file->fd))
		return;
	hdOutfileSteps(file, &steps);
	sourceStep(stepped, sizeof(stepped), steps.count, steps.sumNs);
	if (clock) {
		sourceSeconds(drift, sizeof(drift), hdTscClockDrift(clock));
		sourceSeconds(error, sizeof(error), hdTscClockError(clock));
	}
	length = sourceText(text, quote, stepped, drift, error);
	if (base && base->isAsGiven)
		memset(text, ' ', length);
	hdOutfileOverwrite(file, (int64_t)at, text, length);
}

void hdTimeBaseSet(struct hdTimeBase *self, int64_t baseNs)
{
	self->isAsGiven = baseNs == HD_TIME_AS_GIVEN &&
			  (!self->isSteady || self->isAsGiven);
	self->isSteady = true;
	self->shift = baseNs == HD_TIME_AS_GIVEN || !hdClockIsSteady()
			      ? 0
			      : hdClockBase() - baseNs;
}

int64_t hdTimeGiven(const struct hdTimeBase *self, const struct timespec *when)
{
	int64_t ns = hdClockToNs(when), shift;

	if (ns < 0)
		return -1;
	shift = self->isSteady ? self->shift : -hdClockStep();
	ns += shift;
	return ns < 0 || ns > HD_TIME_MAX ? -1 : ns;
}
