/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Values of entries as numbers, and what their types are.
 */
#ifndef HD_COLUMN_H
#define HD_COLUMN_H

#include <math.h>

#include <hdReading.h>

/** Get a value as a double, rounded if need be; NaN for a string. */
static inline double columnNumber(const hdIColumn *column, hdIType type,
				  size_t entry)
{
	switch (type) {
	case HDI_INT32:
		return column->int32[entry];
	case HDI_INT64:
		return (double)column->int64[entry];
	case HDI_UINT64:
		return (double)column->uint64[entry];
	case HDI_FLOAT:
		return (double)column->float32[entry];
	case HDI_DOUBLE:
		return column->float64[entry];
	case HDI_STRING:
		break;
	}
	return NAN;
}

/** Name of a type as in a header. */
const char *columnTypeName(hdIType type);

/** Bytes of a value in a file; of a string those of its length. */
size_t columnBytes(hdIType type);

#endif
