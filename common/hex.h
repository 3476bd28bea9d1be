/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Bytes as text, in hexadecimal of lower case.
 */
#ifndef HD_HEX_H
#define HD_HEX_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Write four bytes as eight digits: all of them at a time, each digit in a
 * byte of a word. */
static inline char *hdHexPutFour(char *to, const unsigned char *bytes)
{
	uint64_t word, letters;
	uint32_t four;

	memcpy(&four, bytes, sizeof(four));
	word = le32toh(four);
	word = (word | word << 16) & UINT64_C(0x0000ffff0000ffff);
	word = (word | word << 8) & UINT64_C(0x00ff00ff00ff00ff);
	word = (word >> 4 & UINT64_C(0x000f000f000f000f)) |
	       (word << 8 & UINT64_C(0x0f000f000f000f00));
	letters = (word + UINT64_C(0x0606060606060606)) >> 4 &
		  UINT64_C(0x0101010101010101);
	word += UINT64_C(0x3030303030303030) + letters * ('a' - '0' - 10);
	word = htole64(word);
	memcpy(to, &word, sizeof(word));
	return to + sizeof(word);
}

/** Write bytes, two digits each; returns the end, where no zero byte is put. */
static inline char *hdHexPut(char *to, const unsigned char *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";

	for (; count >= 4; count -= 4, bytes += 4)
		to = hdHexPutFour(to, bytes);
	for (; count > 0; count--, bytes++) {
		*to++ = digits[*bytes >> 4];
		*to++ = digits[*bytes & 15];
	}
	return to;
}

#endif
