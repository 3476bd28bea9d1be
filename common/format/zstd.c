/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libzstd, opened at run time; see zstd.h. */
#include "config.h"

#include "common/format/zstd.h"

#define ZSTD_SYMBOL(name) HD_LIBRARY_SYMBOL(struct hdZstdApi, name)

struct hdZstdApi hdZstd;

const char *hdZstdMissing(void)
{
	static const struct hdSymbol symbols[] = { HD_ZSTD_FUNCTIONS(
		ZSTD_SYMBOL) HD_LIBRARY_END };
	static struct hdLibrary library = {
		.what = "zstd",
		.file = "libzstd.so.1",
		.package = "libzstd1",
		.symbols = symbols,
		.api = &hdZstd,
	};

	return hdLibraryMissing(&library);
}
