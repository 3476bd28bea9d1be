/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A value as it was read.
 */
#ifndef HD_CELL_H
#define HD_CELL_H

#include <math.h>
#include <stdint.h>

#include <hdStats.h>

/** A value; which member counts is said by its type. */
union hdCell {
	float f;
	double d;
	int64_t i;
};

/** The integer that stands for "no value"; floating-point numbers have NaN. */
#define HD_CELL_MISSING INT64_MIN

/** No value of a type. */
static inline union hdCell hdCellMissing(hdStatsValueType type)
{
	union hdCell cell = { .i = HD_CELL_MISSING };

	if (type == FLOAT)
		cell.f = NAN;
	else if (type == DOUBLE)
		cell.d = NAN;
	return cell;
}

/** Get a value as a number, rounded if need be; NaN for no value. */
static inline double hdCellNumber(hdStatsValueType type, union hdCell cell)
{
	switch (type) {
	case FLOAT:
		return (double)cell.f;
	case INT64:
		return cell.i == HD_CELL_MISSING ? (double)NAN : (double)cell.i;
	default:
		return cell.d;
	}
}

#endif
