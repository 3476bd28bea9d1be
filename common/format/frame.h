/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The form of compressed files: zstd frames (RFC 8878) with a seek table at the
 * end, as doc/format describes. Nothing here needs libzstd.
 */
#ifndef HD_FRAME_H
#define HD_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What names of compressed files end with. */
#define HD_FRAME_SUFFIX ".zst"

/** Plain bytes that a writer puts into a frame, with the record that reaches
 *  them. */
#define HD_FRAME_PLAIN ((size_t)256 << 10)

/** Limits of readers, against files that want much memory or time. */
#define HD_FRAME_MAX ((size_t)64 << 20)
#define HD_FRAME_RATIO 2000
#define HD_FRAME_WINDOW_MAX ((uint64_t)8 << 20)

/** The longest header of a frame, and of a block. */
#define HD_FRAME_HEAD_MAX 18
#define HD_FRAME_BLOCK_HEAD 3
/** Plain bytes of a block, at most. */
#define HD_FRAME_BLOCK_MAX ((size_t)128 << 10)
/** The checksum behind the blocks. */
#define HD_FRAME_CHECKSUM 4

/** The seek table: what is before its entries and behind them. */
#define HD_FRAME_TABLE_HEAD 8
#define HD_FRAME_TABLE_ENTRY 8
#define HD_FRAME_TABLE_FOOT 9
#define HD_FRAME_TABLE_MAX 0x8000000

/** What is before the frame that an index is. */
#define HD_FRAME_INDEX_HEAD 8

/** Whether a name ends with .zst, and more before it. */
bool hdFrameIsCompressed(const char *name);

/**
 * Length of a name without its ending, and without .zst behind that.
 *
 * @param ending Such as ".trc".
 *
 * @return 0: the name has another ending, or nothing before it.
 */
size_t hdFrameStem(const char *name, const char *ending);

/** Whether a text is an ending, or that with .zst. */
bool hdFrameIsEnding(const char *text, const char *ending);

/** What the header of a frame says. */
struct hdFrameHead {
	bool isSkippable;
	bool hasChecksum;
	size_t size;    /**< Bytes of the header. */
	uint64_t plain; /**< Plain bytes; if skippable, bytes to skip. */
};

/** What the header of a block says. */
struct hdFrameBlock {
	bool isLast;
	size_t stored; /**< Bytes that follow the header. */
};

/** An entry of the seek table. */
struct hdFrameEntry {
	uint32_t stored;
	uint32_t plain;
};

/**
 * Read the header of a frame.
 *
 * @param size Bytes that are there; HD_FRAME_HEAD_MAX are enough.
 * @param[out] why What is wrong.
 *
 * @retval 0 The header is complete and within the limits.
 * @retval -ENODATA More bytes are needed.
 * @retval -EBADMSG It is not a frame, or not within the limits.
 */
int hdFrameReadHead(const unsigned char *bytes, size_t size,
		    struct hdFrameHead *head, const char **why);

/** Read the header of a block; 0 or -EBADMSG. */
int hdFrameReadBlock(const unsigned char *bytes, struct hdFrameBlock *block);

/** Whether so many plain bytes may come of so many stored ones. */
bool hdFrameIsWithin(uint64_t plain, uint64_t stored);

/**
 * Read the end of a seek table.
 *
 * @param bytes The last HD_FRAME_TABLE_FOOT bytes of the file.
 * @param[out] count Number of its entries.
 * @param[out] entrySize Bytes of each.
 *
 * @return Bytes of the whole table; 0: it is not one.
 */
uint64_t hdFrameReadFoot(const unsigned char *bytes, size_t *count,
			 size_t *entrySize);

/** Whether a table begins so that has this size. */
bool hdFrameIsTable(const unsigned char *bytes, uint64_t size);

/** Read an entry of a table. */
struct hdFrameEntry hdFrameReadEntry(const unsigned char *bytes);

/** Bytes of a table. */
size_t hdFrameTableSize(size_t count);

/** Write a table; to: hdFrameTableSize() bytes. */
void hdFrameWriteTable(char *to, const struct hdFrameEntry *entries,
		       size_t count);

/** Whether an index begins so. */
bool hdFrameIsIndex(const unsigned char *bytes);

/** Bytes that follow the beginning of an index. */
uint32_t hdFrameIndexSize(const unsigned char *bytes);

/** Write the beginning of an index: HD_FRAME_INDEX_HEAD bytes. */
void hdFrameWriteIndexHead(char *to, size_t size);

/** Bytes of a frame that stores @p size bytes as they are. */
size_t hdFrameRawSize(size_t size);

/**
 * Write a frame that stores bytes as they are.
 *
 * @param to hdFrameRawSize() bytes.
 * @param size At most HD_FRAME_MAX.
 */
void hdFrameWriteRaw(char *to, const char *bytes, size_t size);

#endif
