/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Large quantities in text output, with an SI prefix: "54.79 kJ".
 *
 * CSV and JSON keep numbers and units unchanged.
 */
#ifndef HD_CLI_QUANTITY_H
#define HD_CLI_QUANTITY_H

#include "cli/output.h"

/** The unit that numbers of some size are shown in. */
struct quantityUnit {
	double factor; /**< To multiply numbers with. */
	char name[32]; /**< "kJ"; "" if the unit stays. */
};

/**
 * Choose a unit for numbers up to a size.
 *
 * @param largest In the unit without its prefix: 54789 of "J".
 * @param scale Of the unit that the numbers have: 1e-3 of "mW".
 * @param base The unit without its prefix; of those that take none, such as
 *        "%" or "s", and of numbers that are neither large nor small, the unit
 *        stays.
 */
struct quantityUnit quantityUnitFor(double largest, double scale,
				    const char *base);

/** Write a number in a unit that was chosen, without the unit. */
const char *quantityNumber(char *buffer, double number,
			   const struct quantityUnit *unit);

/**
 * Write a number whose error has a bound, with no more decimals than the bound
 * leaves: the bound has two significant digits.
 *
 * @param bound In the same unit; NaN if it is unknown.
 * @param[out] boundText The bound in the chosen unit, rounded up; "" if it is
 *        unknown or below the last digit of the number.
 */
const char *quantityBounded(char *buffer, char *boundText, double number,
			    double bound, const struct quantityUnit *unit);

/** Write a number in W, J or another such unit, with the unit. */
const char *quantityText(char *buffer, double number, const char *base);

#endif
