/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The types of values.
 */
#include "config.h"

#include "HDTraceTools/model/column.h"

static const struct {
	const char *name;
	size_t bytes;
} columnTypes[] = {
	[HDI_INT32] = { "INT32", 4 },   [HDI_INT64] = { "INT64", 8 },
	[HDI_UINT64] = { "UINT64", 8 }, [HDI_FLOAT] = { "FLOAT", 4 },
	[HDI_DOUBLE] = { "DOUBLE", 8 }, [HDI_STRING] = { "STRING", 2 },
};

const char *columnTypeName(hdIType type)
{
	return columnTypes[type].name;
}

size_t columnBytes(hdIType type)
{
	return columnTypes[type].bytes;
}
