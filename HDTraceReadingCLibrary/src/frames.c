/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The frames of a compressed file; see frames.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceReadingCLibrary/src/frames.h"
#include "common/format/frame.h"
#include "common/format/zstd.h"

/* Entries of a seek table that are read at once. */
#define FRAMES_PIECE 4096

/* Where a frame begins: in the file, and in the plain file. */
struct framesEntry {
	int64_t at;
	int64_t plain;
};

struct hdIFrames {
	hdIFramesReader reader;
	void *data;
	int64_t size;
	/* One more than there are frames: where the last one ends. */
	struct framesEntry *entries;
	size_t count;
	size_t room;
	struct hdIFramesRest rest;
	int64_t tableAt; /* The seek table; 0: there is none. */
	/* The frame that is in memory, or SIZE_MAX. */
	size_t current;
	char *plain;
	size_t plainRoom;
	char *stored;
	size_t storedRoom;
	ZSTD_DCtx *context;
};

/* ---- The index --------------------------------------------------------- */

/* Append a frame that begins where the last one ends. Those without content
 * are left out. */
static int framesAdd(struct hdIFrames *frames, int64_t at, int64_t stored,
		     int64_t plain)
{
	struct framesEntry *last;

	if (frames->count + 2 > frames->room) {
		size_t room = frames->room ? 2 * frames->room : 16;
		struct framesEntry *entries =
			realloc(frames->entries, room * sizeof(*entries));

		if (!entries)
			return -ENOMEM;
		frames->entries = entries;
		frames->room = room;
		if (frames->count == 0)
			entries[0] = (struct framesEntry){ 0 };
	}
	last = &frames->entries[frames->count];
	if (plain > 0) {
		last->at = at;
		last[1].plain = last->plain + plain;
		last[1].at = at + stored;
		frames->count++;
	}
	return 0;
}

static ssize_t framesRead(const struct hdIFrames *frames, int64_t offset,
			  void *buffer, size_t size)
{
	if (offset >= frames->size)
		return 0;
	return frames->reader(frames->data, offset, buffer, size);
}

/* Read exactly so many bytes: 1; 0: they are not there. */
static int framesReadAll(const struct hdIFrames *frames, int64_t offset,
			 void *buffer, size_t size)
{
	ssize_t n = framesRead(frames, offset, buffer, size);

	return n < 0 ? (int)n : n == (ssize_t)size;
}

/* ---- By the seek table ------------------------------------------------- */

/* Take entries: 1, or 0 if they cannot be true. */
static int framesTakeEntries(struct hdIFrames *frames,
			     const unsigned char *bytes, size_t count,
			     size_t entrySize, int64_t *at, int64_t end)
{
	for (size_t i = 0; i < count; i++, bytes += entrySize) {
		struct hdFrameEntry entry = hdFrameReadEntry(bytes);

		if (!hdFrameIsWithin(entry.plain, entry.stored) ||
		    entry.stored > end - *at)
			return 0;
		if (framesAdd(frames, *at, entry.stored, entry.plain) < 0)
			return -ENOMEM;
		*at += entry.stored;
	}
	return 1;
}

/* Read the seek table: 1, or 0 if there is none that can be true. */
static int framesReadTable(struct hdIFrames *frames)
{
	unsigned char foot[HD_FRAME_TABLE_FOOT];
	unsigned char piece[FRAMES_PIECE];
	size_t count, entrySize;
	int64_t at = 0, start, end;
	uint64_t size = 0;
	int ret = 0;

	if (frames->size > HD_FRAME_TABLE_FOOT + HD_FRAME_TABLE_HEAD)
		ret = framesReadAll(frames, frames->size - HD_FRAME_TABLE_FOOT,
				    foot, sizeof(foot));
	if (ret == 1)
		size = hdFrameReadFoot(foot, &count, &entrySize);
	if (ret <= 0 || size == 0 || size > (uint64_t)frames->size)
		return ret < 0 ? ret : 0;
	start = end = frames->size - (int64_t)size;
	ret = framesReadAll(frames, start, piece, HD_FRAME_TABLE_HEAD);
	if (ret == 1 && !hdFrameIsTable(piece, size))
		ret = 0;
	start += HD_FRAME_TABLE_HEAD;
	while (ret == 1 && count > 0) {
		size_t some = sizeof(piece) / entrySize;

		if (some > count)
			some = count;
		ret = framesReadAll(frames, start, piece, some * entrySize);
		if (ret == 1)
			ret = framesTakeEntries(frames, piece, some, entrySize,
						&at, end);
		start += (int64_t)(some * entrySize);
		count -= some;
	}
	if (ret == 1 && at != end)
		ret = 0;
	if (ret == 1)
		frames->tableAt = end;
	return ret;
}

