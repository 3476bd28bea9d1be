/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The samples of a converter's daemon: a double of eight bytes for each
 * channel, and nothing else.
 */
#ifndef PT_RAWSAMPLE_H
#define PT_RAWSAMPLE_H

#include "PowerTracingLibrary/src/meter/frames.h"

#define PT_RAW_CHANNELS 128

/** How the samples of a daemon look; the format of ptRawFraming. */
struct ptRawFormat {
	unsigned int channels; /**< 1 to PT_RAW_CHANNELS. */
	bool isBig;            /**< The most significant byte comes first. */
};

/** Samples: all that comes is one, as soon as it is long enough. */
extern const struct ptFraming ptRawFraming;

/**
 * Get the values of a sample, one of each channel.
 *
 * @return 0, or the number of the channel, from 1, whose value no converter
 *         gives: it is not finite, too large, or too small; the values up to
 *         that one are set.
 */
unsigned int ptRawParse(const struct ptFrame *frame,
			const struct ptRawFormat *format, double *values);

#endif
