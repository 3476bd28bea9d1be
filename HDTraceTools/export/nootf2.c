/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to otf2, in a build without OTF2.
 */
#include "config.h"

#include "HDTraceTools/export/export.h"

static const char *noOtf2Missing(void)
{
	return "hdtrace was built without OTF2";
}

const struct exportFormat exportOtf2 = {
	.name = "otf2",
	.suffix = ".otf2.d",
	.isDirectory = true,
	.missing = noOtf2Missing,
};
