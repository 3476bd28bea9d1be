/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: compressed files, by their frames, and as what is in them: the
 * first byte says of which kind. After a 3, the input is what the index of a
 * trace has for content, whose checksum is then right. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <hdReading.h>

#include "HDTraceReadingCLibrary/src/frames.h"
#include "common/format/compress.h"
#include "tests/fuzz/fuzz.h"
#include "tests/reading/made.h"

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

/* An index is delivered whole, or it is said why not. */
static void checkIndex(struct hdIFrames *frames)
{
	char why[HDI_FRAMES_WHY] = "";
	unsigned char *bytes = NULL;
	size_t size = 0;
	int ret = hdIFramesIndex(frames, &bytes, &size, why);

	must(ret == 1 || ret == 0 || (ret == -EBADMSG && *why));
	for (size_t i = 0; ret == 1 && i < size; i++)
		sum += bytes[i];
	free(bytes);
}

/* ---- The index of a trace ---------------------------------------------- */

/* Frames of a trace; seeds are indexes of it. For '~' there is so much that
 * they are not all read at once. */
static const char *const parts[] = {
	"<Program>\n",
	"<Nested>\n\t<Nested>\n\t\t<a~ time='1' end='2'/>\n",
	"\t\t<a~ time='2' end='3'/>\n",
	"\t\t<a~ time='3' end='4'/>\n\t</Nested>\n\t<b~ time='1' end='4'/>\n",
	"\t<a~ time='5' end='6'/>\n",
	"\t<a~ time='6' end='7'><c>text ></c></a>\n",
	"\t<Event name='x' time='7'/>\n</Nested>\n<m~ time='1' end='8'/>\n",
	"<a~ time='8' end='9'/>\n",
	"<a~ time='9' end='10' part='3'/>\n",
	"<a~ time='10' end='11'/>\n",
	"</Program>\n",
};
#define PARTS (sizeof(parts) / sizeof(*parts))
#define RECORDS 11
#define FILLING 4000

/* What was read of it: where records are, and how deep. */
struct found {
	int64_t offsets[RECORDS];
	unsigned int depths[RECORDS];
	size_t count;
	int isSaid;
};

static void noteMessage(const hdIMessage *message, void *data)
{
	struct found *found = data;

	must(message->text && *message->text);
	found->isSaid = 1;
}

/* Read the trace that is served, of an interval if that is not empty. */
static void readIndexed(int64_t start, int64_t end, struct found *found)
{
	hdIProject *project = hdI_openProject("fuzz.trc.zst", NULL, NULL);
	const hdIRecord *record;
	hdITraceReader *reader;

	must(project && project->traceCount == 1);
	reader = hdI_openTraceWith(project, project->traces[0], noteMessage,
				   found);
	must(reader != NULL);
	if (start <= end)
		must(hdI_skipTrace(reader, start, end) >= 0);
	while (hdI_readTrace(reader, &record) == 1) {
		must(found->count < RECORDS);
		found->offsets[found->count] = record->offset;
		found->depths[found->count++] = record->depth;
	}
	hdI_closeTrace(reader);
	hdI_closeProject(project);
}

/* What is read by an index is read without it, too, and what is wrong with its
 * depths is said. */
static void compareIndexed(const struct found *all, int64_t start, int64_t end)
{
	struct found some = { .count = 0 };
	size_t at = 0;

	readIndexed(start, end, &some);
	for (size_t i = 0; i < some.count; i++, at++) {
		while (at < all->count && all->offsets[at] != some.offsets[i])
			at++;
		must(at < all->count);
		must(some.isSaid || some.depths[i] == all->depths[at]);
	}
}

static void addPart(struct made *made, const char *text)
{
	GString *part = g_string_new(NULL);

	for (; *text; text++) {
		if (*text == '~')
			g_string_append_printf(part, " x='%*s'", FILLING, "");
		else
			g_string_append_c(part, *text);
	}
	madeAddFrame(made, part->str, part->len, TRUE);
	g_string_free(part, TRUE);
}

static void fuzzIndex(const uint8_t *content, size_t size)
{
	struct found all = { .count = 0 };
	struct made made = madeNew();

	for (size_t i = 0; i < PARTS; i++)
		addPart(&made, parts[i]);
	madeAddIndex(&made, (const char *)content, size);
	madeAddTable(&made);
	fuzzServe((const uint8_t *)made.bytes->str, made.bytes->len);
	madeFree(&made);
	readIndexed(1, 0, &all);
	must(all.count == RECORDS && !all.isSaid);
	for (int64_t second = 0; second < 12; second += 3)
		compareIndexed(&all, second * 1000000000,
			       (second + 1) * 1000000000);
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
	if (data[0] == 3) {
		fuzzIndex(data + 1, size - 1);
		return 0;
	}
	must(hdIFramesOpen(readInput, &input, (int64_t)input.size, &frames) ==
	     0);
	checkFrames(frames, input.size);
	checkIndex(frames);
	hdIFramesFree(frames);
	fuzzRead(paths[data[0] % 3], input.data, input.size);
	return 0;
}
