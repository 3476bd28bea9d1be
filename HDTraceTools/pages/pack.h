/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Columns of numbers as few bytes, for the viewer.
 *
 * A part is a zlib stream; inside are columns, one after another, little
 * endian:
 *
 *     column := kind COUNT payload
 *     COUNT  := u32
 *     kind   := 'c' BASE                 COUNT times the same integer
 *             | 'i' WIDTH BASE planes    integers: BASE plus an offset
 *             | 'd' planes | 'f' planes  doubles, floats
 *             | 'b' bytes                COUNT bytes
 *     BASE   := i64
 *     WIDTH  := u8, bytes of an offset: 1, 2, 4 or 8; unsigned
 *     planes := the first byte of all numbers, then the second of all, ...
 *
 * 'C' and 'I' are as 'c' and 'i' with an unsigned BASE. The bytes of numbers
 * that are alike are alike in planes, which is what makes them small.
 * viewer/src/data/codec/codec.js reads this.
 */
#ifndef HD_PACK_H
#define HD_PACK_H

#include <inttypes.h>
#include <glib.h>

/** Append a column of integers. */
void packIntegers(GByteArray *out, const int64_t *values, size_t count);
void packUnsigned(GByteArray *out, const uint64_t *values, size_t count);

/** Append a column of floating point numbers. */
void packFloats(GByteArray *out, const float *values, size_t count);
void packDoubles(GByteArray *out, const double *values, size_t count);

/** Append bytes as they are. */
void packBytes(GByteArray *out, const void *bytes, size_t size);

/** Make a part of columns: @p out is replaced. */
void packFinish(GByteArray *out, const GByteArray *columns);

#endif
