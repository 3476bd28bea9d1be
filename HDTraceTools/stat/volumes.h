/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace stat --volume: bytes and sizes of messages, by function, call site,
 * pair of ranks, and communicator.
 */
#ifndef HD_STAT_VOLUMES_H
#define HD_STAT_VOLUMES_H

#include "HDTraceTools/choice/selection.h"
#include "HDTraceTools/command/core/tool.h"

/**
 * Print them.
 *
 * @retval 0 Success, as far as messages say.
 * @retval -1 Error; it was said.
 */
int volumesPrint(struct tool *tool, const hdIProject *project,
		 const struct selection *selection);

#endif
