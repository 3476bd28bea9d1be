/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The environment, read once; see settings.h. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceWritingCLibrary/src/settings.h"
#include "common/duration.h"
#include "common/environment.h"
#include "common/format/compress.h"
#include "common/tscclock.h"

struct hdLogger hdLogger = { .prefix = "hdtrace", .level = HD_LOG_NONE };

/* Unless the environment says it. */
#define BUFFER_SIZE ((size_t)256 * 1024)
#define BUFFER_MAX ((size_t)1024 * 1024)

static struct hdSettings settings;

static long settingsNumber(const char *name, long min, long max, long otherwise)
{
	const char *text = hdEnvironmentText(name);
	char *end;
	long number;

	if (!text)
		return otherwise;
	errno = 0;
	number = strtol(text, &end, 10);
	if (errno || *end || end == text || number < min || number > max) {
		hdMessage(HD_LOG_ERROR,
			  "%s: invalid number \"%s\"; expected %ld to %ld",
			  name, text, min, max);
		return otherwise;
	}
	return number;
}

/* Read a duration, which may have a unit: whole milliseconds. */
static unsigned int settingsMs(const char *name, int64_t min, int64_t max,
			       unsigned int otherwise)
{
	const int64_t ms = 1000000;
	const char *text = hdEnvironmentText(name);
	int64_t ns;

	if (!text)
		return otherwise;
	if (hdDurationParse(text, ms, &ns, NULL) == 0 && ns % ms == 0 &&
	    ns >= min * ms && ns <= max * ms)
		return (unsigned int)(ns / ms);
	hdMessage(HD_LOG_ERROR,
		  "%s: invalid duration \"%s\"; expected %" PRId64
		  " to %" PRId64 " ms",
		  name, text, min, max);
	return otherwise;
}

/* Find a variable's value in a list that ends with NULL; the first is the
 * default. */
static int settingsChoice(const char *name, const char *const *choices)
{
	const char *text = hdEnvironmentText(name);

	if (!text)
		return 0;
	for (int i = 0; choices[i]; i++)
		if (strcmp(text, choices[i]) == 0)
			return i;
	hdMessage(HD_LOG_ERROR, "%s: invalid value \"%s\"; the default is %s",
		  name, text, choices[0]);
	return 0;
}

/* Whoever says how large buffers are has them so large; one that drops what has
 * no room does not grow. */
static void settingsBuffer(void)
{
	size_t wanted = (size_t)settingsNumber("HDTRACE_BUFFER_SIZE_KB", 4,
					       1048576, 0) *
			1024;

	settings.bufferSize = wanted > 0 ? 4096 : BUFFER_SIZE;
	while (settings.bufferSize < wanted)
		settings.bufferSize *= 2;
	settings.bufferMax = wanted > 0 || settings.dropOnFull
				     ? settings.bufferSize
				     : BUFFER_MAX;
}

/* Take the clock that is asked for. */
static void settingsClock(void)
{
	static const char *const clocks[] = { "realtime", "tsc", NULL };
	const char *refusal = NULL;

	if (settingsChoice("HDTRACE_CLOCK", clocks) == 1)
		refusal = hdTscClockUse();
	if (refusal)
		hdLoss("HDTRACE_CLOCK=tsc: cannot use the time stamp counter, "
		       "and uses the system clock: %s",
		       refusal);
}

/* Compress files, if that is asked for and libzstd is there. */
static void settingsCompression(void)
{
	const char *text = hdEnvironmentText("HDTRACE_COMPRESS");
	const char *missing;
	int level = 0;

	if (text && hdCompressParse(text, &level) < 0)
		hdMessage(
			HD_LOG_ERROR,
			"HDTRACE_COMPRESS: invalid value \"%s\"; expected "
			"zstd, zstd:%d to zstd:-1, zstd:1 to zstd:%d, or none",
			text, HD_COMPRESS_MIN, HD_COMPRESS_MAX);
	missing = level != 0 ? hdZstdMissing() : NULL;
	if (missing)
		hdLoss("HDTRACE_COMPRESS=%s: files are not compressed: %s",
		       text, missing);
	settings.compression = missing ? 0 : level;
}

static void settingsRead(void)
{
	static const char *const onFull[] = { "wait", "drop", NULL };
	static const char *const gaps[] = { "marker", "entry", "none", NULL };
	const char *prefix = hdEnvironmentText("HDTRACE_PREFIX");
	long verbosity =
		settingsNumber("HDTRACE_VERBOSITY", -1, HD_LOG_INFO,
			       hdLogDefault >= 0 ? hdLogDefault : HD_LOG_NONE);

	hdLogger.isSilent = verbosity < 0;
	hdLogSetLevel(&hdLogger,
		      verbosity < 0 ? HD_LOG_NONE : (enum hdLogLevel)verbosity);
	settings.dropOnFull = settingsChoice("HDTRACE_ON_FULL", onFull) == 1;
	settingsBuffer();
	settings.flushMs = settingsMs("HDTRACE_FLUSH_MS", 1, 3600000, 1000);
	settings.forceFlush =
		settingsNumber("HDTRACE_FORCE_FLUSH", 0, 1, 0) == 1;
	settings.overwrite = settingsNumber("HDTRACE_OVERWRITE_EXISTING_FILES",
					    0, 1, 0) == 1;
	settings.hasRelations =
		settingsNumber("HDTRACE_RELATION", 0, 1, 1) == 1;
	settings.maxDepth = (int)settingsNumber("HDTRACE_MAX_NESTING_DEPTH", 0,
						INT_MAX, HD_DEPTH_MAX);
	if (settings.maxDepth > HD_DEPTH_MAX)
		settings.maxDepth = HD_DEPTH_MAX;
	settings.gaps = (enum hdGaps)settingsChoice("HDTRACE_GAPS", gaps);
	settingsClock();
	settingsCompression();
	if (prefix && strlen(prefix) > HD_PREFIX_MAX)
		hdMessage(HD_LOG_ERROR, "HDTRACE_PREFIX: longer than %d bytes",
			  HD_PREFIX_MAX);
	else if (prefix)
		strcpy(settings.prefix, prefix);
}

const struct hdSettings *hdSettingsGet(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int saved = errno;

	pthread_once(&once, settingsRead);
	errno = saved;
	return &settings;
}
