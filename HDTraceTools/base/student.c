/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Student's distribution; see student.h. */
#include "config.h"

#include <math.h>

#include "HDTraceTools/base/student.h"

#define STUDENT_LEVEL 0.95
#define STUDENT_STEPS 400
#define STUDENT_ROUNDS 50

/* The probability of [-t, t]: with t = sqrt(freedom) tan(a), the density of a
 * is proportional to cos(a) ^ (freedom - 1). By Simpson's rule. */
static double studentInside(double t, double freedom)
{
	double end = atan(t / sqrt(freedom));
	double step = end / STUDENT_STEPS;
	double scale = 2 / sqrt(M_PI) *
		       exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2));
	double sum = 0;

	for (int i = 0; i <= STUDENT_STEPS; i++) {
		double weight = i == 0 || i == STUDENT_STEPS ? 1
				: i % 2                      ? 4
							     : 2;

		sum += weight * pow(cos(i * step), freedom - 1);
	}
	return scale * sum * step / 3;
}

double studentFactor(double freedom)
{
	double low = 0, high = 20;

	if (!(freedom >= 1))
		return NAN;
	for (int i = 0; i < STUDENT_ROUNDS; i++) {
		double middle = (low + high) / 2;

		if (studentInside(middle, freedom) < STUDENT_LEVEL)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}
