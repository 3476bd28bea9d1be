/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines of a DCMeter; see hexline.h. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "PowerTracingLibrary/src/drivers/serial/hexline.h"

/* With the LF before it and the CR at its end. */
#define LINE_MAX_BYTES (PT_HEXLINE_NUMBERS * (PT_HEXLINE_DIGITS + 1) + 2)

static int hexlineDigitOf(uint8_t byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	if (byte >= 'A' && byte <= 'F')
		return byte - 'A' + 10;
	if (byte >= 'a' && byte <= 'f')
		return byte - 'a' + 10;
	return -1;
}

/* Take a number and its semicolon: how many digits it has, 0 if it is none. */
static size_t hexlineParseNumber(const uint8_t **at, const uint8_t *end,
				 double *number)
{
	unsigned int value = 0;
	size_t digits = 0;

	while (*at < end && digits <= PT_HEXLINE_DIGITS &&
	       hexlineDigitOf(**at) >= 0) {
		value = value << 4 | (unsigned int)hexlineDigitOf(**at);
		digits++;
		++*at;
	}
	if (digits > PT_HEXLINE_DIGITS || *at == end || **at != ';')
		return 0;
	++*at;
	*number = value;
	return digits;
}

/* Take a line apart, which is between two LF; what is wrong with it, or NULL.
 */
static const char *hexlineParseLine(const uint8_t *at, const uint8_t *end,
				    double numbers[PT_HEXLINE_NUMBERS],
				    bool *isPadded)
{
	*isPadded = true;
	for (size_t i = 0; i < PT_HEXLINE_NUMBERS; i++) {
		size_t digits = hexlineParseNumber(&at, end, &numbers[i]);

		if (digits == 0)
			return "not twelve hexadecimal numbers, each followed "
			       "by a semicolon";
		*isPadded &= digits == PT_HEXLINE_DIGITS;
	}
	at += at < end && *at == '\r';
	return at == end ? NULL : "a line has more than twelve numbers";
}

static int hexlineFind(const void *format, const uint8_t *bytes, size_t size,
		       size_t *length, const char **why)
{
	const struct ptHexlineFormat *known = format;
	const uint8_t *end = memchr(bytes + 1, '\n', size - 1);
	double numbers[PT_HEXLINE_NUMBERS];
	bool isPadded;

	*length = end ? (size_t)(end - bytes) : size;
	*why = "a line has no start";
	if (bytes[0] != '\n')
		return -EPROTO;
	*why = "a line has no end";
	if (*length > LINE_MAX_BYTES)
		return -EPROTO;
	if (!end)
		return 0;
	*why = hexlineParseLine(bytes + 1, end, numbers, &isPadded);
	if (!*why && known->isPadded && !isPadded)
		*why = "a number has missing digits";
	return *why ? -EPROTO : 1;
}

const struct ptFraming ptHexlineFraming = {
	.find = hexlineFind,
	.frameMax = LINE_MAX_BYTES + 1,
};

bool ptHexlineParse(const struct ptFrame *frame,
		    double numbers[PT_HEXLINE_NUMBERS])
{
	bool isPadded;

	(void)hexlineParseLine(frame->bytes + 1, frame->bytes + frame->length,
			       numbers, &isPadded);
	return isPadded;
}
