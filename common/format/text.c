/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A growing piece of text; see text.h. */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/format/text.h"

int hdTextGrow(struct hdText *text, size_t more)
{
	size_t size = text->size ? text->size : 128;
	int saved = errno;
	char *bytes;

	if (more > SIZE_MAX / 4 - text->used)
		return -ENOMEM;
	while (size < text->used + more)
		size *= 2;
	bytes = realloc(text->bytes, size + HD_TEXT_PIECE);
	errno = saved;
	if (!bytes)
		return -ENOMEM;
	text->bytes = bytes;
	text->size = size;
	return 0;
}

int hdTextAdd(struct hdText *text, const char *string)
{
	size_t length = strlen(string);
	int ret = hdTextRoom(text, length);

	if (ret == 0 && length > 0)
		hdTextPut(text, string, length);
	return ret;
}

int hdTextPrintf(struct hdText *text, const char *format, va_list arguments)
{
	size_t guess = 256;

	for (;;) {
		va_list copy;
		int length;
		int ret = hdTextRoom(text, guess);

		if (ret < 0)
			return ret;
		va_copy(copy, arguments);
		length = vsnprintf(text->bytes + text->used, guess, format,
				   copy);
		va_end(copy);
		if (length < 0)
			return -EINVAL;
		if ((size_t)length < guess) {
			text->used += (size_t)length;
			return 0;
		}
		guess = (size_t)length + 1;
	}
}

void hdTextClear(struct hdText *text)
{
	free(text->bytes);
	text->bytes = NULL;
	text->used = 0;
	text->size = 0;
}
