/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Random numbers that are a function of a seed and of counters: any order and
 * any number of threads gives the same.
 *
 * Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
 * easy as 1, 2, 3", SC 2011.
 */
#ifndef HD_PREDICT_CHANCE_H
#define HD_PREDICT_CHANCE_H

#include <stddef.h>
#include <stdint.h>

/** Get four random words for a counter of four words and a key of two. */
void hdPredictPhilox(const uint32_t counter[4], const uint32_t key[2],
		     uint32_t out[4]);

/** Draw a number from 0 to below @p limit, which is not 0. */
uint32_t hdPredictDraw(uint64_t seed, uint64_t counter, uint32_t limit);

/** Counter of a name: its 64 bit hash, FNV-1a. */
uint64_t hdPredictCounter(const char *name, size_t length);

/** Draw two independent numbers of the standard normal distribution.
 *  @param sample First counter.
 *  @param number Second counter. */
void hdPredictNormal(uint64_t seed, uint64_t sample, uint64_t number,
		     double out[2]);

#endif