/* ---- By the headers ---------------------------------------------------- */

/* Find the end of a frame, block by block: 1; 0: it is cut. */
static int framesMeasure(const struct hdIFrames *frames,
			 const struct hdFrameHead *head, int64_t *at,
			 const char **why)
{
	struct hdFrameBlock block = { 0 };

	*at += (int64_t)head->size;
	if (head->isSkippable) {
		*at += (int64_t)head->plain;
		return *at <= frames->size;
	}
	while (!block.isLast) {
		unsigned char bytes[HD_FRAME_BLOCK_HEAD];
		int ret = framesReadAll(frames, *at, bytes, sizeof(bytes));

		if (ret <= 0)
			return ret;
		if (hdFrameReadBlock(bytes, &block) < 0) {
			*why = "a block of it is not valid";
			return 0;
		}
		*at += HD_FRAME_BLOCK_HEAD + (int64_t)block.stored;
	}
	*at += head->hasChecksum ? HD_FRAME_CHECKSUM : 0;
	return *at <= frames->size;
}

/* Find all frames that are complete; what follows them is the rest. */
static int framesScan(struct hdIFrames *frames)
{
	int64_t at = 0;
	const char *why = NULL;

	while (at < frames->size) {
		unsigned char bytes[HD_FRAME_HEAD_MAX];
		struct hdFrameHead head;
		int64_t end = at;
		ssize_t n = framesRead(frames, at, bytes, sizeof(bytes));
		int ret;

		if (n < 0)
			return (int)n;
		ret = hdFrameReadHead(bytes, (size_t)n, &head, &why) == 0;
		if (ret == 1)
			ret = framesMeasure(frames, &head, &end, &why);
		if (ret < 0)
			return ret;
		if (ret == 1 && !head.isSkippable &&
		    !hdFrameIsWithin(head.plain, (uint64_t)(end - at)))
			why = "it has more than 2000 times its size";
		if (ret == 0 || why)
			break;
		ret = framesAdd(frames, at, end - at,
				head.isSkippable ? 0 : (int64_t)head.plain);
		if (ret < 0)
			return ret;
		at = end;
	}
	frames->rest = (struct hdIFramesRest){
		.at = at,
		.size = frames->size - at,
		.why = why,
	};
	return 0;
}

int hdIFramesOpen(hdIFramesReader reader, void *data, int64_t size,
		  struct hdIFrames **result)
{
	struct hdIFrames *frames = calloc(1, sizeof(*frames));
	int ret;

	if (!frames)
		return -ENOMEM;
	frames->reader = reader;
	frames->data = data;
	frames->size = size;
	frames->current = SIZE_MAX;
	ret = framesReadTable(frames);
	if (ret == 0) {
		frames->count = 0;
		ret = framesScan(frames);
	}
	/* The entry that ends the index. */
	if (ret >= 0 && frames->count == 0)
		ret = framesAdd(frames, 0, 0, 0);
	if (ret < 0) {
		hdIFramesFree(frames);
		return ret;
	}
	*result = frames;
	return 0;
}

void hdIFramesFree(struct hdIFrames *frames)
{
	if (!frames)
		return;
	if (frames->context)
		hdZstd.ZSTD_freeDCtx(frames->context);
	free(frames->entries);
	free(frames->plain);
	free(frames->stored);
	free(frames);
}

