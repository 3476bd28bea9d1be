/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: a list of hints as bytes, as doc/format says they are. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <hdRelation.h>
#include "tests/fuzz/fuzz.h"

/** A hint, as the bytes have it. */
struct hint {
	const uint8_t *key;
	size_t keyLength;
	const uint8_t *value;
	size_t length;
};

/** Whether a list before has the key. */
static bool isTwice(const struct hint *hints, size_t number)
{
	for (size_t i = 0; i < number; i++)
		if (hints[i].keyLength == hints[number].keyLength &&
		    memcmp(hints[i].key, hints[number].key,
			   hints[i].keyLength) == 0)
			return true;
	return false;
}

/** Read them by the format page; their number, or -1 where they are none. */
static int readHints(const uint8_t *data, size_t size, struct hint *hints)
{
	size_t at = 5;

	if (size < at || memcmp(data, "HDh1", 4) != 0 ||
	    data[4] > HDR_MAX_HINTS)
		return -1;
	for (size_t i = 0; i < data[4]; i++) {
		struct hint *hint = &hints[i];

		if (size - at < 3)
			return -1;
		hint->keyLength = data[at];
		hint->length = (size_t)data[at + 1] * 256 + data[at + 2];
		at += 3;
		if (size - at < hint->keyLength + hint->length)
			return -1;
		hint->key = data + at;
		hint->value = hint->key + hint->keyLength;
		at += hint->keyLength + hint->length;
		if (hint->keyLength == 0 ||
		    hint->length > HDR_MAX_HINT_LENGTH ||
		    memchr(hint->key, '\0', hint->keyLength) ||
		    isTwice(hints, i))
			return -1;
	}
	return at == size ? data[4] : -1;
}

/** What was read is what the bytes have. */
static void compare(const hdR_hints *list, const struct hint *hints, int count)
{
	for (int i = 0; i < count; i++) {
		char key[HDR_MAX_HINT_KEY_LENGTH + 1];
		const void *value;
		size_t length;

		memcpy(key, hints[i].key, hints[i].keyLength);
		key[hints[i].keyLength] = '\0';
		value = hdR_getHint(list, key, &length);
		must(value && length == hints[i].length &&
		     memcmp(value, hints[i].value, length) == 0 &&
		     ((const char *)value)[length] == '\0');
	}
}

/** Bytes are made of it again, and none is written where they do not fit. */
static void encode(const hdR_hints *list, const uint8_t *data, size_t size)
{
	uint8_t *bytes = malloc(size + 1);

	must(bytes != NULL);
	bytes[size] = 0x5a;
	must(hdR_encodeHints(list, NULL, 0) == size);
	if (size > 0)
		memset(bytes, 0xa5, size);
	must(hdR_encodeHints(list, bytes, size - 1) == size);
	must(bytes[0] == 0xa5 && bytes[size - 1] == 0xa5);
	must(hdR_encodeHints(list, bytes, size) == size);
	must(memcmp(bytes, data, size) == 0 && bytes[size] == 0x5a);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hint hints[HDR_MAX_HINTS];
	/* Of its own size, so that reading beyond it is seen. */
	uint8_t *copy = calloc(size ? size : 1, 1);
	int count = readHints(data, size, hints);
	hdR_hints *list = (void *)1;
	int ret;

	must(copy != NULL);
	if (size > 0)
		memcpy(copy, data, size);
	errno = 0;
	ret = hdR_decodeHints(&list, copy, size);
	free(copy);
	must(ret == (count < 0 ? -1 : 0));
	must(count > 0 ? list != NULL : list == NULL);
	must((errno == 0) == (ret == 0));
	if (ret == 0) {
		compare(list, hints, count);
		encode(list, data, size);
	}
	hdR_freeHints(&list);
	must(list == NULL);
	return 0;
}
