/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The names of the types of values.
 */
#include "config.h"

#include "HDTraceTools/model/column.h"

const char *columnTypeName(hdIType type)
{
	static const char *const names[] = {
		[HDI_INT32] = "INT32",   [HDI_INT64] = "INT64",
		[HDI_UINT64] = "UINT64", [HDI_FLOAT] = "FLOAT",
		[HDI_DOUBLE] = "DOUBLE", [HDI_STRING] = "STRING",
	};

	return names[type];
}
