/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * UTF-8 of strings that hold any bytes.
 */
#include "config.h"

#include <errno.h>
#include <glib.h>

#include "HDTraceTools/tables/utf8.h"

/** U+FFFD */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/** Number of bytes at the beginning that are UTF-8; zero bytes are. */
static size_t utf8Length(const char *text, size_t length)
{
	size_t at = 0;
	const char *end;

	while (at < length &&
	       !g_utf8_validate(text + at, (gssize)(length - at), &end)) {
		at = (size_t)(end - text);
		if (*end != '\0')
			return at;
		at++;
	}
	return length;
}

bool tableUtf8IsValid(const char *bytes, const int32_t *offsets, size_t rows)
{
	for (size_t i = 0; i < rows; i++) {
		size_t length = (size_t)(offsets[i + 1] - offsets[i]);

		if (utf8Length(bytes + offsets[i], length) != length)
			return false;
	}
	return true;
}

static int utf8Add(struct tableVector *vector, const char *text, size_t length)
{
	int ret = 0;

	while (ret == 0 && length > 0) {
		size_t good = utf8Length(text, length);

		ret = tableVectorAdd(vector, text, good);
		text += good;
		length -= good;
		if (ret < 0 || length == 0)
			break;
		ret = tableVectorAdd(vector, UTF8_REPLACEMENT,
				     strlen(UTF8_REPLACEMENT));
		text++;
		length--;
	}
	return ret;
}

int tableUtf8Repair(const char *bytes, const int32_t *offsets, size_t rows,
		    struct tableMemory **newBytes,
		    struct tableMemory **newOffsets)
{
	struct tableVector text = { .bytes = NULL };
	struct tableVector ends = { .bytes = NULL };
	int32_t end = 0;
	int ret = tableVectorAdd(&ends, &end, sizeof(end));

	for (size_t i = 0; ret == 0 && i < rows; i++) {
		ret = utf8Add(&text, bytes + offsets[i],
			      (size_t)(offsets[i + 1] - offsets[i]));
		if (ret == 0 && text.used > INT32_MAX)
			ret = -EFBIG;
		end = (int32_t)text.used;
		if (ret == 0)
			ret = tableVectorAdd(&ends, &end, sizeof(end));
	}
	*newBytes = ret == 0 ? tableVectorFinish(&text) : NULL;
	*newOffsets = *newBytes ? tableVectorFinish(&ends) : NULL;
	if (!*newOffsets) {
		tableMemoryDrop(*newBytes);
		*newBytes = NULL;
		ret = ret < 0 ? ret : -ENOMEM;
	}
	tableVectorFree(&text);
	tableVectorFree(&ends);
	return ret;
}
