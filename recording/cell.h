/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A value as it was read.
 */
#ifndef HD_CELL_H
#define HD_CELL_H

#include <stdint.h>

#include <hdStats.h>

/** A value; which member counts is said by its type. */
union hdCell {
	float f;
	double d;
	int64_t i;
};

/** Get a value as a number, rounded if need be. */
static inline double hdCellNumber(hdStatsValueType type, union hdCell cell)
{
	switch (type) {
	case FLOAT:
		return (double)cell.f;
	case INT64:
		return (double)cell.i;
	default:
		return cell.d;
	}
}

#endif
