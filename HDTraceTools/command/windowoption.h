/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The option --window: entries are merged over equally long parts of the time.
 *
 * The first window starts where the run does, or at --from if that is given.
 */
#ifndef HD_COMMAND_WINDOWOPTION_H
#define HD_COMMAND_WINDOWOPTION_H

#include "HDTraceTools/choice/selection.h"
#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/model/extent.h"
#include "HDTraceTools/model/phases.h"

/** The option; all zero at first. */
struct windowOption {
	char *text;     /**< As given, or NULL. */
	int64_t length; /**< In ns; 0 if there are no windows. */
};

/** An entry for toolParse(). */
#define WINDOW_ENTRY(option)                                                  \
	{                                                                     \
		"window", 0, 0, G_OPTION_ARG_FILENAME, &(option)->text,       \
			"Merge entries over windows of this length, such as " \
			"500ms",                                              \
			"DURATION"                                            \
	}

void windowOptionFree(struct windowOption *option);

/** Parse it: -1, or the exit status of a mistake. */
int windowOptionParse(struct windowOption *option, struct tool *tool);

/** Make phases the windows of a run, as far as it was asked for. */
void windowOptionFind(const struct windowOption *option,
		      const struct selection *selection,
		      const struct extent *run, struct phases *phases);

#endif
