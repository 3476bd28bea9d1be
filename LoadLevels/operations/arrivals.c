/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times at which operations arrive; see arrivals.h. */
#include "config.h"

#include <math.h>

#include "LoadLevels/operations/arrivals.h"

void hdLoadArrivalsBegin(struct hdLoadArrivals *self,
			 enum hdLoadArrivalsKind kind, uint64_t seed)
{
	*self = (struct hdLoadArrivals){ .kind = kind,
					 .state = seed,
					 .nextNs = INFINITY };
}

/* Uniform in ]0, 1]: splitmix64 (Steele, Lea, Flood, 2014). */
static double arrivalsUniform(struct hdLoadArrivals *self)
{
	uint64_t z = self->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return ((double)(z >> 11) + 1) / 9007199254740992.0;
}

static double arrivalsDistance(struct hdLoadArrivals *self)
{
	if (self->kind == HD_LOAD_ARRIVALS_FIXED)
		return self->meanNs;
	return -log(arrivalsUniform(self)) * self->meanNs;
}

void hdLoadArrivalsSetRate(struct hdLoadArrivals *self, double rate,
			   int64_t nowNs)
{
	self->meanNs = rate > 0 ? 1e9 / rate : INFINITY;
	self->nextNs =
		rate > 0 ? (double)nowNs + arrivalsDistance(self) : INFINITY;
}

void hdLoadArrivalsTake(struct hdLoadArrivals *self)
{
	self->nextNs += arrivalsDistance(self);
}
