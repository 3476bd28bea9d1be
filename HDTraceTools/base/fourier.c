/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The transform of Cooley and Tukey, of powers of two.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/base/fourier.h"

/** Put the values in the order of their reversed bits. */
static void fourierReorder(double complex *values, size_t count)
{
	size_t other = 0;

	for (size_t i = 1; i < count; i++) {
		size_t bit = count / 2;

		for (; other & bit; bit /= 2)
			other ^= bit;
		other ^= bit;
		if (i < other) {
			double complex value = values[i];

			values[i] = values[other];
			values[other] = value;
		}
	}
}

void fourierTransform(double complex *values, size_t count, bool isInverse)
{
	double turn = isInverse ? 2 * M_PI : -2 * M_PI;

	fourierReorder(values, count);
	for (size_t half = 1; half < count; half *= 2) {
		for (size_t k = 0; k < half; k++) {
			double angle = turn * (double)k / (double)(2 * half);
			double complex factor = cos(angle) + I * sin(angle);

			for (size_t i = k; i < count; i += 2 * half) {
				double complex odd = factor * values[i + half];

				values[i + half] = values[i] - odd;
				values[i] += odd;
			}
		}
	}
}
