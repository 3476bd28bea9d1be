/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: compressed files, by their frames, and as what is in them: the
 * first byte says of which kind. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceReadingCLibrary/src/frames.h"
#include "common/format/compress.h"
#include "tests/fuzz/fuzz.h"

/* Everything that is read flows in here, so that nothing is optimized out. */
static volatile unsigned int sum;

struct input {
	const uint8_t *data;
	size_t size;
};

static ssize_t readInput(void *data, int64_t offset, void *buffer, size_t size)
{
	const struct input *input = data;
	size_t left;

	must(offset >= 0);
	if ((uint64_t)offset >= input->size)
		return 0;
	left = input->size - (size_t)offset;
	size = size < left ? size : left;
	memcpy(buffer, input->data + offset, size);
	return (ssize_t)size;
}

/* All plain bytes are delivered once, in order. */
static void checkFrames(struct hdIFrames *frames, size_t size)
{
	int64_t plain = hdIFramesSize(frames), at = 0;
	struct hdIFramesRest rest = hdIFramesRest(frames);
	char why[HDI_FRAMES_WHY];
	const char *bytes;

	must(plain >= 0);
	must(rest.size >= 0 && rest.at >= 0);
	must(rest.size == 0 || rest.at + rest.size <= (int64_t)size);
	while (at < plain) {
		ssize_t got = hdIFramesGet(frames, at, &bytes, why);

		if (got == -EBADMSG) {
			int64_t end = hdIFramesEnd(frames, at);

			must(memchr(why, '\0', sizeof(why)) && *why);
			must(end > at && end <= plain);
			at = end;
			continue;
		}
		must(got > 0 && at + got <= plain);
		must(hdIFramesPlace(frames, at) < (int64_t)size);
		for (ssize_t i = 0; i < got; i++)
			sum += (unsigned char)bytes[i];
		at += got;
	}
	must(hdIFramesGet(frames, plain, &bytes, why) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const paths[] = { "fuzz.trc.zst", "fuzz.stat.zst",
					     "fuzz.rel.zst" };
	struct input input = { data + 1, size - 1 };
	struct hdIFrames *frames;

	/* The library is opened at run time. */
	if (size < 1 || hdZstdMissing())
		return 0;
	must(hdIFramesOpen(readInput, &input, (int64_t)input.size, &frames) ==
	     0);
	checkFrames(frames, input.size);
	hdIFramesFree(frames);
	fuzzRead(paths[data[0] % 3], input.data, input.size);
	return 0;
}
