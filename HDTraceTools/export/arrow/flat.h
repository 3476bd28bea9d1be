/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Writing FlatBuffers, as far as metadata of Arrow needs them: tables, texts,
 * and vectors.
 *
 * A buffer is made from its end to its beginning, so that what an offset points
 * to exists when the offset is written. A place is the number of bytes from
 * there to the end (https://flatbuffers.dev/internals/).
 */
#ifndef HD_EXPORT_FLAT_H
#define HD_EXPORT_FLAT_H

#include <stddef.h>
#include <stdint.h>

/** Most fields of a table. */
#define FLAT_FIELDS 8

/** A buffer; all zero is empty. */
struct flat {
	unsigned char *bytes;
	size_t size;
	size_t used; /**< Bytes at the end that are written. */
};

/** A field of a table. */
struct flatField {
	enum {
		FLAT_ABSENT, /**< It has the default value. */
		FLAT_8 = 1,
		FLAT_16 = 2,
		FLAT_32 = 4,
		FLAT_64 = 8,
		FLAT_OFFSET, /**< To a place. */
	} kind;
	uint64_t value;
};

void flatFree(struct flat *self);

/** Write a text, and return its place. What is not UTF-8 becomes U+FFFD. */
size_t flatText(struct flat *self, const char *text);

/** Write a vector of offsets to places; returns its place. */
size_t flatOffsets(struct flat *self, const size_t *places, size_t count);

/** Write a vector of structures of 64-bit numbers, each of which has @p width
 *  numbers; returns its place. */
size_t flatStructs(struct flat *self, const uint64_t *numbers, size_t count,
		   size_t width);

/** Write a table whose fields are numbered from 0; returns its place. */
size_t flatTable(struct flat *self, const struct flatField *fields,
		 size_t count);

/** Write the beginning, which points to the outermost table.
 *
 * @return The buffer, which has self->used bytes, a multiple of 8. */
const unsigned char *flatFinish(struct flat *self, size_t root);

#endif
