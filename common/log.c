/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages of the libraries; see log.h. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/environment.h"
#include "common/log.h"

int hdLogDefault = -1;

void hdLogSetLevel(struct hdLogger *logger, enum hdLogLevel level)
{
	__atomic_store_n(&logger->level, (int)level, __ATOMIC_RELAXED);
}

void hdLogSetVerbosity(struct hdLogger *logger, const char *verbosity)
{
	int level = HD_LOG_ERROR;
	bool isSilent = false;

	if (verbosity && *verbosity) {
		char *end;
		long number = strtol(verbosity, &end, 10);

		if (*end == '\0' && number >= -1 && number <= 3)
			level = (int)number + 1;
		isSilent = level == HD_LOG_NONE;
	} else if (hdLogDefault >= 0) {
		level = hdLogDefault;
	}
	hdLogSetLevel(logger, (enum hdLogLevel)level);
	__atomic_store_n(&logger->isSilent, isSilent, __ATOMIC_RELAXED);
}

__thread bool hdLogIsQuiet;

static void logWrite(char *line, size_t length)
{
	int state;

	/* A thread that is cancelled here would leave locks behind. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	/* Nowhere to report that stderr is gone. */
	while (write(STDERR_FILENO, line, length) < 0 && errno == EINTR)
		;
	pthread_setcancelstate(state, NULL);
}

/* How many bytes of a text at a place are a control character, or one that
 * changes the direction of text: names in messages may come from anywhere. */
static size_t logHarmful(const unsigned char *p)
{
	if (p[0] < 0x20 || p[0] == 0x7f)
		return 1;
	if ((p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0) ||
	    (p[0] == 0xd8 && p[1] == 0x9c))
		return 2;
	if (p[0] == 0xe2 && p[1] == 0x80 &&
	    (p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae)))
		return 3;
	if (p[0] == 0xe2 && p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9)
		return 3;
	return 0;
}

static void logClean(char *text)
{
	while (*text) {
		size_t length = logHarmful((unsigned char *)text);

		memset(text, '?', length);
		text += length > 0 ? length : 1;
	}
}

/* A message that is made: "PREFIX: TEXT". */
struct logLine {
	char bytes[1200];
	size_t prefix; /* Bytes before the text. */
	size_t used; /* Bytes altogether, with room for the end of the line. */
};

__attribute__((__format__(__printf__, 3, 0))) static bool logMake(
	const struct hdLogger *logger, struct logLine *line, const char *format,
	va_list arguments)
{
	const size_t size = sizeof(line->bytes) - 1;
	int prefix, length;

	prefix = snprintf(line->bytes, size, "%s: ", logger->prefix);
	length = vsnprintf(line->bytes + prefix, size - (size_t)prefix, format,
			   arguments);
	if (length < 0)
		return false;
	line->prefix = (size_t)prefix;
	line->used = line->prefix + (size_t)length;
	if (line->used > size - 1)
		line->used = size - 1;
	logClean(line->bytes + prefix);
	return true;
}

static void logPrint(const struct hdLogger *logger, enum hdLogLevel level,
		     struct logLine *line)
{
	if (logger->print) {
		logger->print(level, line->bytes + line->prefix);
		return;
	}
	line->bytes[line->used] = '\n';
	logWrite(line->bytes, line->used + 1);
}

void hdLog(const struct hdLogger *logger, enum hdLogLevel level,
	   const char *format, ...)
{
	struct logLine line;
	int saved = errno;
	va_list arguments;

	if (hdLogIsQuiet)
		level = HD_LOG_DEBUG;
	if ((int)level > __atomic_load_n(&logger->level, __ATOMIC_RELAXED))
		return;
	va_start(arguments, format);
	if (logMake(logger, &line, format, arguments))
		logPrint(logger, level, &line);
	va_end(arguments);
	errno = saved;
}

/* ---- What is not recorded ---------------------------------------------- */

bool (*hdLogLossTaker)(const char *text);

bool hdLogIsFirst(void)
{
	/* Of Open MPI, MPICH and Slurm. */
	static const char *const names[] = {
		"OMPI_COMM_WORLD_LOCAL_RANK",
		"MPI_LOCALRANKID",
		"SLURM_LOCALID",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *number = hdEnvironment(names[i]);

		if (number && *number)
			return strcmp(number, "0") == 0;
	}
	return true;
}

/* Whether a loss is said by who asks: it is the first, or each is wanted. */
static bool logIsSaid(struct hdLogger *logger)
{
	if (__atomic_load_n(&logger->level, __ATOMIC_RELAXED) > logger->usual)
		return true;
	return hdLogIsFirst() &&
	       !__atomic_exchange_n(&logger->hasSaidIt, true, __ATOMIC_RELAXED);
}

void hdLogLoss(struct hdLogger *logger, const char *format, ...)
{
	struct logLine line;
	int saved = errno;
	va_list arguments;

	if (hdLogIsQuiet ||
	    __atomic_load_n(&logger->isSilent, __ATOMIC_RELAXED))
		return;
	va_start(arguments, format);
	if (logMake(logger, &line, format, arguments) &&
	    !(hdLogLossTaker && hdLogLossTaker(line.bytes + line.prefix)) &&
	    logIsSaid(logger))
		logPrint(logger, HD_LOG_ERROR, &line);
	va_end(arguments);
	errno = saved;
}
