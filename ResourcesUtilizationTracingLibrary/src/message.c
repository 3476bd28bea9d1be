/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages on stderr; see message.h. */
#include <config.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "message.h"

/* Traces are created by any thread. */
static int messageLevel;

void rutMessageSetLevel(const char *verbosity)
{
	int level = RUT_LEVEL_ERROR;

	if (verbosity && *verbosity) {
		char *end;
		long number = strtol(verbosity, &end, 10);

		if (*end == '\0' && number >= -1 && number <= RUT_LEVEL_DEBUG)
			level = (int)number;
	}
	__atomic_store_n(&messageLevel, level, __ATOMIC_RELAXED);
}

void rutMessage(enum rutLevel level, const char *format, ...)
{
	int saved = errno;
	char text[1024];
	va_list arguments;

	if ((int)level > __atomic_load_n(&messageLevel, __ATOMIC_RELAXED))
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fprintf(stderr, "libRUT: %s\n", text);
	errno = saved;
}
