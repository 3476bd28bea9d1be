/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Writes messages in the encoding of Protocol Buffers.
 *
 * hdtrace export writes protobuf with a page of code of its own and no
 * library: it needs five kinds of fields, one packet at a time, and a
 * generator would be one more tool for everybody who builds. protoc reads
 * what it writes in a test, by the published numbers of fields.
 */
#ifndef HD_PROTOBUF_H
#define HD_PROTOBUF_H

#include <inttypes.h>
#include <glib.h>

/** Bytes of the longest number with its key, or of a key with a length. */
#define PB_NUMBER_MAX 20

/** Write a field of the type uint64, or the key and the length of one that has
 *  bytes; return where it ends. */
uint8_t *pbPutNumber(uint8_t *to, unsigned int field, uint64_t value);
uint8_t *pbPutLength(uint8_t *to, unsigned int field, size_t length);

/** A message that is put together. All zero, it is empty. */
struct pbBytes {
	uint8_t *data;
	size_t length;
	size_t room;
};

/** Forget what is in it; and the memory, too. */
static inline void pbEmpty(struct pbBytes *self)
{
	self->length = 0;
}
void pbFree(struct pbBytes *self);

/** Append a field of the type uint64, int64, bool or enum. */
void pbNumber(struct pbBytes *out, unsigned int field, uint64_t value);

/** Append a field of the type fixed64. */
void pbFixed64(struct pbBytes *out, unsigned int field, uint64_t value);

/** Append a field of the type double. */
void pbDouble(struct pbBytes *out, unsigned int field, double value);

/** Append a field of the type string. */
void pbText(struct pbBytes *out, unsigned int field, const char *text);

/** Append a message as a field of another. */
void pbMessage(struct pbBytes *out, unsigned int field,
	       const struct pbBytes *message);

#endif