int64_t hdIFramesSize(const struct hdIFrames *frames)
{
	return frames->entries[frames->count].plain;
}

size_t hdIFramesCount(const struct hdIFrames *frames)
{
	return frames->count;
}

int64_t hdIFramesStart(const struct hdIFrames *frames, size_t index)
{
	return frames->entries[index].plain;
}

struct hdIFramesRest hdIFramesRest(const struct hdIFrames *frames)
{
	return frames->rest;
}

/* The frame that contains an offset, which is in one. */
static size_t framesFind(const struct hdIFrames *frames, int64_t offset)
{
	size_t low = 0, high = frames->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (frames->entries[middle].plain <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

int64_t hdIFramesPlace(const struct hdIFrames *frames, int64_t offset)
{
	if (offset >= hdIFramesSize(frames))
		return frames->entries[frames->count].at;
	return frames->entries[framesFind(frames, offset)].at;
}

int64_t hdIFramesEnd(const struct hdIFrames *frames, int64_t offset)
{
	if (offset >= hdIFramesSize(frames))
		return hdIFramesSize(frames);
	return frames->entries[framesFind(frames, offset) + 1].plain;
}

/* ---- Their content ----------------------------------------------------- */

static int framesRoom(char **buffer, size_t *room, size_t size)
{
	char *larger;

	if (size <= *room)
		return 0;
	larger = realloc(*buffer, size);
	if (!larger)
		return -ENOMEM;
	*buffer = larger;
	*room = size;
	return 0;
}

/* Decompress a frame that was read. */
static int framesDecompressTo(struct hdIFrames *frames, const void *bytes,
			      size_t stored, char *to, size_t plain, char *why)
{
	size_t done;

	if (!frames->context)
		frames->context = hdZstd.ZSTD_createDCtx();
	if (!frames->context)
		return -ENOMEM;
	done = hdZstd.ZSTD_decompressDCtx(frames->context, to, plain, bytes,
					  stored);
	if (hdZstd.ZSTD_isError(done))
		snprintf(why, HDI_FRAMES_WHY, "%s",
			 hdZstd.ZSTD_getErrorName(done));
	else if (done != plain)
		snprintf(why, HDI_FRAMES_WHY, "it has %zu bytes instead of %zu",
			 done, plain);
	return hdZstd.ZSTD_isError(done) || done != plain ? -EBADMSG : 0;
}

/* Read the header of a frame that was read. */
static int framesReadHead(const unsigned char *bytes, size_t stored,
			  struct hdFrameHead *head, char *why)
{
	const char *wrong;

	if (hdFrameReadHead(bytes, stored, head, &wrong) == 0)
		return 0;
	snprintf(why, HDI_FRAMES_WHY, "%s",
		 wrong ? wrong : "its header is cut");
	return -EBADMSG;
}

/* Decompress what was read. */
static int framesDecompress(struct hdIFrames *frames, size_t stored,
			    size_t plain, char *why)
{
	const unsigned char *bytes = (const unsigned char *)frames->stored;
	struct hdFrameHead head;

	if (framesReadHead(bytes, stored, &head, why) < 0)
		return -EBADMSG;
	if (head.isSkippable || head.plain != plain) {
		snprintf(why, HDI_FRAMES_WHY,
			 "it is not the frame that the seek table describes");
		return -EBADMSG;
	}
	return framesDecompressTo(frames, bytes, stored, frames->plain, plain,
				  why);
}

static int framesLoad(struct hdIFrames *frames, size_t index, char *why)
{
	const struct framesEntry *entry = &frames->entries[index];
	size_t stored = (size_t)(entry[1].at - entry->at);
	size_t plain = (size_t)(entry[1].plain - entry->plain);
	int ret;

	/* Skippable frames may follow, which do not count. */
	if (stored > 2 * HD_FRAME_MAX) {
		snprintf(why, HDI_FRAMES_WHY, "it has more than 128 MiB");
		return -EBADMSG;
	}
	frames->current = SIZE_MAX;
	ret = framesRoom(&frames->stored, &frames->storedRoom, stored);
	if (ret == 0)
		ret = framesRoom(&frames->plain, &frames->plainRoom, plain);
	if (ret < 0)
		return ret;
	ret = framesReadAll(frames, entry->at, frames->stored, stored);
	if (ret == 0) {
		snprintf(why, HDI_FRAMES_WHY, "the file became shorter");
		return -EBADMSG;
	}
	if (ret == 1)
		ret = framesDecompress(frames, stored, plain, why);
	if (ret == 0)
		frames->current = index;
	return ret;
}

ssize_t hdIFramesGet(struct hdIFrames *frames, int64_t offset,
		     const char **bytes, char *why)
{
	size_t current = frames->current;
	const struct framesEntry *entry;

	if (offset >= hdIFramesSize(frames))
		return 0;
	if (current == SIZE_MAX || offset < frames->entries[current].plain ||
	    offset >= frames->entries[current + 1].plain) {
		int ret;

		current = framesFind(frames, offset);
		ret = framesLoad(frames, current, why);
		if (ret < 0)
			return ret;
	}
	entry = &frames->entries[current];
	*bytes = frames->plain + (offset - entry->plain);
	return (ssize_t)(entry[1].plain - offset);
}

/* ---- The index of a trace ---------------------------------------------- */

/* Decompress an index that was read: 1 or a negative errno value. */
static int framesIndexDecompress(struct hdIFrames *frames, size_t stored,
				 unsigned char **result, size_t *size,
				 char *why)
{
	const unsigned char *bytes = (const unsigned char *)frames->stored;
	struct hdFrameHead head;
	char *plain;
	int ret;

	if (hdFrameIndexSize(bytes) != stored - HD_FRAME_INDEX_HEAD) {
		snprintf(why, HDI_FRAMES_WHY, "its size is wrong");
		return -EBADMSG;
	}
	bytes += HD_FRAME_INDEX_HEAD;
	stored -= HD_FRAME_INDEX_HEAD;
	if (framesReadHead(bytes, stored, &head, why) < 0)
		return -EBADMSG;
	if (head.isSkippable || !head.hasChecksum ||
	    !hdFrameIsWithin(head.plain, stored)) {
		snprintf(why, HDI_FRAMES_WHY,
			 "its content is not a frame with a checksum");
		return -EBADMSG;
	}
	plain = malloc(head.plain + 1);
	if (!plain)
		return -ENOMEM;
	ret = framesDecompressTo(frames, bytes, stored, plain, head.plain, why);
	if (ret < 0) {
		free(plain);
		return ret;
	}
	*result = (unsigned char *)plain;
	*size = head.plain;
	return 1;
}

int hdIFramesIndex(struct hdIFrames *frames, unsigned char **bytes,
		   size_t *size, char *why)
{
	int64_t at = frames->entries[frames->count].at;
	unsigned char head[HD_FRAME_INDEX_HEAD];
	size_t stored;
	int ret;

	if (frames->tableAt - at < HD_FRAME_INDEX_HEAD)
		return 0;
	ret = framesReadAll(frames, at, head, sizeof(head));
	if (ret <= 0 || !hdFrameIsIndex(head))
		return ret < 0 ? ret : 0;
	if (frames->tableAt - at > (int64_t)HD_FRAME_MAX) {
		snprintf(why, HDI_FRAMES_WHY, "it has more than 64 MiB");
		return -EBADMSG;
	}
	stored = (size_t)(frames->tableAt - at);
	ret = framesRoom(&frames->stored, &frames->storedRoom, stored);
	if (ret < 0)
		return ret;
	ret = framesReadAll(frames, at, frames->stored, stored);
	if (ret <= 0)
		return ret;
	return framesIndexDecompress(frames, stored, bytes, size, why);
}
