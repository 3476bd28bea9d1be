/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The frames of an ArduPower: 10 bit numbers of some channels in bytes of 7
 * bits.
 *
 * Of each two numbers the low seven bits of the first, of the second, and then
 * the high three of both; of a last one alone the low seven bits and the high
 * three. Bit 7 is set in the first byte of a frame and in no other one.
 */
#ifndef PT_ARDUFRAME_H
#define PT_ARDUFRAME_H

#include "PowerTracingLibrary/src/meter/frames.h"

#define PT_ARDU_CHANNELS 16

/** Get the length of a frame of so many channels. */
size_t ptArduLength(unsigned int channels);

/**
 * Frames; the format is the number of channels, an unsigned int. A frame is
 * one only with the next one behind it: if a byte came twice it would be too
 * long.
 */
extern const struct ptFraming ptArduFraming;

/** Get the numbers of a frame, in its order. */
void ptArduParse(const struct ptFrame *frame, unsigned int channels,
		 double *numbers);

#endif
