/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Columns of numbers as few bytes, for the viewer.
 */
#include "config.h"

#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#include "HDTraceTools/pages/pack.h"

static void packPutNumber(GByteArray *out, uint64_t value, unsigned int width)
{
	for (unsigned int i = 0; i < width; i++) {
		guint8 byte = (guint8)(value >> 8 * i);

		g_byte_array_append(out, &byte, 1);
	}
}

static void packPutHead(GByteArray *out, char kind, size_t count)
{
	packPutNumber(out, (guint8)kind, 1);
	packPutNumber(out, count, 4);
}

/** Make room for a column at the end. */
static guint8 *putPlanes(GByteArray *out, size_t count, unsigned int width)
{
	guint start = out->len;

	g_byte_array_set_size(out, start + (guint)(count * width));
	return out->data + start;
}

static unsigned int packWidthOf(uint64_t range)
{
	if (range <= UINT8_MAX)
		return 1;
	if (range <= UINT16_MAX)
		return 2;
	return range <= UINT32_MAX ? 4 : 8;
}

/** Signed integers have the same bits, and differences, as unsigned ones. */
static void putIntegers(GByteArray *out, const uint64_t *values, size_t count,
			uint64_t base, uint64_t range, bool isUnsigned)
{
	unsigned int width = packWidthOf(range);
	guint8 *plane;

	packPutHead(out,
		    range == 0 ? (isUnsigned ? 'C' : 'c')
			       : (isUnsigned ? 'I' : 'i'),
		    count);
	if (range)
		packPutNumber(out, width, 1);
	packPutNumber(out, base, 8);
	if (range == 0)
		return;
	plane = putPlanes(out, count, width);
	for (unsigned int k = 0; k < width; k++, plane += count) {
		for (size_t i = 0; i < count; i++)
			plane[i] = (guint8)((values[i] - base) >> 8 * k);
	}
}

void packIntegers(GByteArray *out, const int64_t *values, size_t count)
{
	int64_t min = count ? values[0] : 0;
	int64_t max = min;

	for (size_t i = 1; i < count; i++) {
		min = MIN(min, values[i]);
		max = MAX(max, values[i]);
	}
	putIntegers(out, (const uint64_t *)values, count, (uint64_t)min,
		    (uint64_t)max - (uint64_t)min, false);
}

void packUnsigned(GByteArray *out, const uint64_t *values, size_t count)
{
	uint64_t min = count ? values[0] : 0;
	uint64_t max = min;

	for (size_t i = 1; i < count; i++) {
		min = MIN(min, values[i]);
		max = MAX(max, values[i]);
	}
	putIntegers(out, values, count, min, max - min, true);
}

void packFloats(GByteArray *out, const float *values, size_t count)
{
	guint8 *plane;

	packPutHead(out, 'f', count);
	plane = putPlanes(out, count, 4);
	for (size_t i = 0; i < count; i++) {
		uint32_t bits;

		memcpy(&bits, &values[i], sizeof(bits));
		for (unsigned int k = 0; k < 4; k++)
			plane[k * count + i] = (guint8)(bits >> 8 * k);
	}
}

void packDoubles(GByteArray *out, const double *values, size_t count)
{
	guint8 *plane;

	packPutHead(out, 'd', count);
	plane = putPlanes(out, count, 8);
	for (size_t i = 0; i < count; i++) {
		uint64_t bits;

		memcpy(&bits, &values[i], sizeof(bits));
		for (unsigned int k = 0; k < 8; k++)
			plane[k * count + i] = (guint8)(bits >> 8 * k);
	}
}

void packBytes(GByteArray *out, const void *bytes, size_t size)
{
	packPutHead(out, 'b', size);
	g_byte_array_append(out, bytes, (guint)size);
}

void packFinish(GByteArray *out, const GByteArray *columns)
{
	uLongf size = compressBound(columns->len);
	int ret;

	g_byte_array_set_size(out, (guint)size);
	/* Planes are easy: more effort takes longer and gains little. */
	ret = compress2(out->data, &size, columns->data, columns->len, 4);
	if (ret != Z_OK)
		g_error("zlib: %s", zError(ret)); /* no memory */
	g_byte_array_set_size(out, (guint)size);
}
