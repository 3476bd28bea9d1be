/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The frames of a DC2Meter; see picframe.h. */
#include "config.h"

#include <errno.h>

#include "PowerTracingLibrary/src/drivers/serial/picframe.h"

#define WIDE 0x80
#define TIME_BITS 0x78
#define CHANNEL_BIT 0x01
#define OTHER_BITS 0x06
#define FILLER 0x15
#define FILLER_BITS 0x3f
#define MARK 0xaa
#define MARKS PT_PIC_MARKS
#define TIME_MAX 4

int ptPicFormatRead(const uint8_t config[PT_PIC_CONFIG],
		    struct ptPicFormat *format)
{
	uint32_t channels = (uint32_t)(config[0] & CHANNEL_BIT) << 24 |
			    (uint32_t)config[1] << 16 |
			    (uint32_t)config[2] << 8 | config[3];

	if (channels == 0 || config[0] & OTHER_BITS)
		return -EPROTO;
	*format = (struct ptPicFormat){
		.channels = (unsigned int)__builtin_popcount(channels),
		.isWide = config[0] & WIDE,
		.timeBytes =
			(unsigned int)__builtin_popcount(config[0] & TIME_BITS),
	};
	return 0;
}

size_t ptPicLength(const struct ptPicFormat *format)
{
	return format->channels * (format->isWide ? 2 : 1) + format->timeBytes +
	       MARKS;
}

/* Whether there is a mark, as far as it has come. */
static bool isMark(const uint8_t *bytes, size_t size, size_t at)
{
	for (size_t i = at; i < at + MARKS && i < size; i++)
		if (bytes[i] != MARK)
			return false;
	return true;
}

static int picFind(const void *format, const uint8_t *bytes, size_t size,
		   size_t *length, const char **why)
{
	const struct ptPicFormat *known = format;
	size_t whole = ptPicLength(known);

	/* A frame may begin at any byte. */
	*length = 1;
	*why = "data between frames";
	if (!isMark(bytes, size, 0))
		return -EPROTO;
	*why = "invalid end of a number";
	for (unsigned int i = 0; known->isWide && i < known->channels; i++)
		if (MARKS + 2 * i + 1 < size &&
		    (bytes[MARKS + 2 * i + 1] & FILLER_BITS) != FILLER)
			return -EPROTO;
	*why = "invalid end of a frame";
	if (!isMark(bytes, size, whole))
		return -EPROTO;
	*length = whole;
	return size >= whole + MARKS;
}

const struct ptFraming ptPicFraming = {
	.find = picFind,
	.frameMax = PT_PIC_CHANNELS * 2 + TIME_MAX + 2 * MARKS,
	.isAmbiguous = true,
};

void ptPicParse(const struct ptFrame *frame, const struct ptPicFormat *format,
		double numbers[PT_PIC_CHANNELS])
{
	const uint8_t *at = frame->bytes + MARKS;

	for (unsigned int i = 0; i < format->channels; i++) {
		numbers[i] = *at++ << 2;
		if (format->isWide)
			numbers[i] += *at++ >> 6;
	}
}
