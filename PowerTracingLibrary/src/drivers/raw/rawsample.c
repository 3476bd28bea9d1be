/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <endian.h>
#include <math.h>
#include <string.h>

#include "PowerTracingLibrary/src/drivers/raw/rawsample.h"

/* No converter gives more, or less but for 0; what does is out of step, or in
 * the other order of bytes. */
#define RAW_MAX 1e6
#define RAW_MIN 1e-30

static int rawFind(const void *data, const uint8_t *bytes, size_t size,
		   size_t *length, const char **why)
{
	const struct ptRawFormat *format = data;

	(void)bytes;
	(void)why;
	*length = format->channels * sizeof(double);
	return size >= *length;
}

const struct ptFraming ptRawFraming = {
	.find = rawFind,
	.frameMax = PT_RAW_CHANNELS * sizeof(double),
};

unsigned int ptRawParse(const struct ptFrame *frame,
			const struct ptRawFormat *format, double *values)
{
	for (unsigned int i = 0; i < format->channels; i++) {
		uint64_t bits;

		memcpy(&bits, frame->bytes + i * sizeof(bits), sizeof(bits));
		bits = format->isBig ? be64toh(bits) : le64toh(bits);
		memcpy(&values[i], &bits, sizeof(bits));
		if (!(fabs(values[i]) <= RAW_MAX) ||
		    (values[i] != 0 && fabs(values[i]) < RAW_MIN))
			return i + 1;
	}
	return 0;
}
