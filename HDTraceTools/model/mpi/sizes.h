/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Sizes of messages: sum, range, median and histogram.
 */
#ifndef HD_SIZES_H
#define HD_SIZES_H

#include <stdbool.h>
#include <inttypes.h>
#include <glib.h>

/** Bins of a histogram by powers of two: 0, then 1, 2 to 3, 4 to 7, ... */
#define SIZES_BINS 64

/** So many different sizes are kept as they are. */
#define SIZES_EXACT 4096

struct sizes {
	uint64_t count;   /**< Messages whose size is known. */
	uint64_t unknown; /**< Further ones. */
	__int128 sum;
	int64_t min; /**< Of these, if there are any. */
	int64_t max;
	uint64_t bins[SIZES_BINS];
	/** Size to how many (uint64_t); beyond SIZES_EXACT different sizes
	 * these are rounded down to 8 significant bits. */
	GHashTable *each;
	bool isRounded;
};

void sizesInit(struct sizes *sizes);

/** Free what is in it. */
void sizesClear(struct sizes *sizes);

/** Add a size; a negative one is not known. */
void sizesAdd(struct sizes *sizes, int64_t size);

/** The median; the mean of the middle two if there is an even number. NaN if
 * there are none. */
double sizesMedian(const struct sizes *sizes);

/** The least size of a bin. */
int64_t sizesBinStart(int bin);

#endif
