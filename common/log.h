/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file log.h
 * Messages of the libraries: silent unless the user asks for them.
 *
 * The level is set once from a library's *_VERBOSITY variable. Messages go to
 * stderr, one write per line, and leave errno alone.
 */
#ifndef HD_LOG_H
#define HD_LOG_H

enum hdLogLevel {
	HD_LOG_NONE,
	HD_LOG_ERROR,
	HD_LOG_WARNING,
	HD_LOG_INFO,
};

/** Print messages up to this level from now on. */
void hdLogSetLevel(enum hdLogLevel level);

/** Print a message: "hdtrace: TEXT\n". */
void hdLog(enum hdLogLevel level, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

#endif
