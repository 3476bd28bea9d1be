/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Diagnostics of reading, kept until the interpreter may be used.
 */
#ifndef HD_PYTHON_MESSAGES_H
#define HD_PYTHON_MESSAGES_H

#include <hdReading.h>

/** Most diagnostics of one file that are kept. */
#define HDPY_MESSAGES_MAX 10000

/** A list of diagnostics; all zero is empty. */
struct hdPyMessages {
	hdIMessage *list; /**< Their texts belong to the list. */
	size_t count;
	size_t size;
};

/** Keep a diagnostic; hdIMessageHandler, @p data is the list. One for which
 * there is no memory is dropped. */
void hdPyMessagesTake(const hdIMessage *message, void *data);

/** Free the list. */
void hdPyMessagesFree(struct hdPyMessages *messages);

#endif
