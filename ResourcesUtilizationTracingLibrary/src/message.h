/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file message.h
 * Messages on stderr, as far as RUT_VERBOSITY asks for them.
 */
#ifndef RUT_MESSAGE_H
#define RUT_MESSAGE_H

enum rutLevel {
	RUT_LEVEL_ERROR,
	RUT_LEVEL_WARNING,
	RUT_LEVEL_INFO,
	RUT_LEVEL_DEBUG,
};

/** Set the level from the value of RUT_VERBOSITY, or from NULL. */
void rutMessageSetLevel(const char *verbosity);

/** Print a message: "libRUT: TEXT\n". Leaves errno alone. */
void rutMessage(enum rutLevel level, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

#endif
