/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The frames of a DC2Meter, which is made with a PIC18.
 *
 * Four bytes say what they are. Of the first, bit 7 is for numbers of 10 bits,
 * else 8; bits 6 to 3, as many as are set, for bytes of time; bit 0 and the
 * other three bytes are the channels, one a bit. A frame is the numbers of the
 * channels, the bytes of time, and AA AA. A number of 10 bits has the high
 * eight first and then the low two, with 010101 behind them.
 */
#ifndef PT_PICFRAME_H
#define PT_PICFRAME_H

#include "PowerTracingLibrary/src/meter/frames.h"

#define PT_PIC_CHANNELS 25
#define PT_PIC_CONFIG 4
#define PT_PIC_MARKS 2

/** What frames are like. */
struct ptPicFormat {
	unsigned int channels;
	bool isWide; /**< Numbers have 10 bits. */
	unsigned int timeBytes;
};

/**
 * Read what the meter says about its frames.
 *
 * @retval -EPROTO There are no channels, or what is no such thing.
 */
int ptPicFormatRead(const uint8_t config[PT_PIC_CONFIG],
		    struct ptPicFormat *format);

/** Get the length of a frame. */
size_t ptPicLength(const struct ptPicFormat *format);

/**
 * Frames; the format is a struct ptPicFormat. One is taken from the AA AA that
 * ends the one before: what is between two of them and as long as it should be
 * is a frame. The first of a stream has none before it and is left out.
 */
extern const struct ptFraming ptPicFraming;

/** Get the numbers of a frame, those of 8 bits as if they had 10. */
void ptPicParse(const struct ptFrame *frame, const struct ptPicFormat *format,
		double numbers[PT_PIC_CHANNELS]);

#endif
