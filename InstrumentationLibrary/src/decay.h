/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Powers and logarithms for decay and sampling, without libm: the library needs
 * libc only.
 */
#ifndef HD_PROBE_DECAY_H
#define HD_PROBE_DECAY_H

#include <stdint.h>
#include <string.h>

static inline double hdProbeFromBits(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline uint64_t hdProbeToBits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/** 2^-x for x >= 0, within 1e-14 of it; 0 from 1000 on. */
static inline double hdProbeHalve(double x)
{
	const double ln2 = 0.69314718055994530942;
	double term = 1, sum = 1, y;
	int whole;

	if (!(x < 1000))
		return 0;
	whole = (int)(x + 0.5);
	/* At most a half, so that the series ends soon. */
	y = ((double)whole - x) * ln2;
	for (int i = 1; i < 14; i++) {
		term *= y / i;
		sum += term;
	}
	return sum * hdProbeFromBits((uint64_t)(1023 - whole) << 52);
}

/** ln(x) of 0 < x < infinity, normal numbers, within 1e-12. */
static inline double hdProbeLog(double x)
{
	uint64_t bits = hdProbeToBits(x);
	int exponent = (int)(bits >> 52) - 1023;
	double m = hdProbeFromBits((bits & ((UINT64_C(1) << 52) - 1)) |
				   UINT64_C(1023) << 52);
	double z, power, sum = 0;

	if (m > 1.41421356) {
		m /= 2;
		exponent++;
	}
	/* ln(m) = 2 artanh((m - 1) / (m + 1)) */
	z = (m - 1) / (m + 1);
	power = z;
	for (int i = 1; i < 30; i += 2) {
		sum += power / i;
		power *= z * z;
	}
	return 2 * sum + exponent * 0.69314718055994530942;
}

#endif
