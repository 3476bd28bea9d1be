/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Power at the time that it was drawn: groups that are known to be late.
 *
 * The attribute delay of a group says by how much, as hdtrace delay found, and
 * delayApplied what was taken away while it was recorded
 * (doc/format/format.md). What is left is taken away from the times of its
 * entries, which a note says.
 */
#ifndef HD_COMMAND_DELAYOPTION_H
#define HD_COMMAND_DELAYOPTION_H

#include "HDTraceTools/command/core/tool.h"

/** For toolParse(); isAsRecorded is a gboolean *. */
#define DELAY_ENTRY(isAsRecorded)                                       \
	{                                                               \
		"no-delay", 0, 0, G_OPTION_ARG_NONE, isAsRecorded,      \
			"Leave power time stamps as recorded, without " \
			"correction of the meter delay",                \
			NULL                                            \
	}

/** Get by how much a group is late, and what of that was taken away, in ns;
 *  false: it says neither. What is no number counts as 0. */
bool delayOfGroup(const hdIGroup *group, int64_t *delay, int64_t *applied);

/** Take away what is left of the delays of a project that was just opened, and
 *  say so; unless @p isAsRecorded. */
void delayApply(struct tool *tool, hdIProject *project, bool isAsRecorded);

#endif
