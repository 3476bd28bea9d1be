/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Pseudo-random sequences of on and off: maximum length sequences.
 *
 * One of order n repeats itself after 2^n - 1 steps and not before; 2^(n-1) of
 * these are on. It is like itself at no other shift: so what follows it late is
 * found at one lateness only.
 */
#ifndef HD_LOAD_SEQUENCE_H
#define HD_LOAD_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

/** Orders that there are. */
#define HD_LOAD_ORDER_MIN 2
#define HD_LOAD_ORDER_MAX 20

/** Where a sequence is. */
struct hdLoadSequence {
	uint32_t state;
	uint32_t taps;
	unsigned int order;
};

/**
 * Begin a sequence.
 *
 * @param seed Where in the sequence of this order it begins; any number.
 *
 * @retval 0 Success.
 * @retval -EINVAL There is no such order.
 */
int hdLoadSequenceBegin(struct hdLoadSequence *sequence, unsigned int order,
			uint32_t seed);

/** The next step: on or off. */
bool hdLoadSequenceNext(struct hdLoadSequence *sequence);

/** Steps until it repeats itself. */
static inline uint32_t hdLoadSequenceLength(unsigned int order)
{
	return (UINT32_C(1) << order) - 1;
}

#endif
