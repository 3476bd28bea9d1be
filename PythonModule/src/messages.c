/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Diagnostics of reading.
 */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "PythonModule/src/messages.h"

/** Make room for one more; false without memory. */
static bool messagesGrow(struct hdPyMessages *messages)
{
	size_t size = messages->size ? 2 * messages->size : 4;
	hdIMessage *list;

	if (messages->count < messages->size)
		return true;
	list = realloc(messages->list, size * sizeof(*list));
	if (!list)
		return false;
	messages->list = list;
	messages->size = size;
	return true;
}

void hdPyMessagesTake(const hdIMessage *message, void *data)
{
	struct hdPyMessages *messages = data;
	char *file, *text;

	if (messages->count == HDPY_MESSAGES_MAX || !messagesGrow(messages))
		return;
	file = strdup(message->file ? message->file : "");
	text = strdup(message->text);
	if (!file || !text) {
		free(file);
		free(text);
		return;
	}
	messages->list[messages->count] = *message;
	messages->list[messages->count].file = file;
	messages->list[messages->count].text = text;
	messages->count++;
}

void hdPyMessagesFree(struct hdPyMessages *messages)
{
	for (size_t i = 0; i < messages->count; i++) {
		free((char *)messages->list[i].file);
		free((char *)messages->list[i].text);
	}
	free(messages->list);
	*messages = (struct hdPyMessages){ .list = NULL };
}
