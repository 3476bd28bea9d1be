/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Writes messages in the encoding of Protocol Buffers
 * (https://protobuf.dev/programming-guides/encoding).
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/export/protobuf.h"

/** How a field is encoded, in the low bits of its key. */
enum wireType {
	WIRE_VARINT = 0,
	WIRE_FIXED64 = 1,
	WIRE_LENGTH = 2,
};

static uint8_t *putVarint(uint8_t *to, uint64_t value)
{
	while (value >= 0x80) {
		*to++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*to++ = (uint8_t)value;
	return to;
}

static uint8_t *putKey(uint8_t *to, unsigned int field, enum wireType type)
{
	return putVarint(to, (uint64_t)field << 3 | type);
}

uint8_t *pbPutNumber(uint8_t *to, unsigned int field, uint64_t value)
{
	return putVarint(putKey(to, field, WIRE_VARINT), value);
}

uint8_t *pbPutLength(uint8_t *to, unsigned int field, size_t length)
{
	return putVarint(putKey(to, field, WIRE_LENGTH), length);
}

void pbFree(struct pbBytes *self)
{
	g_free(self->data);
	*self = (struct pbBytes){ .data = NULL };
}

/** Get room for so many bytes more; where they begin. */
static inline uint8_t *pbReserve(struct pbBytes *out, size_t length)
{
	if (out->room - out->length < length) {
		out->room = MAX(2 * out->room, out->length + length + 256);
		out->data = g_realloc(out->data, out->room);
	}
	return out->data + out->length;
}

static inline void setEnd(struct pbBytes *out, const uint8_t *end)
{
	out->length = (size_t)(end - out->data);
}

void pbNumber(struct pbBytes *out, unsigned int field, uint64_t value)
{
	setEnd(out, pbPutNumber(pbReserve(out, PB_NUMBER_MAX), field, value));
}

void pbFixed64(struct pbBytes *out, unsigned int field, uint64_t value)
{
	uint64_t little = GUINT64_TO_LE(value);
	uint8_t *end =
		putKey(pbReserve(out, PB_NUMBER_MAX), field, WIRE_FIXED64);

	memcpy(end, &little, sizeof(little));
	setEnd(out, end + sizeof(little));
}

void pbDouble(struct pbBytes *out, unsigned int field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	pbFixed64(out, field, bits);
}

static void pbPutBytes(struct pbBytes *out, unsigned int field,
		       const void *bytes, size_t length)
{
	uint8_t *end = pbPutLength(pbReserve(out, PB_NUMBER_MAX + length),
				   field, length);

	if (length)
		memcpy(end, bytes, length);
	setEnd(out, end + length);
}

void pbText(struct pbBytes *out, unsigned int field, const char *text)
{
	pbPutBytes(out, field, text, strlen(text));
}

void pbMessage(struct pbBytes *out, unsigned int field,
	       const struct pbBytes *message)
{
	pbPutBytes(out, field, message->data, message->length);
}
