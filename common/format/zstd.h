/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * libzstd, opened at run time when the first compressed file is met.
 *
 * The declarations are those of zstd.h; they have not changed since version
 * 1.4, so no header is needed to build.
 */
#ifndef HD_ZSTD_H
#define HD_ZSTD_H

#include <stddef.h>

#include "common/library.h"

typedef struct ZSTD_CCtx_s ZSTD_CCtx;
typedef struct ZSTD_DCtx_s ZSTD_DCtx;

/** Numbers of parameters, of type ZSTD_cParameter in zstd.h. */
#define HD_ZSTD_LEVEL 100
#define HD_ZSTD_CHECKSUM 201

ZSTD_CCtx *ZSTD_createCCtx(void);
size_t ZSTD_freeCCtx(ZSTD_CCtx *context);
size_t ZSTD_CCtx_setParameter(ZSTD_CCtx *context, int parameter, int value);
size_t ZSTD_compress2(ZSTD_CCtx *context, void *to, size_t room,
		      const void *from, size_t size);
size_t ZSTD_compressBound(size_t size);
ZSTD_DCtx *ZSTD_createDCtx(void);
size_t ZSTD_freeDCtx(ZSTD_DCtx *context);
size_t ZSTD_decompressDCtx(ZSTD_DCtx *context, void *to, size_t room,
			   const void *from, size_t size);
unsigned int ZSTD_isError(size_t result);
const char *ZSTD_getErrorName(size_t result);

/** The functions that are used. */
#define HD_ZSTD_FUNCTIONS(X)      \
	X(ZSTD_createCCtx)        \
	X(ZSTD_freeCCtx)          \
	X(ZSTD_CCtx_setParameter) \
	X(ZSTD_compress2)         \
	X(ZSTD_compressBound)     \
	X(ZSTD_createDCtx)        \
	X(ZSTD_freeDCtx)          \
	X(ZSTD_decompressDCtx)    \
	X(ZSTD_isError)           \
	X(ZSTD_getErrorName)

/** The functions, after hdZstdMissing() has returned NULL. */
extern struct hdZstdApi {
	HD_ZSTD_FUNCTIONS(HD_LIBRARY_FUNCTION)
} hdZstd;

/** Open libzstd. Any thread may call it; result as of hdLibraryMissing(). */
const char *hdZstdMissing(void);

#endif
