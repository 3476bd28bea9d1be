/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: the frames of meters that send by themselves.
 *
 * The first byte says of which meter, the second into parts of which size the
 * rest is divided, the next four what the frames are like. However it is
 * divided, the same must come of it.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/src/drivers/raw/rawsample.h"
#include "PowerTracingLibrary/src/drivers/serial/arduframe.h"
#include "PowerTracingLibrary/src/drivers/serial/hexline.h"
#include "PowerTracingLibrary/src/drivers/serial/packet.h"
#include "PowerTracingLibrary/src/drivers/serial/picframe.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/outcome.h"

#define HEAD 6
#define BUFFER 4096

/* What is being taken apart. */
struct meter {
	const struct ptFraming *framing;
	const void *format;
	unsigned int channels;
	struct ptPicFormat pic;
	struct ptHexlineFormat hexline;
	struct ptRawFormat raw;
	char letter;
};

/* Choose a meter; whether there is such a one. */
static int meterInit(struct meter *meter, const uint8_t *data)
{
	memset(meter, 0, sizeof(*meter));
	switch (data[0] % 5) {
	case 0:
		meter->framing = &ptPacketFraming;
		meter->letter = (char)data[2];
		meter->format = &meter->letter;
		return 1;
	case 1:
		meter->framing = &ptHexlineFraming;
		meter->hexline.isPadded = data[2] & 1;
		meter->format = &meter->hexline;
		return 1;
	case 2:
		meter->framing = &ptArduFraming;
		meter->channels = 1 + data[2] % PT_ARDU_CHANNELS;
		meter->format = &meter->channels;
		return 1;
	case 3:
		meter->framing = &ptPicFraming;
		meter->format = &meter->pic;
		return ptPicFormatRead(data + 2, &meter->pic) == 0;
	default:
		meter->framing = &ptRawFraming;
		meter->raw.channels = 1 + data[2] % PT_RAW_CHANNELS;
		meter->raw.isBig = data[3] & 1;
		meter->format = &meter->raw;
		return 1;
	}
}

static void takeNumbers(const double *numbers, size_t count, double max,
			struct outcome *outcome)
{
	for (size_t i = 0; i < count; i++)
		must(numbers[i] >= 0 && numbers[i] <= max &&
		     numbers[i] == floor(numbers[i]));
	note(outcome, numbers, count * sizeof(*numbers));
}

static void takePacket(const struct ptFrame *frame, struct outcome *outcome)
{
	struct ptPacket packet;

	ptPacketParse(frame, &packet);
	must(packet.count <= PT_PACKET_ARGUMENTS);
	for (size_t i = 0; i < packet.count; i++) {
		must(*packet.arguments[i] != '\0');
		note(outcome, packet.arguments[i],
		     strlen(packet.arguments[i]) + 1);
	}
}

static void takeSample(const struct ptFrame *frame,
		       const struct ptRawFormat *format,
		       struct outcome *outcome)
{
	double values[PT_RAW_CHANNELS];
	unsigned int wrong = ptRawParse(frame, format, values);

	must(frame->length == format->channels * sizeof(*values));
	must(wrong <= format->channels);
	if (wrong == 0)
		wrong = format->channels + 1;
	for (unsigned int i = 0; i + 1 < wrong; i++)
		must(values[i] == 0 ||
		     (isfinite(values[i]) && isnormal(values[i])));
	note(outcome, values, (wrong - 1) * sizeof(*values));
}

static void takeFrame(const struct meter *meter, const struct ptFrame *frame,
		      struct outcome *outcome)
{
	double numbers[PT_PIC_CHANNELS];

	must(frame->length <= meter->framing->frameMax);
	note(outcome, frame->bytes, frame->length);
	if (meter->framing == &ptPacketFraming) {
		takePacket(frame, outcome);
	} else if (meter->framing == &ptHexlineFraming) {
		must(ptHexlineParse(frame, numbers) ||
		     !meter->hexline.isPadded);
		takeNumbers(numbers, PT_HEXLINE_NUMBERS, 65535, outcome);
	} else if (meter->framing == &ptArduFraming) {
		must(frame->length == ptArduLength(meter->channels));
		ptArduParse(frame, meter->channels, numbers);
		takeNumbers(numbers, meter->channels, 1023, outcome);
	} else if (meter->framing == &ptRawFraming) {
		takeSample(frame, &meter->raw, outcome);
	} else {
		must(frame->length == ptPicLength(&meter->pic));
		ptPicParse(frame, &meter->pic, numbers);
		takeNumbers(numbers, meter->pic.channels, 1023, outcome);
	}
}

/* Take what is at the beginning of some bytes; how many were used. */
static size_t takeSome(const struct meter *meter, const uint8_t *bytes,
		       size_t size, struct outcome *outcome)
{
	size_t used = 0;

	while (used < size) {
		/* Not a byte more than there is. */
		uint8_t *copy = malloc(size - used);
		struct ptFrame frame = { .bytes = copy };
		const char *why = NULL;
		int ret;

		must(copy != NULL);
		memcpy(copy, bytes + used, size - used);
		ret = meter->framing->find(meter->format, copy, size - used,
					   &frame.length, &why);
		must(ret == 1 || ret == 0 || ret == -EPROTO || ret == -EAGAIN);
		if (ret != 0)
			must(frame.length > 0 && frame.length <= size - used);
		if (ret == -EPROTO)
			must(why && *why);
		if (ret == 1)
			takeFrame(meter, &frame, outcome);
		free(copy);
		if (ret == 0) {
			must(size - used <= meter->framing->frameMax);
			break;
		}
		used += frame.length;
	}
	return used;
}

static void parse(const struct meter *meter, const uint8_t *data, size_t size,
		  size_t part, struct outcome *outcome)
{
	static uint8_t buffer[BUFFER];
	size_t used = 0;

	outcome->length = 0;
	while (size > 0) {
		size_t now = part < size ? part : size, taken;

		must(used + now <= sizeof(buffer));
		memcpy(buffer + used, data, now);
		used += now;
		taken = takeSome(meter, buffer, used, outcome);
		memmove(buffer, buffer + taken, used - taken);
		used -= taken;
		data += now;
		size -= now;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct outcome whole, parts;
	struct meter meter;

	if (size < HEAD || !meterInit(&meter, data))
		return 0;
	parse(&meter, data + HEAD, size - HEAD, BUFFER / 2, &whole);
	parse(&meter, data + HEAD, size - HEAD, 1 + data[1], &parts);
	mustBeSame(&whole, &parts);
	return 0;
}
