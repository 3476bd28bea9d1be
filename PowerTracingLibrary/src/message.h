/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file message.h
 * Messages of libPT: "pt: TEXT" on stderr, as PT_VERBOSITY asks, or where the
 * pt command wants them.
 */
#ifndef PT_MESSAGE_H
#define PT_MESSAGE_H

/** Levels of PT_VERBOSITY (thesis section 4.3.5). */
enum ptLevel {
	PT_LEVEL_NONE = -1,
	PT_LEVEL_ERROR,
	PT_LEVEL_WARNING,
	PT_LEVEL_INFO,
	PT_LEVEL_DEBUG,
};

/** Set the level from PT_VERBOSITY. */
void ptMessageInit(void);

/** Say something; leaves errno alone. */
void ptMessage(enum ptLevel level, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

#endif
