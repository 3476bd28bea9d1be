/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sources of the kernel's files; see source.h. */
#include "config.h"

#include "ResourcesUtilizationTracingLibrary/src/core/source.h"

#define ADDRESS(name) &rut##name##Source,

const struct rutSource *const rutLinuxSources[] = {
	RUT_LINUX_SOURCES(ADDRESS) NULL,
};
