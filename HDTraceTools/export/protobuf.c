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

static void putVarint(GByteArray *out, uint64_t value)
{
	guint8 bytes[10];
	guint count = 0;

	do {
		bytes[count] = (guint8)(value & 0x7f);
		value >>= 7;
		bytes[count++] |= value ? 0x80 : 0;
	} while (value);
	g_byte_array_append(out, bytes, count);
}

static void putKey(GByteArray *out, unsigned int field, enum wireType type)
{
	putVarint(out, (uint64_t)field << 3 | type);
}

void pbNumber(GByteArray *out, unsigned int field, uint64_t value)
{
	putKey(out, field, WIRE_VARINT);
	putVarint(out, value);
}

void pbFixed64(GByteArray *out, unsigned int field, uint64_t value)
{
	uint64_t little = GUINT64_TO_LE(value);

	putKey(out, field, WIRE_FIXED64);
	g_byte_array_append(out, (const guint8 *)&little, sizeof(little));
}

void pbDouble(GByteArray *out, unsigned int field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	pbFixed64(out, field, bits);
}

void pbText(GByteArray *out, unsigned int field, const char *text)
{
	size_t length = strlen(text);

	putKey(out, field, WIRE_LENGTH);
	putVarint(out, length);
	g_byte_array_append(out, (const guint8 *)text, (guint)length);
}

void pbMessage(GByteArray *out, unsigned int field, const GByteArray *message)
{
	putKey(out, field, WIRE_LENGTH);
	putVarint(out, message->len);
	g_byte_array_append(out, message->data, message->len);
}
