/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maximum length sequences by shift registers; see sequence.h. */
#include "config.h"

#include <errno.h>
#include <stddef.h>

#include "LoadLevels/cpu/sequence.h"

#define BIT(n) (UINT32_C(1) << ((n)-1))

/* A primitive polynomial of each order: the powers of x that it has, but 1. */
static const uint32_t polynomials[] = {
	[2] = BIT(2) | BIT(1),
	[3] = BIT(3) | BIT(2),
	[4] = BIT(4) | BIT(3),
	[5] = BIT(5) | BIT(3),
	[6] = BIT(6) | BIT(5),
	[7] = BIT(7) | BIT(6),
	[8] = BIT(8) | BIT(6) | BIT(5) | BIT(4),
	[9] = BIT(9) | BIT(5),
	[10] = BIT(10) | BIT(7),
	[11] = BIT(11) | BIT(9),
	[12] = BIT(12) | BIT(6) | BIT(4) | BIT(1),
	[13] = BIT(13) | BIT(4) | BIT(3) | BIT(1),
	[14] = BIT(14) | BIT(5) | BIT(3) | BIT(1),
	[15] = BIT(15) | BIT(14),
	[16] = BIT(16) | BIT(15) | BIT(13) | BIT(4),
	[17] = BIT(17) | BIT(14),
	[18] = BIT(18) | BIT(11),
	[19] = BIT(19) | BIT(6) | BIT(2) | BIT(1),
	[20] = BIT(20) | BIT(17),
};

int hdLoadSequenceBegin(struct hdLoadSequence *sequence, unsigned int order,
			uint32_t seed)
{
	if (order < HD_LOAD_ORDER_MIN || order > HD_LOAD_ORDER_MAX)
		return -EINVAL;
	*sequence = (struct hdLoadSequence){
		/* Any state but 0, which stays as it is. */
		.state = seed % hdLoadSequenceLength(order) + 1,
		.taps = polynomials[order],
		.order = order,
	};
	return 0;
}

bool hdLoadSequenceNext(struct hdLoadSequence *sequence)
{
	uint32_t state = sequence->state;
	uint32_t bit = (uint32_t)__builtin_parity(state & sequence->taps);

	sequence->state =
		(state << 1 | bit) & hdLoadSequenceLength(sequence->order);
	return bit;
}
