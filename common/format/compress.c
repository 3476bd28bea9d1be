/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Making frames of compressed files; see compress.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/format/compress.h"
#include "common/format/frame.h"

int hdCompressParse(const char *text, int *level)
{
	static const char name[] = "zstd";
	const char *digits = text + sizeof(name) - 1;
	char *end;
	long number;

	if (strcmp(text, "none") == 0) {
		*level = 0;
		return 0;
	}
	if (strncmp(text, name, sizeof(name) - 1) != 0)
		return -EINVAL;
	if (!*digits) {
		*level = HD_COMPRESS_DEFAULT;
		return 0;
	}
	if (*digits++ != ':')
		return -EINVAL;
	if (digits[*digits == '-'] < '0' || digits[*digits == '-'] > '9')
		return -EINVAL;
	number = strtol(digits, &end, 10);
	if (*end || number == 0 || number < HD_COMPRESS_MIN ||
	    number > HD_COMPRESS_MAX)
		return -EINVAL;
	*level = (int)number;
	return 0;
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

size_t hdCompressChecked(ZSTD_CCtx *context, const char *bytes, size_t size,
			 char *to)
{
	size_t made = hdZstd.ZSTD_compress2(context, to, hdCompressRoom(size),
					    bytes, size);

	return hdZstd.ZSTD_isError(made) ? 0 : made;
}

size_t hdCompressFrame(ZSTD_CCtx *context, const char *bytes, size_t size,
		       char *to)
{
	size_t made = context ? hdCompressChecked(context, bytes, size, to) : 0;

	if (made > 0 && hdFrameIsWithin(size, made / 2) &&
	    made < hdFrameRawSize(size))
		return made;
	hdFrameWriteRaw(to, bytes, size);
	return hdFrameRawSize(size);
}
