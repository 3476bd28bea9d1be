/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Bytes as tests of protocols write them.
 */
#ifndef HEXBYTES_H
#define HEXBYTES_H

#include <glib.h>

/** Turn "01 0203" into bytes, and return their number; blanks are skipped. */
static inline size_t hexBytes(const char *hex, unsigned char *bytes)
{
	size_t length = 0;

	for (; *hex; hex++) {
		if (*hex == ' ')
			continue;
		bytes[length++] =
			(unsigned char)(16 * g_ascii_xdigit_value(hex[0]) +
					g_ascii_xdigit_value(hex[1]));
		hex++;
	}
	return length;
}

#endif
