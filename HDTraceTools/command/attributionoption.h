/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The option that says how the energy of nodes is divided.
 */
#ifndef HD_COMMAND_ATTRIBUTIONOPTION_H
#define HD_COMMAND_ATTRIBUTIONOPTION_H

#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/model/attribution.h"

/** For toolParse(); text is a char **, to be freed with g_free(). */
#define ATTRIBUTION_ENTRY(text)                                         \
	{                                                               \
		"attribution", 0, 0, G_OPTION_ARG_STRING, text,         \
			"Energy share of a rank: equal or by CPU time " \
			"(default: equal)",                             \
			"equal|cpu"                                     \
	}

/** Parse it; NULL: it was not given. -1, or the exit status. */
int attributionOptionParse(const char *text, struct tool *tool,
			   enum attributionRule *rule);

#endif
