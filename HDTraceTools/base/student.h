/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Intervals of means of few numbers.
 */
#ifndef HD_BASE_STUDENT_H
#define HD_BASE_STUDENT_H

/** Get the factor of Student's distribution for two-sided intervals of 95 %;
 *  NaN below one degree of freedom, which may be a fraction. */
double studentFactor(double freedom);

#endif
