/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Strings of statistics hold any bytes; those of Arrow hold UTF-8.
 */
#ifndef HD_TABLES_UTF8_H
#define HD_TABLES_UTF8_H

#include <stdbool.h>
#include <stdint.h>

#include "HDTraceTools/tables/memory.h"

/** Whether all texts of a column are UTF-8. */
bool tableUtf8IsValid(const char *bytes, const int32_t *offsets, size_t rows);

/**
 * Copy texts; each byte that is no part of UTF-8 becomes U+FFFD.
 *
 * @retval 0 Success; both blocks are set.
 * @retval -ENOMEM No memory.
 * @retval -EFBIG The result has 2 GiB or more.
 */
int tableUtf8Repair(const char *bytes, const int32_t *offsets, size_t rows,
		    struct tableMemory **newBytes,
		    struct tableMemory **newOffsets);

#endif
