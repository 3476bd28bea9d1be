/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * OTF2, opened at run time.
 */
#include "config.h"

#include "HDTraceTools/export/otf2/library.h"

struct otf2Api otf2Api;

#define SYMBOL(name) HD_LIBRARY_SYMBOL(struct otf2Api, name)
static const struct hdSymbol symbols[] = { OTF2_CALLS(SYMBOL) HD_LIBRARY_END };

const char *otf2Missing(void)
{
	static struct hdLibrary library = {
		.what = "OTF2",
		.file = OTF2_SONAME,
		.package = "libopen-trace-format2-10",
		.symbols = symbols,
		.api = &otf2Api,
	};

	return hdLibraryMissing(&library);
}
