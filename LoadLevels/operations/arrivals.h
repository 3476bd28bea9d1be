/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Times at which operations arrive, as in SPECpower: at a fixed distance, or
 * with exponentially distributed distances (a Poisson process).
 */
#ifndef HD_LOAD_ARRIVALS_H
#define HD_LOAD_ARRIVALS_H

#include <stdint.h>

/** How operations arrive. */
enum hdLoadArrivalsKind {
	HD_LOAD_ARRIVALS_NONE, /**< As the pace of the load needs. */
	HD_LOAD_ARRIVALS_EXPONENTIAL,
	HD_LOAD_ARRIVALS_FIXED,
};

/** A stream of arrivals. */
struct hdLoadArrivals {
	enum hdLoadArrivalsKind kind;
	uint64_t state;
	double meanNs;
	double nextNs; /**< When the next operation arrives. */
};

/** Begin a stream. @param seed Any number; the same gives the same times. */
void hdLoadArrivalsBegin(struct hdLoadArrivals *self,
			 enum hdLoadArrivalsKind kind, uint64_t seed);

/** Set the rate per second from a time on; 0: nothing arrives. */
void hdLoadArrivalsSetRate(struct hdLoadArrivals *self, double rate,
			   int64_t nowNs);

/** Take the next operation, and compute when the one after it arrives. */
void hdLoadArrivalsTake(struct hdLoadArrivals *self);

#endif
