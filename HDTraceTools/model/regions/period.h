/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Finds what a program does again and again by a value over time, such as its
 * power: where no states tell it.
 */
#ifndef HD_PERIOD_H
#define HD_PERIOD_H

#include <stdint.h>

#include <glib.h>

/** Of more samples than these, two become one; 24 bytes each. */
#define PERIOD_SAMPLES (1 << 15)

struct period;

/** Start with no samples. */
struct period *periodNew(void);

/** Free it; NULL does nothing. */
void periodFree(struct period *self);

/** Note the value of ]start, end], in the order of time; NaN: not known. */
void periodNote(struct period *self, int64_t start, int64_t end, double value);

/**
 * Find repetitions that take at least half of the time.
 *
 * @param[out] strength Autocorrelation at the period, from 0 to 1; 0 if there
 *        are none.
 * @param[out] part What is periodic of the value, from 0 to 1: its standard
 *        deviation by the sum of this and the mean.
 *
 * @return Array of struct iteration; none if there are fewer than three.
 */
GArray *periodFind(const struct period *self, double *strength, double *part);

#endif
