/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What comes of bytes that are taken apart, to be compared: the same must come
 * of them however they are divided.
 */
#ifndef TESTS_FUZZ_OUTCOME_H
#define TESTS_FUZZ_OUTCOME_H

#include <string.h>

#include "tests/fuzz/fuzz.h"

/** What came of it, as far as it fits. */
struct outcome {
	size_t length;
	unsigned char bytes[1 << 20];
};

static inline void note(struct outcome *outcome, const void *bytes,
			size_t length)
{
	if (length > sizeof(outcome->bytes) - outcome->length)
		length = sizeof(outcome->bytes) - outcome->length;
	memcpy(outcome->bytes + outcome->length, bytes, length);
	outcome->length += length;
}

static inline void mustBeSame(const struct outcome *one,
			      const struct outcome *other)
{
	must(one->length == other->length &&
	     memcmp(one->bytes, other->bytes, one->length) == 0);
}

#endif
