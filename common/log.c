/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages of the libraries; see log.h. */
#include <config.h>

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "log.h"

static enum hdLogLevel logLevel = HD_LOG_NONE;

void hdLogSetLevel(enum hdLogLevel level)
{
	logLevel = level;
}

void hdLog(enum hdLogLevel level, const char *format, ...)
{
	static const char prefix[] = "hdtrace: ";
	char line[1024];
	int saved = errno;
	size_t used = sizeof(prefix) - 1;
	va_list arguments;
	int length, state;

	if (level > logLevel)
		return;
	for (size_t i = 0; i < used; i++)
		line[i] = prefix[i];
	va_start(arguments, format);
	length = vsnprintf(line + used, sizeof(line) - used - 1, format,
			   arguments);
	va_end(arguments);
	if (length > 0) {
		used += (size_t)length;
		if (used > sizeof(line) - 2)
			used = sizeof(line) - 2;
		line[used++] = '\n';
		/* A thread that is cancelled here would leave locks behind. */
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
		/* Nowhere to report that stderr is gone. */
		while (write(STDERR_FILENO, line, used) < 0 && errno == EINTR)
			;
		pthread_setcancelstate(state, NULL);
	}
	errno = saved;
}
