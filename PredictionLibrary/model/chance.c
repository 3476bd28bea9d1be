/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random numbers by counters; see chance.h. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "PredictionLibrary/model/chance.h"

void hdPredictPhilox(const uint32_t counter[4], const uint32_t key[2],
		     uint32_t out[4])
{
	uint32_t k0 = key[0], k1 = key[1];

	memcpy(out, counter, 4 * sizeof(*out));
	for (int round = 0; round < 10; round++) {
		uint64_t a = UINT64_C(0xD2511F53) * out[0];
		uint64_t b = UINT64_C(0xCD9E8D57) * out[2];
		uint32_t second = out[1], fourth = out[3];

		out[0] = (uint32_t)(b >> 32) ^ second ^ k0;
		out[1] = (uint32_t)b;
		out[2] = (uint32_t)(a >> 32) ^ fourth ^ k1;
		out[3] = (uint32_t)a;
		k0 += 0x9E3779B9;
		k1 += 0xBB67AE85;
	}
}

static void chanceDraw(uint64_t seed, uint64_t first, uint64_t second,
		       uint32_t out[4])
{
	const uint32_t counter[] = { (uint32_t)second, (uint32_t)(second >> 32),
				     (uint32_t)first, (uint32_t)(first >> 32) };
	const uint32_t key[] = { (uint32_t)seed, (uint32_t)(seed >> 32) };

	hdPredictPhilox(counter, key, out);
}

uint32_t hdPredictDraw(uint64_t seed, uint64_t counter, uint32_t limit)
{
	uint32_t out[4];

	chanceDraw(seed, 0, counter, out);
	/* Of 64 bit; what it is off by does not matter. */
	return (uint32_t)((((uint64_t)out[0] << 32 | out[1]) >> 11) * 0x1p-53 *
			  limit);
}

uint64_t hdPredictCounter(const char *name, size_t length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)name[i]) *
		       UINT64_C(0x100000001b3);
	return hash;
}

void hdPredictNormal(uint64_t seed, uint64_t sample, uint64_t number,
		     double pair[2])
{
	uint32_t out[4];
	double u, v, length;

	chanceDraw(seed, sample, number, out);
	/* Box and Muller; u is never 0. */
	u = ((double)(((uint64_t)out[0] << 32 | out[1]) >> 11) + 0.5) * 0x1p-53;
	v = (double)(((uint64_t)out[2] << 32 | out[3]) >> 11) * 0x1p-53;
	length = sqrt(-2 * log(u));
	pair[0] = length * cos(2 * M_PI * v);
	pair[1] = length * sin(2 * M_PI * v);
}
