/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames of zstd, and the seek table; see frame.h. */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "common/format/frame.h"

#define FRAME_MAGIC UINT32_C(0xfd2fb528)
#define FRAME_SKIPPABLE UINT32_C(0x184d2a50)
#define FRAME_TABLE UINT32_C(0x184d2a5e)
#define FRAME_INDEX UINT32_C(0x184d2a5d)
#define FRAME_FOOT UINT32_C(0x8f92eab1)

/* The bits of a frame's descriptor. */
#define FRAME_SINGLE 0x20
#define FRAME_RESERVED 0x08
#define FRAME_CHECKED 0x04
#define FRAME_DICTIONARY 0x03

/* The descriptor of a frame of ours that is stored: single segment, eight
 * bytes for the size. */
#define FRAME_STORED (0xc0 | FRAME_SINGLE)
#define FRAME_STORED_HEAD 13

static bool frameEndsWith(const char *name, size_t length, const char *ending)
{
	size_t tail = strlen(ending);

	return length > tail && name[length - tail - 1] != '/' &&
	       memcmp(name + length - tail, ending, tail) == 0;
}

bool hdFrameIsCompressed(const char *name)
{
	return frameEndsWith(name, strlen(name), HD_FRAME_SUFFIX);
}

size_t hdFrameStem(const char *name, const char *ending)
{
	size_t length = strlen(name);

	if (hdFrameIsCompressed(name))
		length -= strlen(HD_FRAME_SUFFIX);
	return frameEndsWith(name, length, ending) ? length - strlen(ending)
						   : 0;
}

bool hdFrameIsEnding(const char *text, const char *ending)
{
	size_t length = strlen(ending);

	return strncmp(text, ending, length) == 0 &&
	       (!text[length] || strcmp(text + length, HD_FRAME_SUFFIX) == 0);
}

static uint32_t frameGet32(const unsigned char *bytes)
{
	uint32_t n;

	memcpy(&n, bytes, sizeof(n));
	return le32toh(n);
}

static void framePut32(char *to, uint32_t n)
{
	n = htole32(n);
	memcpy(to, &n, sizeof(n));
}

/* A number of 1, 2, 4 or 8 bytes; that of two counts from 256. */
static uint64_t frameGetSize(const unsigned char *bytes, size_t size)
{
	uint64_t n = 0;

	for (size_t i = size; i-- > 0;)
		n = n << 8 | bytes[i];
	return size == 2 ? n + 256 : n;
}

static uint64_t frameGetWindow(unsigned char descriptor)
{
	uint64_t base = UINT64_C(1) << (10 + (descriptor >> 3));

	return base + base / 8 * (descriptor & 7);
}

/* Where the magic number was found. */
static int frameReadOwn(const unsigned char *bytes, size_t size,
			struct hdFrameHead *head, const char **why)
{
	unsigned char descriptor = bytes[4];
	bool isSingle = descriptor & FRAME_SINGLE;
	size_t sizeBytes = (size_t)1 << (descriptor >> 6);
	size_t at = 5 + !isSingle;
	uint64_t window;

	if (descriptor & FRAME_RESERVED)
		*why = "a reserved bit is set";
	else if (descriptor & FRAME_DICTIONARY)
		*why = "it needs a dictionary";
	else if (sizeBytes == 1 && !isSingle)
		*why = "its header has no size";
	if (*why)
		return -EBADMSG;
	if (size < at + sizeBytes)
		return -ENODATA;
	head->hasChecksum = descriptor & FRAME_CHECKED;
	head->size = at + sizeBytes;
	head->plain = frameGetSize(bytes + at, sizeBytes);
	window = isSingle ? head->plain : frameGetWindow(bytes[5]);
	if (head->plain > HD_FRAME_MAX)
		*why = "it has more than 64 MiB";
	else if (window > HD_FRAME_WINDOW_MAX)
		*why = "its window is larger than 8 MiB";
	return *why ? -EBADMSG : 0;
}

int hdFrameReadHead(const unsigned char *bytes, size_t size,
		    struct hdFrameHead *head, const char **why)
{
	uint32_t magic;

	*head = (struct hdFrameHead){ 0 };
	*why = NULL;
	if (size < 5)
		return -ENODATA;
	magic = frameGet32(bytes);
	if (magic == FRAME_MAGIC)
		return frameReadOwn(bytes, size, head, why);
	if ((magic & ~UINT32_C(15)) != FRAME_SKIPPABLE) {
		*why = "it is not a zstd frame";
		return -EBADMSG;
	}
	if (size < 8)
		return -ENODATA;
	head->isSkippable = true;
	head->size = 8;
	head->plain = frameGet32(bytes + 4);
	return 0;
}

