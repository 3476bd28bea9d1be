/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Making frames of compressed files.
 */
#ifndef HD_COMPRESS_H
#define HD_COMPRESS_H

#include <stddef.h>

#include "common/format/zstd.h"

/** The levels that users may choose, but for 0, and the default. Those below 0
 *  are the fast ones of zstd. */
#define HD_COMPRESS_MIN (-7)
#define HD_COMPRESS_MAX 19
#define HD_COMPRESS_DEFAULT 1

/**
 * Parse "zstd" or "zstd:LEVEL", or "none".
 *
 * @param[out] level The level, or 0 for none.
 *
 * @return 0 or -EINVAL.
 */
int hdCompressParse(const char *text, int *level);

/** Create a compressor; NULL: no memory. hdZstdMissing() must be NULL. */
ZSTD_CCtx *hdCompressCreate(int level);

/** Bytes that a frame of so many plain bytes needs at most. */
size_t hdCompressRoom(size_t size);

/**
 * Make a frame with a checksum, whatever its size becomes.
 *
 * @param to hdCompressRoom() bytes.
 *
 * @return Bytes of the frame; 0: no memory.
 */
size_t hdCompressChecked(ZSTD_CCtx *context, const char *bytes, size_t size,
			 char *to);

/**
 * Make a frame. What cannot be compressed, or so well that readers would
 * refuse it, is stored as it is.
 *
 * @param context NULL: store it.
 * @param to hdCompressRoom() bytes.
 *
 * @return Bytes of the frame.
 */
size_t hdCompressFrame(ZSTD_CCtx *context, const char *bytes, size_t size,
		       char *to);

#endif
