/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All kinds of load; see core/kind.h. */
#include "config.h"

#include <string.h>

#include "LoadLevels/core/kind.h"

static const struct hdLoadKind *const kinds[] = {
	&hdLoadCpuInt,   &hdLoadCpuFloat,        &hdLoadCpuVector,
	&hdLoadMemory,   &hdLoadMemoryBandwidth, &hdLoadNetwork,
	&hdLoadDiskRead, &hdLoadDiskWrite,       &hdLoadDiskSync,
};

const struct hdLoadKind *hdLoadKindFind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(kinds[i]->name, name) == 0)
			return kinds[i];
	}
	return NULL;
}
