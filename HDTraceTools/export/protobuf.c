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

void pbNumber(GByteArray *out, unsigned int field, uint64_t value)
{
	uint8_t bytes[PB_NUMBER_MAX];
	uint8_t *end = pbPutNumber(bytes, field, value);

	g_byte_array_append(out, bytes, (guint)(end - bytes));
}

void pbFixed64(GByteArray *out, unsigned int field, uint64_t value)
{
	uint8_t bytes[PB_NUMBER_MAX];
	uint64_t little = GUINT64_TO_LE(value);
	uint8_t *end = putKey(bytes, field, WIRE_FIXED64);

	memcpy(end, &little, sizeof(little));
	g_byte_array_append(out, bytes, (guint)(end + sizeof(little) - bytes));
}

void pbDouble(GByteArray *out, unsigned int field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	pbFixed64(out, field, bits);
}

static void putBytes(GByteArray *out, unsigned int field, const void *bytes,
		     size_t length)
{
	uint8_t head[PB_NUMBER_MAX];
	uint8_t *end = pbPutLength(head, field, length);

	g_byte_array_append(out, head, (guint)(end - head));
	g_byte_array_append(out, bytes, (guint)length);
}

void pbText(GByteArray *out, unsigned int field, const char *text)
{
	putBytes(out, field, text, strlen(text));
}

void pbMessage(GByteArray *out, unsigned int field, const GByteArray *message)
{
	putBytes(out, field, message->data, message->len);
}
