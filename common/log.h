/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Messages of the libraries: on stderr, as far as the user asks for them.
 *
 * Each library has a struct hdLogger of its own, whose level it sets from its
 * *_VERBOSITY variable. A message is one write, and leaves errno alone.
 */
#ifndef HD_LOG_H
#define HD_LOG_H

#include <stdbool.h>

enum hdLogLevel {
	HD_LOG_NONE,
	HD_LOG_ERROR,
	HD_LOG_WARNING,
	HD_LOG_INFO,
	HD_LOG_DEBUG,
};

/** Who says something, and what of it is printed. */
struct hdLogger {
	const char *prefix; /**< "libRUT": before the text and a colon. */
	int level;          /**< enum hdLogLevel; any thread may change it. */
	/** Gets the text instead of stderr, if not NULL. */
	void (*print)(enum hdLogLevel level, const char *text);
};

/** Print messages up to this level from now on. */
void hdLogSetLevel(struct hdLogger *logger, enum hdLogLevel level);

/**
 * The level of the loggers whose variable is not set, or -1: each has its own.
 *
 * A library that holds others sets it before it calls them, so that they are
 * silent with it.
 */
extern int hdLogDefault;

/**
 * Set the level as the thesis numbers them (section 4.3.5): -1 none, 0 errors,
 * 1 warnings, 2 information, 3 everything. Anything else is 0; so is NULL,
 * where hdLogDefault does not say otherwise.
 */
void hdLogSetVerbosity(struct hdLogger *logger, const char *verbosity);

/** Whether what this thread says is for debugging only: it was said before. */
extern __thread bool hdLogIsQuiet;

/** Print a message: "PREFIX: TEXT\n". */
void hdLog(const struct hdLogger *logger, enum hdLogLevel level,
	   const char *format, ...)
	__attribute__((__format__(__printf__, 3, 4)));

#endif
