/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Values of entries as numbers, and what their types are.
 */
#ifndef HD_COLUMN_H
#define HD_COLUMN_H

#include <math.h>
#include <stdbool.h>

#include <hdReading.h>

/** Whether an integer stands for "no value". */
static inline bool columnIsMissing(const hdIValue *value,
				   const hdIColumn *column, size_t entry)
{
	if (!value->hasMissing)
		return false;
	switch (value->type) {
	case HDI_INT32:
		return column->int32[entry] == value->missing;
	case HDI_INT64:
		return column->int64[entry] == value->missing;
	case HDI_UINT64:
		return column->uint64[entry] == (uint64_t)value->missing;
	default:
		return false;
	}
}

/** The type of a value in formats whose integers cannot say "no value". */
static inline hdIType columnPlainType(const hdIValue *value)
{
	return value->hasMissing ? HDI_DOUBLE : value->type;
}

/** Get a value as a double, rounded if need be; NaN for a string and
 *  where there is no value. */
static inline double columnNumber(const hdIValue *value,
				  const hdIColumn *column, size_t entry)
{
	if (columnIsMissing(value, column, entry))
		return NAN;
	switch (value->type) {
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
