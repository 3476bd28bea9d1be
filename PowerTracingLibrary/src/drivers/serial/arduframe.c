/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The frames of an ArduPower; see arduframe.h. */
#include "config.h"

#include <errno.h>

#include "PowerTracingLibrary/src/drivers/serial/arduframe.h"

#define BEGIN 0x80
#define LOW 0x7f
/* The high bits of two numbers, and of one. */
#define HIGH_TWO 0x3f
#define HIGH_ONE 0x07

size_t ptArduLength(unsigned int channels)
{
	return channels / 2 * 3 + channels % 2 * 2;
}

/* Whether a byte that is not the first may be at its place. */
static bool fits(unsigned int channels, size_t place, uint8_t byte)
{
	if (place % 3 == 2)
		return byte <= HIGH_TWO;
	if (channels % 2 == 1 && place + 1 == ptArduLength(channels))
		return byte <= HIGH_ONE;
	return !(byte & BEGIN);
}

static int arduFind(const void *format, const uint8_t *bytes, size_t size,
		    size_t *length, const char **why)
{
	unsigned int channels = *(const unsigned int *)format;
	size_t whole = ptArduLength(channels), at = 1;

	if (!(bytes[0] & BEGIN)) {
		while (at < size && !(bytes[at] & BEGIN))
			at++;
		*length = at;
		*why = "a frame has no start, or is too long";
		return -EPROTO;
	}
	while (at < size && at < whole && fits(channels, at, bytes[at]))
		at++;
	*length = at;
	*why = at < size && bytes[at] & BEGIN ? "a frame is too short"
					      : "invalid byte";
	if (at < size && at < whole)
		return -EPROTO;
	if (size <= whole)
		return 0;
	*why = "a frame is too long";
	return bytes[whole] & BEGIN ? 1 : -EPROTO;
}

const struct ptFraming ptArduFraming = {
	.find = arduFind,
	.frameMax = PT_ARDU_CHANNELS / 2 * 3 + 1,
};

void ptArduParse(const struct ptFrame *frame, unsigned int channels,
		 double *numbers)
{
	const uint8_t *at = frame->bytes;

	for (unsigned int i = 0; i < channels; i += 2, at += 3) {
		if (i + 1 == channels) {
			numbers[i] = (at[0] & LOW) | at[1] << 7;
			return;
		}
		numbers[i] = (at[0] & LOW) | at[2] >> 3 << 7;
		numbers[i + 1] = at[1] | (at[2] & HIGH_ONE) << 7;
	}
}
