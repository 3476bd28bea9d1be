/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The discrete Fourier transform.
 */
#ifndef HD_BASE_FOURIER_H
#define HD_BASE_FOURIER_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

/** Transform so many values in place, which is a power of two; the inverse
 *  transform is not divided by their number. */
void fourierTransform(double complex *values, size_t count, bool isInverse);

#endif
