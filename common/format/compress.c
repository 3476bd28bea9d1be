/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Making frames of compressed files; see compress.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/format/compress.h"
#include "common/format/frame.h"

int hdCompressParse(const char *text)
{
	static const char name[] = "zstd";
	const size_t length = sizeof(name) - 1;
	char *end;
	long level;

	if (strcmp(text, "none") == 0)
		return 0;
	if (strncmp(text, name, length) != 0)
		return -EINVAL;
	if (!text[length])
		return HD_COMPRESS_DEFAULT;
	if (text[length] != ':' || text[length + 1] < '0' ||
	    text[length + 1] > '9')
		return -EINVAL;
	level = strtol(text + length + 1, &end, 10);
	if (*end || level < HD_COMPRESS_MIN || level > HD_COMPRESS_MAX)
		return -EINVAL;
	return (int)level;
}

ZSTD_CCtx *hdCompressCreate(int level)
{
	ZSTD_CCtx *context = hdZstd.ZSTD_createCCtx();

	if (!context)
		return NULL;
	hdZstd.ZSTD_CCtx_setParameter(context, HD_ZSTD_LEVEL, level);
	hdZstd.ZSTD_CCtx_setParameter(context, HD_ZSTD_CHECKSUM, 1);
	return context;
}

size_t hdCompressRoom(size_t size)
{
	size_t raw = hdFrameRawSize(size);
	size_t bound =
		hdZstd.ZSTD_compressBound ? hdZstd.ZSTD_compressBound(size) : 0;

	return raw > bound ? raw : bound;
}

size_t hdCompressFrame(ZSTD_CCtx *context, const char *bytes, size_t size,
		       char *to)
{
	size_t made = 0;

	if (context)
		made = hdZstd.ZSTD_compress2(context, to, hdCompressRoom(size),
					     bytes, size);
	if (context && !hdZstd.ZSTD_isError(made) &&
	    hdFrameIsWithin(size, made / 2) && made < hdFrameRawSize(size))
		return made;
	hdFrameWriteRaw(to, bytes, size);
	return hdFrameRawSize(size);
}
