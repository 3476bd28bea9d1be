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
	/* Of hdLogLoss(). */
	int usual;      /**< Above this level each loss is said. */
	bool isSilent;  /**< Nothing is said at all; any thread may set it. */
	bool hasSaidIt; /**< One was. */
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
 * where hdLogDefault does not say otherwise. -1 silences hdLogLoss(), too.
 */
void hdLogSetVerbosity(struct hdLogger *logger, const char *verbosity);

/**
 * Say that something that was asked for is not recorded, whatever the level is:
 * the user would find out too late. Once a process and logger, and where an MPI
 * launcher tells which process is the first of its host, in that one only; all
 * of them where more than the usual is asked for (*_VERBOSITY), none where -1
 * is.
 *
 * @param format What is not, why, and what helps.
 */
void hdLogLoss(struct hdLogger *logger, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/**
 * Gets what hdLogLoss() has to say, of all loggers, if not NULL; returns
 * whether it has taken it. Else it goes on as without.
 *
 * A library that holds others sets it before it calls them.
 */
extern bool (*hdLogLossTaker)(const char *text);

/** Whether this process is the first of its host, or nobody tells: launchers of
 *  MPI programs number the processes of each host. */
bool hdLogIsFirst(void);

/** Whether what this thread says is for debugging only: it was said before. */
extern __thread bool hdLogIsQuiet;

/** Print a message: "PREFIX: TEXT\n". */
void hdLog(const struct hdLogger *logger, enum hdLogLevel level,
	   const char *format, ...)
	__attribute__((__format__(__printf__, 3, 4)));

#endif