int hdFrameReadBlock(const unsigned char *bytes, struct hdFrameBlock *block)
{
	uint32_t n =
		bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
	unsigned int type = n >> 1 & 3;

	block->isLast = n & 1;
	/* A block of type 1 has one byte, which is repeated. */
	block->stored = type == 1 ? 1 : n >> 3;
	return type == 3 || n >> 3 > HD_FRAME_BLOCK_MAX ? -EBADMSG : 0;
}

bool hdFrameIsWithin(uint64_t plain, uint64_t stored)
{
	return plain <= HD_FRAME_MAX && plain / HD_FRAME_RATIO <= stored;
}

uint64_t hdFrameReadFoot(const unsigned char *bytes, size_t *count,
			 size_t *entrySize)
{
	uint32_t n = frameGet32(bytes);
	unsigned char descriptor = bytes[4];

	if (frameGet32(bytes + 5) != FRAME_FOOT || n > HD_FRAME_TABLE_MAX ||
	    (descriptor & 0x7c) != 0)
		return 0;
	*count = n;
	*entrySize = HD_FRAME_TABLE_ENTRY +
		     (descriptor & 0x80 ? HD_FRAME_CHECKSUM : 0);
	return HD_FRAME_TABLE_HEAD + (uint64_t)n * *entrySize +
	       HD_FRAME_TABLE_FOOT;
}

bool hdFrameIsTable(const unsigned char *bytes, uint64_t size)
{
	return frameGet32(bytes) == FRAME_TABLE &&
	       frameGet32(bytes + 4) == size - HD_FRAME_TABLE_HEAD;
}

struct hdFrameEntry hdFrameReadEntry(const unsigned char *bytes)
{
	return (struct hdFrameEntry){
		.stored = frameGet32(bytes),
		.plain = frameGet32(bytes + 4),
	};
}

size_t hdFrameTableSize(size_t count)
{
	return HD_FRAME_TABLE_HEAD + count * HD_FRAME_TABLE_ENTRY +
	       HD_FRAME_TABLE_FOOT;
}

void hdFrameWriteTable(char *to, const struct hdFrameEntry *entries,
		       size_t count)
{
	framePut32(to, FRAME_TABLE);
	framePut32(to + 4,
		   (uint32_t)(hdFrameTableSize(count) - HD_FRAME_TABLE_HEAD));
	to += HD_FRAME_TABLE_HEAD;
	for (size_t i = 0; i < count; i++) {
		framePut32(to, entries[i].stored);
		framePut32(to + 4, entries[i].plain);
		to += HD_FRAME_TABLE_ENTRY;
	}
	framePut32(to, (uint32_t)count);
	to[4] = 0;
	framePut32(to + 5, FRAME_FOOT);
}

bool hdFrameIsIndex(const unsigned char *bytes)
{
	return frameGet32(bytes) == FRAME_INDEX;
}

uint32_t hdFrameIndexSize(const unsigned char *bytes)
{
	return frameGet32(bytes + 4);
}

void hdFrameWriteIndexHead(char *to, size_t size)
{
	framePut32(to, FRAME_INDEX);
	framePut32(to + 4, (uint32_t)size);
}

size_t hdFrameRawSize(size_t size)
{
	size_t blocks = (size + HD_FRAME_BLOCK_MAX - 1) / HD_FRAME_BLOCK_MAX;

	/* A frame has one block at least. */
	return FRAME_STORED_HEAD + (blocks ? blocks : 1) * HD_FRAME_BLOCK_HEAD +
	       size;
}

void hdFrameWriteRaw(char *to, const char *bytes, size_t size)
{
	framePut32(to, FRAME_MAGIC);
	to[4] = (char)FRAME_STORED;
	framePut32(to + 5, (uint32_t)size);
	framePut32(to + 9, 0);
	to += FRAME_STORED_HEAD;
	do {
		size_t part =
			size < HD_FRAME_BLOCK_MAX ? size : HD_FRAME_BLOCK_MAX;
		uint32_t head = (uint32_t)part << 3 | (part == size);

		to[0] = (char)head;
		to[1] = (char)(head >> 8);
		to[2] = (char)(head >> 16);
		memcpy(to + HD_FRAME_BLOCK_HEAD, bytes, part);
		to += HD_FRAME_BLOCK_HEAD + part;
		bytes += part;
		size -= part;
	} while (size > 0);
}
