/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of a device; see driver.h. */
#include "config.h"

#include <string.h>

#include "PowerTracingLibrary/src/core/driver.h"

const char *ptSetupOptionOr(const struct ptSetup *setup, const char *name,
			    const char *otherwise)
{
	for (const char *const *at = setup->options; at && *at; at += 2) {
		if (strcmp(at[0], name) == 0)
			return at[1];
	}
	return otherwise;
}

const char *ptSetupOption(const struct ptSetup *setup, const char *name)
{
	return ptSetupOptionOr(setup, name, NULL);
}
