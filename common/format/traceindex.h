/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The index of a compressed trace: what each frame holds, as doc/format
 * describes.
 */
#ifndef HD_TRACEINDEX_H
#define HD_TRACEINDEX_H

#include <stddef.h>
#include <stdint.h>

/** A reader can start with the frame: it begins between two elements, neither
 *  of them inside a state. */
#define HD_TRACE_PART_START 1
/** The frame has something that readers of later frames need. */
#define HD_TRACE_PART_NEEDED 2

/** States are nested at most so deep. */
#define HD_TRACE_DEPTH_MAX 990

/** Times are at most so far from 0, in ns. */
#define HD_TRACE_TIME_MAX INT64_C(4300000000000000000)

/** What a frame holds. */
struct hdTracePart {
	/** Earliest start and latest end of its records, as in the file, in ns;
	 *  without records, INT64_MAX and INT64_MIN. */
	int64_t first;
	int64_t last;
	uint32_t plain;   /**< Bytes of the content. */
	uint32_t lines;   /**< Line feeds in it. */
	uint32_t records; /**< States and events that end in it. */
	uint16_t depth;   /**< Open Nested elements at its beginning. */
	uint16_t flags;   /**< HD_TRACE_PART_ */
};

/** Bytes of an index. */
size_t hdTraceIndexSize(size_t count);

/** Write an index; to: hdTraceIndexSize() bytes. */
void hdTraceIndexWrite(char *to, const struct hdTracePart *parts, size_t count);

/**
 * Read an index.
 *
 * @param size Bytes that are there.
 * @param parts Room for @p count parts, one for each frame of the file.
 * @param[out] why What is wrong.
 *
 * @retval 0 The index is valid.
 * @retval -ENOTSUP It is of a later version.
 * @retval -EBADMSG It is wrong.
 */
int hdTraceIndexRead(const unsigned char *bytes, size_t size,
		     struct hdTracePart *parts, size_t count, const char **why);

#endif
