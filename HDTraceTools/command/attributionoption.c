/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The option that says how the energy of nodes is divided.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/command/attributionoption.h"

int attributionOptionParse(const char *text, struct tool *tool,
			   enum attributionRule *rule)
{
	*rule = ATTRIBUTION_EQUAL;
	if (!text || strcmp(text, "equal") == 0)
		return -1;
	if (strcmp(text, "cpu") != 0)
		return toolUsage(tool,
				 "--attribution: invalid value \"%s\"; "
				 "expected equal or cpu",
				 text);
	*rule = ATTRIBUTION_CPU;
	return -1;
}
