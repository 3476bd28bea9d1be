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

#include "common/log.h"

int hdLogDefault = -1;

void hdLogSetLevel(struct hdLogger *logger, enum hdLogLevel level)
{
	__atomic_store_n(&logger->level, (int)level, __ATOMIC_RELAXED);
}

void hdLogSetVerbosity(struct hdLogger *logger, const char *verbosity)
{
	int level = HD_LOG_ERROR;

	if (verbosity && *verbosity) {
		char *end;
		long number = strtol(verbosity, &end, 10);

		if (*end == '\0' && number >= -1 && number <= 3)
			level = (int)number + 1;
	} else if (hdLogDefault >= 0) {
		level = hdLogDefault;
	}
	hdLogSetLevel(logger, (enum hdLogLevel)level);
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

void hdLog(const struct hdLogger *logger, enum hdLogLevel level,
	   const char *format, ...)
{
	char line[1200];
	int saved = errno;
	/* With room for the end of the line. */
	const size_t size = sizeof(line) - 1;
	va_list arguments;
	int prefix, length;

	if (hdLogIsQuiet)
		level = HD_LOG_DEBUG;
	if ((int)level > __atomic_load_n(&logger->level, __ATOMIC_RELAXED))
		return;
	prefix = snprintf(line, size, "%s: ", logger->prefix);
	va_start(arguments, format);
	length = vsnprintf(line + prefix, size - (size_t)prefix, format,
			   arguments);
	va_end(arguments);
	if (length >= 0)
		logClean(line + prefix);
	if (length >= 0 && logger->print) {
		logger->print(level, line + prefix);
	} else if (length >= 0) {
		size_t used = (size_t)prefix + (size_t)length;

		if (used > size - 1)
			used = size - 1;
		line[used] = '\n';
		logWrite(line, used + 1);
	}
	errno = saved;
}
